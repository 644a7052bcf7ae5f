//! The same for programs, as JSON. `api/openapi.json` describes it and is served; both change together.

#[cfg(test)]
mod tests;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use index::Request;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::params::NoParams;
use super::search::{answer, completions, count_shown};
use super::versions::{self, versions};
use super::{Asked, Desk, Problem, Visitor, changes, difference};
use crate::commands::page::{known, report};
use crate::commands::reading::{Beliefs, now};
use crate::commands::{search, status};

/// What is served is described here.
const DESCRIPTION: &str = include_str!("api/openapi.json");

/// Hits, changes and visits in one answer.
pub(super) const MOST: u32 = 100;

/// The deepest hit that can be the first of an answer.
const DEEPEST: u32 = 9_900;

/// Characters of an address.
const LONGEST_URL: usize = 2_000;

/// Everything below `/api`.
pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/api/openapi.json", get(description))
        .route("/api/v1/search", get(hits))
        .route("/api/v1/suggest", get(suggest))
        .route("/api/v1/page", get(page))
        .route("/api/v1/versions", get(all_versions))
        .route("/api/v1/diff", get(diff))
        .route("/api/v1/changes", get(changed))
        .route("/api/v1/status", get(figures))
}

type Answered = Result<Json<Value>, Problem>;

/// What cannot be written as JSON is our own fault.
pub(super) fn value(what: impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(what).map_err(Problem::failed)
}

/// A number within its range.
pub(super) fn within(
    name: &str,
    number: Option<u32>,
    default: u32,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32, Problem> {
    let number = number.unwrap_or(default);
    let (least, most) = range.clone().into_inner();
    if range.contains(&number) {
        Ok(number)
    } else {
        Err(Problem::wrong(format!("`{name}` is not from {least} to {most}")))
    }
}

/// A text that is not too long, in characters.
pub(super) fn checked(name: &str, text: &str, most: usize) -> Result<(), Problem> {
    if text.chars().nth(most).is_none() {
        Ok(())
    } else {
        Err(Problem::wrong(format!("`{name}` has more than {most} characters")))
    }
}

/// What was given, which must not be nothing.
fn given(name: &str, text: Option<String>) -> Result<String, Problem> {
    match text {
        Some(text) if text.is_empty() => Err(Problem::wrong(format!("`{name}` is empty"))),
        text => Ok(text.unwrap_or_default()),
    }
}

/// How this is used.
async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], DESCRIPTION).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchParams {
    q: String,
    offset: Option<u32>,
    limit: Option<u32>,
}

async fn hits(State(desk): State<Desk>, visitor: Visitor, Asked(asked): Asked<SearchParams>) -> Answered {
    let offset = within("offset", asked.offset, 0, 0..=DEEPEST)? as usize;
    let limit = within("limit", asked.limit, 10, 1..=MOST)? as usize;
    checked("q", &asked.q, index::LONGEST_QUERY)?;
    let place = desk.clone();
    let found = desk.read(move |shelf| {
        let now = now();
        let answer = answer(shelf, &Request { offset, limit, ..Request::new(&asked.q, now) })?;
        count_shown(&place, &visitor, &answer);
        value(search::report::json(&answer, &search::found(&answer, &shelf.folder.catalogue, now)?))
    });
    found.await.map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuggestParams {
    q: String,
}

async fn suggest(State(desk): State<Desk>, Asked(asked): Asked<SuggestParams>) -> Answered {
    checked("q", &asked.q, index::LONGEST_QUERY)?;
    let read = desk.read(move |shelf| Ok(json!({"query": &asked.q, "suggestions": completions(shelf, &asked.q)?})));
    read.await.map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageParams {
    id: Option<u32>,
    #[serde(default)]
    url: String,
    visits: Option<u32>,
}

async fn page(State(desk): State<Desk>, Asked(asked): Asked<PageParams>) -> Answered {
    checked("url", &asked.url, LONGEST_URL)?;
    let visits = within("visits", asked.visits, MOST, 0..=MOST)? as usize;
    let settings = desk.config().fleet.clone();
    let read = desk.read(move |shelf| {
        let page = versions::page(shelf, asked.id, &asked.url)?;
        let known = known(&shelf.folder, page, &settings, now())?;
        value(report::json(&known, &mut Beliefs::new(&shelf.folder.catalogue)?, visits)?)
    });
    read.await.map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionsParams {
    id: Option<u32>,
    #[serde(default)]
    url: String,
}

async fn all_versions(State(desk): State<Desk>, Asked(asked): Asked<VersionsParams>) -> Answered {
    checked("url", &asked.url, LONGEST_URL)?;
    let read = desk.read(move |shelf| {
        let page = versions::page(shelf, asked.id, &asked.url)?;
        Ok(json!({"page": page.id.0, "url": &page.url, "versions": versions(shelf, &page)?}))
    });
    read.await.map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiffParams {
    id: Option<u32>,
    #[serde(default)]
    url: String,
    from: Option<String>,
    to: Option<String>,
}

async fn diff(State(desk): State<Desk>, Asked(asked): Asked<DiffParams>) -> Answered {
    let DiffParams { id, url, from, to } = asked;
    checked("url", &url, LONGEST_URL)?;
    let (from, to) = (given("from", from)?, given("to", to)?);
    let (wanted, at) = (difference::Wanted { id, url, from, to }, desk.clone());
    desk.read(move |shelf| value(difference::compare(&at, shelf, &wanted)?)).await.map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangesParams {
    #[serde(default)]
    site: String,
    #[serde(default)]
    q: String,
    when: Option<String>,
    before: Option<String>,
    limit: Option<u32>,
}

async fn changed(State(desk): State<Desk>, Asked(asked): Asked<ChangesParams>) -> Answered {
    let limit = within("limit", asked.limit, changes::PER_PAGE as u32, 1..=MOST)? as usize;
    let ChangesParams { site, q, when, before, .. } = asked;
    checked("site", &site, 255)?;
    checked("q", &q, 200)?;
    let (when, before) = (given("when", when)?, given("before", before)?);
    let wanted = changes::Wanted { site, q, when, before };
    desk.read(move |shelf| value(changes::find(shelf, &wanted, limit, now())?)).await.map(Json)
}

async fn figures(State(desk): State<Desk>, Asked(NoParams {}): Asked<NoParams>) -> Answered {
    desk.read(move |shelf| value(status::status(&shelf.folder, now())?)).await.map(Json)
}
