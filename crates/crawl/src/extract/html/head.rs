//! What a page says about itself outside its text.

use memchr::memmem;

use crate::date;
use crate::extract::{Extracted, Limits, Link, cut, space};
use crate::markup::{Scanner, decode, decode_attribute};

/// The earliest publication date that is believed: the first web page.
const EARLIEST_DATE: i64 = 662_688_000;
/// Feeds and robots directives kept per page.
const MAX_LISTED: usize = 16;

/// How well a source of a publication date is believed; the better one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DateSource {
    /// A `<time>` somewhere in the article.
    Time,
    /// A general date of the page.
    Meta,
    /// JSON-LD `datePublished`.
    JsonLd,
    /// A property that names the publication.
    Published,
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Head {
    pub(super) title: Option<String>,
    social_title: Option<String>,
    social_description: Option<String>,
    date: Option<(DateSource, i64)>,
    /// The language as declared, by the best source.
    pub(super) language: Option<String>,
}

impl Head {
    /// The text of `<title>`; the first counts.
    pub(super) fn take_title(&mut self, text: &str, limits: &Limits) {
        if self.title.is_none() {
            self.title = space::label(&decode(text), limits.label_bytes);
        }
    }

    pub(super) fn take_html(&mut self, scanner: &Scanner) {
        let language = scanner.attribute("lang").or_else(|| scanner.attribute("xml:lang"));
        if let Some(language) = language.map(str::trim).filter(|language| !language.is_empty()) {
            self.language = Some(cut(language, 16).to_owned());
        }
    }

    pub(super) fn take_meta(&mut self, scanner: &Scanner, limits: &Limits, page: &mut Extracted) {
        let Some(content) = scanner.attribute("content") else { return };
        if let Some(equivalent) = scanner.attribute("http-equiv") {
            self.take_equivalent(equivalent, content, limits, page);
        }
        for attribute in ["name", "property", "itemprop"] {
            if let Some(name) = scanner.attribute(attribute) {
                self.take_named(cut(name.trim(), 64), content, limits, page);
            }
        }
    }

    fn take_equivalent(&mut self, name: &str, content: &str, limits: &Limits, page: &mut Extracted) {
        if name.eq_ignore_ascii_case("refresh") && page.refresh.is_none() {
            page.refresh = refresh_target(&decode_attribute(content), limits.href_bytes);
        } else if name.eq_ignore_ascii_case("content-language") && self.language.is_none() {
            self.language = Some(cut(content.trim(), 16).to_owned());
        }
    }

    fn take_named(&mut self, name: &str, content: &str, limits: &Limits, page: &mut Extracted) {
        let label = || space::label(&decode_attribute(content), limits.label_bytes);
        match name.to_ascii_lowercase().as_str() {
            "description" if page.description.is_none() => page.description = label(),
            "og:description" | "twitter:description" if self.social_description.is_none() => {
                self.social_description = label();
            }
            "og:title" | "twitter:title" if self.social_title.is_none() => self.social_title = label(),
            "og:locale" if self.language.is_none() => self.language = Some(cut(content.trim(), 16).to_owned()),
            "article:published_time"
            | "datepublished"
            | "dc.date.issued"
            | "dcterms.issued"
            | "citation_publication_date"
            | "parsely-pub-date"
            | "publish-date"
            | "pubdate" => self.take_date(DateSource::Published, content, limits),
            "date" | "dc.date" | "dcterms.date" | "dcterms.created" | "sailthru.date" | "article.published" => {
                self.take_date(DateSource::Meta, content, limits);
            }
            lower if is_for_us(lower, limits) && page.meta_robots.len() < MAX_LISTED => {
                page.meta_robots.push(cut(&decode_attribute(content), limits.label_bytes).to_owned());
            }
            _ => {}
        }
    }

    /// A date from one of its sources, if it is one that can be believed.
    pub(super) fn take_date(&mut self, source: DateSource, text: &str, limits: &Limits) {
        if self.date.is_some_and(|(known, _)| known >= source) {
            return;
        }
        let date = date::parse(&decode_attribute(text));
        if let Some(date) = date.filter(|date| (EARLIEST_DATE..=limits.latest_date).contains(date)) {
            self.date = Some((source, date));
        }
    }

    /// The `datePublished` of a JSON-LD script, without reading the rest of it.
    pub(super) fn take_json_ld(&mut self, script: &str, limits: &Limits) {
        const KEY: &str = "\"datePublished\"";
        let Some(at) = memmem::find(script.as_bytes(), KEY.as_bytes()) else { return };
        let value = script[at + KEY.len()..].trim_start().strip_prefix(':').map(str::trim_start);
        let value = value.and_then(|value| value.strip_prefix('"')).and_then(|value| value.split('"').next());
        if let Some(value) = value {
            self.take_date(DateSource::JsonLd, cut(value, 64), limits);
        }
    }

    pub(super) fn take_link(&mut self, scanner: &Scanner, limits: &Limits, page: &mut Extracted) {
        let (Some(rel), Some(href)) = (scanner.attribute("rel"), scanner.attribute("href")) else { return };
        let Some(href) = address(href, limits) else { return };
        let has = |name: &str| rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(name));
        if has("canonical") {
            page.canonical.get_or_insert(href);
        } else if has("alternate") && scanner.attribute("type").is_some_and(is_feed) {
            if page.feeds.len() < MAX_LISTED {
                page.feeds.push(href);
            }
        } else if (has("next") || has("prev") || (has("alternate") && scanner.attribute("hreflang").is_some()))
            && page.links.len() < limits.links
        {
            page.links.push(Link { href, nofollow: false });
        }
    }

    /// Writes down what was found.
    pub(super) fn finish(self, page: &mut Extracted) {
        let heading = || page.headings.first().cloned();
        page.title = self.title.or(self.social_title).or_else(heading);
        page.description = page.description.take().or(self.social_description);
        page.published = self.date.map(|(_, date)| date);
    }
}

fn is_for_us(name: &str, limits: &Limits) -> bool {
    name == "robots" || name.eq_ignore_ascii_case(&limits.product_token)
}

fn is_feed(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    ["application/rss+xml", "application/atom+xml", "application/rdf+xml"]
        .iter()
        .any(|known| essence.eq_ignore_ascii_case(known))
}

/// `5; url=...` with all the liberties that browsers allow.
fn refresh_target(content: &str, limit: usize) -> Option<String> {
    let at = content.find([';', ',', ' '])?;
    let seconds = content[..at].trim();
    if !seconds.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let mut rest = content[at..].trim_start_matches([';', ',', ' ', '\t', '\n']);
    if rest.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("url"))
        && let Some(value) = rest[3..].trim_start().strip_prefix('=')
    {
        rest = value.trim_start();
    }
    let target = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => rest[1..].split(quote).next()?,
        _ => rest,
    };
    let target = target.trim();
    (!target.is_empty() && target.len() <= limit).then(|| target.to_owned())
}

/// An address as written that may lead to another page.
pub(super) fn address(href: &str, limits: &Limits) -> Option<String> {
    let href = href.trim();
    if href.is_empty() || href.starts_with('#') || href.len() > limits.href_bytes {
        return None;
    }
    let href = decode_attribute(href);
    let end = href.find([':', '/', '?', '#']);
    let fetchable = match end {
        Some(end) if href[end..].starts_with(':') => {
            // A first part with a colon is a scheme, or a relative path that URL parsing will take for one.
            let scheme = &href[..end];
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        }
        _ => true,
    };
    fetchable.then(|| href.into_owned())
}
