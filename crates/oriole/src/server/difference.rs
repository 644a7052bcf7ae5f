//! What changed between two versions of a page.

use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use store::{Page, Timestamp};

use super::front::Foreign;
use super::layout::{Frame, Tab, page};
use super::versions::{self, Version, address, version_at, versions};
use super::{Asked, Desk, Problem, Shelf, Visitor};
use crate::commands::reading::now;
use crate::output::age::relative;
use crate::output::foreign::{printable, shortened};

/// Most words of a version that are compared.
const MOST_WORDS: usize = 50_000;

/// After this time the comparison becomes coarser.
const LONGEST: Duration = Duration::from_millis(400);

/// Words shown before and after a change.
const CONTEXT: usize = 25;

/// Which versions.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    pub(super) id: Option<u32>,
    pub(super) url: String,
    pub(super) from: String,
    pub(super) to: String,
}

/// Words in a row that have the same fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Piece {
    pub(super) kind: Fate,
    pub(super) text: String,
}

/// What became of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fate {
    Same,
    Removed,
    Added,
}

/// Two versions compared.
#[derive(Serialize)]
pub(super) struct Difference {
    pub(super) url: String,
    pub(super) from: Version,
    pub(super) to: Version,
    pub(super) title_from: Option<String>,
    pub(super) title_to: Option<String>,
    /// Words that were added and removed.
    pub(super) added: usize,
    pub(super) removed: usize,
    /// Whether all words were compared.
    pub(super) complete: bool,
    pub(super) pieces: Vec<Piece>,
    #[serde(skip)]
    page: Page,
}

/// Compares two versions: by default the last two.
pub(super) fn compare(desk: &Desk, shelf: &Shelf, wanted: &Wanted) -> Result<Difference, Problem> {
    let page = versions::page(shelf, wanted.id, &wanted.url)?;
    let all = versions(shelf, &page)?;
    let to = match wanted.to.as_str() {
        "" => all.first().copied(),
        at => Some(version_at(&all, at)?),
    };
    let to = to.ok_or_else(|| Problem::unknown("there is no copy of this page"))?;
    let from = match wanted.from.as_str() {
        "" => all.iter().find(|version| version.at < to.at).copied(),
        at => Some(version_at(&all, at)?),
    };
    let from = from.ok_or_else(|| Problem::unknown("there is no older copy of this page to compare with"))?;
    let (before, after) = (versions::text(desk, shelf, &page, from)?, versions::text(desk, shelf, &page, to)?);
    let (old, new) = (words(&before.text), words(&after.text));
    let pieces = pieces(&old, &new);
    let count = |kind| pieces.iter().filter(|piece| piece.kind == kind).map(|piece| words(&piece.text).len()).sum();
    Ok(Difference {
        url: page.url.clone(),
        from,
        to,
        added: count(Fate::Added),
        removed: count(Fate::Removed),
        complete: old.len().max(new.len()) < MOST_WORDS,
        title_from: before.title,
        title_to: after.title,
        pieces,
        page,
    })
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().take(MOST_WORDS).collect()
}

fn pieces(old: &[&str], new: &[&str]) -> Vec<Piece> {
    let ops = capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(Instant::now() + LONGEST));
    let piece = |kind, words: &[&str]| (!words.is_empty()).then(|| Piece { kind, text: words.join(" ") });
    let parts = |op: DiffOp| match op {
        DiffOp::Equal { old_index, len, .. } => [piece(Fate::Same, &old[old_index..old_index + len]), None],
        DiffOp::Delete { old_index, old_len, .. } => [piece(Fate::Removed, &old[old_index..old_index + old_len]), None],
        DiffOp::Insert { new_index, new_len, .. } => [None, piece(Fate::Added, &new[new_index..new_index + new_len])],
        DiffOp::Replace { old_index, old_len, new_index, new_len } => [
            piece(Fate::Removed, &old[old_index..old_index + old_len]),
            piece(Fate::Added, &new[new_index..new_index + new_len]),
        ],
    };
    ops.into_iter().flat_map(parts).flatten().collect()
}

