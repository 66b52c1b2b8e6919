//! The rules of the game: the legal moves of a position, the reasons why others are illegal, and the end.

use plyground::{Game, Outcome, Side};
use thiserror::Error;

use crate::color::{Color, Rules};
use crate::moves::{Move, Square, SquareSet, Squares};
use crate::position::{Hints, Position};

/// The legal moves of the player to move: adds in the order of their squares, or steps in the order of their
/// origins and then of their targets. The iterator allocates nothing.
///
/// The iterator does not test that the game goes on.
#[derive(Clone, Debug)]
pub struct LegalMoves<'a> {
    position: &'a Position,
    /// The chips whose steps are still to come.
    origins: Squares,
    /// The chip that now steps, or `None` when chips are added.
    from: Option<Square>,
    /// The squares where a chip may be added, or to which the chip on `from` may go.
    targets: Squares,
    /// If true, the steps from `from` must be checked for networks of both players.
    doubtful: bool,
}

impl<'a> LegalMoves<'a> {
    /// Makes the iterator over the legal moves of `position`.
    #[inline]
    pub(crate) fn new(position: &'a Position) -> LegalMoves<'a> {
        let color = position.to_move();
        let (origins, targets) = if position.in_hand(color) > 0 {
            (SquareSet::EMPTY, position.add_targets(color))
        } else {
            (position.chips(color), SquareSet::EMPTY)
        };
        LegalMoves {
            position,
            origins: origins.iter(),
            from: None,
            targets: targets.iter(),
            doubtful: false,
        }
    }

    /// Goes on to the steps of the next chip, if there is one.
    #[inline]
    fn next_origin(&mut self) -> Option<()> {
        let from = self.origins.next()?;
        self.from = Some(from);
        self.targets = self.position.step_targets(self.position.to_move(), from).iter();
        self.doubtful = self.position.may_complete_both(from);
        Some(())
    }

    /// Returns the next move: a move of the present chip, to `to` if the rules allow that, or a move of the
    /// next chips.
    // Inlined, because a call would need the whole iterator in memory, which costs a tenth of a search from
    // the empty board.
    #[inline]
    fn next_of_chips(&mut self, mut to: Option<Square>) -> Option<Move> {
        loop {
            if let Some(to) = to {
                let mv = Move::new(self.from, to);
                if !(self.doubtful && self.position.completes_both(mv)) {
                    return Some(mv);
                }
            } else {
                self.next_origin()?;
            }
            to = self.targets.next();
        }
    }
}

impl Iterator for LegalMoves<'_> {
    type Item = Move;

    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        match self.targets.next() {
            Some(to) if !self.doubtful => Some(Move::new(self.from, to)),
            first => self.next_of_chips(first),
        }
    }

    /// Counts whole sets of targets at once.
    #[inline]
    fn count(mut self) -> usize {
        let mut count = 0;
        loop {
            match self.from {
                Some(from) if self.doubtful => {
                    let position = self.position;
                    let is_legal = |&to: &Square| !position.completes_both(Move::Step { from, to });
                    count += self.targets.filter(is_legal).count();
                }
                _ => count += self.targets.len(),
            }
            self.targets = SquareSet::EMPTY.iter();
            if self.next_origin().is_none() {
                return count;
            }
        }
    }
}

/// A move that may not be played, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{mv}: {why}")]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// The reason.
    pub why: WhyIllegal,
}

/// The reason that a move may not be played. If several reasons hold, the first of this list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WhyIllegal {
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
    /// A step while there are chips left to add.
    #[error("chips may not step before all ten are on the board ({in_hand} still in hand)")]
    StillHasChipsInHand {
        /// The number of chips in hand of the side to move, from 1 to 10.
        in_hand: usize,
    },
    /// An add when all ten chips are on the board.
    #[error("no chip is left to add, a chip on the board must step")]
    NoChipsInHand,
    /// A step from a square without a chip.
    #[error("there is no chip on {from}")]
    EmptyOrigin {
        /// The square that the step leaves.
        from: Square,
    },
    /// A step of the opponent's chip.
    #[error("the chip on {from} is the opponent's")]
    NotYourChip {
        /// The square that the step leaves.
        from: Square,
    },
    /// A step that ends where it began.
    #[error("the chip must go to another square")]
    SamePlace,
    /// The square is one of the four dead corners.
    #[error("{square} is a corner, which is not in play")]
    Corner {
        /// The corner.
        square: Square,
    },
    /// The square belongs to a goal of the opponent.
    #[error("{square} is in a goal of {owner}")]
    OpponentGoal {
        /// The square.
        square: Square,
        /// The owner of the goal.
        owner: Color,
    },
    /// There is a chip on the square.
    #[error("there is a chip of {by} on {square}")]
    Occupied {
        /// The square.
        square: Square,
        /// The color of the chip.
        by: Color,
    },
    /// Three own chips would be in a connected group.
    #[error("{}, {} and {} would be a group of three", group[0], group[1], group[2])]
    GroupOfThree {
        /// Three chips of the group, the moved one first.
        group: [Square; 3],
    },
    /// Both players would have a network, which is illegal under the USF rules only.
    #[error("both players would have a network")]
    BothNetworks,
}

