//! The server of a league: its pages, uploads, and the games that it gives to other machines.
//!
//! Pages are HTML without scripts. Every change is a form, which carries the CSRF token of the session; the server
//! also checks the origin, and a cookie that other sites cannot send. The board page is the page of `plyground serve`,
//! for people who have entered.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Form, Json, Router, middleware};
use clap::Args;
use plyground_arena::second_try::Gate;
use plyground_cli::host_name;
use plyground_durable::work::{cores, pin_to_core};
use plyground_durable::{parse_duration, whole_number};
use plyground_web::ServedGame;
use plyground_web::server::{
    BoardPage, Caller, ClientAddress, ConnectionLimits, Offer, ServedPrograms, ServerLimits, Site,
    guard, listen,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::background::{Builder, play_here, review_games};
use crate::care;
use crate::league::{League, LeagueError};
use crate::playing::Failures;

mod app;
mod games;
mod own;
mod players;
mod staff;
mod upload;
mod view;

pub use games::{Asking, Given, GivenUp, Leased};

use app::{App, Member, Refusal, WorkRefusal, Worker};

pub(crate) use staff::standings_csv;
pub(crate) use upload::CANNOT_PLAY;

/// The settings of a server that depend on the computer and not on the league.
#[derive(Clone, Debug, Args)]
pub struct ServeOptions {
    /// Answer under this name too, as in the address of the browser; may be given several times
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    host: Vec<String>,

    /// The address of a reverse proxy: the last entry of its header X-Forwarded-For is the client
    #[arg(long, value_name = "IP")]
    proxy: Option<IpAddr>,

    /// Send cookies by HTTPS only, because browsers reach the league through the proxy by HTTPS
    #[arg(long)]
    https: bool,

    /// The number of connections at a time, half of which may come from one address
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = whole_number(8..=100_000_usize))]
    connections: usize,

    /// The longest time for a request to arrive, and for a client to send or read nothing
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    request_time: Duration,

    /// Play no games on this machine: other machines play, with `work`
    #[arg(long)]
    no_games: bool,
}

/// The server of a league.
pub struct LeagueServer {
    app: Arc<App>,
    board: BoardPage,
    listener: TcpListener,
    options: ServeOptions,
}

/// The longest search of a visitor on the board page.
const SEARCH_TIME: Duration = Duration::from_secs(20);

/// The number of pages whose positions are searched on the board page at a time. They take turns at one processor, so
/// each costs a thread and little memory.
const SEARCHERS: usize = 64;

/// The number of these pages of one person.
const SEARCHERS_OF_PERSON: usize = 4;

/// The memory for the searches of the board page, in MiB.
const TABLE: usize = 64;

/// The number of pages that are made at a time.
const PAGE_THREADS: usize = 32;

/// The pause between two checks of the deadline.
const TICK: Duration = Duration::from_secs(1);

impl LeagueServer {
    /// Creates a server that listens with `listener`.
    ///
    /// # Errors
    ///
    /// Returns an error if the game has no page, or if the system refuses the socket.
    pub fn new(
        league: Arc<League>,
        listener: TcpListener,
        options: ServeOptions,
    ) -> io::Result<LeagueServer> {
        let book = league.config.game.book().map_err(io::Error::other)?;
        let served = ServedGame { game: league.config.game.clone(), book };
        let offer = Offer {
            games: vec![served],
            programs: ServedPrograms::default(),
            analysis: league.config.analysis,
        };
        let limits = ServerLimits {
            clients: SEARCHERS,
            clients_per_address: SEARCHERS_OF_PERSON,
            request_time: options.request_time,
            search_time: SEARCH_TIME,
            table_mib: TABLE,
        };
        let board = BoardPage::new(offer, limits, NonZeroUsize::MIN)?;
        listener.set_nonblocking(true)?;
        let app = Arc::new(App::new(league, options.https, options.request_time));
        Ok(LeagueServer { app, board, listener, options })
    }

    /// Returns the address at which the server listens.
    ///
    /// # Errors
    ///
    /// Returns an error of the system.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests, builds and plays until `stop` is ready.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses threads.
    pub fn run(self, stop: impl Future<Output = ()> + Send) -> io::Result<()> {
        let LeagueServer { app, board, listener, options } = self;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_io()
            .enable_time()
            .max_blocking_threads(board.threads() + PAGE_THREADS)
            .build()?;
        let router = router(&app, &board, &options);
        let limits = ConnectionLimits {
            connections: options.connections,
            by_address: options.connections / 2,
            request_time: options.request_time,
            proxy: options.proxy,
        };
        let league = Arc::clone(&app.league);
        let (gate, failures) = (Arc::new(Gate::default()), Failures::default());
        let builder = Builder::new(&league, Arc::clone(&gate));
        builder.check_settings().map_err(io::Error::other)?;
        thread::scope(|scope| {
            let league = &*league;
            // Each game has a core, as in a tournament, and builds begin with the last core, so that builds do not
            // slow games if there are enough cores.
            let (jobs, cores, builder) = (league.config.jobs.get(), cores().get(), &builder);
            for job in 0..jobs {
                scope.spawn(move || {
                    pin_to_core(cores.saturating_sub(job + 1));
                    builder.run();
                });
            }
            scope.spawn(|| tick(league));
            scope.spawn(|| review_games(league));
            if !options.no_games {
                for job in 0..jobs {
                    let (gate, failures) = (&gate, &failures);
                    scope.spawn(move || {
                        pin_to_core(job);
                        play_here(league, gate, failures);
                    });
                }
            }
            let stopped = async {
                stop.await;
                league.stop.store(true, Ordering::Relaxed);
                board.stop();
            };
            let result = runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                listen(listener, router, limits, stopped).await;
                Ok(())
            });
            league.stop.store(true, Ordering::Relaxed);
            runtime.shutdown_background();
            result
        })
    }
}

