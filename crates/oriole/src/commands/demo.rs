//! `oriole demo`: lets the engine crawl a living web, and shows how near to the bound its copy is.

mod folder;
mod report;
mod settings;
mod signals;

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use livingweb::{Clock, Handle, World};
use tokio::sync::oneshot;
use tokio::task::JoinError;

use crate::cli::DemoArgs;
use crate::engine::{self, Running, View};
use crate::failure::Mistake;
use crate::output::json;
use folder::Folder;
use report::{Moment, Summary};
use settings::Plan;
use signals::Signals;

/// Time between two looks.
const TICK: Duration = Duration::from_millis(250);

/// Time between two lines where there is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if options are wrong; otherwise if the engine cannot do its work.
pub fn run(arguments: &DemoArgs) -> Result<()> {
    let plan = Plan::new(arguments)?;
    let world = World::new(&plan.web).map_err(Mistake::usage)?;
    let folder = Folder::open(arguments.data.as_deref())?;
    let (view, lines) = engine::view_with_warnings()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start")?;
    let played = runtime.block_on(async {
        let living = livingweb::serve(world, Clock::starting_now(), plan.servers()).await.context("cannot start")?;
        play(&Demo { living, plan, view: view.clone(), json: arguments.json }, &folder).await
    });
    lines.end();
    view.end();
    // Robots that have not come back are not waited for.
    runtime.shutdown_background();
    let summary = played?;
    folder.close();
    print(&summary, arguments)
}

/// What is shown.
struct Demo {
    living: Handle,
    plan: Plan,
    view: View,
    json: bool,
}

/// The engine at work, until the time is over or somebody ends it.
async fn play(demo: &Demo, folder: &Folder) -> Result<Summary> {
    let mut signals = Signals::listen()?;
    let config = demo.plan.engine(&demo.living, folder.path())?;
    let (tell, told) = oneshot::channel();
    let mut crawl = tokio::spawn(engine::crawl(config, engine::Applied::default(), |running| _ = tell.send(running)));
    let Ok(running) = told.await else { return Err(ended_early(crawl.await)) };
    demo.show_where(&running)?;
    let summary = tokio::select! {
        ended = &mut crawl => return Err(ended_early(ended)),
        summary = demo.watch(&running, &mut signals) => summary,
    };
    running.stop();
    tokio::select! {
        ended = &mut crawl => ended.context("the engine broke down").flatten()?,
        () = signals.next() => folder.abandon(),
    }
    Ok(summary)
}

fn ended_early(ended: Result<Result<()>, JoinError>) -> anyhow::Error {
    let ended = ended.context("the engine broke down").flatten();
    ended.err().unwrap_or_else(|| anyhow!("the engine ended before its time"))
}

impl Demo {
    /// Says where everything is.
    fn show_where(&self, running: &Running) -> Result<()> {
        let text = report::places(&self.living, &self.plan, running.pages);
        if self.json {
            anstream::stderr().write_all(text.as_bytes())?;
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Shows how things stand until the time is over; what was measured then.
    async fn watch(&self, running: &Running, signals: &mut Signals) -> Summary {
        let began = Instant::now();
        let (mut ticks, mut last_line) = (tokio::time::interval(TICK), began);
        let (mut warmed_up, mut changed, most) = (None, false, running.status().robots_max);
        loop {
            let is_over = tokio::select! {
                _ = ticks.tick() => began.elapsed() >= self.plan.length,
                () = signals.next() => true,
            };
            if warmed_up.is_none() && began.elapsed() >= self.plan.warm_up {
                self.living.reset();
                warmed_up = Some(self.living.truth().seconds);
            }
            let truth = self.living.truth();
            let status = running.status();
            changed |= self.plan.is_changed(&status) || status.robots_max != most;
            if is_over {
                return Summary::new(&truth, &self.plan, warmed_up, changed);
            }
            let moment = Moment { truth: &truth, status: &status, plan: &self.plan, warmed_up };
            self.view.draw(moment.picture());
            if last_line.elapsed() >= LINES && matches!(self.view, View::Lines) {
                last_line = Instant::now();
                // If nobody can be told, nobody is.
                _ = writeln!(anstream::stderr(), "{}", moment.line());
            }
        }
    }
}

fn print(summary: &Summary, arguments: &DemoArgs) -> Result<()> {
    let text = if arguments.json { json::line(summary)? } else { report::text(summary) };
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
