//! What happens around every request: who asks is found out before, what goes wrong is put into words after.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, LOCATION, REFERRER_POLICY,
    RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use maud::html;

use super::access::{Peer, Visitor, has_own_key};
use super::layout::{Frame, Tab, page};
use super::{Desk, Problem};

/// The longest time for an answer to begin.
const LONGEST: Duration = Duration::from_secs(30);

/// Nothing from elsewhere, nothing inside of pages, and no page of ours inside of others'.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// For what strangers wrote: no scripts, forms or frames, whatever may have got through.
const SANDBOX: &str = "; sandbox allow-same-origin allow-top-navigation-by-user-activation allow-popups";

/// Marks an answer that shows what strangers wrote.
#[derive(Clone, Copy)]
pub(super) struct Foreign;

/// In which form problems are told.
struct Manner {
    json: bool,
    /// Whether someone at a browser wants to see a page, and so can log in.
    can_log_in: bool,
    /// How tokens may be sent. A browser that is told of `Basic` asks its user, so its scripts are not.
    challenge: &'static str,
    target: String,
}

impl Manner {
    fn of(parts: &Parts) -> Self {
        let path = parts.uri.path();
        let json = path.starts_with("/api/") || path == "/suggest" || path == "/readyz" || has_own_key(path);
        let header = |name: HeaderName| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let is_page = !json && !is_for_programs(path) && header(ACCEPT).is_none_or(|kinds| kinds.contains("text/html"));
        let is_script = header(HeaderName::from_static("sec-fetch-mode")).is_some_and(|mode| mode != "navigate");
        Self {
            json,
            can_log_in: is_page && parts.method == Method::GET,
            challenge: if is_script { "Bearer" } else { "Bearer, Basic realm=\"oriole\", charset=\"UTF-8\"" },
            target: parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned(),
        }
    }
}

/// Figures and feeds. Programs that follow a redirect to a form would take it for them.
fn is_for_programs(path: &str) -> bool {
    path == "/metrics" || path.starts_with("/changes.")
}

/// Attends to a request.
pub(super) async fn attend(State(desk): State<Desk>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let peer = parts.extensions.get::<Peer>().copied();
    let visitor = desk.gate().identify(&parts, peer);
    let manner = Manner::of(&parts);
    let answer = match desk.gate().check(&parts, &visitor) {
        Err(problem) => problem.into_response(),
        Ok(()) => {
            parts.extensions.insert(visitor.clone());
            let answer = tokio::time::timeout(LONGEST, next.run(Request::from_parts(parts, body))).await;
            answer.unwrap_or_else(|_| Problem::busy().into_response())
        }
    };
    guarded(in_words(answer, &manner, &visitor))
}

/// The address of this server as whoever asks sees it. Its name is one of ours.
pub(super) fn root(headers: &HeaderMap) -> String {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_https = text(HeaderName::from_static("x-forwarded-proto")) == "https";
    format!("{}://{}", if is_https { "https" } else { "http" }, text(HOST))
}

/// There is nothing at that address.
pub(super) async fn unknown() -> Problem {
    Problem::unknown("there is no such page")
}

/// What is there does not take such requests.
pub(super) async fn other_method() -> Problem {
    Problem::other_method()
}

/// A problem as a page or as an object of JSON; all else as it is.
fn in_words(mut answer: Response, manner: &Manner, visitor: &Visitor) -> Response {
    let Some(problem) = answer.extensions_mut().remove::<Problem>() else { return answer };
    let is_unknown = problem.status == StatusCode::UNAUTHORIZED;
    let (mut head, _) = answer.into_parts();
    if let Some(seconds) = problem.retry_after {
        head.headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if is_unknown && !manner.can_log_in {
        head.headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(manner.challenge));
    }
    if manner.json {
        head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        return Response::from_parts(head, problem.json(visitor.is_owner).to_string().into());
    }
    if is_unknown
        && manner.can_log_in
        && let Ok(next) = serde_urlencoded::to_string([("next", &manner.target)])
        && let Ok(place) = HeaderValue::try_from(format!("/login?{next}"))
    {
        head.status = StatusCode::SEE_OTHER;
        head.headers.insert(LOCATION, place);
        return Response::from_parts(head, "".into());
    }
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    Response::from_parts(head, problem_page(&problem, visitor).into())
}

fn problem_page(problem: &Problem, visitor: &Visitor) -> String {
    let title = problem.status.canonical_reason().unwrap_or("Problem");
    let frame = Frame { visitor, tab: Tab::Other, title, scripts: &[] };
    let body = html! {
        h1 { (title) }
        p { (capitalised(&problem.message)) "." }
        @if let Some(detail) = problem.detail.as_ref().filter(|_| visitor.is_owner) { p { code { (detail) } } }
        p { a href="/" { "Search" } }
    };
    page(&frame, body).into_string()
}

/// A sentence begins with a large letter.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Headers that keep browsers from doing more with an answer than showing it.
fn guarded(mut answer: Response) -> Response {
    let foreign = answer.extensions().get::<Foreign>().is_some();
    let policy = if foreign { format!("{POLICY}{SANDBOX}") } else { POLICY.to_owned() };
    let headers = answer.headers_mut();
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    let fixed = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Others learn nothing; without any referrer browsers would not say that our own forms are ours either.
        (REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}
