//! What classes and ids say about a part of the page.
//!
//! Authors are free in their names, but the words they make them of are few.

use super::region::Regions;

/// What a `class` or `id` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hint {
    pub(super) regions: Regions,
    /// A note that belongs to the text around it.
    pub(super) note: bool,
}

/// Bytes of a value that are looked at.
const MAX_VALUE: usize = 256;
/// Names of the element that holds the content, in common site generators.
const CONTENT: [&str; 22] = [
    "content",
    "main",
    "main-content",
    "maincontent",
    "content-main",
    "page-content",
    "pagecontent",
    "mw-content-text",
    "bodycontent",
    "mw-parser-output",
    "entry-content",
    "post-content",
    "post-body",
    "article-content",
    "article-body",
    "articlebody",
    "article__body",
    "markdown-body",
    "theme-doc-markdown",
    "md-content",
    "rst-content",
    "story-body",
];
/// Names that are boilerplate as a whole, though their words are not.
const BOILERPLATE: [&str; 6] = ["header", "site-header", "siteheader", "widget", "widget-area", "signature"];
/// Names of what is not seen, or not part of the text it stands in.
const HIDDEN: [&str; 5] = ["sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "mw-editsection"];

/// What the value of a `class` or `id` attribute says.
pub(super) fn of(value: &str) -> Hint {
    let mut hint = Hint::default();
    for name in crate::extract::cut(value, MAX_VALUE).split_ascii_whitespace() {
        let is = |known: &&str| name.eq_ignore_ascii_case(known);
        let words = Words::of(name);
        hint.note |= words.note;
        hint.regions = hint.regions.with(if CONTENT.iter().any(&is) {
            Regions::CONTENT_HINT
        } else if (words.boilerplate && !words.layout) || BOILERPLATE.iter().any(&is) {
            Regions::BOILERPLATE_HINT
        } else if HIDDEN.iter().any(&is) {
            Regions::HIDDEN
        } else {
            Regions::NONE
        });
    }
    hint
}

/// What the words of one name say.
#[derive(Default)]
struct Words {
    boilerplate: bool,
    /// The name speaks of the page around a menu rather than of the menu: `has-sidebar`.
    layout: bool,
    note: bool,
}

impl Words {
    /// Looks at the words of a name: parts between signs, digits and changes to upper case.
    fn of(name: &str) -> Words {
        let mut words = Words::default();
        let mut word = [0; 16];
        let mut length = 0;
        let mut after_lower = false;
        for byte in name.bytes() {
            let letter = byte.is_ascii_alphabetic();
            if !letter || (byte.is_ascii_uppercase() && after_lower) {
                words.take(word.get(..length).unwrap_or_default());
                length = 0;
            }
            if letter {
                if let Some(place) = word.get_mut(length) {
                    *place = byte.to_ascii_lowercase();
                }
                length += 1;
            }
            after_lower = byte.is_ascii_lowercase();
        }
        words.take(word.get(..length).unwrap_or_default());
        words
    }

    fn take(&mut self, word: &[u8]) {
        match word {
            b"nav" | b"navbar" | b"navi" | b"navigation" | b"subnav" | b"sitenav" | b"topnav" | b"menu"
            | b"menubar" | b"submenu" | b"dropdown" | b"sidebar" | b"sidenav" | b"sphinxsidebar" | b"rail"
            | b"cookie" | b"cookies" | b"cookiebar" | b"consent" | b"gdpr" | b"ccpa" | b"footer" | b"colophon"
            | b"breadcrumb" | b"breadcrumbs" | b"crumbs" | b"pagination" | b"pager" | b"paginator" | b"toolbar"
            | b"topbar" | b"masthead" | b"related" | b"recommended" | b"recommendations" | b"trending" | b"popular"
            | b"share" | b"sharing" | b"social" | b"socials" | b"addthis" | b"ad" | b"ads" | b"advert" | b"adverts"
            | b"advertisement" | b"advertising" | b"adsbygoogle" | b"adslot" | b"banner" | b"sponsor"
            | b"sponsored" | b"promo" | b"promotion" | b"teaser" | b"taboola" | b"outbrain" | b"popup" | b"modal"
            | b"overlay" | b"newsletter" | b"subscribe" | b"signup" | b"login" | b"copyright" | b"skip"
            | b"skiplink" | b"printfooter" | b"catlinks" | b"navbox" | b"toc" => self.boilerplate = true,
            b"has" | b"with" | b"no" | b"without" | b"layout" | b"open" => self.layout = true,
            b"note" | b"tip" | b"warning" | b"caution" | b"admonition" | b"callout" | b"important" => self.note = true,
            _ => {}
        }
    }
}
