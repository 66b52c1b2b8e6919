//! The games: the page of the current and the last games, the page of each game, and the requests of other machines
//! that play games. A machine sends a token of its own, and gets only the programs of the games that the server has
//! given to the machine. The server alone decides the results that count.

use std::fs::File;
use std::io::{self, BufWriter, Seek};
use std::path;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use maud::html;
use plyground_explain::review::{GameReview, review_page};
use plyground_host::record::{GameRecord, PlayerRecord};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt;

use super::app::{App, Form, Member, Refusal, WorkRefusal, Worker};
use super::view::{
    Page, failure, games_table, hidden, knows_fault, name_of, page, reason, sees, time_text,
};
use crate::config::Config;
use crate::league::{CODE, League, LeagueError, LiveGame, prepared};
use crate::playing::{Assignment, Outcome};
use crate::store::{Entry, GameState, Person, Played, Recent, Review};

/// The number of games in the table of the last games.
const GAMES: usize = 60;

/// The shortest time after which a followed page is reloaded, in seconds.
const LEAST: u32 = 5;

/// The query of the page of games.
#[derive(Deserialize)]
pub(super) struct GamesQuery {
    /// The seconds after which the page is reloaded.
    follow: Option<u32>,
}

/// Returns the page of all games.
pub(super) fn games(
    app: &App,
    member: &Member,
    Query(asked): Query<GamesQuery>,
) -> Result<Page, Refusal> {
    let league = &app.league;
    let config = &league.config;
    let (people, entries, recent) = league.store.read(|db| {
        Ok((Person::all(db)?, Entry::all(db)?, Played::recent(db, Recent::All, GAMES)?))
    })?;
    let is_visible = |played: &Played| {
        played.people.iter().any(|&person| sees(config, member, entries.clone(), person))
    };
    let recent: Vec<Played> = match config.show {
        crate::config::Shown::All => recent,
        crate::config::Shown::Neighbors => recent.into_iter().filter(is_visible).collect(),
    };
    let mut live = Vec::new();
    for LiveGame { game, worker, moves } in league.under_way() {
        let played = league.store.read(|db| Played::find(db, game))?;
        live.extend(played.map(|played| (played, worker, moves)));
    }
    let shown = |id: i64| name_of(config, member, &people, id);
    let content = html! {
        section class="card" {
            h1 { "Games under way" }
            @if asked.follow.is_some() { p { "This page follows them. " a href="/games" { "Stop" } } }
            @else { p { a href="/games?follow=10" { "Follow them" } ": the page is then new every ten seconds." } }
            @if live.is_empty() { p { "None." } }
            @else {
                table {
                    thead { tr {
                        th scope="col" { "Game" } th scope="col" { "First" } th scope="col" { "Second" }
                        th scope="col" { "Moves" } th scope="col" { "Played by" }
                    } }
                    tbody { @for (played, worker, moves) in &live { tr {
                        th scope="row" {
                            a href=(board_link(config, moves)) { "Game " (played.game.id) " on the board" }
                        }
                        td { (shown(played.people[0])) } td { (shown(played.people[1])) }
                        td class="number" { (moves.len()) } td class="quiet" { (worker) }
                    } } }
                }
            }
        }
        section class="card" {
            h2 { "The last games" }
            (games_table(config, member, &people, &recent))
        }
    };
    Ok(page(config, member, "Games", &content)
        .again_after(asked.follow.map(|seconds| seconds.max(LEAST))))
}

/// Returns the address of the board page with a game.
fn board_link(config: &Config, moves: &[String]) -> String {
    let mut link = format!("/board#game={}", config.game.name());
    let usual = games::named(config.game.name());
    let rules = config.game.rules();
    if usual.is_some_and(|usual| usual.rules() != rules) {
        link += &format!("&rules={rules}");
    }
    if !moves.is_empty() {
        // The blank is the only character of moves that an address must escape.
        link += &format!("&moves={}", moves.join(",").replace(' ', "+"));
    }
    link
}

