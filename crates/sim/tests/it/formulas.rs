//! The simulation agrees with every formula within its confidence interval, and a wrong formula falls outside.

use freshness::AccessTime;
use sim::{Config, Page};

use crate::support::*;

/// Laws with mean 1 day and different variance.
fn laws() -> Vec<(&'static str, AccessTime)> {
    let sigma: f64 = 1.0;
    vec![
        ("constant", AccessTime::constant(1.0).unwrap()),
        ("exponential", AccessTime::exponential(1.0).unwrap()),
        ("gamma", AccessTime::gamma(0.5, 1.0).unwrap()),
        ("lognormal", AccessTime::lognormal((-sigma * sigma / 2.0).exp(), sigma).unwrap()),
    ]
}

fn config(law: &AccessTime, accesses: f64) -> Config {
    Config::new(law.clone(), accesses * law.mean())
}

/// F-3: round robin on equal pages attains the bound of Theorem 3.3.
#[test]
fn round_robin_on_equal_pages_costs_the_even_spacing_bound() {
    for (name, law) in laws() {
        for (n, q) in [(1, 0.7), (5, 0.4), (40, 0.01)] {
            let pages = vec![Page::new(q, 1.0); n];
            let report = simulate(&pages, config(&law, 4e5), move || round_robin(n));
            let formula = n as f64 * even_spacing_stale(law.transform(q), q, 1.0 / n as f64);
            assert!(agrees(report.stale_cost, formula), "{name} {n}: {:?} {formula}", report.stale_cost);
            assert!(report.stale_cost.half_width < 0.02 * formula, "{name} {n}: too wide to say anything");
        }
    }
}

/// Power: `exp(-mu E[X])` instead of `h`, and `f/(f + q)` fresh instead of even spacing, are both caught.
#[test]
fn wrong_formulas_fall_outside_the_interval() {
    let law = AccessTime::exponential(1.0).unwrap();
    let (n, q) = (5, 0.4);
    let report = simulate(&vec![Page::new(q, 1.0); n], config(&law, 4e5), move || round_robin(n));
    let f = 1.0 / n as f64;
    let variance_forgotten = n as f64 * even_spacing_stale((-q).exp(), q, f);
    let memoryless_visits = n as f64 * (1.0 - f / (f + q));
    for wrong in [variance_forgotten, memoryless_visits] {
        assert!((report.stale_cost.mean - wrong).abs() > 3.0 * report.stale_cost.half_width, "{wrong}");
    }
}

/// F-9: Lemma 4.1, with unequal frequencies that have nothing to do with the rates.
#[test]
fn randomised_access_costs_what_lemma_4_1_says() {
    for (name, law) in laws() {
        let pages: Vec<Page> = [(0.3, 1.0), (0.05, 4.0), (1.5, 0.5), (0.2, 2.0)].map(|(m, c)| Page::new(m, c)).into();
        let f = [0.4, 0.1, 0.3, 0.2];
        let report = simulate(&pages, config(&law, 4e5), move || randomised(&f, 7));
        let stale = |formula: fn(f64, f64, f64) -> f64| -> f64 {
            let terms = pages.iter().zip(f).map(|(p, f)| {
                let q = p.change_rate * law.mean();
                p.weight * formula(law.transform(p.change_rate), q, f)
            });
            terms.sum()
        };
        let (right, even) = (stale(randomised_stale), stale(even_spacing_stale));
        assert!(agrees(report.stale_cost, right), "{name}: {:?} {right}", report.stale_cost);
        assert!(!agrees(report.stale_cost, even), "{name}: no power");
    }
}

/// F-11 and F-12: a golden-ratio cycle costs what (3) and Lemma 3.1 say of its gaps.
#[test]
fn the_golden_cycle_costs_what_its_gaps_say() {
    let law = AccessTime::gamma(2.0, 1.0).unwrap();
    let pages: Vec<Page> = [0.1, 0.15, 0.15, 0.25].map(|m| Page::new(m, m)).into();
    let cycle = golden_cycle(&[2, 3, 3, 5]);
    let exact = sequence_cost(&pages, &law, Box::new(cycle.clone().into_iter().cycle()), 13, 130_000);
    let report = simulate(&pages, config(&law, 8e5), move || Box::new(cycle.clone().into_iter().cycle()));
    assert!(agrees(report.stale_cost, exact), "{:?} {exact}", report.stale_cost);
    // The bound (10) for these frequencies is lower by more than the interval: gaps are not quite even.
    let bound: f64 = (0..4)
        .map(|i| {
            let m = pages[i].change_rate;
            m * even_spacing_stale(law.transform(m), m, [2.0, 3.0, 3.0, 5.0][i] / 13.0)
        })
        .sum();
    assert!(report.stale_cost.mean - report.stale_cost.half_width > bound, "{bound}");
}

