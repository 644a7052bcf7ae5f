//! Arrivals from delivery times, for each number of robots or for one.

use std::collections::BTreeMap;

use anyhow::Result;
use control::Bmap;
use control::fit::deliveries::{Activity, Batches, DeliveryOptions, DeliveryStatistics, Stops, Trace};
use control::fit::{Choice, FitError, FittedArrivals, Part, arrivals_by_robots, choose_arrivals};

use super::{EM, located};
use crate::cli::{HowArgs, Reading};
use crate::input::Columns;

/// Whole gaps with one number of robots that are often enough for a process of its own.
const OFTEN: f64 = 100.0;

/// The arrivals as they were fitted.
pub(super) struct Arrivals {
    /// Gaps, batches and stops.
    pub(super) statistics: DeliveryStatistics,
    /// By number of robots; of one robot if `up_to` says for how many it is to be made faster.
    pub(super) by_number: Vec<(u32, Choice<FittedArrivals>)>,
    pub(super) up_to: Option<u32>,
    /// Why numbers that were seen have no process of their own.
    pub(super) left_out: Vec<String>,
}

impl Arrivals {
    pub(super) fn fit(how: &HowArgs, robots: u32, deliveries: &Columns, changes: Option<&Columns>) -> Result<Self> {
        let activity = activity(deliveries, changes)?;
        let options = options(how);
        let wrong = |error: FitError| located(error, deliveries);
        let plain = Trace::new(&deliveries.values, None, &options).map_err(wrong)?;
        let (often, left_out) = often(activity.as_ref().map_or(BTreeMap::new(), |known| plain.by_robots(known)));
        let (phases, methods) = (how.phases.map(usize::from), how.arrivals_by.methods());
        let by_number = match how.reading {
            None => often.len() > 1,
            Some(Reading::Number) if often.is_empty() => return Err(nothing_to_read(deliveries, &left_out).into()),
            Some(reading) => reading == Reading::Number,
        };
        if by_number {
            let statistics = plain.statistics(&options);
            let by_number = arrivals_by_robots(&often, phases, methods, &EM).map_err(wrong)?;
            return Ok(Self { statistics, by_number, up_to: None, left_out });
        }
        let trace = Trace::new(&deliveries.values, activity.as_ref(), &options).map_err(wrong)?;
        let statistics = trace.statistics(&options);
        let one = choose_arrivals(&trace, phases, methods, &EM).map_err(wrong)?;
        Ok(Self { statistics, by_number: vec![(1, one)], up_to: Some(robots), left_out: Vec::new() })
    }

    /// The process of each number of robots in the model.
    pub(super) fn processes(&self) -> Vec<(u32, Bmap)> {
        match (&self.by_number[..], self.up_to) {
            ([(_, one)], Some(robots)) => one.best.fitted.for_robots(robots),
            (all, _) => all.iter().map(|(r, choice)| (*r, choice.best.fitted.process.clone())).collect(),
        }
    }

    pub(super) fn in_words(&self) -> String {
        match self.up_to {
            Some(_) => "r robots deliver r times as fast as one, which is fitted in operational time".to_string(),
            None => "each number of robots is fitted on its own".to_string(),
        }
    }
}

/// What was said of batches and stops, and the usual rules for what was not.
fn options(how: &HowArgs) -> DeliveryOptions {
    DeliveryOptions {
        batches: how.batch_gap.map_or(Batches::default(), Batches::Within),
        stops: how.stop_gap.map_or(Stops::default(), Stops::LongerThan),
        ..DeliveryOptions::default()
    }
}

/// The numbers of robots with enough whole gaps, and a word on the others.
fn often(parts: BTreeMap<u32, Part>) -> (BTreeMap<u32, Part>, Vec<String>) {
    let whole = |part: &Part| part.batches - part.broken;
    let (often, seldom): (BTreeMap<_, _>, BTreeMap<_, _>) =
        parts.into_iter().partition(|(_, part)| whole(part) >= OFTEN);
    let word = |(robots, part): (&u32, &Part)| {
        let gaps = whole(part);
        format!("of the number of robots {robots} there are {gaps} whole gaps, fewer than {OFTEN}: it is left out")
    };
    let left_out = seldom.iter().map(word).collect();
    (often, left_out)
}

fn nothing_to_read(deliveries: &Columns, left_out: &[String]) -> crate::failure::Mistake {
    let remedy =
        "give a column `robots` or --activity with at least one number that holds for long, or --reading scaled";
    match left_out {
        [] => deliveries.mistake(format_args!("the number of active robots is not known; {remedy}")),
        all => deliveries.mistake(format_args!("{}; {remedy}", all.join("; "))),
    }
}

/// The number of active robots as it changes, from the deliveries or from a file of its own.
fn activity(deliveries: &Columns, changes: Option<&Columns>) -> Result<Option<Activity>> {
    let (columns, robots) = match (changes, &deliveries.second) {
        (Some(_), Some(_)) => {
            return Err(deliveries.mistake("the column `robots` and --activity are both given; keep one").into());
        }
        (Some(changes), None) => match &changes.second {
            Some(robots) => (changes, robots),
            None => {
                return Err(changes
                    .mistake("there is no column `robots`; give the number active from each time on")
                    .into());
            }
        },
        (None, Some(robots)) => (deliveries, robots),
        (None, None) => return Ok(None),
    };
    if let Some(row) = robots.iter().position(|r| !(*r >= 0.0 && *r <= 1e6 && r.fract() == 0.0)) {
        let problem = format!("robots is {}; give a whole number of at least 0", robots[row]);
        return Err(columns.mistake_at(row, problem).into());
    }
    let changes: Vec<(f64, u32)> = columns.values.iter().zip(robots).map(|(t, r)| (*t, *r as u32)).collect();
    Ok(Some(Activity::new(&changes).map_err(|error| located(error, columns))?))
}
