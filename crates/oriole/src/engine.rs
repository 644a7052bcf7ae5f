//! The engine: everything that runs, wired together.
//!
//! Seeds go to the frontier, robots bring what they are sent for, documents wait in the buffer until the keeper has them
//! indexed, and the keeper tells the fleet what is safely remembered. [`run`] reads as that diagram.

pub(crate) mod agreement;
mod controls;
pub(crate) mod copies;
mod governor;
mod history;
mod import;
mod keeper;
mod logs;
pub(crate) mod metrics;
mod model;
mod orders;
mod priority;
mod resume;
mod status;
pub(crate) mod view;
mod webhooks;

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use crawl::fetch::Fetcher;
use crawl::fleet::{Counters, Delivery, Ended, Fleet, Gear, Hub, Message, Record, Seen, Steering};
use index::Writer;
use store::{Buffer, Catalogue, DataFolder, MemoryBuffer};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, UnboundedSender, channel, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

pub use controls::{Applied, Budget, Controls, Robots};
pub(crate) use governor::NOTE as CONTROL_NOTE;
pub use governor::{ControlSettings, ControlStatus, Figures, Fitted, Rule};
pub use history::{History, Point, Range};
pub use import::{Importer, Tally};
pub(crate) use model::remembered_model;
pub(crate) use status::said_level;
pub use status::{HostLine, Status, StatusBoard};
pub(crate) use view::View;
pub use webhooks::WebhookLine;

use crate::cli::{LogFormat, RunArgs};
use crate::config::{Config, LogConfig};
use crate::server;
use governor::{Governor, Office};
use keeper::{Keeper, Slowness, Tools};
use logs::Logs;
use orders::Orders;
use priority::give_way;
use resume::Work;
use status::Watch;
use view::Lines;

/// Threads for work that would hold up the network: reading pages, and asking for addresses.
const BLOCKING_THREADS: usize = 64;

/// Hubs of feeds that were found and not yet looked at.
const MOST_HUBS: usize = 1_000;

/// Pages whose links are written down when the engine is told to end, so that it ends in time.
const LAST_LINKS: usize = 100_000;

/// How long it may take to keep what is in hand when the engine is told to end, the time for robots included.
const LAST_BATCH: Duration = Duration::from_millis(4_600);

/// How long merges of the index may go on after everything has been crawled.
const LAST_MERGES: Duration = Duration::from_secs(60);

/// How often it is noted how things are, and how often the catalogue is told of it.
const SAMPLES: Duration = Duration::from_secs(2);
const NOTES: Duration = Duration::from_secs(600);

/// Runs the engine as the configuration says, until it is done or told to stop.
///
/// # Errors
/// If the data folder cannot be used or written, or a crawl that visits every page once could read none. What had been written
/// by then is safe.
pub fn run(config: Config, arguments: RunArgs) -> Result<()> {
    let view = View::choose(config.log.format.is_some());
    let logs = Logs::start(&config.log.level, config.log.format.unwrap_or(LogFormat::Text), &view)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Pages are served also while what is known of all pages is gone through.
        .worker_threads(thread::available_parallelism().map_or(2, |cores| cores.get().max(2)))
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .context("cannot start")?;
    let lines = logs.lines();
    let (duration, shown) = (config.duration, view.clone());
    let applied = Applied::read(&config.data).below(&arguments);
    let attend = |engine: Running| {
        let Running { board, fleet, controls, .. } = engine;
        shown.clone().watch(board);
        tokio::spawn(Orders { duration, arguments, logs, view: shown, controls, fleet }.obey());
    };
    let ended = runtime.block_on(crawl(config, applied, attend));
    lines.end();
    view.end();
    // Robots that have not come back, and whoever watches, are not waited for.
    runtime.shutdown_background();
    ended
}

/// Log lines on standard error for commands that run for long.
///
/// # Errors
/// If the levels cannot be understood.
pub(crate) fn log_lines(log: &LogConfig) -> Result<Lines> {
    Ok(Logs::start(&log.level, log.format.unwrap_or(LogFormat::Text), &View::choose(true))?.lines())
}

