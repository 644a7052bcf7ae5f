//! How fresh is the engine's copy, beside what is possible and what others do?

use std::time::Duration;

use clap::Args;
use futures_util::future::{try_join, try_join_all};
use livingweb::{Clock, Handle, Truth, World, serve};
use oriole_bench::{Result, machine, write_json};
use serde::Serialize;
use sim::Estimate;

use crate::engine::Engine;
use crate::report::{Verdict, interval};
use crate::rules::Rival;
use crate::scenario::{Job, Scale, Scenario, scenarios};
use crate::{Common, jobs, rules};

/// How near to the bound the engine must be.
const WITHIN: f64 = 1.05;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,

    /// Pages
    #[arg(long, default_value_t = 1_000)]
    pages: usize,

    /// Standard deviation of the logarithm of change rates
    #[arg(long, default_value_t = 1.0)]
    sigma: f64,

    /// Mean time between changes of a page, in seconds
    #[arg(long, default_value_t = 40.0)]
    interval: f64,

    /// Requests per second
    #[arg(long, default_value_t = 50.0)]
    budget: f64,

    /// Seconds in which rates are learned
    #[arg(long, default_value_t = 600.0)]
    learn: f64,

    /// Seconds that are measured then
    #[arg(long, default_value_t = 300.0)]
    window: f64,

    /// Seconds that count as a day for the rules of other crawlers, which are made for days; each is tried
    #[arg(long, value_delimiter = ',', default_value = "4")]
    days: Vec<f64>,

    /// The engine alone, for a fifth of the processors' time
    #[arg(long)]
    alone: bool,
}

/// What one policy did on one web.
#[derive(Clone, Debug, Serialize)]
struct Line {
    part: &'static str,
    scenario: &'static str,
    seed: u64,
    policy: String,
    /// Seconds measured.
    seconds: f64,
    fetches_per_second: f64,
    requests_per_second: f64,
    fetches_304: u64,
    /// Pages there at the end, and of these, held.
    pages: usize,
    pages_held: usize,
    /// Weighted part of the pages that was out of date or missing, averaged over time.
    stale: f64,
    /// The same of the pages that were held: the difference is what was not found yet.
    stale_held: Option<f64>,
    /// The least possible at as many fetches, within the limits of hosts.
    bound: f64,
    /// What uniform visiting would give in the long run.
    uniform: f64,
    has_bound: bool,
    /// What the engine itself said at the end: how much is out of date, and the bound for what it has learned.
    said: Option<(f64, f64)>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let common = &arguments.common;
    let factor = common.scale();
    // In a quick run pages are fewer and change faster, so that each is visited as often.
    let quick = if common.quick { factor } else { 1.0 };
    let days: Vec<f64> = arguments.days.iter().map(|day| day * quick).collect();
    let scale = Scale {
        pages: (arguments.pages as f64 * quick) as usize,
        sigma: arguments.sigma,
        mean_interval: arguments.interval * quick,
        budget: arguments.budget,
        learn: arguments.learn * factor,
        window: arguments.window * factor,
        rivals: if arguments.alone { Vec::new() } else { Rival::all(&days) },
    };
    let engine = common.engine()?;
    let wanted: Vec<_> = scenarios().into_iter().filter(|scenario| common.is_wanted(scenario.name)).collect();
    let job = |scenario: &Scenario, seed| {
        let scale = Scale { learn: scale.learn * scenario.patience, ..scale.clone() };
        Job { scenario: scenario.clone(), scale, seed, engine: engine.clone() }
    };
    let mut all: Vec<Job> =
        wanted.iter().flat_map(|scenario| common.seeds().map(|seed| job(scenario, seed)).collect::<Vec<_>>()).collect();
    // What takes longest begins first, so that the others are done beside it.
    all.sort_by(|one, other| other.scale.learn.total_cmp(&one.scale.learn));
    println!("{}", machine());
    println!(
        "{} pages on 4 hosts, log-normal rates (sigma {}), mean interval {} s, budget {}/s; {:.0} s to learn, {:.0} s measured, {} seeds, {} at a time; a day of other rules is {:?} s\n",
        scale.pages,
        scale.sigma,
        scale.mean_interval,
        scale.budget,
        scale.learn,
        scale.window,
        common.seeds().count(),
        common.parallel,
        days
    );
    let (lines, failed) = jobs::all(&all, common.parallel, measure);
    let lines: Vec<Line> = lines.into_iter().flatten().collect();
    write_json(common.json.as_deref(), &lines)?;
    for scenario in &wanted {
        let of_it: Vec<&Line> = lines.iter().filter(|line| line.scenario == scenario.name).collect();
        print(scenario, &of_it, &scale);
    }
    summary(&wanted, &lines, &scale);
    println!("{}", machine());
    jobs::all_done(failed)
}

/// The engine and beside it the others, each on a web of its own of the same seed.
async fn measure(job: &Job) -> Result<Vec<Line>> {
    let living = serve(World::new(&job.settings())?, Clock::starting_now(), job.options()).await?;
    let rivals = &job.scale.rivals;
    let others = try_join_all(rivals.iter().map(|rival| rules::measure(job, *rival, &living)));
    let ((truth, said), others) = try_join(engine(job, &living), others).await?;
    let mut lines = vec![line(job, "engine".to_owned(), &truth, said)];
    for (rival, truth) in rivals.iter().zip(others) {
        lines.push(line(job, rival.name(), &truth, None));
    }
    eprintln!("{} seed {} done: engine {:.4}", job.scenario.name, job.seed, lines[0].stale);
    Ok(lines)
}

