use freshness::{HostId, PageId};

use super::Errand;

/// What to do now.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// This.
    Task(Task),
    /// Nothing before this time, unless something is finished or found.
    Wait(f64),
    /// Nothing until something is finished or found.
    Idle,
}

/// Something to fetch.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// A page.
    Page {
        /// Which.
        page: PageId,
        /// Its host.
        host: HostId,
        /// What decided.
        why: Why,
    },
    /// Something else from a host.
    Errand {
        /// The host.
        host: HostId,
        /// What.
        errand: Errand,
    },
}

/// Why a page is visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was queued: it is new, it failed before, or someone asked for it.
    Queued,
    /// Its last visit is longer ago than the longest time allowed.
    Overdue,
    /// The reserve: no page has waited longer.
    Reserve,
    /// Its visit is worth most.
    Index,
}

/// What a visit means for the page's next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// The first copy.
    First,
    /// As before.
    Unchanged,
    /// Changed since the visit before, last at this time if the server says so and is believed.
    Changed {
        /// When it last changed.
        last_modified: Option<f64>,
    },
    /// Nothing was learned; to be tried again at this time.
    Later(f64),
    /// Not to be visited again unless someone asks.
    Never,
}
