//! An analysis as people read it.

use std::fmt::Write as _;
use std::io::{self, Write};

use plyground::{Bounds, Game, Score};
use plyground_host::{Analysis, HostedGame, HostedPosition, MoveText};

use super::value_text::{kind, variation};

/// The exact value of every move, in the order of the moves, and of the position.
pub(super) fn margins(position: &HostedPosition, analysis: &Analysis) -> String {
    let game = position.game();
    let of = |mv: MoveText| analysis.lines.iter().find(|line| line.first_move() == mv);
    let value = |mv| of(mv).map(|line| (mv, game.value(line.value.score())));
    let values: Vec<_> = position.legal_moves().filter_map(value).collect();
    let best = values.iter().map(|&(_, value)| value).max().unwrap_or_default();
    format!("{}\n{}\n", position.values(&values), position.verdict(best))
}

/// Says what is proven, on one line.
pub(super) fn proven(game: &dyn HostedGame, analysis: &Analysis) -> String {
    // The value is a whole number of points.
    let Bounds { lower, upper } = analysis.bounds;
    let (lower, upper) = (game.round_up(lower), -game.round_up(-upper));
    let mut text = match (Bounds { lower, upper }).exact() {
        Some(value) => format!("proven: value {}", game.value(value)),
        None if (lower, upper) == (Score::MIN, Score::MAX) => "nothing proven".to_owned(),
        None => format!("proven: value {} to {}", game.value(lower), game.value(upper)),
    };
    let exact = analysis.lines.iter().filter(|line| line.value.is_exact());
    for (index, line) in exact.enumerate() {
        let start = if index == 0 { "; moves " } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(text, "{start}{}: {}", line.first_move(), game.value(line.value.score()));
    }
    text
}

/// A table of the moves, and what it took to find them.
pub(super) fn write_rows(
    out: &mut impl Write,
    game: &dyn HostedGame,
    analysis: &Analysis,
) -> io::Result<()> {
    let scores: Vec<_> = analysis.lines.iter().map(|line| game.show(line.value)).collect();
    // Most scores are short.
    let width = scores.iter().map(String::len).chain([10]).max().unwrap_or_default();
    writeln!(
        out,
        "{:>5}  {:>width$}  {:8}  {:>5}  Principal variation",
        "Move", "Score", "", "Depth"
    )?;
    for (line, score) in analysis.lines.iter().zip(scores) {
        let (mv, kind, pv) = (line.first_move().to_string(), kind(line.value), variation(&line.pv));
        writeln!(out, "{mv:>5}  {score:>width$}  {kind:8}  {:>5}  {pv}", line.depth)?;
    }
    writeln!(out, "\n{}", cost(analysis))
}

/// Describes the cost of the search: the positions visited, the CPU time and the speed.
pub(super) fn cost(analysis: &Analysis) -> String {
    let (nodes, seconds) = (analysis.nodes, analysis.cpu.as_secs_f64());
    let millions = analysis.nodes_per_second() / 1e6;
    format!("{nodes} nodes, {seconds:.2} s CPU, {millions:.1} million/s")
}
