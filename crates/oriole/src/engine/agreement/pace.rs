//! How far the work is.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crate::progress::{Count, Progress};

/// Time between two lines.
const RHYTHM: Duration = Duration::from_secs(5);

/// Shows how many pages have been indexed again: a bar on a terminal, elsewhere a line now and then.
pub(crate) struct Pace {
    bar: Option<Progress>,
    pages: usize,
    done: usize,
    told: Instant,
    /// Writes a line: how many are done, and of how many.
    line: fn(usize, usize),
}

impl Pace {
    /// Of so many pages none is done. `line` writes a line: how many are done, and of how many.
    pub(crate) fn start(pages: usize, only_lines: bool, line: fn(usize, usize)) -> Self {
        let has_bar = !only_lines && std::io::stderr().is_terminal();
        let bar = has_bar.then(|| Progress::start("indexing again", Count::Items(pages as u64)));
        Self { bar, pages, done: 0, told: Instant::now(), line }
    }

    /// One more is done.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.add(1);
        } else if self.is_time(Instant::now()) {
            (self.line)(self.done, self.pages);
        }
    }

    /// Whether there should be a line now; then the time until the next one begins.
    fn is_time(&mut self, now: Instant) -> bool {
        let is_time = now.duration_since(self.told) >= RHYTHM;
        if is_time {
            self.told = now;
        }
        is_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_now_and_then() {
        let told = Instant::now();
        let mut pace = Pace { bar: None, pages: 9, done: 0, told, line: |_, _| {} };
        let lines: Vec<u64> =
            (0..=17_000).step_by(100).filter(|at| pace.is_time(told + Duration::from_millis(*at))).collect();
        assert_eq!(lines, [5_000, 10_000, 15_000]);
        pace.step();
        assert_eq!(pace.done, 1);
    }
}
