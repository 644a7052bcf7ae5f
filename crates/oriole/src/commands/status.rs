//! `oriole status`: how the engine is doing.

mod report;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Map, Value, json};
use store::{Catalogue, Counts, DataFolder, State, Timestamp};

use super::reading;
use crate::cli::StatusArgs;
use crate::output::json;

/// Time between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// An engine that has said nothing for so many milliseconds is not heard: its figures are old.
const SILENCE: i64 = 30_000;

/// What only a running engine knows, and how much of it there is without one.
const LIVE: [(&str, Option<u64>); 12] = [
    ("robots_active", Some(0)),
    ("robots_max", None),
    ("buffer_occupancy", Some(0)),
    ("buffer_capacity", None),
    ("lost", None),
    ("obsolete", None),
    ("budget_per_day", None),
    ("stale_estimate", None),
    ("stale_bound", None),
    ("stale_uniform", None),
    ("stale_proportional", None),
    ("index_level", None),
];

/// Runs the command.
///
/// # Errors
/// If there is no data folder or it cannot be read.
pub fn run(arguments: &StatusArgs) -> Result<()> {
    let folder = reading::open(&arguments.engine)?;
    loop {
        let now = reading::now();
        let status = status(&folder, now)?;
        show(&status, arguments)?;
        if !arguments.watch {
            return Ok(());
        }
        thread::sleep(PAUSE);
    }
}

fn show(status: &Map<String, Value>, arguments: &StatusArgs) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if arguments.json {
        out.write_all(json::line(status)?.as_bytes())?;
    } else {
        if arguments.watch && std::io::stdout().is_terminal() {
            // Home, and clear what is below.
            out.write_all(b"\x1b[H\x1b[J")?;
        }
        out.write_all(report::text(status).as_bytes())?;
        if arguments.watch {
            out.write_all(b"\n")?;
        }
    }
    Ok(out.flush()?)
}

/// What the engine says if it is running, and what the catalogue says of everything else.
pub(crate) fn status(folder: &DataFolder, now: Timestamp) -> Result<Map<String, Value>> {
    let running = DataFolder::is_in_use(folder.path());
    let said = if running { said(folder)? } else { Map::new() };
    let mut status = Map::new();
    status.insert("running".into(), running.into());
    status.insert("data".into(), path_text(folder.path()).into());
    for key in ["pages_known", "pages_fetched", "pages_indexed", "pages_failed", "hosts"] {
        status.insert(key.into(), said.get(key).cloned().unwrap_or(Value::Null));
    }
    if status.values().any(Value::is_null) {
        count(&mut status, &folder.catalogue.counts()?);
    }
    for (key, without) in LIVE {
        let without = without.filter(|_| !running).map_or(Value::Null, Value::from);
        status.insert(key.into(), without);
    }
    let silent = said
        .get("updated_at")
        .and_then(Value::as_str)
        .and_then(Timestamp::parse)
        .is_some_and(|at| now.0 - at.0 > SILENCE);
    for (key, value) in said {
        status.insert(key, value);
    }
    status.insert("silent".into(), (running && silent).into());
    Ok(status)
}

/// The last words of the engine, if they are understood.
fn said(folder: &DataFolder) -> Result<Map<String, Value>> {
    let text = folder.catalogue.status()?;
    let value = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(if let Some(Value::Object(said)) = value { said } else { Map::new() })
}

/// Figures from the catalogue where the engine gives none.
fn count(status: &mut Map<String, Value>, counts: &Counts) {
    let fetched = counts.state(State::Fetched) + counts.state(State::Duplicate);
    let figures = [
        ("pages_known", counts.pages()),
        ("pages_fetched", fetched),
        ("pages_indexed", counts.indexed),
        ("pages_failed", counts.state(State::Failed)),
        ("hosts", counts.hosts),
    ];
    for (key, figure) in figures {
        let place = status.entry(key).or_insert(Value::Null);
        if place.is_null() {
            *place = figure.into();
        }
    }
    let states = State::ALL.map(|state| (state.name().to_owned(), json!(counts.state(state))));
    status.insert("states".into(), Value::Object(states.into_iter().collect()));
    status.insert("visits_remembered".into(), counts.visits.into());
    status.insert("inbox".into(), counts.inbox.into());
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}
