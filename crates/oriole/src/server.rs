//! The server: pages for people, and the same for programs.
//!
//! | question | module |
//! |---|---|
//! | who is connected, and for how long? | `accept` |
//! | who may see what? | `access` |
//! | what happens around every request? | `front` |
//! | what is read, and without holding up anybody? | `desk` |
//! | what do pages look like? | `layout`, `assets` |
//! | what if something goes wrong? | `problem` |
//!
//! A page is a handler that takes [`Visitor`], [`Desk`] as state and what was asked for ([`Asked`], [`Posted`]), and returns markup
//! in the frame of `layout::page`, or a [`Problem`]. Every address that `access` does not name is for the owner alone.

mod accept;
mod access;
mod api;
mod assets;
mod changes;
mod chart;
mod copy;
mod dashboard;
mod desk;
mod difference;
mod front;
mod health;
mod history;
mod indexnow;
mod last_crawl;
mod layout;
mod login;
mod params;
mod problem;
mod search;
mod sites;
mod versions;
mod webhooks;
mod websub;
mod what_if;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::routing::get;

pub(crate) use accept::serve_aside;
pub use accept::{open, reachable, serve};
pub use access::Visitor;
pub use desk::{Desk, Engine, Shelf};
pub use layout::{Alternates, Frame, Tab, page, page_with};
pub use params::{Asked, Posted, Sent};
pub use problem::Problem;
pub use websub::subscribe;

/// Everything that is served.
pub fn router(desk: Desk) -> Router {
    let pages = Router::new()
        .route("/", get(search::results))
        .route("/suggest", get(search::suggest))
        .route("/opensearch.xml", get(search::description))
        .route("/go", get(search::go))
        .route("/cached", get(copy::cached))
        .route("/diff", get(difference::show))
        .route("/page", get(history::show))
        .route("/changes", get(changes::show))
        .route("/changes.rss", get(changes::rss))
        .route("/changes.atom", get(changes::atom))
        .route("/changes.json", get(changes::json))
        .route("/indexnow", get(indexnow::one).post(indexnow::many))
        .route("/websub/{id}", get(websub::verify).post(websub::deliver))
        .route("/assets/{hash}/{name}", get(assets::serve))
        .route("/favicon.ico", get(assets::icon))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/login", get(login::form).post(login::enter))
        .route("/logout", axum::routing::post(login::leave));
    pages
        .merge(api::routes())
        .merge(dashboard::routes())
        .merge(sites::routes())
        .merge(what_if::routes())
        .merge(webhooks::routes())
        .fallback(front::unknown)
        .method_not_allowed_fallback(front::other_method)
        .layer(axum::middleware::from_fn_with_state(desk.clone(), front::attend))
        .with_state(desk)
}
