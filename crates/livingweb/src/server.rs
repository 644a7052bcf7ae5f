//! Plays a [`World`] over HTTP/1.1 on loopback, one port a host, and one for whoever wants to know the truth.

mod admin;
mod answer;
mod body;
mod configuration;
mod connection;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use freshness::AccessTime;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::etag::Run;
use crate::settings::{SettingsError, require};
use crate::site::Lastmod;
use crate::truth::{CopyReport, Ledger, PageTruth, Truth};
use crate::world::{PageNumber, World};

/// How the servers behave.
#[derive(Clone, Debug)]
pub struct Options {
    /// Port of the first host; the others follow, and then the one for the truth. 0 for any that are free.
    pub port: u16,
    /// What sitemaps say about the last change of pages.
    pub lastmod: Lastmod,
    /// Whether there are feeds of the newest changes.
    pub feeds: bool,
    /// How long an answer takes, in seconds.
    pub latency: Option<AccessTime>,
    /// What goes wrong.
    pub faults: Faults,
    /// So many hosts, the first ones, ask for a delay between requests.
    pub slow_hosts: usize,
    /// The delay they ask for, in seconds.
    pub crawl_delay: f64,
}

impl Default for Options {
    /// Any ports, honest sitemaps, answers at once, nothing goes wrong.
    fn default() -> Self {
        Self {
            port: 0,
            lastmod: Lastmod::Honest,
            feeds: true,
            latency: None,
            faults: Faults::default(),
            slow_hosts: 0,
            crawl_delay: 1.0,
        }
    }
}

/// What goes wrong with requests for pages: shares of them, together at most 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Answered with status 500.
    pub error: f64,
    /// The connection is reset.
    pub reset: f64,
    /// The body takes three seconds.
    pub slow: f64,
}

