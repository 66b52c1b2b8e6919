//! A review as text, and as a table.

use plyground::Side;
use plyground_durable::csv_text::csv_text;
use plyground_host::Bound;

use super::game::{GameReview, MistakeKind, ReviewedMove, Worth, amount};
use super::summary::ProgramSummary;

/// The longest line of play that text shows, in plies.
const SHOWN_PLIES: usize = 16;

/// Returns the review of a game as text, with the mistakes of `player` alone if one is named.
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
    out
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
            format!("Of {unknown} of {} moves the loss is not known exactly.", review.moves.len())
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
            lines.push(format!("{label}: {}", shown(line)));
        }
    }
    lines
}

/// Returns the loss of a mistake in words: `loses 2 points`.
pub(super) fn loss_words(review: &GameReview, reviewed: &ReviewedMove) -> String {
    match (reviewed.kind, reviewed.loss) {
        (Some(MistakeKind::Mistake), Some(loss)) => {
            format!("loses {}", amount(review.in_points, loss))
        }
        // The other move is known by an estimate, which proves nothing.
        _ if reviewed.played.value().bounds().upper.is_loss() => {
            format!("is proven to lose, and {} is not", reviewed.best)
        }
        _ => "misses a proven win, and may win as well".to_owned(),
    }
}

/// Returns a worth with its certainty: `+1.00, exact`.
pub(super) fn worth_words(worth: &Worth) -> String {
    match worth.bound {
        Bound::Exact => format!("{}, exact", worth.text),
        Bound::AtLeast | Bound::AtMost => format!("{}, proven", worth.text),
        Bound::Estimate => format!("{}, an estimate", worth.text),
    }
}

/// Returns the depth at which minimax sees the mistake, and what that says about the program.
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

fn shown(line: &[plyground_host::MoveText]) -> String {
    let moves: Vec<_> = line.iter().take(SHOWN_PLIES).map(ToString::to_string).collect();
    let more = if line.len() > SHOWN_PLIES { " ..." } else { "" };
    moves.join(" ") + more
}

/// The columns of the table of moves.
const COLUMNS: [&str; 17] = [
    "file",
    "ply",
    "side",
    "player",
    "move",
    "given",
    "value",
    "bound",
    "best",
    "best_value",
    "best_bound",
    "loss",
    "kind",
    "seen_at_depth",
    "seen_from_depth",
    "said_depth",
    "refutation",
];

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
    csv_text(COLUMNS, rows)
}

fn row(review: &GameReview, reviewed: &ReviewedMove) -> Vec<String> {
    let text = |value: Option<String>| value.unwrap_or_default();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let kind = reviewed.kind.map(|kind| match kind {
        MistakeKind::Mistake => "mistake",
        MistakeKind::Doubtful => "doubtful",
    });
    let line: Vec<_> = reviewed.refutation.iter().map(ToString::to_string).collect();
    vec![
        review.file.clone().unwrap_or_default(),
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
        line.join(" "),
    ]
}

/// Returns the summary of a program as text.
#[must_use]
pub fn summary_text(summary: &ProgramSummary) -> String {
    summary.lines().join("\n") + "\n"
}
