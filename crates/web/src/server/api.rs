//! The requests of the page, and its files. Every request carries the whole game, so that the server keeps no
//! games.

use std::convert::Infallible;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use plyground::search::SearchContext;
use plyground_explain::block::Block;
use plyground_host::Constraints;
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::programs::TurnView;
use crate::questions::{
    self, About, AboutQuery, AnalysisQuery, AnalysisView, ChoiceQuery, ChoiceView, Chooser, Effort,
    ExplainQuery, GameToSave, Opened, PastedText, PositionQuery, RecordText, ReplayedGame,
    ReviewQuery, ReviewView, Reviewing, Searching, Thinking, View, analyze, choose, empty_boards,
};
use crate::server::app::{App, ValidJson};
use crate::server::connections::{Activity, Busy, Caller};
use crate::server::program_api;
use crate::server::programs::WantedProgram;
use crate::server::searches::{Permit, Urgency, by_rules, off_thread};
use crate::server::site::Refusal;

type Answer<T> = Result<Json<T>, Refusal>;

/// The longest time between two messages to a client that listens: the server notices only by sending that
/// the client has left.
const PULSE: Duration = Duration::from_secs(1);

/// The time that a client has to take the last results after its analysis has reached the limit.
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
        .merge(files())
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
    let shared = Arc::clone(&app);
    let replayed = off_thread(move || Ok(game.replay(&shared.games)?)).await?;
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
    let stop = Arc::clone(&permit.stop);
    let search = move || by_rules(|| choose_move(&app, &replayed, chooser, &stop));
    match spawn_blocking(search).await {
        Ok(Ok(Some(choice))) => Ok(Json(Chosen::Machine(choice))),
        Ok(Ok(None)) => Err(Refusal::input("the game is over")),
        Ok(Err(refusal)) => Err(refusal),
        Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the search has failed")),
    }
}

/// The findings of a long search so far.
trait Told: Clone + Serialize + Send + Sync + 'static {
    /// Returns true if nothing more will be told.
    fn is_last(&self) -> bool;
}

impl Told for AnalysisView {
    fn is_last(&self) -> bool {
        self.is_done()
    }
}