/// Returns a finished game, if the member may see the game.
fn found(app: &App, member: &Member, id: i64) -> Result<Played, Refusal> {
    let (played, entries) =
        app.league.store.read(|db| Ok((Played::find(db, id)?, Entry::all(db)?)))?;
    let played = played.filter(|played| played.game.state != GameState::Open);
    let played = played.ok_or_else(Refusal::missing)?;
    let sees = |person: &i64| sees(&app.league.config, member, entries.clone(), *person);
    if played.people.iter().any(sees) { Ok(played) } else { Err(Refusal::missing()) }
}

/// Returns the record of a game, with the names of the players for this member.
fn named_record(
    app: &App,
    member: &Member,
    played: &Played,
) -> Result<Option<GameRecord>, Refusal> {
    let config = &app.league.config;
    let (text, people) =
        app.league.store.read(|db| Ok((played.game.record(db)?, Person::all(db)?)))?;
    let Some(mut record) = text.and_then(|text| GameRecord::parse(&text).ok()) else {
        return Ok(None);
    };
    for (side, player) in
        [&mut record.header.first, &mut record.header.second].into_iter().enumerate()
    {
        player.name = name_of(config, member, &people, played.people[side]);
        player.player = format!("version {}", played.numbers[side]);
    }
    Ok(Some(record))
}

/// Returns the page of a game.
pub(super) fn game(app: &App, member: &Member, Path(id): Path<i64>) -> Result<Page, Refusal> {
    let league = &app.league;
    let config = &league.config;
    let played = found(app, member, id)?;
    let record = named_record(app, member, &played)?;
    let stderr = league.store.read(|db| played.game.stderr(db))?;
    let names = record
        .as_ref()
        .map(|record| [record.header.first.name.clone(), record.header.second.name.clone()]);
    let moves: Vec<String> =
        record.iter().flat_map(|record| &record.moves).map(|it| it.mv.clone()).collect();
    let title = format!("Game {id}");
    let sides = [plyground::Side::First, plyground::Side::Second];
    let content = html! {
        section class="card" {
            h1 { (title) }
            p {
                a href={ "/player/" (played.people[0]) } {
                    (names.as_ref().map(|names| names[0].as_str()).unwrap_or("the first"))
                }
                " v" (played.numbers[0]) " moves first, against "
                a href={ "/player/" (played.people[1]) } {
                    (names.as_ref().map(|names| names[1].as_str()).unwrap_or("the second"))
                }
                " v" (played.numbers[1])
            }
            p {
                strong { (played.game.result.as_deref().unwrap_or("void")) }
                @if played.game.reason.is_some() { ": " (reason(config, member, &played)) }
            }
            @if let Some(why) = failure(member, &played) {
                p class="error" { "The game was played again: " (why) "." }
            }
            @if let Some(ended) = played.game.ended { p class="quiet" { (time_text(config, ended)) } }
            @if record.is_some() {
                p {
                    a href=(board_link(config, &moves)) { "On the board" }
                    @if config.analysis { ", with the value of every move" }
                    " · " a href={ "/game/" (id) "/record" } { "The record" }
                }
                form class="row" method="post" action={ "/game/" (id) "/review" } {
                    (hidden(member))
                    button { "Review this game" }
                }
            } @else { p class="quiet" { "The record was removed to make room." } }
        }
        @for side in sides {
            @if let Some(text) = &stderr[side.index()] {
                // Only the owner and the instructors see the output of a program.
                @if played.people[side.index()] == member.0.person.id || member.is_instructor() {
                    section class="card" {
                        h2 { "Standard error of " (config.game.side_name(side)) }
                        pre { (text) }
                    }
                }
            }
        }
        @if !moves.is_empty() {
            section class="card" { h2 { "Moves" } p { (moves.join(" ")) } }
        }
    };
    Ok(page(config, member, &title, &content))
}

