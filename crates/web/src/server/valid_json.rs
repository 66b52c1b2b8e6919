//! The body of a request as JSON.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use hyper::body::Body as _;
use serde::de::DeserializeOwned;

use crate::server::app::App;
use crate::server::connections::{Busy, Caller};
use crate::server::searches::off_thread;
use crate::server::site::Refusal;

/// The greatest length of a body.
const MAX_BYTES: usize = 1 << 20;

/// The parsed body of a request: JSON of limited size that arrived in time. The server counts as at work for
/// the client as long as the second field lives.
pub(crate) struct ValidJson<T>(pub(crate) T, pub(crate) Busy);

impl<T: DeserializeOwned + Send + 'static> FromRequest<Arc<App>> for ValidJson<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<ValidJson<T>, Refusal> {
        // A page of another origin can send other content types without a preflight request.
        let is_json = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.split(';').next() == Some("application/json"));
        if !is_json {
            let why = "expected a body of type application/json";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
        let activity = request.extensions().get::<Caller>().map(|caller| &caller.activity);
        let activity = activity.map(Arc::clone).unwrap_or_default();
        let bytes = read(request, app.request_time).await?;
        let busy = activity.begin();
        let parsed = off_thread(move || {
            serde_json::from_slice(&bytes)
                .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error.to_string()))
        });
        Ok(ValidJson(parsed.await?, busy))
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
