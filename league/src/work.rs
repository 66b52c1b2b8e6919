//! A client that plays games of a league on another machine: the client asks the server for a game, fetches missing
//! programs, plays, and sends the result. The client may be stopped at any moment, because the server then gives the
//! game to another machine.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;
use plyground_arena::second_try::Gate;
use plyground_durable::lock::{LockedFile, open_locked, open_shared};
use plyground_durable::work::pin_to_core;
use plyground_durable::{excerpt, one_line};
use plyground_sandbox::{ByteSize, remove_folder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use ureq::Agent;
use ureq::http::StatusCode;
use ureq::http::header::LOCATION;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::care::size_of;
use crate::league::{BEAT, CODE, LARGEST};
use crate::playing::{Assignment, Failures, NotPlayed, Outcome, Table, rest};
use crate::server::{Asking, CANNOT_PLAY, Given, GivenUp, Leased};
use crate::store::Token;

/// The answer of a server.
type Answer = Result<ureq::http::Response<ureq::Body>, ureq::Error>;

/// The error of a machine that plays.
#[derive(Debug, Error)]
pub enum WorkError {
    /// The server refuses for good, for example because the token is wrong.
    #[error("the server refuses: {0}")]
    Refused(String),
    /// A failure that may pass, for example because the server is not reached.
    #[error("{0}")]
    Away(String),
}

/// The longest answer of a server, in bytes: a program with its packages and its build, and the headers of the files.
const LONGEST: u64 = 2 * LARGEST.0;
/// The longest text of a server, in bytes.
const LONGEST_TEXT: u64 = 64 << 20;

/// The time limit of a request.
const REQUEST_TIME: Duration = Duration::from_secs(60);

/// The time limit for fetching a program: enough for the largest program at a megabyte per second.
const FETCH_TIME: Duration = Duration::from_secs(600);

/// The time limit of an upload, including the time for which the server waits for the build.
const PUSH_TIME: Duration = Duration::from_secs(600);

/// The pause before the result of a build is asked for again.
const ASK_PAUSE: Duration = Duration::from_millis(500);

/// The result of an upload.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// False if the program cannot play, for example because its build failed.
    pub plays: bool,
    /// The results of the build and the checks, in words.
    pub answer: String,
}

/// A server as a client sees it.
#[derive(Clone, Debug)]
pub struct Client {
    agent: Agent,
    url: String,
    token: String,
}

impl Client {
    /// Creates a client of the server at `url`.
    ///
    /// # Errors
    ///
    /// Returns an error if the address begins with `https://` and the system trusts no certificates.
    pub fn new(url: &str, token: &str) -> Result<Client, WorkError> {
        let mut config = Agent::config_builder()
            .timeout_global(Some(REQUEST_TIME))
            .http_status_as_error(false)
            // The token must not be sent to any other address than the given one.
            .max_redirects(0);
        if url.starts_with("https://") {
            config = config.tls_config(tls()?);
        }
        let (url, token) = (url.trim_end_matches('/').to_owned(), token.trim().to_owned());
        Ok(Client { agent: config.build().into(), url, token })
    }

    fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, WorkError> {
        let text = serde_json::to_vec(body).map_err(|error| WorkError::Away(error.to_string()))?;
        let request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        let answer = request.send(&text[..]);
        let body = self.taken(answer)?;
        serde_json::from_slice(&body).map_err(|error| WorkError::Away(error.to_string()))
    }

