//! `oriole fit`: which model do delivery times and page sizes speak for?

mod arrivals;
mod report;

use std::fs;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::Result;
use control::fit::em::EmOptions;
use control::fit::{Choice, FitError, FittedLaw, choose_law};
use control::{Costs, Model, PhaseType};

use super::control::{print, print_text, write_file};
use crate::cli::{COSTS, CostText, FitArgs};
use crate::failure::Mistake;
use crate::input::{Columns, read_columns};
use crate::model_file::to_toml;
use crate::output::number::{grouped, short};
use crate::output::warn;
use crate::progress::while_doing;
use arrivals::Arrivals;

/// What things cost is not in the data; these are the costs of the measured crawler of ADKNS section 7.
const USUAL: Costs = Costs { loss: 200.0, obsolete: 250.0, sojourn: 3.0, robot: 20.0, starvation: 600.0 };

/// Likelihoods that rise by less than this per value, or after so many iterations, are high enough.
const EM: EmOptions = EmOptions { iterations: 300, tolerance: 1e-7 };

/// What was fitted, and to what.
struct Fit {
    deliveries: usize,
    sizes: usize,
    arrivals: Arrivals,
    service: Choice<FittedLaw>,
}

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if options or input are wrong.
pub fn run(arguments: &FitArgs) -> Result<()> {
    check(arguments)?;
    let deliveries = read_columns(&arguments.deliveries, "time", Some("robots"))?;
    let activity = arguments.activity.as_ref().map(|path| read_columns(path, "time", Some("robots"))).transpose()?;
    let sizes = read_columns(&arguments.sizes, "size", None)?;
    let fit = while_doing("fitting", || fit(arguments, &deliveries, activity.as_ref(), &sizes))?;
    let model = model(arguments, &fit)?;
    if fit.arrivals.statistics.stopped_share() > 0.5 {
        warn("what was taken for stops is most of the time; look at the gaps, and set --stop-gap or --batch-gap");
    }
    let text = to_toml(&model, &heading(arguments, &fit));
    let (json, words) = (report::json(&fit, &model, &arguments.given.cost), || report::text(&fit, &model, arguments));
    if arguments.out == Path::new(STANDARD) {
        let report = if arguments.json { serde_json::to_string(&json)? } else { words() };
        // If nobody can be told, nobody is.
        let _ = writeln!(anstream::stderr(), "{}", report.trim_end());
        return print_text(&text);
    }
    write_file(&arguments.out, &text)?;
    print(arguments.json, &json, words)
}

fn check(arguments: &FitArgs) -> Result<(), Mistake> {
    let FitArgs { how, given, .. } = arguments;
    let within = |name: &str, value: Option<f64>, range: RangeInclusive<f64>| match value {
        Some(value) if !range.contains(&value) => {
            let [value, least, most] = [value, *range.start(), *range.end()].map(short);
            Err(Mistake::usage(format_args!("{name} is {value}; give a number from {least} to {most}")))
        }
        _ => Ok(()),
    };
    within("--speed", Some(given.speed), SIZES)?;
    within("--obsolete-after", given.obsolete_after, SIZES)?;
    within("--batch-gap", how.batch_gap, 0.0..=*SIZES.end())?;
    within("--stop-gap", how.stop_gap, *SIZES.start()..=f64::INFINITY)?;
    check_files(arguments)
}

/// Standard input, or output, instead of a file.
const STANDARD: &str = "-";

/// Numbers that can be reckoned with.
const SIZES: RangeInclusive<f64> = 1e-50..=1e50;

fn check_files(arguments: &FitArgs) -> Result<(), Mistake> {
    let inputs = [("--deliveries", Some(&arguments.deliveries)), ("--sizes", Some(&arguments.sizes))];
    let inputs: Vec<(&str, &PathBuf)> = inputs
        .into_iter()
        .chain([("--activity", arguments.activity.as_ref())])
        .filter_map(|(name, path)| Some((name, path?)))
        .collect();
    let piped: Vec<&str> =
        inputs.iter().filter(|(_, path)| **path == Path::new(STANDARD)).map(|(name, _)| *name).collect();
    if piped.len() > 1 {
        let names = piped.join(" and ");
        return Err(Mistake::usage(format_args!("{names} are both standard input; give a file for all but one")));
    }
    let same = |a: &Path, b: &Path| fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b));
    match inputs.iter().find(|(_, path)| arguments.out != Path::new(STANDARD) && same(path, &arguments.out)) {
        Some((name, _)) => Err(Mistake::usage(format_args!("--out is the file of {name}; give another name"))),
        None => Ok(()),
    }
}

fn fit(arguments: &FitArgs, deliveries: &Columns, activity: Option<&Columns>, sizes: &Columns) -> Result<Fit> {
    let arrivals = Arrivals::fit(&arguments.how, arguments.given.robots, deliveries, activity)?;
    let (phases, methods) = (arguments.how.phases.map(usize::from), arguments.how.service_by.methods());
    // The unit of time is that of the deliveries, for likelihoods too.
    let times: Vec<f64> = sizes.values.iter().map(|size| size / arguments.given.speed).collect();
    let service = choose_law(&times, phases, methods, &EM).map_err(|error| located(error, sizes))?;
    Ok(Fit { deliveries: deliveries.values.len(), sizes: sizes.values.len(), arrivals, service })
}

/// An error about a position of a sample as one about the line it stands on.
fn located(error: FitError, columns: &Columns) -> Mistake {
    match error {
        FitError::Order { position, .. } | FitError::Scale { position, .. } | FitError::Sample { position, .. } => {
            columns.mistake_at(position - 1, error)
        }
        error => columns.mistake(error),
    }
}

fn model(arguments: &FitArgs, fit: &Fit) -> Result<Model> {
    let given = &arguments.given;
    let obsolescence = given.obsolete_after.map(|mean| PhaseType::exponential(1.0 / mean)).transpose();
    let (obsolescence, buffer) = (obsolescence.map_err(Mistake::usage)?, given.buffer as usize);
    let (service, arrivals) = (fit.service.best.fitted.law.clone(), fit.arrivals.processes());
    Ok(Model::new(buffer, service, obsolescence, arrivals, costs(&given.cost)).map_err(Mistake::usage)?)
}

/// The usual costs, but for those that are given; of one that is given twice the last holds.
fn costs(given: &[CostText]) -> Costs {
    let mut costs = USUAL;
    for text in given {
        if let Some((_, of)) = COSTS.iter().find(|(name, _)| *name == text.name) {
            *of(&mut costs) = text.cost;
        }
    }
    costs
}

/// Where the costs come from.
fn source(given: &[CostText]) -> String {
    let (mine, theirs): (Vec<&str>, Vec<&str>) =
        COSTS.iter().map(|(name, _)| *name).partition(|name| given.iter().any(|text| text.name == *name));
    let usual = "those of the measured crawler of Avrachenkov et al., section 7: change them to what things cost you";
    match (mine.is_empty(), theirs.is_empty()) {
        (true, _) => format!("not in the data; {usual}"),
        (false, true) => "as given by --cost".to_string(),
        (false, false) => format!("{} as given by --cost; {} are {usual}", mine.join(", "), theirs.join(", ")),
    }
}

/// What the file begins with.
fn heading(arguments: &FitArgs, fit: &Fit) -> String {
    format!(
        "Fitted to {} deliveries in {} and {} sizes in {}.\nArrivals: {}.\nCosts: {}.",
        grouped(fit.deliveries),
        arguments.deliveries.display(),
        grouped(fit.sizes),
        arguments.sizes.display(),
        fit.arrivals.in_words(),
        source(&arguments.given.cost),
    )
}
