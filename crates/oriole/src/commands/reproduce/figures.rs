//! Figures 1 to 4 of ADKNS, redrawn. The figures print no numbers; what the text says about them is checked.

use anyhow::Result;
use control::model::examples::{paper, paper_obsolescence, paper_service};
use control::optimise::{Optimum, optimise};
use control::{Model, PhaseType, RobotPolicy, solve};

use super::check::{Check, Part};
use super::tables::with_laws;
use crate::commands::control::cost_against_threshold;
use crate::output::number::short;
use crate::plot::chart::{Chart, Curve};

/// Rates of the first phase that the paper draws curves for.
const SERVICE_RATES: [f64; 5] = [1.521, 3.0, 5.0, 7.0, 9.0];
const OBSOLESCENCE_RATES: [f64; 5] = [0.2, 0.5, 1.0, 3.0, 7.0];

pub(super) fn figure_1() -> Result<Part> {
    let chart = cost_against_threshold(&paper(5), None)?;
    let least = |curve: &Curve| {
        let best = curve.points.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or((f64::NAN, f64::NAN), |point| *point)
    };
    let lowest = chart.curves.iter().min_by(|a, b| least(a).1.total_cmp(&least(b).1));
    let best = lowest.map_or(String::new(), |curve| format!("{} at {}", curve.name, least(curve).0));
    let checks = vec![Check::words("lowest point of all curves", "3 or 1 robots at 2", best)];
    let title = "Cost against the threshold between two numbers of robots";
    Ok(Part { figure: Some(chart), ..Part::new("figure 1", title, checks) })
}

/// With probability 0.9 exponential of rate `alpha_1`, else of the rate that gives the mean.
fn spread(alpha_1: f64, mean: f64) -> Result<PhaseType> {
    let alpha_2 = 0.1 * alpha_1 / (mean * alpha_1 - 0.9);
    Ok(PhaseType::hyper_exponential(&[0.9, 0.1], &[alpha_1, alpha_2])?)
}

fn variance(law: &PhaseType) -> f64 {
    law.squared_variation() * law.mean() * law.mean()
}

/// What a curve is for.
fn name(alpha_1: f64, law: &PhaseType) -> String {
    let four_digits = format!("{:.3e}", variance(law)).parse().unwrap_or(f64::NAN);
    format!("alpha_1 = {alpha_1}, variance {}", short(four_digits))
}

fn varied_service(alpha_1: f64) -> Result<Model> {
    with_laws(spread(alpha_1, paper_service().mean())?, paper_obsolescence())
}

fn varied_obsolescence(alpha_1: f64) -> Result<Model> {
    with_laws(paper_service(), spread(alpha_1, paper_obsolescence().mean())?)
}

fn curve(name: String, model: &Model, modes: &[u32]) -> Result<Curve> {
    let cost = |threshold: usize| -> Result<(f64, f64)> {
        Ok((threshold as f64, solve(model, &RobotPolicy::thresholds(model, modes, &[threshold])?).cost))
    };
    Ok(Curve { name, points: (0..model.buffer()).map(cost).collect::<Result<_>>()?, dots: true })
}

fn chart(title: &'static str, curves: Vec<Curve>) -> Chart {
    Chart {
        title: title.to_string(),
        x_label: "threshold: pages up to which more robots are active",
        y_label: "cost",
        curves,
    }
}

pub(super) fn figure_2() -> Result<Part> {
    let mean = paper_service().mean();
    let least = "0.9/b_1 with b_1 = 0.65714; printed with b_1 = 0.657 cut off";
    let checks = vec![
        Check::number("alpha_1 must exceed", "1.369", 0.9 / mean).because(least),
        Check::number("variance at alpha_1 = 1.521", "0.431", variance(&spread(1.521, mean)?)),
        Check::number("variance at alpha_1 = 9", "5.798", variance(&spread(9.0, mean)?)),
    ];
    let named = |alpha: f64| {
        let model = varied_service(alpha)?;
        curve(name(alpha, model.service()), &model, &[3, 1])
    };
    let curves = SERVICE_RATES.into_iter().map(named).collect::<Result<_>>()?;
    let title = "Cost against the threshold between 3 and 1 robots, for services that vary more and more";
    Ok(Part { figure: Some(chart(title, curves)), ..Part::new("figure 2", title, checks) })
}

/// Modes as the paper lists them, from few to many.
fn from_few(modes: &[u32]) -> String {
    modes.iter().rev().map(u32::to_string).collect::<Vec<_>>().join(",")
}

