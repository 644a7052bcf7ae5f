//! C-23: what controllers do, step by step. Against each other they run in crate `sim`.

use proptest::prelude::*;

use super::baselines::*;
use super::*;
use crate::model::examples;
use crate::queue::by_size::tests::paper_with;
use crate::queue::by_size::vectors::Law;
use crate::queue::solve;

fn at(now: f64, pages: usize) -> Observation {
    Observation { now, pages, size_class: None, event: Event::Tick }
}

fn seen(now: f64, pages: usize, event: Event) -> Observation {
    Observation { now, pages, size_class: None, event }
}

fn policy(robots: &[u32]) -> RobotPolicy {
    RobotPolicy::new(&examples::paper(robots.len() - 1), robots.to_vec()).unwrap()
}

#[test]
fn dwell_delays_changes_but_not_a_reduction_when_full() {
    let mut controller = ThresholdController::new(policy(&[3, 3, 1, 1]), 10.0, 0.0);
    assert_eq!(controller.robots(&at(0.0, 0)), 3);
    assert_eq!(controller.next_tick(), f64::INFINITY);
    assert_eq!(controller.robots(&at(1.0, 2)), 3);
    assert_eq!(controller.next_tick(), 10.0);
    assert_eq!(controller.robots(&at(2.0, 3)), 1);
    assert_eq!(controller.robots(&at(3.0, 1)), 1);
    assert_eq!(controller.next_tick(), 12.0);
    assert_eq!(controller.robots(&at(12.0, 1)), 3);
    // Wanted no more before its time: nothing is due.
    assert_eq!((controller.robots(&at(13.0, 2)), controller.next_tick()), (3, 22.0));
    assert_eq!((controller.robots(&at(14.0, 0)), controller.next_tick()), (3, f64::INFINITY));
}

#[test]
fn a_new_policy_needs_a_clear_gain() {
    let (old, new) = (policy(&[3, 3, 1, 1]), policy(&[4, 4, 1, 1]));
    let mut controller = ThresholdController::new(old.clone(), 0.0, 0.02);
    for unclear in [-1.0, 0.0, 0.02, f64::NAN] {
        assert!(!controller.consider(&new, unclear));
        assert_eq!(controller.policy(), &old);
    }
    assert_eq!(controller.robots(&at(0.0, 0)), 3);
    assert!(controller.consider(&new, 0.03));
    assert_eq!(controller.robots(&at(0.0, 0)), 4);
    assert!(!controller.consider(&new, 0.03), "it is in force already");
}

/// Table 1 of ADKNS: 63.54 with 3 or 1 robots against 89.405 with 3.
#[test]
fn the_gain_is_that_of_the_solved_costs() {
    let model = examples::paper(5);
    let best = RobotPolicy::thresholds(&model, &[3, 1], &[2]).unwrap();
    let gain = |present: &RobotPolicy, proposed: &RobotPolicy| gain(&model, present, proposed).unwrap();
    assert!((gain(&model.fixed(3), &best) - (1.0 - 63.5425 / 89.405)).abs() < 1e-4);
    assert!(gain(&best, &model.fixed(3)) < 0.0);
    assert_eq!(gain(&best, &best), 0.0);
}

/// With costs that are only bounded no more is promised than is certain. By then more places change little: at twelve places
/// an independent solution gives 151.8786 for 3 or 1 robots and 178.2848 for 4, 3 or 1.
#[test]
fn a_gain_between_bounds_is_the_least_it_can_be() {
    let model = paper_with(Law::Hyper(7.0), 24);
    let [less, more] = [(&[3, 1][..], &[2][..]), (&[4, 3, 1], &[0, 2])]
        .map(|(modes, thresholds)| RobotPolicy::thresholds(&model, modes, thresholds).unwrap());
    let promised = gain(&model, &more, &less).unwrap();
    let exact = 1.0 - 151.8786 / 178.2848;
    assert!(promised < exact && promised > exact - 2e-3, "{promised} {exact}");
    assert!(gain(&model, &less, &more).unwrap() < 0.0);
    assert_eq!(gain(&model, &less, &less), Ok(0.0));
}

