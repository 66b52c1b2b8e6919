//! The goal of the proof search: a win within a number of plies.

use plyground::proof::{Goal, Numbers};
use plyground::{Evaluator, Game, Side};

use crate::chain::lacking;
use crate::color::Color;
use crate::eval::ChipEval;
use crate::moves::Move;
use crate::position::Position;

/// A color wins by a network. A win over an opponent who has no legal move counts where the search
/// meets it, but a disproof may overlook it.
#[derive(Clone, Copy, Debug)]
pub struct Win {
    attacker: Color,
    side: Side,
}

/// The proof number of an even position, and the evaluation that halves it.
const EVEN_PROOF: f32 = 16.0;
const HALVING: f32 = 100.0;
/// The greatest proof number to start with.
const MOST_PROOF: f32 = 20_000.0;
/// How many parries make a threat as good as none.
const MANY_PARRIES: f32 = 8.0;

impl Win {
    /// The goal of `attacker` in `position` and all that follow from it.
    #[must_use]
    pub fn new(position: &Position, attacker: Color) -> Win {
        Win { attacker, side: position.rules().side(attacker) }
    }

    /// Whether both colors have chips in hand.
    fn both_add(&self, position: &Position) -> bool {
        Color::BOTH.iter().all(|&color| position.in_hand(color) > 0)
    }

    /// Drops the adds of the attacker, those from `start` on, that leave too few for a network.
    fn keep_helpful(&self, start: usize, position: &Position, plies: u32, moves: &mut Vec<Move>) {
        let own = position.chips(self.attacker);
        let left = plies.div_ceil(2) - 1;
        if lacking(own.0, self.attacker) <= left {
            return;
        }
        let mut kept = start;
        for index in start..moves.len() {
            let mv = moves[index];
            if lacking(own.with(mv.to()).0, self.attacker) <= left {
                moves[kept] = mv;
                kept += 1;
            }
        }
        // A position without moves would have no numbers.
        if kept > start {
            moves.truncate(kept);
        }
    }

    /// How hard an open position looks, with so many parries of the defender to try.
    fn estimate(&self, position: &Position, plies: u32, parries: Option<usize>) -> Numbers {
        let is_attacker = position.to_move() == self.attacker;
        let value = ChipEval.evaluate(position).get() as f32;
        let value = if is_attacker { value } else { -value };
        let share = parries.map_or(1.0, |count| (count as f32 / MANY_PARRIES).min(1.0));
        let proof = (EVEN_PROOF * (-value / HALVING).exp2() * share).min(MOST_PROOF);
        let disproof = if is_attacker { 1 + plies.div_ceil(2) / 2 } else { 1 };
        Numbers::open(proof as u32, disproof)
    }

    /// An open position with this many moves that are not hopeless.
    fn forced(&self, position: &Position, plies: u32) -> Numbers {
        let is_attacker = position.to_move() == self.attacker;
        // Adds of the defender open no line, so the attacker's last move is a threat by now, and
        // one that no reply parries.
        let is_last = plies == 2 && self.both_add(position);
        let threats = position.threats();
        if !threats.exist() {
            return self.estimate(position, plies, None);
        }
        let mut parries = position.parries(&threats);
        if is_last && parries.next().is_some() {
            return Numbers::DISPROVEN;
        }
        match (parries.count(), is_attacker) {
            (0, true) => Numbers::DISPROVEN,
            (0, false) => Numbers::PROVEN,
            (_, true) => self.estimate(position, plies, None),
            (count, false) => self.estimate(position, plies, Some(count)),
        }
    }
}

impl Goal<Position> for Win {
    fn attacker(&self) -> Side {
        self.side
    }

    fn judge(&self, position: &Position, plies: u32) -> Numbers {
        if let Some(outcome) = position.outcome() {
            let won = outcome.winner() == Some(self.side);
            return if won { Numbers::PROVEN } else { Numbers::DISPROVEN };
        }
        let is_attacker = position.to_move() == self.attacker;
        let moves = if is_attacker { plies.div_ceil(2) } else { plies / 2 };
        let own = position.chips(self.attacker).0;
        if plies == 0 || lacking(own, self.attacker) > moves {
            return Numbers::DISPROVEN;
        }
        // Most positions before the attacker's last move have no threat.
        if plies == 2 && self.both_add(position) && position.wins(self.attacker).next().is_none() {
            return Numbers::DISPROVEN;
        }
        let wins_at_once = position.wins(position.to_move()).next().is_some();
        match (wins_at_once, is_attacker) {
            (true, true) => Numbers::PROVEN,
            (true, false) => Numbers::DISPROVEN,
            // The defender can only hand over a win, by a step.
            (false, false) if plies == 1 => self.estimate(position, plies, None),
            (false, _) => self.forced(position, plies),
        }
    }

    fn moves(&self, position: &Position, plies: u32, moves: &mut Vec<Move>) {
        let start = moves.len();
        let threats = position.threats();
        // Where all lose, within one ply the opponent has no time to win.
        if threats.exist() && plies > 1 {
            moves.extend(position.parries(&threats));
        } else {
            moves.extend(position.legal_moves());
        }
        if position.to_move() == self.attacker && position.in_hand(self.attacker) > 0 {
            self.keep_helpful(start, position, plies, moves);
        }
    }

    fn salt(&self) -> u64 {
        match self.attacker {
            Color::White => 0,
            Color::Black => 0x6a09_e667_f3bc_c909,
        }
    }
}