    /// Uploads files, each with its name, and waits for the build and the checks.
    ///
    /// # Errors
    ///
    /// Returns an error if the server is not reached or refuses the upload.
    pub fn push(&self, files: &[(String, Vec<u8>)]) -> Result<Pushed, WorkError> {
        let boundary = Token::draw().map_err(|error| WorkError::Away(error.to_string()))?;
        let boundary = format!("plyground-{}", boundary.text());
        let mut body = Vec::new();
        for (name, bytes) in files {
            let name = name.replace(|symbol: char| symbol == '"' || symbol.is_control(), "_");
            let head = format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n"
            );
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(bytes);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let request = self
            .agent
            .post(format!("{}/push", self.url))
            .config()
            .timeout_global(Some(PUSH_TIME))
            .build()
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", format!("multipart/form-data; boundary={boundary}"));
        let mut answer = request.send(&body[..]);
        // The server answers before a reverse proxy ends the request, and names the path at which to ask again.
        while let Some(place) = answer.as_ref().ok().and_then(place_to_ask) {
            thread::sleep(ASK_PAUSE);
            let request = self.agent.get(format!("{}{place}", self.url));
            answer = request.header("authorization", format!("Bearer {}", self.token)).call();
        }
        let is_refused = |answer: &ureq::http::Response<_>| answer.status() == CANNOT_PLAY;
        let plays = !answer.as_ref().is_ok_and(is_refused);
        let body = self.taken(answer)?;
        Ok(Pushed { plays, answer: String::from_utf8_lossy(&body).into_owned() })
    }

    /// Returns the text of an answer.
    fn taken(&self, answer: Answer) -> Result<Vec<u8>, WorkError> {
        let text = self.body(answer)?.into_with_config().limit(LONGEST_TEXT).read_to_vec();
        text.map_err(|error| {
            WorkError::Away(format!("{}: {}", self.url, one_line(&error.to_string())))
        })
    }

    /// Returns the body of an answer that is not a refusal.
    fn body(&self, answer: Answer) -> Result<ureq::Body, WorkError> {
        let away = |error: String| WorkError::Away(format!("{}: {}", self.url, one_line(&error)));
        let answer = answer.map_err(|error| away(told(&error)))?;
        let status = answer.status();
        if let Some(place) = answer.headers().get(LOCATION).filter(|_| status.is_redirection()) {
            let place = String::from_utf8_lossy(place.as_bytes());
            let place = excerpt(&one_line(&place));
            return Err(WorkError::Refused(format!(
                "{} leads to {place}: give that address",
                self.url
            )));
        }
        let mut body = answer.into_body();
        if status.is_success() || status == CANNOT_PLAY {
            return Ok(body);
        }
        let said = body.with_config().limit(LONGEST_TEXT).read_to_vec();
        let said = said.map_err(|error| away(error.to_string()))?;
        let said = String::from_utf8_lossy(&said);
        let said = format!("{status}: {}", excerpt(&one_line(said.trim_end())));
        // Waiting does not make a wrong token valid.
        if status.as_u16() == 401 { Err(WorkError::Refused(said)) } else { Err(away(said)) }
    }

    /// Fetches the program of this hash into the folder, unless the program is there. The program stays there until
    /// the returned file is dropped.
    fn fetch(&self, content: &str, folder: &Path) -> Result<LockedFile, WorkError> {
        let place = folder.join(content);
        let away = |error: std::io::Error| WorkError::Away(format!("{content}: {error}"));
        if let Some(used) = using(&place).map_err(away)? {
            return Ok(used);
        }
        make_room(folder, MOST_KEPT);
        let request = self
            .agent
            .get(format!("{}/work/version/{content}", self.url))
            .config()
            .timeout_global(Some(FETCH_TIME))
            .build()
            .header("authorization", format!("Bearer {}", self.token));
        let packed = self.body(request.call())?.into_with_config().limit(LONGEST).reader();
        let new = tempfile::Builder::new().prefix(DRAFT).tempdir_in(folder).map_err(away)?;
        let used = open_shared(&new.path().join(LOCK)).map_err(|error| away(error.source))?;
        let reader = GzDecoder::new(packed).take(LONGEST);
        tar::Archive::new(reader).unpack(new.path()).map_err(away)?;
        match fs::rename(new.path(), &place) {
            Ok(()) => Ok(used),
            // Another thread was faster.
            Err(error) => using(&place).map_err(away)?.ok_or_else(|| away(error)),
        }
    }
}

