//! The table of pages, filled row by row and checked as it is filled.

use anyhow::Result;

use super::names::{self, Interner, Names};
use super::{Source, Wanted};
use crate::failure::{Mistake, quoted};

/// Pages as read: names, change rates per day, weights, and hosts if they were wanted.
#[derive(Debug)]
pub struct PageTable {
    /// The page names, all different.
    pub names: Names,
    /// Changes per day.
    pub change_rates: Vec<f64>,
    /// Weights; one for all if the input has none.
    pub weights: Vec<f64>,
    /// Hosts, if they were wanted.
    pub hosts: Option<Hosts>,
}

/// The host of each page.
#[derive(Debug)]
pub struct Hosts {
    /// Number of the host of each page.
    pub of_page: Vec<u32>,
    /// Names of the hosts.
    pub names: Names,
}

impl PageTable {
    /// Pages of weight one that were not read from a table of pages.
    #[must_use]
    pub fn of_rates(names: Names, change_rates: Vec<f64>) -> Self {
        Self { weights: vec![1.0; names.len()], names, change_rates, hosts: None }
    }

    /// Number of pages, at least one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Always false: an input without pages is refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// One row, as a format's reader found it.
pub(super) struct Row<'a> {
    pub(super) page: &'a str,
    pub(super) change_rate: f64,
    pub(super) weight: f64,
    pub(super) host: Option<&'a str>,
}

/// A table of pages under construction.
pub(super) struct Rows {
    pub(super) source: Source,
    pub(super) wanted: Wanted,
    names: Names,
    hashes: Vec<u64>,
    change_rates: Vec<f64>,
    weights: Vec<f64>,
    hosts: Vec<u32>,
    host_names: Interner,
    positions: Positions,
}

impl Rows {
    pub(super) fn new(source: Source, wanted: Wanted) -> Self {
        Self {
            source,
            wanted,
            names: Names::default(),
            hashes: Vec::new(),
            change_rates: Vec::new(),
            weights: Vec::new(),
            hosts: Vec::new(),
            host_names: Interner::default(),
            positions: Positions::default(),
        }
    }

    /// Adds the row found at a line (or row number).
    pub(super) fn push(&mut self, position: u64, row: &Row<'_>) -> Result<(), Mistake> {
        let wrong = |problem: String| Err(self.source.mistake_at(position, problem));
        if row.page.is_empty() {
            return wrong("page is empty; give every row the name or URL of its page".to_string());
        }
        if row.page.contains(['\n', '\r']) {
            return wrong("page contains a line break; take it out".to_string());
        }
        if let Some(problem) = problem_with("change_rate", row.change_rate, "changes per day") {
            return wrong(problem);
        }
        if let Some(problem) = problem_with("weight", row.weight, "what the page is worth") {
            return wrong(problem);
        }
        if self.names.len() == u32::MAX as usize {
            return wrong(format!("more than {} pages; split the input", u32::MAX));
        }
        if self.wanted.hosts {
            match row.host {
                Some(host) if !host.is_empty() => self.hosts.push(self.host_names.number(host)),
                _ => return wrong("host is empty; --host-limit needs the host of every page".to_string()),
            }
        }
        self.positions.push(self.names.len(), position);
        self.names.push(row.page);
        self.hashes.push(names::hash(row.page));
        // Adding zero turns -0 into 0.
        self.change_rates.push(row.change_rate + 0.0);
        self.weights.push(row.weight + 0.0);
        Ok(())
    }

    /// The finished table.
    pub(super) fn finish(mut self) -> Result<PageTable> {
        if self.names.is_empty() {
            let problem = "has no pages; give at least one row of page and change_rate";
            return Err(self.source.mistake(problem).into());
        }
        self.refuse_duplicates()?;
        let hosts = self.wanted.hosts.then(|| Hosts { of_page: self.hosts, names: self.host_names.into_names() });
        Ok(PageTable { names: self.names, change_rates: self.change_rates, weights: self.weights, hosts })
    }

    /// Sorts the hashes: where all differ, so do the names. Equal ones are looked at by name.
    fn refuse_duplicates(&mut self) -> Result<(), Mistake> {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.sort_unstable();
        let suspects: Vec<u64> = hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        drop(hashes);
        if suspects.is_empty() {
            return Ok(());
        }
        let mut seen = std::collections::BTreeMap::new();
        for (page, name) in self.names.iter().enumerate() {
            if suspects.binary_search(&names::hash(name)).is_err() {
                continue;
            }
            if let Some(first) = seen.insert(name, page) {
                let (word, first) = (self.source.position_word(), self.positions.get(first));
                let problem = format!("page {} is already on {word} {first}; give each page one row", quoted(name));
                return Err(self.source.mistake_at(self.positions.get(page), problem));
            }
        }
        Ok(())
    }
}

/// What is wrong with a number that must be finite and not negative.
fn problem_with(column: &str, value: f64, meaning: &str) -> Option<String> {
    let what = match value {
        v if v.is_nan() => "not a number",
        v if v.is_infinite() => "not finite",
        v if v < 0.0 => "negative",
        v if v == 0.0 || (1e-30..=1e30).contains(&v) => return None,
        _ => {
            let range = "0 or a number from 1e-30 to 1e30";
            return Some(format!("{column} is {value:e}, beyond all measure; give {meaning} as {range}"));
        }
    };
    Some(format!("{column} is {what} ({value}); give {meaning} as a finite number of at least 0"))
}

/// The line of each row, kept as the few places where it is not one more than that of the row before.
#[derive(Default)]
struct Positions {
    jumps: Vec<(usize, u64)>,
}

impl Positions {
    fn push(&mut self, row: usize, position: u64) {
        if self.jumps.is_empty() || self.get(row) != position {
            self.jumps.push((row, position));
        }
    }

    fn get(&self, row: usize) -> u64 {
        let after = self.jumps.partition_point(|(start, _)| *start <= row);
        let (start, position) = self.jumps[after - 1];
        position + (row - start) as u64
    }
}
