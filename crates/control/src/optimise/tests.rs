//! C-17: Tables 1 to 5 of ADKNS as corrected.

mod constrained;
mod search;
mod within;

use super::*;
use crate::model::examples;

/// One unit of the last printed digit: the paper sometimes cuts off instead of rounding.
fn close(got: f64, printed: f64, unit: f64) -> bool {
    (got - printed).abs() < unit
}

fn by_modes<'o>(optimum: &'o Optimum, modes: &[u32]) -> &'o ByModes {
    optimum.by_modes.iter().find(|found| found.modes == modes).unwrap()
}

#[test]
fn c17_table_1() {
    let optimum = optimise(&examples::paper(5), None).unwrap();
    for (robots, printed) in [(1, 149.91), (2, 110.0), (3, 89.40), (4, 130.31)] {
        let cost = optimum.fixed.iter().find(|fixed| fixed.robots == robots).unwrap().cost;
        assert!(close(cost, printed, 0.01), "{robots}: {cost}");
    }
    // The row 4, 3, 1 is printed 80.50, which belongs to the one below it.
    let rows: [(&[u32], &[usize], f64); 11] = [
        (&[2, 1], &[2], 103.54),
        (&[3, 1], &[2], 63.54),
        (&[4, 1], &[1], 74.47),
        (&[3, 2], &[2], 76.21),
        (&[4, 2], &[1], 86.13),
        (&[4, 3], &[0], 94.14),
        (&[3, 2, 1], &[2, 2], 63.54),
        (&[4, 2, 1], &[1, 2], 73.69),
        (&[4, 3, 1], &[0, 2], 67.52),
        (&[4, 3, 2], &[0, 2], 80.50),
        (&[4, 3, 2, 1], &[0, 2, 2], 67.52),
    ];
    for (modes, thresholds, printed) in rows {
        let row = by_modes(&optimum, modes);
        assert_eq!(row.thresholds, thresholds, "{modes:?}");
        assert!(close(row.cost, printed, 0.01) && row.exact, "{row:?}");
        let alone = optimise(&examples::paper(5), Some(modes)).unwrap();
        assert_eq!(alone.by_modes, std::slice::from_ref(row));
    }
    assert_eq!((&optimum.best.modes[..], &optimum.best.thresholds[..]), (&[3, 1][..], &[2][..]));
    assert!((optimum.best.measures.cost - 63.542_547_69).abs() < 1e-8);
}

/// `C*`, `C_1`, ..., `C_4`.
type Costs5 = [f64; 5];

fn check(model: &Model, modes: &[u32], thresholds: &[usize], printed: Costs5, unit: f64) {
    let optimum = optimise(model, None).unwrap();
    assert_eq!((&optimum.best.modes[..], &optimum.best.thresholds[..]), (modes, thresholds), "{printed:?}");
    let costs = std::iter::once(optimum.best.measures.cost).chain(optimum.fixed.iter().map(|fixed| fixed.cost));
    for (cost, printed) in costs.zip(printed) {
        assert!(close(cost, printed, unit), "{cost} is not {printed}");
    }
}

#[test]
fn c17_table_2() {
    // Corrected: thresholds 1, 2, 2 for K = 3, 6, 7 and C_1 for K = 8, 9, 10.
    let rows: [(usize, usize, Costs5); 12] = [
        (1, 0, [147.5, 244.7, 233.4, 187.2, 258.8]),
        (2, 1, [96.8, 199.2, 174.0, 128.8, 194.4]),
        (3, 1, [79.1, 172.6, 140.3, 105.4, 160.0]),
        (4, 2, [68.3, 158.1, 121.7, 94.7, 140.6]),
        (5, 2, [63.5, 149.9, 110.0, 89.4, 130.3]),
        (6, 2, [60.8, 144.7, 102.3, 86.7, 124.1]),
        (7, 2, [59.3, 141.6, 97.2, 85.5, 120.5]),
        (8, 3, [58.4, 139.71, 93.7, 85.0, 118.3]),
        (9, 3, [57.8, 138.59, 91.3, 84.9, 117.1]),
        (10, 3, [57.5, 137.93, 89.7, 85.0, 116.5]),
        (20, 3, [57.2, 137.0, 86.3, 87.2, 120.0]),
        (30, 3, [57.2, 137.0, 86.3, 87.4, 123.6]),
    ];
    for (k, threshold, printed) in rows {
        check(&examples::paper(k), &[3, 1], &[threshold], printed, 0.1);
    }
}

fn with(service: f64, obsolescence: f64) -> Model {
    let law = |law: crate::PhaseType, speed: f64| law.scaled(1.0 / speed);
    let service = law(examples::paper_service(), service);
    let obsolescence = law(examples::paper_obsolescence(), obsolescence);
    Model::new(5, service, Some(obsolescence), examples::paper_arrivals(), examples::PAPER_COSTS).unwrap()
}

