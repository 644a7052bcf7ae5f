use std::fmt;

use store::Timestamp;

const DAY: i64 = 86_400_000;

/// A day as written in a query: a year, a month of it, or a day of that (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

impl Day {
    /// Reads `2026`, `2026-01` or `2026-01-31`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let year = number(parts.next()?, 4)?;
        let month =
            parts.next().map(|part| number(part, 2).filter(|month| (1..=12).contains(month)).ok_or(())).transpose();
        let month = month.ok()?.map(|month| month as u8);
        let most = month.map_or(0, |month| length(year, month));
        let day = parts.next().map(|part| number(part, 2).filter(|day| (1..=most).contains(day)).ok_or(())).transpose();
        let day = day.ok()?.map(|day| day as u8);
        parts.next().is_none().then_some(Self { year, month, day })
    }

    /// Its first moment.
    #[must_use]
    pub fn start(self) -> Timestamp {
        Timestamp(
            days(i64::from(self.year), i64::from(self.month.unwrap_or(1)), i64::from(self.day.unwrap_or(1))) * DAY,
        )
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        for part in [self.month, self.day].into_iter().flatten() {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}

/// Exactly so many digits.
fn number(text: &str, digits: usize) -> Option<u16> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn length(year: u16, month: u8) -> u16 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a day in the Gregorian calendar: years begin in March, so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}
