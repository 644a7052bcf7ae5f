//! What a policy hears of the simulated web beside the outcome of its accesses.

use freshness::{HostId, PageId, Policy};

use crate::page::Page;

/// A policy with ears: it learns of pages, of notices of change and of hosts that must be left alone.
///
/// Every page is made known once, those of the start first. The simulator never calls [`Policy::draw`] for a page it has
/// not made known, and a policy never hands out a page of a host that is closed.
pub trait Scheduler: Policy {
    /// Makes a page known. A copy of it was taken at `last_access`, or there is none yet.
    ///
    /// A policy that must learn rates leaves `page.change_rate` unread.
    fn discover(&mut self, id: PageId, page: &Page, now: f64, last_access: Option<f64>);

    /// A notice that the page has changed, right or wrong.
    fn signal(&mut self, _page: PageId, _now: f64) {}

    /// No page of the host may be drawn before `until`, which is infinite while a robot is there.
    fn close_host(&mut self, host: HostId, until: f64);

    /// After [`Policy::draw`] gave nothing: when to ask again, if something will be free by then.
    fn next_opening(&self) -> Option<f64>;
}
