//! `oriole livingweb`: plays a web that changes, and measures how fresh a crawler's copy of it is.

mod copy;
mod report;
mod settings;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use livingweb::{Clock, Handle, ServeError, World};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::LivingwebArgs;
use crate::failure::Mistake;
use crate::output::json;

/// Time between two looks.
const TICK: Duration = Duration::from_secs(1);

/// Longer times are for ever.
const LONGEST: f64 = 1e9;

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if options or input are wrong, or a port is taken.
pub fn run(arguments: &LivingwebArgs) -> Result<()> {
    let world = World::new(&settings::world(arguments)?).map_err(Mistake::usage)?;
    let options = settings::options(arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("cannot start threads")?;
    runtime.block_on(async {
        let living = livingweb::serve(world, Clock::starting_now(), options).await.map_err(mistake)?;
        show_where(&living, arguments)?;
        wait(&living, arguments).await?;
        let summary = report::Summary::new(&living, arguments);
        living.shutdown().await;
        print(&summary, arguments)
    })
}

/// Every reason can be put right by other options.
fn mistake(error: ServeError) -> Mistake {
    match &error {
        ServeError::Listen { source, .. } => Mistake::usage(format_args!("{error}: {source}")),
        ServeError::Option(_) | ServeError::Ports { .. } => Mistake::usage(error),
    }
}

/// Says where everything is, at once: other programs wait for it.
fn show_where(living: &Handle, arguments: &LivingwebArgs) -> Result<()> {
    let text = report::places(living);
    if arguments.json {
        anstream::stderr().write_all(text.as_bytes())?;
        return Ok(());
    }
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Until the time is over or somebody ends it.
async fn wait(living: &Handle, arguments: &LivingwebArgs) -> Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for signals")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let seconds = arguments.duration.map_or(LONGEST, |span| span.seconds().min(LONGEST));
    let time = tokio::time::sleep(Duration::from_secs_f64(seconds));
    tokio::select! {
        () = time => {}
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        () = watch(living) => {}
    }
    Ok(())
}

/// A line on the terminal that says how things stand; nothing elsewhere.
async fn watch(living: &Handle) {
    if !std::io::stderr().is_terminal() {
        return std::future::pending().await;
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        bar.set_style(style);
    }
    let _cleared = Cleared(&bar);
    let mut requests = 0;
    loop {
        let truth = living.truth();
        bar.set_message(report::line(&truth, truth.since_start.requests.saturating_sub(requests)));
        bar.tick();
        requests = truth.since_start.requests;
        tokio::time::sleep(TICK).await;
    }
}

/// Takes the line away when nobody looks any more.
struct Cleared<'a>(&'a ProgressBar);

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn print(summary: &report::Summary, arguments: &LivingwebArgs) -> Result<()> {
    let mut out = anstream::stdout().lock();
    let text = if arguments.json { json::line(summary)? } else { report::text(summary) };
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
