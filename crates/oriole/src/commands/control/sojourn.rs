//! `oriole control sojourn`: how long do pages stay?

use anyhow::Result;
use control::queue::{Fate, Sojourn, SojournError, SojournLaw};
use control::{Effort, RobotPolicy};
use serde::Serialize;

use super::patience::while_waiting;
use super::{FEWER_PHASES, draw, policy, print};
use crate::cli::SojournArgs;
use crate::failure::Mistake;
use crate::model_file::read_model;
use crate::output::number::{percent, short};
use crate::output::table::{Align, Table, list};
use crate::plot::chart::{Chart, Curve};
use crate::plot::check_name;
use crate::progress::while_doing;
use crate::units::Fraction;

/// Points of the distribution if no times are given.
const TIMES: usize = 10;

/// Points of a curve.
const POINTS: usize = 120;

const FATES: [(&str, Fate); 3] = [("served", Fate::Served), ("obsolete", Fate::Obsolete), ("any", Fate::Any)];

pub(super) fn run(arguments: &SojournArgs) -> Result<()> {
    check(arguments)?;
    let model = read_model(&arguments.model.model, arguments.model.repair)?;
    let policy = policy::of(&model, &arguments.policy)?;
    let effort = Effort::of_solving(&model, &policy);
    let sojourn = while_waiting("solving", effort, FEWER_PHASES, || Sojourn::by_size(&model, &policy))?;
    let sojourn = sojourn.map_err(|error| refused(&error))?;
    let (mut law, effort) = (sojourn.law(), Effort::of_times(&sojourn));
    let answer = || Answer::new(&sojourn, &mut law, arguments);
    let answer = while_waiting("computing distributions", effort, FEWER_PHASES, answer)?;
    if let Some(path) = &arguments.plot {
        draw(path, &while_doing("drawing", || picture(&sojourn, &mut law)))?;
    }
    print(arguments.json, &answer, || text(&policy, &answer))
}

fn check(arguments: &SojournArgs) -> Result<(), Mistake> {
    arguments.plot.as_deref().map(check_name).transpose()?;
    match arguments.at.iter().find(|t| !(**t >= 0.0 && t.is_finite())) {
        Some(t) => Err(Mistake::usage(format_args!("--at: {t} is not a time; give finite numbers of at least 0"))),
        None => Ok(()),
    }
}

fn refused(error: &SojournError) -> Mistake {
    Mistake::usage(format_args!(
        "{error} with `oriole control solve`; for distributions lower the buffer or describe service or obsolescence by fewer phases"
    ))
}

#[derive(Serialize)]
struct Answer {
    served: Times,
    /// Null if no page becomes obsolete.
    obsolete: Option<Times>,
    any: Times,
    distribution: Vec<Point>,
}

#[derive(Serialize)]
struct Times {
    probability: f64,
    mean: f64,
    standard_deviation: f64,
    /// The third moment about the mean over the cube of the deviation.
    skewness: f64,
    /// The means of the first four powers of the time.
    moments: [f64; 4],
    quantiles: Vec<Quantile>,
}

#[derive(Serialize)]
struct Quantile {
    p: f64,
    time: f64,
}

/// Probabilities of having left by a time.
#[derive(Serialize)]
struct Point {
    time: f64,
    served: f64,
    obsolete: Option<f64>,
    any: f64,
}

impl Answer {
    fn new(sojourn: &Sojourn, law: &mut SojournLaw<'_>, arguments: &SojournArgs) -> Self {
        let at = if arguments.at.is_empty() { usual_times(law) } else { arguments.at.clone() };
        let [served, obsolete, any] = FATES.map(|(_, fate)| Times::new(sojourn, law, fate, &arguments.quantiles));
        let some_obsolete = obsolete.probability > 0.0;
        let point = |time: &f64| {
            let [served, obsolete, any] = FATES.map(|(_, fate)| law.distribution(fate, *time));
            Point { time: *time, served, obsolete: some_obsolete.then_some(obsolete), any }
        };
        let obsolete = some_obsolete.then_some(obsolete);
        Self { served, obsolete, any, distribution: at.iter().map(point).collect() }
    }
}

