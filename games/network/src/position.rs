//! A position of Network, its key, and the facts that were known of it when it was made.

use std::hash::{Hash, Hasher};

use thiserror::Error;

use crate::color::{Color, Rules};
use crate::links::{self, is_between, nearest};
use crate::moves::{Move, Square, SquareSet};

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
    pub(crate) key: u64,
    to_move: Color,
    rules: Rules,
    /// The facts that are known beyond the chips.
    pub(crate) hints: Hints,
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
            return Err(SetupError::new(square, "one chip to a square", "two"));
        }
        if let Some(square) = ((white | black) & SquareSet::CORNERS).iter().next() {
            return Err(SetupError::new(square, "`.` in a corner", "a chip"));
        }
        check_chips(Color::White, white)?;
        check_chips(Color::Black, black)?;
        let mut key = key_of_turn(rules, to_move);
        for (color, chips) in [(Color::White, white), (Color::Black, black)] {
            key = chips.iter().fold(key, |key, square| key ^ chip(color, square));
        }
        Ok(Position { white, black, key, to_move, rules, hints: Hints::NONE })
    }

    /// Makes a position without its key, for its legal moves alone.
    #[inline]
    pub(crate) const fn without_key(
        rules: Rules,
        white: SquareSet,
        black: SquareSet,
        to_move: Color,
    ) -> Position {
        Position { white, black, key: 0, to_move, rules, hints: Hints::NONE }
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
    /// is no network. Among networks of the same length, the choice is always the same.
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
        SquareSet(color.territory().0 & !own.crowded().0 & !self.occupied().0)
    }

    /// Returns the squares to which the chip of `color` on `from` may step, whether or not the step
    /// completes networks.
    #[inline]
    #[must_use]
    pub const fn step_targets(&self, color: Color, from: Square) -> SquareSet {
        let own = self.chips(color).without(from);
        SquareSet(color.territory().0 & !own.crowded().0 & !self.occupied().0)
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
        let owner = color.other();
        let expected = format!("`.` or `{}` in a goal of {owner}", owner.letter());
        return Err(SetupError::new(square, expected, format!("`{}`", color.letter())));
    }
    if let Some(square) = chips.iter().nth(Position::CHIPS) {
        let expected = format!("at most {} chips of {color}", Position::CHIPS);
        return Err(SetupError::new(square, expected, chips.len().to_string()));
    }
    match chips.crowded_chip() {
        Some(square) => {
            let expected = format!("at most one neighbor of its color for a chip of {color}");
            Err(SetupError::new(square, expected, "two"))
        }
        None => Ok(()),
    }
}

/// The part of the key for Black to move.
const BLACK_TO_MOVE: u64 = random(2 * Square::COUNT);

/// The part of the key for the USF rules.
const USF_RULES: u64 = random(2 * Square::COUNT + 1);

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

/// The reason that chips are not a position of the game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{square}: expected {expected}, found {found}")]
pub struct SetupError {
    /// The first square, row by row, that shows the fault.
    pub square: Square,
    /// The chips that the rules allow.
    pub expected: String,
    /// The chips that were found.
    pub found: String,
}

impl SetupError {
    fn new(square: Square, expected: impl Into<String>, found: impl Into<String>) -> SetupError {
        SetupError { square, expected: expected.into(), found: found.into() }
    }
}

/// The facts that were known of a position when it was made. They only save work: all of them follow from
/// the chips and the turn, or are left open, and equality ignores them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hints {
    /// The colors that may have a network, as bits numbered by [`Color::index`].
    pub(crate) suspects: u8,
    /// If true, the player to move may be without a legal move.
    pub(crate) may_be_stuck: bool,
    /// If true, the player to move is known to have no add that completes a network.
    pub(crate) is_harmless: bool,
    /// The chip without which no add of the player who is not to move completes their network, if one is
    /// known.
    pub(crate) key_chip: Option<Square>,
}

impl Hints {
    /// The hints of a position of which nothing is known.
    const NONE: Hints = Hints { suspects: 0b11, ..Hints::STUCK };

    /// The hints of a position in which neither player has a network.
    const STUCK: Hints = Hints { may_be_stuck: true, ..Hints::SETTLED };

    /// The hints of a position in which neither player has a network and the player to move has a legal
    /// move.
    pub(crate) const SETTLED: Hints =
        Hints { suspects: 0, may_be_stuck: false, is_harmless: false, key_chip: None };

    /// Returns the hints after any move of `mover` that cannot complete a network of the opponent.
    #[inline(always)]
    pub(crate) const fn after(mover: Color) -> Hints {
        Hints::STUCK.with_suspect(mover)
    }

    /// Returns the same hints, except that `color` may have a network.
    #[inline(always)]
    pub(crate) const fn with_suspect(self, color: Color) -> Hints {
        Hints { suspects: self.suspects | 1 << color.index(), ..self }
    }

    /// Returns true if `color` may have a network.
    #[inline(always)]
    pub(crate) const fn suspects(self, color: Color) -> bool {
        self.suspects & 1 << color.index() != 0
    }
}
