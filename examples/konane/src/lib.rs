//! Konane on boards of several sizes, complete and small: the model of a game that is won by the last move. The
//! rules come first, then the evaluation, the texts, the state format, the page and the kit.

use std::fmt;
use std::str::FromStr;

use plyground::proof::NoTactics;
use plyground::{Evaluator, Game, Outcome, Score, SearchHints, Side};
use plyground_host::page::{Layout, Path};
use plyground_host::state::{GridFormat, StateText, TextError};
use plyground_host::{
    GameAdapter, HostedGame, KitTexts, Language, SharedGame, StarterKit, Text, default_text, host,
};
use thiserror::Error;

/// The four directions as shifts of a set of squares, with the squares that a piece may come to without leaving
/// the board at its left or right edge.
const DIRECTIONS: [(i32, u64); 4] = [(1, NOT_FIRST), (-1, NOT_LAST), (8, u64::MAX), (-8, u64::MAX)];
const NOT_FIRST: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_LAST: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The squares of black pieces.
const BLACK: u64 = 0xaa55_aa55_aa55_aa55;

/// The greatest number of pieces that a jump takes.
const MOST_TAKEN: usize = 3;

/// A position of Konane on a square board with an even number of squares to a side, at most 8.
///
/// The board begins full of pieces, black and white by turns, a black one in the upper left corner. Black
/// removes a black piece from a corner or the center, White a white one beside the hole. Then each move
/// jumps over a piece of the opponent to the empty square behind it, and may go on in the same direction.
/// Pieces that were jumped over are taken. The side that cannot move has lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The squares with a piece, a bit for each, with the number `8 * row + column`. The color of a piece
    /// follows from its square, because a jump never changes it.
    pieces: u64,
    side: Side,
    size: u8,
}

/// A move. Squares have the number `8 * row + column`, from the upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Takes an own piece off the board, as the first two moves do.
    Remove(u8),
    /// Jumps from the first square to the second.
    Jump(u8, u8),
}

/// The error that a text is not a move.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("expected a square such as d4, or a jump such as d3-d5")]
pub struct NotAMove;

/// The reason that a move is illegal.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum IllegalMove {
    /// Two pieces are missing already.
    #[error("{0}: pieces are removed only by the first two moves")]
    IsLate(Move),
    /// The square is not a square of the opening.
    #[error(
        "{0}: first Black removes a black piece in a corner or the center, then White one beside the hole"
    )]
    Opening(Move),
    /// There is nothing to jump over, or no place to jump to.
    #[error(
        "{0}: a jump needs an own piece, an opponent's piece beside it and an empty square behind that"
    )]
    Jump(Move),
}

impl Position {
    /// Makes the start of a game on a board of `size` by `size` squares: 4, 6 or 8.
    #[must_use]
    pub fn new(size: u8) -> Position {
        let row = (1 << size) - 1;
        let pieces = (0..size).fold(0, |board, index| board | row << (8 * index));
        Position { pieces, side: Side::First, size }
    }

    /// Makes the position with these pieces, a bit for every square, in which `side` is to move.
    #[must_use]
    pub fn from_pieces(size: u8, pieces: u64, side: Side) -> Position {
        Position { pieces, side, size }
    }

    /// Returns the side of the board in squares.
    #[must_use]
    pub fn size(&self) -> u8 {
        self.size
    }

    /// Returns the owner of the pieces on a square.
    #[must_use]
    pub fn color(square: u8) -> Side {
        if BLACK >> square & 1 == 1 { Side::First } else { Side::Second }
    }

    /// Returns the owner of the piece on a square, if there is one.
    #[must_use]
    pub fn piece(&self, square: u8) -> Option<Side> {
        (self.pieces >> square & 1 == 1).then(|| Position::color(square))
    }

    /// Returns the squares of the board, from left to right and from the top.
    pub fn squares(&self) -> impl Iterator<Item = u8> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |column| 8 * row + column))
    }

    /// Returns the number of squares without a piece.
    #[must_use]
    pub fn holes(&self) -> u32 {
        u32::from(self.size).pow(2) - self.pieces.count_ones()
    }

    /// Returns the pieces of a side.
    fn of(&self, side: Side) -> u64 {
        self.pieces & if side == Side::First { BLACK } else { !BLACK }
    }

    /// Returns the jumps of a side, whether or not it is to move.
    pub fn jumps(&self, side: Side) -> impl Iterator<Item = Move> {
        let (other, empty) =
            (self.of(side.other()), Position::new(self.size).pieces & !self.pieces);
        let jump =
            move |from, (shift, mask)| step(step(from, shift, mask) & other, shift, mask) & empty;
        let own = self.of(side);
        DIRECTIONS.into_iter().flat_map(move |direction| {
            squares_of(own).flat_map(move |from| {
                let next = move |&from: &u64| Some(jump(from, direction)).filter(|&to| to != 0);
                let landings = std::iter::successors(next(&(1 << from)), next);
                landings.map(move |to| Move::Jump(from, to.trailing_zeros() as u8))
            })
        })
    }

    /// Returns the pieces that the first two moves may remove.
    fn removals(&self) -> impl Iterator<Item = Move> {
        let holes = Position::new(self.size).pieces & !self.pieces;
        let (middle, last) = (self.size / 2, self.size - 1);
        let places = match holes.count_ones() {
            0 => [0, middle - 1, middle, last].map(|place| 1 << (9 * place)),
            1 => DIRECTIONS.map(|(shift, mask)| step(holes, shift, mask)),
            _ => [0; 4],
        };
        let places = places.into_iter().fold(0, |all, place| all | place);
        squares_of(places & self.of(self.side)).map(Move::Remove)
    }
}

