//! What other budgets, robots and buffers would do with the data there is, and applying them to the running engine.

mod budgets;
mod sample;
#[cfg(test)]
mod tests;
mod thresholds;
mod view;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use control::Finishing;
use maud::Markup;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Catalogue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::last_crawl::LastCrawl;
use super::params::maybe_whole;
use super::{Asked, Desk, Posted, Problem, Sent, Visitor};
use crate::config::{Changes, Config};
use crate::engine::{Applied, Budget, Robots, remembered_model};
use budgets::Staleness;
use sample::Sample;
use thresholds::Thresholds;

/// How old the sample of pages may be.
const FRESH: Duration = Duration::from_secs(10);

/// Robots at most, and if the engine is to decide how many of them run.
const MOST_ROBOTS: u32 = 10_000;
const MOST_DECIDED: u32 = 64;

/// The page, and the same for programs.
pub(super) fn routes() -> Router<Desk> {
    Router::new()
        .route("/what-if", get(show).post(change))
        .route("/what-if/part", get(part))
        .route("/api/v1/what-if", get(tell).post(order))
        .layer(Extension(Study::default()))
}

/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// What all questions share.
#[derive(Clone)]
struct Study {
    /// What pages and robots are like, for a few seconds.
    known: Arc<Mutex<Option<Arc<Known>>>>,
    /// One answer is computed at a time, and takes nothing from those who search.
    turn: Arc<Semaphore>,
}

impl Default for Study {
    fn default() -> Self {
        Self { known: Arc::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

/// What pages and robots are like.
struct Known {
    at: Instant,
    sample: Sample,
    model: Option<Finishing>,
}

/// What is asked. Fields that are empty say: as it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Wanted {
    budget: String,
    robots: String,
    decide: String,
    buffer: String,
    did: String,
}

/// What programs ask. What is left out is as it is.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Params {
    /// Requests per second.
    budget: Option<f64>,
    robots: Option<u32>,
    /// Whether that number of robots is fixed, or the most there may be.
    fixed: Option<bool>,
    buffer: Option<usize>,
}

/// What programs want applied. What is left out stays as it is.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Order {
    /// Requests per second.
    budget: Option<f64>,
    #[serde(deserialize_with = "maybe_whole")]
    robots: Option<u32>,
    fixed: Option<bool>,
    #[serde(deserialize_with = "maybe_whole")]
    buffer: Option<usize>,
    /// No limit of requests.
    unlimited: bool,
    /// Back to what file, environment and flags say.
    forget: bool,
}

/// Settings of which is asked what they would do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Settings {
    /// Requests per second; none if they are not limited.
    budget: Option<f64>,
    robots: u32,
    /// Whether there are always so many.
    fixed: bool,
    buffer: usize,
}

impl Settings {
    fn of(config: &Config) -> Self {
        let deciding = config.deciding();
        let fixed = config.robots.is_some();
        Self { budget: config.fleet.frontier.budget, robots: deciding.most, fixed, buffer: config.buffer }
    }

    fn of_last(last: &LastCrawl) -> Self {
        let LastCrawl { budget, robots, fixed, buffer, .. } = *last;
        Self { budget, robots, fixed, buffer }
    }

    fn with(self, params: Params) -> Result<Self, Problem> {
        let fixed = params.fixed.unwrap_or(self.fixed);
        let settings = Self {
            budget: params.budget.or(self.budget),
            robots: params.robots.unwrap_or(self.robots),
            fixed,
            buffer: params.buffer.unwrap_or(self.buffer),
        };
        if settings.budget.is_some_and(|budget| !(1e-6..=1e6).contains(&budget)) {
            return Err(Problem::wrong("the budget is not from 0.000001 to 1000000 requests per second"));
        }
        if !(1..=MOST_ROBOTS).contains(&settings.robots) {
            return Err(Problem::wrong(format!("the number of robots is not from 1 to {MOST_ROBOTS}")));
        }
        if !fixed && settings.robots > MOST_DECIDED {
            return Err(Problem::unfit(format!(
                "of more than {MOST_DECIDED} robots it cannot be decided how many to run; fix their number"
            )));
        }
        if !(1..=100_000).contains(&settings.buffer) {
            return Err(Problem::wrong("the number of places is not from 1 to 100000"));
        }
        Ok(settings)
    }