impl Told for ReviewView {
    fn is_last(&self) -> bool {
        self.is_done()
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
    let shared = Arc::clone(&app);
    let replayed = off_thread(move || Ok(game.replay(&shared.games)?)).await?;
    let mut permit = begin_search(&app, &client, &caller)?;
    let (sender, view) = watch::channel(AnalysisView::default());
    permit.limit(app.search_time, end_unheard(view.clone(), caller.activity));
    let stop = Arc::clone(&permit.stop);
    spawn_blocking(move || analyze_position(&app, &replayed, (ply, &earlier), &stop, &sender));
    Ok(events(Listening { view, _permit: permit, _busy: busy, is_over: false }))
}

/// Returns the events of a search as the body of an answer.
fn events<V: Told>(listening: Listening<V>) -> Response {
    let events = stream::unfold(listening, |listening| async {
        let (event, listening) = next_event(listening).await?;
        Some((Ok::<Bytes, Infallible>(event), listening))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    (kind, Body::from_stream(events)).into_response()
}

async fn review(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    ValidJson(asked, busy): ValidJson<ReviewQuery>,
) -> Result<Response, Refusal> {
    app.check_values()?;
    let ReviewQuery { client, game } = asked;
    let shared = Arc::clone(&app);
    let replayed = off_thread(move || Ok(game.replay(&shared.games)?)).await?;
    let mut permit = begin_search(&app, &client, &caller)?;
    let (sender, view) = watch::channel(ReviewView::default());
    permit.limit(app.search_time, end_unheard(view.clone(), caller.activity));
    let stop = Arc::clone(&permit.stop);
    spawn_blocking(move || review_game(&app, &replayed, &stop, &sender));
    Ok(events(Listening { view, _permit: permit, _busy: busy, is_over: false }))
}

/// Waits for the end of the search and [`LAST_WORDS`] more, then ends the connection of a client that has
/// not taken all events.
async fn end_unheard<V: Told>(mut view: watch::Receiver<V>, connection: Arc<Activity>) {
    while view.changed().await.is_ok() {}
    sleep(LAST_WORDS).await;
    connection.end();
}

/// Returns the next event of a search. It sends only the newest view, however slowly the client reads.
async fn next_event<V: Told>(mut listening: Listening<V>) -> Option<(Bytes, Listening<V>)> {
    if listening.is_over {
        return None;
    }
    match timeout(PULSE, listening.view.changed()).await {
        Err(_) => Some((Bytes::from_static(b": still searching\n\n"), listening)),
        // The search has failed: one that ends well always sends a last view.
        Ok(Err(_)) => None,
        Ok(Ok(())) => {
            let view = listening.view.borrow_and_update().clone();
            listening.is_over = view.is_last();
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
    // This search runs beside the client's analysis, and is counted as that of another client.
    let permit = app.searches.begin(&format!("{} explains", asked.client), caller.address)?;
    off_thread(move || {
        // Of many requests at once, the client waits for the last.
        let _turn = app.turns.begin(Urgency::Urgent);
        if permit.stop.load(Ordering::Relaxed) {
            let why = "another question of this client has come";
            return Err(Refusal::new(StatusCode::CONFLICT, why));
        }
        Ok(Json(asked.explain(&app.games)?))
    })
    .await
}

/// The files that the server serves, each with its path and type.
const FILES: &[(&str, &str, &str)] = &[
    ("/page/style.css", CSS, include_str!("../../page/style.css")),
    ("/page/icon.svg", SVG, include_str!("../../page/icon.svg")),
    ("/page/app.webmanifest", MANIFEST, include_str!("../../page/app.webmanifest")),
    ("/page/first.js", JS, include_str!("../../page/first.js")),
    ("/page/guide.js", JS, include_str!("../../page/guide.js")),
    ("/page/motion.js", JS, include_str!("../../page/motion.js")),
    ("/page/notation.js", JS, include_str!("../../page/notation.js")),
    ("/page/main.js", JS, include_str!("../../page/main.js")),
    ("/page/api.js", JS, include_str!("../../page/api.js")),
    ("/page/analysis.js", JS, include_str!("../../page/analysis.js")),
    ("/page/beside.js", JS, include_str!("../../page/beside.js")),
    ("/page/board.js", JS, include_str!("../../page/board.js")),
    ("/page/chart.js", JS, include_str!("../../page/chart.js")),
    ("/page/dialogs.js", JS, include_str!("../../page/dialogs.js")),
    ("/page/dom.js", JS, include_str!("../../page/dom.js")),
    ("/page/engine.js", JS, include_str!("../../page/engine.js")),
    ("/page/explain.js", JS, include_str!("../../page/explain.js")),
    ("/page/files.js", JS, include_str!("../../page/files.js")),
    ("/page/game.js", JS, include_str!("../../page/game.js")),
    ("/page/moves.js", JS, include_str!("../../page/moves.js")),
    ("/page/players.js", JS, include_str!("../../page/players.js")),
    ("/page/programs.js", JS, include_str!("../../page/programs.js")),
    ("/page/review.js", JS, include_str!("../../page/review.js")),
    ("/page/scores.js", JS, include_str!("../../page/scores.js")),
    ("/page/setup.js", JS, include_str!("../../page/setup.js")),
    ("/page/store.js", JS, include_str!("../../page/store.js")),
    ("/page/strokes.js", JS, include_str!("../../page/strokes.js")),
    ("/page/tree.css", CSS, plyground_explain::html::STYLE),
    ("/page/tree.js", JS, plyground_explain::html::TREE.text),
    ("/page/tree-board.js", JS, plyground_explain::html::TREE_BOARD.text),
    ("/page/tree-dom.js", JS, plyground_explain::html::TREE_DOM.text),
    ("/page/tree-list.js", JS, plyground_explain::html::TREE_LIST.text),
    ("/page/tree-path.js", JS, plyground_explain::html::TREE_PATH.text),
    ("/page/tree-view.js", JS, plyground_explain::html::TREE_VIEW.text),
];

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const JS: &str = "text/javascript; charset=utf-8";
const MANIFEST: &str = "application/manifest+json";

const INDEX: &str = include_str!("../../page/index.html");

/// The beginning of the element of [`INDEX`] for the empty boards, which the file lacks.
const BOARDS_BEGIN: &str = "<script type=\"application/json\" id=\"boards\">";

const ICON: &[u8] = include_bytes!("../../page/icon.png");

/// Returns the routes to the files by their exact paths.
fn files() -> Router<Arc<App>> {
    let texts = FILES.iter().fold(Router::new(), |router, &(path, kind, text)| {
        let zipped = Arc::new(OnceLock::new());
        let answer = move |headers: HeaderMap| {
            let zipped = Arc::clone(&zipped);
            async move {
                file(&headers, kind, text.as_bytes(), || zipped.get_or_init(|| zip(text)).clone())
            }
        };
        router.route(path, get(answer))
    });
    let png = || async { ([(header::CONTENT_TYPE, "image/png")], ICON) };
    texts.route("/", get(page)).route("/page/icon.png", get(png))
}

/// Answers with a file, compressed if the client wants that.
fn file(
    headers: &HeaderMap,
    kind: &'static str,
    text: &'static [u8],
    zipped: impl FnOnce() -> Bytes,
) -> Response {
    let headers_of_file = [(header::CONTENT_TYPE, kind), (header::VARY, "accept-encoding")];
    if !accepts_gzip(headers) {
        return (headers_of_file, text).into_response();
    }
    (headers_of_file, [(header::CONTENT_ENCODING, "gzip")], zipped()).into_response()
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.split([',', ' ']).any(|one| one == "gzip"))
}

fn zip(text: &str) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory does not fail.
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.unwrap_or_default().into()
}

/// The page itself, with what it would otherwise ask for one after the other: the empty boards of the games,
/// which it shows first, and the names of its modules.
async fn page(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let boards = format!("{BOARDS_BEGIN}{}", empty_boards(&app.games));
    let page = INDEX.replacen(&format!("{BOARDS_BEGIN}[]"), &boards, 1);
    let modules = FILES.iter().map(|(path, _, _)| path.trim_start_matches('/'));
    let modules = modules.filter(|path| path.ends_with(".js") && !path.ends_with("first.js"));
    let preloads: String =
        modules.map(|path| format!("<link rel=\"modulepreload\" href=\"{path}\">\n")).collect();
    let page = page.replacen("<noscript>", &format!("{preloads}<noscript>"), 1);
    let kind = [(header::CONTENT_TYPE, HTML), (header::VARY, "accept-encoding")];
    if accepts_gzip(&headers) {
        return (kind, [(header::CONTENT_ENCODING, "gzip")], zip(&page)).into_response();
    }
    (kind, page).into_response()
}

/// Returns the choice of an engine player or a random player in the last position of a game; `None` if the
/// game is over.
pub(crate) fn choose_move(
    app: &App,
    replayed: &ReplayedGame,
    chooser: Chooser,
    stop: &Arc<AtomicBool>,
) -> Option<ChoiceView> {
    choose(replayed, chooser, app.games.has_values(), |game| {
        let turn = app.turns.begin(Urgency::Urgent);
        Thinking {
            leased: app.engines.lease(&replayed.served, game),
            constraints: Constraints {
                limit: None,
                context: SearchContext {
                    checkpoint: Some(Arc::new(turn)),
                    ..Arc::clone(stop).into()
                },
                // The search for forced wins does not make way for others.
                without_tactics: !game.has_tactics() || !app.searches.is_alone(),
            },
        }
    })
}

/// Analyzes until everything is exact or `stop` is raised, and sends every result to `listener`.
fn analyze_position(
    app: &App,
    replayed: &ReplayedGame,
    (ply, earlier): (usize, &[usize]),
    stop: &Arc<AtomicBool>,
    listener: &watch::Sender<AnalysisView>,
) {
    if let Some(position) = replayed.position_at(ply).filter(|_| !stop.load(Ordering::Relaxed)) {
        let turn = app.turns.begin(Urgency::Patient);
        let searching = Searching {
            leased: app.engines.lease(&replayed.served, &position.game()),
            context: SearchContext { checkpoint: Some(Arc::new(turn)), ..Arc::clone(stop).into() },
            // A client that is alone has all the processors and much memory.
            effort: &|| match app.searches.is_alone() {
                true => Effort::alone(app.turns.most().get()),
                false => Effort::among_others(),
            },
        };
        let analyzed = by_rules(|| {
            analyze(replayed, (ply, earlier), searching, &mut |view| {
                // Sending fails only if the client has left.
                let _ = listener.send(view.clone());
            });
        });
        if analyzed.is_err() {
            // Without a last view, the client learns that the search has failed.
            return;
        }
    }
    listener.send_modify(AnalysisView::end);
}

/// Reviews a game until the review is done or `stop` is raised, and sends every result to `listener`.
fn review_game(
    app: &App,
    replayed: &ReplayedGame,
    stop: &Arc<AtomicBool>,
    listener: &watch::Sender<ReviewView>,
) {
    if !stop.load(Ordering::Relaxed) {
        let turn = app.turns.begin(Urgency::Patient);
        let reviewing = Reviewing {
            leased: app.engines.lease(&replayed.served, &replayed.position.game()),
            context: SearchContext { checkpoint: Some(Arc::new(turn)), ..Arc::clone(stop).into() },
        };
        questions::review(replayed, reviewing, &mut |view| {
            // Sending fails only if the client has left.
            let _ = listener.send(view.clone());
        });
    }
    listener.send_modify(ReviewView::end);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::questions::GameLine;
    use crate::server::app::tests::{ENDGAME, app};
    use crate::server::site::ClientAddress;

    /// Returns a runtime, and a client that has a connection of its own.
    fn caller() -> (tokio::runtime::Runtime, Caller) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build();
        let address = ClientAddress::new([127, 0, 0, 1].into());
        (runtime.expect("a runtime"), Caller { address, activity: Arc::default() })
    }

    #[test]
    fn nothing_is_left_of_an_analysis_that_nobody_reads() {
        let (runtime, caller) = caller();
        let app =
            Arc::new(crate::server::app::App { search_time: Duration::from_millis(1), ..app() });
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
            // This connection keeps the answer and takes none of its events.
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

    /// The greatest size of all files of the page together, as they are sent.
    const MOST_BYTES: usize = 72_000;

    #[test]
    fn page_is_small_and_asks_no_other_server() {
        let texts = FILES.iter().map(|(_, _, text)| text).chain([&INDEX]);
        let bytes = ICON.len() + texts.map(|text| zip(text).len()).sum::<usize>();
        assert!(bytes < MOST_BYTES, "{bytes} bytes");
        for (path, _, text) in FILES {
            let foreign = text.replace("http://www.w3.org/", "");
            assert!(!foreign.contains("http://") && !foreign.contains("https://"), "{path}");
        }
    }

    #[test]
    fn imported_module_is_there() {
        for (path, _, text) in FILES {
            let imports = text.split(" from \"./").skip(1);
            for name in imports.filter_map(|rest| rest.split('"').next()) {
                let asked = format!("/page/{name}");
                assert!(FILES.iter().any(|(path, _, _)| *path == asked), "{path}: {asked}");
            }
        }
    }

    #[test]
    fn analysis_says_when_it_has_ended() {
        let start = ENDGAME.to_owned();
        let line = GameLine { game: None, rules: "standard".to_owned(), start, moves: Vec::new() };
        let app = app();
        let replayed = line.replay(&app.games).expect("a game");
        for (is_stopped, ply, is_known) in [(false, 0, true), (true, 0, false), (false, 9, false)] {
            let (sender, view) = watch::channel(AnalysisView::default());
            let stop = Arc::new(AtomicBool::new(is_stopped));
            analyze_position(&app, &replayed, (ply, &[]), &stop, &sender);
            let view = serde_json::to_value(&*view.borrow()).expect("JSON");
            assert_eq!((&view["done"], &view["complete"]), (&json!(true), &json!(is_known)));
        }
    }
}