proptest! {
    /// Changes are a dwell apart but for reductions when full; without dwell it is the policy; at its tick it does
    /// what the policy wants.
    #[test]
    fn dwell_holds(
        robots in proptest::collection::vec(1u32..=4, 2..8),
        steps in proptest::collection::vec((0.0f64..3.0, 0usize..8), 1..60),
        dwell in 0.0f64..4.0,
    ) {
        let (policy, full) = (policy(&robots), robots.len() - 1);
        let mut controller = ThresholdController::new(policy.clone(), dwell, 0.0);
        let mut plain = ThresholdController::new(policy.clone(), 0.0, 0.0);
        let (mut now, mut last, mut changed) = (0.0, None, f64::NEG_INFINITY);
        for (wait, pages) in steps {
            now += wait;
            let got = controller.robots(&at(now, pages));
            prop_assert_eq!(plain.robots(&at(now, pages)), policy.with_pages(pages));
            if let Some(last) = last.filter(|last| *last != got) {
                prop_assert!(now >= changed + dwell || (got < last && pages >= full));
            }
            if last != Some(got) {
                changed = now;
            }
            let wanted = policy.with_pages(pages);
            if got != wanted {
                // Late only until its own tick, and no longer than a dwell after the last change.
                let tick = controller.next_tick();
                prop_assert!(tick > now && tick <= changed + dwell);
                prop_assert_eq!(controller.clone().robots(&at(tick, pages)), wanted);
            }
            prop_assert!(pages < full || got <= wanted, "full: {} robots, {} wanted", got, wanted);
            last = Some(got);
        }
    }

    /// No baseline leaves its range, whatever it sees, and none asks to be asked in the past for good.
    #[test]
    fn baselines_stay_in_range(
        steps in proptest::collection::vec((0.0f64..3.0, 0usize..8, 0u8..4, 0.0f64..5.0), 1..80),
        least in 1u32..3, more in 0u32..4,
    ) {
        let range = Range { least, most: least + more };
        let gains = PidGains { proportional: 1.0, integral: 0.3, derivative: 0.2 };
        let all: [Box<dyn Controller>; 4] = [
            Box::new(Proportional { range, buffer: 5 }),
            Box::new(Aimd::new(range, 1.0)),
            Box::new(CoDel::new(range, 1.0, 2.0)),
            Box::new(Pid::new(range, 2.0, gains, 0.5)),
        ];
        for mut controller in all {
            let mut now = 0.0;
            for (wait, pages, kind, sojourn) in &steps {
                now += wait;
                let event = match kind {
                    0 => Event::Tick,
                    1 => Event::Batch { pages: 3, lost: *pages / 3 },
                    2 => Event::Indexed { sojourn: *sojourn, service: sojourn / 2.0 },
                    _ => Event::Obsolete { sojourn: *sojourn },
                };
                let robots = controller.robots(&seen(now, *pages, event));
                prop_assert!((range.least..=range.most).contains(&robots));
                prop_assert!(controller.next_tick() > now || controller.next_tick() == f64::NEG_INFINITY);
            }
        }
    }
}

/// Robots after each of a list of observations.
fn follow(controller: &mut dyn Controller, observations: &[Observation]) -> Vec<u32> {
    observations.iter().map(|observation| controller.robots(observation)).collect()
}

#[test]
fn switches_by_hand() {
    let pages = [0, 2, 3, 2, 1, 0].map(|pages| at(0.0, pages));
    assert_eq!(follow(&mut Fixed(2), &pages), [2; 6]);
    assert_eq!(follow(&mut OnOff { on: 4, off: 1, threshold: 2 }, &pages), [4, 4, 1, 4, 4, 4]);
    assert_eq!(follow(&mut Hysteresis::new(4, 1, 1, 3), &pages), [4, 4, 1, 1, 4, 4]);
    let range = Range { least: 1, most: 4 };
    assert_eq!(follow(&mut Proportional { range, buffer: 3 }, &pages), [4, 2, 1, 2, 3, 4]);
}