    /// What is to be applied to come to these from others.
    fn applied(self, before: Self) -> Applied {
        let robots = if self.fixed { Robots::Fixed(self.robots) } else { Robots::UpTo(self.robots) };
        Applied {
            budget: self.budget.filter(|_| self.budget != before.budget).map(Budget::PerSecond),
            robots: ((self.robots, self.fixed) != (before.robots, before.fixed)).then_some(robots),
            buffer: (self.buffer != before.buffer).then_some(self.buffer),
        }
    }
}

impl Wanted {
    fn params(&self) -> Result<Params, Problem> {
        let fixed = match self.decide.as_str() {
            "" => None,
            "fixed" => Some(true),
            "auto" => Some(false),
            _ => return Err(Problem::wrong("robots are either \"auto\" or \"fixed\"")),
        };
        Ok(Params {
            budget: number(&self.budget, "the budget")?,
            robots: number(&self.robots, "the number of robots")?,
            fixed,
            buffer: number(&self.buffer, "the number of places")?,
        })
    }
}

fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<Option<T>, Problem> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    text.trim().parse().map(Some).map_err(|_| Problem::wrong(format!("{what} is not a number; go back and give one")))
}

/// What the settings would do.
#[derive(Serialize)]
struct Answer {
    /// As things are, or will be at the next start.
    current: Settings,
    wanted: Settings,
    staleness: Option<Staleness>,
    thresholds: Option<Thresholds>,
    /// Settings that were applied by hand.
    applied: Applied,
    /// Places of the buffer now, if an engine runs here.
    places: Option<usize>,
    /// Whether there is an engine to which it can be applied.
    running: bool,
    /// Where the present settings are known from.
    basis: Basis,
    /// The shortest time between two visits to a page, in seconds.
    least_revisit_seconds: f64,
    /// Whether robots and indexer are known.
    #[serde(skip)]
    has_model: bool,
}

/// Where the present settings are known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Basis {
    /// The engine that runs here.
    Engine,
    /// What an engine elsewhere said last.
    LastCrawl,
    /// File, environment and flags, or what holds without them: no engine has said anything.
    Configuration,
}

async fn show(
    visitor: Visitor,
    State(desk): State<Desk>,
    Extension(study): Extension<Study>,
    Asked(wanted): Asked<Wanted>,
) -> Result<Markup, Problem> {
    let answer = answer(&desk, &study, wanted.params()?).await?;
    Ok(view::whole(&visitor, &answer, &wanted.did))
}

/// What changes with the settings, for the script of the page.
async fn part(
    visitor: Visitor,
    State(desk): State<Desk>,
    Extension(study): Extension<Study>,
    Asked(wanted): Asked<Wanted>,
) -> Result<Markup, Problem> {
    Ok(view::part(&visitor, &answer(&desk, &study, wanted.params()?).await?))
}

async fn tell(
    State(desk): State<Desk>,
    Extension(study): Extension<Study>,
    Asked(params): Asked<Params>,
) -> Result<Json<Value>, Problem> {
    let answer = answer(&desk, &study, params).await?;
    serde_json::to_value(answer).map(Json).map_err(Problem::failed)
}

/// A form sends the same fields as are asked about; `did` says that all is to be as before.
async fn change(State(desk): State<Desk>, Posted(form): Posted<Wanted>) -> Result<Response, Problem> {
    let (Params { budget, robots, fixed, buffer }, forget) = (form.params()?, form.did == "forget");
    apply(&desk, Order { budget, robots, fixed, buffer, unlimited: false, forget })?;
    let did = if forget { "forgot" } else { "applied" };
    Ok(Redirect::to(&format!("/what-if?did={did}")).into_response())
}

