//! A server for one game, with a page to play and to analyse on.
//!
//! The page is the same for every game: what it shows is data from [`OnPage`], and it knows no
//! rules. The server keeps no games. Every request has the whole game in it, and is answered from
//! that alone.
//!
//! Strangers are kept out by the address that requests must name (`site.rs`), and what a client may
//! cost is limited: the size and time of requests (`posted.rs`, `listen.rs`), one search to a client
//! (`searches.rs`), one transposition table for all, and turns at the processors ([`Turns`]).

mod analysis;
mod api;
mod assets;
mod choice;
mod files;
mod game_line;
mod listen;
mod on_page;
mod posted;
mod refusal;
mod searches;
mod site;
mod view;
mod worth;

use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn;

pub use on_page::{
    Count, Edges, Ground, Layout, Look, OnPage, Path, Picture, Piece, Stroke, StrokeKind,
};

use self::listen::{Manners, listen};
use self::refusal::Refusal;
use self::searches::Searches;
use self::site::{HasSite, Site, guard};
use crate::book::Book;
use crate::search::{AlphaBeta, Options, Turns};

/// What a server may spend.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many clients may have a search at a time.
    pub clients: usize,
    /// How long the head of a request may take to arrive, and then the body.
    pub request_time: Duration,
    /// How long a search may take.
    pub search_time: Duration,
    /// Memory for the transposition table that all searches share, in MiB.
    pub table_mib: usize,
}

/// Connections beside those of a search to each client: those that wait for the next request, and
/// those of newcomers, who are then told that there are too many.
const MORE_CONNECTIONS: usize = 64;

/// A server for one game.
pub struct Server<P: OnPage> {
    listener: std::net::TcpListener,
    app: Arc<App<P>>,
    manners: Manners,
}

/// What all requests share.
struct App<P: OnPage> {
    program: P,
    book: Option<Book>,
    /// Whose table all searches share.
    search: AlphaBeta<P::Evaluator>,
    turns: Arc<Turns>,
    searches: Arc<Searches>,
    search_time: Duration,
    site: Site,
}

impl<P: OnPage> HasSite for Arc<App<P>> {
    fn site(&self) -> &Site {
        &self.site
    }
}

impl<P: OnPage> Server<P> {
    /// A server at this listener.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn new(
        program: P,
        book: Option<Book>,
        listener: std::net::TcpListener,
        limits: Limits,
    ) -> io::Result<Server<P>> {
        listener.set_nonblocking(true)?;
        let options = Options { table_mib: limits.table_mib, ..Options::default() };
        let processors = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let app = App {
            search: AlphaBeta::new(program.evaluator(), options),
            program,
            book,
            turns: Turns::new(processors),
            searches: Searches::new(limits.clients),
            search_time: limits.search_time,
            site: Site { request_time: limits.request_time },
        };
        let connections = 2 * limits.clients + MORE_CONNECTIONS;
        let manners = Manners { connections, request_time: limits.request_time };
        Ok(Server { listener, app: Arc::new(app), manners })
    }

    /// The address at which it listens.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop`, then ends all searches and connections within a moment.
    ///
    /// # Errors
    ///
    /// When the system refuses threads or the socket.
    pub fn run(self, stop: impl Future<Output = ()> + Send) -> io::Result<()> {
        let Server { listener, app, manners } = self;
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
            listen(listener, router, manners, stopped).await;
            Ok(())
        });
        runtime.shutdown_background();
        result
    }
}

fn router<P: OnPage>(app: &Arc<App<P>>) -> Router {
    Router::new()
        .merge(assets::routes())
        .merge(api::routes())
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .layer(from_fn(guard))
        .with_state(Arc::clone(app))
}