/// The page that shows it.
pub(super) async fn show(
    State(desk): State<Desk>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, Problem> {
    let at = desk.clone();
    desk.read(move |shelf| {
        let difference = compare(&at, shelf, &wanted)?;
        let all = versions(shelf, &difference.page)?;
        Ok((Extension(Foreign), view(&visitor, &difference, &all, now())).into_response())
    })
    .await
}

fn view(visitor: &Visitor, difference: &Difference, all: &[Version], now: Timestamp) -> Markup {
    let Difference { page: about, from, to, added, removed, .. } = difference;
    let moment = |at: Timestamp| html! { time datetime=(at) { (at) } " (" (relative(at, now)) ")" };
    let visitor = &visitor.without_forms();
    let name = difference.title_to.as_deref().filter(|name| !name.trim().is_empty());
    let title = format!("What changed on {}", shortened(name.unwrap_or(&about.url), 80));
    let older = all.iter().find(|version| version.at < from.at);
    let newer = all.iter().rev().find(|version| version.at > to.at);
    let contents = html! {
        h1 { "What changed" @if let Some(name) = name { ": " (shortened(name, 150)) } }
        p {
            a href=(address("/page", about.id, &[])) { (printable(&about.url)) } " · "
            a href=(address("/cached", about.id, &[("at", to.at)])) { "Copy" }
        }
        p .aside {
            "From " (moment(from.at)) " to " (moment(to.at)) ": " (added) " words added, " (removed) " removed."
            @if !difference.complete { " Only the first " (MOST_WORDS) " words are compared." }
        }
        nav .pages aria-label="Versions" {
            @if let Some(older) = older { a href=(address("/diff", about.id, &[("from", older.at), ("to", from.at)])) { "Earlier change" } }
            @if let Some(newer) = newer { a href=(address("/diff", about.id, &[("from", to.at), ("to", newer.at)])) { "Later change" } }
        }
        (title_change(difference))
        div .diff dir="auto" lang=[about.values.language.as_deref()] {
            @if added + removed == 0 { p { "The text is the same." } }
            @for (place, piece) in difference.pieces.iter().enumerate() {
                (shown(piece, place == 0, place + 1 == difference.pieces.len()))
            }
        }
    };
    page(&Frame { visitor, tab: Tab::Changes, title: &title, scripts: &[] }, contents)
}

fn title_change(difference: &Difference) -> Markup {
    let (from, to) = (difference.title_from.as_deref(), difference.title_to.as_deref());
    html! {
        @if from != to {
            p .diff {
                "Title: "
                @if let Some(from) = from { del { (printable(from)) } " " }
                @if let Some(to) = to { ins { (printable(to)) } }
            }
        }
    }
}

/// Long stretches that are the same are shortened in the middle, and at both ends of the text.
fn shown(piece: &Piece, is_first: bool, is_last: bool) -> Markup {
    match piece.kind {
        Fate::Removed => html! { del { (printable(&piece.text)) } " " },
        Fate::Added => html! { ins { (printable(&piece.text)) } " " },
        Fate::Same => {
            let words = words(&piece.text);
            let (head, tail) = (if is_first { 0 } else { CONTEXT }, if is_last { 0 } else { CONTEXT });
            if words.len() <= head + tail + 1 {
                return html! { (printable(&piece.text)) " " };
            }
            let (start, end) = (words[..head].join(" "), words[words.len() - tail..].join(" "));
            html! { (printable(&start)) " … " (printable(&end)) " " }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(old: &str, new: &str) -> Vec<(Fate, String)> {
        pieces(&words(old), &words(new)).into_iter().map(|piece| (piece.kind, piece.text)).collect()
    }

    #[test]
    fn words_that_come_and_go() {
        use Fate::{Added, Removed, Same};
        let of = |kind, text: &str| (kind, text.to_owned());
        assert_eq!(compared("a b c", "a b c"), [of(Same, "a b c")]);
        assert_eq!(
            compared("a b c", "a x c d"),
            [of(Same, "a"), of(Removed, "b"), of(Added, "x"), of(Same, "c"), of(Added, "d")]
        );
        assert_eq!(compared("", "new"), [of(Added, "new")]);
        assert_eq!(compared("old", ""), [of(Removed, "old")]);
        assert!(compared("", "").is_empty());
    }

    /// Texts that have nothing in common are the worst case; there is a limit on the time, and nothing is lost.
    #[test]
    fn the_worst_texts_are_compared_too() {
        let text = |letter: char| (0..60_000).map(|number| format!("{letter}{} ", number % 30_011)).collect::<String>();
        let (old, new) = (text('a'), text('b'));
        let pieces = pieces(&words(&old), &words(&new));
        let total = |fate| {
            pieces.iter().filter(|piece| piece.kind == fate).map(|piece| words(&piece.text).len()).sum::<usize>()
        };
        assert_eq!((total(Fate::Removed), total(Fate::Added)), (MOST_WORDS, MOST_WORDS));
    }
}
