//! What servers say: pages, lists, `robots.txt`, sitemaps and feeds, as text.

mod maps;

use std::fmt::Write as _;

use rand::RngExt;

use crate::prose::{self, Theme};
use crate::random::{Stream, rng};
use crate::world::{PageNumber, World};

pub use maps::Lastmod;
pub(crate) use maps::{atom, robots_txt, sitemap};

/// Pages in one sitemap.
const SITEMAP: usize = 50_000;

/// Paragraphs below one heading.
const SECTION: u32 = 4;

/// Links from a page to others of its host, and to others anywhere.
const LINKS: (u64, u64) = (4, 1);

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The root of the host.
    Home,
    /// A list of pages, from 0.
    List(usize),
    /// A page, which may have gone or be still to come.
    Page(PageNumber),
    /// `/robots.txt`
    RobotsTxt,
    /// The sitemap, or the index of several.
    Sitemap,
    /// One of several sitemaps, from 0.
    SitemapPart(usize),
    /// The feed of the newest changes.
    Feed,
}

impl Route {
    pub(crate) fn find(world: &World, host: usize, path: &str) -> Option<Self> {
        match path {
            "/" => return Some(Self::Home),
            "/robots.txt" => return Some(Self::RobotsTxt),
            "/sitemap.xml" => return Some(Self::Sitemap),
            "/feed.xml" => return Some(Self::Feed),
            _ => {}
        }
        if let Some(list) = numbered(path, "/list/", ".html") {
            return (list < world.lists(host).len()).then_some(Self::List(list));
        }
        if let Some(part) = numbered(path, "/sitemap-", ".xml") {
            return Some(Self::SitemapPart(part));
        }
        world.find(host, path).map(Self::Page)
    }
}

/// The number between two texts, written from 1 and without leading zeros.
fn numbered(path: &str, before: &str, after: &str) -> Option<usize> {
    let digits = path.strip_prefix(before)?.strip_suffix(after)?;
    let number: usize = digits.parse().ok().filter(|number| *number > 0)?;
    (number.to_string() == digits).then(|| number - 1)
}

/// A page as it is at a version.
pub(crate) fn page(world: &World, origins: &[String], number: PageNumber, version: u64) -> String {
    let (page, theme) = (world.page(number), Theme::of(world.seed(), number));
    let mut html = String::with_capacity(1_500 + 400 * page.paragraphs as usize);
    begin(&mut html, &theme.title());
    for place in 0..page.paragraphs {
        if place > 0 && place.is_multiple_of(SECTION) {
            _ = writeln!(html, "<h2>{}</h2>", theme.heading(place / SECTION));
        }
        html.push_str("<p>");
        let written = written_at(number, version, place, page.paragraphs);
        prose::paragraph(&mut html, world.seed(), number, &theme, place, written);
        html.push_str("</p>\n");
    }
    html.push_str("</article></main>\n<nav><ul>\n");
    links(&mut html, world, origins, number);
    _ = write!(
        html,
        "<li><a href=\"/list/{}.html\">More pages</a></li>\n<li><a href=\"/\">Home</a></li>\n",
        page.list + 1
    );
    html.push_str("</ul></nav></body></html>\n");
    html
}

fn begin(html: &mut String, title: &str) {
    _ = write!(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <link rel=\"alternate\" type=\"application/atom+xml\" href=\"/feed.xml\"></head>\n\
         <body><main><article><h1>{title}</h1>\n"
    );
}

/// The version at which a paragraph was last written: each change rewrites the next one, and then it begins again.
fn written_at(number: PageNumber, version: u64, place: u32, paragraphs: u32) -> u64 {
    let n = u64::from(paragraphs);
    let rewritten = (version + u64::from(number.0)) % n;
    let versions_ago = (rewritten + n - u64::from(place)) % n;
    version.saturating_sub(versions_ago)
}

/// Links to other pages, the same for ever: of them to pages that were there when this one appeared.
fn links(html: &mut String, world: &World, origins: &[String], number: PageNumber) {
    let page = world.page(number);
    for link in 0..LINKS.0 + LINKS.1 {
        let mut rng = rng(world.seed(), Stream::Links, u64::from(number.0), link);
        let host = if link < LINKS.0 { page.host as usize } else { rng.random_range(0..world.hosts()) };
        let lists = world.lists(host);
        let Some(list) = lists.get(rng.random_range(0..lists.len().max(1))) else { continue };
        let Some(&other) = list.get(rng.random_range(0..list.len().max(1))) else { continue };
        if other == number || world.page(other).from > page.from {
            continue;
        }
        let origin = if host == page.host as usize { "" } else { origins.get(host).map_or("", String::as_str) };
        link_to(html, world, origin, other);
    }
}

fn link_to(html: &mut String, world: &World, origin: &str, number: PageNumber) {
    let title = Theme::of(world.seed(), number).title();
    _ = writeln!(html, "<li><a href=\"{origin}{}\">{title}</a></li>", world.path(number));
}

/// The root of a host: what it is about, and its lists. It never changes.
pub(crate) fn home(world: &World, host: usize) -> String {
    let (name, about) = prose::about_site(world.seed(), host as u64);
    let mut html = String::new();
    begin(&mut html, &name);
    _ = write!(html, "<p>{about}</p>\n</article></main>\n<nav><ul>\n");
    for list in 1..=world.lists(host).len() {
        _ = writeln!(html, "<li><a href=\"/list/{list}.html\">Pages of {name}, part {list}</a></li>");
    }
    html.push_str("</ul></nav></body></html>\n");
    html
}

/// A list of pages. It changes only when pages come or go.
pub(crate) fn list(world: &World, host: usize, list: usize, now: f64) -> String {
    let (name, _) = prose::about_site(world.seed(), host as u64);
    let mut html = String::new();
    begin(&mut html, &format!("Pages of {name}, part {}", list + 1));
    html.push_str("<ul>\n");
    let pages = world.lists(host).get(list).into_iter().flatten();
    for number in pages.copied().filter(|number| world.page(*number).is_alive(now)) {
        link_to(&mut html, world, "", number);
    }
    html.push_str("</ul>\n</article></main>\n<nav><a href=\"/\">Home</a></nav></body></html>\n");
    html
}

#[cfg(test)]
mod tests;
