//! The requests of the page. Every request carries the whole game, so that the server keeps no games.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use futures_util::stream;
use plyground::search::SearchContext;
use plyground_explain::html::Block;
use plyground_host::Constraints;
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::programs::TurnView;
use crate::questions::{
    self, About, AboutQuery, AnalysisQuery, AnalysisView, ChoiceQuery, ChoiceView, Chooser, Effort,
    ExplainQuery, GameToSave, Opened, PastedText, PositionQuery, RecordText, ReplayedGame,
    ReviewQuery, ReviewView, SearchView, Searching, Thinking, View, analyze, choose,
};
use crate::server::connections::{Activity, Busy, Caller};
use crate::server::programs::WantedProgram;
use crate::server::searches::{Permit, Ticket, Urgency, by_rules, off_thread};
use crate::server::site::Refusal;
use crate::server::{App, ValidJson, program_api};

type Answer<T> = Result<Json<T>, Refusal>;

/// The longest time between two messages to a listening client, because only a failed message shows that the client
/// has left.
const PULSE: Duration = Duration::from_secs(1);

/// The time for a client to read the last results after its analysis has reached the limit.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/client", post(client))
        .route("/api/game", get(about))
        .route("/api/position", post(position))
        .route("/api/choice", post(choice))
        .route("/api/analysis", post(analysis))
        .route("/api/open", post(open))
        .route("/api/record", post(record))
        .route("/api/explain", post(explain))
        .route("/api/review", post(review))
}

async fn about(State(app): State<Arc<App>>, Query(asked): Query<AboutQuery>) -> Answer<About> {
    Ok(Json(About::new(&app.games, &asked, |game| app.programs.names(game))?))
}

#[derive(Serialize)]
struct ClientName {
    client: String,
}

async fn client(State(app): State<Arc<App>>) -> Json<ClientName> {
    Json(ClientName { client: app.names.give() })
}

async fn position(
    State(app): State<Arc<App>>,
    ValidJson(asked, _busy): ValidJson<PositionQuery>,
) -> Answer<View> {
    off_thread(move || Ok(Json(View::new(&asked.game.replay(&app.games)?, asked.from)))).await
}

/// Begins the search of a client, whose name must come from this server.
fn begin_search(app: &App, client: &str, caller: &Caller) -> Result<Permit, Refusal> {
    app.check_name(client)?;
    app.searches.begin(client, caller.address)
}

/// The move of a player.
#[derive(Serialize)]
#[serde(untagged)]
enum Chosen {
    Machine(ChoiceView),
    Program(TurnView),
}

async fn choice(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    ValidJson(asked, _busy): ValidJson<ChoiceQuery>,
) -> Answer<Chosen> {
    let ChoiceQuery { client, game, player } = asked;
    let wanted = WantedProgram::read(&player)?;
    let replayed = app.replay(game).await?;
    if let Some(wanted) = wanted {
        let turn = program_api::choose(app, (client, caller), wanted, replayed).await?;
        return Ok(Json(Chosen::Program(turn)));
    }
    let chooser = Chooser::new(&player, &replayed, app.search_time)?;
    if chooser.is_perfect() {
        app.check_values()?;
    }
    let mut permit = begin_search(&app, &client, &caller)?;
    permit.limit(chooser.time, async {});
    // If the client leaves, this future is dropped, and with it the permit, which ends the search.
    let ticket = permit.ticket.clone();
    let search = move || by_rules(|| choose_move(&app, &replayed, chooser, &ticket));
    match spawn_blocking(search).await {
        Ok(Ok(Some(choice))) => Ok(Json(Chosen::Machine(choice))),
        Ok(Ok(None)) => Err(Refusal::input("the game is over")),
        Ok(Err(refusal)) => Err(refusal),
        Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the search has failed")),
    }
}

/// A search that a client listens to.
struct Listening<V> {
    view: watch::Receiver<V>,
    /// Ends the search when the client has left.
    _permit: Permit,
    _busy: Busy,
    is_over: bool,
}

async fn analysis(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    ValidJson(asked, busy): ValidJson<AnalysisQuery>,
) -> Result<Response, Refusal> {
    app.check_values()?;
    let AnalysisQuery { client, game, ply, earlier } = asked;
    let replayed = app.replay(game).await?;
    events::<AnalysisView>(app, (&client, caller, busy), move |app, context, on_view| {
        analyze_position(app, &replayed, (ply, &earlier), context, on_view);
    })
}