#[test]
fn aimd_by_hand() {
    let mut aimd = Aimd::new(Range { least: 1, most: 6 }, 1.0);
    let fine = Event::Batch { pages: 2, lost: 0 };
    let steps = [at(0.0, 0), at(1.0, 0), at(2.0, 0), seen(2.5, 1, fine), at(3.0, 1), at(4.0, 1)];
    assert_eq!(follow(&mut aimd, &steps), [1, 2, 3, 3, 4, 5]);
    assert_eq!(aimd.next_tick(), 5.0);
    // Half of five is two; the period begins anew at the loss.
    let loss = Event::Batch { pages: 2, lost: 1 };
    assert_eq!(follow(&mut aimd, &[seen(4.5, 5, loss), at(5.0, 4), at(5.5, 4)]), [2, 2, 3]);
    assert_eq!(follow(&mut aimd, &[seen(5.6, 5, loss), seen(5.7, 5, loss)]), [1, 1]);
}

#[test]
fn pid_by_hand() {
    let range = Range { least: 1, most: 9 };
    let gains = PidGains { proportional: 2.0, integral: 0.5, derivative: 1.0 };
    let mut pid = Pid::new(range, 3.0, gains, 1.0);
    // e = 1: 1 + 2 = 3. Then e = 2, slope 1: the integral is 1 + 0.5 * 2 = 2, u = 2 + 4 + 1 = 7.
    assert_eq!(follow(&mut pid, &[at(0.0, 2), at(0.5, 9), at(1.0, 1)]), [3, 3, 7]);
    // e = 0, slope -2: 2 + 0 - 2 = 0, so the fewest. However long the system is too full, the integral stays within the range:
    // at e = 1 with slope 5 it gives 1 + 0.5 + 2 + 5 = 8.5.
    assert_eq!(follow(&mut pid, &[at(2.0, 3), at(1e6, 7), at(1e6 + 1.0, 2)]), [1, 1, 9]);
}

#[test]
fn codel_by_hand() {
    let mut codel = CoDel::new(Range { least: 1, most: 5 }, 1.0, 4.0);
    let late = |now| seen(now, 3, Event::Indexed { sojourn: 3.0, service: 1.0 });
    let early = |now| seen(now, 3, Event::Indexed { sojourn: 3.0, service: 2.5 });
    // One more after each interval in which pages were early.
    let steps = [at(0.0, 0), at(4.0, 1), early(6.0), at(8.0, 1), at(12.0, 1), at(16.0, 1)];
    assert_eq!(follow(&mut codel, &steps), [1, 2, 2, 3, 4, 5]);
    // Late for an interval: one fewer, the next after 4, 4/sqrt 2, ...
    let steps = [late(17.0), late(20.9), late(21.0), late(24.9), late(25.0), late(27.8), late(27.9)];
    assert_eq!(follow(&mut codel, &steps), [5, 5, 4, 4, 3, 3, 2]);
    // Early again, and obsolete pages are late too.
    let steps = [early(28.0), seen(29.0, 2, Event::Obsolete { sojourn: 2.0 }), at(32.9, 2), at(33.0, 2)];
    assert_eq!(follow(&mut codel, &steps), [2, 2, 2, 1]);
}

