//! The newest commit of the index.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use index::{SearchError, Searcher};

use crate::server::Problem;

/// After so long it is looked whether there is something newer, beside those who search.
const LOOK: Duration = Duration::from_secs(1);

/// After so long whoever searches waits for it.
const OLD: Duration = Duration::from_secs(5);

/// Opens the index when it is first needed and follows its commits.
pub(super) struct Searchers {
    path: PathBuf,
    shown: RwLock<Option<Arc<Searcher>>>,
    looked: Mutex<Looked>,
}

#[derive(Default)]
struct Looked {
    at: Option<Instant>,
    /// The last commit that is shown.
    batch: Option<u64>,
}

impl Searchers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, shown: RwLock::default(), looked: Mutex::default() }
    }

    /// Searches the newest commit, or one that was the newest a moment ago; none if there is no index.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(super) fn newest(self: &Arc<Self>) -> Result<Option<Arc<Searcher>>, Problem> {
        let age = self.looked.try_lock().ok().and_then(|looked| looked.at).map(|at| at.elapsed());
        if let (Some(shown), Some(age)) = (self.shown(), age)
            && age < OLD
        {
            if age >= LOOK {
                self.look_aside();
            }
            return Ok(Some(shown));
        }
        self.looked_at()
    }

    /// Looks for something newer while others search what is shown.
    fn look_aside(self: &Arc<Self>) {
        let searchers = Arc::clone(self);
        let look = move || {
            if searchers.looked_at().is_err() {
                // Who comes next is told why.
                searchers.looked.lock().unwrap_or_else(PoisonError::into_inner).at = None;
            }
        };
        // Where there is no thread for it, someone will wait for it.
        _ = thread::Builder::new().name("newest".to_owned()).spawn(look);
    }

    fn looked_at(&self) -> Result<Option<Arc<Searcher>>, Problem> {
        // One looks; the others search what is shown meanwhile.
        let looked = match self.shown() {
            Some(shown) => match self.looked.try_lock() {
                Ok(looked) => looked,
                Err(_) => return Ok(Some(shown)),
            },
            None => self.looked.lock().unwrap_or_else(PoisonError::into_inner),
        };
        self.look(looked)?;
        Ok(self.shown())
    }

    fn look(&self, mut looked: std::sync::MutexGuard<'_, Looked>) -> Result<(), Problem> {
        if looked.at.is_some_and(|at| at.elapsed() < LOOK) {
            return Ok(());
        }
        looked.at = Some(Instant::now());
        let current = self.shown().and_then(|shown| Some((shown.committed().ok()?, shown)));
        let reloaded = match current {
            Some((batch, _)) if batch == looked.batch => return Ok(()),
            Some((batch, shown)) => shown.reload().is_ok().then_some(batch),
            None => None,
        };
        if let Some(batch) = reloaded {
            looked.batch = batch;
            return Ok(());
        }
        // There was none yet, or it has been made anew.
        let opened = match Searcher::open(&self.path) {
            Ok(searcher) => Some(Arc::new(searcher)),
            Err(SearchError::NoIndex(_)) => None,
            Err(error) => {
                // Whoever comes next must not take it for an index in which there is nothing.
                if self.shown().is_none() {
                    looked.at = None;
                }
                return Err(error.into());
            }
        };
        looked.batch = opened.as_ref().and_then(|searcher| searcher.committed().ok()?);
        *self.shown.write().unwrap_or_else(PoisonError::into_inner) = opened;
        Ok(())
    }

    fn shown(&self) -> Option<Arc<Searcher>> {
        self.shown.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