/// Why the living web is not up.
#[derive(Debug, Error)]
pub enum ServeError {
    /// An option is wrong.
    #[error(transparent)]
    Option(#[from] SettingsError),
    /// There are not so many ports above the first one.
    #[error("there are no {needed} ports from {port} on; choose a lower port, or 0 for any")]
    Ports {
        /// The first port.
        port: u16,
        /// One for each host, and one more.
        needed: usize,
    },
    /// A port cannot be used.
    #[error("cannot listen on port {port}; choose another one, or 0 for any")]
    Listen {
        /// The port.
        port: u16,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// What all connections share.
struct State {
    world: Arc<World>,
    clock: Clock,
    run: Run,
    options: Options,
    /// `http://127.0.0.1:8001` of each host.
    origins: Vec<String>,
    ledger: Mutex<Ledger>,
    /// Requests so far, for their latencies.
    requests: AtomicU64,
}

impl State {
    /// The books, at the present time.
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.advance(self.clock.now());
        ledger
    }

    fn truth(&self) -> Truth {
        let reading = self.ledger().read();
        reading.truth(&self.world, &self.origins)
    }

    /// The page at an address of this web.
    fn find(&self, url: &str) -> Option<PageNumber> {
        let starts = |(host, origin): (usize, &String)| Some((host, url.strip_prefix(origin.as_str())?));
        // One port can be the beginning of another: 800 and 8001.
        let mut found = self.origins.iter().enumerate().filter_map(starts);
        let (host, path) = found.find(|(_, path)| path.starts_with('/'))?;
        self.world.find(host, path)
    }
}

/// A living web that is up. It ends when this is dropped.
pub struct Handle {
    state: Arc<State>,
    hosts: Vec<SocketAddr>,
    admin: SocketAddr,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

/// Starts the servers, in the present runtime.
///
/// # Errors
/// If an option is wrong or a port cannot be used.
pub async fn serve(world: World, clock: Clock, options: Options) -> Result<Handle, ServeError> {
    check(&options)?;
    let listeners = listen(options.port, world.hosts() + 1).await?;
    let mut hosts = Vec::new();
    for listener in &listeners {
        hosts.push(listener.local_addr().map_err(|source| ServeError::Listen { port: options.port, source })?);
    }
    let admin = hosts.pop().unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let world = Arc::new(world);
    let limit = |host: usize| if host < options.slow_hosts { 1.0 / options.crawl_delay } else { f64::INFINITY };
    let ledger = Mutex::new(Ledger::new(Arc::clone(&world), (0..world.hosts()).map(limit).collect()));
    let origins = hosts.iter().map(|address| format!("http://{address}")).collect();
    let run = Run::new(world.seed(), clock.epoch());
    let state = Arc::new(State { world, clock, run, options, origins, ledger, requests: AtomicU64::new(0) });
    let (stop, stopped) = watch::channel(false);
    let spawn = |(host, listener)| {
        let host = Some(host).filter(|host| *host < hosts.len());
        tokio::spawn(connection::accept(listener, host, Arc::clone(&state), stopped.clone()))
    };
    let tasks = listeners.into_iter().enumerate().map(spawn).collect();
    Ok(Handle { state, hosts, admin, stop, tasks })
}

fn check(options: &Options) -> Result<(), SettingsError> {
    let Faults { error, reset, slow } = options.faults;
    for share in [error, reset, slow] {
        require("share of faults", share, (0.0..=1.0).contains(&share), "from 0 to 1")?;
    }
    let sum = error + reset + slow;
    require("share of all faults", sum, sum <= 1.0, "at most 1")?;
    let delay = options.crawl_delay;
    require("crawl delay", delay, (0.001..=86_400.0).contains(&delay), "from 1 ms to a day")
}

async fn listen(first: u16, count: usize) -> Result<Vec<TcpListener>, ServeError> {
    if first > 0 && usize::from(first) + count > 65_536 {
        return Err(ServeError::Ports { port: first, needed: count });
    }
    let mut listeners = Vec::new();
    for number in 0..count {
        let port = if first == 0 { 0 } else { (usize::from(first) + number) as u16 };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        listeners.push(listener.map_err(|source| ServeError::Listen { port, source })?);
    }
    Ok(listeners)
}

impl Handle {
    /// Where the hosts are.
    #[must_use]
    pub fn hosts(&self) -> &[SocketAddr] {
        &self.hosts
    }

    /// Where the truth is told, at `/living/truth`.
    #[must_use]
    pub fn admin(&self) -> SocketAddr {
        self.admin
    }

    /// The roots of all hosts, where a crawl begins.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        self.state.origins.iter().map(|origin| format!("{origin}/")).collect()
    }

    /// The web that is played.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.state.world
    }

    /// The truth at the present time.
    #[must_use]
    pub fn truth(&self) -> Truth {
        self.state.truth()
    }

    /// Fetches so far, as in the truth, for those who look often.
    #[must_use]
    pub fn fetches(&self) -> u64 {
        self.state.ledger().fetches()
    }

    /// The truth about every page.
    #[must_use]
    pub fn pages(&self) -> Vec<PageTruth> {
        self.state.ledger().pages(&self.state.origins)
    }

    /// Begins a new window.
    pub fn reset(&self) {
        self.state.ledger().reset();
    }

    /// How much of a copy is out of date, told by address and `ETag` of what is held. Others' pages do not matter.
    #[must_use]
    pub fn judge<'a>(&self, copies: impl Iterator<Item = (&'a str, &'a str)>) -> CopyReport {
        let read = |(url, etag): (&str, &str)| {
            let (number, version) = self.state.run.read(etag)?;
            (self.state.find(url)? == number).then_some((number, version))
        };
        let copies: Vec<(PageNumber, u64)> = copies.filter_map(read).collect();
        self.state.ledger().judge(copies.into_iter())
    }

    /// A configuration with which Oriole crawls this web.
    #[must_use]
    pub fn oriole_toml(&self) -> String {
        configuration::oriole_toml(&self.state)
    }

    /// Ends the servers. Connections are closed.
    pub async fn shutdown(mut self) {
        _ = self.stop.send(true);
        for task in std::mem::take(&mut self.tasks) {
            // A task that panicked has ended, too.
            _ = task.await;
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        _ = self.stop.send(true);
    }
}

#[cfg(test)]
mod tests;
