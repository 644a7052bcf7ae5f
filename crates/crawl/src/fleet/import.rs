//! Answers that were fetched elsewhere.

use std::collections::BTreeSet;

use store::{HostId, PageId, Timestamp};

use super::robot::{Lease, Order, What, examined};
use super::state::State;
use super::{Delivery, Record, freshness_page};
use crate::address::PageUrl;
use crate::examine::FoundLink;
use crate::fetch::Answer;

/// What became of an answer that was fetched elsewhere.
pub enum Imported {
    /// It is as if a robot had brought it.
    Taken {
        /// The page.
        page: PageId,
        /// What must be remembered.
        records: Vec<Record>,
        /// The document, if there is one to be indexed.
        delivery: Option<Box<Delivery>>,
    },
    /// The page was visited later than that.
    Older,
    /// There is no room for the page: its site has as many as it may have.
    Refused,
}

impl State {
    /// Takes in an answer as if a robot had brought it at that time. The page need not be known. What was taken in before
    /// of the same page must be remembered by now: [`State::kept`].
    pub fn import(&mut self, url: &PageUrl, answer: Answer, at: Timestamp) -> Imported {
        let link = FoundLink { key: url.key(self.examiner.seed), url: url.clone() };
        let key = link.key;
        let mut records = self.meet(&[link], None, 0, at);
        let known = self.frontier.find(key).map(|page| PageId(page.0));
        let (Some(page), Some(host)) = (known, self.host_id(url)) else { return Imported::Refused };
        let Some((url, standing, values)) = self.known_of(page) else { return Imported::Refused };
        if values.checked_at.is_some_and(|checked| checked >= at) {
            return Imported::Older;
        }
        let (depth, links_in, archive) = (standing.depth, standing.links_in, self.settings.archive);
        let lease = Box::new(Lease { page, depth, links_in, values, archive, conditional: false });
        let order = Order { host, url, what: What::Page(lease), examiner: self.examiner.clone() };
        // As if a robot were out for it: what is learned from the time between visits needs both.
        self.frontier.lend(freshness_page(page));
        let (more, delivery) = self.judge(examined(order, Ok(answer), 0, at), at);
        records.extend(more);
        let hosts = self.grown(&records);
        records.extend(hosts);
        Imported::Taken { page, records, delivery: delivery.map(Box::new) }
    }

    /// Hosts that have more pages than before.
    fn grown(&self, records: &[Record]) -> Vec<Record> {
        let pages = |record: &Record| match record {
            Record::New(pages) => pages.iter().map(|page| page.host).collect(),
            _ => Vec::new(),
        };
        let hosts: BTreeSet<HostId> = records.iter().flat_map(pages).collect();
        hosts.into_iter().map(|host| Record::Host(self.host_record(host))).collect()
    }
}
