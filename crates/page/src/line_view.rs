//! The value of a move as the page shows it.

use plyground::Game;
use plyground_host::{AnalyzedLine, HostedPosition, MoveText};
use serde::Serialize;

use crate::score_view::ScoreView;
use crate::view::MoveView;

/// The value of one move.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LineView {
    /// The depth of an estimate in plies.
    depth: Option<u32>,
    #[serde(flatten)]
    score: ScoreView,
    /// The principal variation, the move itself first.
    pv: Vec<MoveView>,
}

impl LineView {
    pub(crate) fn new(position: &HostedPosition, line: &AnalyzedLine) -> LineView {
        let game = position.game();
        LineView {
            depth: line.value.is_estimate().then_some(line.depth),
            score: ScoreView::new(&*game, position.side_to_move(), line.value),
            pv: variation(position, &line.pv),
        }
    }
}

/// Returns the moves of a line of play up to the first illegal move.
#[must_use]
pub fn variation(position: &HostedPosition, line: &[MoveText]) -> Vec<MoveView> {
    let mut position = position.clone();
    let mut views = Vec::with_capacity(line.len());
    for &mv in line {
        let view = MoveView::new(&position, mv);
        if position.play(mv).is_err() {
            break;
        }
        views.push(view);
    }
    views
}