/// A view of a command that runs an engine of its own, and the warnings above it.
///
/// # Errors
/// None that is known: the levels are well formed.
pub(crate) fn view_with_warnings() -> Result<(View, Lines)> {
    let view = View::choose(false);
    let logs = Logs::start("warn", LogFormat::Text, &view)?;
    Ok((view, logs.lines()))
}

/// An engine that runs: what it says of itself, and how it is told to end.
pub(crate) struct Running {
    board: Arc<StatusBoard>,
    fleet: UnboundedSender<Message>,
    controls: Arc<Controls>,
    /// Where its pages are served, if they are.
    pub(crate) pages: Option<SocketAddr>,
}

impl Running {
    pub(crate) fn status(&self) -> Status {
        self.board.status()
    }

    /// Work in hand is finished first.
    pub(crate) fn stop(&self) {
        _ = self.fleet.send(Message::Stop);
    }
}

/// Everything that runs, from seeds to searchable pages. As soon as it does, somebody may attend to it.
pub(crate) async fn crawl(typed: Config, applied: Applied, attend: impl FnOnce(Running)) -> Result<()> {
    let config = applied.over(&typed);
    let (records, kept) = unbounded_channel();
    let (sender, messages) = unbounded_channel();
    let counters = Arc::new(Counters::default());
    let buffer = buffer(config.buffer, &counters, &sender);
    let fetcher = Fetcher::new(config.fetch.clone()).context("cannot make requests")?;
    let (most, budget) = (config.deciding().most, config.fleet.frontier.budget);
    let board = Arc::new(StatusBoard::new(Arc::clone(&counters), Arc::clone(&buffer), most, budget));

    let resumed = resume::open(&config, Work::Known)?;
    let metrics = match config.metrics {
        Some(address) => Some(metrics::listen(address).await?),
        None => None,
    };
    let pages = server::open(&config.server).await?;
    let mut state = resumed.state(&config, &records)?;
    said_level(&resumed.folder.catalogue)?.into_iter().for_each(|level| state.frontier.expect_level(level));
    board.recall(History::read(resumed.folder.catalogue.note(History::NOTE)?.as_deref()));
    let (steering, seen, governor) = govern(&config, &resumed.folder, &buffer, &sender, &board)?;
    webhooks::prepare(&config, &resumed.folder)?;
    let controls = Arc::new(Controls::new(typed, applied, Arc::clone(&board), sender.clone(), governor));
    let keeping = keep(Tools {
        folder: resumed.folder,
        indexer: resumed.indexer,
        buffer: Arc::clone(&buffer),
        records: kept,
        fleet: sender.clone(),
        board: Arc::clone(&board),
        seen: Some(seen.clone()),
        slowness: config.index_time.clone().map(Slowness::new),
        next_batch: resumed.next_batch,
    })?;
    let last_words = records.clone();
    let hubs = config.signals.websub_callback.as_ref().filter(|_| pages.is_some()).map(|_| channel(MOST_HUBS));
    let subscriber = fetcher.clone();
    let gear = Gear {
        fetcher,
        steering,
        reserve: config.reserve,
        seen: Some(seen),
        hubs: hubs.as_ref().map(|(sender, _)| sender.clone()),
        buffer: Arc::clone(&buffer),
        records,
        sender: sender.clone(),
        counters,
    };
    let fleet = Fleet::new(state, gear, config.once);

    tokio::spawn(survey(sender.clone(), DataFolder::read(&config.data)?, Arc::clone(&board)));
    webhooks::start(&config, &board, &sender)?;
    if let Some(listener) = metrics {
        tokio::spawn(metrics::serve(listener, Arc::clone(&board), config.server.hosts.clone()));
    }
    let address = pages.as_ref().map(TcpListener::local_addr).transpose()?;
    if let Some((listener, address)) = pages.zip(address) {
        let (board, controls) = (Arc::clone(&board), Arc::clone(&controls));
        let engine = server::Engine { board, fleet: sender.clone(), controls };
        serve_pages(&config, listener, address, engine, hubs.map(|(_, found)| (subscriber, found)))?;
    }
    let began = Instant::now();
    let once = config.once;
    attend(Running { board: Arc::clone(&board), fleet: sender, controls, pages: address });

    // Among the robots, not on a thread of its own that would have to be woken for each of them.
    let ended = tokio::spawn(fleet.run(messages)).await.unwrap_or_else(|broken| resume_unwind(broken.into_panic()));
    let (exhausted, read) = (ended.exhausted, ended.read);
    wind_up(ended, once, last_words, &board, &buffer, keeping).await?;
    let status = board.status();
    report(&status, began.elapsed());
    if once && exhausted && read == 0 && status.requests > 0 {
        bail!("no page could be read; the lines above say why");
    }
    Ok(())
}

