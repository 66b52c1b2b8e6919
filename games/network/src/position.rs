//! A position of Network, and its key.

use std::fmt;
use std::hash::{Hash, Hasher};

use plyground::{Forcing, Game, Outcome, SearchHints, Side, Successors};

use crate::board::{Square, SquareSet};
use crate::color::{Color, Move};
use crate::eval::Hints;
use crate::legal::{IllegalMove, LegalMoves, Rules};
use crate::links::{self, is_between, nearest};
use crate::tactics::Siblings;
use crate::wins::SetupError;
use crate::{goal, notation};

/// A position: the chips on the board, the color to move, and the rules of the game.
///
/// The chips in hand follow: each player has [`Position::CHIPS`] in all. `Display` writes the text of a
/// state file with LF between its lines and no LF at the end.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    // Two fields rather than an array: an index that is known only at run time keeps a position
    // out of registers, and copying it right after a move then waits for the memory.
    white: SquareSet,
    black: SquareSet,
    key: u64,
    to_move: Color,
    rules: Rules,
    hints: Hints,
}

/// The number of squares of a color's territory. If the sum of [`SQUARES_BLOCKED_BY_CHIP`] for each own
/// chip and one square for each chip of the opponent is less, a square of the territory is free.
const TERRITORY: usize = 48;

/// The most squares that a chip takes from its owner: its own, and of the neighbors either half
/// of the twelve around a diagonal pair, or half of the eight that it shares with other chips.
const SQUARES_BLOCKED_BY_CHIP: usize = 7;

impl Position {
    /// The number of chips of each player.
    pub const CHIPS: usize = 10;

    /// Returns the empty board with the first player to move.
    #[must_use]
    pub const fn new(rules: Rules) -> Position {
        let to_move = rules.first_color();
        Position {
            white: SquareSet::EMPTY,
            black: SquareSet::EMPTY,
            key: key_of_turn(rules, to_move),
            to_move,
            rules,
            hints: Hints::SETTLED,
        }
    }

    /// Makes the position with these chips on the board and `to_move` to move.
    ///
    /// A player may have a network. Should both have one, the game counts as ended by a move of
    /// the player who is not to move, as it would under the Berkeley rules: that player loses.
    ///
    /// # Errors
    ///
    /// Returns a fault that concerns squares only, otherwise the first fault of White's chips, otherwise of
    /// Black's. The numbers of chips need not fit the turn; see [`Position::fits_turn`].
    pub fn from_chips(
        rules: Rules,
        white: SquareSet,
        black: SquareSet,
        to_move: Color,
    ) -> Result<Position, SetupError> {
        if let Some(square) = (white & black).iter().next() {
            return Err(SetupError::TwoChips { square });
        }
        if let Some(square) = ((white | black) & SquareSet::CORNERS).iter().next() {
            return Err(SetupError::Corner { square });
        }
        check_chips(Color::White, white)?;
        check_chips(Color::Black, black)?;
        let mut key = key_of_turn(rules, to_move);
        for (color, chips) in [(Color::White, white), (Color::Black, black)] {
            key = chips.iter().fold(key, |key, square| key ^ chip(color, square));
        }
        Ok(Position { white, black, key, to_move, rules, hints: Hints::NONE })
    }

