//! What do robots cost with a slow indexer, under which rule, and what did the model say?

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use control::Costs;
use freshness::AccessTime;
use livingweb::{Clock, Handle, Options, RateLaw, Settings, World, serve};
use serde::Serialize;
use serde_json::Value;
use sim::Estimate;

use crate::engine::Engine;
use crate::in_flight::System;
use crate::report::{self, Verdict, interval, machine};
use crate::{Common, Result, jobs};

/// Most robots.
const MOST: u32 = 8;

/// Names of the measures that are compared, as the engine says them.
const MEASURES: [&str; 7] =
    ["p_loss", "p_obsolete", "p_starvation", "sojourn_served", "active_robots", "arrivals_per_second", "cost"];

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,

    /// Seconds before anything is measured; the model is fitted after one, three and seven eighths of them
    #[arg(long, default_value_t = 120.0)]
    learn: f64,

    /// Seconds that are measured then: less than seven eighths as long, or the model is fitted again meanwhile
    #[arg(long, default_value_t = 100.0)]
    window: f64,

    /// Batches into which they are cut
    #[arg(long, default_value_t = 5)]
    batches: u32,

    /// Time to index a document, beside what it takes anyway
    #[arg(long, default_value = "exp(20ms)")]
    index_time: String,

    /// Mean time of an answer, in seconds
    #[arg(long, default_value_t = 0.05)]
    latency: f64,

    /// Pages: so many that each has changed when its turn comes again, so few that their rates are learned
    #[arg(long, default_value_t = 300)]
    pages: usize,

    /// Mean time between changes of a page, in seconds
    #[arg(long, default_value_t = 0.5)]
    interval: f64,

    /// Places in the buffer
    #[arg(long, default_value_t = 10)]
    places: usize,

    /// Costs of a loss, an obsolete document, a second of sojourn, a robot, and starvation
    #[arg(long, value_delimiter = ',', default_value = "5,10,2,1,20")]
    costs: Vec<f64>,
}

/// One engine.
struct Job {
    rule: String,
    seed: u64,
    engine: PathBuf,
    learn: f64,
    batch: f64,
}

/// What one engine did in one batch, or what its model says.
#[derive(Clone, Debug, Serialize)]
struct Line {
    part: &'static str,
    rule: String,
    seed: u64,
    /// `measured`, or for the whole run `predicted`, or `in flight`: predicted if robots on their way finish.
    kind: &'static str,
    policy: Option<String>,
    fitted: Value,
    /// Documents that were brought in the batch.
    arrivals: f64,
    /// In the order of the measures.
    values: [f64; 7],
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let common = &arguments.common;
    let rules = ["thresholds".to_owned(), "aimd".to_owned(), "on-off".to_owned()];
    let rules = rules.into_iter().chain((1..=MOST).map(|robots| robots.to_string()));
    let rules: Vec<String> = rules.filter(|rule| common.is_wanted(rule)).collect();
    let (engine, factor) = (common.engine()?, common.scale());
    let (learn, batch) = (arguments.learn * factor, arguments.window * factor / f64::from(arguments.batches));
    let job = |rule: &String, seed| Job { rule: rule.clone(), seed, engine: engine.clone(), learn, batch };
    let all: Vec<Job> = rules.iter().flat_map(|rule| common.seeds().map(move |seed| job(rule, seed))).collect();
    println!("{}", machine());
    println!(
        "indexer {} beside its work, answers exp({} s), pages change every {} s, {} places, up to {MOST} robots; costs of loss, obsolete, sojourn, robot, starvation {:?}; {learn:.0} s to learn, {} batches of {batch:.0} s, {} seeds, {} at a time\n",
        arguments.index_time,
        arguments.latency,
        arguments.interval,
        arguments.places,
        arguments.costs,
        arguments.batches,
        common.seeds().count(),
        common.parallel
    );
    let lines = jobs::all(&all, common.parallel, async |job| measure(arguments, job).await)?;
    let lines: Vec<Line> = lines.into_iter().flatten().collect();
    report::write_json(common.json.as_deref(), &lines)?;
    for rule in &rules {
        print(rule, &lines);
    }
    rank(&rules, &lines);
    println!("{}", machine());
    Ok(())
}

