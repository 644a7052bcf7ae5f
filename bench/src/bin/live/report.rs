//! How results are written.

use std::fmt;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use sim::Estimate;

use crate::Result;

/// What was to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The whole interval says so.
    Pass,
    /// The mean says so, but the interval is too wide.
    Likely,
    /// Neither says so.
    Fail,
}

impl Verdict {
    /// Whether something is below a limit.
    pub(crate) fn below(estimate: Estimate, limit: f64) -> Self {
        match estimate {
            Estimate { mean, half_width } if mean + half_width < limit => Self::Pass,
            Estimate { mean, .. } if mean < limit => Self::Likely,
            _ => Self::Fail,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pass => "PASS",
            Self::Likely => "likely, the interval is too wide",
            Self::Fail => "FAIL",
        })
    }
}

/// A mean with its 95 % interval; without one if there is but one value.
pub(crate) fn interval(Estimate { mean, half_width }: Estimate) -> String {
    if half_width.is_finite() { format!("{mean:.4} ± {half_width:.4}") } else { format!("{mean:.4}") }
}

/// The machine and what else it does, where that can be found out.
pub(crate) fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    format!("{threads} threads, load {load}")
}

/// Writes one object a line.
pub(crate) fn write_json<L: Serialize>(path: Option<&Path>, lines: &[L]) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for line in lines {
        serde_json::to_writer(&mut file, line)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}
