//! Tic-tac-toe with its texts, the game in the tests of this crate and of the crates above.

use plyground::proof::NoTactics;
use plyground::testing::TicTacToe;
use plyground::{Flat, Game, Side};

use crate::adapter::GameAdapter;
use crate::game::{HostedGame, SharedGame};
use crate::hosted::host;
use crate::state::{GridFormat, StateText, TextError};

/// Tic-tac-toe with its state format.
#[derive(Clone, Copy, Debug)]
pub struct Toy;

const FORMAT: GridFormat = GridFormat {
    columns: 3,
    rows: 3,
    cells: &['.', 'X', 'O'],
    cell_names: "., X or O",
    sides: ['X', 'O'],
    side_names: "the next player, X or O",
};

/// Returns tic-tac-toe.
#[must_use]
pub fn toy() -> SharedGame {
    host(Toy)
}

impl HostedGame for Toy {}

impl GameAdapter for Toy {
    type Game = TicTacToe;
    type Evaluator = Flat;
    type Tactics = NoTactics;

    fn start(&self) -> TicTacToe {
        TicTacToe::default()
    }

    fn evaluator(&self) -> Flat {
        Flat
    }

    fn tactics(&self, _: bool) -> NoTactics {
        NoTactics
    }

    fn format_state(&self, position: &TicTacToe) -> String {
        let side = if position.side_to_move() == Side::First { "X" } else { "O" };
        format!("{position}\n{side}")
    }

    fn parse_state(&self, text: &StateText) -> Result<TicTacToe, TextError> {
        let grid = FORMAT.parse(text)?;
        let mut position = TicTacToe::default();
        let grid = &grid;
        let squares =
            |mark| (0..9).filter(move |cell| grid.symbol(cell / 3, cell % 3) == Some(mark));
        let (mut first, mut second) = (squares(1), squares(2));
        while let Some(cell) =
            if position.side_to_move() == Side::First { first.next() } else { second.next() }
        {
            if let Ok(square) = (cell + 1).to_string().parse() {
                // In this order of moves, a row may be complete before the last mark is placed.
                position.play_unchecked(square);
            }
        }
        Ok(position)
    }
}
