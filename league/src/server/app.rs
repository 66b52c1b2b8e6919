//! The state that all requests share, the person of a request, the rate at which requests may come, and refusals.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use plyground_durable::shorten;
use plyground_web::server::{ClientAddress, Places};
use rusqlite::Connection;
use serde::Deserialize;
use tokio::task::spawn_blocking;

use crate::league::{League, LeagueError};
use crate::store::people::{self, Person};
use crate::store::{Role, Session, StoreError, Token};

/// The state that all requests share.
pub(super) struct App {
    pub(super) league: Arc<League>,
    pub(super) https: bool,
    pub(super) request_time: Duration,
    /// The places of each person for uploads in progress.
    pub(super) uploading: Arc<Places<i64>>,
    /// The attempts of each address to enter.
    pub(super) entries: Rates<ClientAddress>,
    /// The requests of each person.
    requests: Rates<i64>,
}

/// The number of attempts of an address to enter at once, and per second. The numbers are large because many students
/// may share an address.
const ENTRIES: (f64, f64) = (100.0, 1.0);

/// The most uploads of a person at a time.
const MOST_UPLOADS: usize = 2;

/// The number of requests of a person at once, and per second.
const REQUESTS: (f64, f64) = (200.0, 10.0);

impl App {
    pub(super) fn new(league: Arc<League>, https: bool, request_time: Duration) -> App {
        let entries = Rates::new(ENTRIES.0, ENTRIES.1);
        let requests = Rates::new(REQUESTS.0, REQUESTS.1);
        let uploading = Places::new(MOST_UPLOADS);
        App { league, https, request_time, uploading, entries, requests }
    }

    /// Returns the name of the cookie. Browsers accept a cookie with the prefix `__Host-` over HTTPS only, and not
    /// from another server of the same domain.
    pub(super) fn cookie(&self) -> &'static str {
        if self.https { "__Host-league" } else { "league" }
    }

    /// Counts a request of a person, and refuses it if there were too many.
    fn count_request(&self, person: i64) -> Result<(), Refusal> {
        let why = "too many requests: wait a moment";
        let refused = || Refusal::new(StatusCode::TOO_MANY_REQUESTS, why);
        self.requests.allow(person).then_some(()).ok_or_else(refused)
    }

    /// Reads the database in a thread of its own.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<App>,
        look: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.off_thread(move |app| Ok(app.league.store.read(look)?)).await
    }

    /// Runs work that may block on the disk in a thread of its own.
    pub(super) async fn off_thread<T: Send + 'static>(
        self: &Arc<App>,
        work: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let app = Arc::clone(self);
        match spawn_blocking(move || work(&app)).await {
            Ok(result) => result,
            Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has failed")),
        }
    }
}

/// The refusal of a request: a status, and the reason as one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) why: String,
    pub(super) is_page: bool,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: shorten(&why.into()).into_owned(), is_page: true }
    }

    pub(super) fn bad(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, why)
    }

    pub(super) fn missing() -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, "there is nothing here")
    }

    /// Returns the refusal as text for a program instead of a page.
    pub(super) fn in_text(self) -> Refusal {
        Refusal { is_page: false, ..self }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        LeagueError::from(error).into()
    }
}

impl From<LeagueError> for Refusal {
    fn from(error: LeagueError) -> Refusal {
        match error {
            LeagueError::Refused(why) | LeagueError::Store(StoreError::Refused(why)) => {
                Refusal::new(StatusCode::CONFLICT, why)
            }
            // Visitors must not see the paths of the server's files.
            _ => {
                let why =
                    "the server cannot do this now: try again later, and tell your instructor";
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why)
            }
        }
    }
}

/// A person who has entered.
#[derive(Clone, Debug)]
pub(super) struct Member(pub(super) Session);

impl Member {
    /// Returns the member who sends these headers.
    pub(super) async fn of(app: &Arc<App>, headers: &HeaderMap) -> Result<Member, Refusal> {
        let refused = || {
            Refusal::new(StatusCode::UNAUTHORIZED, "open the link that your instructor sent you")
        };
        let token = cookie(headers, app.cookie()).and_then(Token::read).ok_or_else(refused)?;
        let now = app.league.clock.now();
        let found = app.read(move |db| Session::find(db, &token.hash(), now));
        let session = found.await?.ok_or_else(refused)?;
        app.count_request(session.person.id)?;
        Ok(Member(session))
    }