async fn measure(arguments: &Arguments, job: &Job) -> Result<Vec<Line>> {
    let settings = Settings {
        seed: job.seed,
        rates: RateLaw::Equal,
        pages: arguments.pages,
        mean_interval: arguments.interval,
        sizes: (1_000, 3_000),
        ..Settings::default()
    };
    let options = Options { latency: Some(AccessTime::exponential(arguments.latency)?), ..Options::default() };
    let living = serve(World::new(&settings)?, Clock::starting_now(), options).await?;
    let configuration = configuration(arguments, job, &living);
    let mut engine =
        Engine::start(job.engine.clone(), &configuration, &["--no-archive", "--index-time", &arguments.index_time])?;
    let sleep = async |seconds: f64| tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    sleep(job.learn).await;
    let mut lines = Vec::new();
    let mut control = engine.status().await?["control"].take();
    for _ in 0..arguments.batches {
        let before = Sums::of(&control["measured"]);
        sleep(job.batch).await;
        engine.check()?;
        control = engine.status().await?["control"].take();
        // Where another policy was taken up meanwhile, counting began anew.
        if let Some(values) =
            Sums::of(&control["measured"]).zip(before).and_then(|(now, before)| now.since(before, &costs(arguments)))
        {
            lines.push(line(job, "measured", &control, values));
        }
    }
    if let Some(values) = in_flight(arguments, &control) {
        lines.push(line(job, "in flight", &control, values));
    }
    let predicted = MEASURES.map(|name| control["predicted"][name].as_f64().unwrap_or(f64::NAN));
    lines.push(line(job, "predicted", &control, predicted));
    eprintln!("{} seed {} done: {}", job.rule, job.seed, control);
    Ok(lines)
}

fn line(job: &Job, kind: &'static str, control: &Value, values: [f64; 7]) -> Line {
    let policy = control["policy"].as_str().map(str::to_owned);
    Line {
        part: "robots",
        rule: job.rule.clone(),
        seed: job.seed,
        kind,
        policy,
        fitted: control["fitted"].clone(),
        arrivals: if kind == "measured" { values[5] * job.batch } else { 0.0 },
        values,
    }
}

/// What the fitted model says if robots on their way finish what they began.
fn in_flight(arguments: &Arguments, control: &Value) -> Option<[f64; 7]> {
    let fitted = |name: &str| control["fitted"][name].as_f64();
    let robots: Vec<u32> =
        control["robots"].as_array()?.iter().filter_map(|robots| Some(robots.as_u64()? as u32)).collect();
    // The fitted arrivals are those of the most robots there may be.
    let most = if control["rule"] == "fixed" { *robots.first()? } else { MOST };
    let system = System {
        arrivals: fitted("arrivals_per_second")? / f64::from(most),
        service: fitted("service_seconds")?,
        obsolescence: fitted("obsolete_per_second").unwrap_or(0.0),
        robots: &robots,
        costs: costs(arguments),
    };
    (robots.len() == arguments.places + 1).then(|| system.measures())
}

fn costs(arguments: &Arguments) -> Costs {
    let of = |i: usize| arguments.costs.get(i).copied().unwrap_or(0.0);
    Costs { loss: of(0), obsolete: of(1), sojourn: of(2), robot: of(3), starvation: of(4) }
}

fn configuration(arguments: &Arguments, job: &Job, living: &Handle) -> String {
    let robots = if job.rule.parse::<u32>().is_ok() { job.rule.clone() } else { "\"auto\"".to_owned() };
    let rule = if job.rule.parse::<u32>().is_ok() { "thresholds" } else { &job.rule };
    let text = living.oriole_toml();
    let text = text.replace("robots = 32\n", &format!("robots = {robots}\nbudget = \"unlimited\"\n"));
    let text = text.replace("least = \"50ms\"", "least = \"0\"");
    let text = text.replace("connections_per_host = 8", "connections_per_host = 64");
    let Costs { loss, obsolete, sojourn, robot, starvation } = costs(arguments);
    format!(
        "{text}\n[control]\nrule = \"{rule}\"\nmost = {MOST}\nrefit = \"{}ms\"\nloss = {loss}\nobsolete = {obsolete}\n\
         sojourn = {sojourn}\nrobot = {robot}\nstarvation = {starvation}\n\n[buffer]\nplaces = {}\nreserve = false\n",
        (job.learn / 8.0 * 1e3).round(),
        arguments.places
    )
}

