//! A server for any number of games, with one page for playing and analyzing.
//!
//! The questions of the page, and the answers, are in [`crate::questions`]. The server keeps no games: every request
//! carries a whole game, and the answer depends on nothing else. Only the programs of other people that play against a
//! client (`programs/`) live from one request to the next.
//!
//! The server answers only requests that name its own address or one of its configured names (`site.rs`). It limits
//! the cost of a client: the size and time of requests, the time to read answers and the number of connections
//! (`connections.rs`), one search at a time for each client, which the server knows by a given name (`searches.rs`),
//! shared transposition tables of limited size ([`Engines`]), and turns at the processors (`searches.rs`). The
//! operator names the programs of other people that play, each in a limited number of games. One address gets no more
//! than its share, however many clients it has.

mod api;
mod connections;
mod files;
mod program_api;
mod programs;
mod searches;
mod site;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::FromRequest;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse, Response};
use axum::{Extension, Router};
use hyper::body::Body as _;
use serde::de::DeserializeOwned;
use tokio::runtime::{Builder, Runtime};
use tower_service::Service;

use crate::questions::{Engines, GameLine, Games, ReplayedGame, ServedGame};
use crate::server::programs::ProgramGames;
use crate::server::searches::{Names, Searches, Turns, off_thread};
use crate::server::site::Refusal;

pub use crate::server::connections::{Busy, Caller, ConnectionLimits, Place, Places, listen};
pub use crate::server::programs::{ServedProgram, ServedPrograms};
pub use crate::server::site::{ClientAddress, LocalAddress, Site, guard};

/// The other names by which clients reach the server.
#[derive(Clone, Debug, Default)]
pub struct ServerNames {
    /// The values that the Host header of a request may have, each as the browser sends it.
    pub hosts: Vec<String>,
    /// The address of a reverse proxy. The client of a request from there is the last entry of its
    /// X-Forwarded-For header.
    pub proxy: Option<IpAddr>,
}

/// The number of connections beyond two for each client: some wait for the next request, and some are for clients that
/// the server has to refuse.
const MORE_CONNECTIONS: usize = 64;

/// A server of games and programs.
pub struct Server {
    listener: std::net::TcpListener,
    app: Arc<App>,
    connection_limits: ConnectionLimits,
    site: Arc<Site>,
}

impl Server {
    /// Creates a server that listens with `listener`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no game, if a game has no page, or if the operating system refuses the
    /// socket.
    pub fn new(
        offer: Offer,
        listener: std::net::TcpListener,
        limits: ServerLimits,
        names: ServerNames,
    ) -> io::Result<Server> {
        let processors = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let app = App::new(offer, limits, processors)?;
        listener.set_nonblocking(true)?;
        let connection_limits = ConnectionLimits {
            connections: 2 * limits.clients + MORE_CONNECTIONS,
            by_address: 2 * limits.clients_per_address + MORE_CONNECTIONS / 2,
            request_time: limits.request_time,
            proxy: names.proxy,
        };
        let site = Arc::new(Site { hosts: names.hosts, has_forms: false });
        Ok(Server { listener, app: Arc::new(app), connection_limits, site })
    }

    /// Returns the address at which the server listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop` is ready, then ends all searches and connections within a moment.
    pub fn run(self, stop: impl Future<Output = ()> + Send) -> io::Result<()> {
        let Server { listener, app, connection_limits, site } = self;
        let runtime = Builder::new_multi_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(app.threads())
            .build()?;
        let router = router(&app, site);
        let searches = Arc::clone(&app.searches);
        let stopped = async move {
            stop.await;
            searches.stop_all();
        };
        let result = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(program_api::sweep(Arc::clone(&app)));
            listen(listener, router, connection_limits, stopped).await;
            Ok(())
        });
        app.programs.end_all();
        runtime.shutdown_background();
        result
    }
}

fn router(app: &Arc<App>, site: Arc<Site>) -> Router {
    routes(app, "/").fallback(nothing_here).layer(from_fn_with_state(site, guard))
}

/// The answer to a person who asks for a path that does not exist.
const NOTHING_HERE: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
    <meta name=\"color-scheme\" content=\"light dark\"><title>Nothing here</title></head>\
    <body><main><h1>There is nothing here</h1><p>The page of this server is at another address. \
    <a href=\"/\">To the games</a></p></main></body></html>";

