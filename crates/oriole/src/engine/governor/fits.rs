//! What has been seen, as the model of the paper: arrivals by number of robots, service and obsolescence, in bounded memory.

use anyhow::{Context, Result};
use control::fit::{Batches, DeliveryOptions, DeliveryStream, SizeStream, Stops, arrivals_from_statistics};
use control::{Bmap, Costs, Model, PhaseType};
use crawl::fleet::Seen;

/// Deliveries and documents whose memory counts.
const MEMORY: f64 = 5_000.0;

/// The time after which what robots did counts by a factor e less, in seconds.
const FADING: f64 = 3_600.0;

/// Deliveries, and documents indexed, that are needed for a model.
const NEEDED: u64 = 200;

/// Phases of the law of service.
const PHASES: usize = 2;

/// Robots for each of which the model has arrivals.
const MOST_ROBOTS: u32 = 64;

/// No robots bring next to nothing: a process must bring something.
pub(super) const NOTHING: f64 = 1e-9;

/// What the model is made of.
#[derive(Debug)]
pub(super) struct Fits {
    deliveries: DeliveryStream,
    services: SizeStream,
    work: Work,
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
        let options = DeliveryOptions { batches: Batches::Single, stops: Stops::Kept, ..DeliveryOptions::default() };
        let mut deliveries = DeliveryStream::new(options, MEMORY);
        deliveries.robots(0.0, 0);
        Self {
            deliveries,
            services: SizeStream::new(MEMORY),
            work: Work::default(),
            change_rates: (0.0, 0.0),
            delivered: 0,
            indexed: 0,
        }
    }

    pub(super) fn see(&mut self, seen: &Seen) {
        match *seen {
            Seen::Worked { at, time, active, is_short, next, .. } => {
                self.work.add(time, active, is_short);
                self.deliveries.robots(at, next);
            }
            Seen::Delivered { at, rate, .. } => {
                self.deliveries.delivered(at);
                self.delivered += 1;
                let remains = 1.0 - 1.0 / MEMORY;
                self.change_rates = (self.change_rates.0 * remains + rate, self.change_rates.1 * remains + 1.0);
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
    /// Deliveries are taken in operational time, the time robots were at work (section 7 of the paper); wanted robots bring as many
    /// as those of them that are at work on average.
    pub(super) fn model(&self, places: usize, most: u32, learned_obsolescence: bool, costs: Costs) -> Result<Model> {
        let one = arrivals_from_statistics(self.deliveries.statistics()).context("arrivals")?.process;
        let service = self.services.law_from_moments(PHASES).context("service")?.law;
        let arrivals = (1..=most.min(MOST_ROBOTS)).map(|robots| (robots, self.sped_up(&one, robots))).collect();
        let (sum, count) = self.change_rates;
        let obsolescence = match learned_obsolescence && sum > 0.0 {
            true => Some(PhaseType::exponential(sum / count).context("obsolescence")?),
            false => None,
        };
        Ok(Model::new(places, service, obsolescence, arrivals, costs)?)
    }

    fn sped_up(&self, one: &Bmap, robots: u32) -> Bmap {
        one.sped_up(self.work.mean_active(robots).max(NOTHING))
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

    /// Robots that each bring a document every second on average, by turns one and three of them, and an indexer that takes 0.1 s.
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
            let next = if ((round + 1) / 50) % 2 == 0 { 1 } else { 3 };
            now += time;
            fits.see(&Seen::Delivered { at: now, rate: 0.01, lost: false });
            fits.see(&Seen::Worked { at: now, time, active, wanted: active, is_short: true, next });
            let service = 0.1 * exponential();
            fits.see(&Seen::Indexed { at: now, served: store::Served { sojourn: service, service } });
        }
        assert!(fits.is_enough());
        let model = fits.model(20, 8, true, Costs::default()).unwrap();
        // About 5,000 of each are remembered: one standard error is 1.4 %.
        for robots in [1, 3, 8] {
            let rate = model.arrivals_of(robots).unwrap().rate() / f64::from(robots);
            assert!((rate - 1.0).abs() < 0.06, "{robots}: {rate}");
        }
        assert!((model.service().mean() / 0.1 - 1.0).abs() < 0.06, "{}", model.service().mean());
        assert!((model.obsolescence().unwrap().mean() - 100.0).abs() < 1e-6);
        assert!(Fits::new().model(20, 8, true, Costs::default()).is_err());
    }
}
