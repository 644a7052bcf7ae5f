//! Measures, limits, controllers and lists of numbers as they are typed.

use std::fmt::Display;
use std::str::FromStr;

use control::optimise::{Limit, Measure};

use crate::input::nearest;
use crate::units::Fraction;

/// A number, with blanks around it or not: `3, 1` is split at the comma only.
pub(super) fn number<N: FromStr<Err: Display>>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|error: N::Err| error.to_string())
}

/// A measure as it is typed: `p_loss`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureText {
    /// The name that was typed.
    pub name: &'static str,
    /// What it means.
    pub measure: Measure,
}

/// A limit as it is typed: `p_loss=0.15`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitText {
    /// The name that was typed.
    pub name: &'static str,
    /// What it means.
    pub limit: Limit,
}

/// Measures that can be minimised or limited, by the names they have in JSON.
pub const MEASURES: [(&str, Measure); 6] = [
    ("p_loss", Measure::Loss),
    ("p_obsolete", Measure::Obsolete),
    ("p_starvation", Measure::Starvation),
    ("active_robots", Measure::Robots),
    ("sojourn_served", Measure::Sojourn),
    ("cost", Measure::Cost),
];

impl FromStr for MeasureText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = MEASURES.iter().find(|(known, _)| *known == text.trim());
        let (name, measure) = *known.ok_or_else(|| unknown("measure", text, MEASURES.map(|(name, _)| name)))?;
        Ok(Self { name, measure })
    }
}

impl FromStr for LimitText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write it as MEASURE=VALUE, like p_loss=0.15")?;
        let MeasureText { name, measure } = name.parse()?;
        let at_most = if value.trim().ends_with('%') {
            if !name.starts_with("p_") {
                return Err(format!("{name} is no share of pages or of time; give a number without %"));
            }
            value.parse::<Fraction>().map_err(|error| error.to_string())?.value()
        } else {
            value.trim().parse().map_err(|_| "the limit is not a number; write it like p_loss=0.15 or p_loss=15%")?
        };
        if !(at_most >= 0.0 && f64::is_finite(at_most)) {
            return Err("the limit must be a finite number of at least 0".to_string());
        }
        Ok(Self { name, limit: Limit { measure, at_most } })
    }
}

fn unknown<const N: usize>(what: &str, text: &str, names: [&str; N]) -> String {
    match nearest(text, names) {
        Some(near) => format!("there is no {what} of that name; did you mean {near}?"),
        None => format!("there is no {what} of that name; use one of {}", names.join(", ")),
    }
}

/// What decides how many robots are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerKind {
    /// The policy that was typed, perhaps with a least dwell time.
    Thresholds,
    /// Always the same number.
    Fixed,
    /// Two numbers and a threshold.
    OnOff,
    /// Two numbers and two thresholds.
    Hysteresis,
    /// The more places are free, the more robots.
    Proportional,
    /// Additive increase, multiplicative decrease.
    Aimd,
    /// A loop that holds the number of pages.
    Pid,
    /// Controlled delay.
    CoDel,
    /// The hidden phase of the arrivals, filtered from what is seen.
    Belief,
}

/// A controller and its settings as they are typed: `aimd,period=5`.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerText {
    /// The name that was typed.
    pub name: &'static str,
    /// What it means.
    pub kind: ControllerKind,
    /// Its settings.
    pub settings: Vec<(&'static str, f64)>,
}

/// Controllers, and the settings that each has.
const CONTROLLERS: [(&str, ControllerKind, &[&str]); 9] = [
    ("thresholds", ControllerKind::Thresholds, &["dwell"]),
    ("fixed", ControllerKind::Fixed, &["robots"]),
    ("on-off", ControllerKind::OnOff, &["on", "off", "threshold"]),
    ("hysteresis", ControllerKind::Hysteresis, &["on", "off", "low", "high"]),
    ("proportional", ControllerKind::Proportional, &["least", "most"]),
    ("aimd", ControllerKind::Aimd, &["least", "most", "period"]),
    ("pid", ControllerKind::Pid, &["least", "most", "target", "p", "i", "d", "period"]),
    ("codel", ControllerKind::CoDel, &["least", "most", "target", "interval"]),
    ("belief", ControllerKind::Belief, &["period"]),
];

impl FromStr for ControllerText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',').map(str::trim);
        let typed = parts.next().unwrap_or_default();
        let known = CONTROLLERS.iter().find(|(known, _, _)| *known == typed);
        let (name, kind, keys) =
            *known.ok_or_else(|| unknown("controller", typed, CONTROLLERS.map(|(name, _, _)| name)))?;
        let setting = |part: &str| -> Result<(&'static str, f64), String> {
            let (key, value) = part.split_once('=').ok_or("write settings as NAME=VALUE, like aimd,period=5")?;
            let key = keys.iter().find(|known| **known == key.trim());
            let key = key.ok_or_else(|| format!("{name} has no such setting; it has {}", keys.join(", ")))?;
            let value: f64 = value.trim().parse().map_err(|_| format!("{key} is not a number"))?;
            if value >= 0.0 && value.is_finite() {
                Ok((*key, value))
            } else {
                Err(format!("{key} must not be negative"))
            }
        };
        Ok(Self { name, kind, settings: parts.map(setting).collect::<Result<_, _>>()? })
    }
}

/// One number or a range of them, both ends included: `5` or `1..3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    first: u8,
    last: u8,
}

impl Numbers {
    /// Parses numbers of 1 to `MOST`.
    pub(super) fn up_to<const MOST: u8>(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let last = last.strip_prefix('=').unwrap_or(last);
        let number = |text: &str| text.trim().parse::<u8>().ok().filter(|n| (1..=MOST).contains(n));
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Self { first, last }),
            _ => Err(format!("give a number from 1 to {MOST}, or a range such as 1..{MOST}")),
        }
    }

    /// Whether a number is among them.
    #[must_use]
    pub fn contains(self, n: u8) -> bool {
        (self.first..=self.last).contains(&n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_may_be_percentages() {
        let limit = |text: &str| text.parse::<LimitText>().map(|text| text.limit.at_most);
        assert_eq!((limit("p_loss=15%"), limit(" p_loss = 0.15 ")), (Ok(0.15), Ok(0.15)));
        assert!(limit("cost=15%").unwrap_err().contains("no share"));
        assert!(limit("p_los=1").unwrap_err().contains("did you mean p_loss"));
        for wrong in ["p_loss", "p_loss=x", "p_loss=-1", "p_loss=nan", "p_loss=150%"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn controllers_have_settings() {
        let aimd: ControllerText = "aimd, period=5".parse().unwrap();
        assert_eq!((aimd.kind, aimd.settings), (ControllerKind::Aimd, vec![("period", 5.0)]));
        for wrong in ["amd", "aimd,perod=5", "aimd,period", "aimd,period=x", "aimd,period=-1", ""] {
            assert!(wrong.parse::<ControllerText>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_include_both_ends() {
        let all =
            |text: &str| Numbers::up_to::<5>(text).map(|n| (1..=5).filter(|k| n.contains(*k)).collect::<Vec<u8>>());
        assert_eq!((all("2..4"), all(" 5 "), all("1..=2")), (Ok(vec![2, 3, 4]), Ok(vec![5]), Ok(vec![1, 2])));
        for wrong in ["0", "6", "1..6", "3..1", "x", "1..", ".."] {
            assert!(all(wrong).is_err(), "{wrong}");
        }
    }
}
