//! How results are written.

use std::time::Duration;

use oriole_bench::machine;
use serde::Serialize;

use crate::Arguments;
use crate::visitors::Visits;

/// What was measured under one load.
#[derive(Serialize)]
pub(crate) struct Load {
    machine: String,
    searchers: usize,
    listeners: usize,
    pages: usize,
    budget: String,
    think_seconds: f64,
    seconds: f64,
    searches: usize,
    errors: Vec<String>,
    p50_ms: f64,
    p90_ms: f64,
    p99_ms: f64,
    longest_ms: f64,
    /// Requests of the engine per second.
    crawled_per_second: f64,
    /// The engine's own memory, every second.
    memory_mib: Vec<f64>,
    /// Events that the listener heard who heard the least, and all of them.
    events_least: Option<u64>,
    events: u64,
}

impl Load {
    pub(crate) fn new(arguments: &Arguments, think: Duration, visits: Visits, crawled: f64) -> Self {
        let at = |share: f64| {
            let place = (visits.times.len().saturating_sub(1) as f64 * share) as usize;
            visits.times.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
        };
        Self {
            machine: machine(),
            searchers: arguments.searchers,
            listeners: arguments.listeners,
            pages: arguments.pages,
            budget: arguments.budget.clone(),
            think_seconds: think.as_secs_f64(),
            seconds: visits.seconds,
            searches: visits.times.len(),
            p50_ms: at(0.5),
            p90_ms: at(0.9),
            p99_ms: at(0.99),
            longest_ms: at(1.0),
            errors: visits.errors,
            crawled_per_second: crawled,
            memory_mib: Vec::new(),
            events_least: None,
            events: 0,
        }
    }

    pub(crate) fn with_memory(self, memory_mib: Vec<f64>) -> Self {
        Self { memory_mib, ..self }
    }

    /// What listeners heard meanwhile.
    pub(crate) fn heard(&mut self, before: &[u64], after: &[u64]) {
        let heard = || after.iter().zip(before).map(|(after, before)| after - before);
        (self.events_least, self.events) = (heard().min(), heard().sum());
    }

    pub(crate) fn p99(&self) -> Duration {
        Duration::try_from_secs_f64(self.p99_ms / 1e3).unwrap_or_default()
    }

    fn per_second(&self) -> f64 {
        self.searches as f64 / self.seconds
    }

    pub(crate) fn print(&self) {
        let Self { searchers, listeners, think_seconds, seconds, .. } = self;
        println!(
            "{searchers} searchers ({think_seconds} s to think), {listeners} dashboards, {seconds:.0} s, {}",
            self.machine
        );
        println!("searches            {:>9}   {:.1}/s", self.searches, self.per_second());
        println!("errors              {:>9}   {}", self.errors.len(), self.errors.first().map_or("", String::as_str));
        for (name, time) in
            [("p50", self.p50_ms), ("p90", self.p90_ms), ("p99", self.p99_ms), ("longest", self.longest_ms)]
        {
            println!("{name:<20}{time:>9.1} ms");
        }
        println!("engine's requests   {:>9.1}/s", self.crawled_per_second);
        let third = (self.memory_mib.len() / 3).max(1);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        for (name, part) in ["first", "middle", "last"].iter().zip(self.memory_mib.chunks(third)) {
            println!("memory, {name:<12}{:>9.1} MiB", mean(part));
        }
        let least = self.events_least.unwrap_or(0);
        println!("events              {:>9}   {least} at least by each dashboard", self.events);
    }

    pub(crate) fn print_step(&self) {
        println!(
            "{:>8.4} s to think: {:>7.1} searches/s, p50 {:>7.1} ms, p99 {:>7.1} ms, {} errors",
            self.think_seconds,
            self.per_second(),
            self.p50_ms,
            self.p99_ms,
            self.errors.len()
        );
    }
}
