//! Logging in and out.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{ORIGIN, SET_COOKIE};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::access::{SESSION, Visitor};
use super::layout::{Frame, Tab, csrf, page};
use super::{Asked, Desk, Posted, Problem};

/// Where to go afterwards.
#[derive(Deserialize)]
pub(super) struct Next {
    #[serde(default)]
    next: String,
}

/// What the form sends.
#[derive(Deserialize)]
pub(super) struct Entry {
    token: String,
    #[serde(default)]
    next: String,
}

/// The form.
pub(super) async fn form(State(desk): State<Desk>, visitor: Visitor, Asked(next): Asked<Next>) -> Response {
    if visitor.is_owner || !desk.gate().is_locked() {
        return Redirect::to(local(&next.next)).into_response();
    }
    shown(&visitor, &next.next, None).into_response()
}

/// Someone gives a token.
pub(super) async fn enter(
    State(desk): State<Desk>,
    visitor: Visitor,
    headers: HeaderMap,
    Posted(entry): Posted<Entry>,
) -> Result<Response, Problem> {
    let session = match desk.gate().log_in(&entry.token, &visitor) {
        Ok(session) => session,
        Err(problem) if problem.retry_after.is_none() && problem.detail.is_none() => {
            return Ok((problem.status, shown(&visitor, &entry.next, Some(&problem.message))).into_response());
        }
        Err(problem) => return Err(problem),
    };
    let is_https = headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
    let (secure, seconds) = (if is_https { "; Secure" } else { "" }, SESSION.as_secs());
    let cookie =
        format!("{}={session}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}", desk.gate().cookie());
    Ok(([(SET_COOKIE, cookie)], Redirect::to(local(&entry.next))).into_response())
}

/// What a form without fields sends.
#[derive(Deserialize)]
pub(super) struct Nothing {}

/// Ends the session.
pub(super) async fn leave(State(desk): State<Desk>, visitor: Visitor, Posted(_): Posted<Nothing>) -> Response {
    desk.gate().log_out(&visitor);
    let cookie = format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", desk.gate().cookie());
    ([(SET_COOKIE, cookie)], Redirect::to("/")).into_response()
}

/// Only addresses of this server.
fn local(next: &str) -> &str {
    let is_local = next.starts_with('/')
        && !next.starts_with("//")
        && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_local { next } else { "/" }
}

fn shown(visitor: &Visitor, next: &str, problem: Option<&str>) -> Markup {
    let frame = Frame { visitor, tab: Tab::Other, title: "Log in", scripts: &[] };
    let contents = html! {
        h1 { "Log in" }
        @if let Some(problem) = problem { p .problem role="alert" { "No: " (problem) "." } }
        form .stack method="post" action="/login" {
            (csrf(visitor))
            input type="hidden" name="next" value=(local(next));
            label for="token" { "Token" }
            input #token type="password" name="token" required autocomplete="current-password" autofocus;
            button { "Log in" }
        }
    };
    page(&frame, contents)
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn nobody_is_sent_elsewhere() {
        assert_eq!((local("/changes?site=a"), local("/")), ("/changes?site=a", "/"));
        for elsewhere in
            ["", "//evil.example", "/\\evil.example", "https://evil.example/", "/a\r\nb", "javascript:1", "/ü"]
        {
            assert_eq!(local(elsewhere), "/", "{elsewhere:?}");
        }
    }
}
