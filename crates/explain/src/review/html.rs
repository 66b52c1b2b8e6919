//! Reviews as a page in a single file.

use maud::{Markup, html};
use plyground::{Score, Side};
use plyground_host::state::StateText;
use plyground_host::{HostedGame, HostedPosition, Text};

use super::game::{GameReview, Phase, ReviewedMove, Worth, amount};
use super::summary::{Accuracy, ProgramSummary};
use super::text::{loss_words, sight_text, worth_words};
use crate::block;
use crate::html::document;

const STYLE: &str = concat!(include_str!("../page/alone.css"), include_str!("../page/review.css"));

/// The most mistakes that a page shows, so that it opens in a moment.
const MOST_MISTAKES: usize = 400;

/// Returns the page of these games, with the summaries of their players; with the mistakes of `player` alone
/// if one is named.
#[must_use]
pub fn review_page(
    game: &dyn HostedGame,
    reviews: &[GameReview],
    summaries: &[ProgramSummary],
    player: Option<&str>,
) -> String {
    let title = match player {
        Some(player) => format!("{}: {player}, reviewed", game.title()),
        None => format!("{}: a review", game.title()),
    };
    let mut left = MOST_MISTAKES;
    let body = html! {
        header {
            h1 { (title) }
            p { (contents(reviews)) }
        }
        @for summary in summaries { (summary_section(summary)) }
        @for (number, review) in (1..).zip(reviews) {
            (game_section(game, (number, review), player, &mut left))
        }
        @if left == 0 {
            p { "This page shows the first " (MOST_MISTAKES) " mistakes. The table of --csv has all of them." }
        }
    };
    document(&title, STYLE, &body)
}

fn contents(reviews: &[GameReview]) -> String {
    let exact = reviews.iter().filter(|review| review.exact).count();
    match (reviews.len(), exact) {
        (1, 1) => "One game; the value of every move is exact.".to_owned(),
        (1, _) => "One game; where a value is not exact, it says so.".to_owned(),
        (games, exact) if games == exact => {
            format!("{games} games; the value of every move is exact.")
        }
        (games, exact) => format!("{games} games, {exact} of them exact in every move."),
    }
}

/// Returns the section of a program.
#[must_use]
pub fn summary_section(summary: &ProgramSummary) -> Markup {
    let losses = summary.loss_per_game;
    let phases = [losses.opening, losses.middle, losses.end];
    let unit = if summary.in_points { "points" } else { "half games" };
    html! {
        section class="program" {
            h2 { (summary.name) }
            table {
                tbody {
                    (fact("Games", &format!("{}, {} as the first player", summary.games[0] + summary.games[1], summary.games[0])))
                    @if let Some(Accuracy { mean, interval }) = summary.accuracy {
                        @let interval = interval.map(|[low, high]| format!(", 95 % interval {low:.1} to {high:.1}"));
                        (fact("Right moves", &format!("{mean:.1} % of a game{}", interval.unwrap_or_default())))
                    }
                    (fact("Mistakes", &mistakes(summary)))
                    (fact("Wins given away", &summary.missed_wins.to_string()))
                    @for (phase, lost) in Phase::ALL.into_iter().zip(phases) {
                        (fact(&format!("Lost in the {}", phase.name()), &format!("{lost:.2} {unit} a game")))
                    }
                }
            }
            @if !summary.patterns.is_empty() {
                h3 { "Patterns" }
                ul { @for pattern in &summary.patterns { li { (pattern.text) } } }
            }
        }
    }
}

fn mistakes(summary: &ProgramSummary) -> String {
    let depths = summary.seen_at.iter().map(|(depth, count)| format!("{count} at depth {depth}"));
    let depths = depths.collect::<Vec<_>>().join(", ");
    let seen = if depths.is_empty() { String::new() } else { format!("; minimax sees {depths}") };
    format!("{}{seen}", summary.mistakes)
}

fn fact(name: &str, text: &str) -> Markup {
    html! { tr { th scope="row" { (name) } td { (text) } } }
}

fn game_section(
    game: &dyn HostedGame,
    (number, review): (usize, &GameReview),
    player: Option<&str>,
    left: &mut usize,
) -> Markup {
    let [one, two] = Side::BOTH.map(|side| review.name(side));
    let is_shown = |it: &&ReviewedMove| {
        it.kind.is_some() && player.is_none_or(|player| review.name(it.side) == player)
    };
    let mistakes: Vec<_> = review.moves.iter().filter(is_shown).take(*left).collect();
    *left -= mistakes.len();
    let positions = positions(game, review);
    html! {
        section class="game" {
            h2 { (one) " – " (two) @if let Some(result) = &review.result { ": " (result) } }
            @if let Some(file) = &review.file { p class="quiet" { (file) } }
            @if let Some(reason) = &review.reason { p { (reason) } }
            (graph(number, review, &mistakes))
            @if mistakes.is_empty() { p { "No mistake is known." } }
            @for made in mistakes {
                (mistake(number, review, made, positions.get(made.ply - 1)))
            }
        }
    }
}