/// Serves the pages to search and look at, and subscribes to the hubs that are found, if any are looked for.
fn serve_pages(
    config: &Config,
    listener: TcpListener,
    address: SocketAddr,
    engine: server::Engine,
    hubs: Option<(Fetcher, Receiver<Hub>)>,
) -> Result<()> {
    tracing::info!("pages to search and look at: http://{}/", server::reachable(address));
    let desk = server::Desk::new(config.clone(), address, Some(engine))?;
    if let Some((subscriber, found)) = hubs {
        tokio::spawn(server::subscribe(desk.clone(), subscriber, found));
    }
    tokio::spawn(server::serve(listener, desk));
    Ok(())
}

/// Keeps what is in hand when the robots have ended: the last records, and the documents that are still to be indexed.
async fn wind_up(
    mut ended: Ended,
    once: bool,
    records: UnboundedSender<Record>,
    board: &StatusBoard,
    buffer: &Arc<dyn Buffer<Delivery>>,
    keeping: Keeping,
) -> Result<()> {
    let most = if ended.exhausted { usize::MAX } else { LAST_LINKS };
    _ = records.send(Record::Links(ended.state.links(most)));
    if once && ended.exhausted {
        _ = records.send(resume::pass_over());
    }
    _ = records.send(Record::Note(History::NOTE.to_owned(), board.history_note()));
    drop(records);
    buffer.close();
    let indexer = match kept_in_time(keeping, ended.stopped).await {
        Some(kept) => kept?,
        None => {
            tracing::warn!("what was still to be indexed is fetched again at the next start");
            None
        }
    };
    if ended.exhausted {
        merge(indexer).await;
    }
    Ok(())
}

/// The buffer between robots and indexer. When there is room in it for which the fleet waits, the fleet is told.
fn buffer(places: usize, counters: &Arc<Counters>, fleet: &UnboundedSender<Message>) -> Arc<dyn Buffer<Delivery>> {
    let (counters, fleet) = (Arc::clone(counters), fleet.clone());
    Arc::new(MemoryBuffer::new(places, crawl::fleet::seconds, move |_| {
        if counters.is_waiting_for_room() {
            _ = fleet.send(Message::Room);
        }
    }))
}

/// Says how the number of robots is decided; lets the governor decide it and be told what goes on. A fixed number it only watches.
fn govern(
    config: &Config,
    folder: &DataFolder,
    buffer: &Arc<dyn Buffer<Delivery>>,
    fleet: &UnboundedSender<Message>,
    board: &Arc<StatusBoard>,
) -> Result<(Steering, UnboundedSender<Seen>, Sender<ControlSettings>)> {
    let (places, settings) = (config.buffer, config.deciding());
    let note = folder.catalogue.note(governor::NOTE)?;
    let decision = governor::remembered(note.as_deref(), &settings, (places, config.reserve));
    let steering = governor::first_steering(&settings, decision.as_ref(), places);
    let (tell, seen) = unbounded_channel();
    let (order, orders) = std::sync::mpsc::channel();
    let board = Arc::clone(board);
    let office = Office {
        settings,
        learned_obsolescence: config.fleet.learned_obsolescence,
        reserve: config.reserve,
        buffer: Arc::clone(buffer),
        fleet: fleet.clone(),
        seen,
        orders,
        publish: Box::new(move |status| board.decided(status)),
    };
    Governor::start(office, decision);
    Ok((steering, tell, order))
}

