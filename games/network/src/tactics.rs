//! The known forced wins; the forcing positions; the moves that parry a threat; and the positions after all
//! moves of one position.

use plyground::proof::{Prepared, Tactics};
use plyground::{Forcing, Game, SearchHints, Side, Successors};

use crate::color::Color;
use crate::goal::{Gaps, Win};
use crate::legal::LegalMoves;
use crate::links::{SHORTEST, has_network, lacking, makes_between, network_lines};
use crate::moves::{Move, Square, SquareSet};
use crate::position::{Hints, Position};
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

/// The number of squares that ensures a player a legal move after any move of the opponent, who can take
/// one of them.
const ENOUGH_TARGETS: usize = 2;

impl Position {
    /// Implements [`SearchHints::forcing`](plyground::SearchHints::forcing).
    #[inline]
    fn find_forcing(&self, replies: &mut Vec<Move>) -> Forcing<Move> {
        let (own, other) = (self.to_move(), self.to_move().other());
        // A player without a legal move has lost, but the searches for wins and threats overlook such ends.
        if !self.will_have_move(other) {
            return Forcing::Unknown;
        }
        if self.lacks_one(own)
            && let Some(mv) = self.wins(own).next()
        {
            return Forcing::Win(mv);
        }
        if !self.lacks_one(other) {
            return Forcing::Quiet;
        }
        let threats = self.threats();
        if !threats.exist() {
            return Forcing::Quiet;
        }
        if !self.has_harmless_move() {
            return Forcing::Unknown;
        }
        replies.extend(self.parries(&threats));
        Forcing::Threatened
    }

    /// Returns true if the counts of chips allow `color` a network with one chip more, or with one chip
    /// elsewhere.
    #[inline]
    fn lacks_one(&self, color: Color) -> bool {
        lacking(self.chips(color).0, color) <= 1
    }

    /// Returns true if `color` is sure to have a legal move after any move of its opponent.
    fn will_have_move(&self, color: Color) -> bool {
        if self.in_hand(color) > 0 {
            return self.has_room(color) || self.add_targets(color).len() >= ENOUGH_TARGETS;
        }
        let mut targets = SquareSet::EMPTY;
        self.chips(color).iter().any(|from| {
            targets = targets | self.step_targets(color, from);
            targets.len() >= ENOUGH_TARGETS
        })
    }

    /// Returns true if the player to move has a legal move that cannot complete a network of the opponent.
    fn has_harmless_move(&self) -> bool {
        let color = self.to_move();
        let is_harmless = |from| !self.opens_line(from);
        self.in_hand(color) > 0
            || self
                .chips(color)
                .iter()
                .any(|from| is_harmless(from) && !self.step_targets(color, from).is_empty())
    }
}

/// The threats of the opponent, and the squares where a move stops them.
///
/// A move stops an opponent's winning move only by taking its square, by standing between two chips of every
/// network that it makes, or, if the winning move is a step, by making the step open a line of a network of
/// the side to move: a step that completes both networks does not win. In this last way a step can parry
/// from anywhere, because a chip may also be lifted out of the line.
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
    // Inlined, because a copy of data just written piece by piece waits for the memory: without inlining,
    // the copy of the result takes a quarter of a proof search.
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
            // No move stops all of these threats, so the others do not matter.
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

    /// Returns the legal moves that may stop `threats`, the threats in this position, in the order of the
    /// legal moves. After every other move the opponent wins at once, unless that move ends the game:
    /// winning moves are not considered. With chips to add on both sides, after each of these moves the
    /// threats are gone.
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

/// A maker of the positions after the moves of one position, which gives each the hints that follow from
/// facts about all of them together: most of these positions need no search for a network.
#[derive(Clone, Debug)]
struct Siblings<'a> {
    position: &'a Position,
    /// The chip that stepped last, or `None` for an add.
    from: Option<Square>,
    /// If true, the side to move, who had no winning add, will have another chip to add.
    has_key_chip: bool,
    /// The squares where steps of the side to move may complete their network, if any step may.
    gaps: Option<Gaps>,
    /// The squares where the chip on `from`, or one from the hand, may complete it.
    completing: u64,
    /// The hints of every position after a step of that chip, except for a completed network.
    hints: Hints,
}

impl<'a> Siblings<'a> {
    /// Makes the successors of `position`, which is not over; `found` is the answer of its
    /// [`forcing`](plyground::SearchHints::forcing).
    #[inline(always)]
    pub(crate) fn new(position: &'a Position, found: Forcing<Move>) -> Siblings<'a> {
        let is_quiet = matches!(found, Forcing::Quiet | Forcing::Threatened);
        let (mover, other) = (position.to_move(), position.to_move().other());
        let mut siblings = Siblings {
            position,
            from: None,
            has_key_chip: is_quiet && position.in_hand(mover) > 1,
            gaps: None,
            completing: 0,
            hints: Hints::SETTLED,
        };
        if !is_quiet && !position.will_have_move(other) {
            siblings.hints.may_be_stuck = true;
        }
        // Chips that are added open no lines, so a player who could not complete a network before
        // the opponent's add cannot do so after it, nor after their own add without its help.
        if is_quiet && position.in_hand(mover) > 0 && position.in_hand(other) > 0 {
            siblings.hints.is_harmless = true;
        }
        let gaps = if is_quiet { None } else { Gaps::new(position, mover) };
        if position.in_hand(mover) > 0 {
            siblings.completing = gaps.map_or(0, |gaps| gaps.for_add());
        } else {
            siblings.gaps = gaps;
        }
        siblings
    }

    /// Turns to the steps of another chip.
    #[inline]
    fn turn_to(&mut self, from: Square) {
        let other = self.position.to_move().other();
        self.from = Some(from);
        self.completing = self.gaps.map_or(0, |gaps| gaps.for_step(from));
        self.hints = Hints { may_be_stuck: self.hints.may_be_stuck, ..Hints::SETTLED };
        if self.position.opens_line(from) {
            self.hints = self.hints.with_suspect(other);
        }
    }
}

impl Successors<Position> for Siblings<'_> {
    #[inline(always)]
    fn after(&mut self, mv: Move) -> Position {
        if let Some(from) = mv.from().filter(|&from| self.from != Some(from)) {
            self.turn_to(from);
        }
        let mut hints = self.hints;
        if self.has_key_chip {
            hints.key_chip = Some(mv.to());
        }
        if self.completing & mv.to().bit() != 0 {
            hints = hints.with_suspect(self.position.to_move());
        }
        self.position.with_move(mv, hints)
    }
}

impl SearchHints for Position {
    const MOVE_CODES: usize = Square::COUNT + Square::COUNT * Square::COUNT;

    /// False, because a search that sees every line end finds a win or a loss, which is exact by itself.
    const MAY_END_EARLY: bool = false;

    #[inline]
    fn open_moves(&self) -> impl Iterator<Item = Move> {
        LegalMoves::new(self)
    }

    #[inline]
    fn move_code(&self, mv: Move) -> usize {
        match mv {
            Move::Add(to) => to.index(),
            Move::Step { from, to } => Square::COUNT * (1 + from.index()) + to.index(),
        }
    }

    #[inline(always)]
    fn successors(&self, forcing: Forcing<Move>) -> impl Successors<Position> {
        Siblings::new(self, forcing)
    }

    #[inline]
    fn forcing(&self, replies: &mut Vec<Move>) -> Forcing<Move> {
        self.find_forcing(replies)
    }
}
