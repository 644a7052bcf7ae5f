//! C-24: rates that hold also where the number of robots changes all the time.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::fit::deliveries::{Activity, Batches, Stops, Trace};

/// Deliveries of a process whose speed is that of one or four robots by turns of the given length.
fn deliveries(process: &Bmap, turn: f64, end: f64) -> (Vec<f64>, Activity) {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let (mut now, mut phase, mut times, mut changes) = (0.0, 0, Vec::new(), Vec::new());
    for n in 0.. {
        let (robots, until) = ([1, 4][n % 2], turn * (n + 1) as f64);
        changes.push((now, robots));
        loop {
            let (wait, pages, next) = process.sped_up(f64::from(robots)).step(phase, &mut rng);
            // Whatever the wait was to be, what is left of it is as long again.
            if now + wait > until {
                now = until;
                break;
            }
            (now, phase) = (now + wait, next);
            times.extend((0..pages).map(|_| now));
        }
        if now >= end {
            break;
        }
    }
    (times, Activity::new(&changes).unwrap())
}

fn gaps_of(process: &Bmap, turn: f64) -> BTreeMap<u32, Part> {
    let (times, activity) = deliveries(process, turn, 20_000.0);
    let options = DeliveryOptions { batches: Batches::Within(0.0), stops: Stops::Kept, ..DeliveryOptions::default() };
    Trace::new(&times, None, &options).unwrap().by_robots(&activity)
}

/// Turns as long as a gap break many of those of one robot, the longest first: the others alone would say more than twice the
/// rate.
#[test]
fn c24_broken_gaps_do_not_bias_the_rate() {
    let process = Bmap::poisson(1.0).unwrap();
    let parts = gaps_of(&process, 1.0);
    assert!(parts[&1].broken_share() > 0.4, "{}", parts[&1].broken_share());
    let biased = 1.0 / parts[&1].trace.statistics(&DeliveryOptions::default()).gaps().mean();
    assert!(biased > 2.0, "{biased}");
    for (robots, choice) in arrivals_by_robots(&parts, None, &[Method::Moments], &EmOptions::default()).unwrap() {
        // 10,000 batches with one robot: one standard error is 1%.
        let fitted = &choice.best.fitted;
        assert!((fitted.process.rate() / f64::from(robots) - 1.0).abs() < 0.04, "{robots}: {}", fitted.process.rate());
        let broken = |departure: &Departure| matches!(departure, Departure::Broken { .. });
        assert!(fitted.report.departures.iter().any(broken));
    }
}

/// A process with its phases in another order and one of them split is the same process.
#[test]
fn phases_in_order() {
    let paper = crate::model::examples::paper_arrivals();
    for ((_, bmap), phases) in paper.iter().flat_map(|arrivals| [(arrivals, 2), (arrivals, 4)]) {
        let other = slowest_first(bmap, phases).unwrap();
        assert_eq!(other.phases(), phases);
        let waits = other.times_to_batch();
        assert!(waits.windows(2).all(|pair| pair[0] >= pair[1] - 1e-12), "{waits:?}");
        assert!((other.rate() / bmap.rate() - 1.0).abs() < 1e-12);
        for k in 1..4 {
            assert!((other.interval_moment(k) / bmap.interval_moment(k) - 1.0).abs() < 1e-12);
            assert!((other.correlation(k) - bmap.correlation(k)).abs() < 1e-12);
        }
    }
}
