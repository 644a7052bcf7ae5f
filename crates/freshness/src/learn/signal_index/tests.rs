use super::super::signal::SignalModel;
use super::*;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_distr::{Distribution, Exp1};

fn index(mu: f64, recall: f64, nu: f64) -> SignalIndex {
    SignalIndex::new(1.0, SignalModel::new(recall, nu).unwrap().page(mu))
}

/// `V(x) = int_0^x e^-y T(y) dy`: Simpson's rule between the kinks at multiples of the step, on the sum for `T`.
fn by_quadrature(index: &SignalIndex, x: f64) -> f64 {
    let delta = index.rates().delta;
    let (mut total, mut low) = (0.0, 0.0);
    while low < x {
        let high = x.min(low + delta);
        let n = 400;
        let h = (high - low) / f64::from(n);
        let f = |y: f64| if y > 0.0 { (-y).exp() * index.cycle(y).0 } else { 0.0 };
        for i in 0..n {
            let y = low + f64::from(i) * h;
            total += (f(y) + 4.0 * f(y + 0.5 * h) + f(y + h)) * h / 6.0;
        }
        low = high;
    }
    total
}

/// F-25: time and fresh time of a cycle against 200,000 simulated cycles, within five standard errors.
#[test]
fn f25_cycle_as_simulated() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(31);
    for (mu, recall, nu, x) in [(1.0, 0.6, 0.5, 1.3), (1.0, 0.9, 0.05, 2.0), (2.0, 0.3, 4.0, 0.7), (0.5, 1.0, 0.3, 2.5)]
    {
        let index = index(mu, recall, nu);
        let SignalRates { alpha, gamma, delta, .. } = index.rates();
        let n = 200_000;
        let (mut time, mut fresh, mut squares) = (0.0, 0.0, (0.0, 0.0));
        for _ in 0..n {
            let (mut now, mut hazard, mut fresh_time) = (0.0, 0.0, 0.0);
            // The fresh time of a cycle, given its signals, is the integral of e^-hazard.
            while hazard < x {
                let to_signal = Distribution::<f64>::sample(&Exp1, &mut rng) / gamma;
                let step = to_signal.min((x - hazard) / alpha);
                now += step;
                fresh_time += if alpha > 0.0 { -(-alpha * step).exp_m1() / alpha } else { step } * f64::exp(-hazard);
                hazard = if step < to_signal { x } else { hazard + alpha * step + delta };
            }
            time += now;
            fresh += fresh_time;
            squares = (squares.0 + now * now, squares.1 + fresh_time * fresh_time);
        }
        let (expected_time, expected_fresh) = index.cycle(x);
        let n = f64::from(n);
        for (sum, square, expected) in [(time, squares.0, expected_time), (fresh, squares.1, expected_fresh)] {
            let mean = sum / n;
            let error = ((square / n - mean * mean) / n).sqrt();
            assert!((mean - expected).abs() < 5.0 * error, "{mu} {recall} {nu}: {mean} +- {error}, not {expected}");
            assert!(error < 0.01 * mean, "the test must have power");
        }
    }
}

/// F-25: at price `V(x)` no other threshold earns more per unit of time than `x`.
#[test]
fn f25_threshold_is_the_best_at_its_own_price() {
    for (recall, nu) in [(0.3, 0.2), (0.7, 1.0), (0.95, 0.1)] {
        let index = index(1.0, recall, nu);
        for x in [0.3, 1.0, 2.5] {
            let price = index.value(x);
            let earned = |y: f64| {
                let (time, fresh) = index.cycle(y);
                (fresh - price) / time
            };
            let best = earned(x);
            (1..400)
                .map(|i| 0.01 * f64::from(i))
                .for_each(|y| assert!(earned(y) <= best + 1e-12, "{recall} {nu}: {y} beats {x}"));
            assert!(earned(3.0 * x) < best - 1e-6, "the test must have power");
        }
    }
}

/// F-17 is the case without signals, or with signals that say nothing.
#[test]
fn f25_without_signals_is_the_index_of_f17() {
    for nu in [0.0, 1e-9, 1.0, 1e9] {
        for tau in [1e-9, 1e-3, 1.0, 30.0] {
            let (value, plain) = (index(0.7, 0.0, nu).value_at(tau, 5), g(0.7 * tau) / 0.7);
            assert!((value / plain - 1.0).abs() < 1e-14, "{nu} {tau}");
        }
    }
    // A recall of next to nothing changes next to nothing.
    let (value, plain) = (index(0.7, 1e-9, 1e-9).value_at(1.0, 0), g(0.7) / 0.7);
    assert!((value / plain - 1.0).abs() < 1e-8);
}