pub(super) fn figure_3() -> Result<Part> {
    let at_4 = variance(&spread(4.0, paper_service().mean())?);
    let mut checks = vec![Check::number("variance at alpha_1 = 4", "3.415", at_4)];
    let mut curves = Vec::new();
    for alpha in SERVICE_RATES {
        let model = varied_service(alpha)?;
        let optimum = optimise(&model, None)?;
        let pairs = optimum.by_modes.iter().filter(|set| set.modes.len() == 2);
        let pair = pairs.min_by(|a, b| a.cost.total_cmp(&b.cost)).map_or(&[3, 1][..], |set| &set.modes);
        let printed = if alpha > 4.0 { "1,4" } else { "1,3" };
        checks.push(Check::words(format!("best pair of modes at alpha_1 = {alpha}"), printed, from_few(pair)));
        let set = Check::words(format!("best modes at alpha_1 = {alpha}"), printed, from_few(&optimum.best.modes));
        checks.push(set.because("4 up to 1 page, 3 up to 2, then 1 is better than any pair, by 0.2% to 1.7%"));
        let name = format!("{}: {} or {} robots", name(alpha, model.service()), pair[0], pair[1]);
        curves.push(curve(name, &model, pair)?);
    }
    checks.extend(switches()?);
    let title = "Cost against the threshold for the best pair of modes, for services that vary more and more";
    Ok(Part { figure: Some(chart(title, curves)), ..Part::new("figure 3", title, checks) })
}

/// Where four robots take the place of three, "when alpha_1 becomes larger than 4 (var_s > 3.415)".
fn switches() -> Result<Vec<Check>> {
    let pair = "3.415 is the variance at alpha_1 = 4, where 3 or 1 robots still cost 0.3% less than 4 or 1; they change places here";
    let three =
        "from here on 4, then 3, then 1 robots cost less than any pair: so \"larger than 4\" is true of pairs only";
    let cost = |optimum: &Optimum, modes: &[u32]| {
        optimum.by_modes.iter().find(|set| set.modes == modes).map_or(f64::NAN, |set| set.cost)
    };
    let pairs = |optimum: &Optimum| cost(optimum, &[4, 1]) < cost(optimum, &[3, 1]);
    let sets = |optimum: &Optimum| cost(optimum, &[4, 3, 1]) < cost(optimum, &[3, 1]).min(cost(optimum, &[4, 1]));
    let at = first_with(&pairs)?;
    Ok(vec![
        Check::number("alpha_1 from which 1,4 is a better pair than 1,3", "4", at),
        Check::number("variance there", "3.415", variance(&spread(at, paper_service().mean())?))
            .because_within(0.03, pair),
        Check::beyond("alpha_1 from which three modes are better than any pair", first_with(&sets)?, three),
    ])
}

/// The least `alpha_1` of the range drawn from which something holds, to a part in a million.
fn first_with(holds: &dyn Fn(&Optimum) -> bool) -> Result<f64> {
    let (mut low, mut high) = (SERVICE_RATES[0], SERVICE_RATES[2]);
    while high - low > 1e-6 * high {
        let middle = f64::midpoint(low, high);
        if holds(&optimise(&varied_service(middle)?, None)?) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

pub(super) fn figure_4() -> Result<Part> {
    let mean = paper_obsolescence().mean();
    let mut checks = vec![
        Check::number("variance at alpha_1 = 0.2", "25", variance(&spread(0.2, mean)?)),
        Check::number("variance at alpha_1 = 7", "449", variance(&spread(7.0, mean)?)),
    ];
    let mut curves = Vec::new();
    let mut thresholds = Vec::new();
    for alpha in OBSOLESCENCE_RATES {
        let model = varied_obsolescence(alpha)?;
        let best = optimise(&model, None)?.best;
        checks.push(Check::words(format!("best modes at alpha_1 = {alpha}"), "1,3", from_few(&best.modes)));
        thresholds.push(best.thresholds.iter().map(usize::to_string).collect::<Vec<_>>().join(","));
        curves.push(curve(name(alpha, &spread(alpha, mean)?), &model, &[3, 1])?);
    }
    let ends = format!("from {} to {}", thresholds[0], thresholds[thresholds.len() - 1]);
    checks.push(Check::words("the optimal threshold decreases", "from 2 to 0", ends));
    let title =
        "Cost against the threshold between 3 and 1 robots, for times until obsolescence that vary more and more";
    Ok(Part { figure: Some(chart(title, curves)), ..Part::new("figure 4", title, checks) })
}