async fn review(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    ValidJson(asked, busy): ValidJson<ReviewQuery>,
) -> Result<Response, Refusal> {
    app.check_values()?;
    let ReviewQuery { client, game } = asked;
    let replayed = app.replay(game).await?;
    events::<ReviewView>(app, (&client, caller, busy), move |app, context, on_view| {
        let leased = app.engines.lease(&replayed.served, &replayed.position.game());
        questions::review(&replayed, leased, context, on_view);
    })
}

/// Begins the search of a client, and returns its events as the body of an answer.
fn events<V: SearchView>(
    app: Arc<App>,
    (client, caller, busy): (&str, Caller, Busy),
    work: impl FnOnce(&App, SearchContext, &mut dyn FnMut(&V)) + Send + 'static,
) -> Result<Response, Refusal> {
    let mut permit = begin_search(&app, client, &caller)?;
    let (sender, view) = watch::channel(V::default());
    permit.limit(app.search_time, end_unheard(view.clone(), caller.activity));
    let ticket = permit.ticket.clone();
    spawn_blocking(move || search(&app, &ticket, &sender, work));
    let listening = Listening { view, _permit: permit, _busy: busy, is_over: false };
    let events = stream::unfold(listening, |listening| async {
        let (event, listening) = next_event(listening).await?;
        Some((Ok::<Bytes, Infallible>(event), listening))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((kind, Body::from_stream(events)).into_response())
}

/// Waits for the end of the search and for [`LAST_WORDS`], then ends the connection of a client that has not read all
/// events.
async fn end_unheard<V: SearchView>(mut view: watch::Receiver<V>, connection: Arc<Activity>) {
    while view.changed().await.is_ok() {}
    sleep(LAST_WORDS).await;
    connection.end();
}

/// Returns the next event of a search, with the newest view: a slow client misses the views in between.
async fn next_event<V: SearchView>(mut listening: Listening<V>) -> Option<(Bytes, Listening<V>)> {
    if listening.is_over {
        return None;
    }
    match timeout(PULSE, listening.view.changed()).await {
        Err(_) => Some((Bytes::from_static(b": still searching\n\n"), listening)),
        // The search has failed, because a successful search always sends a last view.
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
    ValidJson(text, _busy): ValidJson<PastedText>,
) -> Answer<Opened> {
    off_thread(move || Ok(Json(text.open(&app.games)?))).await
}

async fn record(
    State(app): State<Arc<App>>,
    ValidJson(saved, _busy): ValidJson<GameToSave>,
) -> Answer<RecordText> {
    off_thread(move || Ok(Json(saved.record(&app.games)?))).await
}

async fn explain(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    ValidJson(asked, _busy): ValidJson<ExplainQuery>,
) -> Result<Json<Block>, Refusal> {
    app.check_values()?;
    app.check_name(&asked.client)?;
    // This search runs beside the client's analysis, and counts as the search of another client.
    let mut permit = app.searches.begin(&format!("{} explains", asked.client), caller.address)?;
    permit.limit(app.search_time, async {});
    // If the client leaves, this future is dropped, and with it the permit, which ends the search.
    let ticket = permit.ticket.clone();
    off_thread(move || {
        let context = app.turns.begin(Urgency::Urgent, &ticket);
        let explained = asked.explain(&app.games, &context);
        if context.is_stopped() {
            let why = "a newer question of this client, or the time limit, has ended this search";
            return Err(Refusal::new(StatusCode::CONFLICT, why));
        }
        Ok(Json(explained?))
    })
    .await
}

/// Returns the choice of an engine player or a random player in the last position of a game; `None` if the
/// game is over.
pub(crate) fn choose_move(
    app: &App,
    replayed: &ReplayedGame,
    chooser: Chooser,
    ticket: &Ticket,
) -> Option<ChoiceView> {
    choose(replayed, chooser, app.games.has_values(), |game| {
        let context = app.turns.begin(Urgency::Urgent, ticket);
        Thinking {
            leased: app.engines.lease(&replayed.served, game),
            constraints: Constraints {
                limit: None,
                context,
                // The search for forced wins never gives up its turn to other searches.
                without_tactics: !game.has_tactics() || !app.searches.is_alone(),
            },
        }
    })
}

/// Analyzes until every value is exact or the search is stopped.
fn analyze_position(
    app: &App,
    replayed: &ReplayedGame,
    (ply, earlier): (usize, &[usize]),
    context: SearchContext,
    on_view: &mut dyn FnMut(&AnalysisView),
) {
    let Some(position) = replayed.position_at(ply) else { return };
    let searching = Searching {
        leased: app.engines.lease(&replayed.served, &position.game()),
        context,
        // A client that is alone has all the processors and much memory.
        effort: &|| match app.searches.is_alone() {
            true => Effort::alone(app.turns.most().get()),
            false => Effort::among_others(),
        },
    };
    analyze(replayed, (ply, earlier), searching, on_view);
}

/// Searches in turn, unless the ticket is used up, and sends every result to `listener`. If the rules program of the
/// game fails, the client notices the failure by the missing last view.
fn search<V: SearchView>(
    app: &App,
    ticket: &Ticket,
    listener: &watch::Sender<V>,
    work: impl FnOnce(&App, SearchContext, &mut dyn FnMut(&V)),
) {
    if !ticket.stop.load(Ordering::Relaxed) {
        let context = app.turns.begin(Urgency::Patient, ticket);
        // Sending fails only if the client has left.
        let mut on_view = |view: &V| drop(listener.send(view.clone()));
        if by_rules(|| work(app, context, &mut on_view)).is_err() {
            return;
        }
    }
    listener.send_modify(V::end);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::questions::GameLine;
    use crate::server::site::ClientAddress;
    use crate::server::tests::{ENDGAME, app};

    /// Returns a runtime, and a client with a connection of its own.
    fn caller() -> (tokio::runtime::Runtime, Caller) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build();
        let address = ClientAddress::new([127, 0, 0, 1].into());
        (runtime.expect("a runtime"), Caller { address, activity: Arc::default() })
    }

    #[test]
    fn nothing_is_left_of_an_analysis_that_nobody_reads() {
        let (runtime, caller) = caller();
        let app = Arc::new(App { search_time: Duration::from_millis(1), ..app() });
        let query = json!({
            "client": app.names.give(),
            "game": { "rules": "standard", "start": ENDGAME, "moves": [] },
            "ply": 0,
        });
        let asked = serde_json::from_value(query).expect("a question");
        let activity = Arc::clone(&caller.activity);
        runtime.block_on(async {
            let question = ValidJson(asked, activity.begin());
            let response = analysis(State(Arc::clone(&app)), Extension(caller), question).await;
            let response = response.expect("events");
            assert!(app.searches.begin("another", ClientAddress::new([1; 4].into())).is_err());
            // This connection keeps the answer and reads none of the events.
            let connection = tokio::spawn(async move {
                let _response = response;
                std::future::pending::<()>().await;
            });
            activity.set_task(connection.abort_handle());
            assert!(connection.await.is_err_and(|end| end.is_cancelled()));
            assert!(app.searches.begin("another", ClientAddress::new([1; 4].into())).is_ok());
        });
    }

    #[test]
    fn invented_names_get_no_search() {
        let (_, caller) = caller();
        let app = app();
        let name = app.names.give();
        assert!(begin_search(&app, "invented", &caller).is_err());
        assert!(begin_search(&app, &name, &caller).is_ok());
    }

    #[test]
    fn analysis_says_when_it_has_ended() {
        let start = ENDGAME.to_owned();
        let line = GameLine { game: None, rules: "standard".to_owned(), start, moves: Vec::new() };
        let app = app();
        let replayed = line.replay(&app.games).expect("a game");
        for (is_stopped, ply, is_known) in [(false, 0, true), (true, 0, false), (false, 9, false)] {
            let (sender, view) = watch::channel(AnalysisView::default());
            let permit = app.searches.begin("a", ClientAddress::new([1; 4].into())).expect("room");
            permit.ticket.stop.store(is_stopped, Ordering::Relaxed);
            search(&app, &permit.ticket, &sender, |app, context, on_view| {
                analyze_position(app, &replayed, (ply, &[]), context, on_view);
            });
            let view = serde_json::to_value(&*view.borrow()).expect("JSON");
            assert_eq!((&view["done"], &view["complete"]), (&json!(true), &json!(is_known)));
        }
    }
}
