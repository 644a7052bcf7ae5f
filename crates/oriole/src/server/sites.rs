//! Which sites are crawled: adding, pausing, removing them, and what they may take.

mod list;
#[cfg(test)]
mod tests;
mod view;

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::http::header::REFRESH;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use crawl::address::PageUrl;
use crawl::fleet::{SITES_NOTE, SiteRules};
use crawl::scope::Weights;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Catalogue, Wish};

use super::api::{MOST, checked, value, within};
use super::params::maybe_whole;
use super::{Asked, Desk, Posted, Problem, Sent, Shelf, Visitor};
use crate::commands::reading;
use crate::config::page_url;

pub(super) use list::find;

/// Characters of an address or a pattern.
const LONGEST_SITE: usize = 2_000;

/// The longest delay, in seconds, and the largest weight.
const LONGEST_DELAY: f64 = 86_400.0;
const LARGEST_WEIGHT: f64 = 1e6;

/// The page of sites, and the same for programs.
pub(super) fn routes() -> Router<Desk> {
    Router::new().route("/sites", get(show).post(change)).route("/api/v1/sites", get(list_all).post(order))
}

/// What is asked of the page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    /// Sites with this in their names.
    q: String,
    /// After so many.
    offset: usize,
    /// What has just been wanted of which site.
    did: String,
    site: String,
    /// How often it was looked whether it is done.
    looks: u32,
}

/// Seconds until it is looked again whether a command was carried out, and how often that is done.
const LOOK_AGAIN: u32 = 2;
const MOST_LOOKS: u32 = 15;

async fn show(visitor: Visitor, State(desk): State<Desk>, Asked(wanted): Asked<Wanted>) -> Result<Response, Problem> {
    let found = find(&desk, &wanted.q, wanted.offset, list::PER_PAGE).await?;
    let mut answer = view::page(&visitor, &wanted, &found).into_response();
    let is_awaited = !wanted.did.is_empty() && found.running && found.waiting > 0 && wanted.looks < MOST_LOOKS;
    if is_awaited && let Ok(again) = HeaderValue::try_from(format!("{LOOK_AGAIN}; url={}", again(&wanted)?)) {
        answer.headers_mut().insert(REFRESH, again);
    }
    Ok(answer)
}

/// The same page, later.
fn again(wanted: &Wanted) -> Result<String, Problem> {
    let looks = wanted.looks.saturating_add(1).to_string();
    let query = [("did", wanted.did.as_str()), ("site", &wanted.site), ("looks", &looks)];
    Ok(format!("/sites?{}", serde_urlencoded::to_string(query).map_err(Problem::failed)?))
}

/// What programs ask.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(default)]
    q: String,
    offset: Option<u32>,
    limit: Option<u32>,
}

async fn list_all(State(desk): State<Desk>, Asked(asked): Asked<Params>) -> Result<Json<Value>, Problem> {
    checked("q", &asked.q, 200)?;
    let offset = within("offset", asked.offset, 0, 0..=1_000_000_000)? as usize;
    let limit = within("limit", asked.limit, list::PER_PAGE as u32, 1..=MOST)? as usize;
    value(find(&desk, &asked.q, offset, limit).await?).map(Json)
}

/// What is wanted of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Add,
    Pause,
    Resume,
    Remove,
    Limit,
    Weigh,
}

/// What a form sends. Fields that are empty say nothing.
#[derive(Debug, Deserialize)]
struct Form {
    action: Action,
    #[serde(default)]
    site: String,
    #[serde(default)]
    delay: String,
    #[serde(default)]
    most_pages: String,
    #[serde(default)]
    weight: String,
}

/// What a program sends. Of a limit or weight that is null the general one holds.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
enum Order {
    Add {
        site: String,
    },
    Pause {
        site: String,
    },
    Resume {
        site: String,
    },
    Remove {
        site: String,
    },
    Limit {
        site: String,
        delay: Option<f64>,
        #[serde(default, deserialize_with = "maybe_whole")]
        most_pages: Option<u32>,
    },
    Weigh {
        site: String,
        weight: Option<f64>,
    },
}

impl Form {
    fn order(self) -> Result<Order, Problem> {
        let site = self.site;
        Ok(match self.action {
            Action::Add => Order::Add { site },
            Action::Pause => Order::Pause { site },
            Action::Resume => Order::Resume { site },
            Action::Remove => Order::Remove { site },
            Action::Limit => {
                let most_pages = number(&self.most_pages, "the number of pages")?.map(|pages: f64| pages as u32);
                Order::Limit { site, delay: number(&self.delay, "the delay")?, most_pages }
            }
            Action::Weigh => Order::Weigh { site, weight: number(&self.weight, "the weight")? },
        })
    }
}