/// Returns the settings of TLS, with the certificates that the system trusts or, if the variable `SSL_CERT_FILE` names
/// a file, the certificates of this file.
fn tls() -> Result<TlsConfig, WorkError> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        let why = found.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        return Err(WorkError::Away(format!(
            "the system trusts no certificates{why}: install the package ca-certificates, or name a file in \
             the variable SSL_CERT_FILE"
        )));
    }
    let roots: Vec<_> =
        found.certs.iter().map(|root| Certificate::from_der(root).to_owned()).collect();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&roots))
        .unversioned_rustls_crypto_provider(provider)
        .build())
}

/// Returns the path at which to ask again for the result of a build, if the build is not over.
fn place_to_ask(answer: &ureq::http::Response<ureq::Body>) -> Option<String> {
    let place = answer.headers().get(LOCATION)?.to_str().ok()?;
    let is_waiting = answer.status() == StatusCode::ACCEPTED;
    (is_waiting && place.starts_with('/')).then(|| place.to_owned())
}

/// Returns the text of an error, with a remedy if the certificate of the server is not trusted.
fn told(error: &ureq::Error) -> String {
    let cause = match error {
        ureq::Error::Rustls(error) => Some(error),
        ureq::Error::Io(error) => error.get_ref().and_then(|error| error.downcast_ref()),
        _ => None,
    };
    let is_certificate = matches!(cause, Some(rustls::Error::InvalidCertificate(_)));
    let remedy = if is_certificate {
        "; if you trust it, name a file with it in the variable SSL_CERT_FILE"
    } else {
        ""
    };
    format!("{error}{remedy}")
}

/// An event of a machine, for its operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkEvent {
    /// A game was played, and the server has accepted the result.
    Played(i64),
    /// A failure that may pass.
    Trouble(String),
}

/// The pause of a machine without a game, and after a failure to reach the server.
const PAUSE: Duration = Duration::from_secs(2);

/// The limits of the programs that are kept on the machine: their size in bytes, and their number.
const MOST_KEPT: (u64, usize) = (ByteSize::gib(4).0, 400);

/// The file in the folder of a program that is locked while the program is in use. Its time of modification is the
/// time of the last use.
const LOCK: &str = ".lock";

/// The beginning of the names of folders with programs that are being fetched or removed.
const DRAFT: &str = ".program-";

/// The numbers of failures in a row after which a machine that works `until_idle` ends: failures to reach the server,
/// over some five minutes, and failures at games.
const MOST_FAILURES: (u32, u32) = (150, 8);

/// Plays games of the server, `jobs` at a time, until `stop` is set or, if `until_idle`, until there are no more games.
///
/// # Errors
///
/// Returns an error if the server refuses the token or, if `until_idle`, after too many failures in a row.
pub fn work(
    client: &Client,
    folder: &Path,
    jobs: usize,
    until_idle: bool,
    stop: &Arc<AtomicBool>,
    on_event: &(dyn Fn(WorkEvent) + Sync),
) -> Result<(), WorkError> {
    let nonce = Token::draw().map_err(|error| WorkError::Away(error.to_string()))?;
    let asking = &Asking { machine: nonce.text().to_owned() };
    let (gate, failures) = (Arc::new(Gate::default()), &Failures::default());
    let mut result = Ok(());
    thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs)
            .map(|job| {
                let gate = &gate;
                scope.spawn(move || {
                    if jobs > 1 {
                        pin_to_core(job);
                    }
                    work_alone(client, folder, until_idle, stop, gate, (asking, failures), on_event)
                })
            })
            .collect();
        for thread in threads {
            if let Ok(Err(error)) = thread.join() {
                stop.store(true, Ordering::Relaxed);
                result = Err(error);
            }
        }
    });
    result
}

