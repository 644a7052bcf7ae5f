//! What is visited next, and why.

use axum::Json;
use axum::extract::State;
use crawl::fleet::{Message, Upcoming};
use crawl::frontier::Why;
use serde::Serialize;
use serde_json::{Value, json};
use store::{Catalogue, Timestamp};
use tokio::sync::oneshot;

use crate::commands::reading;
use crate::output::age;
use crate::output::number::short;
use crate::server::params::NoParams;
use crate::server::{Asked, Desk, Problem};
use crate::units::SECONDS_PER_DAY;

/// Pages that are listed.
const LISTED: usize = 10;

/// A page that is visited soon.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    /// Its number.
    pub(super) page: u32,
    pub(super) url: String,
    /// When it is visited as far as its worth decides; null if at any moment.
    pub(super) due: Option<String>,
    /// Why, in words.
    pub(super) why: String,
    /// What a visit is worth now.
    pub(super) index: f64,
    /// What it must be worth to be made now.
    pub(super) level: Option<f64>,
    pub(super) weight: f64,
    pub(super) changes_per_day: f64,
}

/// The pages whose visits are worth most now; none without an engine here.
pub(super) async fn soonest(desk: &Desk) -> Result<Vec<Line>, Problem> {
    let Some(engine) = desk.engine() else { return Ok(Vec::new()) };
    let (answer, told) = oneshot::channel();
    _ = engine.fleet.send(Message::Next(LISTED, answer));
    // An engine that has ended tells nothing.
    let upcoming = told.await.unwrap_or_default();
    desk.read(move |shelf| {
        let now = reading::now();
        let numbers: Vec<_> = upcoming.iter().map(|upcoming| upcoming.page).collect();
        let pages = shelf.folder.catalogue.pages(&numbers)?;
        let of =
            |page: store::Page| upcoming.iter().find(|next| next.page == page.id).map(|next| line(next, page.url, now));
        Ok(pages.into_iter().filter_map(of).collect())
    })
    .await
}

fn line(next: &Upcoming, url: String, now: Timestamp) -> Line {
    let outlook = &next.outlook;
    let due = outlook.due.filter(|due| *due > now.seconds()).map(Timestamp::from_seconds);
    Line {
        page: next.page.0,
        url,
        due: due.map(|due| due.to_string()),
        why: why(next),
        index: outlook.index,
        level: outlook.level,
        weight: outlook.weight,
        changes_per_day: outlook.rate.mean() * SECONDS_PER_DAY,
    }
}

/// Why the page is visited then.
fn why(next: &Upcoming) -> String {
    let outlook = &next.outlook;
    let interval = age::length(1.0 / outlook.rate.mean().max(f64::MIN_POSITIVE));
    let rate = format!("it changes about every {interval}");
    match (outlook.why, outlook.level) {
        (Some(Why::Overdue), _) => format!("{rate}, and it has not been visited for the longest time allowed"),
        (Some(Why::Reserve), _) => format!("{rate}, which is too often for its weight; it is looked at to be sure"),
        (_, Some(level)) if level > 0.0 => {
            let ratio = short((100.0 * outlook.index / level).round() / 100.0);
            format!(
                "{rate} and weighs {}; a visit is worth {ratio} times as much as those made last",
                short(f64::from(outlook.weight as f32))
            )
        }
        _ => format!("{rate}; nothing was worth more"),
    }
}

pub(super) async fn list(
    State(desk): State<Desk>,
    Asked(NoParams {}): Asked<NoParams>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(json!({"next": soonest(&desk).await?})))
}
