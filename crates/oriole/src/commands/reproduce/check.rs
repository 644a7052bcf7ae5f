//! A printed value beside the computed one.

use serde::Serialize;
use sim::Estimate;

use crate::output::number::short;
use crate::plot::chart::Chart;

/// A table, a figure or a group of statements of a paper.
#[derive(Serialize)]
pub(super) struct Part {
    /// "table 1".
    pub(super) part: &'static str,
    pub(super) title: &'static str,
    pub(super) checks: Vec<Check>,
    #[serde(skip)]
    pub(super) figure: Option<Chart>,
}

impl Part {
    pub(super) fn new(part: &'static str, title: &'static str, checks: Vec<Check>) -> Self {
        Self { part, title, checks, figure: None }
    }

    /// The remarks, each once, numbered from 1 in the order in which they are first made.
    pub(super) fn remarks(&self) -> Vec<&'static str> {
        let mut remarks = Vec::new();
        for remark in self.checks.iter().filter_map(|check| check.remark) {
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
        }
        remarks
    }
}

/// What came of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// To the printed digits, rounded or cut off.
    Agrees,
    /// It does not, and it is known why.
    Corrected,
    /// It does not, and nobody knows why.
    Differs,
    /// The paper has no such value.
    Beyond,
}

/// A comparison.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Check {
    pub(super) what: String,
    /// As printed; empty if it is not.
    pub(super) printed: String,
    pub(super) computed: String,
    /// Computed less printed, for numbers.
    pub(super) difference: Option<f64>,
    pub(super) verdict: Verdict,
    /// What is wrong in print, and why; or what the value says.
    pub(super) remark: Option<&'static str>,
}

impl Check {
    /// A number as it is printed: rounded or cut off.
    pub(super) fn number(what: impl Into<String>, printed: &str, computed: f64) -> Self {
        let value: f64 = printed.parse().unwrap_or(f64::NAN);
        let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let unit = 10f64.powi(-(decimals as i32));
        let difference = computed - value;
        let rounded = difference.abs() <= 0.5 * unit * (1.0 + 1e-9);
        // Printed numbers are not exact in binary.
        let cut_off = (-1e-9 * unit..=unit * (1.0 + 1e-9)).contains(&(difference * value.signum()));
        let agrees = rounded || cut_off;
        Self {
            what: what.into(),
            printed: printed.to_string(),
            computed: format!("{computed:.*}", decimals + 2),
            difference: Some(difference),
            verdict: if agrees { Verdict::Agrees } else { Verdict::Differs },
            remark: None,
        }
    }

    /// A statement or a list in words.
    pub(super) fn words(what: impl Into<String>, printed: &str, computed: impl Into<String>) -> Self {
        let computed = computed.into();
        let verdict = if printed == computed { Verdict::Agrees } else { Verdict::Differs };
        Self { what: what.into(), printed: printed.to_string(), computed, difference: None, verdict, remark: None }
    }

    /// A value that is not in the paper.
    pub(super) fn beyond(what: impl Into<String>, computed: f64, remark: &'static str) -> Self {
        Self {
            what: what.into(),
            printed: String::new(),
            computed: short(computed),
            difference: None,
            verdict: Verdict::Beyond,
            remark: Some(remark),
        }
    }

    /// A value that is not in the paper, with its 95% interval.
    pub(super) fn simulated(what: impl Into<String>, cost: Estimate, remark: &'static str) -> Self {
        let computed = format!("{:.2} +-{:.2}", cost.mean, cost.half_width);
        Self { computed, ..Self::beyond(what, cost.mean, remark) }
    }

    /// The same with the reason for a difference, if there is one.
    pub(super) fn because(mut self, reason: &'static str) -> Self {
        if self.verdict == Verdict::Differs {
            self.verdict = Verdict::Corrected;
            self.remark = Some(reason);
        }
        self
    }

    /// The same with a reason only if the printed form was found to be wrong and the corrected one right.
    pub(super) fn because_both(self, wrong: bool, right: bool, reason: &'static str) -> Self {
        if wrong && right { self.because(reason) } else { self }
    }

    /// The same with a reason only if a number is off by no more than a share of it.
    pub(super) fn because_within(self, share: f64, reason: &'static str) -> Self {
        let value: f64 = self.printed.parse().unwrap_or(f64::NAN);
        match self.difference {
            Some(difference) if difference.abs() <= share * value.abs() => self.because(reason),
            _ => self,
        }
    }
}

/// How many comparisons came out which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Tally {
    pub(super) agree: usize,
    pub(super) corrected: usize,
    pub(super) differ: usize,
    pub(super) beyond: usize,
}

impl Tally {
    pub(super) fn of(parts: &[Part]) -> Self {
        let mut tally = Self::default();
        for check in parts.iter().flat_map(|part| &part.checks) {
            match check.verdict {
                Verdict::Agrees => tally.agree += 1,
                Verdict::Corrected => tally.corrected += 1,
                Verdict::Differs => tally.differ += 1,
                Verdict::Beyond => tally.beyond += 1,
            }
        }
        tally
    }

    /// In words.
    pub(super) fn sentence(self) -> String {
        let Self { agree, corrected, differ, beyond } = self;
        format!(
            "{agree} values agree to the printed digits, rounded or cut off; {corrected} are corrected, with the reason; {differ} differ \
             without one. {beyond} values go beyond the papers."
        )
    }
}