fn work_alone(
    client: &Client,
    folder: &Path,
    until_idle: bool,
    stop: &Arc<AtomicBool>,
    gate: &Arc<Gate>,
    (asking, failures): (&Asking, &Failures),
    on_event: &(dyn Fn(WorkEvent) + Sync),
) -> Result<(), WorkError> {
    let mut away = 0;
    while !stop.load(Ordering::Relaxed) {
        // The failures to reach the server are counted apart, because they say nothing about this machine.
        let taken = client.post::<Given>("/work/take", asking);
        away = if taken.is_err() { away + 1 } else { 0 };
        let (failed, most, (count, pause)) = match taken {
            Ok(Given { assignment: None }) if until_idle => return Ok(()),
            Ok(Given { assignment: None }) => {
                rest(stop, PAUSE);
                continue;
            }
            Ok(Given { assignment: Some(it) }) => match play(client, folder, &it, stop, gate) {
                Ok(None) => {
                    failures.forget();
                    on_event(WorkEvent::Played(it.game));
                    continue;
                }
                // The server gives no more games of this program to this machine.
                Ok(Some(why)) => {
                    on_event(WorkEvent::Trouble(why));
                    continue;
                }
                Err(error) => (error, MOST_FAILURES.1, failures.add()),
            },
            Err(error) => (error, MOST_FAILURES.0, (away, PAUSE)),
        };
        match failed {
            _ if stop.load(Ordering::Relaxed) => return Ok(()),
            WorkError::Away(why) if !until_idle || count < most => {
                on_event(WorkEvent::Trouble(why));
                rest(stop, pause);
            }
            error => return Err(error),
        }
    }
    Ok(())
}

/// Plays a game, and sends the result. Returns the reason if this machine cannot start a program of the game.
fn play(
    client: &Client,
    folder: &Path,
    order: &Assignment,
    stop: &Arc<AtomicBool>,
    gate: &Arc<Gate>,
) -> Result<Option<String>, WorkError> {
    let leased = &Leased { game: order.game, lease: order.lease.clone() };
    let (playing, over) = mpsc::channel::<()>();
    let played = thread::scope(|scope| {
        scope.spawn(move || {
            while over.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                // A failure is ignored: if the lease is lost, the server refuses the result.
                let _ = client.post::<()>("/work/renew", leased);
            }
        });
        let played = outcome(client, folder, order, stop, gate);
        drop(playing);
        played
    });
    match played {
        Ok(outcome) => client.post::<()>("/work/give", &outcome).map(|()| None),
        Err(why) => {
            let Leased { game, lease } = leased.clone();
            let failed = (!stop.load(Ordering::Relaxed)).then(|| why.to_string());
            let seat = why.seat();
            // A failure is ignored: without this message, the server gives the game away when the lease ends.
            let _ = client.post::<()>("/work/fail", &GivenUp { game, lease, why: failed, seat });
            match why {
                NotPlayed::Seat { why, .. } => Ok(Some(why)),
                NotPlayed::Machine(why) => Err(WorkError::Away(why)),
            }
        }
    }
}

/// Plays a game on this machine.
fn outcome(
    client: &Client,
    folder: &Path,
    order: &Assignment,
    stop: &Arc<AtomicBool>,
    gate: &Arc<Gate>,
) -> Result<Outcome, NotPlayed> {
    let missing = || {
        let why = format!("this release has no game {} ({})", order.of, order.rules);
        NotPlayed::Machine(why)
    };
    let game = games::named(&order.of).and_then(|game| game.with_rules(&order.rules));
    let game = game.ok_or_else(missing)?;
    let contents = order.seats.iter().filter_map(|seat| seat.content.as_deref());
    let fetched = contents.map(|content| client.fetch(content, folder)).collect::<Result<_, _>>();
    let _used: Vec<LockedFile> = fetched.map_err(|error| NotPlayed::Machine(error.to_string()))?;
    let table = Table { game, gate: Arc::clone(gate), stop: Arc::clone(stop) };
    let place = |content: &str| -> PathBuf { folder.join(content).join(CODE) };
    table.play(order, &place, &mut |_| ())
}