/// Answers with a page if a browser shows the path, and otherwise with the refusal of a question.
async fn nothing_here(headers: HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if accepted.is_some_and(|accepted| accepted.contains("text/html")) {
        return (StatusCode::NOT_FOUND, Html(NOTHING_HERE)).into_response();
    }
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing here").into_response()
}

/// Returns the routes of the page. The page itself is at `place`.
fn routes(app: &Arc<App>, place: &str) -> Router {
    Router::new()
        .merge(api::routes())
        .merge(files::routes(place))
        .merge(program_api::routes())
        .with_state(Arc::clone(app))
}

/// The style sheet of the page, for pages of another server with the same look.
pub const STYLE: &str = include_str!("../../page/style.css");

/// The page as a part of another server, which has routes of its own, and calls [`listen`] and [`guard`] for all
/// routes.
pub struct BoardPage {
    app: Arc<App>,
}

impl BoardPage {
    /// Creates the page, whose searches use `processors` processors.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no game, or if a game has no page.
    pub fn new(
        offer: Offer,
        limits: ServerLimits,
        processors: NonZeroUsize,
    ) -> io::Result<BoardPage> {
        Ok(BoardPage { app: Arc::new(App::new(offer, limits, processors)?) })
    }

    /// Returns the routes of the page. The page itself is at `place`, such as `/board`; its files are below `/page/`
    /// and its questions below `/api/`.
    pub fn routes(&self, place: &str) -> Router {
        routes(&self.app, place)
    }

    /// Returns the number of blocking threads of the runtime that the page may need.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.app.threads()
    }

    /// Ends all searches and programs.
    pub fn stop(&self) {
        self.app.searches.stop_all();
        self.app.programs.end_all();
    }
}

/// The address of the server, and of its only client.
const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 80);

/// The time limit of a request, whose body is complete from the beginning.
const REQUEST_TIME: Duration = Duration::from_secs(60);

/// A [`Server`] without connections. Requests come one after the other from one client.
pub struct Answers {
    runtime: Runtime,
    router: Router,
}

impl Answers {
    /// Creates a server of `games` without connections. Each search takes at most `search_time`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no game, if a game has no page, or if the operating system refuses
    /// threads.
    pub fn new(games: Vec<ServedGame>, search_time: Duration) -> io::Result<Answers> {
        let limits = ServerLimits {
            clients: 1,
            clients_per_address: 1,
            request_time: REQUEST_TIME,
            search_time,
            table_mib: games.len(),
        };
        let app = Arc::new(App::new(Offer::of_games(games), limits, NonZeroUsize::MIN)?);
        let runtime = Builder::new_current_thread()
            .enable_time()
            .max_blocking_threads(app.threads())
            .build()?;
        let address = ClientAddress::new(ADDRESS.ip());
        let router = router(&app, Arc::default())
            .layer(Extension(LocalAddress(ADDRESS)))
            .layer(Extension(Caller { address, activity: Arc::default() }));
        Ok(Answers { runtime, router })
    }

    /// Returns the status and the body of the answer to a `POST` of this body as JSON.
    pub fn post(&self, path: &str, body: Vec<u8>) -> (u16, Vec<u8>) {
        let request = Request::post(path)
            .header(header::HOST, ADDRESS.ip().to_string())
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body));
        let Ok(request) = request else { return (400, b"expected a path".to_vec()) };
        let mut router = self.router.clone();
        self.runtime.block_on(async {
            let Ok(response) = router.call(request).await;
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), usize::MAX).await;
            (status, body.map(Vec::from).unwrap_or_default())
        })
    }
}

/// The games and programs that a server offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The games. A request that names no game is about the first.
    pub games: Vec<ServedGame>,
    /// The programs of other people that can play.
    pub programs: ServedPrograms,
    /// If true, the server shows the values of moves. Otherwise engine players neither play perfectly nor use
    /// a book.
    pub analysis: bool,
}

impl Offer {
    /// Returns an offer of these games with the values of moves, and without programs.
    fn of_games(games: Vec<ServedGame>) -> Offer {
        Offer { games, programs: ServedPrograms::default(), analysis: true }
    }
}

