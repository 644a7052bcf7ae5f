//! Changes at given times.

use super::Changed;

/// Change times of every page, and how many of them have been passed.
pub(crate) struct Replay {
    times: Vec<Vec<f64>>,
    passed: Vec<usize>,
}

impl Replay {
    pub fn new(times: Vec<Vec<f64>>) -> Self {
        let passed = vec![0; times.len()];
        Self { times, passed }
    }

    pub fn between(&mut self, page: usize, since: f64, until: f64) -> Option<Changed> {
        let ahead = &self.times[page][self.passed[page]..];
        let skipped = ahead.partition_point(|&time| time <= since);
        let seen = skipped + ahead[skipped..].partition_point(|&time| time <= until);
        let found = &ahead[skipped..seen];
        self.passed[page] += seen;
        Some(Changed { first: *found.first()?, last: *found.last()?, count: found.len() as f64 })
    }
}