/// Signals that never lie: after one the copy is surely stale and worth `w/mu`; every change signalled: no signal, no
/// value.
#[test]
fn f25_certain_signals() {
    let honest = index(0.5, 0.6, 0.0);
    assert_eq!(honest.value_at(0.1, 1), 2.0);
    assert!(honest.value_at(0.1, 0) < 0.01 && honest.value_at(0.1, 0) > 0.0);
    let complete = index(0.5, 1.0, 0.3);
    assert_eq!(complete.value_at(1e9, 0), 0.0);
    // Access at the k-th signal: T = k/gamma, psi = sum_{j<k} (nu/gamma)^j/gamma.
    let (gamma, p_false) = (0.8, 0.3 / 0.8f64);
    for k in 1..5u32 {
        let psi: f64 = (0..k).map(|j| p_false.powi(j as i32) / gamma).sum();
        let value = psi - p_false.powi(k as i32) * f64::from(k) / gamma;
        assert!((complete.value_at(7.0, k) / value - 1.0).abs() < 1e-12, "{k}");
    }
    assert_eq!(index(0.5, 1.0, 0.0).value_at(3.0, 2), 2.0);
    assert_eq!(index(0.0, 0.5, 1.0).value_at(3.0, 2), 0.0);
}

#[test]
fn f25_equals_its_integral() {
    for (recall, nu) in [(0.3, 0.2), (0.9, 0.01), (0.5, 3.0), (0.99, 5.0), (0.05, 0.01), (0.001, 0.001)] {
        let index = index(1.0, recall, nu);
        for x in [1e-4, 0.05, 0.4, 1.5, 4.0] {
            if index.steps_are_small(x) {
                continue;
            }
            let (value, integral) = (index.value(x), by_quadrature(&index, x));
            assert!((value / integral - 1.0).abs() < 1e-7, "{recall} {nu} {x}: {value} {integral}");
        }
    }
}

/// Where the sums give way to their limit the two agree: to a thousandth even when every change is signalled and the
/// hazard moves in steps only, and to 1e-9 when half of them are.
#[test]
fn f25_limit_of_many_weak_signals() {
    for (recall, tolerance) in [(0.1, 1e-10), (0.5, 1e-10), (0.9, 1e-4), (1.0, 1e-3)] {
        for delta in [0.001, 0.03, 0.3] {
            let index = index(1.0, recall, recall / f64::exp_m1(delta));
            for part in [0.01, 0.3, 0.7] {
                let x = (MOST_TERMS + part) * delta;
                let (time, fresh) = index.cycle(x);
                let sums = fresh - (-x).exp() * time;
                let limit = index.limit_value(x);
                assert!((limit / sums - 1.0).abs() < tolerance, "{recall} {delta} {part}: {sums} {limit}");
                assert!((index.limit_time(x) / time - 1.0).abs() < 0.04, "{recall} {delta} {part}: {time}");
            }
        }
    }
}

proptest! {
    /// Over all magnitudes: never NaN, never outside `[0, w/mu]`, never falling.
    #[test]
    fn f25_rises_to_its_supremum(
        log_mu in -9.0f64..9.0,
        recall in prop_oneof![Just(0.0), Just(1.0), 0.0f64..1.0, (-12.0f64..0.0).prop_map(|e| 1.0 - 10f64.powf(e))],
        log_ratio in prop_oneof![Just(-400.0), -15.0f64..8.0], log_x in -12.0f64..3.0,
    ) {
        let mu = 10f64.powf(log_mu);
        let index = index(mu, recall, mu * 10f64.powf(log_ratio));
        let x = 10f64.powf(log_x);
        let (value, later) = (index.value(x), index.value(1.05 * x));
        prop_assert!(value >= 0.0 && value <= index.supremum() * (1.0 + 1e-12), "{}", value);
        prop_assert!(later >= value * (1.0 - 1e-7), "{} {}", value, later);
        let slope = index.value_and_slope(x).1;
        prop_assert!(slope >= 0.0 && slope.is_finite());
    }

    /// The slope is the derivative, by central differences of step 1e-5 x.
    #[test]
    fn f25_slope(recall in 0.01f64..0.99, log_nu in -3.0f64..1.0, x in 0.1f64..5.0) {
        let index = index(1.0, recall, 10f64.powf(log_nu));
        let delta = index.rates().delta;
        let h = 1e-5 * x;
        // The kinks of T are of higher order, but the seam to the limit is not.
        prop_assume!((x / delta - MOST_TERMS).abs() > 0.1);
        let difference = (index.value(x + h) - index.value(x - h)) / (2.0 * h);
        let slope = index.value_and_slope(x).1;
        prop_assert!((difference / slope - 1.0).abs() < 1e-4, "{} {}", difference, slope);
    }

    /// The inverse returns what was put in, to the conditioning `e^-x` of the index.
    #[test]
    fn f25_inverse_undoes_value(
        log_mu in -6.0f64..6.0, recall in 0.0f64..1.0, log_ratio in -6.0f64..3.0, log_x in -3.0f64..1.0,
    ) {
        let mu = 10f64.powf(log_mu);
        let index = index(mu, recall, mu * 10f64.powf(log_ratio));
        let x = 10f64.powf(log_x);
        let back = index.inverse(index.value(x));
        prop_assert!((index.value(back) / index.value(x) - 1.0).abs() < 1e-9, "{} {}", x, back);
        prop_assert!((back / x - 1.0).abs() < 1e-6 + 1e-12 * x.exp() || index.steps_are_small(x), "{} {}", x, back);
        prop_assert!(index.inverse(index.supremum()) == f64::INFINITY && index.inverse(0.0) == 0.0);
        let until = index.time_until(index.value(x), 0);
        prop_assert!((index.value_at(until, 0) / index.value(x) - 1.0).abs() < 1e-8);
    }
}
