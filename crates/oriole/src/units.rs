//! Durations, rates and sizes as people type them. Inside, time is in days and rates are per day.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::failure::quoted;

/// Seconds in a day.
pub const SECONDS_PER_DAY: f64 = 86_400.0;

/// Names of units of time and their length in seconds.
const UNITS: &[(&str, f64)] = &[
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("minute", 60.0),
    ("minutes", 60.0),
    ("h", 3_600.0),
    ("hour", 3_600.0),
    ("hours", 3_600.0),
    ("d", SECONDS_PER_DAY),
    ("day", SECONDS_PER_DAY),
    ("days", SECONDS_PER_DAY),
    ("w", 7.0 * SECONDS_PER_DAY),
    ("week", 7.0 * SECONDS_PER_DAY),
    ("weeks", 7.0 * SECONDS_PER_DAY),
    ("y", 365.0 * SECONDS_PER_DAY),
    ("year", 365.0 * SECONDS_PER_DAY),
    ("years", 365.0 * SECONDS_PER_DAY),
];

/// A text that is not what it should be, and what would be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}; {accepted}")]
pub struct TextError {
    problem: String,
    accepted: &'static str,
}

impl TextError {
    pub(crate) fn new(problem: impl Into<String>, accepted: &'static str) -> Self {
        Self { problem: problem.into(), accepted }
    }
}

const DURATIONS: &str = "give a time such as 200ms, 0.5s, 10min, 1h30m or 30d (ns, us, ms, s, m, h, d, w, y)";
const RATES: &str = "give a number per unit of time such as 5/s, 300/h, 10000/day or 1/10s";
const FRACTIONS: &str = "give a fraction between 0 and 1 such as 0.05, or a percentage such as 5%";

/// Times in days and rates per day that can be worked with.
const RANGE: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// A positive, finite length of time.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Span {
    seconds: f64,
}

impl Span {
    /// In days.
    #[must_use]
    pub fn days(self) -> f64 {
        self.seconds / SECONDS_PER_DAY
    }

    /// In seconds, exactly as typed if typed in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.seconds
    }

    /// For messages about a time in seconds.
    pub(crate) fn from_seconds(seconds: f64) -> Self {
        Self { seconds }
    }
}

impl FromStr for Span {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let error = |problem: String| TextError::new(problem, DURATIONS);
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(error("the time is empty".to_string()));
        }
        let mut seconds = 0.0;
        while !rest.is_empty() {
            let (number, after) = split_number(rest);
            let value: f64 = number.parse().map_err(|_| error(format!("`{text}` is not a time")))?;
            let (unit, after) = split_unit(after);
            let length = length_of(unit).ok_or_else(|| match unit {
                "" => error(format!("`{text}` has no unit of time")),
                _ => error(format!("`{unit}` is not a unit of time")),
            })?;
            seconds += value * length;
            rest = after;
        }
        let span = Self { seconds };
        if RANGE.contains(&span.days()) {
            return Ok(span);
        }
        Err(error(format!("`{text}` is not a time from 1e-30 to 1e30 days")))
    }
}

/// A positive, finite number of events per unit of time.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate {
    per_day: f64,
}

impl Rate {
    /// Per day.
    #[must_use]
    pub fn per_day(self) -> f64 {
        self.per_day
    }

    /// Per second.
    #[must_use]
    pub fn per_second(self) -> f64 {
        self.per_day / SECONDS_PER_DAY
    }
}

impl FromStr for Rate {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let error = |problem: String| TextError::new(problem, RATES);
        let Some((number, per)) = text.split_once('/') else {
            return Err(error(format!("`{text}` does not say per which unit of time")));
        };
        let number = number.trim();
        let per = per.trim();
        let (digits, rest) = split_number(number);
        let events: f64 = digits.parse().map_err(|_| error(format!("`{number}` is not a number")))?;
        if !rest.is_empty() {
            return Err(error(format!("`{number}` is not a number")));
        }
        let seconds = match length_of(per) {
            Some(length) => length,
            None => per.parse::<Span>().map_err(|_| error(format!("`{per}` is not a unit of time")))?.seconds,
        };
        let per_day = events * (SECONDS_PER_DAY / seconds);
        if RANGE.contains(&per_day) {
            return Ok(Self { per_day });
        }
        Err(error(format!("`{text}` is not a rate from 1e-30 to 1e30 per day")))
    }
}

