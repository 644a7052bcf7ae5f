//! `oriole fit`: which model do delivery times and page sizes speak for?

mod arrivals;
mod report;

use anyhow::Result;
use control::fit::em::EmOptions;
use control::fit::{Choice, FitError, FittedLaw, choose_law};
use control::{Costs, Model, PhaseType};

use super::control::{print, write_file};
use crate::cli::{COSTS, CostText, FitArgs};
use crate::failure::Mistake;
use crate::input::{Columns, read_columns};
use crate::model_file::to_toml;
use crate::output::number::grouped;
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
    write_file(&arguments.out, &to_toml(&model, &heading(arguments, &fit)))?;
    print(arguments.json, &report::json(&fit, &model, &arguments.given.cost), || report::text(&fit, &model, arguments))
}

fn check(arguments: &FitArgs) -> Result<(), Mistake> {
    let positive = |name: &str, value: f64| match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Mistake::usage(format_args!("{name} is {value}; give a finite number above 0"))),
    };
    positive("--speed", arguments.given.speed)?;
    arguments.given.obsolete_after.map_or(Ok(()), |mean| positive("--obsolete-after", mean))
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
        FitError::Order { position, .. } | FitError::Sample { position, .. } => columns.mistake_at(position - 1, error),
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
