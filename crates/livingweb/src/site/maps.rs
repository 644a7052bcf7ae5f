//! What servers tell crawlers apart from pages.

use std::fmt::Write as _;

use rand::RngExt;

use super::SITEMAP;
use crate::date;
use crate::prose::Theme;
use crate::random::{Stream, rng};
use crate::world::{PageNumber, World};

/// Changes in a feed.
const FEED: usize = 50;

/// How far back lies go, in seconds.
const OLDEST_LIE: f64 = 7.0 * 86_400.0;

/// What sitemaps say about the last change of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lastmod {
    /// The truth.
    #[default]
    Honest,
    /// Always now, as many generators do.
    Now,
    /// Any moment of the last week.
    Random,
    /// Nothing.
    None,
}

/// `robots.txt` of a host.
pub(crate) fn robots_txt(origin: &str, crawl_delay: Option<f64>) -> String {
    let delay = crawl_delay.map_or(String::new(), |delay| format!("Crawl-delay: {delay}\n"));
    format!("User-agent: *\nAllow: /\n{delay}\nSitemap: {origin}/sitemap.xml\n")
}

/// Pages of a host that are there, each with the moment of its last change, in seconds since 1970.
pub(crate) type Lives = [(PageNumber, f64)];

/// The whole sitemap if there is room in one, else the index of its parts; or one of the parts.
pub(crate) fn sitemap(
    world: &World,
    origin: &str,
    lives: &Lives,
    part: Option<usize>,
    lastmod: Lastmod,
    now: f64,
) -> Option<String> {
    let part = match part {
        None if lives.len() > SITEMAP => return Some(sitemap_index(origin, lives.len().div_ceil(SITEMAP))),
        None => lives,
        Some(part) => lives.chunks(SITEMAP).nth(part)?,
    };
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for (number, changed) in part {
        let said = said(world, *number, *changed, lastmod, now);
        let said = said.map_or(String::new(), |at| format!("<lastmod>{}</lastmod>", date::iso(at.floor() as i64)));
        _ = writeln!(xml, "<url><loc>{origin}{}</loc>{said}</url>", world.path(*number));
    }
    xml.push_str("</urlset>\n");
    Some(xml)
}

fn said(world: &World, number: PageNumber, changed: f64, lastmod: Lastmod, now: f64) -> Option<f64> {
    match lastmod {
        Lastmod::Honest => Some(changed),
        Lastmod::Now => Some(now),
        Lastmod::Random => {
            // Another lie every minute.
            let mut rng = rng(world.seed(), Stream::Lies, u64::from(number.0), (now / 60.0) as u64);
            Some(now - rng.random::<f64>() * OLDEST_LIE)
        }
        Lastmod::None => None,
    }
}

fn sitemap_index(origin: &str, parts: usize) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for part in 1..=parts {
        _ = writeln!(xml, "<sitemap><loc>{origin}/sitemap-{part}.xml</loc></sitemap>");
    }
    xml.push_str("</sitemapindex>\n");
    xml
}

/// The newest changes of a host, newest first.
pub(crate) fn atom(world: &World, origin: &str, title: &str, mut lives: Vec<(PageNumber, f64)>) -> String {
    let newest_first = |a: &(PageNumber, f64), b: &(PageNumber, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if lives.len() > FEED {
        lives.select_nth_unstable_by(FEED, newest_first);
        lives.truncate(FEED);
    }
    lives.sort_unstable_by(newest_first);
    let updated = lives.first().map_or(0.0, |(_, changed)| *changed);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>{title}</title><id>{origin}/</id><link href=\"{origin}/\"/><updated>{}</updated>\n",
        date::iso(updated.floor() as i64)
    );
    for (number, changed) in lives {
        let (url, theme) = (format!("{origin}{}", world.path(number)), Theme::of(world.seed(), number));
        _ = writeln!(
            xml,
            "<entry><title>{}</title><id>{url}</id><link href=\"{url}\"/><updated>{}</updated>\
             <category term=\"{}\"/></entry>",
            theme.title(),
            date::iso(changed.floor() as i64),
            theme.subject()
        );
    }
    xml.push_str("</feed>\n");
    xml
}
