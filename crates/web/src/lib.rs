//! A server for any number of games, with one page to play and to analyze them on.
//!
//! The page is the same for every game: what it shows is data from [`plyground_host::page`], and it
//! knows no rules. The server keeps no games. Every request carries a whole game, and the server
//! answers from that alone.
//!
//! The server answers only requests that name its own address (`site.rs`), and limits what a client
//! may cost: the size and time of requests (`valid_json.rs`, `listen.rs`), one search for each
//! client (`searches.rs`), transposition tables of limited size for all (`engines.rs`), and turns at
//! the processors (`turns.rs`).

mod analysis;
mod api;
mod assets;
mod choice;
mod engines;
mod files;
mod line_view;
mod listen;
mod refusal;
mod replayed_game;
mod score_view;
mod searches;
mod site;
#[cfg(test)]
mod testing;
mod turns;
mod valid_json;
mod view;

use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn;
use plyground::book::Book;
use plyground_host::SharedGame;

use crate::engines::Engines;
use crate::listen::{ConnectionLimits, listen};
use crate::refusal::Refusal;
use crate::searches::Searches;
use crate::site::guard;
use crate::turns::Turns;

/// A game on the page.
#[derive(Clone, Debug)]
pub struct ServedGame {
    /// The game, by the rules that a new visitor of the page finds.
    pub game: SharedGame,
    /// The book for these rules, if there is one.
    pub book: Option<Book>,
}

/// What a server may spend.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// How many clients may have a search at a time.
    pub clients: usize,
    /// How long the head of a request may take to arrive, and then the body.
    pub request_time: Duration,
    /// How long a search may take.
    pub search_time: Duration,
    /// Memory for the transposition tables that the searches share, in MiB.
    pub table_mib: usize,
}

/// The connections beyond two for each client: some wait for the next request, and some are of
/// clients that are then told that there are too many.
const MORE_CONNECTIONS: usize = 64;

/// A server for some games.
pub struct Server {
    listener: std::net::TcpListener,
    app: Arc<App>,
    connection_limits: ConnectionLimits,
}

/// What all requests share.
struct App {
    games: Vec<Arc<ServedGame>>,
    engines: Engines,
    turns: Arc<Turns>,
    searches: Arc<Searches>,
    request_time: Duration,
    search_time: Duration,
}

impl Server {
    /// A server at this listener. A request that names no game is about the first of `games`.
    ///
    /// # Errors
    ///
    /// When there is no game, when a game has no page, or when the OS refuses the socket.
    pub fn new(
        games: Vec<ServedGame>,
        listener: std::net::TcpListener,
        limits: ServerLimits,
    ) -> io::Result<Server> {
        let invalid = |why: String| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        if games.is_empty() {
            return invalid("there is no game to serve".to_owned());
        }
        if let Some(served) = games.iter().find(|served| served.game.layout().is_none()) {
            return invalid(format!("{} has no page", served.game.name()));
        }
        listener.set_nonblocking(true)?;
        let processors = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let connection_limits = ConnectionLimits {
            connections: 2 * limits.clients + MORE_CONNECTIONS,
            request_time: limits.request_time,
        };
        let app = App {
            engines: Engines::new(games.len(), limits.table_mib),
            games: games.into_iter().map(Arc::new).collect(),
            turns: Turns::new(processors),
            searches: Searches::new(limits.clients),
            request_time: limits.request_time,
            search_time: limits.search_time,
        };
        Ok(Server { listener, app: Arc::new(app), connection_limits })
    }

    /// The address at which it listens.
    ///
    /// # Errors
    ///
    /// When the OS does not tell it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop`, then ends all searches and connections within a moment.
    ///
    /// # Errors
    ///
    /// When the OS refuses threads or the socket.
    pub fn run(self, stop: impl Future<Output = ()> + Send) -> io::Result<()> {
        let Server { listener, app, connection_limits } = self;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(app.searches.most())
            .build()?;
        let router = router(&app);
        let searches = Arc::clone(&app.searches);
        let stopped = async move {
            stop.await;
            searches.stop_all();
        };
        let result = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            listen(listener, router, connection_limits, stopped).await;
            Ok(())
        });
        runtime.shutdown_background();
        result
    }
}

impl App {
    /// The game of this name; the first one if there is no name.
    fn served(&self, name: Option<&str>) -> Result<Arc<ServedGame>, Refusal> {
        let Some(name) = name else { return Ok(Arc::clone(&self.games[0])) };
        let found = self.games.iter().find(|served| served.game.name() == name);
        found.cloned().ok_or_else(|| {
            Refusal::input(format!("there is no game called `{}`", name.escape_debug()))
        })
    }
}

fn router(app: &Arc<App>) -> Router {
    Router::new()
        .merge(assets::routes())
        .merge(api::routes())
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .layer(from_fn(guard))
        .with_state(Arc::clone(app))
}
