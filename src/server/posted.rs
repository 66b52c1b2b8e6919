//! The bodies of requests.

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use hyper::body::Body as _;
use serde::de::DeserializeOwned;

use super::refusal::Refusal;
use super::site::{HasSite, Site};

/// A body in JSON, of limited size, that arrived in time.
pub(super) struct Posted<T>(pub(super) T);

/// A longer body is refused.
pub(super) const MAX_BYTES: usize = 1 << 20;

impl<S: HasSite + Sync, T: DeserializeOwned> FromRequest<S> for Posted<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Posted<T>, Refusal> {
        // A page of another origin can send other types without being asked first.
        let is_json = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.split(';').next() == Some("application/json"));
        if !is_json {
            let why = "expected a body of type application/json";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
        let bytes = read(request, state.site()).await?;
        let parsed = serde_json::from_slice(&bytes);
        parsed.map(Posted).map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error.to_string()))
    }
}

async fn read(request: Request, site: &Site) -> Result<Bytes, Refusal> {
    let body = request.into_body();
    let too_long = || {
        let why = format!("expected a whole body of at most {MAX_BYTES} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
    };
    if body.size_hint().lower() > MAX_BYTES as u64 {
        return Err(too_long());
    }
    match tokio::time::timeout(site.request_time, to_bytes(body, MAX_BYTES)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_long()),
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
    }
}