fn step(squares: u64, shift: i32, mask: u64) -> u64 {
    let moved = if shift > 0 { squares << shift } else { squares >> -shift };
    moved & mask
}

/// Returns the numbers of the squares of a set.
fn squares_of(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(square)
    })
}

impl Game for Position {
    type Move = Move;
    type IllegalMove = IllegalMove;

    const NAME: &'static str = "konane";

    fn side_to_move(&self) -> Side {
        self.side
    }

    fn outcome(&self) -> Option<Outcome> {
        self.legal_moves().next().is_none().then(|| Outcome::Win(self.side.other()))
    }

    fn legal_moves(&self) -> impl Iterator<Item = Move> {
        self.removals().chain(self.jumps(self.side))
    }

    fn check_legal(&self, mv: Move) -> Result<(), IllegalMove> {
        match mv {
            _ if self.legal_moves().any(|legal| legal == mv) => Ok(()),
            Move::Remove(_) if self.holes() > 1 => Err(IllegalMove::IsLate(mv)),
            Move::Remove(_) => Err(IllegalMove::Opening(mv)),
            Move::Jump(..) => Err(IllegalMove::Jump(mv)),
        }
    }

    fn play_unchecked(&mut self, mv: Move) {
        match mv {
            Move::Remove(square) => self.pieces &= !(1 << square),
            Move::Jump(from, to) => {
                // The squares between are in a line: adjacent numbers in a row, every eighth number in a
                // column.
                let (low, high) = (from.min(to), from.max(to));
                let step = if low / 8 == high / 8 { 1 } else { 8 };
                let line = (low..=high).step_by(step).fold(0, |line, square| line | 1 << square);
                self.pieces = self.pieces & !line | 1 << to;
            }
        }
        self.side = self.side.other();
    }

    fn key(&self) -> u64 {
        // Odd factors and shifts that mix all bits: equal keys are as rare as chance.
        let mut key = self.pieces ^ self.side.index() as u64;
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            key = (key ^ key >> 29).wrapping_add(self.side.index() as u64).wrapping_mul(factor);
        }
        key ^ key >> 32
    }

    /// Returns a limit from the fact that every jump takes a piece of the opponent.
    fn plies_left(&self) -> Option<u32> {
        let opening = 2_u32.saturating_sub(self.holes());
        let [own, other] = [self.side, self.side.other()].map(|side| self.of(side).count_ones());
        let is_over = self.legal_moves().next().is_none();
        Some(if is_over { 0 } else { opening + (2 * other).min(2 * own + 1) })
    }
}

/// Gives a number for every square and direction, and the number of pieces taken.
impl SearchHints for Position {
    const MOVE_CODES: usize = 64 * (4 * MOST_TAKEN + 1);

    fn move_code(&self, mv: Move) -> usize {
        match mv {
            Move::Remove(square) => 64 * 4 * MOST_TAKEN + usize::from(square),
            Move::Jump(from, to) => {
                let (rows, columns) = (from.abs_diff(to) / 8, from % 8);
                let taken = usize::from(rows.max(columns.abs_diff(to % 8))) / 2 - 1;
                let direction = 2 * usize::from(rows > 0) + usize::from(to > from);
                64 * (4 * taken + direction) + usize::from(from)
            }
        }
    }
}

/// Writes the rows from the top: X for a black piece, O for a white one.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in self.squares() {
            if square % 8 == 0 && square > 0 {
                writeln!(f)?;
            }
            f.write_str(self.piece(square).map_or(".", |side| ["X", "O"][side.index()]))?;
        }
        Ok(())
    }
}

/// Writes a square as its column and row, as in `d4`, and a jump as two of them, `d3-d5`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |square: u8| format!("{}{}", char::from(b'a' + square % 8), square / 8 + 1);
        match *self {
            Move::Remove(square) => f.write_str(&name(square)),
            Move::Jump(from, to) => write!(f, "{}-{}", name(from), name(to)),
        }
    }
}

