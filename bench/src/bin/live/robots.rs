//! What do robots cost with a slow indexer, under which rule, and what did the model say?

mod case;
mod sums;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use control::Costs;
use freshness::AccessTime;
use livingweb::{Clock, Handle, Options, RateLaw, Settings, World, serve};
use oriole_bench::{Result, machine, write_json};
use serde::Serialize;
use serde_json::Value;

use crate::engine::Engine;
use crate::{Common, jobs};
use case::{CASES, Case, MOST, rules};
use sums::{MEASURES, Sums, Values};

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,

    /// Only these cases: waste, idle, reserve; can be given more than once
    #[arg(long)]
    case: Vec<String>,

    /// Seconds before anything is measured; the model is fitted after one, three and seven eighths of them
    #[arg(long, default_value_t = 96.0)]
    learn: f64,

    /// Seconds that are measured then: less than seven eighths as long, or the model is fitted again meanwhile
    #[arg(long, default_value_t = 80.0)]
    window: f64,

    /// Batches into which they are cut
    #[arg(long, default_value_t = 5)]
    batches: u32,

    /// Mean time of an answer, in seconds
    #[arg(long, default_value_t = 0.05)]
    latency: f64,

    /// Pages: so many that each has changed when its turn comes again, so few that their rates are learned
    #[arg(long, default_value_t = 150)]
    pages: usize,

    /// Mean time between changes of a page, in seconds
    #[arg(long, default_value_t = 0.5)]
    interval: f64,

    /// Places in the buffer
    #[arg(long, default_value_t = 10)]
    places: usize,
}

/// One engine.
struct Job<'a> {
    case: &'a Case,
    rule: String,
    seed: u64,
    engine: PathBuf,
    learn: f64,
    batch: f64,
}

/// What one engine did in one batch, and what its model said.
#[derive(Clone, Debug, Serialize)]
struct Line {
    part: &'static str,
    case: &'static str,
    rule: String,
    seed: u64,
    policy: Option<String>,
    fitted: Value,
    /// Documents that were brought in the batch.
    arrivals: f64,
    /// In the order of the measures.
    values: Values,
    /// None where there is no model.
    predicted: Option<Values>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let common = &arguments.common;
    let rules: Vec<String> = rules().into_iter().filter(|rule| common.is_wanted(rule)).collect();
    let is_wanted = |case: &&Case| arguments.case.is_empty() || arguments.case.iter().any(|name| name == case.name);
    let cases: Vec<&Case> = CASES.iter().filter(is_wanted).collect();
    let (engine, factor) = (common.engine()?, common.scale());
    let (learn, batch) = (arguments.learn * factor, arguments.window * factor / f64::from(arguments.batches));
    let mut all = Vec::new();
    for case in &cases {
        for seed in common.seeds() {
            let job = |rule: &String| Job { case, rule: rule.clone(), seed, engine: engine.clone(), learn, batch };
            all.extend(rules.iter().map(job));
        }
    }
    println!("{}", machine());
    println!(
        "answers exp({} s), {} pages that change every {} s, {} places, up to {MOST} robots; {learn:.0} s to learn, {} batches of {batch:.0} s, {} seeds, {} engines at a time\n",
        arguments.latency,
        arguments.pages,
        arguments.interval,
        arguments.places,
        arguments.batches,
        common.seeds().count(),
        common.parallel
    );
    let (lines, failed) = jobs::all(&all, common.parallel, async |job| measure(arguments, job).await);
    let lines: Vec<Line> = lines.into_iter().flatten().collect();
    write_json(common.json.as_deref(), &lines)?;
    for case in cases {
        let lines: Vec<Line> = lines.iter().filter(|line| line.case == case.name).cloned().collect();
        println!("== {} ==\n{}.\nindexer {} beside its work; {:?}\n", case.name, case.why, case.index_time, case.costs);
        table::agreement(&rules, &lines);
        table::ranking(&rules, &lines);
    }
    println!("{}", machine());
    jobs::all_done(failed)
}

async fn measure(arguments: &Arguments, job: &Job<'_>) -> Result<Vec<Line>> {
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
    let options = ["--no-archive", "--index-time", job.case.index_time];
    let mut engine = Engine::start(job.engine.clone(), &configuration, &options)?;
    let sleep = async |seconds: f64| tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    sleep(job.learn).await;
    let mut lines = Vec::new();
    let mut control = engine.status().await?["control"].take();
    for _ in 0..arguments.batches {
        let before = Sums::of(&control["measured"]);
        sleep(job.batch).await;
        engine.check()?;
        control = engine.status().await?["control"].take();
        let sums = Sums::of(&control["measured"]).zip(before);
        lines.extend(
            sums.and_then(|(now, before)| now.since(before, &job.case.costs)).map(|values| line(job, &control, values)),
        );
    }
    eprintln!("{} {} seed {} done: {}", job.case.name, job.rule, job.seed, control);
    Ok(lines)
}

fn line(job: &Job<'_>, control: &Value, values: Values) -> Line {
    let predicted = control["predicted"].as_object();
    Line {
        part: "robots",
        case: job.case.name,
        rule: job.rule.clone(),
        seed: job.seed,
        policy: control["policy"].as_str().map(str::to_owned),
        fitted: control["fitted"].clone(),
        arrivals: values[5] * job.batch,
        values,
        predicted: predicted.map(|said| MEASURES.map(|name| said[name].as_f64().unwrap_or(f64::NAN))),
    }
}

fn configuration(arguments: &Arguments, job: &Job<'_>, living: &Handle) -> String {
    let robots = if job.rule.parse::<u32>().is_ok() { job.rule.clone() } else { "\"auto\"".to_owned() };
    let rule = if job.rule.parse::<u32>().is_ok() { "thresholds" } else { &job.rule };
    let text = living.oriole_toml();
    let text = text.replace("robots = 32\n", &format!("robots = {robots}\nbudget = \"unlimited\"\n"));
    let text = text.replace("least = \"50ms\"", "least = \"0\"");
    let text = text.replace("connections_per_host = 8", "connections_per_host = 64");
    let Costs { loss, obsolete, sojourn, robot, starvation } = job.case.costs;
    format!(
        "{text}\n[control]\nrule = \"{rule}\"\nmost = {MOST}\nrefit = \"{}ms\"\nloss = {loss}\nobsolete = {obsolete}\n\
         sojourn = {sojourn}\nrobot = {robot}\nstarvation = {starvation}\n\n[buffer]\nplaces = {}\nreserve = {}\n",
        (job.learn / 8.0 * 1e3).round(),
        arguments.places,
        job.case.reserve
    )
}