    pub(super) fn is_instructor(&self) -> bool {
        self.0.person.role == Role::Instructor
    }

    /// Checks that a form belongs to this session.
    pub(super) fn check(&self, form: &str) -> Result<(), Refusal> {
        if form == self.0.form {
            return Ok(());
        }
        let why = "this form is of another session: reload the page, and send it again";
        Err(Refusal::new(StatusCode::FORBIDDEN, why))
    }
}

impl FromRequestParts<Arc<App>> for Member {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Member, Refusal> {
        Member::of(app, &parts.headers).await
    }
}

/// The CSRF token, which every form carries.
#[derive(Debug, Deserialize)]
pub(super) struct Form {
    pub(super) form: String,
}

/// Returns the value of the cookie of this name.
fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(found, _)| *found == name).map(|(_, value)| value);
    values.next()
}

/// Returns the token after `Bearer`.
fn bearer(headers: &HeaderMap) -> Option<Token> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    Token::read(value.strip_prefix("Bearer ")?)
}

/// Returns the person who owns the invitation in the headers of a program.
pub(super) async fn bearing_person(app: &Arc<App>, headers: &HeaderMap) -> Result<Person, Refusal> {
    let refused = || {
        let why =
            "expected the header `Authorization: Bearer TOKEN` with the last part of your link";
        Refusal::new(StatusCode::UNAUTHORIZED, why)
    };
    let token = bearer(headers).ok_or_else(refused)?;
    let found = app.read(move |db| people::invited(db, &token.hash()));
    let (_, person) = found.await?.ok_or_else(refused)?;
    app.count_request(person.id)?;
    Ok(person)
}

/// A machine that plays games.
pub(super) struct Worker(pub(super) String);

/// A refusal for a program, as JSON.
pub(super) struct WorkRefusal(Refusal);

impl From<Refusal> for WorkRefusal {
    fn from(refusal: Refusal) -> WorkRefusal {
        WorkRefusal(refusal)
    }
}

impl IntoResponse for WorkRefusal {
    fn into_response(self) -> Response {
        let body = Json(serde_json::json!({ "error": self.0.why }));
        (self.0.status, body).into_response()
    }
}

impl FromRequestParts<Arc<App>> for Worker {
    type Rejection = WorkRefusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Worker, WorkRefusal> {
        let refused = || Refusal::new(StatusCode::UNAUTHORIZED, "expected the token of a worker");
        let token = bearer(&parts.headers).ok_or_else(refused)?;
        let found = app.read(move |db| people::worker(db, &token.hash()));
        Ok(Worker(found.await?.ok_or_else(refused)?))
    }
}

/// The rates of requests of clients: a number of requests at once, and then a number per second.
#[derive(Debug)]
pub(super) struct Rates<K> {
    most: f64,
    per_second: f64,
    used: Mutex<HashMap<K, (f64, Instant)>>,
}

/// The number of clients in memory above which clients without recent requests are forgotten.
const REMEMBERED: usize = 4_096;

impl<K: Eq + Hash> Rates<K> {
    /// Creates rates that allow `most` requests at once, and `per_second` after that.
    fn new(most: f64, per_second: f64) -> Rates<K> {
        Rates { most, per_second, used: Mutex::default() }
    }

    /// Counts a request of a client. Returns false if the client has sent too many requests.
    pub(super) fn allow(&self, client: K) -> bool {
        self.allow_at(client, Instant::now())
    }

    fn allow_at(&self, client: K, now: Instant) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let left = |&(used, since): &(f64, Instant)| {
            (used - self.per_second * now.saturating_duration_since(since).as_secs_f64()).max(0.0)
        };
        if used.len() > REMEMBERED {
            used.retain(|_, state| left(state) > 0.0);
        }
        let state = used.entry(client).or_insert((0.0, now));
        let before = left(state);
        let is_allowed = before + 1.0 <= self.most;
        *state = (if is_allowed { before + 1.0 } else { before }, now);
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn client_that_rests_may_go_on() {
        let (rates, now) = (Rates::new(2.0, 0.5), Instant::now());
        assert!(rates.allow_at("ann", now) && rates.allow_at("ann", now));
        assert!(!rates.allow_at("ann", now) && rates.allow_at("bob", now));
        let later = now + Duration::from_secs(2);
        assert!(rates.allow_at("ann", later) && !rates.allow_at("ann", later));
    }
}
