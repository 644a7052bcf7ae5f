//! The two statements: the model's predictions hold, and thresholds cost least.

use std::collections::BTreeSet;

use sim::Estimate;

use super::Line;
use super::sums::MEASURES;
use crate::report::{Verdict, interval};

/// A prediction this near to what was measured, as a part of it, is as good as any.
const NEAR: f64 = 0.01;

/// How a prediction compares with what was measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agreement {
    /// Within the 95 % interval of the differences.
    Within,
    /// Outside, but next to nothing away.
    Near,
    Outside,
}

impl Agreement {
    fn name(self) -> &'static str {
        match self {
            Self::Within => "yes",
            Self::Near => "no, but within 1 %",
            Self::Outside => "NO",
        }
    }
}

/// Predicted beside measured for each rule that has a model, and how many predictions lie outside.
pub(super) fn agreement(rules: &[String], lines: &[Line]) {
    let mut verdicts = Vec::new();
    for rule in rules {
        let of_rule: Vec<&Line> = lines.iter().filter(|line| line.rule == *rule).collect();
        let policies: BTreeSet<&str> = of_rule.iter().filter_map(|line| line.policy.as_deref()).collect();
        println!("{rule}: {}", policies.into_iter().collect::<Vec<_>>().join("; "));
        println!("  {:<22}{:>12}{:>22}{:>24}  within", "", "predicted", "measured", "measured - predicted");
        for (measure, name) in MEASURES.iter().enumerate() {
            let measured = Estimate::of(&units(&of_rule, |line| Some(line.values[measure])));
            let predicted = Estimate::of(&units(&of_rule, |line| Some(line.predicted?[measure]))).mean;
            let differences = units(&of_rule, |line| Some(line.values[measure] - line.predicted?[measure]));
            if differences.is_empty() {
                println!("  {name:<22}{:>12}{:>22}", "-", interval(measured));
                continue;
            }
            let difference = Estimate::of(&differences);
            let arrivals: f64 = of_rule.iter().map(|line| line.arrivals).sum();
            let verdict = judge(predicted, measured.mean, difference, arrivals);
            // Nothing can be lost where places are kept: that is no prediction.
            if (predicted, measured.mean) != (0.0, 0.0) {
                verdicts.push(verdict);
            }
            let (measured, difference) = (interval(measured), interval(difference));
            println!("  {name:<22}{predicted:>12.4}{measured:>22}{difference:>24}  {}", verdict.name());
        }
    }
    let count = |of: Agreement| verdicts.iter().filter(|verdict| **verdict == of).count();
    println!(
        "\n{} of {} predictions, without those that nothing happens, lie within the 95 % intervals, {} more within 1 % of what was measured, {} outside; of intervals that hold, 5 % ({:.1} here) miss by chance\n",
        count(Agreement::Within),
        verdicts.len(),
        count(Agreement::Near),
        count(Agreement::Outside),
        0.05 * verdicts.len() as f64
    );
}

fn judge(predicted: f64, measured: f64, difference: Estimate, arrivals: f64) -> Agreement {
    // What is so rare that it would hardly have been seen agrees with nothing seen.
    let too_rare = measured == 0.0 && predicted * arrivals < 3.0;
    match () {
        () if too_rare || difference.contains(0.0) => Agreement::Within,
        () if difference.mean.abs() <= NEAR * measured.abs() => Agreement::Near,
        () => Agreement::Outside,
    }
}

/// One value a seed, the mean of its batches; of one seed alone a value a batch.
fn units(lines: &[&Line], value: impl Fn(&Line) -> Option<f64>) -> Vec<f64> {
    let seeds: BTreeSet<u64> = lines.iter().map(|line| line.seed).collect();
    if seeds.len() == 1 {
        return lines.iter().filter_map(|line| value(line)).collect();
    }
    let mean = |seed: u64| {
        let values: Vec<f64> = lines.iter().filter(|line| line.seed == seed).filter_map(|line| value(line)).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    seeds.into_iter().filter_map(mean).collect()
}

/// Costs beside each other, on the same webs.
pub(super) fn ranking(rules: &[String], lines: &[Line]) {
    let costs = |rule: &str, seed: Option<u64>| {
        let of_it = lines.iter().filter(|line| line.rule == rule && seed.is_none_or(|seed| line.seed == seed));
        units(&of_it.collect::<Vec<_>>(), |line| Some(line.values[MEASURES.len() - 1]))
    };
    let seeds: BTreeSet<u64> = lines.iter().map(|line| line.seed).collect();
    println!("{:<12}{:>22}{:>26}", "rule", "cost", "thresholds - it");
    for rule in rules {
        let theirs = interval(Estimate::of(&costs(rule, None)));
        if rule == "thresholds" {
            println!("{rule:<12}{theirs:>22}");
            continue;
        }
        let mean = |rule: &str, seed: u64| Estimate::of(&costs(rule, Some(seed))).mean;
        let paired: Vec<f64> = match seeds.len() {
            1 => costs("thresholds", None).iter().zip(costs(rule, None)).map(|(ours, theirs)| ours - theirs).collect(),
            _ => seeds.iter().map(|seed| mean("thresholds", *seed) - mean(rule, *seed)).collect(),
        };
        let difference = Estimate::of(&paired.into_iter().filter(|value| value.is_finite()).collect::<Vec<_>>());
        let verdict = Verdict::below(difference, 0.0);
        println!("{rule:<12}{theirs:>22}{:>26}  below: {verdict}", interval(difference));
    }
    println!();
}
