use super::*;

/// The largest distance of any page's count from `n f`, over the first `accesses`.
fn largest_lag(sequence: impl Iterator<Item = PageId>, frequencies: &[f64], accesses: u32) -> f64 {
    let mut counts = vec![0.0; frequencies.len()];
    let mut largest = 0.0_f64;
    for (n, page) in (1..=accesses).zip(sequence) {
        counts[page.0 as usize] += 1.0;
        let lag = |(count, f): (&f64, &f64)| (count - f64::from(n) * f).abs();
        largest = counts.iter().zip(frequencies).map(lag).fold(largest, f64::max);
    }
    largest
}

#[test]
fn f20_two_pages_follow_the_regular_sequence_of_hajek() {
    // f = p/q with q odd or a power of two, so that neither side meets a tie that rounding decides.
    for (p, q) in [(1_u64, 3_u64), (2, 5), (3, 7), (5, 16), (11, 32), (31, 77), (100, 1_001), (999, 1_001)] {
        let f = p as f64 / q as f64;
        let sequence = Regular::new(&[f, 1.0 - f]).unwrap();
        let served = |n: u64| (2 * n * p + q) / (2 * q);
        for (n, page) in (1..5_000).zip(sequence) {
            assert_eq!(page.0 == 0, served(n) > served(n - 1), "{p}/{q} at {n}");
        }
    }
}

#[test]
fn f20_two_pages_follow_it_for_an_irrational_frequency() {
    let f = 0.5_f64.sqrt();
    let served = |n: u32| (f64::from(n) * f + 0.5).floor();
    for (n, page) in (1..100_000).zip(Regular::new(&[f, 1.0 - f]).unwrap()) {
        assert_eq!(page.0 == 0, served(n) > served(n - 1), "{n}");
    }
}

#[test]
fn f20_two_pages_out_of_phase_are_regular_too() {
    for f in [0.5_f64.sqrt(), 0.43, 0.1, 0.037] {
        let drawn = first(10_000, Regular::staggered(&[f, 1.0 - f]).unwrap());
        let places: Vec<usize> = (0..drawn.len()).filter(|&n| drawn[n] == 0).collect();
        let even = 1.0 / f;
        assert!(places.windows(2).all(|pair| ((pair[1] - pair[0]) as f64 - even).abs() < 1.0), "{f}");
    }
}

#[test]
fn f20_staggering_pays_where_many_frequencies_are_equal() {
    let (instance, frequencies) = three_rates();
    let bound = even_spacing_cost(&instance, &frequencies);
    let ratio = |sequence| sequence_cost(&instance, sequence, 20_000, 100_000) / bound;
    let staggered = ratio(Regular::staggered(&frequencies).unwrap());
    let in_phase = ratio(Regular::new(&frequencies).unwrap());
    assert!((0.999..1.001).contains(&staggered), "{staggered}");
    assert!(in_phase > 1.05, "{in_phase}");
}

proptest! {
    /// F-20 (Tijdeman): counts stay within 1 - 1/(2N-2) of n f. The tolerance is the rounding of n f.
    #[test]
    fn f20_counts_stay_within_one(frequencies in frequencies(2..40)) {
        let bound = 1.0 - 0.5 / (frequencies.len() - 1) as f64;
        let lag = largest_lag(Regular::new(&frequencies).unwrap(), &frequencies, 3_000);
        prop_assert!(lag <= bound + 1e-9, "{lag} {bound}");
    }

    /// F-20 staggered: half an access more for the phase, and a little because the phases do not sum to zero.
    #[test]
    fn f20_staggered_counts_stay_within_two(frequencies in frequencies(2..40)) {
        let lag = largest_lag(Regular::staggered(&frequencies).unwrap(), &frequencies, 3_000);
        prop_assert!(lag < 2.0, "{lag}");
    }
}