impl FromStr for Move {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Move, NotAMove> {
        let square = |text: &str| match text.as_bytes() {
            [column @ b'a'..=b'h', row @ b'1'..=b'8'] => Ok(8 * (row - b'1') + column - b'a'),
            _ => Err(NotAMove),
        };
        match text.split_once('-') {
            Some((from, to)) => Ok(Move::Jump(square(from)?, square(to)?)),
            None => square(text).map(Move::Remove),
        }
    }
}

/// Konane on a board with this many squares to a side: 4, 6 or 8.
#[derive(Clone, Copy, Debug)]
pub struct Konane(pub u8);

const SIZES: [u8; 3] = [8, 6, 4];

/// The colors of the sides.
const COLORS: [&str; 2] = ["Black", "White"];

impl Konane {
    fn has_checks(self) -> bool {
        self.0 == SIZES[0]
    }
}

impl GameAdapter for Konane {
    type Game = Position;
    type Evaluator = Mobility;
    type Tactics = NoTactics;

    fn start(&self) -> Position {
        Position::new(self.0)
    }

    fn evaluator(&self) -> Mobility {
        Mobility
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, TextError> {
        let format = GridFormat {
            columns: self.0.into(),
            rows: self.0.into(),
            cells: &['.', 'X', 'O'],
            cell_names: "., X or O",
            sides: ['X', 'O'],
            side_names: "the next player, X or O",
        };
        let grid = format.parse(text)?;
        let mut pieces = 0;
        for square in self.start().squares() {
            let (row, column) = (usize::from(square / 8), usize::from(square % 8));
            let color = Position::color(square).index();
            match grid.symbol(row, column) {
                Some(0) | None => {}
                Some(piece) if piece == color + 1 => pieces |= 1 << square,
                Some(_) => {
                    let expected = format!("an empty square, or {}", ["X", "O"][color]);
                    return Err(grid.fault(row, column, &expected, ["O", "X"][color]));
                }
            }
        }
        Ok(Position::from_pieces(self.0, pieces, grid.side_to_move()))
    }

    fn format_state(&self, position: &Position) -> String {
        let side = plyground::Game::side_to_move(position);
        format!("{position}\n{}", ['X', 'O'][side.index()])
    }

    fn side_name(&self, side: Side) -> String {
        COLORS[side.index()].to_owned()
    }

    fn text(&self, position: &Position, text: Text<Move>) -> String {
        let side = self.side_name(plyground::Game::side_to_move(position));
        match text {
            Text::Announcement(mv @ Move::Remove(_)) => format!("{side} removes {mv}"),
            Text::Announcement(mv @ Move::Jump(..)) => format!("{side} jumps {mv}"),
            Text::Reason => format!("{side} cannot move"),
            other => default_text(self, position, other),
        }
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::of_squares(self.0.into(), self.0.into(), ['X', 'O']))
    }

    fn path(&self, _: &Position, mv: Move) -> Path {
        let cell = |square: u8| usize::from(square / 8 * self.0 + square % 8);
        match mv {
            Move::Remove(square) => Path { from: None, to: Some(cell(square)) },
            Move::Jump(from, to) => Path { from: Some(cell(from)), to: Some(cell(to)) },
        }
    }
}

impl HostedGame for Konane {
    fn rules(&self) -> String {
        format!("{0}x{0}", self.0)
    }

    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        SIZES.map(Konane).into_iter().find(|other| other.rules() == rules).map(host)
    }

    fn rule_sets(&self) -> Vec<String> {
        SIZES.map(|size| Konane(size).rules()).to_vec()
    }

    /// Returns the checks, whose numbers are for the usual size.
    fn checks(&self) -> &'static str {
        if self.has_checks() { include_str!("checks.toml") } else { "" }
    }

    /// Returns the kit in Python, with the board of this size.
    fn starters(&self) -> Vec<StarterKit> {
        let board = include_str!("../starters/python/board.py")
            .replace("SIZE = 8", &format!("SIZE = {}", self.0));
        let rules = self.rules();
        let texts = KitTexts {
            game: "konane",
            rules: &rules,
            options: &format!("--rules {rules}"),
            title: "Konane",
            depth: 4,
            by_files: false,
            own_checks: !self.has_checks(),
        };
        vec![texts.kit(Language::Python, &[("board.py", &board)])]
    }
}

/// The value of each jump that a side has more than its opponent.
const JUMP: i32 = 100;

/// An evaluator that counts the jumps of each side: a side without jumps loses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

impl Evaluator<Position> for Mobility {
    fn evaluate(&self, position: &Position) -> Score {
        let mover = position.side_to_move();
        let [own, other] = [mover, mover.other()].map(|side| position.jumps(side).count() as i32);
        Score::estimate(JUMP * (own - other))
    }
}
