//! Which part of the page a text stands in: main content, menu, footer, something hidden.

use super::hints;
use super::tag::{TAGS, Tag};
use crate::markup::Scanner;

/// The roles of the parts of a page that a text stands in, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::extract) struct Regions(u8);

impl Regions {
    /// No part in particular.
    pub(in crate::extract) const NONE: Self = Self(0);
    /// `<main>` or its role.
    pub(in crate::extract) const MAIN: Self = Self(1);
    /// `<article>` or its role.
    pub(in crate::extract) const ARTICLE: Self = Self(2);
    /// A class or id that names the content.
    pub(in crate::extract) const CONTENT_HINT: Self = Self(4);
    /// `<nav>`, `<aside>`, `<footer>`, a header of the page, or such a role.
    pub(in crate::extract) const BOILERPLATE: Self = Self(8);
    /// A class or id that names a menu, footer, advertisement and the like.
    pub(in crate::extract) const BOILERPLATE_HINT: Self = Self(16);
    /// Not shown by a browser with scripts.
    pub(in crate::extract) const HIDDEN: Self = Self(32);
    /// Never text of the page: labels, buttons, lists to choose from, hidden pieces of running text.
    pub(in crate::extract) const SKIPPED: Self = Self(64);

    /// Both sets together.
    pub(in crate::extract) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Without what a part inherits from a wrapper that looks like boilerplate.
    const fn without_boilerplate(self) -> Self {
        Self(self.0 & !(Self::BOILERPLATE.0 | Self::BOILERPLATE_HINT.0))
    }

    /// Whether the sets have a role in common.
    pub(in crate::extract) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether this set has all the roles of the other.
    pub(in crate::extract) const fn covers(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Parts within parts that are followed; deeper ones count as their parent.
const MAX_NESTED: usize = 64;

struct Open {
    tag: Tag,
    /// How many elements of this tag were open with this one.
    level: u32,
    /// The roles of this part and of all around it.
    regions: Regions,
}

/// The parts of the page that are open now.
///
/// There is no stack of all elements: how many elements of each tag are open is enough to see which end tag ends a part,
/// so the work per tag does not depend on the depth of the page.
pub(super) struct OpenRegions {
    open: Vec<Open>,
    levels: [u32; TAGS],
}

impl OpenRegions {
    pub(super) fn new() -> Self {
        Self { open: Vec::new(), levels: [0; TAGS] }
    }

    /// The roles of the place reached.
    pub(super) fn now(&self) -> Regions {
        self.open.last().map_or(Regions::NONE, |open| open.regions)
    }

    pub(super) fn enter(&mut self, tag: Tag, scanner: &Scanner) {
        if !tag.holds_region() || scanner.self_closing() && tag == Tag::Svg {
            return;
        }
        let level = &mut self.levels[tag as usize];
        *level = level.saturating_add(1);
        let level = *level;
        let around = self.now();
        let own = roles(tag, around, scanner);
        // Main content is no menu, even if a wrapper around both is called one.
        let around_it = if own.meets(Regions::MAIN) { around.without_boilerplate() } else { around };
        let regions = own.with(around_it);
        if regions != around && self.open.len() < MAX_NESTED {
            self.open.push(Open { tag, level, regions });
        }
    }

    pub(super) fn leave(&mut self, tag: Tag) {
        if !tag.holds_region() {
            return;
        }
        let level = &mut self.levels[tag as usize];
        if let Some(place) = self.open.iter().rposition(|open| open.tag == tag && open.level >= *level) {
            // Parts inside that were never closed end as well.
            self.open.truncate(place);
        }
        *level = level.saturating_sub(1);
    }
}

/// The roles that a start tag gives to its element.
fn roles(tag: Tag, around: Regions, scanner: &Scanner) -> Regions {
    let mut regions = match tag {
        Tag::Main => Regions::MAIN,
        Tag::Article => Regions::ARTICLE,
        Tag::Nav | Tag::Footer | Tag::Dialog => Regions::BOILERPLATE,
        // The header of an article holds its title.
        Tag::Header if !around.meets(Regions::MAIN.with(Regions::ARTICLE)) => Regions::BOILERPLATE,
        Tag::Button | Tag::Label | Tag::Select | Tag::Template | Tag::Svg => Regions::SKIPPED,
        Tag::Noscript => Regions::HIDDEN,
        _ => Regions::NONE,
    };
    let mut note = false;
    for (name, value) in scanner.attributes() {
        if name.eq_ignore_ascii_case("class") || name.eq_ignore_ascii_case("id") {
            let hint = hints::of(value);
            note |= hint.note;
            regions = regions.with(hint.regions);
        } else {
            regions = regions.with(attribute_role(name, value));
        }
    }
    if tag == Tag::Aside && !(note && around.meets(Regions::MAIN.with(Regions::ARTICLE))) {
        regions = regions.with(Regions::BOILERPLATE);
    }
    if tag == Tag::Span {
        // A piece of running text is shown or not; it has no other role.
        return if regions.meets(Regions::HIDDEN) { Regions::SKIPPED } else { Regions::NONE };
    }
    regions
}

fn attribute_role(name: &str, value: &str) -> Regions {
    match name.len() {
        4 if name.eq_ignore_ascii_case("role") => role(value),
        6 if name.eq_ignore_ascii_case("hidden") && !value.eq_ignore_ascii_case("until-found") => Regions::HIDDEN,
        11 if name.eq_ignore_ascii_case("aria-hidden") && value.eq_ignore_ascii_case("true") => Regions::HIDDEN,
        5 if name.eq_ignore_ascii_case("style") && hides(value) => Regions::HIDDEN,
        _ => Regions::NONE,
    }
}

fn role(value: &str) -> Regions {
    match value.trim().to_ascii_lowercase().as_str() {
        "main" => Regions::MAIN,
        "article" => Regions::ARTICLE,
        "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "menu" | "menubar" | "toolbar"
        | "dialog" | "alertdialog" | "directory" => Regions::BOILERPLATE,
        "button" => Regions::SKIPPED,
        _ => Regions::NONE,
    }
}

/// `display: none` or `visibility: hidden` in a style attribute.
fn hides(style: &str) -> bool {
    let value_of = |property: &str| {
        let at = style.find(property)?;
        style[at + property.len()..].trim_start().strip_prefix(':').map(str::trim_start)
    };
    value_of("display").is_some_and(|value| value.starts_with("none"))
        || value_of("visibility").is_some_and(|value| value.starts_with("hidden"))
}
