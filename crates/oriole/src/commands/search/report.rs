use std::fmt::Write;
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use index::{Answer, Count, Explanation, Note};
use serde::Serialize;
use store::Timestamp;

use super::super::reading::per_cent;
use super::Found;
use crate::output::age::relative;
use crate::output::foreign::{printable, shortened};
use crate::output::number::{grouped, short};

const TITLE: Style = Style::new().bold();
const ADDRESS: Style = AnsiColor::Green.on_default();
const MATCH: Style = Style::new().bold();
const ASIDE: Style = Style::new().dimmed();

/// Facets with more values are cut.
const MOST_FACETS: usize = 5;

#[derive(Serialize)]
struct Json<'a> {
    query: &'a str,
    total: u64,
    offset: usize,
    limit: usize,
    hits: Vec<JsonHit<'a>>,
    hosts: &'a [Count],
    languages: &'a [Count],
    did_you_mean: Option<&'a str>,
    notes: &'a [Note],
    took_ms: f64,
}

#[derive(Serialize)]
struct JsonHit<'a> {
    url: &'a str,
    title: &'a str,
    snippet: &'a str,
    highlights: Vec<[usize; 2]>,
    score: f32,
    checked_at: String,
    changed_at: String,
    probability_current: Option<f64>,
    published: Option<String>,
    language: Option<&'a str>,
    host: &'a str,
    page: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Explanation>,
}

/// The answer for programs.
pub(crate) fn json<'a>(answer: &'a Answer, found: &'a [Found<'a>]) -> impl Serialize + 'a {
    Json {
        query: &answer.query,
        total: answer.total,
        offset: answer.offset,
        limit: answer.limit,
        hits: found.iter().map(json_hit).collect(),
        hosts: &answer.hosts,
        languages: &answer.languages,
        did_you_mean: answer.did_you_mean.as_deref(),
        notes: &answer.notes,
        took_ms: answer.took.as_secs_f64() * 1e3,
    }
}

fn json_hit<'a>(found: &'a Found<'a>) -> JsonHit<'a> {
    let hit = found.hit;
    JsonHit {
        url: &hit.url,
        title: &hit.title,
        snippet: &hit.snippet.text,
        highlights: in_characters(&hit.snippet.text, &hit.snippet.highlights),
        score: hit.score,
        checked_at: found.checked_at.to_string(),
        changed_at: found.changed_at.to_string(),
        probability_current: found.current,
        published: hit.published.map(|at| at.to_string()),
        language: hit.language.as_deref(),
        host: &hit.host,
        page: hit.page.0,
        explanation: hit.explanation.as_ref(),
    }
}

/// Ranges of bytes as ranges of characters, in which most languages count.
fn in_characters(text: &str, ranges: &[Range<usize>]) -> Vec<[usize; 2]> {
    let count = |end: usize| text.get(..end).map_or(0, |part| part.chars().count());
    ranges.iter().map(|range| [count(range.start), count(range.end)]).collect()
}

