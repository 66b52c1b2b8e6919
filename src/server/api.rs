//! What the page may ask. Every request carries the whole game, so that the server keeps none.

use std::convert::Infallible;
use std::sync::Arc;
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
use tokio::time::{Instant, sleep, timeout_at};

use super::App;
use super::analysis::{Findings, Question, analyse};
use super::choice::{self, Choice, Thinker, choose};
use super::files::{Opened, Saved, Text};
use super::game_line::GameLine;
use super::on_page::OnPage;
use super::posted::Posted;
use super::refusal::Refusal;
use super::searches::Permit;
use super::view::{About, View};

type Answer<T> = Result<Json<T>, Refusal>;

/// Something is sent at least this often to a client who listens, for else nobody notices that he
/// has left.
const PULSE: Duration = Duration::from_secs(1);

pub(super) fn routes<P: OnPage>() -> Router<Arc<App<P>>> {
    Router::new()
        .route("/api/game", get(about::<P>))
        .route("/api/position", post(position::<P>))
        .route("/api/choice", post(choice::<P>))
        .route("/api/analysis", post(analysis::<P>))
        .route("/api/open", post(open::<P>))
        .route("/api/record", post(record::<P>))
}

#[derive(Deserialize)]
struct RulesName {
    rules: Option<String>,
}

async fn about<P: OnPage>(
    State(app): State<Arc<App<P>>>,
    Query(RulesName { rules }): Query<RulesName>,
) -> Answer<About> {
    About::new(&app.program, rules.as_deref()).map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PositionOf {
    game: GameLine,
    from: Option<usize>,
}

async fn position<P: OnPage>(
    State(app): State<Arc<App<P>>>,
    Posted(asked): Posted<PositionOf>,
) -> Answer<View> {
    let course = asked.game.play(&app.program)?;
    Ok(Json(View::new(&course, asked.from)))
}

async fn choice<P: OnPage>(
    State(app): State<Arc<App<P>>>,
    Posted(asked): Posted<choice::Request>,
) -> Answer<Choice> {
    let course = asked.game.play(&app.program)?;
    let thinker = Thinker::new(&asked.player, &course, app.search_time)?;
    let permit = app.searches.begin(&asked.client)?;
    // The permit ends, and with it the search, when the client leaves: then this future is dropped.
    let stop = permit.stop.clone();
    let (patience, time) = (thinker.patience(), thinker.time());
    let mut search = spawn_blocking(move || choose(&app, &course, &thinker, &stop));
    let started = Instant::now();
    let found = tokio::select! {
        found = &mut search => found,
        () = sleep(patience) => {
            permit.stop.hurry();
            match timeout_at(started + time, &mut search).await {
                Ok(found) => found,
                Err(_) => {
                    permit.stop.raise();
                    search.await
                }
            }
        }
    };
    match found {
        Ok(Some(choice)) => Ok(Json(choice)),
        Ok(None) => Err(Refusal::input("the game is over")),
        Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the search has failed")),
    }
}

/// An analysis that somebody listens to.
struct Listening {
    findings: watch::Receiver<Findings>,
    /// Ends the search when the client has left.
    permit: Permit,
    deadline: Instant,
    is_over: bool,
}

async fn analysis<P: OnPage>(
    State(app): State<Arc<App<P>>>,
    Posted(asked): Posted<Question>,
) -> Result<Response, Refusal> {
    let course = asked.game.play(&app.program)?;
    let permit = app.searches.begin(&asked.client)?;
    let (sender, findings) = watch::channel(Findings::default());
    let deadline = Instant::now() + app.search_time;
    let stop = permit.stop.clone();
    spawn_blocking(move || analyse(&app, &course, (asked.ply, &asked.earlier), &stop, &sender));
    let listening = Listening { findings, permit, deadline, is_over: false };
    let events = stream::unfold(listening, |listening| async {
        let (event, listening) = next_event(listening).await?;
        Some((Ok::<Bytes, Infallible>(event), listening))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((kind, Body::from_stream(events)).into_response())
}

/// The next event of an analysis. Only the latest findings are sent, however slowly the client
/// reads.
async fn next_event(mut listening: Listening) -> Option<(Bytes, Listening)> {
    if listening.is_over {
        return None;
    }
    if Instant::now() >= listening.deadline {
        listening.permit.stop.raise();
    }
    let until = Instant::now() + PULSE;
    match timeout_at(until, listening.findings.changed()).await {
        Err(_) => Some((Bytes::from_static(b": still searching\n\n"), listening)),
        // The search has ended without a word.
        Ok(Err(_)) => None,
        Ok(Ok(())) => {
            let findings = listening.findings.borrow_and_update().clone();
            listening.is_over = findings.is_done();
            let json = serde_json::to_string(&findings).ok()?;
            Some((Bytes::from(format!("data: {json}\n\n")), listening))
        }
    }
}

async fn open<P: OnPage>(
    State(app): State<Arc<App<P>>>,
    Posted(text): Posted<Text>,
) -> Answer<Opened> {
    text.open(&app.program).map(Json)
}

#[derive(Serialize)]
struct Record {
    text: String,
}

async fn record<P: OnPage>(
    State(app): State<Arc<App<P>>>,
    Posted(saved): Posted<Saved>,
) -> Answer<Record> {
    let course = saved.game.play(&app.program)?;
    let text = saved.record(&course)?;
    Ok(Json(Record { text }))
}
