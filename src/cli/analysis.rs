//! An analysis as JSON.

use serde::Serialize;

use super::analyze_forced::ForcedIn;
use super::program::Program;
use crate::game::Game;
use crate::search::Report;

/// What `--json` of analyze prints. The order of the fields is that of the output.
#[derive(Debug, Serialize)]
pub(super) struct Analysis {
    game: &'static str,
    /// The state file, lines joined by `/`.
    position: String,
    /// The last line of the state file.
    side_to_move: String,
    depth: u32,
    proven: bool,
    nodes: u64,
    cpu_seconds: f64,
    /// Best first; none when the game is over.
    moves: Vec<AnalyzedMove>,
    /// Absent if none was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced_win: Option<ForcedWin>,
}

/// A win that cannot be prevented.
#[derive(Debug, Serialize)]
struct ForcedWin {
    /// [`Program::side_name`].
    winner: String,
    /// In how many plies from now, at the latest.
    plies: u32,
    /// `proof`, or `opening` where it is known beforehand.
    source: &'static str,
    /// The moves of the winner are forced, those of the loser examples.
    line: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct AnalyzedMove {
    #[serde(rename = "move")]
    mv: String,
    /// [`Score::get`](crate::Score::get), from the view of the side that moves.
    score: i32,
    proven: bool,
    /// [`Program::value`], if proven.
    value: Option<i32>,
    pv: Vec<String>,
}

impl Analysis {
    /// The analysis of a position; `report` is `None` when the game is over, and so all proven.
    pub(super) fn new<P: Program>(
        program: &P,
        position: &P::Game,
        report: Option<&Report<<P::Game as Game>::Move>>,
    ) -> Analysis {
        let state = program.format_state(position);
        let lines = report.map_or(&[][..], |report| &report.lines);
        let moves = lines.iter().map(|line| AnalyzedMove {
            mv: line.first_move().to_string(),
            score: line.score.get(),
            proven: line.proven,
            value: line.proven.then(|| program.value(line.score)),
            pv: line.pv.iter().map(ToString::to_string).collect(),
        });
        Analysis {
            game: P::Game::NAME,
            side_to_move: state.lines().last().unwrap_or_default().to_owned(),
            position: state.replace('\n', "/"),
            depth: report.map_or(0, |report| report.depth),
            proven: report.is_none_or(Report::proven),
            nodes: report.map_or(0, |report| report.nodes),
            cpu_seconds: report.map_or(0.0, |report| report.cpu.as_secs_f64()),
            moves: moves.collect(),
            forced_win: None,
        }
    }

    /// The same, with a win that cannot be prevented.
    pub(super) fn with_forced<P: Program>(
        self,
        program: &P,
        forced: Option<&ForcedIn<P>>,
    ) -> Analysis {
        let forced_win = forced.map(|forced| ForcedWin {
            winner: program.side_name(forced.winner),
            plies: forced.plies,
            source: if forced.prepared { "opening" } else { "proof" },
            line: forced.line.iter().map(ToString::to_string).collect(),
        });
        Analysis { forced_win, ..self }
    }
}
