//! What whoever runs the living web is told, on a port of its own.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::IpAddr;

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{HOST, ORIGIN};
use hyper::http::uri::Authority;
use hyper::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::answer::with;
use super::body::Body;
use super::{State, configuration};
use crate::world::PageNumber;

const JSON: &str = "application/json";
const LINES: &str = "application/jsonl";
const TEXT: &str = "text/plain; charset=utf-8";

/// Most bytes of what is said to be held.
const MOST_SAID: usize = 64 << 20;

/// One line of what a crawler says it holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    url: String,
    /// None, or null, for a page of which there is no copy.
    version: Option<u64>,
}

pub(super) async fn answer(state: &State, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    if let Err(problem) = check(&request) {
        return Ok(wrong(StatusCode::FORBIDDEN, problem));
    }
    let path = request.uri().path().to_owned();
    let response = match (request.method().clone(), path.as_str()) {
        (Method::GET, "/living/truth") => said(serde_json::to_string(&state.truth())),
        (Method::GET, "/living/pages") => with(StatusCode::OK, LINES, &[], pages(state)),
        (Method::GET, "/living/oriole.toml") => with(StatusCode::OK, TEXT, &[], configuration::oriole_toml(state)),
        (Method::POST, "/living/reset") => {
            state.ledger().reset();
            said(Ok(json!({ "reset": state.clock.now() }).to_string()))
        }
        (Method::POST, "/living/hold") => hold(state, request.into_body()).await,
        (_, "/living/truth" | "/living/pages" | "/living/oriole.toml" | "/living/reset" | "/living/hold") => {
            wrong(StatusCode::METHOD_NOT_ALLOWED, "use GET to read, and POST for reset and hold")
        }
        _ => wrong(
            StatusCode::NOT_FOUND,
            "there are GET /living/truth, /living/pages and /living/oriole.toml, and POST /living/reset and /living/hold",
        ),
    };
    Ok(response)
}

/// Whether this is asked under a name of this machine, and by no page of others: a browser would do that for anybody.
fn check(request: &Request<Incoming>) -> Result<(), &'static str> {
    let header = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    let host = header(HOST).unwrap_or_default();
    let name = host.parse::<Authority>().map(|host| host.host().trim_matches(['[', ']']).to_ascii_lowercase());
    let is_ours =
        |name: &String| name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if !name.as_ref().is_ok_and(is_ours) {
        return Err("ask for localhost or 127.0.0.1");
    }
    match header(ORIGIN) {
        Some(origin) if origin.strip_prefix("http://") != Some(host) => Err("a page of another site asks for this"),
        _ => Ok(()),
    }
}

fn said(text: serde_json::Result<String>) -> Response<Body> {
    match text {
        Ok(text) => with(StatusCode::OK, JSON, &[], text + "\n"),
        Err(error) => wrong(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

fn wrong(status: StatusCode, problem: &str) -> Response<Body> {
    with(status, JSON, &[], json!({ "error": problem }).to_string() + "\n")
}

fn pages(state: &State) -> String {
    let pages = state.ledger().pages(&state.origins);
    let mut text = String::with_capacity(200 * pages.len());
    for page in pages {
        // What cannot be written as JSON is not there: numbers are finite, names are ours.
        _ = writeln!(text, "{}", serde_json::to_string(&page).unwrap_or_default());
    }
    text
}

async fn hold(state: &State, body: Incoming) -> Response<Body> {
    let Ok(body) = Limited::new(body, MOST_SAID).collect().await else {
        return wrong(StatusCode::PAYLOAD_TOO_LARGE, "the body did not arrive, or has over 64 MiB; send it in parts");
    };
    let copies = match copies(state, &body.to_bytes()) {
        Ok(copies) => copies,
        Err(problem) => return wrong(StatusCode::BAD_REQUEST, &problem),
    };
    let mut ledger = state.ledger();
    let held = copies.iter().filter(|(number, version)| ledger.hold(*number, *version)).count();
    drop(ledger);
    if held < copies.len() {
        let problem =
            format!("{} of {} versions are not there yet; the others were taken", copies.len() - held, copies.len());
        return wrong(StatusCode::BAD_REQUEST, &problem);
    }
    said(Ok(json!({ "held": held }).to_string()))
}

/// Reads all lines, or says which is the first that is wrong.
fn copies(state: &State, body: &[u8]) -> Result<Vec<(PageNumber, Option<u64>)>, String> {
    let lines = body.split(|byte| *byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let read = |(position, line): (usize, &[u8])| {
        let wrong = |problem: String| format!("line {}: {problem}", position + 1);
        let said: Said = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        let number = state.find(&said.url).ok_or_else(|| wrong("there is no page of this address".to_owned()))?;
        Ok((number, said.version))
    };
    lines.map(read).collect()
}
