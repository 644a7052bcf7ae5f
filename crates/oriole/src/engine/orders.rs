//! What the engine is told while it runs: to stop, or to read its configuration again.

use std::sync::Arc;
use std::time::Duration;

use crawl::fleet::Message;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;

use super::controls::Controls;
use super::logs::Logs;
use super::view::View;
use crate::cli::RunArgs;
use crate::config::{Change, Changes, Config};

/// Passes orders on to the fleet.
pub(super) struct Orders {
    /// When to end.
    pub(super) duration: Option<f64>,
    pub(super) arguments: RunArgs,
    pub(super) logs: Logs,
    pub(super) view: View,
    pub(super) controls: Arc<Controls>,
    pub(super) fleet: UnboundedSender<Message>,
}

/// Longer times are for ever.
const LONGEST: f64 = 1e9;

/// What flags say and could be changed otherwise: they go before the file.
fn by_flags(arguments: &RunArgs) -> Vec<&'static str> {
    let flags = [
        ("budget", arguments.budget.is_some()),
        ("robots", arguments.robots.is_some()),
        ("requests.delay", arguments.delay.is_some()),
        ("requests.connections_per_host", arguments.connections_per_host.is_some()),
        ("log.level", arguments.log_level.is_some()),
    ];
    flags.into_iter().filter(|(_, is_given)| *is_given).map(|(key, _)| key).collect()
}

impl Orders {
    /// Obeys until the program ends: SIGINT and SIGTERM end it, a second one at once; SIGHUP reads the configuration again.
    pub(super) async fn obey(self) {
        let (mut interrupt, mut terminate, mut hangup) =
            (of(SignalKind::interrupt()), of(SignalKind::terminate()), of(SignalKind::hangup()));
        let time = Duration::from_secs_f64(self.duration.unwrap_or(LONGEST).min(LONGEST));
        let timer = tokio::time::sleep(time);
        tokio::pin!(timer);
        let mut stopping = false;
        loop {
            tokio::select! {
                () = next(&mut interrupt) => self.stop(&mut stopping),
                () = next(&mut terminate) => self.stop(&mut stopping),
                // Who closes the terminal does not mean that the configuration is to be read again.
                () = next(&mut hangup) => if self.view.is_orphaned() { self.stop(&mut stopping) } else { self.reload() },
                () = &mut timer, if !stopping => {
                    tracing::info!("the time is over");
                    self.stop(&mut stopping);
                }
            }
        }
    }

    fn stop(&self, stopping: &mut bool) {
        if std::mem::replace(stopping, true) {
            // Nothing is lost: what was not written is visited again.
            crate::output::abandon(130);
        }
        tracing::info!("ending; what is in hand is finished first");
        _ = self.fleet.send(Message::Stop);
    }

    fn reload(&self) {
        let new = match Config::load(&self.arguments.engine, Some(&self.arguments), std::env::vars_os()) {
            Ok(new) => new,
            Err(error) => return tracing::error!("the configuration is as before: {error:#}"),
        };
        let Changes { now, at_next_start } = match self.controls.reload(new) {
            Ok(changes) => changes,
            Err(error) => return tracing::error!("the configuration is as before: {error:#}"),
        };
        let changed = if now.is_empty() { "nothing".to_owned() } else { listed(&now) };
        let (at_next_start, by_flags) = (at_next_start.join(", "), by_flags(&self.arguments).join(", "));
        tracing::info!(changed, at_next_start, by_flags, "the configuration was read again");
        for change in now {
            let Change::LogLevel(levels) = change else { continue };
            let changed = self.logs.change(&levels);
            changed.unwrap_or_else(|error| tracing::error!("the log levels are as before: {error:#}"));
        }
    }
}

fn listed(changes: &[Change]) -> String {
    changes.iter().map(Change::to_string).collect::<Vec<_>>().join("; ")
}

fn of(kind: SignalKind) -> Option<Signal> {
    signal(kind).inspect_err(|error| tracing::warn!(%error, "a signal is not listened to")).ok()
}

/// The next signal; never, if it is not listened to.
async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}
