//! The state that all requests share.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;

use crate::questions::{Engines, Games, ServedGame};
use crate::server::programs::{ProgramGames, ServedPrograms};
use crate::server::searches::{Names, Searches};
use crate::server::site::Refusal;
use crate::server::turns::Turns;

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

/// The limits on the cost of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// The greatest number of clients that search at a time.
    pub clients: usize,
    /// The greatest number of them at one address.
    pub clients_per_address: usize,
    /// The longest time for the head of a request to arrive, the same again for the body, and the longest
    /// time in which a client takes no part of its answer.
    pub request_time: Duration,
    /// The longest time of a search.
    pub search_time: Duration,
    /// The memory for the transposition tables that the searches share, in MiB.
    pub table_mib: usize,
}

/// The state that all requests share.
pub(super) struct App {
    pub(super) games: Games,
    pub(super) engines: Engines,
    pub(super) turns: Arc<Turns>,
    pub(super) searches: Arc<Searches>,
    pub(super) names: Names,
    pub(super) programs: ProgramGames,
    pub(super) request_time: Duration,
    pub(super) search_time: Duration,
}

impl App {
    /// Creates the shared state of a server whose searches use `processors` processors.
    pub(super) fn new(
        offer: Offer,
        limits: ServerLimits,
        processors: NonZeroUsize,
    ) -> io::Result<App> {
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

    /// Returns a refusal if the server does not show the values of moves.
    pub(super) fn check_values(&self) -> Result<(), Refusal> {
        if self.games.has_values() {
            return Ok(());
        }
        let why = "this server does not say what moves are worth";
        Err(Refusal::new(StatusCode::FORBIDDEN, why))
    }

    /// Returns a refusal if this server has not given out the name of the client.
    pub(super) fn check_name(&self, client: &str) -> Result<(), Refusal> {
        if self.names.has_given(client) {
            return Ok(());
        }
        let why = "this server has not given out this name for a client";
        Err(Refusal::new(StatusCode::UNAUTHORIZED, why))
    }
}