/// Returns the record of a game.
pub(super) fn record(app: &App, member: &Member, Path(id): Path<i64>) -> Result<Response, Refusal> {
    let played = found(app, member, id)?;
    let record = named_record(app, member, &played)?.ok_or_else(Refusal::missing)?;
    // The ending of a game that was lost by a fault has details of the fault, which are for the owner.
    let text = if knows_fault(member, &played) {
        record.to_text()
    } else {
        record.to_text_without_ending()
    };
    let text = text.map_err(|_| Refusal::missing())?;
    let headers = [
        (header::CONTENT_TYPE, "application/jsonl".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"game-{id}.jsonl\"")),
    ];
    Ok((headers, text).into_response())
}

/// Checks that the settings let pages show the values of moves.
pub(super) fn check_analysis(config: &Config) -> Result<(), Refusal> {
    let why = "this league does not analyze";
    config.analysis.then_some(()).ok_or_else(|| Refusal::bad(why))
}

/// Returns the person whose waiting reviews are counted and limited; `None` for an instructor, who has no limit.
pub(super) fn asks(member: &Member) -> Option<i64> {
    (!member.is_instructor()).then_some(member.0.person.id)
}

/// Requests the review of a game.
pub(super) fn want_review(
    app: &App,
    member: &Member,
    Path(id): Path<i64>,
    form: Form,
) -> Result<Redirect, Refusal> {
    member.check(&form.form)?;
    check_analysis(&app.league.config)?;
    found(app, member, id)?;
    let now = app.league.clock.now();
    app.league.store.write(|db| Review::want(db, id, asks(member), now))?;
    Ok(Redirect::to(&format!("/game/{id}/review")))
}

/// The content security policy of a page with its own style and without scripts.
const STYLED: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/// Returns a standalone page, with a link back to the page at `place`.
pub(super) fn alone(page: &str, place: &str, name: &str) -> Response {
    let back = html! { nav aria-label="League" { a href=(place) { "Back to " (name) } } };
    let page = page.replacen("<body>", &format!("<body>{}", back.into_string()), 1);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, STYLED),
    ];
    (headers, page).into_response()
}

/// Returns the page of the review of a game.
pub(super) fn review(app: &App, member: &Member, Path(id): Path<i64>) -> Result<Response, Refusal> {
    let config = &app.league.config;
    let played = found(app, member, id)?;
    let waiting = |why: &str, refresh| {
        let content = html! { section class="card" { h1 { "Game " (id) } p { (why) } } };
        page(config, member, "A review", &content).again_after(refresh).into_response()
    };
    let text = match app.league.store.read(|db| Review::of(db, id))? {
        Review::Unwanted => return Err(Refusal::missing()),
        Review::Waiting => {
            return Ok(waiting("The review is being made: it may take a minute.", Some(3)));
        }
        Review::Made(text) => text,
    };
    let people = app.league.store.read(Person::all)?;
    Ok(match named_review(config, member, &people, &played, &text) {
        Some(review) => {
            let page = review_page(&*config.game, &[review], &[], None);
            alone(&page, &format!("/game/{id}"), &format!("game {id}"))
        }
        None => waiting("This game cannot be reviewed.", None),
    })
}

/// Returns a review with the names of the players for this member; `None` if the text is no review.
pub(super) fn named_review(
    config: &Config,
    member: &Member,
    people: &[Person],
    played: &Played,
    text: &str,
) -> Option<GameReview> {
    let review: GameReview = serde_json::from_str(text).ok()?;
    let player = |side: usize| PlayerRecord {
        name: name_of(config, member, people, played.people[side]),
        player: format!("version {}", played.numbers[side]),
    };
    let reason = Some(reason(config, member, played));
    Some(GameReview { players: Some([0, 1].map(player)), file: None, reason, ..review })
}

