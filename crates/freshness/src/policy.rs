//! What every refresh policy does, in the crawler and in the simulator alike: say which page comes next, and be told
//! what the access found.

/// A page, by its position in whatever holds the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId(pub u32);

/// A host, by its position in whatever holds the hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);

/// What an access found, compared with the copy held before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// There was no copy before: the first access to the page.
    First,
    /// The page is as it was at the access before.
    Unchanged,
    /// The page has changed since the access before.
    Changed {
        /// When it last changed, if the server says so and is believed.
        last_modified: Option<f64>,
    },
    /// The page is no longer there.
    Gone,
    /// The access failed and says nothing about the page.
    Failed,
}

/// A completed access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// The page that was accessed.
    pub page: PageId,
    /// When the access was completed.
    pub at: f64,
    /// What it found.
    pub outcome: Outcome,
}

/// Decides which page is accessed next.
///
/// Several robots may draw at once: [`Policy::draw`] hands a page out once, and it is not handed out again before its
/// visit has been [recorded](Policy::record). Times are in one unit, whatever it is, and never run backwards.
pub trait Policy {
    /// The page to access now, or `None` if no page may be accessed now.
    fn draw(&mut self, now: f64) -> Option<PageId>;

    /// Takes back a page handed out by [`Policy::draw`], with what the access found.
    fn record(&mut self, visit: Visit);
}
