//! Recorded changes of real pages: CSV with the columns `unix_time`, `page` and `event`.

use std::path::Path;

use anyhow::Result;
use csv::ByteRecord;

use super::compression::Input;
use super::csv::{self as csv_file, Records};
use super::names::{Interner, Names};
use super::{Source, nearest};
use crate::failure::quoted;
use crate::units::SECONDS_PER_DAY;

/// What happened to pages, and when, in days since the first event.
#[derive(Debug)]
pub struct Trace {
    /// Names of the pages.
    pub names: Names,
    /// What happened to each.
    pub histories: Vec<History>,
    /// Days from the first event to the last.
    pub days: f64,
}

/// What happened to a page.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// When it appeared; 0 if it was there before.
    pub from: f64,
    /// When it was removed for good; infinite if it was not.
    pub until: f64,
    /// When it changed, in order.
    pub changes: Vec<f64>,
}

impl History {
    /// A page that is always there and never changes.
    #[must_use]
    pub fn uneventful() -> Self {
        Self { from: 0.0, until: f64::INFINITY, changes: Vec::new() }
    }

    /// Changes per day of its life, in a record of `days`. Its removal is one: the copy is then out of date too.
    #[must_use]
    pub fn mean_rate(&self, days: f64) -> f64 {
        let life = self.until.min(days) - self.from;
        let changes = self.changes.len() + usize::from(self.until.is_finite());
        if life > 0.0 { changes as f64 / life } else { 0.0 }
    }

    /// The part of the time from `start` to `end` during which it was there.
    #[must_use]
    pub fn presence(&self, start: f64, end: f64) -> f64 {
        ((self.until.min(end) - self.from.max(start)) / (end - start)).clamp(0.0, 1.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Added,
    Changed,
    Removed,
}

const EVENTS: [(&str, Event); 4] =
    [("added", Event::Added), ("changed", Event::Changed), ("modified", Event::Changed), ("removed", Event::Removed)];

/// Reads a record of changes.
///
/// The first event of a page that is not `added` says that it was there before. A page that comes back after it was
/// removed counts as changed then.
///
/// # Errors
/// A [`Mistake`](crate::failure::Mistake) with file, line and remedy if the contents are wrong.
pub fn read_trace(path: &Path) -> Result<Trace> {
    let input = Input::open(path)?;
    let source = Source { name: input.name().to_string(), has_lines: true };
    let mut records = Records::new(input, source.clone());
    let header = records.header()?;
    let columns = ["unix_time", "page", "event"].map(|column| csv_file::required(&header, column, &source));
    let [time, page, event] = columns;
    let columns = [time?, page?, event?];
    let mut pages = Interner::default();
    let mut events: Vec<(u32, f64, Event)> = Vec::new();
    while let Some((line, record)) = records.next()? {
        let (time, page, event) = row(record, columns).map_err(|problem| source.mistake_at(line, problem))?;
        events.push((pages.number(page), time, event));
    }
    if events.is_empty() {
        return Err(source.mistake("has no events; give at least one row").into());
    }
    Ok(trace(pages.into_names(), events))
}

fn row(record: &ByteRecord, [time, page, event]: [usize; 3]) -> Result<(f64, &str, Event), String> {
    let time = csv_file::number(record, time, "unix_time")?.filter(|time| time.is_finite());
    let time = time.ok_or("unix_time is not a finite number; give seconds since 1970")?;
    let page = csv_file::text(record, page, "page")?;
    if page.is_empty() {
        return Err("page is empty; give every row the name of its page".to_string());
    }
    let word = csv_file::text(record, event, "event")?;
    let known = EVENTS.iter().find(|(name, _)| *name == word).map(|(_, event)| *event);
    let event = known.ok_or_else(|| {
        let near = nearest(word, EVENTS.map(|(name, _)| name)).map(|name| format!("did you mean `{name}`? "));
        format!("event is {}; {}use added, changed or removed", quoted(word), near.unwrap_or_default())
    })?;
    Ok((time, page, event))
}

fn trace(names: Names, mut events: Vec<(u32, f64, Event)>) -> Trace {
    let first = events.iter().map(|(_, time, _)| *time).fold(f64::INFINITY, f64::min);
    let last = events.iter().map(|(_, time, _)| *time).fold(f64::NEG_INFINITY, f64::max);
    events.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let in_days = |time: f64| (time - first) / SECONDS_PER_DAY;
    let of_page = events.chunk_by(|a, b| a.0 == b.0);
    let histories = of_page.map(|events| history(events.iter().map(|(_, time, event)| (in_days(*time), *event))));
    Trace { histories: histories.collect(), names, days: in_days(last) }
}

/// The life of one page, from its events in order.
fn history(events: impl Iterator<Item = (f64, Event)>) -> History {
    let mut history = History::uneventful();
    for (position, (at, event)) in events.enumerate() {
        match event {
            Event::Added if position == 0 => history.from = at,
            Event::Removed => history.until = at,
            Event::Added | Event::Changed => {
                history.until = f64::INFINITY;
                history.changes.push(at);
            }
        }
    }
    history
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Trace> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("changes.csv");
        std::fs::write(&path, text).unwrap();
        read_trace(&path)
    }

    const DAY: u64 = 86_400;

    #[test]
    fn lives_of_pages() {
        let text = format!(
            "page,event,unix_time\nb,changed,{d1}\na,added,0\na,changed,{d2}\na,removed,{d3}\na,added,{d4}\nc,added,{d2}\nc,removed,{d4}\n",
            d1 = DAY,
            d2 = 2 * DAY,
            d3 = 3 * DAY,
            d4 = 4 * DAY
        );
        let trace = read(&text).unwrap();
        assert_eq!(trace.names.iter().collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(trace.days, 4.0);
        let forever = f64::INFINITY;
        assert_eq!(trace.histories[0], History { from: 0.0, until: forever, changes: vec![1.0] });
        assert_eq!(trace.histories[1], History { from: 0.0, until: forever, changes: vec![2.0, 4.0] });
        assert_eq!(trace.histories[2], History { from: 2.0, until: 4.0, changes: vec![] });
        assert_eq!(trace.histories[1].mean_rate(4.0), 0.5);
        assert_eq!(trace.histories[2].mean_rate(4.0), 0.5);
        assert_eq!(trace.histories[2].presence(1.0, 3.0), 0.5);
    }

    #[test]
    fn what_is_wrong_with_a_trace() {
        for (text, problem) in [
            ("unix_time,page\n1,a\n", "changes.csv:1: there is no column `event`"),
            ("unix_time,page,event\n", "changes.csv: has no events"),
            ("unix_time,page,event\n1,a,chagned\n", "changes.csv:2: event is `chagned`; did you mean `changed`?"),
            ("unix_time,page,event\nnan,a,added\n", "changes.csv:2: unix_time is not a finite number"),
            ("unix_time,page,event\n1,,added\n", "changes.csv:2: page is empty"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(problem), "{message}");
        }
    }
}