/// Locks a program for use, and returns the lock; `None` if the program is not there.
fn using(place: &Path) -> std::io::Result<Option<LockedFile>> {
    match open_shared(&place.join(LOCK)) {
        Ok(used) if place.join(CODE).is_dir() => {
            used.set_modified(SystemTime::now())?;
            Ok(Some(used))
        }
        Ok(_) => Ok(None),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.source),
    }
}

/// Removes programs until there is room for one more, the least recently used first. Removed programs can be fetched
/// again. Programs in use stay.
fn make_room(folder: &Path, (bytes, number): (u64, usize)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let programs =
        entries.flatten().filter(|entry| is_program(&entry.file_name().to_string_lossy()));
    let mut kept: Vec<(Option<SystemTime>, PathBuf, u64)> = programs
        .map(|entry| {
            let (path, found) = (entry.path(), entry.metadata());
            let found = fs::metadata(path.join(LOCK)).or(found).and_then(|found| found.modified());
            let size = size_of(&path).unwrap_or_default();
            (found.ok(), path, size)
        })
        .collect();
    kept.sort();
    let mut room = kept.iter().map(|(_, _, size)| size).sum::<u64>().saturating_add(LARGEST.0);
    let mut count = kept.len() + 1;
    for (_, path, size) in kept {
        if room <= bytes && count <= number {
            return;
        }
        let Ok(lock) = open_locked(&path.join(LOCK)) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let gone = folder.join(format!("{DRAFT}{}", name.trim_start_matches(DRAFT)));
        // The folder is renamed first, so that other threads never find a partly removed program.
        if fs::rename(&path, &gone).is_ok() {
            drop(lock);
            remove_folder(&gone);
            (room, count) = (room.saturating_sub(size), count - 1);
        }
    }
}

/// Returns true if a folder of this name has a program: the parent folder may also have other files.
fn is_program(name: &str) -> bool {
    let is_hash = name.len() == 64 && name.bytes().all(|c| c.is_ascii_hexdigit());
    is_hash || name.starts_with(DRAFT)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn least_recently_used_programs_go_first() -> Result<(), Box<dyn std::error::Error>> {
        const SIZE: u64 = 64 << 20;
        let folder = tempfile::tempdir()?;
        let start = SystemTime::now() - Duration::from_secs(1_000);
        let place = |number: u64| folder.path().join(format!("{number:064x}"));
        for number in 0..5 {
            fs::create_dir_all(place(number).join(CODE))?;
            File::create(place(number).join(CODE).join("data"))?.set_len(SIZE)?;
            let used = using(&place(number))?.ok_or("no program")?;
            used.set_modified(start + Duration::from_secs(number))?;
        }
        let others = folder.path().join("others");
        fs::create_dir_all(&others)?;
        File::create(others.join("data"))?.set_len(100 * SIZE)?;
        let draft = folder.path().join(format!("{DRAFT}new"));
        fs::create_dir(&draft)?;
        let fetching = open_shared(&draft.join(LOCK))?;
        fetching.set_modified(start)?;
        let left = || (0..5).filter(|&number| place(number).is_dir()).collect::<Vec<_>>();
        make_room(folder.path(), (LARGEST.0 + 6 * SIZE, 7));
        assert_eq!(left(), [0, 1, 2, 3, 4]);
        // The first is used again, and the second is in use.
        drop(using(&place(0))?);
        let used = using(&place(1))?.ok_or("no program")?;
        used.set_modified(start)?;
        make_room(folder.path(), (LARGEST.0 + 4 * SIZE, 7));
        assert_eq!(left(), [0, 1, 4]);
        make_room(folder.path(), (LARGEST.0, 7));
        assert_eq!((left(), others.is_dir(), draft.is_dir()), (vec![1], true, true));
        assert!(using(&place(0))?.is_none());
        // The unfinished program of a machine that died is removed as well.
        drop((used, fetching));
        make_room(folder.path(), (u64::MAX, 2));
        assert_eq!((left(), draft.is_dir()), (vec![1], false));
        make_room(folder.path(), (u64::MAX, 1));
        assert_eq!((left(), others.is_dir()), (vec![], true));
        Ok(())
    }
}