impl Position {
    /// Returns true if both players have a network after `mv`. It is called seldom, and only under USF
    /// rules.
    #[cold]
    #[inline(never)]
    fn completes_both(&self, mv: Move) -> bool {
        let next = self.after(mv);
        Color::BOTH.iter().all(|&color| next.has_network(color))
    }

    #[inline(always)]
    fn has_legal_move(&self) -> bool {
        if self.in_hand(self.to_move()) > 0 {
            self.has_room(self.to_move()) || !self.add_targets(self.to_move()).is_empty()
        } else {
            has_legal_step(
                self.rules(),
                self.chips(Color::White),
                self.chips(Color::Black),
                self.to_move(),
            )
        }
    }

    /// Checks the origin of `mv`.
    fn check_origin(&self, mv: Move) -> Result<(), WhyIllegal> {
        let in_hand = self.in_hand(self.to_move());
        let Some(from) = mv.from() else {
            return if in_hand > 0 { Ok(()) } else { Err(WhyIllegal::NoChipsInHand) };
        };
        if in_hand > 0 {
            return Err(WhyIllegal::StillHasChipsInHand { in_hand });
        }
        match self.chip_at(from) {
            None => Err(WhyIllegal::EmptyOrigin { from }),
            Some(color) if color != self.to_move() => Err(WhyIllegal::NotYourChip { from }),
            Some(_) if from == mv.to() => Err(WhyIllegal::SamePlace),
            Some(_) => Ok(()),
        }
    }

    /// Checks the target of `mv`, whose origin is right.
    fn check_target(&self, mv: Move) -> Result<(), WhyIllegal> {
        let (square, owner) = (mv.to(), self.to_move().other());
        if SquareSet::CORNERS.contains(square) {
            return Err(WhyIllegal::Corner { square });
        }
        if !self.to_move().territory().contains(square) {
            return Err(WhyIllegal::OpponentGoal { square, owner });
        }
        if let Some(by) = self.chip_at(square) {
            return Err(WhyIllegal::Occupied { square, by });
        }
        let own = self.chips(self.to_move());
        let own = mv.from().map_or(own, |from| own.without(from));
        match own.group_with(square) {
            Some(group) => Err(WhyIllegal::GroupOfThree { group }),
            None => Ok(()),
        }
    }

    /// Checks that the rules allow `mv`.
    fn check(&self, mv: Move) -> Result<(), WhyIllegal> {
        if self.outcome().is_some() {
            return Err(WhyIllegal::GameOver);
        }
        self.check_origin(mv)?;
        self.check_target(mv)?;
        match mv.from() {
            Some(from) if self.may_complete_both(from) && self.completes_both(mv) => {
                Err(WhyIllegal::BothNetworks)
            }
            _ => Ok(()),
        }
    }
}

impl Game for Position {
    type Move = Move;
    type IllegalMove = IllegalMove;

    const NAME: &'static str = "network";

    #[inline]
    fn side_to_move(&self) -> Side {
        self.rules().side(self.to_move())
    }

    /// Returns a win of the player to move if they have a network, because the last move completed it;
    /// otherwise a win of the opponent if the opponent has a network, or if the player to move has no legal
    /// move.
    // Inlined, because the compiler may otherwise keep this and `after` out of line in the search, so that
    // every position goes through memory: 5 to 15 % of the speed on the empty board at depth 7, no
    // measurable part at plies 6 and 12.
    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        let (mover, opponent) = (self.to_move().other(), self.to_move());
        let has_network = |color: Color| self.hints.suspects(color) && self.has_network(color);
        if has_network(opponent) {
            Some(Outcome::Win(self.rules().side(opponent)))
        } else if has_network(mover) || (self.hints.may_be_stuck && !self.has_legal_move()) {
            Some(Outcome::Win(self.rules().side(mover)))
        } else {
            None
        }
    }

    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let open = self.outcome().is_none().then(|| LegalMoves::new(self));
        open.into_iter().flatten()
    }

    fn check_legal(&self, mv: Move) -> Result<(), IllegalMove> {
        self.check(mv).map_err(|why| IllegalMove { mv, why })
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        *self = self.after(mv);
    }

    #[inline(always)]
    fn after(&self, mv: Move) -> Position {
        let mut hints = Hints::after(self.to_move());
        // A step can hand the opponent a network, but only through the square it leaves.
        if mv.from().is_some_and(|from| self.opens_line(from)) {
            hints = hints.with_suspect(self.to_move().other());
        }
        self.with_move(mv, hints)
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }
}

/// Returns true if `to_move` has a legal step. It is not a method, because a method that is not inlined
/// would need the position in memory.
#[inline(never)]
fn has_legal_step(rules: Rules, white: SquareSet, black: SquareSet, to_move: Color) -> bool {
    let position = Position::without_key(rules, white, black, to_move);
    LegalMoves::new(&position).next().is_some()
}
