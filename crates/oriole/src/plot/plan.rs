//! The picture of a plan: cost against budget, and visits against change rate.

use anyhow::Result;
use freshness::allocation::{Allocation, optimum, proportional, randomised_optimum, uniform};
use freshness::cost::{even_spacing_cost, golden_ratio_limit_cost};
use freshness::{AccessTime, Instance, Pages};

use super::axis::Axis;
use super::svg::Svg;
use crate::commands::plan::{Solution, index_and_stride_over_bound, sampled};
use crate::failure::Mistake;
use crate::output::number::{grouped, percent, short};

/// Pages from which curves are computed.
const CURVE_PAGES: usize = 10_000;

/// Pages on which policies without a formula are evaluated, once per octave of the budget.
const SEQUENCE_PAGES: usize = 1_000;

/// Pages shown as dots.
const DOTS: usize = 2_000;

/// Budgets are drawn from the one asked about over 2^4 to 2^4 times it, in steps of 2^(1/4).
const OCTAVES: i32 = 4;
const STEPS_PER_OCTAVE: i32 = 4;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 460.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 360.0;
const LEFT_CHART: (f64, f64) = (75.0, 475.0);
const RIGHT_CHART: (f64, f64) = (575.0, 975.0);

const CURVES: [(&str, &str); 5] =
    [("s0", "lower bound"), ("s1", "golden ratio"), ("s2", "randomised"), ("s3", "uniform"), ("s4", "proportional")];

/// Policies without a formula, shown as marks.
const MARKS: [(&str, &str); 2] = [("m5", "index"), ("m6", "stride")];

/// The picture, as SVG.
pub(crate) fn draw(solution: &Solution<'_>) -> Result<String> {
    let title = format!(
        "Plan for {} pages at {} accesses a day",
        grouped(solution.pages.len()),
        short(solution.budget_per_day)
    );
    let mut svg = Svg::new(WIDTH, HEIGHT, &title);
    cost_against_budget(&mut svg, solution)?;
    visits_against_rate(&mut svg, solution);
    Ok(svg.finish())
}

/// Weighted stale fractions at a budget, in the order of [`CURVES`].
struct Point {
    budget: f64,
    stale: [f64; 5],
    /// In the order of [`MARKS`].
    drawn: Option<[f64; 2]>,
}

fn cost_against_budget(svg: &mut Svg, solution: &Solution<'_>) -> Result<()> {
    let points = curves(solution)?;
    let most = points.iter().flat_map(|point| point.stale).fold(0.0, f64::max);
    let span = 2f64.powi(OCTAVES);
    let x = Axis::logarithmic(solution.budget_per_day / span, solution.budget_per_day * span, LEFT_CHART);
    let y = Axis::linear(100.0 * most, (BOTTOM, TOP));
    svg.text("title", "start", (LEFT_CHART.0, 28.0), "How stale at which budget");
    frame(svg, &x, &y, "accesses per day", "stale, weighted mean (%)");
    let now = x.place(solution.budget_per_day);
    svg.line("mark", (now, TOP), (now, BOTTOM));
    svg.text("", "start", (now + 5.0, TOP + 12.0), "your budget");
    for (curve, (class, name)) in CURVES.iter().enumerate() {
        let at = |point: &Point| (x.place(point.budget), y.place(100.0 * point.stale[curve]));
        let here = points.get(points.len() / 2).map_or(0.0, |point| point.stale[curve]);
        let title = format!("{name}: {} at your budget", percent(here));
        svg.curve(class, &points.iter().map(at).collect::<Vec<_>>(), &title);
    }
    for point in &points {
        for (stale, (class, name)) in point.drawn.iter().flatten().zip(MARKS) {
            let title = format!("{name}: {} at {} accesses a day", percent(*stale), short(point.budget));
            svg.dot(class, (x.place(point.budget), y.place(100.0 * stale)), &title);
        }
    }
    legend(svg, &[&CURVES[..], &MARKS].concat(), LEFT_CHART.0);
    if solution.hosts.is_some() {
        svg.text("", "start", (LEFT_CHART.0, HEIGHT - 6.0), "without the host limit");
    }
    Ok(())
}

fn curves(solution: &Solution<'_>) -> Result<Vec<Point>> {
    let chosen = sampled(solution.pages.len(), CURVE_PAGES);
    let pick = |values: &[f64]| -> Vec<f64> { chosen.iter().map(|&i| values[i]).collect() };
    let (rates, weights) = (pick(solution.pages.change_rates()), pick(solution.pages.weights()));
    let pages = Pages::new(&rates, &weights).map_err(Mistake::usage)?;
    let total = pages.total_weight().max(f64::MIN_POSITIVE);
    let share = chosen.len() as f64 / solution.pages.len() as f64;
    // With so many pages that a sample is taken only the mean of the access time matters, CLW (17).
    let law = match share < 1.0 {
        true => AccessTime::Constant { mean: solution.law.mean() / share },
        false => solution.law.clone(),
    };
    let last = OCTAVES * STEPS_PER_OCTAVE;
    let at = |step: i32| {
        let factor = 2f64.powf(f64::from(step) / f64::from(STEPS_PER_OCTAVE));
        let law = law.scaled(1.0 / factor).map_err(Mistake::usage)?;
        let instance = Instance::new(&pages, &law);
        let best = optimum(&instance);
        let stale = costs(&pages, &instance, &best).map(|cost| cost / total);
        let drawn = if step % STEPS_PER_OCTAVE == 0 { drawn(&instance, &best)? } else { None };
        Ok(Point {
            budget: solution.budget_per_day * factor,
            stale,
            drawn: drawn.map(|costs| costs.map(|c| c / total)),
        })
    };
    (-last..=last).map(at).collect()
}

