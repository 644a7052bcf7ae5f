//! What a page says about itself: `<meta name="robots">` and the header `X-Robots-Tag`.

#[cfg(test)]
mod tests;

use crate::robots_txt::is_product_token;

/// Bytes of a value that are read.
const MAX_VALUE: usize = 4_096;

/// Reads a date as seconds since 1970, or nothing. Dates are written in many ways, so the caller brings the reader.
pub type ReadDate = fn(&str) -> Option<i64>;

/// What may not be done with a page. The default forbids nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Directives {
    /// The page may not be found by searching.
    pub noindex: bool,
    /// The links of the page may not be followed.
    pub nofollow: bool,
    /// No copy of the page may be shown.
    pub noarchive: bool,
    /// The page may not be found from this time on, in seconds since 1970.
    pub unavailable_after: Option<i64>,
}

impl Directives {
    /// Reads the content of a meta element that is meant for us: named `robots` or by our product token.
    #[must_use]
    pub fn from_meta(content: &str, read_date: ReadDate) -> Self {
        Self::read(content, None, read_date)
    }

    /// Reads one `X-Robots-Tag` header. What follows the name of a crawler (`otherbot: noindex`) is for that one only.
    #[must_use]
    pub fn from_header(value: &str, product_token: &str, read_date: ReadDate) -> Self {
        Self::read(value, Some(product_token), read_date)
    }

    /// Both together: what one of them forbids is forbidden.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let dates = [self.unavailable_after, other.unavailable_after];
        Self {
            noindex: self.noindex || other.noindex,
            nofollow: self.nofollow || other.nofollow,
            noarchive: self.noarchive || other.noarchive,
            unavailable_after: dates.into_iter().flatten().min(),
        }
    }

    /// Whether the page may be found by searching at this time, in seconds since 1970.
    #[must_use]
    pub fn may_index(&self, now: i64) -> bool {
        !self.noindex && self.unavailable_after.is_none_or(|end| now < end)
    }

    fn read(value: &str, product_token: Option<&str>, read_date: ReadDate) -> Self {
        let mut found = Self::default();
        let mut is_for_us = true;
        let mut rest = head(value);
        while !rest.is_empty() {
            let (mut item, mut after) = rest.split_once(',').unwrap_or((rest, ""));
            if let Some((name, own)) = item.split_once(':').filter(|(name, _)| names_crawler(name)) {
                is_for_us = product_token.is_none_or(|token| name.trim().eq_ignore_ascii_case(token));
                item = own;
            }
            if let Some(date) = value_of(item, "unavailable_after") {
                let (end, behind) = read_with_commas(date, rest, after, read_date);
                after = behind;
                found = found.and_if(is_for_us, Self { unavailable_after: end, ..Self::default() });
            } else {
                found = found.and_if(is_for_us, words(item));
            }
            rest = after;
        }
        found
    }

    fn and_if(self, condition: bool, other: Self) -> Self {
        if condition { self.and(other) } else { self }
    }
}

/// The beginning of a value that is too long.
fn head(value: &str) -> &str {
    let end = (0..=value.len().min(MAX_VALUE)).rev().find(|end| value.is_char_boundary(*end));
    &value[..end.unwrap_or(0)]
}

/// Whether the text before a colon is the name of a crawler and not a directive with a value.
fn names_crawler(name: &str) -> bool {
    let valued = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];
    let name = name.trim();
    is_product_token(name) && !valued.iter().any(|directive| name.eq_ignore_ascii_case(directive))
}

fn value_of<'a>(item: &'a str, name: &str) -> Option<&'a str> {
    let (said, value) = item.split_once(':')?;
    said.trim().eq_ignore_ascii_case(name).then_some(value)
}

/// A date that may have a comma (`Sunday, 1 Jan 2034`), and what follows it. `date` is the part before the first comma
/// of `rest`, `after` what follows that comma.
fn read_with_commas<'a>(date: &'a str, rest: &'a str, after: &'a str, read_date: ReadDate) -> (Option<i64>, &'a str) {
    if let Some(end) = read_date(date.trim()) {
        return (Some(end), after);
    }
    let start = rest.split(',').next().map_or(0, str::len) - date.len();
    let (second, behind) = after.split_once(',').unwrap_or((after, ""));
    let both = &rest[start..rest.len() - after.len() + second.len()];
    match read_date(both.trim()) {
        Some(end) => (Some(end), behind),
        None => (None, after),
    }
}

/// The directives without a value; some sites separate them by spaces.
fn words(item: &str) -> Directives {
    let mut found = Directives::default();
    for word in item.split(|c: char| c.is_whitespace() || c == ';') {
        let is = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        found.noindex |= is(&["noindex", "none"]);
        found.nofollow |= is(&["nofollow", "none"]);
        found.noarchive |= is(&["noarchive", "nocache"]);
    }
    found
}