/// The answer for people.
pub(super) fn text(answer: &Answer, found: &[Found<'_>], now: Timestamp) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = heading(&mut text, answer, found.len());
    for (place, found) in found.iter().enumerate() {
        let _ = hit(&mut text, answer.offset + place + 1, found, now);
    }
    let _ = facets(&mut text, answer);
    text
}

fn heading(text: &mut String, answer: &Answer, shown: usize) -> std::fmt::Result {
    let query = printable(&answer.query);
    match (answer.total, shown) {
        (0, _) => writeln!(text, "nothing found for {query}")?,
        (1, 1) => writeln!(text, "one page for {query}")?,
        (total, 0) => writeln!(text, "{} pages for {query}, none from {} on", grouped(total as usize), answer.offset)?,
        (total, _) => {
            let (first, last) = (answer.offset + 1, answer.offset + shown);
            writeln!(text, "{} pages for {query}; {first} to {last}", grouped(total as usize))?;
        }
    }
    for note in &answer.notes {
        writeln!(text, "{ASIDE}({}){ASIDE:#}", in_words(note))?;
    }
    if let Some(better) = &answer.did_you_mean {
        writeln!(text, "did you mean: {TITLE}{}{TITLE:#}", printable(better))?;
    }
    Ok(())
}

/// What the reader of a query should know.
pub(crate) fn in_words(note: &Note) -> String {
    match note {
        Note::Cut => "the query is too long and was cut".to_owned(),
        Note::SearchedAsWords(part) => format!("{} was searched as words", printable(part)),
        Note::Ignored(part) => format!("{} was left out: there is nothing to search in it", printable(part)),
        Note::OpenQuote => "a quotation mark has no partner".to_owned(),
        Note::MostWords => "no page has all the words; these have most of them".to_owned(),
    }
}

fn hit(text: &mut String, place: usize, found: &Found<'_>, now: Timestamp) -> std::fmt::Result {
    let hit = found.hit;
    let title = if hit.title.trim().is_empty() { &hit.url } else { &hit.title };
    writeln!(text, "\n{place}. {TITLE}{}{TITLE:#}", shortened(title, 100))?;
    writeln!(text, "   {ADDRESS}{}{ADDRESS:#}", printable(&hit.url))?;
    if !hit.snippet.text.is_empty() {
        writeln!(text, "   {}", highlighted(&hit.snippet.text, &hit.snippet.highlights))?;
    }
    let (checked, changed) = (relative(found.checked_at, now), relative(found.changed_at, now));
    let current = found.current.map(|probability| format!(", {} likely still current", per_cent(probability)));
    let current = current.unwrap_or_default();
    writeln!(text, "   {ASIDE}checked {checked}, changed {changed}{current}{ASIDE:#}")?;
    hit.explanation.as_ref().map_or(Ok(()), |parts| explanation(text, hit.score, parts))
}

/// The matches in bold.
fn highlighted(text: &str, ranges: &[Range<usize>]) -> String {
    let part = |from: usize, to: usize| printable(text.get(from..to).unwrap_or_default());
    let (mut shown, mut end) = (String::new(), 0);
    for range in ranges {
        let matched = part(range.start, range.end);
        let _ = write!(shown, "{}{MATCH}{matched}{MATCH:#}", part(end, range.start));
        end = range.end;
    }
    shown + &part(end, text.len())
}

fn explanation(text: &mut String, score: f32, parts: &Explanation) -> std::fmt::Result {
    let number = |value: f32| short((f64::from(value) * 1e3).round() / 1e3);
    let factors = [parts.text, parts.proximity, parts.links, parts.freshness, parts.depth].map(number);
    let [words, proximity, links, freshness, depth] = factors;
    writeln!(
        text,
        "   score {} = text {words} * proximity {proximity} * links {links} * freshness {freshness} * depth {depth}",
        number(score)
    )?;
    for word in &parts.words {
        let fields: Vec<String> =
            word.fields.iter().map(|(field, worth)| format!("{field} {}", number(*worth))).collect();
        writeln!(text, "     {} {}: {}", printable(&word.word), number(word.score), fields.join(", "))?;
    }
    Ok(())
}

fn facets(text: &mut String, answer: &Answer) -> std::fmt::Result {
    let lines = [("hosts", &answer.hosts), ("languages", &answer.languages)];
    let telling: Vec<_> = lines.into_iter().filter(|(_, counts)| counts.len() > 1).collect();
    if !telling.is_empty() {
        writeln!(text)?;
    }
    for (name, counts) in telling {
        let shown = counts.iter().take(MOST_FACETS).map(|count| format!("{} {}", printable(&count.value), count.count));
        let more = if counts.len() > MOST_FACETS { ", ..." } else { "" };
        writeln!(text, "{ASIDE}{name}: {}{more}{ASIDE:#}", shown.collect::<Vec<_>>().join(", "))?;
    }
    Ok(())
}
