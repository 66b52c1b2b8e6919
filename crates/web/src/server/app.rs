//! The state that all requests share, and the body of a request as JSON.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use hyper::body::Body as _;
use serde::de::DeserializeOwned;

use crate::questions::{Engines, Games, ServedGame};
use crate::server::connections::{Busy, Caller};
use crate::server::programs::{ProgramGames, ServedPrograms};
use crate::server::searches::{Names, Searches, Turns, off_thread};
use crate::server::site::Refusal;

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

/// The greatest length of a body.
const MAX_BYTES: usize = 1 << 20;

/// The parsed body of a request: JSON of limited size that arrived in time. The server counts as at work for
/// the client as long as the second field lives.
pub(crate) struct ValidJson<T>(pub(crate) T, pub(crate) Busy);

impl<T: DeserializeOwned + Send + 'static> FromRequest<Arc<App>> for ValidJson<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<ValidJson<T>, Refusal> {
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

async fn read(request: Request, time: Duration) -> Result<Bytes, Refusal> {
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
pub(crate) mod tests {
    use super::*;

    /// A position with four empty cells, so that a search ends at once. Player 1 can win by two fours in
    /// column 5 and by one four in column 4, and ties in column 1.
    pub(crate) const ENDGAME: &str = "0210022/1222011/1222121/2111122/1221211/2111122/1";

    /// Returns the game of the server.
    pub(crate) fn served() -> ServedGame {
        ServedGame { game: maxconnect4::game(), book: None }
    }

    /// Returns the shared state of a server.
    pub(crate) fn app() -> App {
        let games = Games::new(vec![served()], true).expect("a game with a page");
        App {
            engines: Engines::new(games.count(), 2),
            games,
            turns: Turns::new(std::num::NonZeroUsize::MIN),
            searches: Searches::new(1, 1),
            names: Names::default(),
            programs: ProgramGames::new(ServedPrograms::default()),
            request_time: Duration::from_secs(1),
            search_time: Duration::from_secs(1),
        }
    }
}
