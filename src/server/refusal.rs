//! Why a request gets nothing.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request gets nothing: a status, and one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: why.into() }
    }

    /// A person has typed, pasted or opened what can not be. That is answered in words and not by
    /// the status, which a browser would report as a fault of the page.
    pub(super) fn input(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::OK, why)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.why }))).into_response()
    }
}
