use super::*;
use crate::cost::golden_ratio_limit_cost;

/// The definition of CLW section 5: sort `frac(j/phi)` and read off the owners of the `j`.
fn by_sorting(counts: &[u64]) -> Vec<u32> {
    let inverse = 2.0 / (1.0 + 5.0_f64.sqrt());
    let owners = (0_u32..).zip(counts).flat_map(|(page, &count)| std::iter::repeat_n(page, count as usize));
    let mut points: Vec<(f64, u32)> = (0..).map(|j| (f64::from(j) * inverse).fract()).zip(owners).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.into_iter().map(|(_, page)| page).collect()
}

fn is_rotation(left: &[u32], right: &[u32]) -> bool {
    (0..left.len()).any(|shift| left[shift..].iter().chain(&left[..shift]).eq(right))
}

#[test]
fn f12_the_example_of_the_paper() {
    // The paper calls 13 F_8, though with its own definition (F_1 = F_2 = 1) it is F_7.
    let sequence = GoldenRatio::new(&[2.0 / 13.0, 3.0 / 13.0, 3.0 / 13.0, 5.0 / 13.0], 7).unwrap();
    assert_eq!(sequence.cycle_length(), 13);
    assert_eq!(sequence.counts().collect::<Vec<_>>(), [2, 3, 3, 5]);
    let cycle: Vec<u32> = first(13, sequence).iter().map(|page| page + 1).collect();
    assert!(is_rotation(&cycle, &[4, 2, 4, 1, 3, 4, 2, 4, 1, 3, 4, 2, 3]), "{cycle:?}");
}

#[test]
fn f12_k_out_of_range_is_refused() {
    for k in [0, 2, 91] {
        assert_eq!(GoldenRatio::new(&[1.0], k).unwrap_err(), SequenceError::CycleIndex { k });
    }
}

#[test]
fn f12_the_rarest_page_is_accessed_fifty_times_a_cycle() {
    let sequence = GoldenRatio::of(&[0.5, 0.499, 0.001, 0.0]).unwrap();
    // F_24 = 46,368 < 50,000 <= F_25.
    assert_eq!(sequence.cycle_length(), 75_025);
    assert_eq!(sequence.counts().collect::<Vec<_>>(), [37_513, 37_437, 75, 0]);
    assert_eq!(GoldenRatio::of(&[1.0 - 1e-18, 1e-18]).unwrap().cycle_length(), 2_880_067_194_370_816_120);
}

#[test]
fn f14_equal_pages_cost_what_the_corrected_corollary_says() {
    // Every page is accessed 600 times a cycle of F_30 or 750 of F_31, so that rounding M shifts the ratio by 1e-3 of what
    // it differs from one.
    for (n, k, expected) in [(1_364_u32, 30, 1.0469), (1_786, 31, 1.1048)] {
        let rates = vec![0.01 / f64::from(n); n as usize];
        let frequencies = vec![1.0 / f64::from(n); n as usize];
        let instance = instance(&rates, &rates);
        let bound = even_spacing_cost(&instance, &frequencies);
        let sequence = GoldenRatio::new(&frequencies, k).unwrap();
        let cycle = sequence.cycle_length() as usize;
        let ratio = cyclic_cost(&instance, &first(cycle, sequence)) / bound;
        assert!((ratio - expected).abs() < 5e-4, "{n}: {ratio}");
        let limit = golden_ratio_limit_cost(&instance, &frequencies) / bound;
        assert!((limit - expected).abs() < 5e-4, "{n}: {limit}");
    }
}

#[test]
fn f13_long_cycles_tend_to_the_closed_form() {
    let frequencies = [0.47, 0.31, 0.13, 0.07, 0.019, 0.001];
    let instance = instance(&[0.5, 0.2, 0.3, 0.01, 0.04, 0.002], &[1.0, 2.0, 1.0, 5.0, 3.0, 9.0]);
    let limit = golden_ratio_limit_cost(&instance, &frequencies);
    for k in [20, 24, 28] {
        let sequence = GoldenRatio::new(&frequencies, k).unwrap();
        let cycle = sequence.cycle_length();
        let rounded: Vec<f64> = sequence.counts().map(|count| count as f64 / cycle as f64).collect();
        let cost = cyclic_cost(&instance, &first(cycle as usize, sequence));
        // The count of the rarest page, of which there are `rarest`, is off by less than one. Given the counts, only the
        // second order is left: F_{k-1}/F_k is 1/phi to 1/F_k^2.
        let rarest = 0.001 * cycle as f64;
        assert!((cost / limit - 1.0).abs() < 1.0 / rarest, "{k}: {cost} {limit}");
        let given_counts = golden_ratio_limit_cost(&instance, &rounded);
        assert!((cost / given_counts - 1.0).abs() < 0.1 / rarest.powi(2), "{k}: {cost} {given_counts}");
    }
}

proptest! {
    /// F-12: the sequence is the sorted one, its counts are the quotas rounded up or down.
    #[test]
    fn f12_is_the_order_of_frac_j_over_phi(frequencies in frequencies(1..12), k in 3_u32..18) {
        let sequence = GoldenRatio::new(&frequencies, k).unwrap();
        let cycle = sequence.cycle_length() as usize;
        let wanted: Vec<u64> = sequence.counts().collect();
        let drawn = first(3 * cycle, sequence);
        prop_assert_eq!(&drawn[..cycle], by_sorting(&wanted));
        prop_assert_eq!(&drawn[..cycle], &drawn[2 * cycle..]);
    }

    /// F-12: floor(f F_k) <= M <= ceil(f F_k), and sum M = F_k.
    #[test]
    fn f12_counts_are_quotas_rounded_up_or_down(frequencies in frequencies(1..200), k in 3_u32..=90) {
        let sequence = GoldenRatio::new(&frequencies, k).unwrap();
        let cycle = sequence.cycle_length();
        prop_assert_eq!(sequence.counts().map(u128::from).sum::<u128>(), u128::from(cycle));
        for (count, f) in sequence.counts().zip(&frequencies) {
            // The quota itself is known to the rounding of f and of the sum of all f.
            let quota = f * cycle as f64;
            prop_assert!((count as f64 - quota).abs() < 1.0 + 1e-14 * quota.max(1.0), "{count} {quota}");
        }
    }
}
