//! C-25 against published values and against moments computed from the laws themselves.

use proptest::prelude::*;

use super::*;

fn assert_moments(law: &PhaseType, wanted: &[f64], tolerance: f64) {
    for (k, wanted) in (1..).zip(wanted) {
        let got = law.moment(k);
        assert!((got / wanted - 1.0).abs() < tolerance, "moment {k}: {got}, not {wanted}");
    }
}

#[test]
fn c25_the_papers_service_law() {
    // ADKNS section 7: three moments of the content size, then scaled to a mean of 8.2.
    let moments = [49207.0356, 2.0527e11, 2.5773e18];
    let law = hyper_exponential(&moments).unwrap().scaled(8.2 / moments[0]);
    // Six digits were computed apart from this code; ADKNS print 0.0057, 0.0014 and 0.2409.
    assert!((law.start()[0] - 0.005753).abs() < 5e-7, "{}", law.start()[0]);
    assert!((law.exits()[0] - 0.0014251).abs() < 5e-8, "{}", law.exits()[0]);
    assert!((law.exits()[1] - 0.2388).abs() < 5e-5, "{}", law.exits()[1]);
    assert!((law.squared_variation() - 83.78).abs() < 0.005, "{}", law.squared_variation());
    assert_eq!(acyclic(&moments, 100).unwrap().order(), 2, "the same law comes out without asking for it");
}

#[test]
fn c25_two_phases_in_canonical_form() {
    // BuTools' PH2From3Moments [10, 160, 3500].
    let law = acyclic(&[10.0, 160.0, 3500.0], 2).unwrap();
    let wanted = [0.8701999867127262, 0.15576001594472855, 0.22659292523174204];
    for (got, wanted) in [law.start()[0], -law.rates()[(0, 0)], law.exits()[1]].iter().zip(wanted) {
        assert!((got / wanted - 1.0).abs() < 1e-12, "{got} {wanted}");
    }
    assert!((law.rates()[(0, 1)] + law.rates()[(0, 0)]).abs() < 1e-15);
}

#[test]
fn c25_least_orders() {
    // BuTools' APHFrom3Moments, and its printed example for 1.9, 5: with three phases from 16.577458 to 17.081405, with four
    // from 16.079377 upwards.
    for (moments, order) in [([10.0, 125.0, 8400.0], 6), ([10.0, 105.0, 1160.0], 22)] {
        let law = acyclic(&moments, 100).unwrap();
        assert_eq!(law.order(), order);
        assert_moments(&law, &moments, 1e-9);
    }
    let order = |third: f64| acyclic(&[1.9, 5.0, third], 100).unwrap().order();
    assert_eq!([16.577, 16.578, 17.081, 17.082].map(order), [4, 3, 3, 4]);
    assert_eq!([16.079, 16.080, 1e4].map(order), [5, 4, 4]);
}

#[test]
fn c25_special_laws_come_back() {
    assert_eq!(acyclic(&[2.0, 8.0, 48.0], 10).unwrap().order(), 1);
    for k in [2, 3, 7] {
        let erlang = PhaseType::erlang(k, 1.5).unwrap();
        let moments = [1, 2, 3].map(|k| erlang.moment(k));
        let law = acyclic(&moments, 10).unwrap();
        assert_eq!(law.order(), k);
        assert_moments(&law, &moments, 1e-7);
    }
}

#[test]
fn c25_refusals_say_why_and_what_is_done_instead() {
    let error = |moments| acyclic(&moments, 4).unwrap_err().to_string();
    assert!(error([0.0, 1.0, 1.0]).contains("moment 1 is 0"));
    assert!(error([1.0, 1.0, f64::NAN]).contains("moment 3 is NaN"));
    assert!(error([2.0, 3.0, 9.0]).contains("below the squared mean 4"));
    assert!(error([1.0, 3.0, 8.0]).contains("below 9, the least"));
    assert!(error([1.0, 1.1, 1.3]).contains("needs at least 10 phases, 4 are allowed"));
    assert!(error([1.0, 3.0, 10.0]).contains("too small for 4 phases"));
    assert!(error([1.0, 1.3, 2.3]).contains("too large for 4 phases"));

    let two = from_moments(&[1.0, 3.0, 8.0], 4).unwrap();
    assert_moments(&two.law, &[1.0, 3.0], 1e-12);
    assert!(matches!(two.report.departures[..], [Departure::TwoMoments(MomentError::ThirdImpossible { .. })]));
    let one = from_moments(&[1.0, 1.1, 1.3], 4).unwrap();
    assert_eq!(one.law.order(), 4);
    assert_moments(&one.law, &[1.0], 1e-12);
    assert!(matches!(one.report.departures[..], [Departure::MeanOnly(MomentError::TooRegular { .. })]));
    assert!(from_moments(&[2.0, 3.0, 9.0], 4).is_err());
    assert!(hyper_exponential(&[1.0, 1.5, 3.0]).is_err());
}

/// `(c^2, m_3)` with unit mean, `m_3` between its least value and ten times that.
fn possible() -> impl Strategy<Value = [f64; 3]> {
    (0.05f64..5.0, 0.001f64..1.0, 0.01f64..100.0).prop_map(|(variation, excess, mean)| {
        let second = 1.0 + variation;
        let third = second * second * 10f64.powf(excess);
        [mean, second * mean * mean, third * mean.powi(3)]
    })
}

proptest! {
    /// Every law returned has the moments asked for (1e-6: twenty phases lose some digits), and there is one of at most
    /// `1/c^2` phases and a few more unless the third moment is close to the least of all laws.
    #[test]
    fn c25_laws_have_the_moments_asked_for(moments in possible()) {
        match acyclic(&moments, 60) {
            Ok(law) => {
                prop_assert!((law.start().iter().sum::<f64>() - 1.0).abs() < 1e-12);
                for (k, wanted) in (1..).zip(moments) {
                    prop_assert!((law.moment(k) / wanted - 1.0).abs() < 1e-6);
                }
            }
            Err(error) => prop_assert!(moments[2] < 1.1 * moments[1].powi(2) / moments[0], "{error}"),
        }
    }

    /// Two moments are always matched when there are phases enough.
    #[test]
    fn c25_two_moments(mean in 0.01f64..100.0, variation in 0.02f64..50.0) {
        let law = two_moments(mean, mean * mean * (1.0 + variation), 50).unwrap();
        prop_assert!((law.mean() / mean - 1.0).abs() < 1e-12);
        prop_assert!((law.squared_variation() / variation - 1.0).abs() < 1e-9);
    }

    /// Any law of two phases is found again from its moments: the same law, hence the same fourth moment.
    #[test]
    fn c25_two_phases_are_determined_by_three_moments(
        start in 0.0f64..1.0, rates in (0.1f64..10.0, 0.1f64..10.0), onward in (0.0f64..0.95, 0.0f64..0.95)
    ) {
        let entry = |i: usize, j: usize| [[-rates.0, rates.0 * onward.0], [rates.1 * onward.1, -rates.1]][i][j];
        let law = PhaseType::new(&[start, 1.0 - start], &Matrix::from_fn(2, 2, entry)).unwrap();
        prop_assume!((law.squared_variation() - 1.0).abs() > 1e-3);
        let fitted = acyclic(&[1, 2, 3].map(|k| law.moment(k)), 2).unwrap();
        prop_assert!((fitted.moment(4) / law.moment(4) - 1.0).abs() < 1e-6);
    }
}