/// A number strictly between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fraction(f64);

impl Fraction {
    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

impl FromStr for Fraction {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let trimmed = text.trim();
        let (digits, scale) = match trimmed.strip_suffix('%') {
            Some(percent) => (percent.trim(), 0.01),
            None => (trimmed, 1.0),
        };
        let value = digits.parse::<f64>().map(|number| number * scale);
        match value {
            Ok(value) if (1e-9..=1.0 - 1e-9).contains(&value) => Ok(Self(value)),
            Ok(_) => Err(TextError::new(format!("`{text}` is not between 0 and 1, or too near to either"), FRACTIONS)),
            Err(_) => Err(TextError::new(format!("`{text}` is not a number"), FRACTIONS)),
        }
    }
}

/// Names of units of size and their bytes.
const SIZES: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
];

const SIZE_TEXTS: &str = "give a size such as 500kB, 10MB or 1GiB (B, kB, MB, GB, TB; KiB, MiB, GiB, TiB)";

/// Sizes beyond this are mistakes.
const LARGEST_SIZE: f64 = (1u64 << 50) as f64;

/// A number of bytes, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    bytes: u64,
}

impl Size {
    /// In bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// For messages about a size in bytes.
    pub(crate) fn from_bytes(bytes: u64) -> Self {
        Self { bytes }
    }
}

impl FromStr for Size {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let error = |problem: String| TextError::new(problem, SIZE_TEXTS);
        let (digits, unit) = split_number(text.trim());
        let number: f64 = digits.parse().map_err(|_| error(format!("{} is not a size", quoted(text))))?;
        if unit.is_empty() {
            return Err(error(format!("{} has no unit of size", quoted(text))));
        }
        let bytes = SIZES.iter().find(|(name, _)| *name == unit).map(|(_, bytes)| *bytes as f64);
        let size = number * bytes.ok_or_else(|| error(format!("{} is not a unit of size", quoted(unit))))?;
        if (1.0..=LARGEST_SIZE).contains(&size) && size.fract() == 0.0 {
            return Ok(Self { bytes: size as u64 });
        }
        Err(error(format!("{} is not a whole number of bytes from 1 to 2^50", quoted(text))))
    }
}

impl fmt::Display for Size {
    /// In the largest unit of which it is a whole number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = SIZES.iter().filter(|(name, bytes)| *name != "KB" && self.bytes.is_multiple_of(*bytes));
        let (name, bytes) = whole.max_by_key(|(_, bytes)| *bytes).unwrap_or(&SIZES[0]);
        write!(f, "{} {name}", self.bytes / bytes)
    }
}

/// The longest start of `text` that is written like a number without a sign, and the rest without leading blanks.
pub(crate) fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    (&text[..end], text[end..].trim_start())
}

/// The letters `text` starts with, and the rest without leading blanks.
fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_alphabetic()).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// The length in seconds of a unit of time.
fn length_of(unit: &str) -> Option<f64> {
    UNITS.iter().find(|(name, _)| *name == unit).map(|(_, length)| *length)
}

impl fmt::Display for Span {
    /// In the largest unit of which it is at least one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.seconds;
        let names = ["ns", "us", "ms", "s", "min", "h", "d"];
        let fitting =
            names.iter().rev().find_map(|name| length_of(name).filter(|length| seconds >= *length).map(|l| (name, l)));
        let (name, length) = fitting.unwrap_or((&"ns", 1e-9));
        write!(f, "{} {name}", crate::output::number::short(seconds / length))
    }
}

#[cfg(test)]
mod tests;
