use std::fmt::Write;

use anstyle::Style;
use anyhow::Result;
use crawl::fleet::{Presence, Trust};
use crawl::frontier::{Outlook, Waits, Why};
use serde::Serialize;
use store::{Timestamp, Visit, file_name};

use super::super::reading::{Beliefs, Moment, Row, per_cent, two_digits};
use super::Known;
use crate::output::age::{length, relative};
use crate::output::foreign::printable;
use crate::output::number::grouped;
use crate::output::table::{self, Align, Table};
use crate::units::SECONDS_PER_DAY;

#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    row: Row,
    referrer_url: Option<String>,
    duplicate_of_url: Option<String>,
    changes_per_day_interval: [f64; 2],
    asked: f64,
    signals: Vec<Signal>,
    host_delay: Option<f64>,
    host_blocked_until: Option<Moment>,
    next_visit: NextVisit,
    history: Vec<JsonVisit>,
}

/// Signals that tell of this part of the changes make a difference to when a page is visited.
const WORTH_SAYING: f64 = 0.05;

/// What signals of a kind have proved to be worth on the host.
#[derive(Serialize)]
struct Signal {
    kind: String,
    recall: f64,
    false_per_day: f64,
}

#[derive(Serialize)]
struct NextVisit {
    at: Option<Moment>,
    latest: Option<Moment>,
    waits_for: &'static str,
    why: Option<&'static str>,
    in_words: String,
    index: Option<f64>,
    index_level: Option<f64>,
}

#[derive(Serialize)]
struct JsonVisit {
    at: Moment,
    outcome: &'static str,
    status: Option<u16>,
    bytes: u64,
    milliseconds: u32,
    archive_file: Option<String>,
    archive_offset: Option<u64>,
    archive_length: Option<u32>,
}

/// All that is known, for programs.
pub(crate) fn json(known: &Known, beliefs: &mut Beliefs<'_>, visits: usize) -> Result<impl Serialize + use<>> {
    let (low, high) = known.belief.interval_per_day();
    let moment = |seconds: f64| Moment(Timestamp::from_seconds(seconds));
    let outlook = &known.outlook;
    let is_crawled = known.presence == Presence::Crawled;
    Ok(Json {
        row: Row::new(known.page.clone(), beliefs, known.now)?,
        referrer_url: known.referrer.clone(),
        duplicate_of_url: known.duplicate_of.clone(),
        changes_per_day_interval: [low, high],
        asked: known.asked,
        signals: signals(known),
        host_delay: known.host.as_ref().map(|host| host.delay),
        host_blocked_until: blocked(known).map(Moment),
        next_visit: NextVisit {
            at: outlook.due.filter(|_| is_crawled).map(moment),
            latest: outlook.latest.filter(|_| is_crawled).map(moment),
            waits_for: if is_crawled { waits_for(outlook.waits) } else { "site" },
            why: outlook.why.map(why),
            in_words: next_visit(known),
            index: Some(outlook.index).filter(|index| index.is_finite()),
            index_level: outlook.level,
        },
        history: known.visits.iter().take(visits).map(json_visit).collect(),
    })
}

fn signals(known: &Known) -> Vec<Signal> {
    let signal = |(kind, trust): (&String, &Trust)| Signal {
        kind: kind.clone(),
        recall: trust.recall,
        false_per_day: trust.false_rate * SECONDS_PER_DAY,
    };
    known.signals.iter().map(signal).collect()
}

fn json_visit(visit: &Visit) -> JsonVisit {
    JsonVisit {
        at: Moment(visit.at),
        outcome: visit.outcome.name(),
        status: visit.status,
        bytes: visit.bytes,
        milliseconds: visit.milliseconds,
        archive_file: visit.archive.map(|at| file_name(at.file)),
        archive_offset: visit.archive.map(|at| at.offset),
        archive_length: visit.archive.map(|at| at.length),
    }
}

fn waits_for(waits: Waits) -> &'static str {
    match waits {
        Waits::Queue => "queue",
        Waits::Robot => "robot",
        Waits::Index => "index",
        Waits::Time => "time",
        Waits::Nothing => "nothing",
    }
}

