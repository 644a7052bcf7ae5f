//! A page of the simulated web.

use freshness::HostId;

/// A page: how often it changes, what it is worth, where and when it is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// `mu`, mean number of changes per day.
    pub change_rate: f64,
    /// `c`, the cost of its copy being out of date.
    pub weight: f64,
    /// The host that serves it.
    pub host: HostId,
    /// When it appears. At 0 there is a current copy of it from the start; later ones have none until first accessed.
    pub from: f64,
    /// When it is dropped from the web.
    pub until: f64,
}

impl Page {
    /// A page on host 0 that is there from beginning to end.
    #[must_use]
    pub fn new(change_rate: f64, weight: f64) -> Self {
        Self { change_rate, weight, host: HostId(0), from: 0.0, until: f64::INFINITY }
    }

    /// The same page on another host.
    #[must_use]
    pub fn on(self, host: HostId) -> Self {
        Self { host, ..self }
    }
}
