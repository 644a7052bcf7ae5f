//! What is to be simulated: from what was typed and read to a configuration of the simulator.

use anyhow::Result;
use freshness::allocation::{HostLimits, law_for_robots, optimum, optimum_with_limits};
use freshness::{AccessTime, HostId, Instance};
use sim::{Changes, Config, Page};

use crate::budget::{Goal, Pace};
use crate::cli::{SimulateArgs, Weights};
use crate::commands::{apply_weights, checked_pages};
use crate::failure::Mistake;
use crate::input::trace::{History, Trace, read_trace};
use crate::input::{Interner, PageTable, Wanted, read_pages};
use crate::output::number::grouped;
use crate::output::warn;
use crate::units::{Rate, Span};

/// Days measured if nothing is said.
const USUAL_DAYS: f64 = 30.0;

/// The warm-up as a part of the time measured.
const WARM_UP: f64 = 0.2;

/// The least warm-up in accesses per page.
const WARM_UP_ROUNDS: f64 = 5.0;

/// A simulation to run, and the bound to hold its results against.
pub(super) struct Scene {
    pub(super) pages: Vec<Page>,
    pub(super) config: Config,
    pub(super) bound: f64,
    pub(super) total_weight: f64,
    /// The record of changes that is replayed.
    pub(super) trace: Option<String>,
    /// Whether policies that can learn the change rates must.
    pub(super) learned: bool,
}

/// Pages, and what is recorded of each if anything is.
struct Cast {
    table: PageTable,
    record: Option<(Vec<History>, f64)>,
}

impl Scene {
    pub(super) fn set(arguments: &SimulateArgs) -> Result<Self> {
        let pace = Pace::from_budget(&arguments.budget)?;
        let mut cast = cast(arguments)?;
        apply_weights(&mut cast.table, arguments.weights);
        let days = cast.record.as_ref().map(|(_, days)| *days);
        let duration = duration(arguments.duration, days)?;
        let live = days.is_none().then_some(cast.table.len());
        let mut config = config(&pace, arguments.budget.robots.unwrap_or(1), duration, live)?;
        config.seed = arguments.seed;
        // At most one access to a host at a time, and none too soon after it.
        config.host_delay =
            arguments.host_limit.map(|limit| (1.0 / limit.per_day() - config.access_time.mean()).max(0.0));
        let pages = pages(&cast);
        let (bound, total_weight) = bound(&mut cast, &config, arguments.host_limit)?;
        if let Some((histories, _)) = cast.record {
            config.changes = Changes::Replayed(histories.into_iter().map(|history| history.changes).collect());
        }
        let trace = arguments.trace.as_ref().map(|path| path.display().to_string());
        Ok(Self { pages, config, bound, total_weight, trace, learned: arguments.learn })
    }
}

fn cast(arguments: &SimulateArgs) -> Result<Cast> {
    let wanted = Wanted { weights: arguments.weights == Weights::Column, hosts: arguments.host_limit.is_some() };
    let given = arguments.pages.as_ref().map(|path| read_pages(path, wanted)).transpose()?;
    let recorded = arguments.trace.as_ref().map(|path| read_trace(path)).transpose()?;
    match (given, recorded) {
        (Some(table), None) => Ok(Cast { table, record: None }),
        (Some(table), Some(trace)) => Ok(chosen(table, trace)?),
        (None, Some(trace)) => Ok(everything(trace)),
        (None, None) => Err(Mistake::usage("say which pages to simulate: give PAGES or --trace").into()),
    }
}

/// The pages of the table, with what the record has of them.
fn chosen(table: PageTable, trace: Trace) -> Result<Cast, Mistake> {
    let mut recorded = Interner::default();
    for name in trace.names.iter() {
        recorded.number(name);
    }
    let find = |name: &str| recorded.find(name).map(|number| trace.histories[number as usize].clone());
    let found: Vec<Option<History>> = table.names.iter().map(find).collect();
    let missing = found.iter().filter(|history| history.is_none()).count();
    if missing == found.len() {
        return Err(Mistake::usage("none of the pages is in the trace; give the same names in both"));
    }
    if missing > 0 {
        warn(format_args!("pages not in the trace, taken as never changing: {}", grouped(missing)));
    }
    let histories = found.into_iter().map(|history| history.unwrap_or_else(History::uneventful)).collect();
    Ok(Cast { table, record: Some((histories, trace.days)) })
}

