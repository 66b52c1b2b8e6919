//! A server for any number of games, with one page to play and to analyze them on.
//!
//! What the page asks, and the answers, are in [`plyground_page`]. The server keeps no games: every
//! request carries a whole game, and the server answers from that alone. Only the programs of other
//! people that a page plays with (`programs/`) live from one request to the next.
//!
//! The server answers only requests that name its own address, or a name that it was told
//! (`site.rs`), and limits what a client may cost: the size and time of requests and of the taking
//! of answers (`valid_json.rs`, `listen.rs`), the number of connections (`connections.rs`), one
//! search for each client by a name that the server has given it (`searches.rs`, `names.rs`),
//! transposition tables of limited size for all ([`Engines`]), and turns at the processors
//! (`turns.rs`). The programs of other people that play are those that the operator names, each in a
//! limited number of games. No client gets more by coming from one address many times.

mod address;
mod answers;
mod api;
mod assets;
mod beside;
mod connections;
mod explain;
mod listen;
mod machine;
mod names;
mod off_thread;
mod programs;
mod refusal;
mod searches;
mod site;
#[cfg(test)]
mod testing;
mod turns;
mod valid_json;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use plyground_page::{Engines, Games};

pub use crate::answers::Answers;
pub use plyground_page::ServedGame;

use crate::listen::{ConnectionLimits, listen};
use crate::names::Names;
use crate::programs::ProgramGames;
use crate::refusal::Refusal;
use crate::searches::Searches;
use crate::site::guard;
use crate::turns::Turns;

pub use crate::programs::{ServedProgram, ServedPrograms};

/// What a server offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The games. A request that names none is about the first.
    pub games: Vec<ServedGame>,
    /// The programs of other people that can be played with.
    pub programs: ServedPrograms,
    /// Whether the server says what moves are worth. Without it, machines neither play perfectly nor
    /// go by a book.
    pub analysis: bool,
}

/// What a server may spend.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// How many clients may have a search at a time.
    pub clients: usize,
    /// How many of them may be at one address.
    pub clients_per_address: usize,
    /// How long the head of a request may take to arrive, and then the body, and how long a client
    /// may take no part of its answer.
    pub request_time: Duration,
    /// How long a search may take.
    pub search_time: Duration,
    /// Memory for the transposition tables that the searches share, in MiB.
    pub table_mib: usize,
}

/// How the server is reached besides its own address.
#[derive(Clone, Debug, Default)]
pub struct ServerNames {
    /// The names that the Host header of a request may have, each as the browser sends it.
    pub hosts: Vec<String>,
    /// The address of a reverse proxy. The client of a request from there is the last in its header
    /// X-Forwarded-For.
    pub proxy: Option<IpAddr>,
}

/// The connections beyond two for each client: some wait for the next request, and some are of
/// clients that are then told that there are too many.
const MORE_CONNECTIONS: usize = 64;

/// A server for some games.
pub struct Server {
    listener: std::net::TcpListener,
    app: Arc<App>,
    connection_limits: ConnectionLimits,
    hosts: Arc<[String]>,
}

/// What all requests share.
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

impl Server {
    /// A server of all this at this listener.
    ///
    /// # Errors
    ///
    /// When there is no game, when a game has no page, or when the OS refuses the socket.
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
        let hosts = names.hosts.into();
        Ok(Server { listener, app: Arc::new(app), connection_limits, hosts })
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
        let Server { listener, app, connection_limits, hosts } = self;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(app.searches.most() + 2 * app.programs.most() + off_thread::MOST)
            .build()?;
        let router = router(&app, hosts);
        let searches = Arc::clone(&app.searches);
        let stopped = async move {
            stop.await;
            searches.stop_all();
        };
        let result = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(programs::sweep(Arc::clone(&app)));
            listen(listener, router, connection_limits, stopped).await;
            Ok(())
        });
        app.programs.end_all();
        runtime.shutdown_background();
        result
    }
}

impl App {
    /// What a server of all this shares that searches on so many processors.
    fn new(offer: Offer, limits: ServerLimits, processors: NonZeroUsize) -> io::Result<App> {
        let Offer { games, programs, analysis } = offer;
        let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
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

    /// Refuses to say what moves are worth, if that is not offered.
    fn check_values(&self) -> Result<(), Refusal> {
        if self.games.has_values() {
            return Ok(());
        }
        let why = "this server does not say what moves are worth";
        Err(Refusal::new(StatusCode::FORBIDDEN, why))
    }

    /// Refuses a name of a client that was not given here.
    fn check_name(&self, client: &str) -> Result<(), Refusal> {
        if self.names.has_given(client) {
            return Ok(());
        }
        let why = "this server has not given out this name for a client";
        Err(Refusal::new(StatusCode::UNAUTHORIZED, why))
    }
}

fn router(app: &Arc<App>, hosts: Arc<[String]>) -> Router {
    Router::new()
        .merge(assets::routes())
        .merge(api::routes())
        .merge(beside::routes())
        .merge(explain::routes())
        .merge(programs::routes())
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .layer(from_fn_with_state(hosts, guard))
        .with_state(Arc::clone(app))
}
