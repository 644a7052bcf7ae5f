//! From seeds to documents: which page may be fetched now, the robots that fetch it, and what is found in the answer.
//!
//! Everything that comes from a server is hostile input: limits on size, depth and time, errors instead of panics.

pub mod address;
pub mod date;
pub mod directives;
pub mod examine;
pub mod extract;
pub mod feed;
pub mod fetch;
pub mod fingerprint;
pub mod fleet;
pub mod frontier;
mod markup;
pub mod robots_txt;
pub mod sanitise;
pub mod scope;
pub mod sitemap;
pub mod trap;
pub mod verdict;
