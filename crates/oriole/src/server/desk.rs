//! What all pages are made from: the data folder, the index, the configuration, and the engine if it runs here.

mod asks;
mod searchers;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crawl::fleet::Message;
use index::Searcher;
use serde_json::Value;
use store::{AskKind, DataFolder, PageId};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;

use super::access::Gate;
use super::websub::Subscriptions;
use super::{Problem, Visitor};
use crate::config::Config;
use crate::engine::{Controls, StatusBoard};
use asks::Asks;
use searchers::Searchers;

/// Requests that read at the same time: more would only wait for the same processors and disks.
const READERS: usize = 16;

/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// How old the status that is shared may be.
const STATUS_AGE: Duration = Duration::from_secs(2);

/// The engine that runs in this process.
pub struct Engine {
    /// What it says about itself.
    pub board: Arc<StatusBoard>,
    /// Takes messages to its fleet.
    pub fleet: UnboundedSender<Message>,
    /// Its settings.
    pub controls: Arc<Controls>,
}

/// What all handlers share.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    config: Config,
    engine: Option<Engine>,
    gate: Gate,
    /// Open data folders that nobody reads now.
    folders: Mutex<Vec<(Identity, DataFolder)>>,
    searchers: Arc<Searchers>,
    asks: Asks,
    subscriptions: Subscriptions,
    places: Arc<Semaphore>,
    /// What the folder says of itself, for a moment: reading it takes the longer the more pages there are.
    status: tokio::sync::Mutex<Option<(Instant, Value)>>,
}

/// What one request reads.
pub struct Shelf {
    /// Catalogue and archive.
    pub folder: DataFolder,
    identity: Identity,
    searchers: Arc<Searchers>,
}

impl Shelf {
    /// Searches the newest commit; none if nothing has been indexed yet.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn searcher(&self) -> Result<Option<Arc<Searcher>>, Problem> {
        self.searchers.newest()
    }
}

impl Desk {
    /// The desk of a server that listens at `address`. It must be made where tasks can be started.
    ///
    /// # Errors
    /// If the data folder cannot be opened.
    pub fn new(config: Config, address: SocketAddr, engine: Option<Engine>) -> anyhow::Result<Self> {
        let folder = DataFolder::read(&config.data).map_err(crate::failure::opening_folder)?;
        let searchers = Arc::new(Searchers::new(folder.index_path()));
        let gate = Gate::new(&config.server, address)?;
        let asks = Asks::collect(config.data.clone());
        let (folders, places) = (Mutex::new(vec![(identity(&config.data), folder)]), Arc::new(Semaphore::new(READERS)));
        Ok(Self(Arc::new(Inner {
            config,
            engine,
            gate,
            folders,
            searchers,
            asks,
            subscriptions: Subscriptions::default(),
            places,
            status: tokio::sync::Mutex::default(),
        })))
    }

    /// The configuration as it was at the start.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The engine, if it runs in this process.
    #[must_use]
    pub fn engine(&self) -> Option<&Engine> {
        self.0.engine.as_ref()
    }

    pub(super) fn subscriptions(&self) -> &Subscriptions {
        &self.0.subscriptions
    }

    pub(super) fn gate(&self) -> &Gate {
        &self.0.gate
    }

    /// Notes that a reader was shown these pages, or chose them. It is written down a little later, for many at a time; once a day
    /// for a page.
    pub(super) fn note_asks(&self, reader: &Visitor, kind: AskKind, pages: Vec<PageId>) {
        self.0.asks.note(reader.address, kind, pages);
    }

    /// Does work that takes a while on a thread of its own, with catalogue, archive and index at hand.
    ///
    /// # Errors
    /// What the work says; otherwise if too many wait or the data folder cannot be opened.
    pub async fn read<T, W>(&self, work: W) -> Result<T, Problem>
    where
        T: Send + 'static,
        W: FnOnce(&Shelf) -> Result<T, Problem> + Send + 'static,
    {
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.0.places).acquire_owned()).await;
        let Ok(Ok(place)) = turn else { return Err(Problem::busy()) };
        let desk = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            let shelf = desk.shelf()?;
            let result = work(&shelf);
            desk.folders().push((shelf.identity, shelf.folder));
            result
        });
        done.await
            .unwrap_or_else(|_| Err(Problem::failed("the data cannot be read; `oriole check` says what is damaged")))
    }

    /// The status as this reads it. All who ask within two seconds, as those who listen do, are given the same.
    ///
    /// # Errors
    /// As for [`Desk::read`].
    pub(super) async fn shared_status(&self, read: fn(&Shelf) -> Result<Value, Problem>) -> Result<Value, Problem> {
        let mut status = self.0.status.lock().await;
        if let Some((_, said)) = status.as_ref().filter(|(at, _)| at.elapsed() < STATUS_AGE) {
            return Ok(said.clone());
        }
        let said = self.read(read).await?;
        *status = Some((Instant::now(), said.clone()));
        Ok(said)
    }

    fn shelf(&self) -> Result<Shelf, Problem> {
        let (identity, data) = (identity(&self.0.config.data), &self.0.config.data);
        let mut folders = self.folders();
        // A folder that was moved away is no longer the one that is served.
        folders.retain(|(opened, _)| *opened == identity);
        let open = folders.pop();
        drop(folders);
        let folder = open.map_or_else(|| DataFolder::read(data), |(_, folder)| Ok(folder))?;
        Ok(Shelf { identity, folder, searchers: Arc::clone(&self.0.searchers) })
    }

    fn folders(&self) -> std::sync::MutexGuard<'_, Vec<(Identity, DataFolder)>> {
        self.0.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Device, number and, where the system says, time of birth of a folder; none if there is none. Numbers are given again.
type Identity = Option<(u64, u64, Option<SystemTime>)>;

/// What tells a folder from another that took its place.
fn identity(data: &Path) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(data).ok().map(|found| (found.dev(), found.ino(), found.created().ok()))
}
