use serde::{Deserialize, Serialize};

use crate::{Demand, Host, Lengths, NewPage, PageId, RobotsTxt, Standing, Values, Visit};

/// Everything that became known since the last batch. It is written as a whole or not at all.
///
/// Archive, catalogue and index agree after a crash at any instant if the steps are taken in this order:
/// 1. the records of the visits are appended to the archive, [`Archive::sync`](crate::Archive::sync);
/// 2. [`Catalogue::prepare`](crate::Catalogue::prepare): the batch is kept in the journal;
/// 3. the index is committed, with the number of the batch;
/// 4. [`Catalogue::apply`](crate::Catalogue::apply): the batch is written and leaves the journal.
///
/// A batch that does not touch the index needs steps 1 and 4 only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Its number: greater than that of every batch before.
    pub number: u64,
    /// Pages found.
    pub new: Vec<NewPage>,
    /// Pages with new values, mostly because of a visit.
    pub pages: Vec<PageChange>,
    /// Pages of which links and readers say something else than before.
    pub standings: Vec<(PageId, Standing)>,
    /// Pages to which more links are known than before, how many, and what the page matters.
    pub links: Vec<(PageId, u32, f32)>,
    /// Pages that readers have asked for.
    pub demand: Vec<Demand>,
    /// The last of the asks that are counted in it.
    pub counted: Option<u64>,
    /// Hosts that are new or have changed.
    pub hosts: Vec<Host>,
    /// Files `/robots.txt` that have been fetched.
    pub robots_txt: Vec<RobotsTxt>,
    /// What the engine says about itself, as JSON.
    pub status: Option<String>,
    /// Commands of the inbox that have been carried out, by their number.
    pub commands: Vec<u64>,
    /// Other things to remember, by name, such as what has been learned about the whole.
    pub notes: Vec<(String, String)>,
    /// Lengths of the files of the archive, the records of this batch included.
    pub archive: Lengths,
}

/// New values of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageChange {
    /// The page.
    pub page: PageId,
    /// The visit that found them, if it was one.
    pub visit: Option<Visit>,
    /// The values.
    pub values: Values,
}
