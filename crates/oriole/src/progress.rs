//! Progress on standard error, only for what takes over a second, and but for a note only on a terminal.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::note;

/// Nothing is shown for work that ends sooner.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two looks at the counter.
const TICK: Duration = Duration::from_millis(100);

/// What a bar counts.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// Bytes of an input of known length.
    Bytes(u64),
    /// Anything else of known number.
    Items(u64),
    /// It is not known how much there is to do.
    Unknown,
}

/// A piece of work under way. Dropping it takes the bar away.
#[derive(Debug)]
pub struct Progress {
    done: Arc<AtomicU64>,
    watcher: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts watching a piece of work.
    #[must_use]
    pub fn start(message: impl Into<String>, count: Count) -> Self {
        let done = Arc::new(AtomicU64::new(0));
        let watcher = std::io::stderr().is_terminal().then(|| {
            let (stop, stopped) = mpsc::channel();
            let (message, done) = (message.into(), Arc::clone(&done));
            (stop, thread::spawn(move || watch(&stopped, message, count, &done)))
        });
        Self { done, watcher }
    }

    /// Starts watching what takes long: without a terminal a note says so, once.
    #[must_use]
    pub fn announced(message: impl Into<String>) -> Self {
        if std::io::stderr().is_terminal() {
            return Self::start(message, Count::Unknown);
        }
        let (stop, stopped) = mpsc::channel::<()>();
        let message = message.into();
        let tell = move || {
            if stopped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                note(message);
            }
        };
        Self { done: Arc::default(), watcher: Some((stop, thread::spawn(tell))) }
    }

    /// Says that `more` has been done.
    pub fn add(&self, more: u64) {
        self.done.fetch_add(more, Ordering::Relaxed);
    }

    /// The counter itself, for work that is done elsewhere.
    #[must_use]
    pub fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.done)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, watcher)) = self.watcher.take() {
            drop(stop);
            // A watcher that panicked has only cost the bar.
            let _ = watcher.join();
        }
    }
}

/// Runs `work` with a spinner.
pub fn while_doing<T>(message: impl Into<String>, work: impl FnOnce() -> T) -> T {
    let _progress = Progress::start(message, Count::Unknown);
    work()
}

fn watch(stopped: &mpsc::Receiver<()>, message: String, count: Count, done: &AtomicU64) {
    if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = bar(count).with_message(message);
    while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        bar.set_position(done.load(Ordering::Relaxed));
        bar.tick();
    }
    bar.finish_and_clear();
}

fn bar(count: Count) -> ProgressBar {
    let (bar, template) = match count {
        Count::Bytes(length) => {
            (ProgressBar::new(length), "{msg} [{bar:30}] {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}")
        }
        Count::Items(length) => (ProgressBar::new(length), "{msg} [{bar:30}] {human_pos}/{human_len} {eta}"),
        Count::Unknown => (ProgressBar::new_spinner(), "{msg} {spinner} {elapsed}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}