async fn order(State(desk): State<Desk>, Sent(order): Sent<Order>) -> Result<Json<Value>, Problem> {
    let Changes { now, at_next_start } = apply(&desk, order)?;
    let now: Vec<String> = now.iter().map(ToString::to_string).collect();
    Ok(Json(json!({"now": now, "at_next_start": at_next_start})))
}

fn apply(desk: &Desk, order: Order) -> Result<Changes, Problem> {
    let Some(engine) = desk.engine() else {
        return Err(Problem::conflict(
            "no engine runs here to which this could be applied; `oriole run` serves these pages, too",
        ));
    };
    let current = Settings::of(&engine.controls.config());
    let Order { budget, robots, fixed, buffer, .. } = order;
    let mut applied = current.with(Params { budget, robots, fixed, buffer })?.applied(current);
    if order.forget {
        return Ok(engine.controls.forget()?);
    }
    if order.unlimited {
        applied.budget = Some(Budget::Unlimited);
    }
    let changes = engine.controls.apply(applied)?;
    let now: Vec<String> = changes.now.iter().map(ToString::to_string).collect();
    tracing::info!(changed = now.join("; "), at_next_start = changes.at_next_start.join(", "), "settings were applied");
    Ok(changes)
}

async fn answer(desk: &Desk, study: &Study, params: Params) -> Result<Answer, Problem> {
    let engine = desk.engine();
    let config = engine
        .map_or_else(|| Applied::read(&desk.config().data).over(desk.config()), |engine| engine.controls.config());
    let last = match engine {
        Some(_) => None,
        None => desk.read(|shelf| LastCrawl::read(&shelf.folder)).await?,
    };
    let current = last.as_ref().map_or_else(|| Settings::of(&config), Settings::of_last);
    let wanted = current.with(params)?;
    let turn = study.turn().await?;
    let known = study.known(desk).await?;
    let (has_model, least) = (known.model.is_some(), known.sample.least_revisit);
    let reserve = config.reserve;
    let computed = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let thresholds = known.model.as_ref().and_then(|model| thresholds::solve(model, &wanted, reserve));
        (budgets::compare(&known.sample, current.budget, wanted.budget), thresholds)
    });
    let (staleness, thresholds) = computed.await.map_err(Problem::failed)?;
    Ok(Answer {
        current,
        wanted,
        staleness,
        thresholds,
        applied: engine.map_or_else(Applied::default, |engine| engine.controls.applied()),
        places: engine.map(|engine| engine.controls.places()),
        running: engine.is_some(),
        basis: match (engine, last) {
            (Some(_), _) => Basis::Engine,
            (None, Some(_)) => Basis::LastCrawl,
            (None, None) => Basis::Configuration,
        },
        least_revisit_seconds: least,
        has_model,
    })
}

impl Study {
    /// Waits until it is the turn of this question. Who no longer waits is not in the way of others.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, Problem> {
        match tokio::time::timeout(PATIENCE, Arc::clone(&self.turn).acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(Problem::busy()),
        }
    }

    /// What pages and robots are like, looked at again now and then.
    async fn known(&self, desk: &Desk) -> Result<Arc<Known>, Problem> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().as_ref().filter(|known| known.at.elapsed() < FRESH) {
            return Ok(Arc::clone(known));
        }
        let sample = sample::take(desk).await?;
        let note = desk.read(|shelf| Ok(shelf.folder.catalogue.note(crate::engine::CONTROL_NOTE)?)).await?;
        let known = Arc::new(Known { at: Instant::now(), sample, model: remembered_model(note.as_deref()) });
        *lock() = Some(Arc::clone(&known));
        Ok(known)
    }
}
