use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use serde::Serialize;
use store::{Catalogue, Finding, PageId, Report, SqliteCatalogue};

use super::super::reading::pages as number_of;
use super::matters;
use crate::engine::agreement::Difference;
use crate::output::foreign::printable;
use crate::output::number::grouped;
use crate::output::table;

/// Pages named for each kind of difference.
const NAMED: usize = 3;

/// What was looked at, found and done.
#[derive(Default, Serialize)]
pub(super) struct Outcome {
    /// Whether nothing is wrong that has not been put right.
    sound: bool,
    pub(super) running: bool,
    pages: u64,
    hosts: u64,
    pages_indexed: u64,
    records: u64,
    bytes: u64,
    pub(super) index_pages: Option<u64>,
    pub(super) notes: Vec<String>,
    findings: Vec<Wrong>,
}

/// Something that is wrong, and whether it has been put right.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Wrong {
    part: &'static str,
    text: String,
    repaired: bool,
    /// Only a backup helps.
    #[serde(skip)]
    lasting: bool,
}

impl Wrong {
    /// Of the catalogue, and not put right.
    pub(super) fn catalogue(text: String) -> Self {
        Self { part: "catalogue", text, repaired: false, lasting: true }
    }

    /// Of the search index.
    pub(super) fn index(text: String, repaired: bool) -> Self {
        Self { part: "index", text, repaired, lasting: false }
    }
}

impl Outcome {
    /// Nothing has been looked at yet.
    pub(super) fn new(running: bool) -> Self {
        Self { running, ..Self::default() }
    }

    /// Takes in what the check of catalogue and archive found. Whether the catalogue can be read on.
    pub(super) fn take(&mut self, report: Report) -> bool {
        let readable = report.is_readable();
        (self.pages, self.hosts, self.pages_indexed) =
            (report.counts.pages(), report.counts.hosts, report.counts.indexed);
        (self.records, self.bytes) = (report.records, report.bytes);
        let told = self.findings.len();
        for (finding, repaired) in report.findings {
            let text = finding.to_string();
            if self.findings[..told].iter().any(|wrong| wrong.text == text) {
                continue;
            }
            if matters(&finding) {
                self.add(Wrong { part: part(&finding), text, repaired, lasting: is_lasting(&finding) });
            } else {
                self.notes.push(text);
            }
        }
        self.sound = self.wrong() == 0;
        readable
    }

    pub(super) fn add(&mut self, wrong: Wrong) {
        self.findings.push(wrong);
        self.sound = self.wrong() == 0;
    }

    /// Things that are wrong and have not been put right.
    pub(super) fn wrong(&self) -> usize {
        self.findings.iter().filter(|wrong| !wrong.repaired).count()
    }

    /// Whether a repair would put something right.
    pub(super) fn can_be_mended(&self) -> bool {
        self.findings.iter().any(|wrong| !wrong.repaired && !wrong.lasting)
    }

    /// Takes in how the search index differs.
    pub(super) fn differs(
        &mut self,
        difference: &Difference,
        catalogue: &SqliteCatalogue,
        repaired: bool,
    ) -> Result<()> {
        let Difference { missing, other, extra, repeated, left_out } = difference;
        let kinds = [
            (missing, "missing"),
            (left_out, "fetched but not in it"),
            (other, "of another version"),
            (extra, "that should not be there"),
            (repeated, "there more than once"),
        ];
        for (pages, what) in kinds {
            if !pages.is_empty() {
                let text = format!("search index: {} {what}: {}", number_of(pages.len()), named(pages, catalogue)?);
                self.add(Wrong::index(text, repaired));
            }
        }
        Ok(())
    }
}

/// Whether no repair helps.
fn is_lasting(finding: &Finding) -> bool {
    matches!(finding, Finding::Catalogue(_) | Finding::Unread { .. } | Finding::RepeatedPages(_))
}

fn part(finding: &Finding) -> &'static str {
    match finding {
        Finding::Catalogue(_)
        | Finding::Unread { .. }
        | Finding::UnknownStates(_)
        | Finding::StrayVisits(_)
        | Finding::StrayPages(_)
        | Finding::RepeatedPages(_) => "catalogue",
        Finding::Length { .. } | Finding::Bytes { .. } | Finding::Cdxj(_) | Finding::Record { .. } => "archive",
    }
}

/// The addresses of the first pages.
fn named(pages: &[PageId], catalogue: &SqliteCatalogue) -> Result<String> {
    let mut names = Vec::new();
    for page in pages.iter().take(NAMED) {
        names.push(catalogue.page(*page)?.map_or(format!("number {}", page.0), |page| page.url));
    }
    let more = if pages.len() > NAMED { ", ..." } else { "" };
    Ok(format!("{}{more}", names.join(", ")))
}

/// `one thing`, `3 things`.
pub(super) fn things(number: usize) -> String {
    if number == 1 { "one thing".to_owned() } else { format!("{} things", grouped(number)) }
}

/// `one thing is`, `3 things are`.
pub(super) fn things_are(number: usize) -> String {
    format!("{} {}", things(number), if number == 1 { "is" } else { "are" })
}

/// `one page is`, `3 pages are`.
pub(super) fn pages_are(number: usize) -> String {
    format!("{} {}", number_of(number), if number == 1 { "is" } else { "are" })
}

/// The outcome for people.
pub(super) fn text(outcome: &Outcome) -> String {
    let whole = |number: u64| grouped(number as usize);
    let index = outcome.index_pages.map_or("none".to_owned(), |pages| format!("{} pages", whole(pages)));
    let mut text = table::list(&[
        ("catalogue", format!("{} pages, {} hosts", whole(outcome.pages), whole(outcome.hosts))),
        ("archive", format!("{} records, {} bytes", whole(outcome.records), whole(outcome.bytes))),
        ("search index", index),
    ]);
    // Writing to a string cannot fail.
    let _ = lines(&mut text, outcome);
    text
}

fn lines(text: &mut String, outcome: &Outcome) -> std::fmt::Result {
    let (bad, good) = (Style::new().fg_color(Some(AnsiColor::Red.into())), AnsiColor::Green.on_default());
    if outcome.running {
        writeln!(text, "an engine is running; what it is writing now was left out")?;
    }
    for note in &outcome.notes {
        writeln!(text, "{}", printable(note))?;
    }
    for wrong in &outcome.findings {
        let (style, state) = if wrong.repaired { (good, "put right") } else { (bad, "wrong") };
        writeln!(text, "{style}{state}{style:#}  {}", printable(&wrong.text))?;
    }
    if outcome.findings.is_empty() {
        writeln!(text, "{good}everything agrees{good:#}")?;
    }
    Ok(())
}
