//! The report of a solution.

use std::collections::BTreeMap;
use std::fmt::Write;

use network::Square;
use plyground_durable::csv_text::csv_text;

use super::problem::Problem;
use super::work::Finding;
use crate::chart::chart;
use crate::opening::{RepliedOpening, moves_text};

/// Returns the text that the player wins.
pub(super) fn proven(problem: &Problem) -> String {
    let Problem { start, opening, replies, chips } = problem;
    let with = match opening.moves.as_slice() {
        [] => String::new(),
        moves => format!(" with {}", moves_text(moves)),
    };
    let (color, count) = (start.to_move(), replies.len());
    format!("{color} wins by chip {chips}{with}: proven for {count} replies\n")
}

/// Returns the text that the player does not win, because of the reply of this number.
pub(super) fn refutation(problem: &Problem, reply: usize, findings: &[Option<Finding>]) -> String {
    let (color, chips, reply) = (problem.start.to_move(), problem.chips, &problem.replies[reply]);
    let after = match reply.moves.as_slice() {
        [] => String::new(),
        moves => format!(" after {}", moves_text(moves)),
    };
    let won = findings.iter().flatten().filter(|finding| finding.chip.is_some()).count();
    let mut text = format!(
        "{color} does not complete a network by chip {chips}{after}:\n{}\n",
        reply.position
    );
    if findings.len() > 1 {
        text += &format!("{won} of {} replies were proven won before\n", findings.len());
    }
    text
}

/// Returns the text of the number of replies won by each chip, and a board of the chips that suffice for
/// replies on each square.
pub(super) fn least_chips(problem: &Problem, findings: &[Option<Finding>]) -> String {
    let (color, replies) = (problem.start.to_move(), &problem.replies);
    let mut counts: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    for finding in findings.iter().flatten() {
        *counts.entry(finding.chip).or_default() += 1;
    }
    let mut text = format!("Replies: {}\n", replies.len());
    for (chip, count) in counts {
        // Writing to a string does not fail.
        let _ = match chip {
            Some(chip) => writeln!(text, "{color} wins by chip {chip}, not before: {count}"),
            None => writeln!(text, "{color} completes no network: {count}"),
        };
    }
    if replies.iter().any(|reply| !reply.moves.is_empty()) {
        text += &board_of_least(replies, findings);
    }
    text
}

/// Returns a board with, for each square on which the other color puts a chip, the chip that suffices
/// against all its other moves.
fn board_of_least(replies: &[RepliedOpening], findings: &[Option<Finding>]) -> String {
    let mut chips: BTreeMap<Square, Option<usize>> = BTreeMap::new();
    for finding in findings.iter().flatten() {
        for position in replies[finding.index].mirrored() {
            for square in position.chips(position.to_move().other()) {
                let most = chips.entry(square).or_insert(finding.chip);
                // `None`, no chip that suffices, counts as worse than every chip.
                *most = most.zip(finding.chip).map(|(most, chip)| most.max(chip));
            }
        }
    }
    let cell = |square| match chips.get(&square) {
        Some(Some(chip)) => chip.to_string(),
        Some(None) => "?".to_owned(),
        None => ".".to_owned(),
    };
    chart("The chip that suffices when a reply is on the square", cell) + "\n"
}

/// Returns a table of all replies, as CSV.
pub(super) fn rows(replies: &[RepliedOpening], findings: &[Option<Finding>]) -> String {
    let header = ["moves", "chip", "nodes"].map(str::to_owned).to_vec();
    let rows = findings.iter().flatten().map(|finding| {
        let chip = finding.chip.map_or_else(String::new, |chip| chip.to_string());
        vec![moves_text(&replies[finding.index].moves), chip, finding.nodes.to_string()]
    });
    csv_text([header].into_iter().chain(rows))
}
