//! The pages of a member: entering by a personal link, the page of the member's player with upload, versions and name,
//! and leaving.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form as FormBody, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use plyground_durable::shown;
use plyground_grading::grade::{GradeResults, Reader, results_page};
use plyground_web::server::Caller;
use serde::Deserialize;

use super::app::{App, Form, Member, Refusal};
use super::games::alone;
use super::view::{Page, bare, hidden, page, rating_text, time_text};
use crate::background::answer;
use crate::config::{Config, Names};
use crate::store::people::{self, Person, Session, Token};
use crate::store::{StoreError, Version, VersionState};

/// Returns the page of the member's own player.
pub(super) fn me(app: &App, member: &Member, (): ()) -> Result<Page, Refusal> {
    let league = &app.league;
    let config = &league.config;
    let person = &member.0.person;
    let versions = league.store.read(|db| Version::of_person(db, person.id))?;
    let is_open = versions.iter().any(|it| it.state.is_open());
    let now = league.clock.now();
    let closed = league.closed(now);
    let content = html! {
        section class="card" {
            h1 { "My player" }
            @if let Some(deadline) = &config.deadline {
                p class=[closed.map(|_| "error")] {
                    @if config.is_late(now) { "The deadline has passed: " } @else { "Deadline: " }
                    (time_text(config, deadline.timestamp()))
                }
            }
            @if let Some(closes) = config.closes().filter(|_| closed.is_none() && config.is_late(now)) {
                p class="error" { "An upload is late now. Late uploads are taken until " (time_text(config, closes)) "." }
            }
            @if closed.is_none() { (upload_form(config, member)) }
            p { a href={ "/player/" (person.id) } { "My games and my rating" } }
        }
        section class="card" {
            h2 { "Versions" }
            @if versions.is_empty() { p { "None." } }
            @else { (versions_table(config, member, &versions, closed.is_none())) }
        }
        (name_section(config, member))
    };
    Ok(page(config, member, "My player", &content).again_after(is_open.then_some(3)))
}

fn upload_form(config: &Config, member: &Member) -> Markup {
    html! {
        form method="post" action="/upload" enctype="multipart/form-data" {
            (hidden(member))
            div class="row" {
                p {
                    label { "A zip, or the files: " input type="file" name="file" multiple; }
                }
                p {
                    label { "or a folder: " input type="file" name="folder" webkitdirectory multiple; }
                }
                button class="primary" { "Upload" }
            }
        }
        p class="quiet" {
            "At most " (config.upload) ". From a command line: "
            code { "curl -F file=@player.zip -H \"Authorization: Bearer TOKEN\" ADDRESS/push" }
            ", where TOKEN is the last part of your link."
        }
    }
}

fn versions_table(config: &Config, member: &Member, versions: &[Version], is_open: bool) -> Markup {
    let active = member.0.person.active;
    html! {
        table {
            thead { tr {
                th scope="col" { "Version" } th scope="col" { "Uploaded" } th scope="col" { "State" }
                th scope="col" { "Result" } th scope="col" class="number" { "Rating" }
                th scope="col" class="number" { "Games" } th scope="col" { "Action" }
            } }
            tbody { @for version in versions {
                tr class=(if active == Some(version.id) { "own" } else { "other" }) {
                    th scope="row" { a href={ "/version/" (version.id) } { (version.number) } }
                    td {
                        (time_text(config, version.uploaded))
                        @if config.is_late(version.uploaded) { " (late)" }
                    }
                    td {
                        @if version.benched.is_some() { "benched" }
                        @else if active == Some(version.id) { "plays" }
                        @else { (version.state.word().replace('-', " ")) }
                    }
                    td class="reason" { (version.benched.as_deref().unwrap_or(&version.why)) }
                    td class="number" {
                        @if active == Some(version.id) { (rating_text(version.rating)) }
                    }
                    td class="number" { (version.games) }
                    td { @if is_open { (activation(member, version)) } }
                }
            } }
        }
    }
}

/// Returns the button that makes a version play.
fn activation(member: &Member, version: &Version) -> Markup {
    let is_active = member.0.person.active == Some(version.id);
    let words = match version.state {
        VersionState::Ready if !is_active => "Let it play",
        VersionState::PassedOver => "Build it",
        _ => return html! {},
    };
    html! {
        form method="post" action={ "/version/" (version.id) "/activate" } {
            (hidden(member))
            button { (words) }
        }
    }
}

fn name_section(config: &Config, member: &Member) -> Markup {
    let person = &member.0.person;
    html! {
        @if config.names == Names::Nicknames {
            section class="card" {
                h2 { "My name in the standings" }
                form class="row" method="post" action="/me/name" {
                    (hidden(member))
                    label { "Nickname " input name="nickname" value=(person.nickname) maxlength="24"; }
                    label { input type="checkbox" name="shows_name" value="yes" checked[person.shows_name]; " Show my name: " (person.name) }
                    button { "Save" }
                }
            }
        }
    }
}

/// The form of a name.
#[derive(Deserialize)]
pub(super) struct NameForm {
    form: String,
    nickname: String,
    shows_name: Option<String>,
}

/// The longest nickname, in letters.
const LONGEST_NAME: usize = 24;

/// Changes the name in the standings.
pub(super) fn rename(
    app: &App,
    member: &Member,
    (): (),
    form: NameForm,
) -> Result<Redirect, Refusal> {
    member.check(&form.form)?;
    let nickname = form.nickname.split_whitespace().collect::<Vec<_>>().join(" ");
    // Invisible characters, or characters that change the direction of the text, could make a nickname look like
    // another.
    let is_fit = |c: char| c.is_alphanumeric() || " -_.'!".contains(c);
    let is_seen = shown(&nickname) == nickname
        && nickname.chars().all(is_fit)
        && (nickname.is_empty() || nickname.contains(char::is_alphanumeric));
    if nickname.chars().count() > LONGEST_NAME || !is_seen {
        let why = format!(
            "expected at most {LONGEST_NAME} letters, digits, blanks and - _ . ' !, and a letter or digit among them"
        );
        return Err(Refusal::bad(why));
    }
    app.league.store.write::<_, StoreError>(|db| {
        member.0.person.set_nickname(db, &nickname, form.shows_name.is_some())
    })?;
    Ok(Redirect::to("/me"))
}

