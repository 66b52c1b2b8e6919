//! The report of first moves and the replies to them.

use std::fmt::Write;

use network::{Move, Position};

use super::question::{MoveStatus, Question};
use super::tree::{Extent, First, Tree};
use crate::chart::chart;
use crate::opening_table::{OpeningResult, OpeningRow};

/// Returns the text of the first moves that win; where the least chip was asked for every reply, with a
/// board of these chips for each first move.
pub(super) fn summary(start: &Position, tree: &Tree) -> String {
    let (color, chips) = (start.to_move(), tree.chips);
    let count =
        |verdict| tree.firsts.iter().filter(|first| first.verdict(chips) == verdict).count();
    let (won, not_won, open) = (count(Some(true)), count(Some(false)), count(None));
    let all = tree.firsts.len();
    let mut text =
        format!("{color} wins by chip {chips} with {won} of {all} first moves, not with {not_won}");
    text += &if open > 0 { format!("; {open} are open\n\n") } else { "\n\n".to_owned() };
    text += " First  By chip          Replies won         Nodes\n";
    for first in &tree.firsts {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", line(first, chips));
    }
    if tree.extent == Extent::Least {
        tree.firsts.iter().for_each(|first| text += &board(first));
    }
    text + "\n"
}

/// Returns the line of a first move.
fn line(first: &First, chips: usize) -> String {
    let value = match (first.verdict(chips), first.refuter(chips)) {
        (Some(true), _) => {
            let chip = first.questions.iter().map(|question| question.chip).max();
            format!("{}", chip.unwrap_or(chips))
        }
        (Some(false), Some(question)) => match question.moves.last() {
            Some(reply) => format!("not after {reply}"),
            None => "not".to_owned(),
        },
        (Some(false), None) => "not".to_owned(),
        (None, _) => "open".to_owned(),
    };
    let won = first.questions.iter().filter(|question| question.verdict() == Some(true)).count();
    let replies = format!("{won} of {}", first.questions.len());
    format!(" {:<5}  {value:<15}  {replies:<11}  {:>12}", first.mv.to_string(), first.nodes())
}

/// Returns a board with the least chip by which the color wins after each reply that is an add.
fn board(first: &First) -> String {
    let heading = format!("The chip that suffices after {} and a reply on the square", first.mv);
    chart(&heading, |square| match find(first, Move::Add(square)) {
        Some(question) => match question.verdict() {
            Some(true) => question.chip.to_string(),
            Some(false) => format!(">{}", question.chip),
            None => "?".to_owned(),
        },
        None => ".".to_owned(),
    })
}

/// Returns the question about a reply.
fn find(first: &First, reply: Move) -> Option<&Question> {
    first.questions.iter().find(|question| question.moves.last() == Some(&reply))
}

/// Returns the rows of a table of all settled questions.
pub(super) fn rows(tree: &Tree) -> impl Iterator<Item = OpeningRow> {
    tree.firsts.iter().flat_map(|first| &first.questions).flat_map(rows_of)
}

/// Returns the row of a question that a second move answers, or the rows of its second moves if all are
/// refuted.
fn rows_of(question: &Question) -> Vec<OpeningRow> {
    let [first, reply] = question.moves[..] else { return Vec::new() };
    let row = |result| OpeningRow { first, reply, chip: question.chip, result };
    let refuted = question.seconds.iter().filter_map(|second| match second.status {
        MoveStatus::Refuted(by) => Some(row(OpeningResult::Refuted { second: second.mv, by })),
        MoveStatus::Open | MoveStatus::Wins => None,
    });
    match question.verdict() {
        Some(true) => vec![row(OpeningResult::Won(question.winner()))],
        Some(false) => refuted.collect(),
        None => Vec::new(),
    }
}
