//! What the page shows of a program.

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
    /// The end of what it has printed to standard error.
    pub(crate) errors: String,
    /// The last lines `info ...` that it has said, without that word.
    pub(crate) info: String,
    /// The last legal move that it took for illegal.
    pub(crate) objection: Option<String>,
}

/// What the process of a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SeatState {
    /// It is its turn.
    Thinking,
    /// It is not its turn.
    Waiting,
    /// There is none any more.
    Ended,
}

/// What came of the turn of a program.
#[derive(Debug, Serialize)]
pub(crate) struct TurnView {
    /// Its move, if it has made one.
    #[serde(flatten)]
    mv: Option<MoveView>,
    /// What it says that the move is worth to it.
    score: Option<ScoreView>,
    /// How many plies it says that it has looked ahead.
    depth: Option<u32>,
    /// How many positions it says that it has looked at.
    nodes: Option<u64>,
    /// How it says that the game goes on, as far as that is legal.
    pv: Vec<MoveView>,
    /// How it loses, if it does.
    fault: Option<String>,
    /// The milliseconds of the turn by the clock on the wall.
    wall_ms: u64,
    /// The milliseconds of CPU time that the turn took.
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
        // What it says with its move counts for more than what it says before.
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
