//! What the model would say if robots that are on their way finished what they began.
//!
//! The model of the paper stops robots at once when documents fill the buffer; the engine's robots bring what they were sent for.
//! Exponential laws with the fitted means; the state is the number of documents and of robots on their way.

use control::Costs;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use sim::exponential;

/// Events simulated.
const EVENTS: usize = 2_000_000;

/// What was fitted, and how many robots are wanted for 0, 1, ... documents.
pub(crate) struct System<'a> {
    /// Documents a robot brings per second.
    pub(crate) arrivals: f64,
    /// Mean time to index a document.
    pub(crate) service: f64,
    /// Rate at which waiting documents become obsolete.
    pub(crate) obsolescence: f64,
    pub(crate) robots: &'a [u32],
    pub(crate) costs: Costs,
}

/// Sums over the time of a simulation.
#[derive(Default)]
struct Tally {
    time: f64,
    starved: f64,
    wanted: f64,
    arrivals: u64,
    lost: u64,
    obsolete: u64,
    served: u64,
    sojourn: f64,
}

impl System<'_> {
    /// Loss, obsolescence, starvation, sojourn, robots wanted, arrivals and cost.
    pub(crate) fn measures(&self) -> [f64; 7] {
        let Tally { time, starved, wanted, arrivals, lost, obsolete, served, sojourn } = self.simulate();
        let (lost, obsolete, sojourn) = (lost as f64, obsolete as f64, sojourn / served as f64);
        let (starvation, robots, arrivals) = (starved / time, wanted / time, arrivals as f64);
        let cost = self.costs.total(lost / time, obsolete / time, sojourn, robots, starvation);
        [lost / arrivals, obsolete / arrivals, starvation, sojourn, robots, arrivals / time, cost]
    }

    fn simulate(&self) -> Tally {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let (mut tally, mut under_way) = (Tally::default(), 0_u32);
        // When each document came, the one being indexed first.
        let mut documents: Vec<f64> = Vec::new();
        for _ in 0..EVENTS {
            let wanted = self.robots[documents.len()];
            under_way = under_way.max(wanted);
            let busy = f64::from(u8::from(!documents.is_empty()));
            let rates = [
                f64::from(under_way) * self.arrivals,
                busy / self.service,
                documents.len().saturating_sub(1) as f64 * self.obsolescence,
            ];
            let total = rates.iter().sum::<f64>();
            let wait = exponential(&mut random, total);
            tally.time += wait;
            tally.starved += (1.0 - busy) * wait;
            tally.wanted += f64::from(wanted) * wait;
            let which = random.random::<f64>() * total;
            if which < rates[0] {
                under_way -= 1;
                tally.arrivals += 1;
                if documents.len() + 1 < self.robots.len() {
                    documents.push(tally.time);
                } else {
                    tally.lost += 1;
                }
            } else if which < rates[0] + rates[1] {
                tally.served += 1;
                tally.sojourn += tally.time - documents.remove(0);
            } else {
                // Any of those that wait.
                let place = 1 + ((which - rates[0] - rates[1]) / self.obsolescence) as usize;
                tally.obsolete += 1;
                documents.remove(place.min(documents.len() - 1));
            }
        }
        tally
    }
}
