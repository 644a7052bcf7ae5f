//! How the engine is doing: figures, charts, sites and what is next.

mod events;
mod figures;
mod next;
#[cfg(test)]
mod tests;
mod view;

use axum::extract::State;
use axum::routing::get;
use axum::{Extension, Json, Router};
use maud::Markup;
use serde::Deserialize;
use serde_json::{Value, json};
use store::Catalogue;

use super::last_crawl::LastCrawl;
use super::sites;
use super::{Asked, Desk, Problem, Shelf, Visitor};
use crate::commands::{reading, status};
use crate::engine::{History, Point, Range};

pub(super) use figures::Figures;

/// Sites that are shown where no engine says which.
const SITES: usize = 10;

/// The dashboard, and the same for programs.
pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/dashboard", get(show))
        .route("/dashboard/part", get(part))
        .route("/api/v1/events", get(events::listen))
        .route("/api/v1/history", get(history))
        .route("/api/v1/next", get(next::list))
        .layer(Extension(events::Listeners::default()))
}

/// What is asked of the dashboard.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct Wanted {
    range: Range,
}

/// What the dashboard shows.
struct Seen {
    figures: Figures,
    range: Range,
    points: Vec<Point>,
    next: Vec<next::Line>,
    /// Sites with most to do; without an engine those with most pages.
    sites: Vec<Value>,
    last: Option<LastCrawl>,
}

async fn show(visitor: Visitor, State(desk): State<Desk>, Asked(wanted): Asked<Wanted>) -> Result<Markup, Problem> {
    Ok(view::whole(&visitor, &look(&desk, wanted).await?))
}

/// What changes all the time, for the script of the page.
async fn part(State(desk): State<Desk>, Asked(wanted): Asked<Wanted>) -> Result<Markup, Problem> {
    Ok(view::part(&look(&desk, wanted).await?))
}

async fn look(desk: &Desk, Wanted { range }: Wanted) -> Result<Seen, Problem> {
    let (figures, mut points) = (figures(desk).await?, points(desk, range).await?);
    if figures.here {
        points.push(figures.point(reading::now().seconds()));
    }
    let is_running = figures.is_running();
    let last = if is_running { None } else { desk.read(|shelf| LastCrawl::read(&shelf.folder)).await? };
    let sites = if is_running { figures.list("busiest_hosts").to_vec() } else { largest(desk).await? };
    Ok(Seen { figures, range, points, next: next::soonest(desk).await?, sites, last })
}

/// The sites with most pages, as the catalogue remembers them.
async fn largest(desk: &Desk) -> Result<Vec<Value>, Problem> {
    let found = sites::find(desk, "", 0, SITES).await?;
    found.sites.into_iter().map(|site| serde_json::to_value(site).map_err(Problem::failed)).collect()
}

/// What the engine says of itself, here or in another process; else what the folder tells.
pub(super) async fn figures(desk: &Desk) -> Result<Figures, Problem> {
    if let Some(engine) = desk.engine() {
        let mut said = serde_json::to_value(engine.board.status()).map_err(Problem::failed)?;
        if let Value::Object(fields) = &mut said {
            let data = desk.config().data.display().to_string();
            let known = [("running", true.into()), ("silent", false.into()), ("data", data.into())];
            fields.extend(known.map(|(name, value): (&str, Value)| (name.to_owned(), value)));
        }
        return Ok(Figures::new(said, true));
    }
    let said = desk.shared_status(status_of).await?;
    Ok(Figures::new(said, false))
}

fn status_of(shelf: &Shelf) -> Result<Value, Problem> {
    Ok(Value::Object(status::status(&shelf.folder, reading::now())?))
}

/// How things were. Without an engine here, as the catalogue remembers.
async fn points(desk: &Desk, range: Range) -> Result<Vec<Point>, Problem> {
    if let Some(engine) = desk.engine() {
        return Ok(engine.board.history(range));
    }
    let note = desk.read(|shelf| Ok(shelf.folder.catalogue.note(History::NOTE)?)).await?;
    Ok(History::read(note.as_deref()).points(range))
}

/// What programs ask of the history.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryParams {
    #[serde(default)]
    range: Range,
}

async fn history(
    State(desk): State<Desk>,
    Asked(HistoryParams { range }): Asked<HistoryParams>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(json!({"range": range, "points": points(&desk, range).await?})))
}