#[test]
fn c17_table_3() {
    // Corrected: for s = 3 the optimum has three modes.
    let rows: [(f64, &[u32], &[usize], Costs5); 15] = [
        (0.1, &[3, 1], &[0], [53.1, 58.58, 80.67, 104.74, 131.84]),
        (0.2, &[3, 1], &[1], [45.08, 59.45, 72.77, 94.16, 122.04]),
        (0.3, &[3, 1], &[1], [42.93, 68.51, 72.02, 89.42, 118.55]),
        (0.4, &[3, 1], &[1], [43.33, 80.36, 74.27, 86.7, 117.45]),
        (0.5, &[3, 1], &[1], [45.28, 93.09, 78.34, 85.15, 117.77]),
        (0.7, &[3, 1], &[2], [51.17, 117.98, 89.66, 84.65, 121.17]),
        (0.9, &[3, 1], &[2], [58.88, 140.09, 103.05, 87.14, 126.89]),
        (1.0, &[3, 1], &[2], [63.54, 149.91, 110.0, 89.4, 130.31]),
        (3.0, &[4, 3, 1], &[1, 3], [160.48, 244.04, 211.44, 182.29, 204.54]),
        (5.0, &[4, 1], &[1], [217.02, 272.19, 254.87, 243.01, 251.25]),
        (7.0, &[4, 1], &[1], [250.83, 285.26, 276.93, 274.4, 279.31]),
        (9.0, &[4, 1], &[0], [272.76, 292.74, 290.05, 292.8, 297.61]),
        (11.0, &[4, 1], &[0], [288.23, 297.59, 298.7, 304.77, 310.39]),
        (13.0, &[4, 1], &[0], [299.92, 300.97, 304.82, 313.15, 319.78]),
        (15.0, &[1], &[], [303.47, 303.47, 309.37, 319.33, 326.96]),
    ];
    for (s, modes, thresholds, printed) in rows {
        check(&with(s, 1.0), modes, thresholds, printed, 0.011);
    }
}

#[test]
fn c17_table_4() {
    // Corrected: C* for s = 0.01, and C_1 for s = 30, printed 230.45.
    let rows: [(f64, usize, Costs5); 22] = [
        (0.01, 3, [51.08, 130.02, 92.47, 81.28, 118.93]),
        (0.1, 3, [52.41, 132.22, 94.24, 81.99, 119.99]),
        (0.2, 2, [53.83, 134.55, 96.17, 82.79, 121.17]),
        (0.3, 2, [55.1, 136.78, 98.05, 83.6, 122.34]),
        (0.4, 2, [56.36, 138.9, 99.88, 84.41, 123.51]),
        (0.5, 2, [57.6, 140.93, 101.67, 85.24, 124.67]),
        (0.7, 2, [60.02, 144.74, 105.12, 86.9, 126.95]),
        (0.9, 2, [62.38, 148.25, 108.42, 88.57, 129.21]),
        (1.0, 2, [63.54, 149.91, 110.0, 89.4, 130.31]),
        (3.0, 1, [83.6, 173.68, 135.36, 105.0, 149.91]),
        (5.0, 1, [95.64, 187.76, 152.48, 117.52, 165.21]),
        (10.0, 1, [116.47, 206.98, 178.08, 138.25, 191.33]),
        (20.0, 0, [131.1, 223.17, 201.46, 158.66, 218.9]),
        (30.0, 0, [136.67, 230.43, 212.45, 168.67, 233.25]),
        (40.0, 0, [139.97, 234.54, 218.83, 174.63, 242.04]),
        (50.0, 0, [142.15, 237.18, 222.99, 178.58, 247.97]),
        (60.0, 0, [143.72, 239.03, 225.91, 181.39, 252.25]),
        (70.0, 0, [144.9, 240.38, 228.08, 183.5, 255.47]),
        (80.0, 0, [145.81, 241.42, 229.75, 185.13, 257.99]),
        (90.0, 0, [146.55, 242.24, 231.08, 186.44, 260.01]),
        (100.0, 0, [147.16, 242.91, 232.15, 187.51, 261.67]),
        (200.0, 0, [150.08, 245.97, 237.19, 192.58, 269.62]),
    ];
    for (s, threshold, printed) in rows {
        check(&with(1.0, s), &[3, 1], &[threshold], printed, 0.011);
    }
}

#[test]
fn c17_table_5() {
    // The printed matrices are rounded: costs within 0.3%, the same thresholds.
    let optimum = optimise(&examples::measured_crawler(), None).unwrap();
    let rows: [(&[u32], &[usize], f64); 11] = [
        (&[2, 1], &[0], 624.97),
        (&[3, 1], &[0], 591.72),
        (&[4, 1], &[2], 563.51),
        (&[3, 2], &[1], 622.81),
        (&[4, 2], &[2], 593.29),
        (&[4, 3], &[3], 609.66),
        (&[3, 2, 1], &[0, 0], 591.72),
        (&[4, 2, 1], &[2, 2], 563.51),
        (&[4, 3, 1], &[2, 2], 563.51),
        (&[4, 3, 2], &[2, 2], 593.29),
        (&[4, 3, 2, 1], &[2, 2, 2], 563.51),
    ];
    for (modes, thresholds, printed) in rows {
        let row = by_modes(&optimum, modes);
        assert_eq!(row.thresholds, thresholds, "{modes:?}");
        assert!(close(row.cost / printed, 1.0, 0.003), "{row:?}");
    }
    assert!(close(optimum.best.measures.cost, 564.49, 0.005));
}
