//! The bodies of requests.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use hyper::body::Body as _;
use serde::de::DeserializeOwned;

use crate::App;
use crate::refusal::Refusal;

/// What the body of a request says: JSON of limited size that arrived in time.
pub(crate) struct ValidJson<T>(pub(crate) T);

/// A longer body is refused.
const MAX_BYTES: usize = 1 << 20;

impl<T: DeserializeOwned> FromRequest<Arc<App>> for ValidJson<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<ValidJson<T>, Refusal> {
        // A page of another origin can send other types without asking first.
        let is_json = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.split(';').next() == Some("application/json"));
        if !is_json {
            let why = "expected a body of type application/json";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
        let bytes = read(request, app.request_time).await?;
        let parsed = serde_json::from_slice(&bytes);
        let refused =
            |error: serde_json::Error| Refusal::new(StatusCode::BAD_REQUEST, error.to_string());
        parsed.map(ValidJson).map_err(refused)
    }
}

async fn read(request: Request, time: Duration) -> Result<Bytes, Refusal> {
    let body = request.into_body();
    let too_long = || {
        let why = format!("expected a whole body of at most {MAX_BYTES} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    };
    if body.size_hint().lower() > MAX_BYTES as u64 {
        return Err(too_long());
    }
    match tokio::time::timeout(time, to_bytes(body, MAX_BYTES)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_long()),
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
    }
}
