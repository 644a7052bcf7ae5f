//! People search and look at the dashboard while the engine crawls: how long do they wait, and does its memory grow?
//!
//! `cargo build --release --workspace && target/release/server_load --ramp --json server-load.jsonl`
//!
//! A web that changes is played on loopback, and the program `oriole` beside this one crawls and serves it with everything on.
//! Searchers ask on a connection of their own, read the whole answer, think and ask again. Listeners hear events and load the part of
//! the dashboard that has changed, as its script does. Everything runs on one machine: what web and searchers take the engine lacks.

mod engine;
mod http;
mod report;
mod visitors;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use livingweb::{Clock, Options, Settings, World};
use oriole_bench::{Result, machine, write_json};

use engine::{Engine, Memory};
use report::Load;
use visitors::{Listening, Queries, Visits};

/// What can go wrong here is said to whoever started it.
/// The longest time for 99 of 100 searches.
const WANTED: Duration = Duration::from_millis(100);

/// How long each step of the ramp is.
const STEP: Duration = Duration::from_secs(10);

/// Searchers and listeners while the engine crawls.
#[derive(Parser)]
struct Arguments {
    /// Pages of the web.
    #[arg(long, default_value_t = 3_000)]
    pages: usize,
    /// Mean time between changes of a page, in seconds.
    #[arg(long, default_value_t = 60.0)]
    mean_interval: f64,
    /// Requests of the engine, as for `oriole run --budget`.
    #[arg(long, default_value = "50/s")]
    budget: String,
    /// Searchers.
    #[arg(long, default_value_t = 200)]
    searchers: usize,
    /// Dashboards.
    #[arg(long, default_value_t = 50)]
    listeners: usize,
    /// Mean time between an answer and the next search of the same searcher, in seconds.
    #[arg(long, default_value_t = 1.0)]
    think: f64,
    /// Time of the same load before anything is measured, in seconds.
    #[arg(long, default_value_t = 20)]
    warm_up: u64,
    /// Time that is measured, in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Then lets searchers think ever less, until one search in a hundred takes more than 100 ms.
    #[arg(long)]
    ramp: bool,
    /// The engine [default: oriole beside this program]
    #[arg(long)]
    engine: Option<PathBuf>,
    /// A file for the raw results, one JSON object a line.
    #[arg(long)]
    json: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let settings = Settings { pages: arguments.pages, mean_interval: arguments.mean_interval, ..Settings::default() };
    let web = livingweb::serve(World::new(&settings)?, Clock::starting_now(), Options::default()).await?;
    let mut engine = Engine::start(arguments.engine.clone(), &web.oriole_toml(), &arguments.budget)?;
    let found = engine.filled(arguments.pages as u64).await?;
    println!("{}: {found} pages are indexed", machine());
    let queries = Arc::new(Queries::from_titles(&engine.titles().await?)?);
    let listening = Listening::begin(engine.address, arguments.listeners);
    let think = Duration::from_secs_f64(arguments.think);
    let visit = |think: Duration, time: Duration| {
        Visits::run(engine.address, arguments.searchers, think, time, Arc::clone(&queries))
    };
    visit(think, Duration::from_secs(arguments.warm_up)).await;
    let (memory, before) = (Memory::watch(engine.id()), listening.counts());
    let requests = engine.requests().await?;
    let visits = visit(think, Duration::from_secs(arguments.seconds)).await;
    let crawled = (engine.requests().await? - requests) as f64 / arguments.seconds as f64;
    let mut lines = vec![Load::new(&arguments, think, visits, crawled).with_memory(memory.end().await?)];
    lines[0].heard(&before, &listening.counts());
    lines[0].print();
    if arguments.ramp {
        lines.extend(ramp(&arguments, think, &visit).await);
    }
    listening.end();
    engine.check()?;
    web.shutdown().await;
    write_json(arguments.json.as_deref(), &lines)
}

/// Half of the time to think at each step, until they wait.
async fn ramp<F: Future<Output = Visits>>(
    arguments: &Arguments,
    mut think: Duration,
    visit: &impl Fn(Duration, Duration) -> F,
) -> Vec<Load> {
    let mut lines = Vec::new();
    while think > Duration::from_millis(1) {
        think /= 2;
        let load = Load::new(arguments, think, visit(think, STEP).await, 0.0);
        load.print_step();
        let is_over = load.p99() > WANTED;
        lines.push(load);
        if is_over {
            break;
        }
    }
    lines
}