/// Checks the deadline every second, and makes room on the disk every minute.
fn tick(league: &League) {
    let mut count: u64 = 0;
    while !league.is_stopped() {
        // Errors are ignored, because each step is tried again soon, and `doctor` shows lasting faults.
        let _ = league.freeze_if_due();
        if count.is_multiple_of(60) {
            let _ = care::thin(league);
        }
        count += 1;
        thread::sleep(TICK);
    }
}

/// The state as a handler takes it.
type Shared = State<Arc<App>>;

/// Returns the route of a page for members.
fn page<P, R>(show: fn(&App, &Member, P) -> Result<R, Refusal>) -> MethodRouter<Arc<App>>
where
    P: FromRequestParts<Arc<App>> + Send + 'static,
    R: IntoResponse + Send + 'static,
{
    get(move |State(app): Shared, member: Member, asked: P| async move {
        app.off_thread(move |app| show(app, &member, asked)).await
    })
}

/// Returns the route of a form of members.
fn form<P, F, R>(take: fn(&App, &Member, P, F) -> Result<R, Refusal>) -> MethodRouter<Arc<App>>
where
    P: FromRequestParts<Arc<App>> + Send + 'static,
    F: DeserializeOwned + Send + 'static,
    R: IntoResponse + Send + 'static,
{
    post(move |State(app): Shared, member: Member, asked: P, Form(form): Form<F>| async move {
        app.off_thread(move |app| take(app, &member, asked, form)).await
    })
}

/// Returns the route of a message of the machines that play games.
fn message<M, R>(answer: fn(&League, &str, M) -> Result<R, LeagueError>) -> MethodRouter<Arc<App>>
where
    M: DeserializeOwned + Send + 'static,
    R: Serialize + Send + 'static,
{
    post(move |State(app): Shared, Worker(worker): Worker, Json(message): Json<M>| async move {
        let answered = app.off_thread(move |app| Ok(answer(&app.league, &worker, message)?));
        Ok::<_, WorkRefusal>(Json(answered.await?))
    })
}

fn router(app: &Arc<App>, board: &BoardPage, options: &ServeOptions) -> Router {
    let site = Site { hosts: options.host.clone(), has_forms: true };
    let board = board.routes("/board").layer(from_fn_with_state(Arc::clone(app), members_only));
    Router::new()
        .route("/", page(players::standings))
        .route("/enter/{token}", get(own::ask))
        .route("/enter", post(own::enter))
        .route("/leave", form(own::leave))
        .route("/me", page(own::me))
        .route("/me/name", form(own::rename))
        .route("/version/{id}", page(own::version))
        .route("/version/{id}/checks", page(own::checks))
        .route("/version/{id}/activate", form(own::activate))
        .route("/player/{id}", page(players::player))
        .route("/player/{id}/review", page(players::review).merge(form(players::want_review)))
        .route("/games", page(games::games))
        .route("/game/{id}", page(games::game))
        .route("/game/{id}/record", page(games::record))
        .route("/game/{id}/review", page(games::review).merge(form(games::want_review)))
        .route("/staff", page(staff::staff))
        .route("/staff/{action}", form(staff::act))
        .route("/standings.csv", page(staff::csv))
        .route("/league.css", get(view::style))
        .route("/work/take", message(games::take))
        .route("/work/version/{content}", get(games::packed_version))
        .route("/work/renew", message(games::renew))
        .route("/work/give", message(games::give))
        .route("/work/fail", message(games::fail))
        .merge(
            Router::new()
                .route("/upload", post(upload::upload))
                .route("/push", post(upload::push))
                .route("/push/{id}", get(upload::pushed))
                .layer(DefaultBodyLimit::max(upload::most_bytes(app))),
        )
        .with_state(Arc::clone(app))
        .merge(board)
        .fallback(|| async { Refusal::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .layer(middleware::from_fn(no_store))
        .layer(from_fn_with_state(Arc::new(site), guard))
}

/// Forbids caching of personal pages.
async fn no_store(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_shared = path.starts_with("/page/") || path == "/league.css";
    let mut response = next.run(request).await;
    if !is_shared {
        let value = axum::http::HeaderValue::from_static("no-store");
        response.headers_mut().entry(axum::http::header::CACHE_CONTROL).or_insert(value);
    }
    response
}

/// Lets through only requests of people who have entered. The limits of the board page count a person as an address,
/// because students may share an address and a student may have many.
async fn members_only(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    // Styles and scripts of the page are no secret.
    if request.uri().path().starts_with("/page/") {
        return next.run(request).await;
    }
    match Member::of(&app, request.headers()).await {
        Ok(Member(session)) => {
            if let Some(caller) = request.extensions_mut().get_mut::<Caller>() {
                caller.address = ClientAddress::of_person(session.person.id);
            }
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}
