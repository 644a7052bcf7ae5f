//! Flags go before everything else.

use crate::cli::{BudgetText, RunArgs};
use crate::failure::Mistake;
use crate::law_text::LawText;
use crate::units::SECONDS_PER_DAY;

use super::{Config, Listen, meaning};

/// Puts the flags of `oriole run` in the place of what was said before. Addresses take the place of all seeds.
pub(super) fn apply(config: &mut Config, run: &RunArgs) -> Result<(), Mistake> {
    let Config { fleet, fetch, log, .. } = config;
    if let Some(budget) = run.budget {
        fleet.frontier.budget = requests_per_second(budget);
    }
    if let Some(delay) = run.delay {
        fleet.frontier.delay = meaning::checked_delay(delay.seconds).map_err(|problem| flag("--delay", &problem))?;
    }
    if let Some(connections) = run.connections_per_host {
        fleet.frontier.connections = connections;
    }
    if let Some(level) = &run.log_level {
        meaning::check_levels(level).map_err(|problem| flag("--log-level", &problem))?;
        log.level.clone_from(level);
    }
    fetch.allow_private |= run.allow_private;
    log.format = run.log.or(log.format);
    config.robots = run.robots.or(config.robots);
    config.metrics = run.metrics.or(config.metrics);
    config.duration = run.duration.map(crate::units::Span::seconds);
    config.once = run.once;
    if let Some(LawText::Law(law)) = &run.index_time {
        config.index_time = Some(law.scaled(SECONDS_PER_DAY).map_err(Mistake::usage)?);
    }
    if run.no_index {
        config.index = None;
    }
    if run.no_archive {
        config.archive = None;
    }
    config.server.apply(&run.server)?;
    if run.no_server {
        config.server.listen = Listen::Off;
    }
    if !run.urls.is_empty() {
        let urls = run.urls.iter().map(|text| meaning::seed(text).map_err(Mistake::usage));
        config.seeds = meaning::distinct(urls.collect::<Result<_, _>>()?);
    }
    Ok(())
}

fn flag(name: &str, problem: &str) -> Mistake {
    Mistake::usage(format_args!("{name} {problem}"))
}

/// A budget as the frontier sees it.
pub(super) fn requests_per_second(budget: BudgetText) -> Option<f64> {
    match budget {
        BudgetText::Rate(rate) => Some(rate.per_second()),
        BudgetText::Unlimited => None,
    }
}
