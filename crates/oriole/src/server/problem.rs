//! What went wrong, in words.

use std::fmt::Display;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Why a request is not answered as wanted. It becomes a page or an object of JSON in `front`.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// HTTP status.
    pub status: StatusCode,
    /// A word for programs.
    pub code: &'static str,
    /// A sentence for people, and what to do.
    pub message: String,
    /// What only the owner is told.
    pub detail: Option<String>,
    /// Seconds after which it may be tried again.
    pub retry_after: Option<u64>,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, message: impl Display) -> Self {
        Self { status, code, message: message.to_string(), detail: None, retry_after: None }
    }

    /// What was asked makes no sense.
    pub fn wrong(message: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// There is no such thing.
    pub fn unknown(message: impl Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// It cannot be done as things are.
    pub fn conflict(message: impl Display) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// It is understood, but cannot be done.
    pub fn unfit(message: impl Display) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", message)
    }

    /// It may not be done.
    pub fn forbidden(message: impl Display) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// The token is needed.
    pub fn who_are_you() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "log in first, or send the token as `Authorization: Bearer`, or, to read, as the password of `Basic`",
        )
    }

    /// The request is for another host.
    pub fn misdirected(message: impl Display) -> Self {
        Self::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", message)
    }

    /// Too often.
    pub fn too_many(seconds: f64) -> Self {
        let problem =
            Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", "that was too often; wait a little");
        Self { retry_after: Some(seconds.clamp(1.0, 86_400.0) as u64), ..problem }
    }

    /// Too much at a time.
    pub fn busy() -> Self {
        let problem =
            Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many ask at the same time; try again soon");
        Self { retry_after: Some(1), ..problem }
    }

    /// Something that was not asked for this way.
    pub(super) fn other_method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "this address does not take requests of this kind",
        )
    }

    /// What was sent is too large.
    pub(super) fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "that is too much to send at a time")
    }

    /// What was sent comes too slowly.
    pub(super) fn slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "what was sent took too long to come")
    }

    /// What was sent is of another kind.
    pub(super) fn other_kind(message: impl Display) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
    }

    /// Something broke. The owner is told what, and so is the log.
    pub fn failed(error: impl Display) -> Self {
        let detail = format!("{error:#}");
        tracing::error!(error = detail, "a page could not be made");
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", "something went wrong here");
        Self { detail: Some(detail), ..problem }
    }

    /// For programs.
    pub(super) fn json(&self, is_owner: bool) -> Value {
        let detail = self.detail.as_ref().filter(|_| is_owner);
        let message = detail.map_or_else(|| self.message.clone(), |detail| format!("{}: {detail}", self.message));
        json!({"error": {"status": self.status.as_u16(), "code": self.code, "message": message}})
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Errors of what is read here.
macro_rules! failures {
    ($($error:ty),*) => {
        $(impl From<$error> for Problem {
            fn from(error: $error) -> Self {
                Self::failed(error)
            }
        })*
    };
}

failures!(anyhow::Error, store::CatalogueError, store::ArchiveError, store::OpenError, index::SearchError);
