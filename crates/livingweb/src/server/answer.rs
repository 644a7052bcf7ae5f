//! What a crawler is answered.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use hyper::{Method, Request, Response, StatusCode};
use rand::RngExt;
use thiserror::Error;

use super::body::{self, Body};
use super::{Faults, State};
use crate::random::{Stream, rng};
use crate::site::{self, Route};
use crate::world::{Cursor, PageNumber};
use crate::{date, etag, prose};

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";
const ATOM: &str = "application/atom+xml; charset=utf-8";

/// Longest time an answer takes.
const LONGEST: f64 = 600.0;

/// The connection is to be reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the connection is reset, as was asked for")]
pub(super) struct Reset;

/// What goes wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Error,
    Reset,
    Slow,
}

pub(super) async fn answer(state: &State, host: usize, request: Request<Incoming>) -> Result<Response<Body>, Reset> {
    state.ledger().counts(host).requests += 1;
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(with(StatusCode::METHOD_NOT_ALLOWED, TEXT, &[(ALLOW, "GET, HEAD")], "only GET and HEAD\n"));
    }
    wait(state).await;
    let uri = request.uri();
    let route = Route::find(&state.world, host, uri.path()).filter(|_| uri.query().is_none());
    let is_head = *request.method() == Method::HEAD;
    match route {
        Some(Route::Page(number)) if is_head => Ok(headers_only(state, number)),
        Some(Route::Page(number)) => page(state, number, request.headers()),
        Some(route) => Ok(beside(state, host, route)),
        None => Ok(not_found()),
    }
}

/// The time that the law of latencies says.
async fn wait(state: &State) {
    let Some(law) = &state.options.latency else { return };
    let number = state.requests.fetch_add(1, Ordering::Relaxed);
    let seconds = law.sample(&mut rng(state.world.seed(), Stream::Latency, number, 0));
    tokio::time::sleep(Duration::from_secs_f64(seconds.clamp(0.0, LONGEST))).await;
}

/// A page, or that the crawler has it already; or what goes wrong.
fn page(state: &State, number: PageNumber, headers: &HeaderMap) -> Result<Response<Body>, Reset> {
    let mut ledger = state.ledger();
    let now = ledger.advance(0.0);
    if !state.world.page(number).is_alive(now) {
        ledger.deny(number);
        return Ok(not_found());
    }
    let asked = ledger.ask(number);
    let fault = fault(state, number, asked);
    if matches!(fault, Fault::Error | Fault::Reset) {
        ledger.counts(state.world.page(number).host as usize).spoilt += 1;
        drop(ledger);
        if fault == Fault::Reset {
            return Err(Reset);
        }
        return Ok(with(StatusCode::INTERNAL_SERVER_ERROR, TEXT, &[], "an error, as was asked for\n"));
    }
    let cursor = ledger.look(number);
    let is_held = is_held(state, headers, number, &cursor);
    ledger.give(number, is_held);
    drop(ledger);
    let tags = validators(state, number, &cursor);
    let tags = tags.each_ref().map(|(name, value)| (name.clone(), value.as_str()));
    if is_held {
        return Ok(with(StatusCode::NOT_MODIFIED, HTML, &tags, ""));
    }
    let html = site::page(&state.world, &state.origins, number, cursor.version);
    let mut response = with(StatusCode::OK, HTML, &tags, "");
    *response.body_mut() = if fault == Fault::Slow { body::slow(html) } else { body::whole(html) };
    Ok(response)
}

fn fault(state: &State, number: PageNumber, asked: u64) -> Fault {
    let Faults { error, reset, slow } = state.options.faults;
    if error + reset + slow == 0.0 {
        return Fault::None;
    }
    let drawn = rng(state.world.seed(), Stream::Faults, u64::from(number.0), asked).random::<f64>();
    match drawn {
        drawn if drawn < error => Fault::Error,
        drawn if drawn < error + reset => Fault::Reset,
        drawn if drawn < error + reset + slow => Fault::Slow,
        _ => Fault::None,
    }
}

/// Whether the crawler has the page as it is. `If-None-Match` goes before `If-Modified-Since`, which cannot tell two
/// versions of one second apart: then it has to be given the page.
fn is_held(state: &State, headers: &HeaderMap, number: PageNumber, cursor: &Cursor) -> bool {
    let header = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(tags) = header(IF_NONE_MATCH) {
        return etag::matches(tags, &state.run.etag(number, cursor.version));
    }
    let Some(since) = header(IF_MODIFIED_SINCE).and_then(date::parse_http) else { return false };
    let changed = state.clock.unix(cursor.last);
    changed <= since && (cursor.version == 0 || state.clock.unix(cursor.before_last) < changed)
}

fn validators(state: &State, number: PageNumber, cursor: &Cursor) -> [(HeaderName, String); 2] {
    let changed = date::http(state.clock.unix(cursor.last));
    [(ETAG, state.run.etag(number, cursor.version)), (LAST_MODIFIED, changed)]
}

fn headers_only(state: &State, number: PageNumber) -> Response<Body> {
    let mut ledger = state.ledger();
    let now = ledger.advance(0.0);
    if !state.world.page(number).is_alive(now) {
        return not_found();
    }
    let cursor = ledger.look(number);
    drop(ledger);
    let tags = validators(state, number, &cursor);
    with(StatusCode::OK, HTML, &tags.each_ref().map(|(name, value)| (name.clone(), value.as_str())), "")
}

/// Everything but pages.
fn beside(state: &State, host: usize, route: Route) -> Response<Body> {
    let (world, origin) = (&state.world, &state.origins[host]);
    let ok = |kind, text: String| with(StatusCode::OK, kind, &[], text);
    match route {
        Route::Home => ok(HTML, site::home(world, host)),
        Route::List(list) => ok(HTML, site::list(world, host, list, state.clock.now())),
        Route::RobotsTxt => {
            let delay = (host < state.options.slow_hosts).then_some(state.options.crawl_delay);
            ok(TEXT, site::robots_txt(origin, delay))
        }
        Route::Sitemap | Route::SitemapPart(_) => {
            let part = if let Route::SitemapPart(part) = route { Some(part) } else { None };
            let now = state.clock.epoch() + state.clock.now();
            let map = site::sitemap(world, origin, &lives(state, host), part, state.options.lastmod, now);
            map.map_or_else(not_found, |map| ok(XML, map))
        }
        Route::Feed if !state.options.feeds => not_found(),
        Route::Feed => {
            let (title, _) = prose::about_site(world.seed(), host as u64);
            ok(ATOM, site::atom(world, origin, &title, lives(state, host)))
        }
        Route::Page(_) => not_found(),
    }
}

/// Pages of a host, each with the moment of its last change in seconds since 1970.
fn lives(state: &State, host: usize) -> Vec<(PageNumber, f64)> {
    let lives = state.ledger().lives(host);
    lives.into_iter().map(|(number, last)| (number, state.clock.epoch() + last)).collect()
}

fn not_found() -> Response<Body> {
    with(StatusCode::NOT_FOUND, HTML, &[], "<!DOCTYPE html><title>Not found</title><p>There is no such page.</p>\n")
}

pub(super) fn with(
    status: StatusCode,
    kind: &'static str,
    headers: &[(HeaderName, &str)],
    text: impl Into<hyper::body::Bytes>,
) -> Response<Body> {
    let mut response = Response::new(body::whole(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    for (name, value) in headers {
        if let Ok(value) = hyper::header::HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
