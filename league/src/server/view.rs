//! The frame of all pages, the page of a refusal, and the parts of pages that depend on the member.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, html};
use plyground_web::server::STYLE;

use super::app::{Member, Refusal};
use crate::config::{Config, Names, Shown};
use crate::rating::Rating;
use crate::store::{Entry, Person, Played, Role};

/// The style of elements that the board page does not have.
const OWN_STYLE: &str = include_str!("league.css");

/// Returns the style sheet: the style of the board page, followed by the style of the league.
pub(super) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], format!("{STYLE}\n{OWN_STYLE}"))
}

/// Returns a whole document.
fn document(title: &str, head: &Markup, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="/page/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/league.css";
            }
            body class="league" {
                (head)
                main { (content) }
            }
        }
    }
}

/// Returns a page for a visitor who has not entered.
pub(super) fn bare(title: &str, content: &Markup) -> Markup {
    document(title, &html! {}, &html! { section class="card" { (content) } })
}

/// Returns the page of a refusal.
fn refused(why: &str) -> Markup {
    bare(
        "Refused",
        &html! {
            h1 { "This is not possible" }
            p class="error" { (why) }
            p { a href="/" { "To the standings" } }
        },
    )
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        if self.is_page {
            (self.status, refused(&self.why)).into_response()
        } else {
            (self.status, self.why + "\n").into_response()
        }
    }
}

/// A page, which the browser reloads after `refresh` seconds if the page waits for something. Other pages stay as they
/// are.
pub(super) struct Page {
    content: Markup,
    refresh: Option<u32>,
}

impl Page {
    fn new(content: Markup) -> Page {
        Page { content, refresh: None }
    }

    /// Makes the browser reload the page after `refresh` seconds.
    pub(super) fn again_after(self, refresh: Option<u32>) -> Page {
        Page { refresh, ..self }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let mut response = self.content.into_response();
        if let Some(seconds) = self.refresh {
            response.headers_mut().insert(header::REFRESH, seconds.into());
        }
        response
    }
}

/// Returns a page for a member.
pub(super) fn page(config: &Config, member: &Member, title: &str, content: &Markup) -> Page {
    let head = html! {
        header {
            a class="title" href="/" { (config.name) }
            nav aria-label="League" {
                a href="/" { "Standings" }
                a href="/games" { "Games" }
                a href="/me" { "My player" }
                @if member.is_instructor() { a href="/staff" { "Staff" } }
                form method="post" action="/leave" {
                    (hidden(member))
                    button { "Leave" }
                }
            }
        }
    };
    Page::new(document(&format!("{title} – {}", config.name), &head, content))
}

/// Returns the hidden field with the CSRF token, for every form of a member.
pub(super) fn hidden(member: &Member) -> Markup {
    html! { input type="hidden" name="form" value=(member.0.form); }
}

/// Returns the name of a person for this member.
pub(super) fn name(config: &Config, member: &Member, person: &Person) -> String {
    let nickname = &person.nickname;
    if person.role == Role::Reference {
        return person.name.clone();
    }
    if member.is_instructor() {
        return match nickname.as_str() {
            "" => person.name.clone(),
            _ => format!("{} ({nickname})", person.name),
        };
    }
    if person.id == member.0.person.id && nickname.is_empty() {
        return person.name.clone();
    }
    match config.names {
        Names::Names => person.name.clone(),
        Names::Nicknames if person.shows_name => person.name.clone(),
        Names::Nicknames if nickname.is_empty() => person.stand_in(),
        Names::Nicknames => nickname.clone(),
    }
}

/// Returns the name of the person of this number for this member.
pub(super) fn name_of(config: &Config, member: &Member, people: &[Person], id: i64) -> String {
    let person = people.iter().find(|person| person.id == id);
    person.map(|person| name(config, member, person)).unwrap_or_default()
}

/// The number of places at the top that everybody sees.
const TOP: usize = 10;