/// Returns a version that the member may see: one of the member's own, or any for an instructor.
fn found(app: &App, member: &Member, id: i64) -> Result<Version, Refusal> {
    let version = app.league.store.read(|db| Version::find(db, id))?;
    let may_see =
        |version: &Version| version.person == member.0.person.id || member.is_instructor();
    version.filter(may_see).ok_or_else(Refusal::missing)
}

/// Returns the page of a version.
pub(super) fn version(app: &App, member: &Member, Path(id): Path<i64>) -> Result<Page, Refusal> {
    let config = &app.league.config;
    let version = found(app, member, id)?;
    let is_open = version.state.is_open();
    let title = format!("Version {}", version.number);
    let content = html! {
        section class="card" {
            h1 { (title) }
            p { "Uploaded " (time_text(config, version.uploaded)) ", " (version.bytes) " bytes. " (version.language) }
            @if let Some(why) = &version.benched { p class="error" { "Benched: " (why) } }
            @if version.results.is_some() {
                p { a href={ "/version/" (id) "/checks" } { "The checks, with boards" } }
            }
            @if version.person == member.0.person.id { (activation(member, &version)) }
        }
        section class="card" { pre { (answer(&version)) } }
    };
    Ok(page(config, member, &title, &content).again_after(is_open.then_some(2)))
}

/// Returns the page of the checks of a version, as `grade` makes the page for a student.
pub(super) fn checks(app: &App, member: &Member, Path(id): Path<i64>) -> Result<Response, Refusal> {
    let version = found(app, member, id)?;
    let results = version.results.as_deref().ok_or_else(Refusal::missing)?;
    let results: GradeResults = serde_json::from_str(results).map_err(|_| Refusal::missing())?;
    let name = format!("Version {}", version.number);
    let page = results_page(&*app.league.config.game, &name, &results, Reader::Student);
    Ok(alone(&page, &format!("/version/{id}"), &format!("version {}", version.number)))
}

/// Makes a version play.
pub(super) fn activate(
    app: &App,
    member: &Member,
    Path(id): Path<i64>,
    form: Form,
) -> Result<Redirect, Refusal> {
    member.check(&form.form)?;
    app.league.activate(&member.0.person, id)?;
    Ok(Redirect::to("/me"))
}

fn unknown() -> Refusal {
    let why = "this link is not valid: ask your instructor for another";
    Refusal::new(StatusCode::FORBIDDEN, why)
}

async fn invited(
    app: &Arc<App>,
    caller: &Caller,
    token: &str,
) -> Result<(i64, Person, Token), Refusal> {
    if !app.entries.allow(caller.address) {
        let why = "too many tries from this address: wait a minute";
        return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, why));
    }
    let token = Token::read(token).ok_or_else(unknown)?;
    let hash = token.hash();
    let found = app.read(move |db| people::invited(db, &hash)).await?;
    let (id, person) = found.ok_or_else(unknown)?;
    Ok((id, person, token))
}

/// Asks whether to enter. A link alone changes nothing, since mail programs follow links by themselves.
pub(super) async fn ask(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(token): Path<String>,
) -> Result<Markup, Refusal> {
    let (_, person, token) = invited(&app, &caller, &token).await?;
    let league = &app.league.config.name;
    Ok(bare(
        league,
        &html! {
            h1 { (league) }
            p { "This link is for " strong { (person.name) } "." }
            form method="post" action="/enter" {
                input type="hidden" name="token" value=(token.text());
                button class="primary" { "Enter" }
            }
            p class="quiet" { "Keep the link to yourself: anyone with the link can enter as you." }
        },
    ))
}

/// The form that enters.
#[derive(Deserialize)]
pub(super) struct EnterForm {
    token: String,
}

/// The time for which a browser keeps the cookie, in seconds.
const KEPT: u32 = 120 * 24 * 3600;

/// Begins a session.
pub(super) async fn enter(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    FormBody(form): FormBody<EnterForm>,
) -> Result<Response, Refusal> {
    let (id, person, _) = invited(&app, &caller, &form.token).await?;
    let session = app.off_thread(move |app| {
        let [session, form] = [Token::draw(), Token::draw()].map(|drawn| {
            drawn.map_err(|_| {
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server has no random numbers")
            })
        });
        let (session, form) = (session?, form?);
        let now = app.league.clock.now();
        app.league.store.write::<_, StoreError>(|db| {
            Session::begin(db, (id, person.id), &session.hash(), form.text(), now)
        })?;
        Ok(session)
    });
    let secure = if app.https { "; Secure" } else { "" };
    let cookie = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={KEPT}{secure}",
        app.cookie(),
        session.await?.text()
    );
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

/// Ends the session.
pub(super) fn leave(app: &App, member: &Member, (): (), form: Form) -> Result<Response, Refusal> {
    member.check(&form.form)?;
    app.league.store.write::<_, StoreError>(|db| member.0.end(db))?;
    let secure = if app.https { "; Secure" } else { "" };
    let cookie = format!("{}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0{secure}", app.cookie());
    let page = bare("Bye", &html! { h1 { "You have left" } p { "Your link lets you in again." } });
    Ok(([(header::SET_COOKIE, cookie)], page).into_response())
}
