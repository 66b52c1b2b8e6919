//! What is known of forced wins: the opening of the solution, and how far to look for others.

use plyground::player::{Machine, Strength};
use plyground::proof::{Prepared, Tactics};
use plyground::search::Options;
use plyground::{Game, Side};

use crate::eval::ChipEval;
use crate::goal::Win;
use crate::moves::Move;
use crate::position::Position;
use crate::solution::frame::Frame;
use crate::solution::replies::answer;

/// By which of her chips the player who moves first wins.
const WINNING_CHIP: usize = 8;
/// The chips of the opening: 03 and then 73, in two goals on one row, whatever the other does.
const OPENING: usize = 2;
/// Forced wins by steps are looked for no further than this.
const STEP_HORIZON: u32 = 11;

/// Forced wins of Network.
///
/// The player who moves first wins by her eighth chip: she begins with 03 and 73 whatever the
/// other does, or a mirror image of it, and what follows can be proven quickly. White's squares
/// under the Berkeley rules; under those of USF the same with rows and columns exchanged.
#[derive(Clone, Copy, Debug)]
pub struct ForcedWins {
    /// Whether the answers that follow the opening are taken from a table.
    pub book: bool,
}

impl ForcedWins {
    /// A machine that knows all of this.
    pub(crate) fn machine(strength: Strength) -> Machine<ChipEval, ForcedWins> {
        let options = Options::default();
        let table_mib = options.table_mib;
        Machine::new(ChipEval, strength, options).with_tactics(ForcedWins { book: true }, table_mib)
    }
}

/// The plies that a player who is to move has until his chip of this number.
fn plies_to(chip: usize, chips: usize) -> u32 {
    (2 * chip.saturating_sub(chips)).saturating_sub(1) as u32
}

impl Tactics<Position> for ForcedWins {
    type Goal = Win;

    fn goal(&self, position: &Position, attacker: Side) -> Win {
        Win::new(position, position.rules().color(attacker))
    }

    fn horizon(&self, position: &Position, attacker: Side) -> u32 {
        let color = position.rules().color(attacker);
        let adds = plies_to(Position::CHIPS, position.chips(color).len());
        let waits = u32::from(color != position.to_move());
        adds.max(STEP_HORIZON) + waits
    }

    fn prepared(&self, position: &Position) -> Option<Prepared<Move>> {
        let frame = Frame::of(position)?;
        let own = position.chips(position.to_move()).len();
        let square = match own {
            0 => frame.first(),
            1 => frame.second(),
            OPENING if self.book => answer(&frame)?,
            _ => return None,
        };
        let mv = Move::Add(frame.outside(square));
        let prepared = Prepared { mv, plies: plies_to(WINNING_CHIP, own) };
        position.check_legal(mv).is_ok().then_some(prepared)
    }

    fn expected(&self, position: &Position) -> Option<u32> {
        let own = position.chips(position.to_move()).len();
        (OPENING..WINNING_CHIP).contains(&own).then_some(())?;
        Frame::of(position).map(|_| plies_to(WINNING_CHIP, own))
    }
}
