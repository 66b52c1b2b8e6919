//! The players: the standings, and the page of each player, with the rating, the games and the cost of the losses.

use axum::extract::Path;
use axum::response::{Redirect, Response};
use maud::{Markup, html};
use plyground_explain::review::{review_page, summaries};

use super::app::{App, Form, Member, Refusal};
use super::games::{alone, asks, check_analysis, named_review};
use super::view::{
    Page, games_table, hidden, name, name_of, page, rating_text, sees, time_text, visible,
};
use crate::background::{losses, want_losses};
use crate::config::Config;
use crate::store::{Entry, Person, Played, RatingPoint, Recent, Review, Role, Version};

/// Returns the page of the standings.
pub(super) fn standings(app: &App, member: &Member, (): ()) -> Result<Page, Refusal> {
    let league = &app.league;
    let config = &league.config;
    let (entries, builds) = league.store.read(|db| Ok((Entry::all(db)?, Version::builds(db)?)))?;
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
            (standings_table(config, member, visible(config, member, entries)))
            p class="quiet" {
                "Ratings are on the scale of Elo, each with its interval of 95 %. They come from games of all "
                "against all, each opening with both sides."
            }
        }
    };
    Ok(page(config, member, "Standings", &content))
}

fn standings_table(config: &Config, member: &Member, entries: Vec<(usize, Entry)>) -> Markup {
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

/// The number of games on the page of a player.
const GAMES: usize = 40;

/// The number of games in the graph.
const POINTS: usize = 400;

/// Returns the page of a player.
pub(super) fn player(app: &App, member: &Member, Path(id): Path<i64>) -> Result<Page, Refusal> {
    let league = &app.league;
    let config = &league.config;
    let entries = league.store.read(Entry::all)?;
    if !sees(config, member, entries, id) {
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
    let title = name(config, member, &person);
    let losses = if config.analysis { losses(league, id)? } else { Vec::new() };
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
        @if !losses.is_empty() { (losses_section(config, member, &people, (&person, &losses))) }
        section class="card" {
            h2 { "The last games" }
            (games_table(config, member, &people, &games))
        }
    };
    Ok(page(config, member, &title, &content))
}

/// Returns the last losses, with their costs by the reviews.
fn losses_section(
    config: &Config,
    member: &Member,
    people: &[Person],
    (person, losses): (&Person, &[(Played, Review)]),
) -> Markup {
    let own = name(config, member, person);
    let is_missing = |review: &Review| *review == Review::Unwanted;
    let may_ask = person.id == member.0.person.id || member.is_instructor();
    html! {
        section class="card" {
            h2 { "The mistakes in the last losses" }
            table {
                thead { tr {
                    th scope="col" { "Game" } th scope="col" { "Against" } th scope="col" { "Lost by moves" }
                    th scope="col" { "The worst" }
                } }
                tbody { @for (played, review) in losses {
                    @let [cost, worst] = costs(config, member, people, (&own, played, review));
                    @let other = played.people.iter().find(|it| **it != person.id).unwrap_or(&person.id);
                    tr {
                        th scope="row" { a href={ "/game/" (played.game.id) } { (played.game.id) } }
                        td { (name_of(config, member, people, *other)) }
                        td { (cost) }
                        td class="reason" { (worst) }
                    }
                } }
            }
            p { a href={ "/player/" (person.id) "/review" } { "The mistakes, with boards" } }
            @if may_ask && losses.iter().any(|(_, review)| is_missing(review)) {
                form class="row" method="post" action={ "/player/" (person.id) "/review" } {
                    (hidden(member))
                    button { "Review them all" }
                    span class="quiet" { "Otherwise, the computer reviews them when it is idle." }
                }
            }
        }
    }
}

/// Returns the cost of a player's mistakes in a game, and the worst mistake, in words.
fn costs(
    config: &Config,
    member: &Member,
    people: &[Person],
    (own, played, review): (&str, &Played, &Review),
) -> [String; 2] {
    let text = match review {
        Review::Unwanted => return ["not reviewed yet".to_owned(), String::new()],
        Review::Waiting => return ["the review is being made".to_owned(), String::new()],
        Review::Made(text) => text,
    };
    let Some(review) = named_review(config, member, people, played, text) else {
        return ["cannot be reviewed".to_owned(), String::new()];
    };
    let summaries = summaries(&[review], Some(own));
    let Some(summary) = summaries.first() else { return [String::new(), String::new()] };
    let unit = if summary.in_points { "points" } else { "half games" };
    let worst = summary
        .worst
        .first()
        .map(|worst| format!("move {}: {} in place of {}", worst.ply, worst.mv, worst.best));
    let cost = match (summary.mistakes, summary.doubtful) {
        (0, 0) => "no mistake is known".to_owned(),
        (0, doubtful) => format!("{doubtful} moves that may be mistakes"),
        (1, _) => format!("{} {unit} by one mistake", summary.loss_per_game.all),
        (count, _) => format!("{} {unit} by {count} mistakes", summary.loss_per_game.all),
    };
    [cost, worst.unwrap_or_default()]
}

/// Requests the reviews of the last losses of a player.
pub(super) fn want_review(
    app: &App,
    member: &Member,
    Path(id): Path<i64>,
    form: Form,
) -> Result<Redirect, Refusal> {
    member.check(&form.form)?;
    check_analysis(&app.league.config)?;
    // Reviews take much time, so a student may request reviews of the own player only.
    if id != member.0.person.id && !member.is_instructor() {
        return Err(Refusal::missing());
    }
    want_losses(&app.league, id, asks(member))?;
    Ok(Redirect::to(&format!("/player/{id}")))
}

/// Returns the page of the finished reviews of the last losses of a player.
pub(super) fn review(app: &App, member: &Member, Path(id): Path<i64>) -> Result<Response, Refusal> {
    let config = &app.league.config;
    check_analysis(config)?;
    let (entries, people) = app.league.store.read(|db| Ok((Entry::all(db)?, Person::all(db)?)))?;
    let person = people.iter().find(|person| person.id == id);
    let person = person.filter(|_| sees(config, member, entries, id));
    let own = name(config, member, person.ok_or_else(Refusal::missing)?);
    let reviews: Vec<_> = losses(&app.league, id)?
        .iter()
        .filter_map(|(played, review)| match review {
            Review::Made(text) => named_review(config, member, &people, played, text),
            _ => None,
        })
        .collect();
    let summaries = summaries(&reviews, Some(&own));
    let page = review_page(&*config.game, &reviews, &summaries, Some(&own));
    Ok(alone(&page, &format!("/player/{id}"), &own))
}

/// The size of the graph.
const SIZE: (f64, f64) = (800.0, 180.0);

/// Returns the graph of ratings with their intervals.
fn graph(points: &[RatingPoint]) -> Markup {
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
