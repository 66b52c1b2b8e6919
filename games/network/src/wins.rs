//! Moves that complete a network.

use crate::chain::{has_network, lacking};
use crate::color::Color;
use crate::links::{AXES, is_between, nearest, sight, view};
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;
use crate::squares::{SquareSet, Squares};

/// The moves by which a color completes its network, and not the opponent's, if it is its turn.
///
/// Found without trying all: such a chip goes to a goal and sees an own chip, or into the interior
/// and sees own chips on two axes, or its step opens a line. Nothing is allocated.
#[derive(Clone, Debug)]
pub struct Wins<'a> {
    position: &'a Position,
    color: Color,
    /// The chips whose steps are still to come.
    origins: Squares,
    /// The chip that now steps, or `None` when chips are added.
    from: Option<Square>,
    /// The color's chips without the one that steps.
    own: u64,
    /// The opponent's chips.
    others: u64,
    /// The targets that have yet to be tested.
    targets: Squares,
    /// Whether the chip that steps opens a line of the opponent.
    doubtful: bool,
}

impl<'a> Wins<'a> {
    /// The wins of `color` in `position`, whoever is to move.
    #[inline]
    pub(crate) fn new(position: &'a Position, color: Color) -> Wins<'a> {
        let own = position.chips(color);
        let (origins, targets) = if position.in_hand(color) > 0 {
            let candidates = completing_adds(position, color);
            let legal =
                if candidates == 0 { SquareSet::EMPTY } else { position.add_targets(color) };
            (SquareSet::EMPTY, SquareSet(candidates) & legal)
        } else {
            (own, SquareSet::EMPTY)
        };
        Wins {
            position,
            color,
            origins: origins.iter(),
            from: None,
            own: own.0,
            others: position.chips(color.other()).0,
            targets: targets.iter(),
            doubtful: false,
        }
    }

    /// Goes on to the steps of the next chip, if there is one.
    fn next_origin(&mut self) -> Option<()> {
        let from = self.origins.next()?;
        let all = self.position.chips(self.color);
        self.from = Some(from);
        self.own = all.without(from).0;
        let occupied = self.position.occupied();
        let candidates = completing_steps(self.own, occupied.0, self.color, from);
        self.targets = if candidates == 0 {
            SquareSet::EMPTY.iter()
        } else {
            (SquareSet(candidates) & self.position.step_targets(self.color, from)).iter()
        };
        self.doubtful = is_between(from, self.others, occupied.0);
        Some(())
    }

    /// Whether a chip on `to` completes the network, and not the opponent's too.
    #[inline]
    fn wins(&self, to: Square) -> bool {
        let own = self.own | to.bit();
        let occupied = own | self.others;
        has_network(own, occupied, self.color)
            && !(self.doubtful && has_network(self.others, occupied, self.color.other()))
    }
}

impl Iterator for Wins<'_> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        loop {
            let Some(to) = self.targets.next() else {
                self.next_origin()?;
                continue;
            };
            if self.wins(to) {
                return Some(Move::new(self.from, to));
            }
        }
    }
}

/// The squares where the player to move may complete his network with a chip from the hand, or with
/// the one on `from`, so far as lines of sight go.
#[inline]
pub(crate) fn completing(position: &Position, from: Option<Square>) -> u64 {
    let color = position.to_move();
    match from {
        Some(from) => {
            let own = position.chips(color).without(from);
            completing_steps(own.0, position.occupied().0, color, from)
        }
        None if position.in_hand(color) > 0 => completing_adds(position, color),
        None => 0,
    }
}

/// The squares where `color` may complete its network with a chip from the hand, so far as lines
/// of sight go.
#[inline]
fn completing_adds(position: &Position, color: Color) -> u64 {
    if color == position.to_move() && position.hints().is_harmless() {
        return 0;
    }
    let (own, occupied) = (position.chips(color).0, position.occupied().0);
    let candidates = candidates(own, occupied, color);
    match position.hints().key_chip() {
        Some(chip) if candidates != 0 && color != position.to_move() => {
            candidates & partners(chip, own, occupied)
        }
        _ => candidates,
    }
}

/// The squares where another chip may stand in a network of `own` together with the chip on
/// `square`, so far as the lines of sight from there go.
#[inline]
fn partners(square: Square, own: u64, occupied: u64) -> u64 {
    let links = nearest(square, occupied).map(|ends| ends & own != 0);
    let is_inside = SquareSet::INTERIOR.contains(square);
    let wanted = if is_inside { 2 } else { 1 };
    let linked = links.into_iter().filter(|&linked| linked).count();
    if linked >= wanted {
        return u64::MAX;
    }
    if linked + 1 < wanted {
        return 0;
    }
    // The other chip has to be the missing link.
    let views = view([square.bit(); AXES], !occupied);
    views
        .into_iter()
        .zip(links)
        .fold(0, |all, (view, linked)| if linked { all } else { all | view })
}

/// The squares where the chip on `from` may complete the network of the other chips of `color`,
/// those of `own`, so far as lines of sight go. `occupied` are the chips on the board, with that on
/// `from`.
#[inline]
fn completing_steps(own: u64, occupied: u64, color: Color, from: Square) -> u64 {
    let without = occupied & !from.bit();
    if lacking(own, color) > 1 {
        0
    } else if is_between(from, own, occupied) && has_network(own, without, color) {
        // The chip stood in the way of a network: it may go anywhere.
        u64::MAX
    } else {
        candidates(own, without, color)
    }
}

/// The squares where another chip of `color` may complete a network of `own` in which it takes
/// part, so far as lines of sight go.
#[inline]
fn candidates(own: u64, occupied: u64, color: Color) -> u64 {
    if wanted(own, color) == 0 {
        return 0;
    }
    // One chip more is one link more for a chip that it sees. Those in the interior need two, on
    // different axes.
    let [a, b, c, d] = sight(own, !occupied);
    let goals = !SquareSet::INTERIOR.0;
    let wanted = wanted(own & (a | b | c | d | goals), color);
    if wanted == 0 {
        return 0;
    }
    let others = [b | c | d, a | c | d, a | b | d, a | b | c];
    let [a, b, c, d] = view(others.map(|linked| own & (linked | goals)), !occupied);
    // The chips of a goal see each other along it, which is no link of a network.
    let into_goal = match color {
        Color::White => a | b | d,
        Color::Black => b | c | d,
    };
    let turning = (a & b) | (c & d) | ((a | b) & (c | d));
    wanted & ((turning & SquareSet::INTERIOR.0) | (into_goal & !SquareSet::INTERIOR.0))
}

/// The squares of which a single chip can make the counts of `own` those of a network.
#[inline]
fn wanted(own: u64, color: Color) -> u64 {
    match lacking(own, color) {
        0 => color.territory().0,
        1 => {
            let empty_goal = color.goals().into_iter().find(|goal| goal.0 & own == 0);
            empty_goal.unwrap_or(SquareSet::INTERIOR).0
        }
        _ => 0,
    }
}

impl Position {
    /// The moves by which `color` would complete its network, were it its turn, without completing
    /// the opponent's as well. The position must not be over.
    #[inline]
    #[must_use]
    pub fn wins(&self, color: Color) -> Wins<'_> {
        Wins::new(self, color)
    }
}