/// Costs in the order of [`CURVES`].
fn costs(pages: &Pages<'_>, instance: &Instance, best: &Allocation) -> [f64; 5] {
    [
        best.cost,
        golden_ratio_limit_cost(instance, &best.frequencies),
        randomised_optimum(instance).cost,
        even_spacing_cost(instance, &uniform(pages.len())),
        even_spacing_cost(instance, &proportional(pages)),
    ]
}

/// Costs in the order of [`MARKS`], if anything is accessed.
fn drawn(instance: &Instance, best: &Allocation) -> Result<Option<[f64; 2]>> {
    if best.frequencies.iter().all(|f| *f == 0.0) {
        return Ok(None);
    }
    let unavoidable = instance.unavoidable_cost();
    let excess = index_and_stride_over_bound(instance, &best.frequencies, SEQUENCE_PAGES, |_| None)?;
    Ok(Some(excess.map(|ratio| unavoidable + (best.cost - unavoidable) * ratio)))
}

fn visits_against_rate(svg: &mut Svg, solution: &Solution<'_>) {
    svg.text("title", "start", (RIGHT_CHART.0, 28.0), "How often to visit which page");
    let rates = solution.pages.change_rates();
    let chosen: Vec<usize> = sampled(rates.len(), DOTS).into_iter().filter(|&i| rates[i] > 0.0).collect();
    let visits = |i: usize| solution.allocation.frequencies[i] * solution.budget_per_day;
    let Some((least, most)) = range(chosen.iter().map(|&i| rates[i])) else {
        svg.text("", "start", (RIGHT_CHART.0, TOP + 20.0), "no page ever changes");
        return;
    };
    let equal = solution.budget_per_day / rates.len() as f64;
    let per_change = solution.budget_per_day / rates.iter().sum::<f64>();
    let lines = [equal, per_change * least, per_change * most];
    let seen = chosen.iter().map(|&i| visits(i)).chain(lines).filter(|visits| *visits > 0.0);
    let (low, high) = range(seen).unwrap_or((1.0, 1.0));
    let x = Axis::logarithmic(least / 1.3, most * 1.3, RIGHT_CHART);
    // Room below for pages that get no visit.
    let y = Axis::logarithmic(low, high, (BOTTOM - 20.0, TOP));
    frame(svg, &x, &y, "changes per day", "visits per day");
    for &i in &chosen {
        let page = solution.table.names.get(i);
        let title = format!("{page}: {} changes, {} visits a day", short(rates[i]), short(visits(i)));
        let place = if visits(i) > 0.0 { y.place(visits(i)) } else { BOTTOM - 8.0 };
        svg.dot(if visits(i) > 0.0 { "dot" } else { "none" }, (x.place(rates[i]), place), &title);
    }
    let ends = [x.range().0, x.range().1].map(|rate| (x.place(rate), y.place(per_change * rate)));
    svg.curve("s3", &[(RIGHT_CHART.0, y.place(equal)), (RIGHT_CHART.1, y.place(equal))], "uniform");
    svg.curve("s4", &ends, "proportional");
    legend(svg, &[("s0", "optimum (hollow: no visit)"), ("s3", "uniform"), ("s4", "proportional")], RIGHT_CHART.0);
}

/// Least and largest.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((f64::min(low, value), f64::max(high, value)))
    })
}

/// Axes with ticks, grid and labels.
fn frame(svg: &mut Svg, x: &Axis, y: &Axis, x_label: &str, y_label: &str) {
    let (left, right) = x.ends();
    for (value, text) in x.ticks() {
        let place = x.place(value);
        svg.line("grid", (place, TOP), (place, BOTTOM));
        svg.text("", "middle", (place, BOTTOM + 16.0), &text);
    }
    for (value, text) in y.ticks() {
        let place = y.place(value);
        svg.line("grid", (left, place), (right, place));
        svg.text("", "end", (left - 6.0, place + 4.0), &text);
    }
    svg.line("axis", (left, BOTTOM), (right, BOTTOM));
    svg.line("axis", (left, TOP), (left, BOTTOM));
    svg.text("", "middle", ((left + right) / 2.0, BOTTOM + 36.0), x_label);
    svg.upright_text((left - 52.0, (TOP + BOTTOM) / 2.0), y_label);
}

/// Names of curves below a chart, in as many rows as it takes.
fn legend(svg: &mut Svg, entries: &[(&str, &str)], left: f64) {
    let right = left + LEFT_CHART.1 - LEFT_CHART.0;
    let mut x = left;
    let mut y = BOTTOM + 58.0;
    for (class, name) in entries {
        // The width of a letter is a guess: it depends on the viewer's font.
        let width = 45.0 + 6.5 * name.len() as f64;
        if x + width > right + 20.0 {
            (x, y) = (left, y + 18.0);
        }
        match class.strip_prefix('m') {
            Some(_) => svg.dot(class, (x + 11.0, y - 4.0), name),
            None => svg.line(&format!("line {class}"), (x, y - 4.0), (x + 22.0, y - 4.0)),
        }
        svg.text("", "start", (x + 28.0, y), name);
        x += width;
    }
}
