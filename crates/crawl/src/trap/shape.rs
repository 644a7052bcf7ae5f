//! What an address alone tells about a trap.

use super::TrapLimits;
use crate::{address::PageUrl, verdict::Reason};

/// Times that the same segments may follow each other.
const MAX_REPEATS: usize = 2;

/// Longest run of segments that is looked for again right behind itself.
const MAX_PERIOD: usize = 8;

/// Shortest word with digits in it that counts as drawn at random.
const MIN_RANDOM: usize = 8;

/// Numbers that may be years; greater ones are names more often than dates, and calendars come through these first.
const YEARS: std::ops::RangeInclusive<u32> = 1_800..=2_999;

/// Parts of path segments that calendars have, in lower case.
const CALENDAR_WORDS: &[&str] =
    &["calendar", "calendario", "calendrier", "kalender", "agenda", "event", "schedule", "veranstaltung"];

/// Names of query parameters that calendars have, in lower case.
const CALENDAR_NAMES: &[&str] = &["date", "day", "month", "year", "week", "cal", "tribe-bar-date", "jahr", "monat"];

/// What speaks against an address by itself.
pub(super) fn objection(page: &PageUrl, limits: &TrapLimits, year: u32) -> Option<Reason> {
    let path = page.path();
    if path.split('/').skip(1).nth(limits.segments).is_some() {
        return Some(Reason::TooManySegments { limit: limits.segments });
    }
    if page.query().is_some_and(|query| query.split('&').nth(limits.parameters).is_some()) {
        return Some(Reason::TooManyParameters { limit: limits.parameters });
    }
    if longest_number(page.path_and_query()) > limits.digits {
        return Some(Reason::LongNumber { limit: limits.digits });
    }
    if repeats(path) {
        return Some(Reason::RepeatingPath);
    }
    distant_year(page, limits, year).map(|year| Reason::DistantDate { year })
}

fn longest_number(text: &str) -> usize {
    text.as_bytes().split(|b| !b.is_ascii_digit()).map(<[u8]>::len).max().unwrap_or(0)
}

/// Whether some segments follow themselves more than [`MAX_REPEATS`] times. Numbers may: `/1/1/1/` is an address.
fn repeats(path: &str) -> bool {
    let is_word = |segment: &&str| !segment.is_empty() && !segment.bytes().all(|b| b.is_ascii_digit());
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    (1..=MAX_PERIOD.min(segments.len() / (MAX_REPEATS + 1))).any(|period| {
        // Segments in a row that equal the one a period before.
        let mut run = 0;
        (period..segments.len()).any(|at| {
            run = if segments[at] == segments[at - period] { run + 1 } else { 0 };
            run >= period * MAX_REPEATS && segments[at - period..at].iter().any(is_word)
        })
    })
}

/// Writes the address with every number as `0` and every word that looks drawn at random as `x`. Says whether there was
/// any.
pub(super) fn write_pattern(path_and_query: &str, pattern: &mut Vec<u8>) -> bool {
    pattern.clear();
    let mut has_numbers = false;
    let mut rest = path_and_query.as_bytes();
    while let Some(first) = rest.first() {
        let end = rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end.max(1));
        if !first.is_ascii_alphanumeric() || !word.iter().any(u8::is_ascii_digit) {
            pattern.extend(word);
        } else {
            has_numbers = true;
            write_word(word, pattern);
        }
        rest = behind;
    }
    has_numbers
}

fn write_word(word: &[u8], pattern: &mut Vec<u8>) {
    let is_number = word.iter().all(u8::is_ascii_digit);
    if word.len() >= MIN_RANDOM && !is_number {
        pattern.push(b'x');
        return;
    }
    for (at, byte) in word.iter().enumerate() {
        match byte.is_ascii_digit() {
            true if at > 0 && word[at - 1].is_ascii_digit() => {}
            true => pattern.push(b'0'),
            false => pattern.push(*byte),
        }
    }
}

/// Whether the address speaks of a calendar.
pub(super) fn is_calendar(page: &PageUrl) -> bool {
    let has_word = |text: &str| CALENDAR_WORDS.iter().any(|word| contains_ignoring_case(text, word));
    let name = |parameter: &str| parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    let mut names = page.query().into_iter().flat_map(|query| query.split('&')).map(name);
    has_word(page.path()) || names.any(|name| CALENDAR_NAMES.contains(&name.as_str()))
}

fn contains_ignoring_case(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// The year of a date that is far away: of a whole date in the future, of a calendar also in the past.
fn distant_year(page: &PageUrl, limits: &TrapLimits, this_year: u32) -> Option<u32> {
    let date = first_date(page.path_and_query())?;
    let is_calendar = is_calendar(page);
    let is_far_ahead = date.year > this_year.saturating_add(limits.years_ahead);
    let is_far_back = date.year < this_year.saturating_sub(limits.years_back);
    let is_distant = (is_far_ahead && (date.has_day || is_calendar)) || (is_far_back && is_calendar);
    is_distant.then_some(date.year)
}

struct Date {
    year: u32,
    has_day: bool,
}

/// The first date: `2024/05`, `2024-05-12`, `20240512`, `year=2024`.
fn first_date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        if let Some(date) = date_at(text, at, digits) {
            return Some(date);
        }
        at += digits.max(1);
    }
    None
}

/// The date that begins with a number of so many digits. Eight may as well be a name, so they count as without a day.
fn date_at(text: &str, at: usize, digits: usize) -> Option<Date> {
    let number = |from: usize, length: usize| text.get(from..from + length)?.parse::<u32>().ok();
    let is_month = |month: u32| (1..=12).contains(&month);
    let is_day = |day: u32| (1..=31).contains(&day);
    let year = number(at, 4).filter(|year| YEARS.contains(year) && matches!(digits, 4 | 8))?;
    if digits == 8 {
        let is_date = is_month(number(at + 4, 2)?) && is_day(number(at + 6, 2)?);
        return is_date.then_some(Date { year, has_day: false });
    }
    let Some((_, end)) = number_behind(text, at + 4).filter(|(month, _)| is_month(*month)) else {
        let is_named = ["year=", "jahr="].iter().any(|name| text[..at].ends_with(name));
        return is_named.then_some(Date { year, has_day: false });
    };
    let has_day = number_behind(text, end).is_some_and(|(day, _)| is_day(day));
    Some(Date { year, has_day })
}

/// The number of one or two digits behind a separator, and where it ends.
fn number_behind(text: &str, at: usize) -> Option<(u32, usize)> {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(at)?, b'/' | b'-' | b'_' | b'.') {
        return None;
    }
    let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    if !(1..=2).contains(&digits) {
        return None;
    }
    let end = at + 1 + digits;
    Some((text[at + 1..end].parse().ok()?, end))
}
