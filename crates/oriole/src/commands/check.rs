//! `oriole check`: does everything in the data folder agree?

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use index::{Indexer, SearchError, Searcher};
use serde::Serialize;
use store::{DataFolder, OpenError, Report};

use crate::cli::CheckArgs;
use crate::commands::reading::{data_folder, opening};
use crate::engine::agreement::Difference;
use crate::output::{note, number, stdout};
use crate::progress::while_doing;

/// What the check found, for printing.
#[derive(Debug, Serialize)]
struct Outcome {
    sound: bool,
    pages: u64,
    hosts: u64,
    visits: u64,
    records: u64,
    record_bytes: u64,
    indexed: u64,
    /// Whether the search index was compared with the catalogue.
    index_compared: bool,
    recovered: Vec<String>,
    findings: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    what: String,
    repaired: bool,
}

/// Runs the command.
///
/// # Errors
/// If something is wrong and stays wrong, or the folder cannot be used.
pub fn run(arguments: &CheckArgs) -> Result<()> {
    let path = data_folder(&arguments.engine)?;
    let checked = || if arguments.repair { repair(&path) } else { look(&path) };
    let outcome = while_doing("checking", checked)?;
    let mut out = stdout();
    if arguments.json {
        serde_json::to_writer_pretty(&mut out, &outcome)?;
        writeln!(out)?;
    } else {
        write!(out, "{}", text(&outcome))?;
    }
    out.flush()?;
    if outcome.sound {
        return Ok(());
    }
    bail!("{} is not as it should be; `oriole check --repair` puts right what can be put right", path.display())
}

/// Looks without touching anything, also beside an engine.
fn look(path: &Path) -> Result<Outcome> {
    let mut folder = DataFolder::read(path).map_err(opening)?;
    let report = folder.check(false)?;
    let running = DataFolder::is_in_use(path);
    let difference = match Searcher::open(&folder.index_path()) {
        // While an engine writes, the index is always a little ahead.
        _ if running => None,
        Ok(searcher) => Some(Difference::between(&folder.catalogue, searcher.pages()?)?),
        Err(SearchError::NoIndex(_)) => Some(Difference::between(&folder.catalogue, std::iter::empty())?),
        Err(error) => return Err(error.into()),
    };
    if running {
        note("an engine is running: the search index is compared with the catalogue only when it is stopped");
    }
    Ok(outcome(&report, difference.as_ref(), false, Vec::new()))
}

/// Puts right what can be put right.
fn repair(path: &Path) -> Result<Outcome> {
    if !path.exists() {
        return Err(opening(OpenError::Absent(path.to_owned())));
    }
    let mut folder = DataFolder::open(path).map_err(opening)?;
    let index = folder.index_path();
    let mut indexer = if index.exists() { Some(Indexer::open(&index, &index::Settings::default())?) } else { None };
    let recovery = folder.recover(indexer.as_ref().and_then(Indexer::committed))?;
    let recovered = if recovery.is_clean() { Vec::new() } else { lines(&recovery.to_string()) };
    let report = folder.check(true)?;
    let mut next_batch = recovery.next_batch;
    let mut difference = Difference::between(&folder.catalogue, std::iter::empty())?;
    if let Some(indexer) = &mut indexer {
        difference = Difference::between(&folder.catalogue, indexer.pages()?)?;
        if !difference.is_none() {
            difference.put_right(&mut folder, indexer, &mut next_batch)?;
        }
    }
    Ok(outcome(&report, Some(&difference), indexer.is_some(), recovered))
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn outcome(report: &Report, difference: Option<&Difference>, repaired: bool, recovered: Vec<String>) -> Outcome {
    let line = |what: String, repaired: bool| Line { what, repaired };
    let mut findings: Vec<Line> =
        report.findings.iter().map(|(finding, repaired)| line(finding.to_string(), *repaired)).collect();
    let mut sound = report.is_sound();
    if let Some(difference) = difference {
        let (surplus, missing) = (difference.surplus.len(), difference.missing.len());
        if surplus > 0 {
            findings
                .push(line(format!("search index: {surplus} pages that the catalogue does not count on"), repaired));
        }
        if missing > 0 {
            findings
                .push(line(format!("search index: {missing} pages missing, or not as they were last read"), repaired));
        }
        sound &= repaired || difference.is_none();
    }
    Outcome {
        sound,
        pages: report.counts.pages(),
        hosts: report.counts.hosts,
        visits: report.counts.visits,
        records: report.records,
        record_bytes: report.bytes,
        indexed: report.counts.indexed,
        index_compared: difference.is_some(),
        recovered,
        findings,
    }
}

fn text(outcome: &Outcome) -> String {
    use std::fmt::Write as _;
    let grouped = |value: u64| number::grouped(usize::try_from(value).unwrap_or(usize::MAX));
    let mut text = String::new();
    for line in &outcome.recovered {
        _ = writeln!(text, "put right: {line}");
    }
    for finding in &outcome.findings {
        let done = if finding.repaired { "put right" } else { "wrong" };
        _ = writeln!(text, "{done}: {}", finding.what);
    }
    let compared = if outcome.index_compared { "as in the search index" } else { "not compared with the search index" };
    _ = writeln!(
        text,
        "{} pages on {} hosts, {} visits; {} indexed, {compared}",
        grouped(outcome.pages),
        grouped(outcome.hosts),
        grouped(outcome.visits),
        grouped(outcome.indexed)
    );
    _ = writeln!(
        text,
        "{} records in the archive, {} bytes, digests verified",
        grouped(outcome.records),
        grouped(outcome.record_bytes)
    );
    _ = writeln!(text, "{}", if outcome.sound { "all is sound" } else { "not all is sound" });
    text
}
