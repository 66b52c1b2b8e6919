//! The known forced wins: the opening of the solution, and the distances at which others are looked for.

use plyground::proof::{Prepared, Tactics};
use plyground::{Game, Side};

use crate::goal::Win;
use crate::moves::Move;
use crate::position::Position;
use crate::solution::{Frame, answer};

/// The number of the chip by which the player that moves first wins.
const WINNING_CHIP: usize = 8;
/// The number of chips in the opening: 03, then 73, in two goals on one row.
const OPENING: usize = 2;
/// The greatest number of plies at which forced wins by steps are looked for.
const STEP_HORIZON: u32 = 11;

/// Forced wins of Network.
///
/// The player that moves first wins by the eighth chip. The opening is 03, then 73, against any replies, or
/// a mirror image of these; a proof of the rest takes little time. These are White's squares by the
/// Berkeley rules. By the USF rules, rows and columns are exchanged.
#[derive(Clone, Copy, Debug)]
pub struct ForcedWins {
    /// If true, the answers that follow the opening are taken from a table.
    pub book: bool,
}

impl Tactics<Position> for ForcedWins {
    type Goal = Win;

    fn goal(&self, position: &Position, attacker: Side) -> Win {
        Win::new(position, position.rules().color(attacker))
    }

    fn horizon(&self, position: &Position, attacker: Side) -> u32 {
        let color = position.rules().color(attacker);
        let adds = position.plies_to_chip(color, Position::CHIPS);
        let waits = u32::from(color != position.to_move());
        adds.max(STEP_HORIZON) + waits
    }

    fn prepared(&self, position: &Position) -> Option<Prepared<Move>> {
        let frame = Frame::of(position)?;
        let color = position.to_move();
        let square = match position.chips(color).len() {
            0 => frame.first(),
            1 => frame.second(),
            OPENING if self.book => answer(&frame)?,
            _ => return None,
        };
        let mv = Move::Add(frame.outside(square));
        let prepared = Prepared { mv, plies: position.plies_to_chip(color, WINNING_CHIP) };
        position.check_legal(mv).is_ok().then_some(prepared)
    }

    fn expected(&self, position: &Position) -> Option<u32> {
        let color = position.to_move();
        (OPENING..WINNING_CHIP).contains(&position.chips(color).len()).then_some(())?;
        Frame::of(position).map(|_| position.plies_to_chip(color, WINNING_CHIP))
    }
}
