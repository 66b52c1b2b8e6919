//! The standings.

use std::sync::Arc;

use axum::extract::State;
use maud::{Markup, html};

use super::app::{App, Member, Refusal};
use super::layout::Page;
use super::view::{name, page, rating_text, time_text};
use crate::config::{Config, Shown};
use crate::store::{Entry, Person, Role, Version};

/// The number of places at the top that everybody sees.
const TOP: usize = 10;

/// The number of places above and below one's own that a student sees.
const AROUND: usize = 3;

/// Returns the entries that a member sees, each with its place.
fn visible(config: &Config, member: &Member, entries: Vec<Entry>) -> Vec<(usize, Entry)> {
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

/// Returns true if a member sees the page of this person.
pub(super) fn sees(config: &Config, member: &Member, entries: Vec<Entry>, person: i64) -> bool {
    person == member.0.person.id
        || member.is_instructor()
        || visible(config, member, entries).iter().any(|(_, entry)| entry.person.id == person)
}

/// The page of the standings.
pub(super) async fn standings(
    State(app): State<Arc<App>>,
    member: Member,
) -> Result<Page, Refusal> {
    app.off_thread(move |app| {
        let league = &app.league;
        let config = &league.config;
        let (entries, builds) =
            league.store.read(|db| Ok((Entry::all(db)?, Version::builds(db)?)))?;
        let paused = league.paused()?;
        let under_way = league.under_way().len();
        let now = league.clock.now();
        let content = html! {
            section class="card" {
                h1 { "Standings" }
                div class="facts" {
                    @if let Some(deadline) = &config.deadline {
                        p {
                            @if league.closed(now).is_some() { "The deadline has passed: " } @else { "Deadline: " }
                            (time_text(config, deadline.timestamp()))
                        }
                    }
                    p { "It is " (time_text(config, now)) "." }
                    p { "Games being played: " (under_way) }
                    @if builds > 0 { p { "Uploads being built, which come before games: " (builds) } }
                    @if let Some(who) = paused {
                        p class="error" {
                            "The games are paused"
                            @if member.is_instructor() { " by " (who) }
                            "."
                        }
                    }
                }
                (table(config, &member, visible(config, &member, entries)))
                p class="quiet" {
                    "Ratings are on the scale of Elo, each with its interval of 95 %. They come from games of all "
                    "against all, each opening with both sides."
                }
            }
        };
        Ok(page(config, &member, "Standings", &content))
    })
    .await
}

fn table(config: &Config, member: &Member, entries: Vec<(usize, Entry)>) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" class="number" { "Place" } th scope="col" { "Player" }
                th scope="col" class="number" { "Rating" } th scope="col" class="number" { "Games" }
                th scope="col" class="number" { "Version" }
            } }
            tbody { @for (place, Entry { person, version }) in &entries {
                tr class=(row_class(member, person)) {
                    td class="number" { (place) }
                    th scope="row" {
                        a href={ "/player/" (person.id) } { (name(config, member, person)) }
                        @if version.benched.is_some() { " (benched)" }
                    }
                    td class="number" { (rating_text(version.rating)) }
                    td class="number" { (version.games) }
                    td class="number" { @if person.role != Role::Reference { (version.number) } }
                }
            } }
        }
    }
}

fn row_class(member: &Member, person: &Person) -> &'static str {
    match person.role {
        Role::Reference => "mark",
        _ if person.id == member.0.person.id => "own",
        _ => "other",
    }
}
