//! The elements that matter to the text of a page.

/// An element, as far as it matters. Elements that only style running text are `Inline`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Tag {
    Inline,
    /// Any element that begins a new block of text and cannot hold a part of the page.
    Block,
    Heading1,
    Heading2,
    Heading3,
    Heading4,
    Heading5,
    Heading6,
    A,
    Area,
    Article,
    Aside,
    Base,
    Body,
    Br,
    Button,
    Cell,
    Details,
    Dialog,
    Div,
    Footer,
    Form,
    Frame,
    Header,
    Html,
    Item,
    Label,
    Link,
    List,
    Main,
    Meta,
    Nav,
    Noscript,
    Pre,
    Raw,
    Script,
    Section,
    Select,
    Span,
    Svg,
    Table,
    Template,
    Time,
    Title,
}

/// Number of tags.
pub(super) const TAGS: usize = Tag::Title as usize + 1;

impl Tag {
    /// The tag of an element's name.
    pub(super) fn of(name: &str) -> Tag {
        let mut lower = [0; 10];
        let Some(lower) = lower.get_mut(..name.len()) else { return Tag::Inline };
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        match &*lower {
            b"a" => Tag::A,
            b"div" => Tag::Div,
            b"span" => Tag::Span,
            b"p" | b"blockquote" | b"dt" | b"dd" | b"figure" | b"figcaption" | b"center" | b"hr" | b"address"
            | b"fieldset" | b"summary" | b"caption" | b"tr" | b"thead" | b"tbody" | b"tfoot" | b"hgroup" | b"head"
            | b"frameset" | b"option" | b"optgroup" => Tag::Block,
            b"li" => Tag::Item,
            b"td" | b"th" => Tag::Cell,
            b"br" => Tag::Br,
            b"h1" => Tag::Heading1,
            b"h2" => Tag::Heading2,
            b"h3" => Tag::Heading3,
            b"h4" => Tag::Heading4,
            b"h5" => Tag::Heading5,
            b"h6" => Tag::Heading6,
            b"ul" | b"ol" | b"dl" | b"menu" => Tag::List,
            b"section" => Tag::Section,
            b"table" => Tag::Table,
            b"pre" | b"listing" => Tag::Pre,
            b"script" => Tag::Script,
            b"style" | b"textarea" | b"iframe" | b"noembed" | b"noframes" => raw(lower),
            b"meta" => Tag::Meta,
            b"link" => Tag::Link,
            b"title" => Tag::Title,
            b"html" => Tag::Html,
            b"body" => Tag::Body,
            b"base" => Tag::Base,
            b"nav" => Tag::Nav,
            b"header" => Tag::Header,
            b"footer" => Tag::Footer,
            b"aside" => Tag::Aside,
            b"main" => Tag::Main,
            b"article" => Tag::Article,
            b"form" => Tag::Form,
            b"label" | b"legend" => Tag::Label,
            b"button" => Tag::Button,
            b"select" | b"datalist" => Tag::Select,
            b"details" => Tag::Details,
            b"dialog" => Tag::Dialog,
            b"noscript" => Tag::Noscript,
            b"template" => Tag::Template,
            b"svg" => Tag::Svg,
            b"time" => Tag::Time,
            b"area" => Tag::Area,
            b"frame" => Tag::Frame,
            _ => Tag::Inline,
        }
    }

    /// 1 to 6 for a heading.
    pub(super) fn heading_level(self) -> Option<u8> {
        let level = (self as u8).wrapping_sub(Tag::Heading1 as u8).wrapping_add(1);
        (1..=6).contains(&level).then_some(level)
    }

    /// Whether text before and after this tag belongs to different blocks.
    pub(super) fn separates(self) -> bool {
        !matches!(
            self,
            Tag::Inline
                | Tag::A
                | Tag::Area
                | Tag::Base
                | Tag::Br
                | Tag::Button
                | Tag::Cell
                | Tag::Frame
                | Tag::Label
                | Tag::Link
                | Tag::Meta
                | Tag::Raw
                | Tag::Script
                | Tag::Span
                | Tag::Svg
                | Tag::Template
                | Tag::Time
                | Tag::Title
        )
    }

    /// Whether this element may be a part of the page with a role of its own, such as a menu.
    pub(super) fn holds_region(self) -> bool {
        matches!(
            self,
            Tag::Article
                | Tag::Aside
                | Tag::Button
                | Tag::Cell
                | Tag::Details
                | Tag::Dialog
                | Tag::Div
                | Tag::Footer
                | Tag::Form
                | Tag::Header
                | Tag::Label
                | Tag::List
                | Tag::Main
                | Tag::Nav
                | Tag::Noscript
                | Tag::Section
                | Tag::Select
                | Tag::Span
                | Tag::Svg
                | Tag::Table
                | Tag::Template
        )
    }
}

/// An iframe is a link as well.
fn raw(name: &[u8]) -> Tag {
    if name == b"iframe" { Tag::Frame } else { Tag::Raw }
}
