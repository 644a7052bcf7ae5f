//! Dates as servers and pages write them, as seconds since 1970 in UTC.
//!
//! [`parse`] reads HTTP dates (RFC 9110: IMF-fixdate, RFC 850, asctime), RFC 822 dates of feeds and W3C dates
//! (RFC 3339 and its partial forms). A missing time is midnight, a missing zone is UTC. [`http`] writes a date for
//! `If-Modified-Since`.

#[cfg(test)]
mod tests;

const DAY: i64 = 86_400;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
/// Hours east of Greenwich of the zone names of RFC 822; others are read as UTC.
const ZONES: [(&str, i64); 8] =
    [("EST", -5), ("EDT", -4), ("CST", -6), ("CDT", -5), ("MST", -7), ("MDT", -6), ("PST", -8), ("PDT", -7)];
/// The first and last second that a year of four digits can name.
const FIRST: i64 = -62_167_219_200;
const LAST: i64 = 253_402_300_799;
/// Longer strings are not dates.
const MAX_LENGTH: usize = 64;

/// The moment that a date in any of the known forms names, `None` if it is not one.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.len() > MAX_LENGTH || !text.is_ascii() {
        return None;
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match digits {
        4 | 8 => w3c(text),
        _ => named_month(text),
    }
}

/// A moment as an HTTP date, for example `Sun, 06 Nov 1994 08:49:37 GMT`. Years beyond four digits are cut to the nearest.
pub fn http(seconds: i64) -> String {
    let seconds = seconds.clamp(FIRST, LAST);
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        WEEKDAYS[days.rem_euclid(7) as usize],
        MONTHS[month as usize - 1],
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

/// The parts of a date that were found so far.
#[derive(Default)]
struct Parts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    time: Option<i64>,
    zone: Option<i64>,
}

impl Parts {
    fn seconds(&self) -> Option<i64> {
        let (year, month, day) = (self.year?, self.month?, self.day?);
        let valid =
            (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=month_length(year, month)).contains(&day);
        valid.then(|| days(year, month, day) * DAY + self.time.unwrap_or(0) - self.zone.unwrap_or(0))
    }
}

/// `1994`, `1994-11`, `1994-11-06`, `19941106`, `1994-11-06T08:49`, `1994-11-06T08:49:37.123+01:00`.
fn w3c(text: &str) -> Option<i64> {
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (date, clock) = text.split_at(end);
    let mut parts = Parts { month: Some(1), day: Some(1), ..Parts::default() };
    if date.len() == 8 && !date.contains('-') {
        parts.year = number(date.get(..4)?);
        parts.month = Some(number(date.get(4..6)?)?);
        parts.day = Some(number(date.get(6..)?)?);
    } else {
        let mut fields = date.split('-');
        parts.year = number(fields.next()?);
        for slot in [&mut parts.month, &mut parts.day] {
            if let Some(field) = fields.next() {
                *slot = Some(number(field)?);
            }
        }
        if fields.next().is_some() {
            return None;
        }
    }
    let clock = clock.get(1..).unwrap_or_default().trim();
    if !clock.is_empty() {
        let end = clock.find(['Z', 'z', '+', '-', ' ']).unwrap_or(clock.len());
        let (time, zone) = clock.split_at(end);
        parts.time = Some(time_of_day(time)?);
        parts.zone = Some(zone_offset(zone.trim())?);
    }
    parts.seconds()
}

/// All the forms that write the month as a word, in any order of day, month and year.
fn named_month(text: &str) -> Option<i64> {
    let mut parts = Parts::default();
    for token in text.split([' ', ',', '\t']).filter(|token| !token.is_empty()) {
        let first = token.as_bytes()[0];
        if token.contains(':') {
            parts.time = Some(time_of_day(token)?);
        } else if matches!(first, b'+' | b'-') {
            parts.zone = Some(zone_offset(token)?);
        } else {
            // `06-Nov-94` of RFC 850
            for word in token.split('-') {
                take_word(&mut parts, word)?;
            }
        }
    }
    parts.seconds()
}

fn take_word(parts: &mut Parts, word: &str) -> Option<()> {
    if let Some(value) = number(word) {
        if parts.day.is_none() && word.len() <= 2 {
            parts.day = Some(value);
        } else if parts.year.is_none() {
            parts.year = Some(full_year(word, value)?);
        } else {
            return None;
        }
        return Some(());
    }
    let start = word.get(..3).unwrap_or(word);
    if let Some(month) = MONTHS.iter().position(|name| name.eq_ignore_ascii_case(start)) {
        parts.month = Some(month as i64 + 1);
    } else if !WEEKDAYS.iter().any(|name| name.eq_ignore_ascii_case(start)) {
        parts.zone = Some(zone_offset(word)?);
    }
    Some(())
}

/// Years of two digits lie between 1970 and 2069.
fn full_year(word: &str, value: i64) -> Option<i64> {
    match word.len() {
        2 if value < 70 => Some(2000 + value),
        2 => Some(1900 + value),
        4 => Some(value),
        _ => None,
    }
}

/// `8:49`, `08:49:37`, `08:49:37.123`; a leap second counts as the second before it.
fn time_of_day(text: &str) -> Option<i64> {
    let mut fields = text.split(':');
    let (hour, minute) = (number(fields.next()?)?, number(fields.next()?)?);
    let second = match fields.next() {
        Some(field) => number(field.split('.').next()?)?,
        None => 0,
    };
    let valid = hour < 24 && minute < 60 && second <= 60 && fields.next().is_none();
    valid.then(|| hour * 3600 + minute * 60 + second.min(59))
}

/// Seconds east of Greenwich: `Z`, `+0100`, `-05:00`, `EST`. Names nobody knows are UTC, as RFC 2822 asks.
fn zone_offset(text: &str) -> Option<i64> {
    let sign = match text.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(byte) if byte.is_ascii_alphabetic() => {
            let known = ZONES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
            return Some(known.map_or(0, |(_, hours)| hours * 3600));
        }
        Some(_) => return None,
        None => return Some(0),
    };
    let digits = text.get(1..)?;
    let (hours, minutes) = match digits.len() {
        2 => (digits, "0"),
        4 => digits.split_at(2),
        5 => digits.split_once(':')?,
        _ => return None,
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// A number of one to four digits and nothing else.
fn number(text: &str) -> Option<i64> {
    let valid = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| text.bytes().fold(0, |value, byte| value * 10 + i64::from(byte - b'0')))
}

fn month_length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar, counted in years that start in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day, the inverse of [`days`].
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}
