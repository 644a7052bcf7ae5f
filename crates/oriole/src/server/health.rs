//! Whether the server is alive and ready, and figures for Prometheus.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use store::Catalogue;

use super::{Desk, Problem};
use crate::engine::metrics;

/// The server answers.
pub(super) async fn alive() -> &'static str {
    "alive\n"
}

/// Catalogue and index can be read.
pub(super) async fn ready(State(desk): State<Desk>) -> (StatusCode, Json<Value>) {
    let looked = desk.read(|shelf| {
        let catalogue = shelf.folder.catalogue.status().is_ok();
        Ok((catalogue, shelf.searcher().is_ok()))
    });
    let (catalogue, index) = looked.await.unwrap_or((false, false));
    let status = if catalogue && index { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({"ready": catalogue && index, "catalogue": catalogue, "index": index})))
}

/// Figures: of the engine if it runs here, else what the catalogue says.
pub(super) async fn metrics(State(desk): State<Desk>) -> Result<Response, Problem> {
    let text = match desk.engine() {
        Some(engine) => metrics::exposition(&engine.board.status()),
        None => desk.read(|shelf| Ok(metrics::of_catalogue(&shelf.folder.catalogue.counts()?))).await?,
    };
    Ok(([(CONTENT_TYPE, metrics::FORMAT)], text).into_response())
}
