//! What the fleet is told, and what it tells whoever keeps things.

use std::time::Instant;

use store::{Ask, Demand, Document, Encoded, Host, HostId, NewPage, PageChange, PageId, RobotsTxt, Timestamp, Wish};
use tokio::sync::oneshot;

use super::robot::Report;
use super::steering::Steering;
use super::survey::{HostQuery, HostSurvey, Survey, Upcoming};
use crate::frontier::Finding;

/// A document on its way to the index, with all that must be remembered of the visit that found it.
#[derive(Debug)]
pub struct Delivery {
    /// The document.
    pub document: Document,
    /// What the visit changes in the catalogue.
    pub visit: Visited,
}

/// A visit that is over but for being remembered.
#[derive(Debug)]
pub struct Visited {
    /// New values of the page.
    pub change: PageChange,
    /// What the archive keeps of it.
    pub record: Option<Encoded>,
    /// Whether it is the full copy to which later records refer.
    pub is_copy: bool,
    /// What it means for the next visit.
    pub finding: Finding,
    /// Whether the index must forget the page.
    pub remove: bool,
}

/// A feed that announces its changes through a hub (WebSub).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    /// The address of the hub.
    pub hub: String,
    /// The address of the feed by which the hub knows it.
    pub topic: String,
}

/// Something to be remembered that is not a document.
#[derive(Debug)]
pub enum Record {
    /// Pages found. Always sent before anything that refers to them.
    New(Vec<NewPage>),
    /// A visit without a document.
    Visit(Box<Visited>),
    /// A host that is new or has changed.
    Host(Host),
    /// What a host allows.
    RobotsTxt(RobotsTxt),
    /// Pages of which links or readers say something else than before: links to them, and what they matter.
    Links(Vec<(PageId, u32, f32)>),
    /// How often readers have asked for pages, and the last ask that is counted in it.
    Demand {
        /// Pages that were asked for.
        demand: Vec<Demand>,
        /// The last ask.
        counted: u64,
    },
    /// A command that was carried out.
    Command(u64),
    /// Something else to remember, by name.
    Note(String, String),
}

/// What the fleet is told.
#[derive(Debug)]
pub enum Message {
    /// These visits are remembered, and all pages below this number.
    Kept {
        /// Page, time of the visit, and what it means.
        visits: Vec<(PageId, Timestamp, Finding)>,
        /// Pages in the catalogue.
        pages: u32,
    },
    /// This document left the buffer unread.
    Returned(Box<Delivery>),
    /// Someone wants something of a page.
    Command {
        /// Its number.
        id: u64,
        /// What is wanted.
        wish: Wish,
        /// Of which page.
        url: String,
    },
    /// Readers have asked for pages.
    Asked(Vec<Ask>),
    /// Someone says that the pages at these addresses have changed.
    Pinged(Vec<String>),
    /// A hub says that the pages at these addresses have changed. Anybody may run one.
    Announced(Vec<String>),
    /// Something to be noted in the catalogue, by name.
    Remember(String, String),
    /// The budget, in requests per second, is another one.
    Budget(Option<f64>),
    /// There is room in the buffer again.
    Room,
    /// How many robots there are is decided otherwise from now on.
    Steer(Steering),
    /// Seconds between requests to a host, and requests to it at a time, are others.
    Manners(f64, u32),
    /// The shortest and the longest time between two visits to a page, in seconds, are others.
    Revisit(f64, f64),
    /// Someone wants to know how things stand.
    Survey(oneshot::Sender<Survey>),
    /// Someone wants to know how things stand with hosts: how many are asked for, and some of them.
    Hosts(HostQuery, oneshot::Sender<(usize, Vec<HostSurvey>)>),
    /// Someone wants to know which pages are visited next, at most so many.
    Next(usize, oneshot::Sender<Vec<Upcoming>>),
    /// A robot has its answer: the host is free.
    Left(HostId),
    /// A robot is back that was sent out at this time.
    Back(Box<Report>, Instant),
    /// Start nothing new; end when all robots are back.
    Stop,
}
