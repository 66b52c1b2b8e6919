//! What moves and positions are worth, as the page shows it.

use serde::Serialize;

use super::on_page::OnPage;
use super::view::MoveView;
use crate::game::{Game, Side};
use crate::score::Score;
use crate::search::Line;

/// A score as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Worth {
    /// [`Score::get`] as [`Side::First`] sees it.
    first: i32,
    proven: bool,
    /// For a table: `+1.35`, `win in 5`.
    text: String,
    /// For a cell of the board: `+1.4`, `W5`.
    short: String,
}

impl Worth {
    /// A score that `side` has.
    pub(super) fn new<P: OnPage>(program: &P, side: Side, score: Score, proven: bool) -> Worth {
        let text = match score.plies_to_end() {
            None if proven => signed(program.value(score)),
            _ => score.to_string(),
        };
        let short = match score.plies_to_end() {
            Some(plies) => format!("{}{}", if plies > 0 { 'W' } else { 'L' }, plies.abs()),
            None if proven => signed(program.value(score)),
            None => {
                // No sign before a zero.
                let rounded = (f64::from(score.get()) / f64::from(Score::POINT) * 10.0).round();
                if rounded == 0.0 { "0.0".to_owned() } else { format!("{:+.1}", rounded / 10.0) }
            }
        };
        let first = if side == Side::First { score.get() } else { -score.get() };
        Worth { first, proven, text, short }
    }
}

fn signed(value: i32) -> String {
    if value == 0 { "0".to_owned() } else { format!("{value:+}") }
}

/// What one move is worth.
#[derive(Clone, Debug, Serialize)]
pub(super) struct LineView {
    /// How many plies were looked ahead; `None` where that is of no meaning.
    depth: Option<u32>,
    #[serde(flatten)]
    worth: Worth,
    /// The principal variation, the move itself first.
    pv: Vec<MoveView>,
}

impl LineView {
    pub(super) fn new<P: OnPage>(
        program: &P,
        position: &P::Game,
        line: &Line<<P::Game as Game>::Move>,
        depth: Option<u32>,
    ) -> LineView {
        let worth = Worth::new(program, position.side_to_move(), line.score, line.proven);
        LineView { depth, worth, pv: variation(program, position, &line.pv) }
    }
}

/// The moves of a line of play as far as they are legal.
fn variation<P: OnPage>(
    program: &P,
    position: &P::Game,
    line: &[<P::Game as Game>::Move],
) -> Vec<MoveView> {
    let mut position = position.clone();
    let mut views = Vec::with_capacity(line.len());
    for &mv in line {
        if position.check_legal(mv).is_err() {
            break;
        }
        views.push(MoveView::new(program, &position, mv));
        position.play_unchecked(mv);
    }
    views
}
