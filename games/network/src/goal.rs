//! The goal of the proof search: a win within a number of plies.

use plyground::proof::{Goal, Numbers};
use plyground::{Evaluator, Game, SearchHints, Side};

use crate::chain::lacking;
use crate::color::Color;
use crate::eval::ChipEval;
use crate::moves::Move;
use crate::position::Position;

/// The goal that a color wins by a network. A win over an opponent who has no legal move counts where the
/// search meets it, but a disproof may overlook it.
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
/// The disproof number of an even position, and the evaluation that doubles it: with a constant disproof
/// number the solution takes half as many nodes again.
const EVEN_DISPROOF: f32 = 4.0;
const DOUBLING: f32 = 28.0;
/// The greatest disproof number to start with.
const MOST_DISPROOF: f32 = 5_000.0;
/// The number of replies with which a threat is worth no more than a quiet move.
const MANY_REPLIES: f32 = 8.0;

impl Win {
    /// Makes the goal of `attacker` in `position` and all that follow from it.
    #[must_use]
    pub fn new(position: &Position, attacker: Color) -> Win {
        Win { attacker, side: position.rules().side(attacker) }
    }

    /// Returns true if the attacker is to move.
    fn is_to_move(&self, position: &Position) -> bool {
        position.to_move() == self.attacker
    }

    /// Returns true if both colors have chips in hand.
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

    /// Returns the numbers that are clear without looking for wins, if they are.
    fn at_sight(&self, position: &Position, plies: u32) -> Option<Numbers> {
        if let Some(outcome) = position.outcome() {
            let won = outcome.winner() == Some(self.side);
            return Some(if won { Numbers::PROVEN } else { Numbers::DISPROVEN });
        }
        let moves = if self.is_to_move(position) { plies.div_ceil(2) } else { plies / 2 };
        let is_hopeless =
            plies == 0 || lacking(position.chips(self.attacker).0, self.attacker) > moves;
        is_hopeless.then_some(Numbers::DISPROVEN)
    }

    /// Returns true if the attacker may win within the last two plies. Mostly the attacker cannot: there is
    /// no threat, and either both colors add chips, which makes no threat, or the defender is to move and
    /// the first legal move makes no threat.
    fn needs_care(&self, position: &Position) -> bool {
        let is_safe = |position: &Position| position.wins(self.attacker).next().is_none();
        let stays_safe = |mv| {
            let next = position.after(mv);
            next.outcome().is_none() && is_safe(&next)
        };
        let has_quiet_move =
            || !self.is_to_move(position) && position.open_moves().next().is_some_and(stays_safe);
        !(is_safe(position) && (self.both_add(position) || has_quiet_move()))
    }

    /// Returns the evaluation of an open position, as the attacker sees it.
    fn value(&self, position: &Position) -> f32 {
        let value = ChipEval.evaluate(position).get() as f32;
        if self.is_to_move(position) { value } else { -value }
    }

    /// Estimates the numbers of an open position with the attacker to move.
    fn attack(&self, position: &Position, plies: u32) -> Numbers {
        let value = self.value(position);
        let moves = 1 + plies.div_ceil(2) / 2;
        Numbers::open(proof(value) as u32, (disproof(value) * moves as f32) as u32)
    }

    /// Estimates the numbers of an open position with the defender to move and this many replies that may
    /// help. A threat with few replies promises more, for any evaluation of the position: all replies must
    /// be refuted one by one.
    fn defense(&self, position: &Position, replies: usize) -> Numbers {
        let value = self.value(position);
        let share = (replies as f32 / MANY_REPLIES).min(1.0);
        Numbers::open((proof(value) * share) as u32 + replies as u32, disproof(value) as u32)
    }

    /// Judges a position in which the attacker is to move and does not win at once.
    fn judge_attack(&self, position: &Position, plies: u32) -> Numbers {
        let threats = position.threats();
        let is_lost = threats.exist() && position.parries(&threats).next().is_none();
        if is_lost { Numbers::DISPROVEN } else { self.attack(position, plies) }
    }

    /// Judges a position in which the defender is to move and does not win at once.
    fn judge_defense(&self, position: &Position, plies: u32) -> Numbers {
        // Within one ply the defender can only hand over a win, by a step.
        let threats = position.threats();
        if plies == 1 || !threats.exist() {
            return self.defense(position, count_moves(position));
        }
        match position.parries(&threats).count() {
            0 => Numbers::PROVEN,
            // Adds of either color open no line, so a parry leaves no threat.
            _ if plies == 2 && self.both_add(position) => Numbers::DISPROVEN,
            parries => self.defense(position, parries),
        }
    }
}

/// Estimates the proof number of an open position that is worth `value` to the attacker.
fn proof(value: f32) -> f32 {
    (EVEN_PROOF * (-value / HALVING).exp2()).min(MOST_PROOF)
}

/// Estimates the disproof number of an open position that is worth `value` to the attacker.
fn disproof(value: f32) -> f32 {
    (EVEN_DISPROOF * (value / DOUBLING).exp2()).min(MOST_DISPROOF)
}

/// Returns the approximate number of moves.
fn count_moves(position: &Position) -> usize {
    let color = position.to_move();
    let targets = position.add_targets(color).len();
    // A chip can step to about as many squares as one could be added to.
    if position.in_hand(color) > 0 { targets } else { targets * position.chips(color).len() }
}

impl Goal<Position> for Win {
    fn attacker(&self) -> Side {
        self.side
    }

    fn judge(&self, position: &Position, plies: u32) -> Numbers {
        if let Some(numbers) = self.at_sight(position, plies) {
            return numbers;
        }
        if plies == 2 && !self.needs_care(position) {
            return Numbers::DISPROVEN;
        }
        let wins_at_once = position.wins(position.to_move()).next().is_some();
        match (wins_at_once, self.is_to_move(position)) {
            (true, true) => Numbers::PROVEN,
            (true, false) => Numbers::DISPROVEN,
            (false, true) => self.judge_attack(position, plies),
            (false, false) => self.judge_defense(position, plies),
        }
    }

    fn guess(&self, position: &Position, plies: u32) -> Option<Numbers> {
        let guess =
            || self.at_sight(position, plies).unwrap_or_else(|| self.attack(position, plies));
        self.is_to_move(position).then(guess)
    }

    fn moves(&self, position: &Position, plies: u32, moves: &mut Vec<Move>) {
        let start = moves.len();
        let threats = position.threats();
        // Within one ply the opponent has no time to win, so that threats do not count.
        if threats.exist() && plies > 1 {
            moves.extend(position.parries(&threats));
        } else {
            moves.extend(position.open_moves());
        }
        if self.is_to_move(position) && position.in_hand(self.attacker) > 0 {
            self.keep_helpful(start, position, plies, moves);
        }
    }

    /// Returns a number for the attacker alone: the keys of positions tell whose turn it is.
    fn salt(&self, _: &Position) -> u64 {
        match self.attacker {
            Color::White => 0,
            Color::Black => 0x6a09_e667_f3bc_c909,
        }
    }
}
