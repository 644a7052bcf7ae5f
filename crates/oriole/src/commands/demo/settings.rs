//! Which web is played, and how the engine crawls it.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use livingweb::{Handle, Lastmod, Options, RateLaw, Settings, Weights};

use crate::cli::DemoArgs;
use crate::config::{Config, Listen};
use crate::engine::{HostLine, Status};
use crate::failure::Mistake;
use crate::units::{SECONDS_PER_DAY, Span};

/// Most pages: every look at the truth goes through all of them.
const MOST_PAGES: usize = 20_000;

/// Seconds between changes of a page, on average. A page must be seen to change a few times before the engine knows how often
/// it does, and all this in a minute.
const MEAN_INTERVAL: f64 = 4.0;

/// How different the pages are: one in eleven changes over twice as often as the mean, one in four less than half as often.
const SIGMA: f64 = 0.7;

/// Seconds between two visits of a page, on average.
const VISITED_EVERY: f64 = 5.0;

/// Sizes of pages in bytes, roughly.
const SIZES: (u32, u32) = (1_000, 6_000);

/// Seconds in which pages are found and rates learned, at most.
const WARM_UP: f64 = 30.0;

/// Seconds that a demo may take.
const LENGTHS: std::ops::RangeInclusive<f64> = 1.0..=1e6;

/// Requests per second that can be asked for.
const BUDGETS: std::ops::RangeInclusive<f64> = 0.1..=1e4;

/// What is to be shown.
pub(super) struct Plan {
    /// The web that is crawled.
    pub(super) web: Settings,
    /// Requests per second.
    pub(super) budget: f64,
    pub(super) length: Duration,
    pub(super) warm_up: Duration,
    listen: Option<SocketAddr>,
}

impl Plan {
    /// # Errors
    /// Says which option is wrong and what is allowed.
    pub(super) fn new(arguments: &DemoArgs) -> Result<Self, Mistake> {
        let pages = arguments.pages;
        if pages > MOST_PAGES {
            let remedy = "for a larger web use oriole livingweb and oriole run";
            return Err(Mistake::usage(format_args!("--pages must be from 1 to {MOST_PAGES}, got {pages}; {remedy}")));
        }
        let seconds = arguments.duration.seconds();
        if !LENGTHS.contains(&seconds) {
            let got = Span::from_seconds(seconds);
            return Err(Mistake::usage(format_args!("--for must be from 1 s to 1000000 s, got {got}")));
        }
        let budget = arguments.budget.map_or(pages as f64 / VISITED_EVERY, |rate| rate.per_second());
        if !BUDGETS.contains(&budget) && arguments.budget.is_some() {
            return Err(Mistake::usage(format_args!("--budget must be from 0.1/s to 10000/s, got {budget}/s")));
        }
        let web = Settings {
            seed: arguments.seed,
            pages,
            hosts: arguments.hosts,
            mean_interval: MEAN_INTERVAL,
            rates: RateLaw::LogNormal { sigma: SIGMA },
            weights: Weights::Independent,
            sizes: SIZES,
            ..Settings::default()
        };
        let warm_up = WARM_UP.min(seconds / 2.0);
        let (length, warm_up) = (Duration::from_secs_f64(seconds), Duration::from_secs_f64(warm_up));
        Ok(Self { web, budget, length, warm_up, listen: arguments.listen })
    }

    /// The bound is for a crawler that learns of changes only by visits, so neither sitemaps nor feeds tell of them.
    pub(super) fn servers(&self) -> Options {
        Options { lastmod: Lastmod::None, feeds: false, ..Options::default() }
    }

    /// Whether somebody has given the engine another budget, or paused, removed or added sites.
    pub(super) fn is_changed(&self, status: &Status) -> bool {
        let budget = status.budget_per_day.map_or(f64::INFINITY, |budget| budget / SECONDS_PER_DAY);
        let is_left_out = |site: &HostLine| ["paused", "being removed", "removed"].contains(&site.state.as_str());
        (budget / self.budget - 1.0).abs() > 1e-6
            || status.hosts > u64::from(self.web.hosts)
            || status.busiest_hosts.iter().any(is_left_out)
    }

    /// As many robots as the engine sees fit, within the budget.
    ///
    /// # Errors
    /// If pages would be served to others, who could do as they like.
    pub(super) fn engine(&self, living: &Handle, data: &Path) -> Result<Config, Mistake> {
        let mut config = Config::from_text("oriole.toml of the living web", &living.oriole_toml())?;
        config.data = data.to_path_buf();
        config.robots = None;
        config.fleet.frontier.budget = Some(self.budget);
        config.server.listen = self.listen.map_or(Listen::Auto, Listen::At);
        config.server.check()?;
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_by_hand_is_noticed() {
        let web = Settings { hosts: 2, ..Settings::default() };
        let (length, warm_up) = (Duration::from_secs(60), Duration::from_secs(30));
        let plan = Plan { web, budget: 160.0, length, warm_up, listen: None };
        let status = |per_second: f64, hosts: u64| {
            let budget_per_day = Some(per_second * SECONDS_PER_DAY);
            Status { budget_per_day, hosts, ..Status::default() }
        };
        assert!(!plan.is_changed(&status(160.0, 2)) && !plan.is_changed(&status(160.0, 0)));
        assert!(plan.is_changed(&status(40.0, 2)) && plan.is_changed(&status(160.0, 3)));
        assert!(plan.is_changed(&Status::default()), "there is no limit any more");
    }
}
