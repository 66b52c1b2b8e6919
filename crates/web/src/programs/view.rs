//! The views of a program on the page.

use std::time::Duration;

use plyground::Game;
use plyground_host::player::ProposedMove;
use plyground_host::protocol::ProgramInfo;
use plyground_host::{Fault, HostedPosition};
use plyground_page::{MoveView, ScoreView, variation};
use serde::Serialize;

/// A program that plays a side.
#[derive(Debug, Serialize)]
pub(crate) struct SeatView {
    pub(crate) name: String,
    pub(crate) state: SeatState,
    /// The end of what the program has printed to standard error.
    pub(crate) errors: String,
    /// The last `info ...` lines of the program, without that word.
    pub(crate) info: String,
    /// The last legal move to which the program objected as illegal.
    pub(crate) objection: Option<String>,
}

/// The state of the process of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SeatState {
    /// It is the program's turn.
    Thinking,
    /// It is not the program's turn.
    Waiting,
    /// The process has ended.
    Ended,
}

/// The result of the turn of a program.
#[derive(Debug, Serialize)]
pub(crate) struct TurnView {
    /// The move, if the program has made one.
    #[serde(flatten)]
    mv: Option<MoveView>,
    /// The value of the move according to the program.
    score: Option<ScoreView>,
    /// The depth in plies according to the program.
    depth: Option<u32>,
    /// The number of positions visited according to the program.
    nodes: Option<u64>,
    /// The principal variation according to the program, up to the first illegal move.
    pv: Vec<MoveView>,
    /// The fault by which the program loses, if there is one.
    fault: Option<String>,
    /// The time of the turn by the clock on the wall, in milliseconds.
    wall_ms: u64,
    /// The CPU time of the turn in milliseconds.
    cpu_ms: u64,
}

impl TurnView {
    pub(crate) fn new(
        position: &HostedPosition,
        chosen: Result<ProposedMove, Fault>,
        said: &ProgramInfo,
        [wall, cpu]: [Duration; 2],
    ) -> TurnView {
        let (chosen, fault) = match chosen {
            Ok(chosen) => (Some(chosen), None),
            Err(fault) => (None, Some(fault.to_string())),
        };
        // A value sent with the move takes precedence over one sent before.
        let value = chosen.and_then(|chosen| chosen.value).or(said.value);
        let score =
            value.map(|value| ScoreView::new(&*position.game(), position.side_to_move(), value));
        TurnView {
            mv: chosen.map(|chosen| MoveView::new(position, chosen.mv)),
            score,
            depth: chosen.and_then(|chosen| chosen.depth).or(said.depth),
            nodes: said.nodes,
            pv: variation(position, &said.pv),
            fault,
            wall_ms: milliseconds(wall),
            cpu_ms: milliseconds(cpu),
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
