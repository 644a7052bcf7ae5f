//! What was typed, as the living web wants it.

use anyhow::Result;
use livingweb::{Changes, Faults, Lastmod, Life, Options, RateLaw, Settings, Weights};

use crate::cli::{FaultText, LastmodText, LivingWeights, LivingwebArgs, RateText};
use crate::failure::Mistake;
use crate::input::trace::read_trace;
use crate::input::{Wanted, read_pages, read_times};
use crate::law_text::LawText;
use crate::units::SECONDS_PER_DAY;

/// Mean time between changes, in seconds, if nothing else is said.
const USUAL_INTERVAL: f64 = 60.0;

/// Which web is wanted.
pub(super) fn world(arguments: &LivingwebArgs) -> Result<Settings> {
    let mean_interval = arguments.mean_interval.map(|span| span.seconds());
    let rates = match &arguments.rates {
        RateText::Law(law) => law.clone(),
        RateText::File(path) => {
            let table = read_pages(path, Wanted { weights: false, hosts: false })?;
            RateLaw::Given(per_second(table.change_rates, mean_interval))
        }
    };
    Ok(Settings {
        seed: arguments.seed,
        pages: arguments.pages,
        hosts: arguments.hosts,
        rates,
        mean_interval: mean_interval.unwrap_or(USUAL_INTERVAL),
        changes: changes(arguments)?,
        weights: match arguments.weights {
            LivingWeights::Equal => Weights::Equal,
            LivingWeights::Rate => Weights::Rate,
            LivingWeights::Independent => Weights::Independent,
        },
        sizes: (arguments.size.0, arguments.size.1),
        replacements: arguments.replace.iter().map(|replace| replace.0).collect(),
    })
}

/// Rates per second from rates per day, scaled to a mean interval if there is one.
fn per_second(mut rates: Vec<f64>, mean_interval: Option<f64>) -> Vec<f64> {
    let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let scale = match mean_interval {
        Some(interval) if mean > 0.0 => 1.0 / interval / mean,
        _ => 1.0 / SECONDS_PER_DAY,
    };
    rates.iter_mut().for_each(|rate| *rate *= scale);
    rates
}

fn changes(arguments: &LivingwebArgs) -> Result<Changes> {
    let speed = arguments.speed;
    if !(1e-6..=1e9).contains(&speed) {
        return Err(Mistake::usage(format!("--speed must be a number from 1e-6 to 1e9, got {speed}")).into());
    }
    let Some(path) = &arguments.replay else { return Ok(arguments.changes.0.clone()) };
    let seconds = |days: f64| days * SECONDS_PER_DAY / speed;
    let lives = read_trace(path)?.histories.into_iter().map(|history| Life {
        from: seconds(history.from),
        until: seconds(history.until),
        changes: history.changes.into_iter().map(seconds).collect(),
    });
    Ok(Changes::Replayed(lives.collect()))
}

/// How the servers behave.
pub(super) fn options(arguments: &LivingwebArgs) -> Result<Options> {
    let law = match &arguments.latency {
        None => None,
        Some(LawText::Law(law)) => Some(law.clone()),
        Some(LawText::Sample(path)) => Some(read_times(path)?),
    };
    let latency = law.map(|law| law.scaled(SECONDS_PER_DAY)).transpose().map_err(Mistake::usage)?;
    let (slow, hosts) = (arguments.slow_hosts, arguments.hosts as usize);
    if slow > hosts {
        return Err(Mistake::usage(format!("--slow-hosts {slow} of {hosts} hosts; give at most {hosts}")).into());
    }
    let mut faults = Faults::default();
    for fault in &arguments.faults {
        match *fault {
            FaultText::Error(share) => faults.error = share,
            FaultText::Reset(share) => faults.reset = share,
            FaultText::Slow(share) => faults.slow = share,
        }
    }
    Ok(Options {
        port: arguments.port,
        lastmod: match arguments.lastmod {
            LastmodText::Honest => Lastmod::Honest,
            LastmodText::Now => Lastmod::Now,
            LastmodText::Random => Lastmod::Random,
            LastmodText::None => Lastmod::None,
        },
        feeds: !arguments.no_feeds,
        latency,
        faults,
        slow_hosts: arguments.slow_hosts,
        crawl_delay: arguments.crawl_delay.seconds,
    })
}
