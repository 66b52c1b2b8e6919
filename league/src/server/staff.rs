//! The page of instructors.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use plyground_durable::text::csv_text;
use serde::Deserialize;

use super::app::{App, Member, Refusal};
use super::view::{Page, games_table, hidden, name, page, time_text};
use crate::league::LeagueError;
use crate::store::{
    self, Entry, GameRow, Person, Played, Recent, StoreError, Version, VersionState, notes,
};

/// The number of notes on the page.
const NOTES: usize = 40;

/// The number of games on the page.
const GAMES: usize = 20;

fn instructors_only(member: &Member) -> Result<(), Refusal> {
    if member.is_instructor() { Ok(()) } else { Err(Refusal::missing()) }
}

/// Returns the page.
pub(super) fn staff(app: &App, member: &Member, (): ()) -> Result<Page, Refusal> {
    instructors_only(member)?;
    let league = &app.league;
    let config = &league.config;
    let (people, entries, failed, events, open, waiting) = league.store.read(|db| {
        Ok((
            Person::all(db)?,
            Entry::all(db)?,
            Played::recent(db, Recent::Failed, GAMES)?,
            notes(db, NOTES)?,
            GameRow::open(db)?.len(),
            Version::builds(db)?,
        ))
    })?;
    let paused = league.paused()?;
    let under_way = league.under_way();
    let content = html! {
        section class="card" {
            h1 { "The league" }
            div class="facts" {
                p { "Uploads that wait for their builds: " (waiting) }
                p { "Open games: " (open) ", of them being played: " (under_way.len()) }
                p { "Load of this machine: " (load()) }
                @if league.clock.behind() > 0 {
                    p class="error" { "This computer's clock is " (league.clock.behind()) " s behind the last event." }
                }
            }
            form class="row" method="post" action={ "/staff/" (if paused.is_some() { "go-on" } else { "pause" }) } {
                (hidden(member))
                button { (if paused.is_some() { "Let the games go on" } else { "Pause the games" }) }
                a href="/standings.csv" { "The standings as CSV" }
            }
        }
        section class="card" {
            h2 { "Players" }
            (players_table(&app.league.config, member, &people, &entries))
        }
        section class="card" {
            h2 { "Games at which a computer failed" }
            (games_table(config, member, &people, &failed))
            @for played in failed.iter().filter(|it| it.game.state == store::GameState::Void) {
                form class="row" method="post" action="/staff/requeue" {
                    (hidden(member))
                    input type="hidden" name="id" value=(played.game.id);
                    button { "Play game " (played.game.id) " again" }
                }
            }
        }
        section class="card" {
            h2 { "Actions" }
            table { tbody { @for (at, who, what) in &events { tr {
                td class="quiet" { (time_text(config, *at)) } td { (who) } td class="reason" { (what) }
            } } } }
        }
    };
    Ok(page(config, member, "Staff", &content))
}

fn players_table(
    config: &crate::config::Config,
    member: &Member,
    people: &[Person],
    entries: &[Entry],
) -> Markup {
    let of = |person: &Person| {
        entries.iter().find(|entry| entry.person.id == person.id).map(|entry| &entry.version)
    };
    html! {
        table {
            thead { tr {
                th scope="col" { "Player" } th scope="col" { "Key" } th scope="col" { "Version" }
                th scope="col" class="number" { "Games" } th scope="col" { "State" } th scope="col" { "Action" }
            } }
            tbody { @for person in people { tr {
                th scope="row" { a href={ "/player/" (person.id) } { (name(config, member, person)) } }
                td class="quiet" { (person.key) }
                @match of(person) {
                    None => { td { "none" } td {} td {} td {} }
                    Some(version) => {
                        td { a href={ "/version/" (version.id) } { (version.number) } }
                        td class="number" { (version.games) }
                        td class="reason" { (version.benched.as_deref().unwrap_or_default()) }
                        td {
                            form method="post" action={ "/staff/" (if version.benched.is_some() { "unbench" } else { "bench" }) } {
                                (hidden(member))
                                input type="hidden" name="id" value=(version.id);
                                button { (if version.benched.is_some() { "Let it play" } else { "Bench" }) }
                            }
                        }
                    }
                }
            } } }
        }
    }
}

/// Returns the load average of the machine, and the number of cores.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = plyground_durable::work::cores();
    let load = text.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    format!("{load} of {cores} cores")
}

/// The form of an action.
#[derive(Deserialize)]
pub(super) struct ActionForm {
    form: String,
    id: Option<i64>,
}

/// Runs the action of an instructor.
pub(super) fn act(
    app: &App,
    member: &Member,
    Path(action): Path<String>,
    form: ActionForm,
) -> Result<Redirect, Refusal> {
    instructors_only(member)?;
    member.check(&form.form)?;
    let (league, who) = (&app.league, &*member.0.person.key);
    let id = form.id.unwrap_or_default();
    match action.as_str() {
        "pause" => league.pause(who, true)?,
        "go-on" => league.pause(who, false)?,
        "bench" | "unbench" => league.store.write(|db| {
            let version = Version::find(db, id)?;
            let version = version.filter(|it| it.state == VersionState::Ready);
            let version = version.ok_or_else(no_such)?;
            let why = format!("by {who}");
            version.bench(db, (action == "bench").then_some(&why))?;
            if action == "bench" {
                GameRow::forget_open(db, id)?;
            }
            let what = format!("{action}es version {id}");
            Ok::<_, LeagueError>(store::note(db, league.clock.now(), who, &what)?)
        })?,
        "requeue" => league.store.write(|db| {
            let game = GameRow::find(db, id)?.ok_or_else(no_such)?;
            if !game.requeue(db)? {
                return Err(no_such());
            }
            let what = format!("lets game {id} be played again");
            Ok::<_, LeagueError>(store::note(db, league.clock.now(), who, &what)?)
        })?,
        _ => return Err(Refusal::missing()),
    }
    Ok(Redirect::to("/staff"))
}

fn no_such() -> LeagueError {
    LeagueError::Store(StoreError::Refused("there is no such thing".to_owned()))
}

/// Returns the standings as a CSV file.
pub(super) fn csv(app: &App, member: &Member, (): ()) -> Result<Response, Refusal> {
    instructors_only(member)?;
    let entries = app.league.store.read(Entry::all)?;
    let headers = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
    Ok((headers, standings_csv(&entries)).into_response())
}

/// Returns the standings as CSV.
pub(crate) fn standings_csv(entries: &[Entry]) -> String {
    let head = ["place", "key", "name", "version", "rating", "low", "high", "games", "benched"];
    let rows = (1..).zip(entries).map(|(place, Entry { person, version })| {
        let [low, high] = version.rating.interval();
        vec![
            usize::to_string(&place),
            person.key.clone(),
            person.name.clone(),
            version.number.to_string(),
            format!("{:.0}", version.rating.rating),
            format!("{low:.0}"),
            format!("{high:.0}"),
            version.games.to_string(),
            version.benched.clone().unwrap_or_default(),
        ]
    });
    csv_text(head, rows)
}