    /// Returns the rules of the game.
    #[inline]
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// Returns the color whose turn it is.
    #[inline]
    #[must_use]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns the squares of the chips of `color`.
    #[inline]
    #[must_use]
    pub const fn chips(&self, color: Color) -> SquareSet {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// Returns the squares with a chip on them.
    #[inline]
    #[must_use]
    pub const fn occupied(&self) -> SquareSet {
        SquareSet(self.white.0 | self.black.0)
    }

    /// Returns the color of the chip on `square`, if there is one.
    #[must_use]
    pub fn chip_at(&self, square: Square) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.chips(color).contains(square))
    }

    /// Returns the number of chips, from 0 to 10, that `color` has yet to put on the board.
    #[inline]
    #[must_use]
    pub const fn in_hand(&self, color: Color) -> usize {
        Self::CHIPS.saturating_sub(self.chips(color).len())
    }

    /// Returns the number of plies, counted from a turn of `color`, until its chip of this number is added:
    /// 1 for the next chip.
    #[must_use]
    pub fn plies_to_chip(&self, color: Color, chip: usize) -> u32 {
        (2 * chip.saturating_sub(self.chips(color).len())).saturating_sub(1) as u32
    }

    /// Returns true if the numbers of chips are possible in a game with this player to move.
    #[must_use]
    pub fn fits_turn(&self) -> bool {
        let first = self.rules.first_color();
        let lead = self.chips(first).len().checked_sub(self.chips(first.other()).len());
        let all_on_board = Color::BOTH.iter().all(|&color| self.in_hand(color) == 0);
        lead == Some(usize::from(self.to_move != first)) || all_on_board
    }

    /// Returns a shortest network of `color`, from its left or upper goal to the other, or `None` if there
    /// is no network. Among several of one length it is always the same one.
    #[must_use]
    pub fn network(&self, color: Color) -> Option<Vec<Square>> {
        links::find_network(self.chips(color), self.occupied(), color)
    }

    /// Returns the pairs of connected chips of `color`, each once.
    #[must_use]
    pub fn connections(&self, color: Color) -> Vec<[Square; 2]> {
        let chips = self.chips(color);
        let seen = |from: Square| {
            let nearest = nearest(from, self.occupied().0).into_iter().fold(0, |all, on| all | on);
            SquareSet(nearest & chips.0).iter().filter(move |&to| from < to)
        };
        chips.iter().flat_map(|from| seen(from).map(move |to| [from, to])).collect()
    }

    /// Returns the squares where `color` may add a chip, if it is to move and has a chip in hand.
    #[inline]
    #[must_use]
    pub const fn add_targets(&self, color: Color) -> SquareSet {
        let own = self.chips(color);
        SquareSet(color.territory().0 & !goal::crowded(own.0) & !self.occupied().0)
    }

    /// Returns the squares to which the chip of `color` on `from` may step, without a look at networks.
    #[inline]
    #[must_use]
    pub const fn step_targets(&self, color: Color, from: Square) -> SquareSet {
        let own = self.chips(color).without(from);
        SquareSet(color.territory().0 & !goal::crowded(own.0) & !self.occupied().0)
    }

    /// Returns the facts that are known beyond the chips.
    #[inline]
    pub(crate) const fn hints(&self) -> Hints {
        self.hints
    }

    /// Returns the position after `mv`, which must be legal, with these hints.
    #[inline(always)]
    pub(crate) fn with_move(&self, mv: Move, hints: Hints) -> Position {
        let mover = self.to_move;
        let mut key = self.key ^ BLACK_TO_MOVE ^ chip(mover, mv.to());
        let mut changed = SquareSet::EMPTY.with(mv.to());
        if let Some(from) = mv.from() {
            key ^= chip(mover, from);
            changed = changed ^ SquareSet::EMPTY.with(from);
        }
        let (white, black) = match mover {
            Color::White => (self.white ^ changed, self.black),
            Color::Black => (self.white, self.black ^ changed),
        };
        Position { white, black, key, to_move: mover.other(), rules: self.rules, hints }
    }

    #[inline]
    pub(crate) fn has_network(&self, color: Color) -> bool {
        links::has_network(self.chips(color).0, self.occupied().0, color)
    }

    /// Returns true if a step from `from` may complete a network of the opponent too, and the rules forbid
    /// that.
    #[inline]
    pub(crate) fn may_complete_both(&self, from: Square) -> bool {
        self.rules == Rules::Usf && self.opens_line(from)
    }

    /// Returns true if both players have a network after `mv`. It is called seldom, and only under USF
    /// rules.
    #[cold]
    #[inline(never)]
    pub(crate) fn completes_both(&self, mv: Move) -> bool {
        let next = self.after(mv);
        Color::BOTH.iter().all(|&color| next.has_network(color))
    }

    /// Returns true if the chip on `from` stands between two chips of the player who is not to move.
    #[inline]
    pub(crate) fn opens_line(&self, from: Square) -> bool {
        is_between(from, self.chips(self.to_move.other()).0, self.occupied().0)
    }

    /// Returns true if the numbers of chips alone leave `color` two squares for another chip.
    #[inline(always)]
    pub(crate) fn has_room(&self, color: Color) -> bool {
        let (own, others) = (self.chips(color).len(), self.chips(color.other()).len());
        own * SQUARES_BLOCKED_BY_CHIP + others + 1 < TERRITORY
    }

    #[inline(always)]
    fn has_legal_move(&self) -> bool {
        if self.in_hand(self.to_move) > 0 {
            self.has_room(self.to_move) || !self.add_targets(self.to_move).is_empty()
        } else {
            has_legal_step(self.rules, self.white, self.black, self.to_move)
        }
    }

    /// Checks the origin of `mv`.
    fn check_origin(&self, mv: Move) -> Result<(), IllegalMove> {
        let in_hand = self.in_hand(self.to_move);
        let Some(from) = mv.from() else {
            return if in_hand > 0 { Ok(()) } else { Err(IllegalMove::NoChipsInHand { mv }) };
        };
        if in_hand > 0 {
            return Err(IllegalMove::StillHasChipsInHand { mv, in_hand });
        }
        match self.chip_at(from) {
            None => Err(IllegalMove::EmptyOrigin { mv, from }),
            Some(color) if color != self.to_move => Err(IllegalMove::NotYourChip { mv, from }),
            Some(_) if from == mv.to() => Err(IllegalMove::SamePlace { mv }),
            Some(_) => Ok(()),
        }
    }

    /// Checks the target of `mv`, whose origin is right.
    fn check_target(&self, mv: Move) -> Result<(), IllegalMove> {
        let (square, owner) = (mv.to(), self.to_move.other());
        if SquareSet::CORNERS.contains(square) {
            return Err(IllegalMove::Corner { mv, square });
        }
        if !self.to_move.territory().contains(square) {
            return Err(IllegalMove::OpponentGoal { mv, square, owner });
        }
        if let Some(by) = self.chip_at(square) {
            return Err(IllegalMove::Occupied { mv, square, by });
        }
        let own = self.chips(self.to_move);
        let own = mv.from().map_or(own, |from| own.without(from));
        match goal::group_with(own, square) {
            Some(group) => Err(IllegalMove::GroupOfThree { mv, group }),
            None => Ok(()),
        }
    }
}