async fn engine(job: &Job, living: &Handle) -> Result<(Truth, Option<(f64, f64)>)> {
    let options: &[&str] = if job.scenario.everything { &[] } else { &["--no-index", "--no-archive"] };
    let mut engine = Engine::start(job.engine.clone(), &configuration(living, job.scale.budget), options)?;
    let Scale { learn, window, .. } = job.scale;
    let sleep = async |seconds: f64| tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    sleep(learn / 2.0).await;
    if job.scenario.halves {
        engine.reconfigure(&configuration(living, job.last_budget()))?;
    }
    sleep(learn / 2.0).await;
    living.reset();
    sleep(window).await;
    let truth = living.truth();
    engine.check()?;
    let status = engine.status().await?;
    let said = status["stale_estimate"].as_f64().zip(status["stale_bound"].as_f64());
    Ok((truth, said))
}

fn configuration(living: &Handle, budget: f64) -> String {
    living.oriole_toml().replace("robots = 32\n", &format!("budget = \"{budget}/s\"\n"))
}

fn line(job: &Job, policy: String, truth: &Truth, said: Option<(f64, f64)>) -> Line {
    let window = &truth.window;
    let expected = window.expected.unwrap_or_default().weighted;
    Line {
        part: "freshness",
        scenario: job.scenario.name,
        seed: job.seed,
        policy,
        seconds: window.seconds,
        fetches_per_second: window.fetch_rate,
        requests_per_second: window.requests as f64 / window.seconds,
        fetches_304: window.fetches_304,
        pages: truth.pages,
        pages_held: truth.pages_held,
        stale: window.stale.all.weighted.unwrap_or(1.0),
        stale_held: window.stale.held.weighted,
        bound: expected.bound_with_limits,
        uniform: expected.uniform,
        has_bound: job.has_bound(),
        said,
    }
}

fn print(scenario: &Scenario, lines: &[&Line], scale: &Scale) {
    let of = |policy: &str| lines.iter().filter(|line| line.policy == policy).copied().collect::<Vec<&Line>>();
    let engine = of("engine");
    println!("{}: {:.0} s to learn, {:.0} s measured", scenario.name, scale.learn * scenario.patience, scale.window);
    println!("  {:<20}{:>12}{:>20}{:>20}{:>12}", "policy", "fetches/s", "stale cost", "of the bound", "held");
    print_policy("engine", &engine);
    for rival in &scale.rivals {
        print_policy(&rival.name(), &of(&rival.name()));
    }
    let ratio = estimate(&engine, |line| line.stale / line.bound);
    if engine.iter().all(|line| line.has_bound) {
        println!("  within 5 % of the bound: {} ({})", Verdict::below(ratio, WITHIN), interval(ratio));
    } else {
        println!("  (the bound is for Poisson changes, and none for this web)");
    }
    for rival in scale.rivals.iter().filter(|rival| **rival != Rival::Told) {
        let difference = paired(&engine, &of(&rival.name()), |ours, theirs| ours - theirs);
        println!("  engine - {}: {} below: {}", rival.name(), interval(difference), Verdict::below(difference, 0.0));
    }
    if scale.rivals.is_empty() {
        return println!();
    }
    // The same changes happen to all policies: this ratio has less noise than that to the bound.
    let price = paired(&engine, &of(&Rival::Told.name()), |ours, theirs| ours / theirs);
    println!("  engine / told, the price of learning: {}", interval(price));
    let luck = estimate(&of(&Rival::Uniform.name()), |line| line.stale / line.uniform);
    println!("  uniform / its theory without limits of hosts, the luck of these webs: {}\n", interval(luck));
}

/// All webs in one table, as the documentation has it: stale cost over the bound.
fn summary(wanted: &[Scenario], lines: &[Line], scale: &Scale) {
    let policies = std::iter::once("engine".to_owned()).chain(scale.rivals.iter().map(|rival| rival.name()));
    let policies: Vec<String> = policies.collect();
    println!("| web | {} |\n|---|{}", policies.join(" | "), "---|".repeat(policies.len()));
    for scenario in wanted {
        let of = |policy: &String| {
            let is_it = |line: &&Line| line.scenario == scenario.name && line.policy == *policy;
            let Estimate { mean, half_width } =
                estimate(&lines.iter().filter(is_it).collect::<Vec<_>>(), |line| line.stale / line.bound);
            format!("{mean:.3} ± {half_width:.3}")
        };
        println!("| {} | {} |", scenario.name, policies.iter().map(of).collect::<Vec<_>>().join(" | "));
    }
    println!();
}

fn print_policy(policy: &str, lines: &[&Line]) {
    println!(
        "  {policy:<20}{:>12.2}{:>20}{:>20}{:>11.1}%",
        estimate(lines, |line| line.fetches_per_second).mean,
        interval(estimate(lines, |line| line.stale)),
        interval(estimate(lines, |line| line.stale / line.bound)),
        100.0 * estimate(lines, |line| line.pages_held as f64 / line.pages as f64).mean,
    );
}

fn estimate(lines: &[&Line], value: fn(&Line) -> f64) -> Estimate {
    Estimate::of(&lines.iter().map(|line| value(line)).collect::<Vec<_>>())
}

/// Over seeds, each on the same web.
fn paired(ours: &[&Line], theirs: &[&Line], compare: fn(f64, f64) -> f64) -> Estimate {
    let pairs = ours.iter().zip(theirs);
    Estimate::of(&pairs.map(|(ours, theirs)| compare(ours.stale, theirs.stale)).collect::<Vec<_>>())
}
