use super::check::{Check, Verdict};
use super::*;

/// Every value of the papers is reproduced to the printed digits or corrected, and the corrections are those known.
#[test]
fn nothing_differs_without_explanation() {
    let all = ReproduceArgs { table: Vec::new(), figure: Vec::new(), out: None, json: false };
    let parts = compute(&chosen(&all)).unwrap();
    let of = |verdict: Verdict| -> Vec<&Check> {
        parts.iter().flat_map(|part| &part.checks).filter(|check| check.verdict == verdict).collect()
    };
    assert!(of(Verdict::Differs).is_empty(), "{:#?}", of(Verdict::Differs));
    assert!(of(Verdict::Agrees).len() > 450, "{}", of(Verdict::Agrees).len());
    let corrected: Vec<String> = of(Verdict::Corrected)
        .into_iter()
        .map(|check| format!("{}: {} -> {}", check.what, check.printed, check.computed))
        .collect();
    insta::assert_snapshot!(corrected.join("\n"));
    let baselines = parts.iter().find(|part| part.part == "baselines").unwrap();
    baselines_are_in_order(&baselines.checks);
}

/// What is known to four digits is within twice the 95% interval: the fixed number and thresholds from the solver, the belief
/// from another program. Every controller that knows no model costs more than thresholds.
fn baselines_are_in_order(checks: &[Check]) {
    let cost = |name: &str| -> (f64, f64) {
        let check = checks.iter().find(|check| check.what.starts_with(name)).unwrap();
        let (mean, half) = check.computed.split_once(" +-").unwrap();
        (mean.parse().unwrap(), half.parse().unwrap())
    };
    for (name, known) in [("fixed number, 3", 89.405), ("thresholds", 63.5425), ("pages and belief", 59.55)] {
        let (mean, half) = cost(name);
        assert!((mean - known).abs() < 2.0 * half && half < 0.6, "{name}: {mean} {half}");
    }
    for name in ["AIMD", "CoDel", "proportional", "PID", "hysteresis"] {
        let (mean, half) = cost(name);
        assert!(mean - half > 63.5425 && mean < 89.405, "{name}: {mean} {half}");
    }
}

#[test]
fn a_value_agrees_if_it_is_rounded_or_cut_off() {
    let verdict = |printed: &str, computed: f64| Check::number("", printed, computed).verdict;
    assert_eq!(verdict("89.40", 89.4051), Verdict::Agrees);
    assert_eq!(verdict("149.91", 149.9187), Verdict::Agrees);
    assert_eq!(verdict("149.91", 149.9213), Verdict::Differs);
    assert_eq!(verdict("110", 110.9), Verdict::Agrees);
    let near = |check: Check| check.because_within(0.003, "a reason").verdict;
    assert_eq!(near(Check::number("", "563.51", 564.495)), Verdict::Corrected);
    assert_eq!(near(Check::number("", "563.51", 570.0)), Verdict::Differs);
}
