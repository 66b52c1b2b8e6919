//! What the page may ask. Every request carries the whole game, so that the server keeps none.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout, timeout_at};

use crate::App;
use crate::analysis::{AnalysisQuery, AnalysisView, analyze};
use crate::choice::{ChoiceQuery, ChoiceView, Chooser, choose};
use crate::files::{GameToSave, Opened, PastedText};
use crate::refusal::Refusal;
use crate::replayed_game::GameLine;
use crate::searches::Permit;
use crate::valid_json::ValidJson;
use crate::view::{About, View};

type Answer<T> = Result<Json<T>, Refusal>;

/// Something is sent at least this often to a client that listens: only so does the server notice
/// that the client has left.
const PULSE: Duration = Duration::from_secs(1);

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/game", get(about))
        .route("/api/position", post(position))
        .route("/api/choice", post(choice))
        .route("/api/analysis", post(analysis))
        .route("/api/open", post(open))
        .route("/api/record", post(record))
}

#[derive(Deserialize)]
struct AboutQuery {
    game: Option<String>,
    rules: Option<String>,
}

async fn about(
    State(app): State<Arc<App>>,
    Query(AboutQuery { game, rules }): Query<AboutQuery>,
) -> Answer<About> {
    About::new(&app, game.as_deref(), rules.as_deref()).map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionQuery {
    game: GameLine,
    from: Option<usize>,
}

async fn position(
    State(app): State<Arc<App>>,
    ValidJson(asked): ValidJson<PositionQuery>,
) -> Answer<View> {
    let replayed = asked.game.replay(&app)?;
    Ok(Json(View::new(&replayed, asked.from)))
}

async fn choice(
    State(app): State<Arc<App>>,
    ValidJson(asked): ValidJson<ChoiceQuery>,
) -> Answer<ChoiceView> {
    let replayed = asked.game.replay(&app)?;
    let chooser = Chooser::new(&asked.player, &replayed, app.search_time)?;
    let permit = app.searches.begin(&asked.client)?;
    // When the client leaves, this future is dropped, and with it the permit, which ends the search.
    let stop = Arc::clone(&permit.stop);
    let mut search = spawn_blocking(move || choose(&app, &replayed, chooser, &stop));
    let found = match timeout(chooser.time, &mut search).await {
        Ok(found) => found,
        Err(_) => {
            permit.stop.store(true, Ordering::Relaxed);
            search.await
        }
    };
    match found {
        Ok(Some(choice)) => Ok(Json(choice)),
        Ok(None) => Err(Refusal::input("the game is over")),
        Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the search has failed")),
    }
}

/// An analysis that a client listens to.
struct Listening {
    view: watch::Receiver<AnalysisView>,
    /// Ends the search when the client has left.
    permit: Permit,
    deadline: Instant,
    is_over: bool,
}

async fn analysis(
    State(app): State<Arc<App>>,
    ValidJson(asked): ValidJson<AnalysisQuery>,
) -> Result<Response, Refusal> {
    let replayed = asked.game.replay(&app)?;
    let permit = app.searches.begin(&asked.client)?;
    let (sender, view) = watch::channel(AnalysisView::default());
    let deadline = Instant::now() + app.search_time;
    let stop = Arc::clone(&permit.stop);
    spawn_blocking(move || analyze(&app, &replayed, (asked.ply, &asked.earlier), &stop, &sender));
    let listening = Listening { view, permit, deadline, is_over: false };
    let events = stream::unfold(listening, |listening| async {
        let (event, listening) = next_event(listening).await?;
        Some((Ok::<Bytes, Infallible>(event), listening))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((kind, Body::from_stream(events)).into_response())
}

/// The next event of an analysis. Only what is known last is sent, however slowly the client reads.
async fn next_event(mut listening: Listening) -> Option<(Bytes, Listening)> {
    if listening.is_over {
        return None;
    }
    if Instant::now() >= listening.deadline {
        listening.permit.stop.store(true, Ordering::Relaxed);
    }
    let until = Instant::now() + PULSE;
    match timeout_at(until, listening.view.changed()).await {
        Err(_) => Some((Bytes::from_static(b": still searching\n\n"), listening)),
        // The search has failed: it always says that it is done.
        Ok(Err(_)) => None,
        Ok(Ok(())) => {
            let view = listening.view.borrow_and_update().clone();
            listening.is_over = view.is_done();
            let json = serde_json::to_string(&view).ok()?;
            Some((Bytes::from(format!("data: {json}\n\n")), listening))
        }
    }
}

async fn open(
    State(app): State<Arc<App>>,
    ValidJson(text): ValidJson<PastedText>,
) -> Answer<Opened> {
    text.open(&app).map(Json)
}

#[derive(Serialize)]
struct RecordText {
    text: String,
}

async fn record(
    State(app): State<Arc<App>>,
    ValidJson(saved): ValidJson<GameToSave>,
) -> Answer<RecordText> {
    let replayed = saved.game.replay(&app)?;
    let text = saved.record(&replayed)?;
    Ok(Json(RecordText { text }))
}
