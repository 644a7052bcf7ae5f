//! A web on loopback that changes as it is told to, and knows how fresh any crawler's copy of it is.
//!
//! [`World`] says which pages there are, when each changes and what each says: pure, without a clock, the same for the
//! same [`Settings`]. [`serve`] plays it over HTTP, one port a host. The server knows which version of every page it gave
//! last, so that [`Handle::truth`] measures the true stale cost of whoever crawls it, beside the least that is possible at
//! the same number of fetches.
//!
//! ```
//! use livingweb::{Clock, Options, Settings, World, serve};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let world = World::new(&Settings { pages: 20, hosts: 2, ..Settings::default() })?;
//! let living = serve(world, Clock::starting_now(), Options::default()).await?;
//! assert_eq!(living.seeds().len(), 2);
//! // Nobody has fetched anything yet.
//! assert_eq!(living.truth().stale_now.all.weighted, Some(1.0));
//! living.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! | question | where |
//! |---|---|
//! | which web is wanted? | [`Settings`] |
//! | which pages are there, when do they change? | [`World`], [`Cursor`] |
//! | how do servers behave? | [`Options`], [`Faults`], [`Lastmod`] |
//! | how fresh is the copy, how fresh could it be? | [`Truth`], [`Expected`] |

mod clock;
mod date;
mod etag;
mod prose;
mod random;
mod server;
mod settings;
mod site;
mod truth;
mod world;

pub use clock::Clock;
pub use server::{Faults, Handle, Options, ServeError, serve};
pub use settings::{
    Changes, Life, MOST_HOSTS, MOST_PAGES, MOST_RATE, RateLaw, Replacement, Settings, SettingsError, Weights,
};
pub use site::Lastmod;
pub use truth::{CopyReport, Expected, Fractions, HostTruth, PageTruth, Period, Share, Stale, Truth};
pub use world::{Cursor, Page, PageNumber, World};
