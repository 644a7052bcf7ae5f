//! `oriole fit`: which model do delivery times and page sizes speak for?

mod report;

use anyhow::Result;
use control::fit::deliveries::{Activity, DeliveryOptions, Trace};
use control::fit::em::{EmOptions, law_from_sample, law_from_sample_moments};
use control::fit::{DeliveryStatistics, FitError, FittedArrivals, FittedLaw, arrivals_by_em, arrivals_from_statistics};
use control::{Costs, Model, PhaseType};

use super::control::{print, write_file};
use crate::cli::FitArgs;
use crate::failure::Mistake;
use crate::input::{Columns, read_columns};
use crate::model_file::to_toml;
use crate::output::number::grouped;
use crate::progress::while_doing;

/// Phases of the service law by moments, at most.
const SERVICE_PHASES: usize = 10;

/// What things cost is not in the data; these are the costs of the measured crawler of ADKNS section 7.
const COSTS: Costs = Costs { loss: 200.0, obsolete: 250.0, sojourn: 3.0, robot: 20.0, starvation: 600.0 };

/// What was fitted, and to what.
struct Fit {
    deliveries: usize,
    sizes: usize,
    statistics: DeliveryStatistics,
    arrivals: FittedArrivals,
    service: FittedLaw,
}

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if options or input are wrong.
pub fn run(arguments: &FitArgs) -> Result<()> {
    check(arguments)?;
    let deliveries = read_columns(&arguments.deliveries, "time", Some("robots"))?;
    let sizes = read_columns(&arguments.sizes, "size", None)?;
    let fit = while_doing("fitting", || fit(arguments, &deliveries, &sizes))?;
    let model = model(arguments, &fit)?;
    write_file(&arguments.out, &to_toml(&model, &heading(arguments, &fit)))?;
    print(arguments.json, &report::json(&fit), || report::text(&fit, &arguments.out))
}

fn check(arguments: &FitArgs) -> Result<(), Mistake> {
    let positive = |name: &str, value: f64| match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Mistake::usage(format_args!("{name} is {value}; give a finite number above 0"))),
    };
    positive("--speed", arguments.speed)?;
    arguments.obsolete_after.map_or(Ok(()), |mean| positive("--obsolete-after", mean))
}

fn fit(arguments: &FitArgs, deliveries: &Columns, sizes: &Columns) -> Result<Fit> {
    let activity = deliveries.second.as_ref().map(|robots| activity(deliveries, robots)).transpose()?;
    let options = DeliveryOptions::default();
    let wrong = |error: FitError| located(error, deliveries);
    let trace = Trace::new(&deliveries.values, activity.as_ref(), &options).map_err(wrong)?;
    let statistics = trace.statistics(&options);
    let phases = arguments.phases.map(usize::from);
    let arrivals = match phases {
        Some(phases) => arrivals_by_em(&trace, phases, false, &EmOptions::default()),
        None => arrivals_from_statistics(&statistics),
    };
    let service = match phases {
        Some(phases) => law_from_sample(&sizes.values, phases, &EmOptions::default()),
        None => law_from_sample_moments(&sizes.values, SERVICE_PHASES),
    };
    let service = service.map_err(|error| located(error, sizes))?.scaled(1.0 / arguments.speed);
    let (deliveries, sizes) = (deliveries.values.len(), sizes.values.len());
    Ok(Fit { deliveries, sizes, statistics, arrivals: arrivals.map_err(wrong)?, service })
}

/// The number of active robots as it changes from delivery to delivery.
fn activity(deliveries: &Columns, robots: &[f64]) -> Result<Activity> {
    if let Some(row) = robots.iter().position(|r| !(*r >= 0.0 && *r <= 1e6 && r.fract() == 0.0)) {
        let problem = format!("robots is {}; give a whole number of at least 0", robots[row]);
        return Err(deliveries.mistake_at(row, problem).into());
    }
    let changes: Vec<(f64, u32)> = deliveries.values.iter().zip(robots).map(|(t, r)| (*t, *r as u32)).collect();
    Ok(Activity::new(&changes).map_err(|error| located(error, deliveries))?)
}

/// An error about a position of a sample as one about the line it stands on.
fn located(error: FitError, columns: &Columns) -> Mistake {
    match error {
        FitError::Order { position, .. } | FitError::Sample { position, .. } => columns.mistake_at(position - 1, error),
        error => columns.mistake(error),
    }
}

fn model(arguments: &FitArgs, fit: &Fit) -> Result<Model> {
    let obsolescence = arguments.obsolete_after.map(|mean| PhaseType::exponential(1.0 / mean)).transpose();
    let arrivals = fit.arrivals.for_robots(arguments.robots);
    let obsolescence = obsolescence.map_err(Mistake::usage)?;
    let buffer = arguments.buffer as usize;
    Ok(Model::new(buffer, fit.service.law.clone(), obsolescence, arrivals, COSTS).map_err(Mistake::usage)?)
}

/// What the file begins with.
fn heading(arguments: &FitArgs, fit: &Fit) -> String {
    format!(
        "Fitted to {} deliveries in {} and {} sizes in {}.\nr robots deliver r times as fast as one. What things cost is not in the data: change [cost] to what it is to you.",
        grouped(fit.deliveries),
        arguments.deliveries.display(),
        grouped(fit.sizes),
        arguments.sizes.display(),
    )
}
