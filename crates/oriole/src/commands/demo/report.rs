//! What is shown and printed.

use std::fmt::Write as _;
use std::net::SocketAddr;

use livingweb::{Fractions, Handle, Period, Truth};
use serde::Serialize;

use super::settings::Plan;
use crate::engine::Status;
use crate::engine::view::{cut, gauge, terminal_width};
use crate::output::number::{grouped, percent, short};
use crate::output::table::{self, Align, Table};

/// Letters of the longest bar.
const BAR: f64 = 40.0;

/// What was measured. Parts are by weight, averaged over the time that was measured.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pages: usize,
    hosts: u32,
    seed: u64,
    /// Requests.
    budget_per_second: f64,
    seconds: f64,
    /// Of these, before anything was measured; 0 if all of it was, as the demo was ended in the warm-up.
    warm_up_seconds: f64,
    measured_seconds: f64,
    /// Since the start.
    changes: u64,
    fetches: u64,
    /// While it was measured.
    fetches_measured: u64,
    fetches_per_second: f64,
    pages_held: usize,
    stale_measured: Option<f64>,
    stale_bound: Option<f64>,
    stale_uniform: Option<f64>,
    stale_proportional: Option<f64>,
    /// Whether the warm-up was over when the demo ended; if not, the figures say little.
    warmed_up: bool,
    /// Whether budget, robots or sites were changed while it ran; then the engine was not under the budget named here all the time.
    settings_changed: bool,
    /// Says it again.
    command: String,
}

impl Summary {
    pub(super) fn new(truth: &Truth, plan: &Plan, warmed_up: Option<f64>, settings_changed: bool) -> Self {
        let period = measured(truth, warmed_up);
        let [stale_measured, stale_bound, stale_uniform, stale_proportional] = costs(period).map(|(_, cost)| cost);
        Self {
            pages: truth.pages,
            hosts: plan.web.hosts,
            seed: truth.seed,
            budget_per_second: plan.budget,
            seconds: truth.seconds,
            warm_up_seconds: warmed_up.unwrap_or(0.0),
            measured_seconds: period.seconds,
            changes: truth.changes,
            fetches: truth.since_start.fetches,
            fetches_measured: period.fetches,
            fetches_per_second: period.fetch_rate,
            pages_held: truth.pages_held,
            stale_measured,
            stale_bound,
            stale_uniform,
            stale_proportional,
            warmed_up: warmed_up.is_some(),
            settings_changed,
            command: command(plan),
        }
    }
}

/// What counts: since the warm-up, if it is over.
fn measured(truth: &Truth, warmed_up: Option<f64>) -> &Period {
    if warmed_up.is_some() { &truth.window } else { &truth.since_start }
}

/// The part of the copy that was out of date, beside what could have been with as many fetches.
fn costs(period: &Period) -> [(&'static str, Option<f64>); 4] {
    let could = |pick: fn(&Fractions) -> f64| period.expected.as_ref().map(|expected| pick(&expected.weighted));
    [
        ("measured", period.stale.all.weighted),
        ("least without hints", could(|fractions| fractions.bound)),
        ("all equally often", could(|fractions| fractions.uniform)),
        ("as often as they change", could(|fractions| fractions.proportional)),
    ]
}

fn command(plan: &Plan) -> String {
    let web = &plan.web;
    let (budget, length) = (short(plan.budget), short(plan.length.as_secs_f64()));
    format!(
        "oriole demo --pages {} --hosts {} --seed {} --budget {budget}/s --for {length}s",
        web.pages, web.hosts, web.seed
    )
}

/// Where to look, and what will happen.
pub(super) fn places(living: &Handle, plan: &Plan, pages: Option<SocketAddr>) -> String {
    let web = &plan.web;
    let mut text = format!(
        "A web of {} pages on {} hosts, with home pages and lists beside them that are searchable, too; seed {}. A page changes every {} s on average, some much more often, and some matter much more.\n\
         The engine may make {} requests a second. It warms up for {} s: pages are found, rates are learned. Then it is measured.\n",
        grouped(web.pages),
        web.hosts,
        web.seed,
        short(web.mean_interval),
        short(plan.budget),
        short(plan.warm_up.as_secs_f64())
    );
    for seed in living.seeds() {
        _ = writeln!(text, "site   {seed}");
    }
    if let Some(address) = pages {
        _ = writeln!(text, "look   http://{}/", crate::server::reachable(address));
    }
    _ = writeln!(text, "truth  http://{}/living/truth", living.admin());
    text
}

/// How things stand.
pub(super) struct Moment<'a> {
    pub(super) truth: &'a Truth,
    pub(super) status: &'a Status,
    pub(super) plan: &'a Plan,
    /// When the warm-up was over, in seconds since the start.
    pub(super) warmed_up: Option<f64>,
}

