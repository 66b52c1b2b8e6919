//! Refusals of requests.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use plyground_durable::shorten;
use plyground_page::Refused;
use serde_json::json;

/// The refusal of a request: a status, and the reason as one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: shorten(&why.into()).into_owned() }
    }

    /// Creates the refusal of a text that a person has typed, pasted or opened. The status is 200, because a
    /// browser would report another one as a fault of the page; the body says that the request is refused.
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
