//! The standings, and the page of a player.

use std::sync::Arc;

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::app::{App, Member, Refusal};
use super::layout::Page;
use super::view::{games_table, name, page, rating_text, time_text};
use crate::config::{Config, Shown};
use crate::store::{Entry, Person, Played, RatingPoint, Recent, Role, Version};

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
        let entries = league.store.read(Entry::all)?;
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
                    p { (under_way) " games are being played." }
                    @if let Some(why) = paused { p class="error" { "The games rest: " (why) } }
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
                th scope="col" { "Version" } th scope="col" { "State" }
            } }
            tbody { @for (place, Entry { person, version }) in &entries {
                tr class=(row_class(member, person)) {
                    td class="number" { (place) }
                    th scope="row" { a href={ "/player/" (person.id) } { (name(config, member, person)) } }
                    td class="number" { (rating_text(version.rating)) }
                    td class="number" { (version.games) }
                    td { @if person.role != Role::Reference { (version.number) } }
                    td { @if version.benched.is_some() { "benched" } }
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

/// The number of games on the page of a player.
const GAMES: usize = 40;

/// The number of games in the graph.
const POINTS: usize = 400;

/// The page of a player.
pub(super) async fn player(
    State(app): State<Arc<App>>,
    member: Member,
    Path(id): Path<i64>,
) -> Result<Page, Refusal> {
    app.off_thread(move |app| {
        let league = &app.league;
        let config = &league.config;
        let entries = league.store.read(Entry::all)?;
        if !sees(config, &member, entries, id) {
            return Err(Refusal::missing());
        }
        let (person, people, games, points) = league.store.read(|db| {
            Ok((
                Person::find(db, id)?,
                Person::all(db)?,
                Played::recent(db, Recent::Of(id), GAMES)?,
                RatingPoint::history(db, id, POINTS)?,
            ))
        })?;
        let person = person.filter(|it| it.role != Role::Instructor || it.active.is_some());
        let person = person.ok_or_else(Refusal::missing)?;
        let version = match person.active {
            Some(active) => league.store.read(|db| Version::find(db, active))?,
            None => None,
        };
        let title = name(config, &member, &person);
        let is_own = person.id == member.0.person.id || member.is_instructor();
        let content = html! {
            section class="card" {
                h1 { (title) }
                @match &version {
                    None => { p { "Nothing plays yet." } }
                    Some(version) => {
                        p { "Version " (version.number) ", " (rating_text(version.rating)) ", " (version.games) " games." }
                        @if let Some(why) = &version.benched {
                            @if is_own { p class="error" { "Benched: " (why) } }
                            @else { p class="error" { "Benched: it lost games in a row by faults" } }
                        }
                    }
                }
                (graph(&points))
            }
            section class="card" {
                h2 { "The last games" }
                (games_table(config, &member, &people, &games))
            }
        };
        Ok(page(config, &member, &title, &content))
    })
    .await
}

/// The size of the graph.
const SIZE: (f64, f64) = (800.0, 180.0);

/// Returns the graph of ratings with their intervals.
pub(super) fn graph(points: &[RatingPoint]) -> Markup {
    if points.len() < 2 {
        return html! {};
    }
    let low = |point: &RatingPoint| point.rating.interval()[0];
    let high = |point: &RatingPoint| point.rating.interval()[1];
    let least = points.iter().map(low).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(high).fold(f64::NEG_INFINITY, f64::max);
    let (width, height) = SIZE;
    let x = |index: usize| width * index as f64 / (points.len() - 1) as f64;
    let y = |rating: f64| height - height * (rating - least) / (most - least).max(1.0);
    let at = |index: usize, rating: f64| format!("{:.1},{:.1}", x(index), y(rating));
    let all = || points.iter().enumerate();
    let line: Vec<String> = all().map(|(index, point)| at(index, point.rating.rating)).collect();
    let upper = all().map(|(index, point)| at(index, high(point)));
    let lower = all().rev().map(|(index, point)| at(index, low(point)));
    let band: Vec<String> = upper.chain(lower).collect();
    let label = format!(
        "The rating over the last {} games: from {:.0} to {:.0}",
        points.len(),
        points[0].rating.rating,
        points[points.len() - 1].rating.rating
    );
    html! {
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(label) {
            polygon class="band" points=(band.join(" ")) {}
            polyline class="line" points=(line.join(" ")) {}
            text x="2" y="12" { (format!("{most:.0}")) }
            text x="2" y=(height - 4.0) { (format!("{least:.0}")) }
        }
    }
}