impl Moment<'_> {
    /// For a terminal, a few lines.
    pub(super) fn picture(&self) -> String {
        let (truth, status) = (self.truth, self.status);
        let period = measured(truth, self.warmed_up);
        let mut lines = vec![
            format!("time     {:.0} of {} s, {}", truth.seconds, short(self.plan.length.as_secs_f64()), self.stage()),
            format!(
                "pages    {} of {} held, {} searchable with home pages and lists, {} changes",
                grouped(truth.pages_held),
                grouped(truth.pages),
                grouped(status.pages_indexed as usize),
                grouped(truth.changes as usize)
            ),
            format!(
                "fetches  {}, {:.1} requests/s of {}",
                grouped(truth.since_start.fetches as usize),
                status.requests_per_second,
                short(self.plan.budget)
            ),
            format!(
                "robots   {:.2} of {} at work on average, {} wanted",
                status.robots_mean, status.robots_max, status.robots_wanted
            ),
            format!(
                "buffer   [{}] {} of {}, {} lost, {} obsolete",
                gauge(status.buffer_occupancy, status.buffer_capacity, 20),
                status.buffer_occupancy,
                status.buffer_capacity,
                status.lost,
                status.obsolete
            ),
            format!(
                "stale    {} now; on average, with what as many fetches could give:",
                part(truth.stale_now.all.weighted)
            ),
        ];
        lines.extend(costs(period).map(|(name, cost)| format!("  {name:<25}{:>8}  {}", part(cost), bar(cost))));
        let width = terminal_width();
        lines.iter().map(|line| cut(line, width)).collect::<Vec<_>>().join("\n")
    }

    fn stage(&self) -> String {
        let warm_up = self.plan.warm_up.as_secs_f64();
        match self.warmed_up {
            None => format!("warming up for {} s: pages are found, rates are learned", short(warm_up)),
            Some(at) => format!("measured for {:.0} s", self.truth.seconds - at),
        }
    }

    /// For a log.
    pub(super) fn line(&self) -> String {
        let truth = self.truth;
        let [measured, bound, uniform, proportional] =
            costs(measured(truth, self.warmed_up)).map(|(_, cost)| part(cost));
        format!(
            "{:.0} s, {}: {} of {} pages held, {} changes, {} fetches, {:.2} robots at work on average, {} in the buffer; stale {measured} on average, \
             least possible without hints {bound}, all equally often {uniform}, as often as they change {proportional}",
            truth.seconds,
            self.stage(),
            grouped(truth.pages_held),
            grouped(truth.pages),
            grouped(truth.changes as usize),
            grouped(truth.since_start.fetches as usize),
            self.status.robots_mean,
            self.status.buffer_occupancy
        )
    }
}

fn part(part: Option<f64>) -> String {
    part.map_or("-".to_owned(), percent)
}

fn bar(part: Option<f64>) -> String {
    "=".repeat((part.unwrap_or(0.0).clamp(0.0, 1.0) * BAR).round() as usize)
}

/// Whether the engine made clearly fewer fetches than it was allowed, once it was warm.
fn is_held_up(summary: &Summary) -> bool {
    let is_fair = summary.warm_up_seconds > 0.0 && !summary.settings_changed;
    is_fair && summary.fetches_per_second < 0.95 * summary.budget_per_second
}

/// The summary for people.
pub(super) fn text(summary: &Summary) -> String {
    let count = |number: u64| grouped(number as usize);
    let measured = if summary.warm_up_seconds > 0.0 {
        format!("{:.1} s, after a warm-up of {:.1} s", summary.measured_seconds, summary.warm_up_seconds)
    } else {
        format!("{:.1} s; the warm-up was not over, so what follows says little", summary.measured_seconds)
    };
    let fetches = format!("{}, {:.1}/s while it was measured", count(summary.fetches), summary.fetches_per_second);
    let pairs = [
        ("pages", format!("{}, {} held", grouped(summary.pages), grouped(summary.pages_held))),
        ("changes", count(summary.changes)),
        ("fetches", fetches),
        ("measured", measured),
    ];
    let mut pairs = Vec::from(pairs);
    if summary.settings_changed {
        let words = "were changed while it ran: what is possible is with as many fetches as were made, and `again` begins as this began";
        pairs.push(("settings", words.to_owned()));
    }
    if is_held_up(summary) {
        let words = format!(
            "{}/s was not reached: the machine was too busy, or it is more than a visit a second to every page",
            short(summary.budget_per_second)
        );
        pairs.push(("budget", words));
    }
    let mut table =
        Table::new(&[("stale by weight, on average", Align::Left), ("", Align::Right), ("of the bound", Align::Right)]);
    let rows = [
        ("measured", summary.stale_measured),
        ("least possible with as many fetches, without hints (bound)", summary.stale_bound),
        ("all equally often (uniform)", summary.stale_uniform),
        ("as often as they change (proportional)", summary.stale_proportional),
    ];
    for (name, cost) in rows {
        let ratio = cost.zip(summary.stale_bound.filter(|bound| *bound > 0.0)).map(|(cost, bound)| cost / bound);
        table.row([name.to_owned(), part(cost), ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"))]);
    }
    format!("\n{}\n{}\nagain: {}\n", table::list(&pairs), table.render(), summary.command)
}
