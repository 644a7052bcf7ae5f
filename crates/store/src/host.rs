use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A host, by its number in the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostId(pub u32);

/// A host and how it is to be treated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Its number.
    pub id: HostId,
    /// `scheme://host`, with the port if it is not the usual one.
    pub name: String,
    /// Seconds between two requests.
    pub delay: f64,
    /// Requests that failed since the last that did not.
    pub failures: u32,
    /// Not to be visited before.
    pub blocked_until: Option<Timestamp>,
    /// Pages known on it.
    pub pages: u32,
    /// What has been learned about it, as JSON: prior of the change rates, trust in signals.
    pub learned: Option<String>,
}

/// What a host says in `/robots.txt`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsTxt {
    /// The host.
    pub host: HostId,
    /// HTTP status; none if there was no answer.
    pub status: Option<u16>,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// The text.
    pub body: String,
}