fn number(text: &str, what: &str) -> Result<Option<f64>, Problem> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let number: Option<f64> = text.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number
        .map(Some)
        .ok_or_else(|| Problem::wrong(format!("{what} is not a number of at least 0; go back and give one")))
}

async fn change(State(desk): State<Desk>, Posted(form): Posted<Form>) -> Result<Response, Problem> {
    let (action, site) = (form.action, form.site.clone());
    leave(&desk, form.order()?).await?;
    let query = serde_urlencoded::to_string([("did", view::name(action)), ("site", &site)]).map_err(Problem::failed)?;
    Ok(Redirect::to(&format!("/sites?{query}")).into_response())
}

async fn order(State(desk): State<Desk>, Sent(order): Sent<Order>) -> Result<(StatusCode, Json<Value>), Problem> {
    leave(&desk, order).await?;
    let when = if desk.engine().is_some() { "now" } else { "when the engine runs" };
    Ok((StatusCode::ACCEPTED, Json(json!({"accepted": true, "when": when}))))
}

/// Leaves commands for the engine, wherever it runs.
async fn leave(desk: &Desk, order: Order) -> Result<(), Problem> {
    let (target, wishes) = order.wishes()?;
    // The engine may know of a site that the catalogue does not know of yet.
    let is_shown = match &target {
        Target::Site(url) => {
            let found = find(desk, url.origin(), 0, MOST as usize).await?;
            found.sites.iter().any(|site| site.line.host == url.origin())
        }
        Target::New(_) | Target::Pattern(_) => true,
    };
    desk.read(move |shelf| {
        if let (Target::Site(url), false) = (&target, is_shown) {
            is_known(shelf, url)?;
        }
        let text = target.text();
        for wish in wishes {
            let left = shelf.folder.catalogue.post(reading::now(), wish, &[text]);
            left.map_err(|error| Problem::conflict(format!("the command cannot be left for the engine: {error}")))?;
        }
        Ok(())
    })
    .await
}

/// What a command is about.
enum Target {
    /// A page with which a site begins.
    New(PageUrl),
    /// A site that must be known.
    Site(PageUrl),
    /// Pages whose addresses match.
    Pattern(String),
}

impl Target {
    fn text(&self) -> &str {
        match self {
            Self::New(url) | Self::Site(url) => url.as_str(),
            Self::Pattern(pattern) => pattern,
        }
    }
}

impl Order {
    fn wishes(self) -> Result<(Target, Vec<Wish>), Problem> {
        let (site, wishes) = match self {
            Self::Add { site } => return Ok((Target::New(address(&site)?), vec![Wish::AddSite])),
            Self::Weigh { site, weight } => return weighing(site, weight),
            Self::Pause { site } => (site, vec![Wish::Pause]),
            Self::Resume { site } => (site, vec![Wish::Resume]),
            Self::Remove { site } => (site, vec![Wish::RemoveSite]),
            Self::Limit { site, delay, most_pages } => {
                if delay.is_some_and(|delay| !(0.0..=LONGEST_DELAY).contains(&delay)) {
                    return Err(Problem::wrong("the delay is not from 0 to 86400 seconds"));
                }
                (site, vec![Wish::Delay(delay), Wish::MostPages(most_pages)])
            }
        };
        Ok((Target::Site(address(&site)?), wishes))
    }
}

fn address(site: &str) -> Result<PageUrl, Problem> {
    checked("site", site, LONGEST_SITE)?;
    page_url(site).map_err(|error| Problem::unfit(format!("that is not the address of a site: {error}")))
}

/// A pattern; a site stands for all of its pages.
fn weighing(pattern: String, weight: Option<f64>) -> Result<(Target, Vec<Wish>), Problem> {
    checked("site", &pattern, LONGEST_SITE)?;
    if weight.is_some_and(|weight| !(0.0..=LARGEST_WEIGHT).contains(&weight)) {
        return Err(Problem::wrong("the weight is not from 0 to 1000000"));
    }
    let weight = weight.map(|weight| weight as f32);
    let row = (pattern, weight.unwrap_or(1.0));
    let read = Weights::new(std::slice::from_ref(&row));
    read.map_err(|error| Problem::unfit(format!("the pattern cannot be understood: {error}")))?;
    Ok((Target::Pattern(row.0), vec![Wish::Weight(weight)]))
}

/// Fails if nothing is known of the site.
fn is_known(shelf: &Shelf, url: &PageUrl) -> Result<(), Problem> {
    let (catalogue, name) = (&shelf.folder.catalogue, url.origin());
    let is_host = catalogue.hosts()?.iter().any(|host| host.name == name);
    if is_host || SiteRules::read(catalogue.note(SITES_NOTE)?.as_deref()).sites.contains_key(name) {
        return Ok(());
    }
    Err(Problem::unknown(format!("the site {name} is not known; add it first")))
}