/// Brings the index back when everything is kept.
type Keeping = oneshot::Receiver<Result<Option<Writer>>>;

/// Lets the keeper work on a thread of its own. If it cannot go on, neither can the fleet.
fn keep(tools: Tools) -> Result<Keeping> {
    let fleet = tools.fleet.clone();
    let (tell, keeping) = oneshot::channel();
    let work = move || {
        give_way();
        let keep = || Keeper::new(tools).and_then(Keeper::run);
        // What went wrong has been printed then.
        let kept = catch_unwind(AssertUnwindSafe(keep)).unwrap_or_else(|_| Err(anyhow!("the keeper broke down")));
        if kept.is_err() {
            _ = fleet.send(Message::Stop);
        }
        // If nobody waits for it any more, the program is ending.
        _ = tell.send(kept);
    };
    thread::Builder::new().name("keeper".to_owned()).spawn(work).context("cannot start")?;
    Ok(keeping)
}

/// Waits until everything is kept; if the engine was told to stop, only as long as it may take to end. What is not kept then is
/// as if it had not been fetched, as after any sudden end.
async fn kept_in_time(keeping: Keeping, stopped: Option<Instant>) -> Option<Result<Option<Writer>>> {
    let joined = match stopped {
        Some(since) => tokio::time::timeout_at((since + LAST_BATCH).into(), keeping).await.ok()?,
        None => keeping.await,
    };
    Some(joined.context("the keeper broke down").flatten())
}

/// Finds out again and again how things stand, less often where it takes long.
async fn survey(fleet: UnboundedSender<Message>, folder: DataFolder, board: Arc<StatusBoard>) {
    let seconds = Duration::from_secs;
    let (mut surveys, mut counts) = (Watch::new(seconds(1), seconds(15)), Watch::new(seconds(2), seconds(60)));
    let (mut sampled, mut noted) = (Instant::now(), Instant::now());
    let folder = Arc::new(Mutex::new(folder));
    loop {
        if surveys.is_due() {
            let (answer, survey) = oneshot::channel();
            _ = fleet.send(Message::Survey(answer));
            let Ok(survey) = survey.await else { return };
            let board = Arc::clone(&board);
            surveys.time(spawn_blocking(move || board.surveyed(survey))).await;
        }
        if counts.is_due() {
            let (board, folder) = (Arc::clone(&board), Arc::clone(&folder));
            counts.time(spawn_blocking(move || board.count(&folder))).await;
        }
        if sampled.elapsed() >= SAMPLES {
            sampled = Instant::now();
            board.sample();
        }
        if noted.elapsed() >= NOTES {
            noted = Instant::now();
            _ = fleet.send(Message::Remember(History::NOTE.to_owned(), board.history_note()));
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

/// Lets merges of the index come to their end, if that does not take too long. They are not needed, only good to have.
async fn merge(writer: Option<Writer>) {
    let Some(writer) = writer else { return };
    if let Ok(Ok(Err(error))) = tokio::time::timeout(LAST_MERGES, spawn_blocking(move || writer.finish())).await {
        tracing::warn!(%error, "the search index was not merged");
    }
}

fn report(status: &Status, elapsed: Duration) {
    tracing::info!(
        seconds = (elapsed.as_secs_f64() * 10.0).round() / 10.0,
        requests = status.requests,
        known = status.pages_known,
        read = status.visits_read,
        changed = status.visits_changed,
        unchanged = status.visits_unchanged,
        failed = status.visits_failed,
        lost = status.lost,
        obsolete = status.obsolete,
        "ended"
    );
}