/// The limits on the cost of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// The greatest number of clients that search at a time.
    pub clients: usize,
    /// The greatest number of clients at one address that search at a time.
    pub clients_per_address: usize,
    /// The longest time for the head of a request to arrive, for the body to arrive after the head, and in which a
    /// client reads no part of an answer.
    pub request_time: Duration,
    /// The longest time of a search.
    pub search_time: Duration,
    /// The memory for the transposition tables that the searches share, in MiB.
    pub table_mib: usize,
}

/// The state that all requests share.
struct App {
    games: Games,
    engines: Engines,
    turns: Arc<Turns>,
    searches: Arc<Searches>,
    names: Names,
    programs: ProgramGames,
    request_time: Duration,
    search_time: Duration,
}

impl App {
    /// Creates the shared state of a server whose searches use `processors` processors.
    fn new(offer: Offer, limits: ServerLimits, processors: NonZeroUsize) -> io::Result<App> {
        let Offer { games, programs, analysis } = offer;
        let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
        for served in &games {
            served.game.outlast_faults();
        }
        let games = Games::new(games, analysis).map_err(invalid)?;
        Ok(App {
            engines: Engines::new(games.count(), limits.table_mib),
            games,
            turns: Turns::new(processors),
            searches: Searches::new(limits.clients, limits.clients_per_address),
            names: Names::default(),
            programs: ProgramGames::new(programs),
            request_time: limits.request_time,
            search_time: limits.search_time,
        })
    }

    /// Plays a game by the rules.
    async fn replay(self: &Arc<App>, game: GameLine) -> Result<ReplayedGame, Refusal> {
        let app = Arc::clone(self);
        off_thread(move || Ok(game.replay(&app.games)?)).await
    }

    /// Returns the number of blocking threads that the requests may need.
    fn threads(&self) -> usize {
        self.searches.most() + 2 * self.programs.most() + searches::MOST
    }

    /// Returns a refusal if the server does not show the values of moves.
    fn check_values(&self) -> Result<(), Refusal> {
        if self.games.has_values() {
            return Ok(());
        }
        Err(Refusal::new(StatusCode::FORBIDDEN, "this server does not analyze"))
    }

    /// Returns a refusal if this server has not given out the name of the client.
    fn check_name(&self, client: &str) -> Result<(), Refusal> {
        if self.names.has_given(client) {
            return Ok(());
        }
        let why = "this server did not give this name to a client";
        Err(Refusal::new(StatusCode::UNAUTHORIZED, why))
    }
}

/// The greatest length of a body.
const MAX_BYTES: usize = 1 << 20;

/// The parsed body of a request: JSON of limited size that arrived in time. The connection counts as busy as long as
/// the second field lives.
pub(crate) struct ValidJson<T>(pub(crate) T, pub(crate) Busy);

impl<T: DeserializeOwned + Send + 'static> FromRequest<Arc<App>> for ValidJson<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, app: &Arc<App>) -> Result<ValidJson<T>, Refusal> {
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

async fn read(request: Request<Body>, time: Duration) -> Result<Bytes, Refusal> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_answers_without_a_socket() {
        let answers = Answers::new(vec![served()], Duration::from_millis(1)).expect("a server");
        let game = serde_json::json!({ "rules": "standard", "start": ENDGAME, "moves": [] });
        let query = serde_json::json!({ "game": game });
        let (status, body) = answers.post("/api/position", query.to_string().into());
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
        assert_eq!(answers.post("/api/position", b"{".to_vec()).0, 400);
        assert_eq!(answers.post("/api/nothing", Vec::new()).0, 404);
    }

    /// A position with four empty cells, so that a search ends at once. Player 1 can win by two fours in
    /// column 5 and by one four in column 4, and ties in column 1.
    pub(super) const ENDGAME: &str = "0210022/1222011/1222121/2111122/1221211/2111122/1";

    /// Returns the game of the server.
    pub(super) fn served() -> ServedGame {
        ServedGame { game: maxconnect4::game(), book: None }
    }

    /// Returns the shared state of a server.
    pub(super) fn app() -> App {
        let limits = ServerLimits {
            clients: 1,
            clients_per_address: 1,
            request_time: Duration::from_secs(1),
            search_time: Duration::from_secs(1),
            table_mib: 2,
        };
        App::new(Offer::of_games(vec![served()]), limits, NonZeroUsize::MIN).expect("a page")
    }
}
