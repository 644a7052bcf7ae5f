//! What has been seen, as a model: fetches of robots that finish them, service and obsolescence, in bounded memory.

use anyhow::{Context, Result};
use control::fit::SizeStream;
use control::{Costs, Finishing};
use crawl::fleet::Seen;

/// Fetches and documents whose memory counts: means are then known to some 2 %, and what the engine did at its start is forgotten.
const MEMORY: f64 = 2_000.0;

/// The time after which what robots did counts by a factor e less, in seconds.
const FADING: f64 = 3_600.0;

/// Documents brought, and documents indexed, that are needed for a model.
const NEEDED: u64 = 200;

/// Of robots that were never at work next to nothing is expected: it must be something.
const NOTHING: f64 = 1e-9;

/// What the model is made of.
#[derive(Debug)]
pub(super) struct Fits {
    fetches: SizeStream,
    services: SizeStream,
    work: Work,
    /// Fetches that brought a document, and all of them, both fading.
    brought: (f64, f64),
    /// Sum of the change rates of delivered pages, and their number, both fading.
    change_rates: (f64, f64),
    pub(super) delivered: u64,
    pub(super) indexed: u64,
}

/// For how long how many robots were at work, fading.
#[derive(Clone, Debug, Default)]
struct Work {
    /// With nothing to do for more, by their number.
    enough: Vec<f64>,
    /// With more to do than robots.
    short: f64,
}

impl Work {
    fn add(&mut self, time: f64, active: u32, is_short: bool) {
        let remains = (-time / FADING).exp();
        self.enough.iter_mut().chain([&mut self.short]).for_each(|time| *time *= remains);
        if is_short {
            self.short += time;
            return;
        }
        let active = active as usize;
        if self.enough.len() <= active {
            self.enough.resize(active + 1, 0.0);
        }
        self.enough[active] += time;
    }

    /// How many robots would have been at work on average if so many had been wanted: all of them where there was work for more,
    /// else as many as there was work for.
    fn mean_active(&self, wanted: u32) -> f64 {
        let total: f64 = self.enough.iter().sum::<f64>() + self.short;
        let enough = self.enough.iter().enumerate().map(|(active, time)| time * (active as f64).min(f64::from(wanted)));
        (enough.sum::<f64>() + self.short * f64::from(wanted)) / total
    }
}

impl Fits {
    pub(super) fn new() -> Self {
        Self {
            fetches: SizeStream::new(MEMORY),
            services: SizeStream::new(MEMORY),
            work: Work::default(),
            brought: (0.0, 0.0),
            change_rates: (0.0, 0.0),
            delivered: 0,
            indexed: 0,
        }
    }

    pub(super) fn see(&mut self, seen: &Seen) {
        match *seen {
            Seen::Worked { time, active, is_short, .. } => self.work.add(time, active, is_short),
            Seen::Back { took, brought, .. } => {
                self.fetches.add(took);
                fade(&mut self.brought, f64::from(u8::from(brought)));
            }
            Seen::Delivered { rate, .. } => {
                self.delivered += 1;
                fade(&mut self.change_rates, rate);
            }
            Seen::Indexed { served, .. } => {
                self.services.add(served.service);
                self.indexed += 1;
            }
            Seen::Obsolete { .. } => {}
        }
    }

    pub(super) fn is_enough(&self) -> bool {
        self.delivered.min(self.indexed) >= NEEDED
    }

    /// The model for a buffer of so many places and up to so many robots.
    ///
    /// Where there is not always work for all robots, of those wanted only as many are at work as there was work for.
    pub(super) fn model(
        &self,
        places: usize,
        most: u32,
        learned_obsolescence: bool,
        costs: Costs,
    ) -> Result<Finishing> {
        let (of_fetch, of_service) = phases(most);
        let fetch = self.fetches.law_from_moments(of_fetch).context("fetches")?.law;
        let service = self.services.law_from_moments(of_service).context("service")?.law;
        let mean = |(sum, count): (f64, f64)| if count > 0.0 { sum / count } else { 0.0 };
        let obsolescence = learned_obsolescence.then(|| mean(self.change_rates));
        let at_work: Vec<f64> = (1..=most).map(|robots| self.work.mean_active(robots).max(NOTHING)).collect();
        let model = Finishing::new(places, service, obsolescence, fetch, most, costs)?;
        Ok(model.bringing(mean(self.brought))?.with_work(&at_work)?)
    }
}

/// Adds a value and counts it; those before count a little less.
fn fade((sum, count): &mut (f64, f64), value: f64) {
    let remains = 1.0 - 1.0 / MEMORY;
    (*sum, *count) = (*sum * remains + value, *count * remains + 1.0);
}

/// Phases for the laws of fetches and of service: the more robots, the fewer, or there would be too many states.
fn phases(most: u32) -> (usize, usize) {
    match most {
        ..=8 => (2, 4),
        9..=16 => (2, 2),
        _ => (1, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_for_more_is_told_from_work_for_no_more() {
        let mut work = Work::default();
        // Two at work with nothing to do for more for half of the time, and as many as wanted, four, for the other.
        for _ in 0..100 {
            work.add(0.01, 2, false);
            work.add(0.01, 4, true);
        }
        for (wanted, active) in [(1, 1.0), (2, 2.0), (4, 3.0), (8, 5.0)] {
            assert!((work.mean_active(wanted) - active).abs() < 1e-3, "{wanted}: {}", work.mean_active(wanted));
        }
    }

    /// One or three robots that each take a second on average, every fifth time for nothing, and an indexer that takes 0.1 s.
    #[test]
    fn a_known_system_is_recognised() {
        let mut fits = Fits::new();
        let mut random = 1_u64;
        let mut exponential = move || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            -(((random >> 11) as f64 + 0.5) / (1_u64 << 53) as f64).ln()
        };
        let mut now = 0.0;
        for round in 0..6_000_u32 {
            let active = if (round / 50) % 2 == 0 { 1 } else { 3 };
            let time = exponential() / f64::from(active);
            now += time;
            let brought = round % 5 > 0;
            fits.see(&Seen::Back { at: now, took: exponential(), brought });
            fits.see(&Seen::Worked { at: now, time, active, wanted: active, is_short: true, next: active });
            if brought {
                fits.see(&Seen::Delivered { at: now, rate: 0.01, lost: false });
                let service = 0.1 * exponential();
                fits.see(&Seen::Indexed { at: now, served: store::Served { sojourn: service, service } });
            }
        }
        assert!(fits.is_enough());
        let model = fits.model(20, 8, true, Costs::default()).unwrap();
        // About 2,000 of each are remembered: one standard error is 2.2 %.
        assert!((model.fetch().mean() - 1.0).abs() < 0.09, "{}", model.fetch().mean());
        assert!((model.brings() - 0.8).abs() < 0.01, "{}", model.brings());
        assert!((model.largest_rate() / 6.4 - 1.0).abs() < 0.09, "{}", model.largest_rate());
        assert!((model.service().mean() / 0.1 - 1.0).abs() < 0.09, "{}", model.service().mean());
        assert!((model.obsolescence() - 0.01).abs() < 1e-9);
        assert!(Fits::new().model(20, 8, true, Costs::default()).is_err());
    }
}
