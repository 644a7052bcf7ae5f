//! The lines of a `robots.txt` that say something.

use super::MAX_BYTES;

/// Bytes of a line that are read: eight times the longest URL of old browsers, as the best-known parser does.
const MAX_LINE: usize = 8 * 2_083 - 1;

/// What a line speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

/// How names begin, in lower case, with the misspellings that people make.
const NAMES: &[(&str, Field)] = &[
    ("user-agent", Field::UserAgent),
    ("useragent", Field::UserAgent),
    ("user agent", Field::UserAgent),
    ("allow", Field::Allow),
    ("disallow", Field::Disallow),
    ("dissallow", Field::Disallow),
    ("dissalow", Field::Disallow),
    ("disalow", Field::Disallow),
    ("diasllow", Field::Disallow),
    ("disallaw", Field::Disallow),
    ("sitemap", Field::Sitemap),
    ("site-map", Field::Sitemap),
    ("crawl-delay", Field::CrawlDelay),
    ("crawldelay", Field::CrawlDelay),
    ("crawl delay", Field::CrawlDelay),
];

/// The lines that say something, in order, with their values as written.
pub(super) fn read(bytes: &[u8]) -> impl Iterator<Item = (Field, &[u8])> {
    let bytes = without_mark(whole_lines(bytes));
    bytes.split(|b| matches!(b, b'\n' | b'\r')).filter_map(|line| read_line(&line[..line.len().min(MAX_LINE)]))
}

/// The first [`MAX_BYTES`] bytes, without a line that is cut in two: half a rule is another rule.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    if bytes.len() <= MAX_BYTES {
        return bytes;
    }
    let end = bytes[..MAX_BYTES].iter().rposition(|b| matches!(b, b'\n' | b'\r')).unwrap_or(0);
    &bytes[..end]
}

/// Without a byte order mark, or the part of one that was left.
fn without_mark(bytes: &[u8]) -> &[u8] {
    let mark = [0xEF, 0xBB, 0xBF];
    let length = bytes.iter().zip(mark).take_while(|(byte, expected)| **byte == *expected).count();
    &bytes[length..]
}

fn read_line(line: &[u8]) -> Option<(Field, &[u8])> {
    let said = line.split(|b| *b == b'#').next().unwrap_or_default().trim_ascii();
    let at = said.iter().position(|b| *b == b':').or_else(|| missing_colon(said))?;
    let (name, value) = (said[..at].trim_ascii(), said[at + 1..].trim_ascii());
    let begins =
        |beginning: &str| name.get(..beginning.len()).is_some_and(|n| n.eq_ignore_ascii_case(beginning.as_bytes()));
    NAMES.iter().find(|(beginning, _)| begins(beginning)).map(|(_, field)| (*field, value))
}

/// Where the colon should be in a line of exactly two words.
fn missing_colon(said: &[u8]) -> Option<usize> {
    let is_space = |b: &u8| matches!(b, b' ' | b'\t');
    let at = said.iter().position(is_space)?;
    let value = said[at..].trim_ascii();
    (!value.iter().any(is_space)).then_some(at)
}
