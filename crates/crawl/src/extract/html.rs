//! Reads an HTML page in one pass.

use self::block::{Blocks, Mark};
use self::head::{DateSource, Head, address};
use self::region::OpenRegions;
use self::tag::Tag;
use super::{Extracted, Limits, Link, language, main_text, space};
use crate::markup::{Scanner, Syntax, Token, decode};

mod block;
mod head;
mod hints;
mod region;
mod tag;

pub(super) use block::Block;
pub(super) use region::Regions;

/// Bytes of text after which an unclosed link is taken to have ended.
const MAX_LINK_TEXT: usize = 2_048;
/// Texts of links that only mark a place to link to.
const PERMALINKS: [&str; 5] = ["¶", "#", "§", "🔗", "\u{f0c1}"];

/// Reads a page.
pub(super) fn read(text: &str, limits: &Limits, page: &mut Extracted) {
    let mut reader = Reader {
        scanner: Scanner::new(text, Syntax::Html),
        limits,
        page,
        head: Head::default(),
        blocks: Blocks::new(limits.text_bytes, text.len()),
        regions: OpenRegions::new(),
        link: None,
        last_open: Tag::Inline,
        preformatted: 0,
    };
    reader.run();
    reader.finish();
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    limits: &'a Limits,
    page: &'a mut Extracted,
    head: Head,
    blocks: Blocks,
    regions: OpenRegions,
    /// Where the text of the link begins that is being read.
    link: Option<Mark>,
    /// The element that was opened last, as long as nothing followed.
    last_open: Tag,
    preformatted: u32,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(token) = self.scanner.next() {
            match token {
                Token::Text(text) => self.text(text),
                Token::Literal(text) => {
                    let is_json = |kind: &str| kind.trim().eq_ignore_ascii_case("application/ld+json");
                    if self.last_open == Tag::Script && self.scanner.attribute("type").is_some_and(is_json) {
                        self.head.take_json_ld(text, self.limits);
                    }
                    self.last_open = Tag::Inline;
                }
                Token::Open(name) => self.open(Tag::of(name)),
                Token::Close(name) => self.close(Tag::of(name)),
            }
        }
    }

    fn text(&mut self, text: &str) {
        let last_open = std::mem::replace(&mut self.last_open, Tag::Inline);
        let regions = self.regions.now();
        if last_open == Tag::Title && !regions.meets(Regions::SKIPPED) {
            return self.head.take_title(text, self.limits);
        }
        if last_open == Tag::Raw || regions.meets(Regions::SKIPPED) {
            return;
        }
        if self.link.is_some_and(|link| self.blocks.since(link).len() > MAX_LINK_TEXT) {
            self.end_link();
        }
        self.blocks.push(&decode(text), regions, self.link.is_some(), self.preformatted > 0);
    }

    fn open(&mut self, tag: Tag) {
        self.last_open = tag;
        if tag == Tag::Inline {
            return;
        }
        if tag.separates() {
            // A link that began inside a block ends with it, even if its end tag was forgotten.
            if self.link.is_some_and(Mark::is_inside_block) {
                self.end_link();
            }
            self.end_block();
            self.blocks.heading = match tag.heading_level() {
                Some(level) => level,
                // A block inside a heading is part of it; a paragraph shows that its end was forgotten.
                None if matches!(tag, Tag::Div | Tag::Section) => self.blocks.heading,
                None => 0,
            };
        }
        self.regions.enter(tag, &self.scanner);
        match tag {
            Tag::A => self.open_link(),
            Tag::Br => self.blocks.line_break(self.preformatted > 0),
            Tag::Cell => self.blocks.cell(),
            Tag::Pre => self.preformatted = self.preformatted.saturating_add(1),
            Tag::Area => self.add_link("href"),
            Tag::Frame => self.add_link("src"),
            Tag::Html => self.head.take_html(&self.scanner),
            Tag::Meta => self.head.take_meta(&self.scanner, self.limits, self.page),
            Tag::Link => self.head.take_link(&self.scanner, self.limits, self.page),
            Tag::Base => self.base(),
            Tag::Time => self.time(),
            _ => {}
        }
    }

    fn close(&mut self, tag: Tag) {
        self.last_open = Tag::Inline;
        if tag == Tag::Inline {
            return;
        }
        if tag.separates() {
            self.end_block();
        }
        self.regions.leave(tag);
        match tag {
            Tag::A => self.end_link(),
            Tag::Pre => self.preformatted = self.preformatted.saturating_sub(1),
            Tag::Cell => self.blocks.separate(' '),
            _ if tag.heading_level().is_some() => self.blocks.heading = 0,
            _ => {}
        }
    }

    fn end_block(&mut self) {
        let level = self.blocks.heading;
        let regions = self.blocks.regions();
        let Some(text) = self.blocks.end_block() else { return };
        let outside = Regions::BOILERPLATE.with(Regions::BOILERPLATE_HINT).with(Regions::HIDDEN);
        // The one heading in the header of a page is its title.
        let shown = !regions.meets(outside) || level == 1 && !regions.meets(Regions::HIDDEN);
        if level > 0 && shown && self.page.headings.len() < self.limits.headings {
            self.page.headings.extend(space::label(text, self.limits.label_bytes));
        }
    }

    fn open_link(&mut self) {
        self.end_link();
        let Some(href) = self.scanner.attribute("href") else { return };
        if self.page.links.len() < self.limits.links
            && let Some(href) = address(href, self.limits)
        {
            let nofollow = self.scanner.attribute("rel").is_some_and(says_nofollow);
            self.page.links.push(Link { href, nofollow });
        }
        self.link = Some(self.blocks.mark());
    }

    fn end_link(&mut self) {
        let Some(link) = self.link.take() else { return };
        if PERMALINKS.contains(&self.blocks.since(link).trim()) {
            self.blocks.retract(link);
        }
    }

    /// A link without text.
    fn add_link(&mut self, attribute: &str) {
        if self.page.links.len() < self.limits.links
            && let Some(href) = self.scanner.attribute(attribute).and_then(|href| address(href, self.limits))
        {
            self.page.links.push(Link { href, nofollow: false });
        }
    }

    fn base(&mut self) {
        if self.page.base.is_none() {
            self.page.base = self.scanner.attribute("href").and_then(|href| address(href, self.limits));
        }
    }

    fn time(&mut self) {
        let regions = self.regions.now();
        let Some(date) = self.scanner.attribute("datetime") else { return };
        let is_published = |name: &str| name.eq_ignore_ascii_case("datePublished");
        if self.scanner.attribute("itemprop").is_some_and(is_published) || self.scanner.attribute("pubdate").is_some() {
            self.head.take_date(DateSource::Published, date, self.limits);
        } else if regions.meets(Regions::MAIN.with(Regions::ARTICLE)) && !regions.meets(Regions::BOILERPLATE) {
            self.head.take_date(DateSource::Time, date, self.limits);
        }
    }

    fn finish(mut self) {
        self.end_link();
        self.end_block();
        let (text, blocks) = self.blocks.finish();
        let (main, words) = main_text::choose(&text, &blocks);
        self.page.language = language::of(&main, self.head.language.as_deref());
        self.page.text = main;
        self.page.words = words;
        self.head.finish(self.page);
    }
}

fn says_nofollow(rel: &str) -> bool {
    let without_vote =
        |token: &str| ["nofollow", "ugc", "sponsored"].iter().any(|known| token.eq_ignore_ascii_case(known));
    rel.split_ascii_whitespace().any(without_vote)
}
