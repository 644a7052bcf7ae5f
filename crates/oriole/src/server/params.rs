//! What was asked for: the query of an address, or what a form or a program sends.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Problem;
use super::access::Visitor;

/// Bytes of a form.
const MOST_FORM: usize = 256 << 10;

/// Bytes of JSON.
const MOST_JSON: usize = 4 << 20;

/// The query of an address. Let `T` deny unknown fields where programs ask.
pub struct Asked<T>(pub T);

/// What a form of one of our own pages sends: it carries what only our pages know. `T` must not deny unknown fields.
pub struct Posted<T>(pub T);

/// What a program sends as JSON. Pages of others cannot send that without being asked first whether they may.
pub struct Sent<T>(pub T);

#[derive(Deserialize)]
struct Carried {
    #[serde(default)]
    csrf: String,
}

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let read = serde_urlencoded::from_str(query);
        read.map(Self).map_err(|error| Problem::wrong(format!("the query of the address is not understood: {error}")))
    }
}

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Posted<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, &()).await?;
        let body = received(&parts, body, "application/x-www-form-urlencoded", MOST_FORM).await?;
        let wrong = |error| Problem::wrong(format!("the form is not understood: {error}"));
        let carried: Carried = serde_urlencoded::from_bytes(&body).map_err(wrong)?;
        visitor.check_form(&carried.csrf)?;
        serde_urlencoded::from_bytes(&body).map(Self).map_err(wrong)
    }
}

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let body = received(&parts, body, "application/json", MOST_JSON).await?;
        let read = serde_json::from_slice(&body);
        read.map(Self).map_err(|error| Problem::wrong(format!("what was sent is not understood: {error}")))
    }
}

/// A body of this kind, if it is not too long.
async fn received(parts: &Parts, body: Body, kind: &str, most: usize) -> Result<Bytes, Problem> {
    let given = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case(kind) {
        return Err(Problem::other_kind(format!("this takes {kind}")));
    }
    to_bytes(body, most).await.map_err(|_| Problem::too_large())
}