fn why(why: Why) -> &'static str {
    match why {
        Why::Queued => "queued",
        Why::Overdue => "overdue",
        Why::Reserve => "reserve",
        Why::Index => "index",
    }
}

/// Until when the host is left alone, if it is.
fn blocked(known: &Known) -> Option<Timestamp> {
    known.host.as_ref().and_then(|host| host.blocked_until).filter(|until| *until > known.now)
}

/// When the page will be visited next, and why.
fn next_visit(known: &Known) -> String {
    let Outlook { due, earliest, latest, waits, why, level, index, .. } = known.outlook;
    let at = |seconds: f64| relative(Timestamp::from_seconds(seconds), known.now);
    // The level moves a little with every page that is visited.
    let near = if level.is_some_and(|level| index < level) { "at any moment" } else { "now" };
    let soon = |seconds: f64| if seconds <= known.now.seconds() { near.to_owned() } else { at(seconds) };
    match known.presence {
        Presence::Crawled => {}
        Presence::Paused => return "none until its site is resumed: `oriole resume` does that".to_owned(),
        Presence::Leaving | Presence::Removed => return "none: its site was removed".to_owned(),
    }
    match (waits, due, why) {
        (Waits::Nothing, ..) => "none, unless somebody asks for it".to_owned(),
        (Waits::Queue, ..) => "as soon as its host allows and the budget lasts".to_owned(),
        (Waits::Robot, ..) => "under way".to_owned(),
        (_, Some(due), Some(Why::Queued)) => format!("{}, to try it again", soon(due)),
        (_, Some(due), Some(Why::Overdue)) => {
            let reserve = if known.has_reserve { ", unless the reserve comes to it (revisit.reserve)" } else { "" };
            format!("{}: no page is left for longer, and before that others are worth more{reserve}", soon(due))
        }
        (_, Some(due), _) => {
            let rests = waits == Waits::Time && level.is_some_and(|level| index >= level);
            let why = if rests { ", when it may be visited again (revisit.least)" } else { "" };
            let level = level.map(two_digits).unwrap_or_default();
            let index = two_digits(index);
            let hearsay = hearsay(known);
            format!(
                "{}{hearsay}{why}; a visit is worth {index} now, and made when it is worth {level} (seconds of a current copy, times its weight)",
                soon(due)
            )
        }
        (_, None, Some(Why::Reserve)) => "when no other page has waited longer: others are worth more".to_owned(),
        _ => {
            let earliest = earliest.map(|at| format!("{} at the earliest (revisit.least)", soon(at)));
            let latest = latest.map(|at| format!("{} at the latest", soon(at)));
            let bounds = [earliest, latest].into_iter().flatten().collect::<Vec<_>>().join(", ");
            let bounds = if bounds.is_empty() { "not known".to_owned() } else { bounds };
            format!("{bounds}; at what index pages are visited is known when some have been visited again")
        }
    }
}

/// What of the next visit only a running engine knows.
fn hearsay(known: &Known) -> String {
    let trusted = known.signals.iter().filter(|(_, trust)| trust.recall >= WORTH_SAYING);
    let kinds: Vec<_> = trusted.map(|(kind, _)| printable(kind)).collect();
    if kinds.is_empty() {
        return String::new();
    }
    let kinds = kinds.join(" or a ");
    format!(
        " by age alone (sooner if a {kinds} tells of a change, later while sitemaps and feeds tell of none: only the running engine knows)"
    )
}

/// All that is known, for people.
pub(super) fn text(known: &Known, visits: usize) -> String {
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}\n", printable(&known.page.url));
    if let Some(title) = &known.page.values.title {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", printable(title));
    }
    text.push('\n');
    text.push_str(&table::list(&facts(known)));
    if !known.visits.is_empty() && visits > 0 {
        text.push('\n');
        text.push_str(&history(known, visits));
    }
    text
}

