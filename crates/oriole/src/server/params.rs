//! What was asked for: the query of an address, or what a form or a program sends.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use http_body_util::LengthLimitError;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use super::Problem;
use super::access::Visitor;

/// Bytes of a form.
const MOST_FORM: usize = 256 << 10;

/// Bytes of JSON.
const MOST_JSON: usize = 4 << 20;

/// Time to send all of it: less than there is for an answer.
const BODY_TIME: Duration = Duration::from_secs(20);

/// Up to here every whole number is its own.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The query of an address. Let `T` deny unknown fields where programs ask.
pub struct Asked<T>(pub T);

/// What a form of one of our own pages sends: it carries what only our pages know. `T` must not deny unknown fields.
pub struct Posted<T>(pub T);

/// What a program sends as JSON. Pages of others cannot send that without being asked first whether they may.
pub struct Sent<T>(pub T);

/// That nothing is asked in particular.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParams {}

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
        read.map(Self).map_err(|error| {
            Problem::wrong(format!("the query of the address is not understood: {}", in_words(&error)))
        })
    }
}

/// What is wrong, without words of the machine.
fn in_words(error: &serde::de::value::Error) -> String {
    match error.to_string() {
        words if words.starts_with("invalid digit") || words.starts_with("cannot parse integer") => {
            "what should be a whole number is none".to_owned()
        }
        words if words.starts_with("number too large") => "a number is too large".to_owned(),
        words if words.contains("float") => "what should be a number is none".to_owned(),
        words => words,
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
        // The fields of an object are also read from an array without their names; nobody means that.
        if !body.trim_ascii_start().starts_with(b"{") {
            return Err(Problem::wrong("what was sent is not an object of JSON"));
        }
        let read = serde_json::from_slice(&body);
        read.map(Self).map_err(|error| Problem::wrong(format!("what was sent is not understood: {error}")))
    }
}

/// A whole number, or null. In JSON 5.0 is one, too.
pub(super) fn maybe_whole<'de, T: TryFrom<u64>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(from)? else { return Ok(None) };
    let is_whole = |number: &f64| number.fract() == 0.0 && (0.0..=MOST_WHOLE).contains(number);
    let whole = number.as_u64().or_else(|| number.as_f64().filter(is_whole).map(|number| number as u64));
    let fits = whole.and_then(|whole| T::try_from(whole).ok());
    fits.map(Some).ok_or_else(|| D::Error::custom(format_args!("{number} is not a whole number that can be used here")))
}

/// A body of this kind, if it is not too long.
async fn received(parts: &Parts, body: Body, kind: &str, most: usize) -> Result<Bytes, Problem> {
    let given = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case(kind) {
        return Err(Problem::other_kind(format!("this takes {kind}")));
    }
    whole(body, most).await
}

/// A whole body, if it is not too long and comes soon enough.
///
/// # Errors
/// If not, or if the connection breaks.
pub(super) async fn whole(body: Body, most: usize) -> Result<Bytes, Problem> {
    let Ok(read) = tokio::time::timeout(BODY_TIME, to_bytes(body, most)).await else { return Err(Problem::slow()) };
    read.map_err(|error| {
        let is_long = std::error::Error::source(&error).is_some_and(|source| source.is::<LengthLimitError>());
        if is_long { Problem::too_large() } else { Problem::wrong("what was sent is not whole") }
    })
}
