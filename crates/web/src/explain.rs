//! Searches that the page shows step by step.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::post;
use axum::{Extension, Json, Router};
use plyground_explain::block::Block;
use plyground_page::ExplainQuery;

use crate::App;
use crate::listen::Caller;
use crate::off_thread::off_thread;
use crate::refusal::Refusal;
use crate::valid_json::ValidJson;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/explain", post(explain))
}

async fn explain(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    ValidJson(asked, _busy): ValidJson<ExplainQuery>,
) -> Result<Json<Block>, Refusal> {
    app.check_values()?;
    app.check_name(&asked.client)?;
    // This search runs beside the client's analysis, and is counted as that of another client.
    let permit = app.searches.begin(&format!("{} explains", asked.client), caller.address)?;
    off_thread(move || {
        let _permit = permit;
        Ok(Json(asked.explain(&app.games)?))
    })
    .await
}
