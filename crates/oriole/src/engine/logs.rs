//! Log lines.

use anyhow::Result;
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::Handle;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt, reload};

use super::view::{Lines, View};
use crate::cli::LogFormat;
use crate::failure::Mistake;

/// With this, what is logged can be changed while the program runs.
pub(super) struct Logs {
    handle: Handle<EnvFilter, Registry>,
    lines: Lines,
}

impl Logs {
    /// Logs from now on what `levels` lets through.
    ///
    /// # Errors
    /// If `levels` cannot be understood.
    pub(super) fn start(levels: &str, format: LogFormat, view: &View) -> Result<Self> {
        let (filter, handle) = reload::Layer::new(filter(levels)?);
        let writer = Lines::new(view.clone());
        let lines_sent = writer.clone();
        let ansi = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
        let lines = fmt::layer().with_writer(move || lines_sent.clone()).with_target(false);
        let lines = match format {
            LogFormat::Text => lines.with_ansi(ansi).boxed(),
            LogFormat::Json => lines.json().flatten_event(true).boxed(),
        };
        // It is set already only if the engine runs for a second time in one process, as in tests.
        _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
        Ok(Self { handle, lines: writer })
    }

    /// The lines, for waiting until they are written.
    pub(super) fn lines(&self) -> Lines {
        self.lines.clone()
    }

    /// Logs other things from now on.
    ///
    /// # Errors
    /// If `levels` cannot be understood.
    pub(super) fn change(&self, levels: &str) -> Result<()> {
        Ok(self.handle.reload(filter(levels)?)?)
    }
}

fn filter(levels: &str) -> Result<EnvFilter> {
    let wrong = |error| Mistake::usage(format_args!("log levels `{levels}` are not understood: {error}"));
    // The index tells of each of its files.
    let filter = EnvFilter::try_new(format!("tantivy=warn,{levels}")).map_err(wrong)?;
    Ok(filter)
}