/// Returns the positions of the game, as far as the moves are legal.
fn positions(game: &dyn HostedGame, review: &GameReview) -> Vec<HostedPosition> {
    let Some(game) = game.with_rules(&review.rules) else { return Vec::new() };
    let Ok(start) = game.parse_state(&StateText::new(review.start.clone())) else {
        return Vec::new();
    };
    let mut positions = vec![start.clone()];
    let mut position = start;
    for made in &review.moves {
        if position.play_text(&made.mv).is_err() {
            break;
        }
        positions.push(position.clone());
    }
    positions
}

fn mistake(
    number: usize,
    review: &GameReview,
    made: &ReviewedMove,
    before: Option<&HostedPosition>,
) -> Markup {
    let line = |line: &[plyground_host::MoveText]| {
        line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let board = before.map(|before| before.text(Text::Board)).unwrap_or_default();
    html! {
        article class="question" id=(anchor(number, made)) {
            h3 { "Ply " (made.ply) ", " (review.name(made.side)) ": " (made.mv) }
            div class="shown" {
                div class="board" {
                    @match before.and_then(|before| block::drawing(before, &board)) {
                        Some(drawing) => (drawing),
                        None => pre { (board) },
                    }
                    @for line in before.map(block::counts).unwrap_or_default() { p { (line) } }
                }
                div {
                    p { strong { (loss_words(review, made)) } ": " (worth_words(&made.played)) "." }
                    p { (sight_text(made)) }
                    @if !made.refutation.is_empty() {
                        p { "After it: " (line(&made.refutation)) }
                    }
                    details {
                        summary {
                            @if made.is_mistake() { "Find the better move; then look" }
                            @else { "Find a move that may be better; then look" }
                        }
                        p { strong { (made.best) } ": " (worth_words(&made.best_worth)) "." }
                        @if !made.best_line.is_empty() { p { "Best play: " (line(&made.best_line)) } }
                    }
                }
            }
        }
    }
}

fn anchor(number: usize, made: &ReviewedMove) -> String {
    format!("game-{number}-ply-{}", made.ply)
}

/// The size of a graph, and the width of a move in it.
const HEIGHT: f64 = 120.0;
const STEP: f64 = 14.0;

/// Returns the values of the positions as a graph, as the first player sees them, with a mark at each mistake,
/// and a list of these.
fn graph(number: usize, review: &GameReview, mistakes: &[&ReviewedMove]) -> Markup {
    let value = |made: &ReviewedMove, worth: &Worth| {
        let own = height(review, worth);
        if made.side == Side::First { own } else { -own }
    };
    let values: Vec<f64> = review.moves.iter().map(|made| value(made, &made.played)).collect();
    let most = values.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
    let y = |value: f64| HEIGHT / 2.0 - value / most * (HEIGHT / 2.0 - 8.0);
    let x = |ply: usize| STEP * ply as f64;
    let points = (1..).zip(&values).map(|(ply, value)| format!("{:.1},{:.1}", x(ply), y(*value)));
    let points = points.collect::<Vec<_>>().join(" ");
    let width = x(review.moves.len() + 1);
    let words = format!("The value after each move, as {} sees it", review.name(Side::First));
    html! {
        figure class="graph" {
            svg viewBox=(format!("0 0 {width:.0} {HEIGHT:.0}")) width=(format!("{width:.0}"))
                height=(format!("{HEIGHT:.0}")) role="img" aria-label=(words) {
                line class="even" x1="0" x2=(format!("{width:.0}")) y1=(format!("{:.1}", y(0.0))) y2=(format!("{:.1}", y(0.0))) {}
                polyline points=(points) {}
                @for made in mistakes {
                    circle cx=(format!("{:.1}", x(made.ply))) cy=(format!("{:.1}", y(values[made.ply - 1]))) r="4.5" {}
                }
            }
            figcaption class="quiet" { (words) "." }
            @if !mistakes.is_empty() {
                p { "Mistakes: " @for (index, made) in mistakes.iter().enumerate() {
                    @if index > 0 { ", " }
                    a href=(format!("#{}", anchor(number, made))) {
                        "ply " (made.ply) @if let Some(loss) = made.loss { " (" (amount(review.in_points, loss)) ")" }
                    }
                } }
            }
        }
    }
}

/// Returns the height of a value in a graph: its points, and for a forced end the most that an outcome is.
fn height(review: &GameReview, worth: &Worth) -> f64 {
    const FORCED: f64 = 3.0;
    let score = Score::new(worth.score);
    match (review.in_points, worth.value) {
        (true, Some(value)) => value,
        _ if score.is_win() => FORCED,
        _ if score.is_loss() => -FORCED,
        _ => (f64::from(worth.score) / f64::from(Score::POINT)).clamp(-FORCED, FORCED),
    }
}