/// The request of a machine for a game.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Asking {
    /// The nonce of the machine, because several machines may share a token.
    pub machine: String,
}

/// The greatest length of the nonce of a machine.
const LONGEST_NONCE: usize = 64;

/// The answer to a machine that asks for a game.
#[derive(Debug, Serialize, Deserialize)]
pub struct Given {
    /// The game, if there is one.
    pub assignment: Option<Assignment>,
}

/// Gives a game to a machine.
pub(super) fn take(
    league: &League,
    worker: &str,
    asking: Option<Asking>,
) -> Result<Given, LeagueError> {
    // A machine with an older release says nothing of itself.
    let machine: String = asking.unwrap_or_default().machine.chars().take(LONGEST_NONCE).collect();
    Ok(Given { assignment: league.take(worker, &machine)? })
}

/// Returns the prepared program of a game that was given to a machine, as a compressed tar archive.
pub(super) async fn packed_version(
    State(app): State<Arc<App>>,
    Worker(worker): Worker,
    Path(content): Path<String>,
) -> Result<Response, WorkRefusal> {
    let packed = app.off_thread(move |app| {
        let is_hash = content.len() == 64 && content.bytes().all(|c| c.is_ascii_hexdigit());
        if !is_hash || !app.league.has_given(&worker, &content) {
            return Err(Refusal::missing());
        }
        let folder = prepared(app.league.folder(), &content).join(CODE);
        let packed = tempfile::tempfile_in(app.league.folder());
        packed.and_then(|file| pack(&folder, file)).map_err(|_| {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the program cannot be read now")
        })
    });
    let parts =
        stream::try_unfold(tokio::fs::File::from_std(packed.await?), |mut file| async move {
            let mut part = vec![0; PART];
            let length = file.read(&mut part).await?;
            part.truncate(length);
            io::Result::Ok((length > 0).then_some((part, file)))
        });
    let body = Body::from_stream(parts);
    Ok(([(header::CONTENT_TYPE, "application/gzip")], body).into_response())
}

/// The size of each part in which a file is sent, in bytes.
const PART: usize = 64 << 10;

/// Packs a folder into a new file without following symbolic links. Returns the file at its start.
fn pack(folder: &path::Path, file: File) -> io::Result<File> {
    // Fails early if the folder is not a prepared program.
    File::open(folder.join("plyground.toml"))?;
    let mut tar = tar::Builder::new(GzEncoder::new(BufWriter::new(file), Compression::fast()));
    tar.follow_symlinks(false);
    tar.append_dir_all(CODE, folder)?;
    let mut file = tar.into_inner()?.finish()?.into_inner()?;
    file.rewind()?;
    Ok(file)
}

/// Takes the result of a game.
pub(super) fn give(league: &League, worker: &str, outcome: Outcome) -> Result<(), LeagueError> {
    league.give(worker, &outcome)
}

/// The lease of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Leased {
    /// The number of the game.
    pub game: i64,
    /// The nonce of the lease.
    pub lease: String,
}

/// Renews the lease of a machine.
pub(super) fn renew(league: &League, worker: &str, leased: Leased) -> Result<(), LeagueError> {
    league.renew(worker, leased.game, &leased.lease)
}

/// A game that a machine cannot play.
#[derive(Debug, Serialize, Deserialize)]
pub struct GivenUp {
    /// The number of the game.
    pub game: i64,
    /// The nonce of the lease.
    pub lease: String,
    /// The reason; `None` if the machine was stopped and has not failed.
    pub why: Option<String>,
    /// The seat whose program the machine cannot start, if that is the reason.
    #[serde(default)]
    pub seat: Option<usize>,
}

/// Takes a game back.
pub(super) fn fail(league: &League, worker: &str, given_up: GivenUp) -> Result<(), LeagueError> {
    let GivenUp { game, lease, why, seat } = given_up;
    league.give_up(worker, game, &lease, why.as_deref(), seat)
}