/// The number of places above and below the own place that a student sees.
const AROUND: usize = 3;

/// Returns the entries that a member sees, each with its place.
pub(super) fn visible(
    config: &Config,
    member: &Member,
    entries: Vec<Entry>,
) -> Vec<(usize, Entry)> {
    let own = entries.iter().position(|entry| entry.person.id == member.0.person.id);
    let sees_all = config.show == Shown::All || member.is_instructor();
    let placed = (1..).zip(entries);
    let is_visible = |(place, entry): &(usize, Entry)| {
        sees_all
            || *place <= TOP
            || entry.person.role == Role::Reference
            || own.is_some_and(|own| (own + 1).abs_diff(*place) <= AROUND)
    };
    placed.filter(is_visible).collect()
}

/// Returns true if a member may see the page of this person.
pub(super) fn sees(config: &Config, member: &Member, entries: Vec<Entry>, person: i64) -> bool {
    person == member.0.person.id
        || member.is_instructor()
        || visible(config, member, entries).iter().any(|(_, entry)| entry.person.id == person)
}

/// Returns the rating with half the width of its interval.
pub(super) fn rating_text(rating: Rating) -> String {
    let [low, high] = rating.interval();
    format!("{:.0} ± {:.0}", rating.rating, (high - low) / 2.0)
}

/// Returns a time in the zone of the league.
pub(super) fn time_text(config: &Config, time: Timestamp) -> String {
    let zone = config.deadline.as_ref().map(|deadline| deadline.time_zone().clone());
    let zoned = time.to_zoned(zone.unwrap_or_else(jiff::tz::TimeZone::system));
    zoned.strftime("%Y-%m-%d %H:%M %Z").to_string()
}

/// Returns true if a member may see the fault by which a program lost. The details are for the owner of the program.
pub(super) fn knows_fault(member: &Member, played: &Played) -> bool {
    let owner = played.game.fault.map(|side| played.people[side.index()]);
    owner.is_none_or(|owner| owner == member.0.person.id || member.is_instructor())
}

/// Returns the reason of a result for this member.
pub(super) fn reason(config: &Config, member: &Member, played: &Played) -> String {
    let game = &played.game;
    match game.fault {
        Some(side) if !knows_fault(member, played) => {
            let word = game.fault_word.as_deref().unwrap_or("a fault");
            format!("{}: {word}", config.game.side_name(side))
        }
        _ => match &game.reason {
            Some(reason) => reason.clone(),
            None => failure(member, played).unwrap_or_default().to_owned(),
        },
    }
}

/// Returns the failure of a computer at a game, if there was one. Only instructors see the details, which may name
/// files of the server.
pub(super) fn failure<'a>(member: &Member, played: &'a Played) -> Option<&'a str> {
    let why = played.game.again.as_deref()?;
    Some(if member.is_instructor() { why } else { "a computer failed at it" })
}

/// Returns a table of games.
pub(super) fn games_table(
    config: &Config,
    member: &Member,
    people: &[Person],
    games: &[Played],
) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Game" } th scope="col" { "First" } th scope="col" { "Second" }
                th scope="col" { "Result" } th scope="col" { "Reason" } th scope="col" { "Ended" }
            } }
            tbody { @for played in games { tr {
                th scope="row" { a href={ "/game/" (played.game.id) } { (played.game.id) } }
                @for side in 0..2 {
                    td {
                        a href={ "/player/" (played.people[side]) } {
                            (name_of(config, member, people, played.people[side]))
                        }
                        span class="quiet" { " v" (played.numbers[side]) }
                    }
                }
                td { (played.game.result.as_deref().unwrap_or("void")) }
                td class="reason" {
                    (reason(config, member, played))
                    @if played.game.again.is_some() {
                        " " span class="quiet" { "(played again: the computer failed)" }
                    }
                }
                td class="quiet" { @if let Some(ended) = played.game.ended { (time_text(config, ended)) } }
            } } }
        }
    }
}
