use freshness::HostId;
use freshness::learn::Evidence;

/// What the catalogue remembers of a page that decides about its next visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remembered {
    /// Its key: a hash of its address.
    pub key: u64,
    /// Its host.
    pub host: HostId,
    /// The section of its host, by number.
    pub section: u16,
    /// What it matters.
    pub weight: f32,
    /// What is known of its change rate.
    pub evidence: Evidence,
    /// Where it was.
    pub place: Remaining,
}

/// Where a page was when the catalogue last heard of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remaining {
    /// Never fetched, or to be fetched at once.
    Queued,
    /// Fetched, last at this time.
    Fetched(f64),
    /// To be tried again at a time; fetched before at the other, if it was.
    Later(f64, Option<f64>),
    /// Not to be visited again.
    Never,
}
