//! How results are written.

use std::fmt;

use sim::Estimate;

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