impl Game for Position {
    type Move = Move;
    type IllegalMove = IllegalMove;

    const NAME: &'static str = "network";

    #[inline]
    fn side_to_move(&self) -> Side {
        self.rules.side(self.to_move)
    }

    /// The player to move has won if they have a network, because the last move completed it; otherwise
    /// they have lost if the opponent has a network, or if they have no legal move.
    // Left to itself the compiler may keep this and `after` out of line in the search, so that every
    // position goes through memory: 5 to 15 % of the speed on the empty board at depth 7, no measurable
    // part at plies 6 and 12.
    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        let (mover, opponent) = (self.to_move.other(), self.to_move);
        let has_network = |color: Color| self.hints.suspects(color) && self.has_network(color);
        if has_network(opponent) {
            Some(Outcome::Win(self.rules.side(opponent)))
        } else if has_network(mover) || (self.hints.may_be_stuck() && !self.has_legal_move()) {
            Some(Outcome::Win(self.rules.side(mover)))
        } else {
            None
        }
    }

    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let open = self.outcome().is_none().then(|| LegalMoves::new(self));
        open.into_iter().flatten()
    }

    fn check_legal(&self, mv: Move) -> Result<(), IllegalMove> {
        if self.outcome().is_some() {
            return Err(IllegalMove::GameOver { mv });
        }
        self.check_origin(mv)?;
        self.check_target(mv)?;
        match mv.from() {
            Some(from) if self.may_complete_both(from) && self.completes_both(mv) => {
                Err(IllegalMove::BothNetworks { mv })
            }
            _ => Ok(()),
        }
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        *self = self.after(mv);
    }

    #[inline(always)]
    fn after(&self, mv: Move) -> Position {
        let mut hints = Hints::after(self.to_move);
        // A step can hand the opponent a network, but only through the square it leaves.
        if mv.from().is_some_and(|from| self.opens_line(from)) {
            hints = hints.with_suspect(self.to_move.other());
        }
        self.with_move(mv, hints)
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
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

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        let facts = |of: &Position| (of.white, of.black, of.to_move, of.rules);
        facts(self) == facts(other)
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key.hash(hasher);
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_lines(self, f)
    }
}

/// Returns true if `to_move` has a legal step. It is kept apart from the position, which would have to be
/// in memory for a method that is not inlined.
#[inline(never)]
fn has_legal_step(rules: Rules, white: SquareSet, black: SquareSet, to_move: Color) -> bool {
    let position = Position { white, black, to_move, rules, key: 0, hints: Hints::NONE };
    LegalMoves::new(&position).next().is_some()
}

const fn key_of_turn(rules: Rules, to_move: Color) -> u64 {
    let of_rules = match rules {
        Rules::Berkeley => 0,
        Rules::Usf => USF_RULES,
    };
    match to_move {
        Color::White => of_rules,
        Color::Black => of_rules ^ BLACK_TO_MOVE,
    }
}

/// Checks the chips of one color by themselves.
fn check_chips(color: Color, chips: SquareSet) -> Result<(), SetupError> {
    if let Some(square) = (chips - color.territory()).iter().next() {
        return Err(SetupError::OpponentGoal { square, color });
    }
    if let Some(square) = chips.iter().nth(Position::CHIPS) {
        return Err(SetupError::TooManyChips { square, color, count: chips.len() });
    }
    match goal::crowded_chip(chips) {
        Some(square) => Err(SetupError::GroupOfThree { square, color }),
        None => Ok(()),
    }
}

/// The part of the key for Black to move.
pub(crate) const BLACK_TO_MOVE: u64 = random(2 * Square::COUNT);

/// The part of the key for the USF rules.
pub(crate) const USF_RULES: u64 = random(2 * Square::COUNT + 1);

/// Returns the part of the key that stands for a chip of `color` on `square`.
#[inline]
pub(crate) fn chip(color: Color, square: Square) -> u64 {
    match color {
        Color::White => WHITE[square.index()],
        Color::Black => BLACK[square.index()],
    }
}

static WHITE: [u64; Square::COUNT] = randoms(0);
static BLACK: [u64; Square::COUNT] = randoms(Square::COUNT);

const SEED: u64 = 0x4E65_7477_6F72_6B21;

/// Returns the numbers from `first` on of the sequence.
const fn randoms(first: usize) -> [u64; Square::COUNT] {
    let mut randoms = [0; Square::COUNT];
    let mut i = 0;
    while i < randoms.len() {
        randoms[i] = random(first + i);
        i += 1;
    }
    randoms
}

/// Returns number `n` of a sequence of random numbers.
const fn random(n: usize) -> u64 {
    const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;
    split_mix(SEED.wrapping_add(INCREMENT.wrapping_mul(n as u64 + 1)))
}

/// Computes the output function of SplitMix64 (Steele, Lea and Flood, 2014).
const fn split_mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