impl Times {
    fn new(sojourn: &Sojourn, law: &mut SojournLaw<'_>, fate: Fate, quantiles: &[Fraction]) -> Self {
        let moments = [1, 2, 3, 4].map(|k| sojourn.moment(fate, k));
        let [mean, second, third, _] = moments;
        let standard_deviation = (second - mean * mean).max(0.0).sqrt();
        let skewness = (third - 3.0 * mean * second + 2.0 * mean.powi(3)) / standard_deviation.powi(3);
        let quantile = |p: &Fraction| Quantile { p: p.value(), time: law.quantile(fate, p.value()) };
        let quantiles = quantiles.iter().map(quantile).collect();
        Self { probability: sojourn.probability(fate), mean, standard_deviation, skewness, moments, quantiles }
    }
}

/// Even steps to just beyond the 0.99 quantile, in a round unit.
fn usual_times(law: &mut SojournLaw<'_>) -> Vec<f64> {
    let step = law.quantile(Fate::Served, 0.99) / TIMES as f64;
    let unit = 10f64.powf(step.log10().floor());
    let step = (step / unit).ceil() * unit;
    (1..=TIMES).map(|n| step * n as f64).collect()
}

fn text(policy: &RobotPolicy, answer: &Answer) -> String {
    use Align::{Left, Right};
    let all = [("served", Some(&answer.served)), ("obsolete", answer.obsolete.as_ref()), ("any", Some(&answer.any))];
    let or_none = |value: Option<f64>, text: fn(f64) -> String| value.map_or("-".to_string(), text);
    let mut means = Table::new(&[
        ("pages", Left),
        ("share", Right),
        ("mean time", Right),
        ("deviation", Right),
        ("skewness", Right),
    ]);
    for (name, times) in all {
        let plain = |of: fn(&Times) -> f64| or_none(times.map(of), short);
        let share = percent(times.map_or(0.0, |times| times.probability));
        means.row([name.to_string(), share, plain(|t| t.mean), plain(|t| t.standard_deviation), plain(|t| t.skewness)]);
    }
    let mut quantiles = Table::new(&[("exceeded by", Right), ("served", Right), ("obsolete", Right), ("any", Right)]);
    for (n, quantile) in answer.served.quantiles.iter().enumerate() {
        let [served, obsolete, any] = all.map(|(_, times)| or_none(times.map(|times| times.quantiles[n].time), short));
        quantiles.row([percent(1.0 - quantile.p), served, obsolete, any]);
    }
    let mut points = Table::new(&[("gone by", Right), ("served", Right), ("obsolete", Right), ("any", Right)]);
    for point in &answer.distribution {
        let obsolete = or_none(point.obsolete, percent);
        points.row([short(point.time), percent(point.served), obsolete, percent(point.any)]);
    }
    let policy = list(&[("policy", policy::in_words(policy))]);
    let [means, quantiles, points] = [means, quantiles, points].map(|table| table.render());
    let lost = "A page that is lost on arrival counts among any, with a time of 0.";
    format!("{policy}\n{means}\n{quantiles}\n{points}\n{lost}\n")
}

fn picture(sojourn: &Sojourn, law: &mut SojournLaw<'_>) -> Chart {
    let shown = || FATES.into_iter().filter(|(_, fate)| sojourn.probability(*fate) > 0.0);
    let last = shown().map(|(_, fate)| law.quantile(fate, 0.99)).fold(0.0, f64::max);
    // Closer together at the beginning, where most pages leave.
    let times = || (0..=POINTS).map(|n| last * (n as f64 / POINTS as f64).powi(2));
    let curve = |(name, fate): (&str, Fate)| Curve {
        name: name.to_string(),
        points: times().map(|t| (t, law.distribution(fate, t))).collect(),
        dots: false,
    };
    Chart {
        title: "How long pages stay in the system".to_string(),
        x_label: "time since delivery, in the unit of the model",
        y_label: "share of pages that have left",
        curves: shown().map(curve).collect(),
    }
}
