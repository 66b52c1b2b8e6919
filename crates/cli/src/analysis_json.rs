//! An analysis as JSON.

use std::io::{self, Write};

use plyground_host::{Analysis, AnalyzedLine, Bound, ForcedWin, HostedGame, HostedPosition};
use serde::Serialize;

use super::failure::Failure;

/// The output of `analyze --json` and `solve --json`. The order of the fields is that of the
/// output.
#[derive(Debug, Serialize)]
struct AnalysisJson {
    game: &'static str,
    /// The state file, lines joined by `/`.
    position: String,
    /// The last line of the state file.
    side_to_move: String,
    depth: u32,
    /// If true, the value of every move is exact.
    proven: bool,
    nodes: u64,
    cpu_seconds: f64,
    /// Best first; none when the game is over.
    moves: Vec<MoveJson>,
    /// Absent if none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced_win: Option<ForcedWinJson>,
    /// The exact value of the position in the game's own terms; only where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
}

/// A win that cannot be prevented.
#[derive(Debug, Serialize)]
struct ForcedWinJson {
    /// The name of the winner.
    winner: String,
    /// In how many plies from now, at the latest.
    plies: u32,
    /// `proof`, or `opening` where it is known beforehand.
    source: &'static str,
    /// The moves of the winner are forced, those of the loser examples.
    line: Vec<String>,
}

#[derive(Debug, Serialize)]
struct MoveJson {
    #[serde(rename = "move")]
    mv: String,
    /// [`Score::get`](plyground::Score::get), as the side sees it that makes the move.
    score: i32,
    /// The kind of the score: exact, a bound or an estimate.
    bound: Bound,
    /// If true, the score is exact.
    proven: bool,
    /// The value in the game's own terms, if it is exact.
    value: Option<i32>,
    pv: Vec<String>,
}

/// Writes an analysis as one line; `value` is that of the position, if it was asked for.
pub(super) fn write_json(
    out: &mut impl Write,
    position: &HostedPosition,
    analysis: &Analysis,
    value: Option<i32>,
) -> Result<(), Failure> {
    let game = position.game();
    let state = position.state();
    let json = AnalysisJson {
        game: game.name(),
        position: position.state_word(),
        side_to_move: state.lines().last().unwrap_or_default().to_owned(),
        depth: depth(analysis),
        proven: analysis.is_complete,
        nodes: analysis.nodes,
        cpu_seconds: analysis.cpu.as_secs_f64(),
        moves: analysis.lines.iter().map(|line| MoveJson::new(&*game, line)).collect(),
        forced_win: analysis.forced.as_ref().map(|forced| ForcedWinJson::new(&*game, forced)),
        value,
    };
    serde_json::to_writer(&mut *out, &json).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Returns the number of plies that were looked ahead for every move at least.
pub(super) fn depth(analysis: &Analysis) -> u32 {
    let least = analysis.lines.iter().map(|line| line.depth).min();
    analysis.depth.max(least.unwrap_or_default())
}

impl MoveJson {
    fn new(game: &dyn HostedGame, line: &AnalyzedLine) -> MoveJson {
        let score = line.value.score();
        let proven = line.value.is_exact();
        MoveJson {
            mv: line.first_move().to_string(),
            score: score.get(),
            bound: Bound::of(line.value),
            proven,
            value: proven.then(|| game.value(score)),
            pv: line.pv.iter().map(ToString::to_string).collect(),
        }
    }
}

impl ForcedWinJson {
    fn new(game: &dyn HostedGame, forced: &ForcedWin) -> ForcedWinJson {
        ForcedWinJson {
            winner: game.side_name(forced.winner),
            plies: forced.plies,
            source: if forced.prepared { "opening" } else { "proof" },
            line: forced.line.iter().map(ToString::to_string).collect(),
        }
    }
}
