//! What other processes want of the engine.

use crate::Timestamp;

/// What a command in the inbox wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// Take the page up, or visit it soon.
    Add,
    /// Forget the page.
    Remove,
    /// Crawl the site of the page, beginning there. A site that was paused or removed is taken up again.
    AddSite,
    /// Ask nothing of the site of the address for now.
    Pause,
    /// Go on with the site of the address.
    Resume,
    /// Forget all pages of the site of the address, and take up no more of them.
    RemoveSite,
    /// Pages whose addresses match the pattern matter this much; none: what is learned.
    Weight(Option<f32>),
    /// Seconds between requests to the site of the address; none: as for all sites. What `robots.txt` asks for holds anyway.
    Delay(Option<f64>),
    /// Most pages of the site of the address; none: as for all sites.
    MostPages(Option<u32>),
}

impl Wish {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
            Self::AddSite => "add site",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::RemoveSite => "remove site",
            Self::Weight(_) => "weight",
            Self::Delay(_) => "delay",
            Self::MostPages(_) => "most pages",
        }
    }

    /// The number that belongs to it.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Weight(weight) => weight.map(f64::from),
            Self::Delay(seconds) => seconds,
            Self::MostPages(pages) => pages.map(f64::from),
            _ => None,
        }
    }

    /// From word and number; none if the word is not known.
    #[must_use]
    pub fn from_parts(name: &str, value: Option<f64>) -> Option<Self> {
        let value = value.filter(|value| value.is_finite() && *value >= 0.0);
        let plain = [Self::Add, Self::Remove, Self::AddSite, Self::Pause, Self::Resume, Self::RemoveSite];
        let valued = || {
            let pages = value.map(|pages| pages as u32);
            [Self::Weight(value.map(|weight| weight as f32)), Self::Delay(value), Self::MostPages(pages)]
        };
        plain.into_iter().chain(valued()).find(|wish| wish.name() == name)
    }
}

/// A command that another process has left for the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its number.
    pub id: u64,
    /// When it was given.
    pub at: Timestamp,
    /// What it wants.
    pub wish: Wish,
    /// Of this page, of the site of this page, or of the pages that match this pattern.
    pub url: String,
}
