//! A game with a page, for tests.

use std::fmt;

use plyground::proof::NoTactics;
use plyground::{Flat, Game, Outcome, SearchHints, Side};
use plyground_host::page::{Layout, Path};
use plyground_host::state::{GridFormat, StateText, TextError};
use plyground_host::toy::toy;
use plyground_host::{GameAdapter, HostedGame, SharedGame, host};

use crate::questions::games::{GameLine, Games, ReplayedGame, ServedGame};

/// A row of cells. The first side takes any empty cell, the second only empty cells with even numbers, and passes if
/// there is no such cell. Every cell is worth a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    cells: Vec<Option<Side>>,
    side: Side,
}

/// The number of a cell, or `-` for a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowMove(Option<u8>);

/// The game on a row of this many cells.
#[derive(Clone, Debug)]
pub struct RowGame(usize);

/// Returns the game of four cells, which has a short variant of three cells.
pub fn served() -> ServedGame {
    ServedGame { game: host(RowGame(4)), book: None }
}

/// Returns this game and a game without a page.
pub fn games() -> Games {
    Games::of_any(vec![served(), ServedGame { game: toy(), book: None }])
}

/// Returns the game of four cells with these moves.
pub fn replayed(moves: &[&str]) -> ReplayedGame {
    let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
    let line = GameLine { moves, ..GameLine::of_start(&served().game.start()) };
    line.replay(&games()).expect("a game")
}

impl Row {
    fn free(&self) -> impl Iterator<Item = u8> {
        let may_take = |cell: &u8| self.side == Side::First || cell.is_multiple_of(2);
        let empty = self.cells.iter().zip(0..).filter(|(owner, _)| owner.is_none());
        empty.map(|(_, cell)| cell).filter(may_take)
    }
}

impl Game for Row {
    type Move = RowMove;
    type IllegalMove = fmt::Error;

    const NAME: &'static str = "row";

    fn side_to_move(&self) -> Side {
        self.side
    }

    fn outcome(&self) -> Option<Outcome> {
        let [first, second] = self.points()?;
        self.cells.iter().all(Option::is_some).then_some(Outcome::Points { first, second })
    }

    fn legal_moves(&self) -> impl Iterator<Item = RowMove> {
        let passes = self.outcome().is_none() && self.free().next().is_none();
        let pass = passes.then_some(RowMove(None));
        self.free().map(|cell| RowMove(Some(cell))).chain(pass)
    }

    fn check_legal(&self, mv: RowMove) -> Result<(), fmt::Error> {
        if self.legal_moves().any(|legal| legal == mv) { Ok(()) } else { Err(fmt::Error) }
    }

    fn play_unchecked(&mut self, mv: RowMove) {
        if let Some(cell) = mv.0 {
            self.cells[usize::from(cell)] = Some(self.side);
        }
        self.side = self.side.other();
    }

    fn key(&self) -> u64 {
        let digit = |cell: &Option<Side>| cell.map_or(0, |side| 1 + side.index() as u64);
        self.cells.iter().fold(1 + self.side.index() as u64, |key, cell| 3 * key + digit(cell))
    }

    fn is_pass(&self, mv: RowMove) -> bool {
        mv.0.is_none()
    }

    fn plies_left(&self) -> Option<u32> {
        let empty = self.cells.iter().filter(|cell| cell.is_none()).count() as u32;
        // The side that has to pass now passes before the next cell is taken.
        Some((2 * empty).saturating_sub(u32::from(self.side == Side::First)))
    }

    fn points(&self) -> Option<[i32; 2]> {
        let count = |side| self.cells.iter().filter(|cell| **cell == Some(side)).count() as i32;
        Some(Side::BOTH.map(count))
    }
}

impl SearchHints for Row {}

impl GameAdapter for RowGame {
    type Game = Row;
    type Evaluator = Flat;
    type Tactics = NoTactics;

    fn start(&self) -> Row {
        Row { cells: vec![None; self.0], side: Side::First }
    }

    fn evaluator(&self) -> Flat {
        Flat
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn parse_state(&self, text: &StateText) -> Result<Row, TextError> {
        let format = GridFormat {
            columns: self.0,
            rows: 1,
            cells: &['.', 'X', 'O'],
            cell_names: "., X or O",
            sides: ['X', 'O'],
            side_names: "X or O",
        };
        let grid = format.parse(text)?;
        let owner = |cell| match grid.symbol(0, cell) {
            Some(1) => Some(Side::First),
            Some(2) => Some(Side::Second),
            _ => None,
        };
        Ok(Row { cells: (0..self.0).map(owner).collect(), side: grid.side_to_move() })
    }

    fn format_state(&self, position: &Row) -> String {
        format!("{position}\n{}", ['X', 'O'][position.side.index()])
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::of_squares(self.0, 1, ['X', 'O']))
    }

    fn path(&self, _: &Row, mv: RowMove) -> Path {
        Path { from: None, to: mv.0.map(usize::from) }
    }
}

impl HostedGame for RowGame {
    fn rules(&self) -> String {
        if self.0 == 4 { "standard".to_owned() } else { "short".to_owned() }
    }

    fn with_rules(&self, rules: &str) -> Option<SharedGame> {
        [3, 4].map(RowGame).into_iter().find(|game| game.rules() == rules).map(host)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = |cell: &Option<Side>| cell.map_or('.', |side| ['X', 'O'][side.index()]);
        f.write_str(&self.cells.iter().map(symbol).collect::<String>())
    }
}

impl fmt::Display for RowMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(cell) => cell.fmt(f),
            None => f.pad("-"),
        }
    }
}

impl std::str::FromStr for RowMove {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<RowMove, Self::Err> {
        if text == "-" { Ok(RowMove(None)) } else { text.parse().map(Some).map(RowMove) }
    }
}
