//! Somebody wants the demo to end.

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C, a polite kill, or a terminal that was closed.
pub(super) struct Signals([Signal; 3]);

impl Signals {
    pub(super) fn listen() -> Result<Self> {
        let of = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self([of(SignalKind::interrupt())?, of(SignalKind::terminate())?, of(SignalKind::hangup())?]))
    }

    /// The next one.
    pub(super) async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