/// What was counted since a policy was taken up, from what the engine says of it.
#[derive(Clone, Copy)]
struct Sums {
    seconds: f64,
    arrivals: f64,
    lost: f64,
    obsolete: f64,
    starved: f64,
    sojourn: f64,
    robots: f64,
}

impl Sums {
    fn of(measured: &Value) -> Option<Self> {
        let get = |name: &str| measured[name].as_f64();
        let seconds = get("seconds")?;
        let arrivals = get("arrivals_per_second")? * seconds;
        let (lost, obsolete) = (get("p_loss")? * arrivals, get("p_obsolete")? * arrivals);
        Some(Self {
            seconds,
            arrivals,
            lost,
            obsolete,
            starved: get("p_starvation")? * seconds,
            // Up to the few that are in the buffer.
            sojourn: get("sojourn_served")? * (arrivals - lost - obsolete),
            robots: get("active_robots")? * seconds,
        })
    }

    /// The measures between two times.
    fn since(self, before: Self, costs: &Costs) -> Option<[f64; 7]> {
        let seconds = self.seconds - before.seconds;
        let (arrivals, lost) = (self.arrivals - before.arrivals, self.lost - before.lost);
        let obsolete = self.obsolete - before.obsolete;
        let sojourn = (self.sojourn - before.sojourn) / (arrivals - lost - obsolete);
        let (starvation, robots) = ((self.starved - before.starved) / seconds, (self.robots - before.robots) / seconds);
        let cost = costs.total(lost / seconds, obsolete / seconds, sojourn, robots, starvation);
        let values = [lost / arrivals, obsolete / arrivals, starvation, sojourn, robots, arrivals / seconds, cost];
        (seconds > 0.0 && arrivals > 0.0 && values.iter().all(|value| value.is_finite())).then_some(values)
    }
}

fn estimate(rule: &str, lines: &[Line], kind: &str, measure: usize) -> Estimate {
    let of_it = lines.iter().filter(|line| line.rule == rule && line.kind == kind);
    Estimate::of(&of_it.map(|line| line.values[measure]).filter(|value| value.is_finite()).collect::<Vec<_>>())
}

fn print(rule: &str, lines: &[Line]) {
    let policies = lines.iter().filter(|line| line.rule == rule && line.kind == "predicted");
    let policies: Vec<String> = policies.filter_map(|line| line.policy.clone()).collect();
    println!("{rule}{}", if policies.is_empty() { String::new() } else { format!(" ({})", policies.join("; ")) });
    println!("  {:<22}{:>12}{:>12}{:>22}", "", "predicted", "in flight", "measured");
    let arrivals: f64 = lines.iter().filter(|line| line.rule == rule).map(|line| line.arrivals).sum();
    for (measure, name) in MEASURES.iter().enumerate() {
        let [predicted, in_flight, measured] =
            ["predicted", "in flight", "measured"].map(|kind| estimate(rule, lines, kind, measure));
        let verdict = |said: f64| match () {
            () if !said.is_finite() => "",
            () if measured.contains(said) || is_too_rare(said, measured, arrivals) => "PASS",
            () => "FAIL",
        };
        println!(
            "  {name:<22}{:>12.4}{:>12.4}{:>22}  {:<6}{}",
            predicted.mean,
            in_flight.mean,
            interval(measured),
            verdict(predicted.mean),
            verdict(in_flight.mean)
        );
    }
    println!();
}

/// What is so rare that it would hardly have been seen among so many documents agrees with nothing seen.
fn is_too_rare(said: f64, measured: Estimate, arrivals: f64) -> bool {
    measured.mean == 0.0 && said * arrivals < 3.0
}

/// Costs beside each other.
fn rank(rules: &[String], lines: &[Line]) {
    let cost = |rule: &str| estimate(rule, lines, "measured", MEASURES.len() - 1);
    let best = cost("thresholds");
    println!("{:<12}{:>22}{:>26}", "rule", "cost", "thresholds - it");
    for rule in rules {
        let theirs = cost(rule);
        let half_width = best.half_width.hypot(theirs.half_width);
        let difference = Estimate { mean: best.mean - theirs.mean, half_width };
        if rule == "thresholds" {
            println!("{rule:<12}{:>22}", interval(theirs));
        } else {
            println!(
                "{rule:<12}{:>22}{:>26}  below: {}",
                interval(theirs),
                interval(difference),
                Verdict::below(difference, 0.0)
            );
        }
    }
    println!();
}
