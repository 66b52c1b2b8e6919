//! The forms of a review: text, a table, and a page in a single file.

use maud::{Markup, PreEscaped, html};
use plyground::{Score, Side};
use plyground_durable::text::csv_text;
use plyground_durable::{shown, shown_lines};
use plyground_host::state::StateText;
use plyground_host::{Bound, HostedGame, HostedPosition, MoveText, Text};

use super::game::{GameReview, MistakeKind, Phase, ReviewedMove, Worth, amount};
use super::summary::{Accuracy, ProgramSummary};
use crate::html::{counts, document, drawing};
use crate::text::joined;

const STYLE: &str =
    concat!(include_str!("../../page/alone.css"), include_str!("../../page/review.css"));

/// The most mistakes on a page, so that the page opens quickly.
const MOST_MISTAKES: usize = 400;

/// Returns the page of these games, with the summaries of their players and with all mistakes, or only the mistakes of
/// `player`.
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
    // The names of players and files are untrusted text.
    document(&shown(&title), STYLE, &PreEscaped(shown_lines(&body.into_string())))
}

fn contents(reviews: &[GameReview]) -> String {
    let exact = reviews.iter().filter(|review| review.exact).count();
    match (reviews.len(), exact) {
        (1, 1) => "One game; the value of every move is exact.".to_owned(),
        (1, _) => "One game; values that are not exact are marked.".to_owned(),
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

/// Returns the positions of the game up to the first illegal move.
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
    let board = before.map(|before| before.text(Text::Board)).unwrap_or_default();
    html! {
        article class="question" id=(anchor(number, made)) {
            h3 { "Ply " (made.ply) ", " (review.name(made.side)) ": " (made.mv) }
            div class="shown" {
                div class="board" {
                    @match before.and_then(|before| drawing(before, &board)) {
                        Some(drawing) => (drawing),
                        None => pre { (board) },
                    }
                    @for line in before.map(counts).unwrap_or_default() { p { (line) } }
                }
                div {
                    p { strong { (loss_words(review, made)) } ": " (worth_words(&made.played)) "." }
                    p { (sight_text(made)) }
                    @if !made.refutation.is_empty() {
                        p { "After it: " (joined(&made.refutation)) }
                    }
                    details {
                        summary {
                            @if made.is_mistake() { "Find the better move; then look" }
                            @else { "Find a move that may be better; then look" }
                        }
                        p { strong { (made.best) } ": " (worth_words(&made.best_worth)) "." }
                        @if !made.best_line.is_empty() { p { "Best play: " (joined(&made.best_line)) } }
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

/// Returns a graph of the values of the positions, as the first player sees them, with a mark at each mistake, and a
/// list of the mistakes.
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
                    circle cx=(format!("{:.1}", x(made.ply))) cy=(format!("{:.1}", y(value(made, &made.played)))) r="4.5" {}
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

/// Returns the height of a value in a graph: the points or the estimate; `FORCED` for a forced win, and the opposite
/// for a forced loss.
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

/// The longest line of play in text, in plies.
const SHOWN_PLIES: usize = 16;

/// Returns the review of a game as text, with all mistakes, or only the mistakes of `player`.
#[must_use]
pub fn game_text(review: &GameReview, player: Option<&str>) -> String {
    let mut out = heading(review);
    let is_shown = |side: Side| player.is_none_or(|player| review.name(side) == player);
    let mistakes = review.moves.iter().filter(|it| it.kind.is_some() && is_shown(it.side));
    let mut count = 0;
    for reviewed in mistakes {
        out += &format!("\n{}\n", mistake_lines(review, reviewed).join("\n  "));
        count += 1;
    }
    if count == 0 {
        out += "\nNo mistake is known.\n";
    }
    shown_lines(&out)
}

fn heading(review: &GameReview) -> String {
    let [one, two] = Side::BOTH.map(|side| review.name(side));
    let result = match (&review.result, &review.reason) {
        (Some(result), Some(reason)) => format!(": {result} ({reason})"),
        _ => String::new(),
    };
    let file = review.file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
    let known = match review.exact {
        true => "Every value is exact.".to_owned(),
        false => {
            let unknown = review.moves.iter().filter(|it| it.loss.is_none()).count();
            format!("The loss of {unknown} of {} moves is not known exactly.", review.moves.len())
        }
    };
    let [first, second] = Side::BOTH.map(|side| lost(review, side));
    format!("{file}{one} - {two}{result}\n{known} Lost: {one} {first}, {two} {second}.\n")
}

/// Returns the loss of a side in words.
fn lost(review: &GameReview, side: Side) -> String {
    let own = review.moves.iter().filter(|it| it.side == side && !it.given);
    let total: i32 = own.filter_map(|it| it.loss).sum();
    amount(review.in_points, total)
}

/// Returns a mistake in words: the move and its loss, the depth that sees it, and both lines of play.
#[must_use]
pub fn mistake_lines(review: &GameReview, reviewed: &ReviewedMove) -> Vec<String> {
    let ReviewedMove { ply, mv, best, played, best_worth, .. } = reviewed;
    let name = review.name(reviewed.side);
    let given = if reviewed.given { " (given)" } else { "" };
    let mut lines = vec![
        format!(
            "Ply {ply}, {name}: {mv}{given} {}; it is worth {}, and {best} {}",
            loss_words(review, reviewed),
            worth_words(played),
            worth_words(best_worth)
        ),
        sight_text(reviewed),
    ];
    let better = if reviewed.is_mistake() { "Better" } else { "Perhaps better" };
    for (label, line) in [("After it", &reviewed.refutation), (better, &reviewed.best_line)] {
        if !line.is_empty() {
            lines.push(format!("{label}: {}", moves_text(line)));
        }
    }
    lines
}

/// Returns the loss of a mistake in words: `loses 2 points`.
fn loss_words(review: &GameReview, reviewed: &ReviewedMove) -> String {
    match (reviewed.kind, reviewed.loss) {
        (Some(MistakeKind::Mistake), Some(loss)) => {
            format!("loses {}", amount(review.in_points, loss))
        }
        // The value of the best move is only an estimate.
        _ if reviewed.played.value().bounds().upper.is_loss() => {
            format!("is proven to lose, and {} is not", reviewed.best)
        }
        _ => "misses a proven win, and may win as well".to_owned(),
    }
}

/// Returns a worth with its certainty: `+1.00, exact`.
fn worth_words(worth: &Worth) -> String {
    match worth.bound {
        Bound::Exact => format!("{}, exact", worth.text),
        Bound::AtLeast | Bound::AtMost => format!("{}, proven", worth.text),
        Bound::Estimate => format!("{}, an estimate", worth.text),
    }
}

/// Returns the depth at which minimax sees the mistake, and the conclusion about the program.
#[must_use]
pub fn sight_text(reviewed: &ReviewedMove) -> String {
    let looked = reviewed.looked_at_depth.unwrap_or_default();
    let Some(at) = reviewed.seen_at_depth else {
        return format!("Not seen at depth {looked} or less.");
    };
    let Some(from) = reviewed.seen_from_depth else {
        return format!("Seen at depth {at}, but not at depth {looked}.");
    };
    let depth = match at == from {
        true => format!("Seen at depth {at}"),
        false => format!("Seen at depth {at}, and at all depths from {from} on"),
    };
    let said = reviewed.said_depth;
    let says = said.map(|said| format!("the program says that it looked {said} ahead"));
    let is_deep = said.is_some_and(|said| from <= said && said <= looked);
    match says {
        Some(says) if is_deep => {
            format!("{depth}: {says}, and so it has a bug, or values this less.")
        }
        Some(says) => format!("{depth}: {says}."),
        None if from <= 2 => format!("{depth}: a program that looks ahead at all has a bug."),
        None if at == from => format!("{depth}: the program looked at most {} ahead.", at - 1),
        None => format!("{depth}."),
    }
}

fn moves_text(line: &[MoveText]) -> String {
    let more = if line.len() > SHOWN_PLIES { " ..." } else { "" };
    joined(line.iter().take(SHOWN_PLIES)) + more
}

/// The columns of the table of moves.
const COLUMNS: &str = "file,ply,side,player,move,given,value,bound,best,best_value,best_bound,loss,\
    kind,seen_at_depth,seen_from_depth,said_depth,refutation";

/// Returns a table of all moves, a line for each.
#[must_use]
pub fn moves_csv<'a>(
    reviews: impl Iterator<Item = &'a GameReview>,
    player: Option<&str>,
) -> String {
    let rows = reviews.flat_map(|review| {
        let is_shown = |side: Side| player.is_none_or(|player| review.name(side) == player);
        review.moves.iter().filter(move |it| is_shown(it.side)).map(move |it| row(review, it))
    });
    csv_text(COLUMNS.split(','), rows)
}

fn row(review: &GameReview, reviewed: &ReviewedMove) -> Vec<String> {
    let text = |value: Option<String>| value.unwrap_or_default();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let kind = reviewed.kind.map(|kind| match kind {
        MistakeKind::Mistake => "mistake",
        MistakeKind::Doubtful => "doubtful",
    });
    vec![
        text(review.file.clone()),
        reviewed.ply.to_string(),
        (reviewed.side.index() + 1).to_string(),
        review.name(reviewed.side),
        reviewed.mv.clone(),
        u8::from(reviewed.given).to_string(),
        number(reviewed.played.value),
        reviewed.played.bound.to_string(),
        reviewed.best.clone(),
        number(reviewed.best_worth.value),
        reviewed.best_worth.bound.to_string(),
        text(reviewed.loss.map(|loss| loss.to_string())),
        kind.unwrap_or_default().to_owned(),
        text(reviewed.seen_at_depth.map(|depth| depth.to_string())),
        text(reviewed.seen_from_depth.map(|depth| depth.to_string())),
        text(reviewed.said_depth.map(|depth| depth.to_string())),
        joined(&reviewed.refutation),
    ]
}

/// Returns the summary of a program as text.
#[must_use]
pub fn summary_text(summary: &ProgramSummary) -> String {
    shown_lines(&(summary.lines().join("\n") + "\n"))
}
