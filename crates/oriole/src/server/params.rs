//! What was asked for: the query of an address, or what a form or a program sends.

use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Problem;
use super::access::Visitor;

/// Bytes of a form.
const MOST_FORM: usize = 256 << 10;

/// The query of an address. Let `T` deny unknown fields where programs ask.
pub struct Asked<T>(pub T);

/// What a form of one of our own pages sends: it carries what only our pages know. `T` must not deny unknown fields.
pub struct Posted<T>(pub T);

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
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("application/x-www-form-urlencoded") {
            return Err(Problem::other_kind("this takes what forms send: application/x-www-form-urlencoded"));
        }
        let body = to_bytes(body, MOST_FORM).await.map_err(|_| Problem::too_large())?;
        let wrong = |error| Problem::wrong(format!("the form is not understood: {error}"));
        let carried: Carried = serde_urlencoded::from_bytes(&body).map_err(wrong)?;
        visitor.check_form(&carried.csrf)?;
        serde_urlencoded::from_bytes(&body).map(Self).map_err(wrong)
    }
}
