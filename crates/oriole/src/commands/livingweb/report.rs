//! What is printed.

use livingweb::{CopyReport, Expected, Fractions, Handle, Share, Truth};
use serde::Serialize;

use super::copy;
use crate::cli::LivingwebArgs;
use crate::output::number::{grouped, percent, short};
use crate::output::table::{self, Align, Table};
use crate::output::warn;

/// Hosts that are listed.
const HOSTS: usize = 20;

/// What was measured.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    #[serde(flatten)]
    truth: Truth,
    /// Of the data folder that was to be judged.
    copy: Option<CopyReport>,
}

impl Summary {
    pub(super) fn new(living: &Handle, arguments: &LivingwebArgs) -> Self {
        let copy = arguments.data.as_ref().and_then(|data| {
            let judged = copy::judge(living, data);
            judged.inspect_err(|error| warn(format_args!("the copy was not judged: {error:#}"))).ok()
        });
        Self { truth: living.truth(), copy }
    }
}

/// Where to look.
pub(super) fn places(living: &Handle) -> String {
    let admin = living.admin();
    let mut text = format!(
        "{} pages on {} hosts, seed {}\n",
        grouped(living.truth().pages),
        living.hosts().len(),
        living.world().seed()
    );
    for seed in living.seeds() {
        text.push_str(&format!("seed   {seed}\n"));
    }
    text.push_str(&format!("truth  http://{admin}/living/truth\n"));
    text.push_str(&format!("crawl  curl -s http://{admin}/living/oriole.toml > oriole.toml && oriole run\n"));
    text
}

/// How things stand, in one line.
pub(super) fn line(truth: &Truth, requests: u64) -> String {
    format!(
        "{} of {} pages held, {} changes, {requests} requests/s, stale now {}, on average {}",
        grouped(truth.pages_held),
        grouped(truth.pages),
        grouped(truth.changes as usize),
        part(truth.stale_now.all.weighted),
        part(truth.window.stale.all.weighted)
    )
}

fn part(part: Option<f64>) -> String {
    part.map_or("-".to_owned(), percent)
}

/// The summary for people.
pub(super) fn text(summary: &Summary) -> String {
    let truth = &summary.truth;
    let period = &truth.since_start;
    let mut pairs = vec![
        ("time", format!("{} s", short(truth.seconds))),
        ("pages", format!("{}, {} held", grouped(truth.pages), grouped(truth.pages_held))),
        ("changes", grouped(truth.changes as usize)),
        ("requests", grouped(period.requests as usize)),
        (
            "fetches of pages",
            format!(
                "{}, {}/s, {} not modified",
                grouped(period.fetches as usize),
                short(period.fetch_rate),
                grouped(period.fetches_304 as usize)
            ),
        ),
        ("stale now", of(&truth.stale_now.all)),
    ];
    if let Some(copy) = &summary.copy {
        pairs.push(("copy in the folder", format!("{} held, {} stale", grouped(copy.pages_held), of(&copy.stale.all))));
    }
    let mut text = format!("\n{}\n{}", table::list(&pairs), measured(truth).render());
    if truth.hosts.len() > 1 {
        text.push_str(&format!("\n{}", hosts(truth).render()));
    }
    text
}

fn of(share: &Share) -> String {
    format!("{} by weight, {} of pages", part(share.weighted), part(share.unweighted))
}

/// One of the fractions.
type Part = fn(&Fractions) -> f64;

/// Measured beside possible.
fn measured(truth: &Truth) -> Table {
    let mut table = Table::new(&[
        ("stale on average", Align::Left),
        ("by weight", Align::Right),
        ("of pages", Align::Right),
        ("since reset", Align::Right),
    ]);
    let (start, window) = (&truth.since_start, &truth.window);
    let mut row = |name: &str, shares: [Option<f64>; 3]| {
        let [weighted, unweighted, since_reset] = shares.map(part);
        table.row([name.to_owned(), weighted, unweighted, since_reset]);
    };
    let all = |share: &Share| [share.weighted, share.unweighted];
    let [weighted, unweighted] = all(&start.stale.all);
    row("measured", [weighted, unweighted, window.stale.all.weighted]);
    let [weighted, unweighted] = all(&start.stale.held);
    row("measured, of pages held", [weighted, unweighted, window.stale.held.weighted]);
    let could = |expected: &Option<Expected>, of: fn(&Expected) -> &Fractions, pick: fn(&Fractions) -> f64| {
        expected.as_ref().map(|expected| pick(of(expected)))
    };
    let kinds: [(&str, Part); 4] = [
        ("least possible without hints", |fractions| fractions.bound),
        ("... within crawl delays", |fractions| fractions.bound_with_limits),
        ("all equally often", |fractions| fractions.uniform),
        ("as often as they change", |fractions| fractions.proportional),
    ];
    for (name, pick) in kinds {
        let weighted = could(&start.expected, |expected| &expected.weighted, pick);
        let unweighted = could(&start.expected, |expected| &expected.unweighted, pick);
        row(name, [weighted, unweighted, could(&window.expected, |expected| &expected.weighted, pick)]);
    }
    table
}

fn hosts(truth: &Truth) -> Table {
    let mut table = Table::new(&[
        ("host", Align::Left),
        ("pages", Align::Right),
        ("held", Align::Right),
        ("fetches/s", Align::Right),
        ("stale by weight", Align::Right),
    ]);
    for host in truth.hosts.iter().take(HOSTS) {
        table.row([
            host.url.clone(),
            grouped(host.pages),
            grouped(host.pages_held),
            short(host.since_start.fetch_rate),
            part(host.since_start.stale.all.weighted),
        ]);
    }
    table
}
