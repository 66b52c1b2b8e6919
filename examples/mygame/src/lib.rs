//! A game: this file has the texts, the state file and the page, and `rules.rs` the rules.

mod rules;

use plyground::proof::NoTactics;
use plyground::{Flat, Game, Side};
use plyground_host::page::{Layout, Path};
use plyground_host::state::{GridFormat, StateText, TextError};
use plyground_host::{GameAdapter, HostedGame, KitTexts, Language, StarterKit, starter_files};

use self::rules::SIZE;
pub use rules::{Illegal, Move, NotAMove, Position};

/// The game with its texts.
#[derive(Clone, Copy, Debug)]
pub struct MyGame;

const FORMAT: GridFormat = GridFormat {
    columns: SIZE as usize,
    rows: SIZE as usize,
    cells: &['.', 'X', 'O'],
    cell_names: "., X or O",
    sides: ['X', 'O'],
    side_names: "the next player, X or O",
};

impl GameAdapter for MyGame {
    type Game = Position;
    type Evaluator = Flat;
    type Tactics = NoTactics;

    fn start(&self) -> Position {
        Position::default()
    }

    /// Rates all unfinished positions as even, until you write an `Evaluator`.
    fn evaluator(&self) -> Flat {
        Flat
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn parse_state(&self, text: &StateText) -> Result<Position, TextError> {
        let grid = FORMAT.parse(text)?;
        let mut squares = [0; 2];
        for square in 0..SIZE * SIZE {
            let (row, column) = (square / SIZE, square % SIZE);
            if let Some(piece @ 1..) = grid.symbol(row.into(), column.into()) {
                squares[piece - 1] |= 1 << square;
            }
        }
        Ok(Position::new(squares, grid.side_to_move()))
    }

    fn format_state(&self, position: &Position) -> String {
        format!("{position}\n{}", ['X', 'O'][position.side_to_move().index()])
    }

    fn side_name(&self, side: Side) -> String {
        ["X", "O"][side.index()].to_owned()
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::of_squares(SIZE.into(), SIZE.into(), ['X', 'O']))
    }

    fn path(&self, _: &Position, mv: Move) -> Path {
        Path { from: None, to: Some(mv.0.into()) }
    }
}

impl HostedGame for MyGame {
    fn starters(&self) -> Vec<StarterKit> {
        vec![KIT.kit(Language::Python, starter_files!("starters/python": ["board.py"]))]
    }
}

/// The texts of the kits: the rules are in `board.py`, and the template has the rest.
const KIT: KitTexts = KitTexts {
    game: "mygame",
    rules: "standard",
    options: "",
    title: "Three in a row",
    depth: 4,
    by_files: false,
    own_checks: true,
};
