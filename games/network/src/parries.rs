//! Moves that may stop the opponent from completing a network.

use crate::chain::{SHORTEST, has_network, network_lines};
use crate::color::Color;
use crate::legal::LegalMoves;
use crate::links::makes_between;
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;
use crate::squares::SquareSet;

/// The threats of the opponent, and the squares where a move stops them.
///
/// A move stops an opponent's winning move only by taking its square, by standing between two chips of
/// every network that it makes, or, if the winning move is a step, by making it open a line of a network of
/// the side to move: a step that completes both networks does not win. In this last way a step can parry
/// from anywhere, for a chip may also be lifted out of the line.
#[derive(Clone, Debug)]
pub struct Threats {
    /// The chips with which the opponent threatens, and the squares that stop all their threats.
    steps: [(Square, u64); Position::CHIPS],
    count: usize,
    /// The squares that stop all threats of adds.
    adds: u64,
    /// If true, there are threats.
    any: bool,
}

impl Threats {
    /// Finds the threats against the player to move.
    // Inlined, because a copy of data just written piece by piece waits for the memory: without it the copy
    // of the result takes a quarter of a proof search.
    #[inline(always)]
    fn new(position: &Position) -> Threats {
        let color = position.to_move().other();
        let origin = Square::lowest(1);
        let mut threats =
            Threats { steps: [(origin, 0); Position::CHIPS], count: 0, adds: u64::MAX, any: false };
        let mut wins = position.wins(color);
        while let Some(win) = wins.next() {
            threats.any = true;
            let mask = threats.mask(win.from());
            *mask = stops(position, color, win, *mask);
            // Nothing stops all of these threats, so that others need not be looked for.
            if *mask == 0 {
                match win.from() {
                    None => break,
                    Some(_) => wins.skip_steps(),
                }
            }
        }
        threats
    }

    /// Returns the squares that stop all threats so far of adds, or of steps from `from`. Steps come in the
    /// order of origins.
    fn mask(&mut self, from: Option<Square>) -> &mut u64 {
        let Some(from) = from else { return &mut self.adds };
        let is_last = |&(last, _): &(Square, u64)| last == from;
        if !self.steps[..self.count].last().is_some_and(is_last) {
            self.steps[self.count] = (from, u64::MAX);
            self.count += 1;
        }
        &mut self.steps[self.count - 1].1
    }

    /// Returns true if there are threats.
    #[must_use]
    pub fn exist(&self) -> bool {
        self.any
    }

    /// Returns the squares to which a chip must go that is added (`from` is `None`) or comes from `from`.
    #[must_use]
    pub fn stops(&self, position: &Position, from: Option<Square>) -> SquareSet {
        let bit = from.map_or(0, Square::bit);
        let own = position.chips(position.to_move()).0 & !bit;
        let occupied = position.occupied().0 & !bit;
        let may_have_network = own.count_ones() as usize + 1 >= SHORTEST;
        let mut mask = self.adds;
        for &(origin, stops) in &self.steps[..self.count] {
            let opening = if may_have_network { makes_between(origin, own, occupied) } else { 0 };
            mask &= stops | opening;
        }
        SquareSet(mask)
    }
}

/// Returns the squares of `within` where a chip stops `win`, a move that completes a network of `color`.
fn stops(position: &Position, color: Color, win: Move, within: u64) -> u64 {
    let lifted = win.from().map_or(0, Square::bit);
    let own = (position.chips(color).0 & !lifted) | win.to().bit();
    let occupied = (position.occupied().0 & !lifted) | win.to().bit();
    let open = within & !occupied;
    let lines = if open == 0 { 0 } else { network_lines(own, occupied, color).unwrap_or(u64::MAX) };
    // Another network may be left when one is broken.
    let breaks = |square: &Square| !has_network(own, occupied | square.bit(), color);
    let broken: SquareSet = SquareSet(lines & open).iter().filter(breaks).collect();
    broken.0 | (win.to().bit() & within)
}

impl Position {
    /// Returns the threats of the player who is not to move to complete a network with the next move.
    #[inline(always)]
    #[must_use]
    pub fn threats(&self) -> Threats {
        Threats::new(self)
    }

    /// Returns the legal moves that may stop `threats`, those of this position, in the order of the legal
    /// moves. After every other move the opponent wins at once, unless that move itself ended the game:
    /// moves that win at once are not looked for. With chips to add on both sides, after each of these
    /// moves the threats are gone.
    pub fn parries<'a>(&'a self, threats: &'a Threats) -> impl Iterator<Item = Move> + 'a {
        let mut last = None;
        LegalMoves::new(self).filter(move |mv| {
            let mask = match last {
                Some((from, mask)) if from == mv.from() => mask,
                _ => threats.stops(self, mv.from()),
            };
            last = Some((mv.from(), mask));
            mask.contains(mv.to())
        })
    }
}
