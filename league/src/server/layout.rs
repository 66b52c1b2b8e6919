//! The frame of all pages, and what they have in common.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, html};
use plyground_web::server::STYLE;

use super::app::Member;
use crate::config::{Config, Names};
use crate::rating::Rating;
use crate::store::{Person, Played, Role};

/// The style of what the board page does not have.
const OWN_STYLE: &str = include_str!("league.css");

/// Returns the style sheet: that of the board page, and more.
pub(super) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], format!("{STYLE}\n{OWN_STYLE}"))
}

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

/// Returns a page for nobody in particular.
pub(super) fn bare(title: &str, content: &Markup) -> Markup {
    document(title, &html! {}, &html! { section class="card" { (content) } })
}

/// Returns the page of a refusal.
pub(super) fn refused(why: &str) -> Markup {
    bare(
        "Refused",
        &html! {
            h1 { "This is not possible" }
            p class="error" { (why) }
            p { a href="/" { "To the standings" } }
        },
    )
}

/// A page that the browser asks for again after so many seconds, if it waits for something. A page that its
/// reader has not asked to change does not.
pub(super) struct Page {
    content: Markup,
    refresh: Option<u32>,
}

impl Page {
    /// Lets the browser ask again after so many seconds.
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
    let content = document(&format!("{title} – {}", config.name), &head, content);
    Page { content, refresh: None }
}

/// Returns the field that every form of a member has.
pub(super) fn hidden(member: &Member) -> Markup {
    html! { input type="hidden" name="form" value=(member.0.form); }
}

/// Returns the name of a person as this member sees it.
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
        Names::Nicknames if nickname.is_empty() => format!("Player {}", person.id),
        Names::Nicknames => nickname.clone(),
    }
}

/// Returns the rating with the half of its interval.
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

/// Returns true if a member may know by what a program lost: what it printed or failed at is for its owner.
pub(super) fn knows_fault(member: &Member, played: &Played) -> bool {
    let owner = played.game.fault.map(|side| played.people[side.index()]);
    owner.is_none_or(|owner| owner == member.0.person.id || member.is_instructor())
}

/// Returns the reason of a result as this member sees it.
pub(super) fn reason(config: &Config, member: &Member, played: &Played) -> String {
    let game = &played.game;
    match game.fault {
        Some(side) if !knows_fault(member, played) => {
            let word = game.fault_word.as_deref().unwrap_or("a fault");
            format!("{}: {word}", config.game.side_name(side))
        }
        _ => game.reason.clone().or(game.again.clone()).unwrap_or_default(),
    }
}

/// Returns a table of games.
pub(super) fn games_table(
    config: &Config,
    member: &Member,
    people: &[Person],
    games: &[Played],
) -> Markup {
    let shown = |id: i64| {
        people.iter().find(|person| person.id == id).map(|person| name(config, member, person))
    };
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
                            (shown(played.people[side]).unwrap_or_default())
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
