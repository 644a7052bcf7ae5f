//! `oriole serve`: pages to search and look at what has been crawled.

use std::io::Write;

use anyhow::{Context, Result, bail};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::ServeArgs;
use crate::config::{Config, Listen};
use crate::{engine, server};

/// Runs the command.
///
/// # Errors
/// A [`Mistake`](crate::failure::Mistake) if options or configuration are wrong or there is no data folder; otherwise if the
/// address cannot be used.
pub fn run(arguments: &ServeArgs) -> Result<()> {
    let mut config = Config::load(&arguments.engine, None, std::env::vars_os())?;
    config.server.apply(&arguments.server)?;
    if config.server.listen == Listen::Off {
        config.server.listen = Listen::Auto;
    }
    let lines = engine::log_lines(&config.log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    let served = runtime.block_on(serve(config));
    lines.end();
    runtime.shutdown_background();
    served
}

async fn serve(config: Config) -> Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for signals")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let Some(listener) = server::open(&config.server).await? else {
        bail!("no pages are served: there is no free port")
    };
    let address = listener.local_addr()?;
    let folder = config.data.display().to_string();
    let desk = server::Desk::new(config, address, None)?;
    // Other programs wait for this line.
    let mut out = anstream::stdout();
    writeln!(out, "{folder} is served at http://{}/ (Ctrl-C ends it)", server::reachable(address))?;
    out.flush()?;
    tokio::select! {
        () = server::serve(listener, desk) => {}
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}