/// All pages of the record, with their mean rates.
fn everything(trace: Trace) -> Cast {
    let rates = trace.histories.iter().map(|history| history.mean_rate(trace.days)).collect();
    Cast { table: PageTable::of_rates(trace.names, rates), record: Some((trace.histories, trace.days)) }
}

/// Days to measure: what was asked for, if the record is long enough for it.
fn duration(asked: Option<Span>, recorded: Option<f64>) -> Result<f64> {
    let longest = recorded.map(|days| days / (1.0 + WARM_UP));
    match (asked.map(Span::days), longest) {
        (None, None) => Ok(USUAL_DAYS),
        (None, Some(longest)) if longest > 0.0 => Ok(longest),
        (None, Some(_)) => {
            Err(Mistake::usage("all events of the trace are at the same time; give a longer record").into())
        }
        (Some(days), Some(longest)) if days > longest * (1.0 + 1e-9) => {
            let problem = format!("the trace is too short for --for: it has {longest:.1} days after the warm-up");
            Err(Mistake::usage(problem).into())
        }
        (Some(days), _) => Ok(days),
    }
}

/// Robots as they were asked for, or one that does it all. Copies are current at first, so the warm-up is long enough for a
/// few accesses to each of the `live` pages, if the record does not set it.
fn config(pace: &Pace, robots: u32, duration: f64, live: Option<usize>) -> Result<Config> {
    let (Goal::Given(law) | Goal::Least(_, law)) = &pace.goal;
    let (law, robots): (AccessTime, u32) = match &pace.robot {
        Some(robot) if robots > 1 => (robot.clone(), robots),
        _ => (law.clone(), 1),
    };
    let budget = f64::from(robots) / law.mean();
    let rounds = live.map_or(0.0, |pages| WARM_UP_ROUNDS * pages as f64 / budget);
    let warm_up = (WARM_UP * duration).max(rounds);
    let accesses = (warm_up + duration) * budget;
    if accesses > 1e11 {
        let problem = format!("that is {accesses:.0e} accesses for each policy; lower the budget or shorten --for");
        return Err(Mistake::usage(problem).into());
    }
    Ok(Config { robots, warm_up, ..Config::new(law, duration) })
}

fn pages(cast: &Cast) -> Vec<Page> {
    let rates = cast.table.change_rates.iter().zip(&cast.table.weights);
    let mut pages: Vec<Page> = rates.map(|(mu, c)| Page::new(*mu, *c)).collect();
    if let Some(hosts) = &cast.table.hosts {
        pages.iter_mut().zip(&hosts.of_page).for_each(|(page, host)| page.host = HostId(*host));
    }
    if let Some((histories, _)) = &cast.record {
        for (page, history) in pages.iter_mut().zip(histories) {
            (page.from, page.until) = (history.from, history.until);
        }
    }
    pages
}

/// The lower bound for Poisson changes, with pages that come or go counted for the time they are there.
fn bound(cast: &mut Cast, config: &Config, host_limit: Option<Rate>) -> Result<(f64, f64)> {
    if let Some((histories, _)) = &cast.record {
        let end = config.warm_up + config.duration;
        for (weight, history) in cast.table.weights.iter_mut().zip(histories) {
            *weight *= history.presence(config.warm_up, end);
        }
    }
    let law = law_for_robots(&config.access_time, config.robots).map_err(Mistake::usage)?;
    let instance = Instance::new(&checked_pages(&cast.table)?, &law);
    let cost = match (host_limit, &cast.table.hosts) {
        (Some(limit), Some(hosts)) => {
            let limits = vec![limit.per_day() * law.mean(); hosts.names.len()];
            let limits = HostLimits::new(&hosts.of_page, limits).map_err(Mistake::usage)?;
            optimum_with_limits(&instance, &limits).map_err(Mistake::usage)?.allocation.cost
        }
        _ => optimum(&instance).cost,
    };
    Ok((cost, instance.total_weight()))
}