/// What is known, by name and in words.
pub(crate) fn facts(known: &Known) -> Vec<(&'static str, String)> {
    let (page, values) = (&known.page, &known.page.values);
    let moment = |at: Timestamp| format!("{at} ({})", relative(at, known.now));
    let maybe = |at: Option<Timestamp>| at.map_or("never".to_owned(), moment);
    let status = values.status.map_or(String::new(), |status| format!(", status {status}"));
    let found = known.referrer.as_ref().map_or(String::new(), |from| format!(", on {}", printable(from)));
    let mut facts = vec![
        ("state", format!("{}{status}", values.state.name())),
        ("checked", maybe(values.checked_at)),
        ("changed", maybe(values.changed_at)),
        ("found", format!("{}{found}", moment(page.found_at))),
    ];
    facts.extend(values.published.map(|at| ("published", moment(at))));
    facts.extend(freshness(known));
    if let Some(until) = blocked(known) {
        facts.push(("host", format!("left alone until {}", moment(until))));
    }
    if values.failures > 0 {
        facts.push(("failures", format!("{} in a row", values.failures)));
    }
    let shown = if values.indexed { "in the search index" } else { "not in the search index" };
    facts.push(("search", shown.to_owned()));
    facts.extend(values.redirect_to.as_ref().map(|to| ("leads to", printable(to))));
    facts.extend(known.duplicate_of.as_ref().map(|other| ("says the same as", printable(other))));
    facts.extend(copy(known));
    let kind = [values.mime.as_deref(), values.language.as_deref()].into_iter().flatten().map(printable);
    let kind: Vec<String> = kind.collect();
    if !kind.is_empty() {
        facts.push(("kind", kind.join(", ")));
    }
    let standing = page.standing;
    facts.push(("links", format!("{} to it, {} from a seed to it", standing.links_in, standing.depth)));
    facts.push(("weight", weight(known)));
    facts.extend(signals(known).iter().map(|signal| ("signals", in_words(signal))));
    facts
}

fn weight(known: &Known) -> String {
    let weight = two_digits(f64::from(known.page.standing.weight));
    match known.asked {
        _ if known.is_weight_fixed => format!("{weight}, by a pattern"),
        some if some >= 0.005 => format!("{weight}; readers have asked for it, which counts {}", two_digits(some)),
        _ => weight,
    }
}

fn in_words(signal: &Signal) -> String {
    let Signal { kind, recall, false_per_day } = signal;
    let false_per_day = two_digits(*false_per_day);
    format!(
        "{}: tells of {} of the changes, and falsely {false_per_day} times a day and page",
        printable(kind),
        per_cent(*recall)
    )
}

fn freshness(known: &Known) -> Vec<(&'static str, String)> {
    let (low, high) = known.belief.interval_per_day();
    let rate = two_digits(known.belief.changes_per_day());
    let days = 1.0 / known.belief.changes_per_day();
    let every = if days.is_finite() { format!(" (one every {})", length(86_400.0 * days)) } else { String::new() };
    let values = &known.page.values;
    let mut facts = vec![
        ("visits", format!("{}, of which {} found it changed", values.visits, values.changes)),
        (
            "changes per day",
            format!("{rate}{every}, and with 95 % probability {} to {}", two_digits(low), two_digits(high)),
        ),
    ];
    facts.extend(known.belief.current.map(|current| ("still current", format!("{} likely", per_cent(current)))));
    facts.push(("next visit", next_visit(known)));
    facts
}

fn copy(known: &Known) -> Option<(&'static str, String)> {
    let values = &known.page.values;
    let at = values.archive?;
    let fetched = values.archived_at.map_or(String::new(), |at| format!(", fetched {}", relative(at, known.now)));
    let place = format!("{} from {} on, {} bytes", file_name(at.file), at.offset, at.length);
    Some(("copy", format!("{place}{fetched}")))
}

fn history(known: &Known, most: usize) -> String {
    let (left, right) = (Align::Left, Align::Right);
    let mut table =
        Table::new(&[("visit", left), ("outcome", left), ("status", right), ("bytes", right), ("ms", right)]);
    for visit in known.visits.iter().take(most) {
        table.row([
            format!("{} ({})", visit.at, relative(visit.at, known.now)),
            visit.outcome.name().to_owned(),
            visit.status.map(|status| status.to_string()).unwrap_or_default(),
            grouped(visit.bytes as usize),
            grouped(visit.milliseconds as usize),
        ]);
    }
    table.render()
}
