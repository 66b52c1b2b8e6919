//! Refusals of requests.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use plyground_host::shorten;
use plyground_page::Refused;
use serde_json::json;

/// Why a request gets nothing: a status, and one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: shorten(&why.into()).into_owned() }
    }

    /// The refusal of what a person has typed, pasted or opened. The words say so, and not the
    /// status, which a browser would report as a fault of the page.
    pub(crate) fn input(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::OK, why)
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Refusal {
        Refusal::input(refused.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.why }))).into_response()
    }
}