/// F-11 and F-19, F-17: stride and index sequences cost what their gaps say.
#[test]
fn stride_and_index_cost_what_their_gaps_say() {
    let law = AccessTime::exponential(1.0).unwrap();
    let pages = spread_pages(30, 0.02, 1.2);
    let sum: f64 = pages.iter().map(|p| p.change_rate.sqrt()).sum();
    let frequencies: Vec<f64> = pages.iter().map(|p| p.change_rate.sqrt() / sum).collect();
    let sequences: [Box<dyn Fn() -> sim::Sequence>; 2] = [
        Box::new({
            let frequencies = frequencies.clone();
            move || stride(&frequencies)
        }),
        Box::new({
            let (pages, law) = (pages.clone(), law.clone());
            move || index_sequence(&pages, &law)
        }),
    ];
    for sequence in sequences {
        let exact = sequence_cost(&pages, &law, sequence(), 10_000, 200_000);
        let report = simulate(&pages, config(&law, 4e5), sequence);
        assert!(agrees(report.stale_cost, exact), "{:?} {exact}", report.stale_cost);
        assert!(report.stale_cost.half_width < 0.02 * exact);
    }
}

/// `n` robots with exponential access times are one robot with `X/n`: exactly in the rate of completions, and in the cost
/// up to the order in which the robots finish, which is lost among 200 pages.
#[test]
fn several_robots_are_one_faster_robot() {
    let n = 200;
    let law = AccessTime::exponential(1.0).unwrap();
    let pages = vec![Page::new(0.02, 1.0); n];
    let report = simulate(&pages, Config { robots: 4, ..config(&law, 5e4) }, move || round_robin(n));
    let formula = |robots: f64| {
        let fast = law.scaled(1.0 / robots).unwrap();
        n as f64 * even_spacing_stale(fast.transform(0.02), 0.02 * fast.mean(), 1.0 / n as f64)
    };
    assert!(agrees(report.stale_cost, formula(4.0)), "{:?} {}", report.stale_cost, formula(4.0));
    assert!(!agrees(report.stale_cost, formula(3.9)), "no power");
    let completions = report.accesses_per_day;
    assert!((completions - 4.0).abs() < 4.0 * (4.0f64 / 5e4).sqrt(), "{completions}");
}

/// The 95% interval covers the truth in 95% of the runs: of 200, between 180 and 199 (4 standard deviations is 12).
#[test]
fn the_interval_covers_as_often_as_it_says() {
    let law = AccessTime::exponential(1.0).unwrap();
    let (n, q) = (5, 0.4);
    let pages = vec![Page::new(q, 1.0); n];
    let formula = n as f64 * even_spacing_stale(law.transform(q), q, 1.0 / n as f64);
    let covers = |seed| {
        let report = simulate(&pages, Config { seed, ..config(&law, 5e3) }, move || round_robin(n));
        report.stale_cost.contains(formula)
    };
    let covered = (0..200).filter(|&seed| covers(seed)).count();
    assert!((180..=199).contains(&covered), "{covered}");
}

/// Detected and missed changes add up to all changes: rate 1 for each of two pages.
#[test]
fn changes_are_detected_or_missed() {
    let law = AccessTime::constant(1.0).unwrap();
    let report = simulate(&[Page::new(1.0, 1.0); 2], config(&law, 1e5), || round_robin(2));
    let all = report.changes_detected as f64 + report.changes_missed;
    // 2e5 expected, standard deviation below 450.
    assert!((all - 2e5).abs() < 2e3, "{all}");
    let chance = 1.0 - (-2.0f64).exp();
    let detected = report.changes_detected as f64 / report.accesses as f64;
    assert!((detected - chance).abs() < 4.0 * (chance * (1.0 - chance) / 1e5).sqrt(), "{detected}");
}
