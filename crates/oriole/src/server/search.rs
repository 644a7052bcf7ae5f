//! Searching.

#[cfg(test)]
mod tests;
mod view;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Redirect, Response};
use index::{Answer, DEEPEST, Day, Request};
use maud::Markup;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{AskKind, PageId, Timestamp};

use super::front::root;
use super::versions::readable;
use super::{Asked, Desk, Problem, Shelf, Visitor};
use crate::commands::reading::now;
use crate::commands::search::{MOST_COUNTED, found};

pub(super) use view::badge;

/// Hits on a page.
const PER_PAGE: usize = 10;

/// Completions given.
const SUGGESTIONS: usize = 8;

/// What the search form sends.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    /// What was typed.
    q: String,
    /// Only of this host.
    site: String,
    /// Only in this language.
    lang: String,
    /// Only if published or changed in the last day, week, month or year.
    when: String,
    /// Which page of the hits, from 1.
    page: Option<usize>,
}

/// Times to choose from: what is sent, what is shown, and how many days it is.
const TIMES: [(&str, &str, i64); 4] =
    [("day", "Past day", 1), ("week", "Past week", 7), ("month", "Past month", 31), ("year", "Past year", 366)];

impl Wanted {
    fn is_empty(&self) -> bool {
        [&self.q, &self.site, &self.lang, &self.when].into_iter().all(|part| part.trim().is_empty())
    }

    /// The request, with what was chosen as operators before what was typed.
    fn request(&self, now: Timestamp) -> Result<Request, Problem> {
        let mut words = Vec::new();
        for (operator, value) in [("site", &self.site), ("lang", &self.lang)] {
            if value.contains(|letter: char| letter.is_whitespace() || letter == '"') {
                return Err(Problem::wrong(format!("`{operator}` has a blank or a quotation mark in it")));
            }
            words.extend((!value.is_empty()).then(|| format!("{operator}:{value}")));
        }
        let time = TIMES.iter().find(|(name, ..)| *name == self.when);
        if time.is_none() && !self.when.is_empty() {
            return Err(Problem::wrong("`when` is none of day, week, month and year"));
        }
        if let Some((.., days)) = time {
            let day = Timestamp(now.0 - days * 86_400_000).to_string();
            words.push(format!(
                "after:{}",
                day.get(..10).and_then(Day::parse).map_or(String::new(), |day| day.to_string())
            ));
        }
        words.push(self.q.clone());
        let page = self.page.unwrap_or(1).clamp(1, DEEPEST / PER_PAGE);
        Ok(Request { offset: (page - 1) * PER_PAGE, limit: PER_PAGE, ..Request::new(&words.join(" "), now) })
    }
}

/// What the index says; nothing if there is none yet.
pub(super) fn answer(shelf: &Shelf, request: &Request) -> Result<Answer, Problem> {
    match shelf.searcher()? {
        Some(searcher) => Ok(searcher.search(request)?),
        None => Ok(Answer { offset: request.offset, limit: request.limit, ..Answer::default() }),
    }
}

/// Pages that readers are shown matter more. Whom a page of another site sends here has not asked.
pub(super) fn count_shown(desk: &Desk, reader: &Visitor, answer: &Answer) {
    if reader.is_from_here {
        desk.note_asks(reader, AskKind::Shown, answer.hits.iter().take(MOST_COUNTED).map(|hit| hit.page).collect());
    }
}

/// The page with the box and what was found.
pub(super) async fn results(
    State(desk): State<Desk>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
) -> Result<Markup, Problem> {
    if wanted.is_empty() {
        return Ok(view::start(&visitor));
    }
    let place = desk.clone();
    desk.read(move |shelf| {
        let now = now();
        let answer = answer(shelf, &wanted.request(now)?)?;
        let found = found(&answer, &shelf.folder.catalogue, now)?;
        count_shown(&place, &visitor, &answer);
        let link = |page: PageId| way_to(&place, page);
        Ok(view::results(&visitor, &view::Results { wanted: &wanted, answer: &answer, found: &found, now }, &link))
    })
    .await
}

/// The address that leads to a page and counts that it was chosen.
fn way_to(desk: &Desk, page: PageId) -> String {
    format!("/go?id={}&key={}", page.0, desk.gate().seal("go", &page.0.to_string()))
}

/// Where a link of the results leads.
#[derive(Deserialize)]
pub(super) struct Way {
    id: u32,
    #[serde(default)]
    key: String,
}

/// Leads to a page of the catalogue, and nowhere else. It counts only if we made the link, and it was chosen on our own page.
pub(super) async fn go(
    State(desk): State<Desk>,
    visitor: Visitor,
    Asked(way): Asked<Way>,
) -> Result<Response, Problem> {
    let reader = visitor.clone();
    let page = desk.read(move |shelf| readable(shelf, &visitor, Some(way.id), "")).await?;
    if reader.is_from_here && desk.gate().is_sealed("go", &way.id.to_string(), &way.key) {
        desk.note_asks(&reader, AskKind::Clicked, vec![page.id]);
    }
    Ok(Redirect::to(&page.url).into_response())
}

/// What is being typed.
#[derive(Deserialize)]
pub(super) struct Typed {
    #[serde(default)]
    q: String,
}

/// What may be meant by what is being typed, as OpenSearch has it.
pub(super) async fn suggest(State(desk): State<Desk>, Asked(typed): Asked<Typed>) -> Result<Response, Problem> {
    let suggestions: Value = desk.read(move |shelf| Ok(json!([&typed.q, completions(shelf, &typed.q)?]))).await?;
    let kind = "application/x-suggestions+json";
    Ok(([(CONTENT_TYPE, kind), (CACHE_CONTROL, "private, max-age=60")], Json(suggestions).into_response().into_body())
        .into_response())
}

pub(super) fn completions(shelf: &Shelf, typed: &str) -> Result<Vec<String>, Problem> {
    shelf.searcher()?.map_or(Ok(Vec::new()), |searcher| Ok(searcher.complete(typed, SUGGESTIONS)?))
}

/// How browsers can search here.
pub(super) async fn description(headers: HeaderMap) -> Response {
    ([(CONTENT_TYPE, "application/opensearchdescription+xml")], view::description(&root(&headers))).into_response()
}