#[test]
fn the_measured_cost_by_hand() {
    let costs = examples::PAPER_COSTS;
    let mut meter = CostMeter::new(costs);
    assert_eq!(meter.cost(), None);
    meter.see(&at(0.0, 0), 3);
    meter.see(&seen(2.0, 2, Event::Batch { pages: 3, lost: 1 }), 1);
    meter.see(&seen(5.0, 1, Event::Obsolete { sojourn: 3.0 }), 3);
    assert_eq!(meter.cost(), None);
    meter.see(&seen(10.0, 0, Event::Indexed { sojourn: 8.0, service: 8.0 }), 3);
    // In 10: one lost, one obsolete, 3 robots for 2 and 5, 1 for 3, idle for 2.
    let cost = costs.total(0.1, 0.1, 8.0, 2.4, 0.2);
    assert!((meter.cost().unwrap() - cost).abs() < 1e-12);
    assert!((cost - (0.5 + 1.0 + 16.0 + 48.0 + 60.0)).abs() < 1e-12);
}

/// Two periods of two batches each, two robots: 6 pages in 4 robot-time units, 4 in 8, so 10/12 per robot with linear values
/// (6 - 4 * 10/12)/6 = 4/9 and -4/9, whose mean has error sqrt(2 (4/9)^2/2) = 4/9.
#[test]
fn drift_by_hand() {
    let expected = Expected { pages_per_robot: 0.5, service: 1.0, service_deviation: 0.5, batch: 2.5 };
    let options = DriftOptions { batches: 2, periods: 2, standard_errors: 1.5, tolerance: 0.1 };
    let mut detector = DriftDetector::new(expected, options);
    let batch = |now, pages| seen(now, pages, Event::Batch { pages, lost: 0 });
    let steps = [
        at(0.0, 0),
        batch(1.0, 3),
        batch(2.0, 3),
        seen(3.0, 1, Event::Indexed { sojourn: 5.0, service: 1.5 }),
        batch(4.0, 2),
        batch(6.0, 2),
    ];
    let alarms: Vec<Option<Drift>> = steps.iter().map(|step| detector.see(step, 2)).collect();
    assert!(alarms.iter().all(Option::is_none), "0.75, 1 and 0 standard errors are not clear");
    let judged = *detector.judged().unwrap();
    let close = |deviation: Deviation, observed: f64, errors: f64| {
        assert!((deviation.observed - observed).abs() < 1e-12, "{deviation:?}");
        assert!((deviation.standard_errors - errors).abs() < 1e-12, "{deviation:?}");
    };
    close(judged.arrivals, 10.0 / 12.0, 0.75);
    close(judged.service, 1.5, 1.0);
    close(judged.batch, 2.5, 0.0);
    // Counting starts anew: batches of 9 are clear.
    let alarm = [7.0, 8.0, 9.0, 10.0].map(|now| detector.see(&batch(now, if now < 8.0 { 8 } else { 9 }), 2))[3];
    assert!(alarm.is_some_and(|drift| drift.batch.is_clear(&options)), "{alarm:?}");
}

/// `lambda/N_act` and the mean batch are exact where the law of batches is the same in all phases.
#[test]
fn the_expected_values_of_the_measured_crawler() {
    let model = examples::measured_crawler();
    let policy = RobotPolicy::thresholds(&model, &[4, 1], &[2]).unwrap();
    let measures = solve(&model, &policy);
    let expected = Expected::new(&model, &measures);
    let (_, one) = &model.arrivals()[0];
    assert!((expected.batch - one.rate() / one.batch_rate()).abs() < 1e-9);
    assert!((expected.pages_per_robot * measures.active_robots - measures.arrival_rate).abs() < 1e-12);
    // Hyper-exponential: p1/r1 + p2/r2, twice p1/r1^2 + p2/r2^2.
    let (m1, m2) =
        (0.0057 / 0.0014 + 0.9943 / 0.2409, 2.0 * (0.0057 / (0.0014f64 * 0.0014) + 0.9943 / (0.2409f64 * 0.2409)));
    assert!((expected.service - m1).abs() < 1e-9 * m1);
    assert!((expected.service_deviation - (m2 - m1 * m1).sqrt()).abs() < 1e-9 * m2.sqrt());
}
