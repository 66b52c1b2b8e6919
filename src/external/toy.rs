//! Tic-tac-toe as programs read and write it: for tests.

use super::texts::Texts;
use crate::game::{Game, Side};
use crate::state::{Fault, GridFormat, StateText};
use crate::testing::TicTacToe;

#[derive(Clone, Copy, Debug)]
pub(super) struct Toy;

const FORMAT: GridFormat = GridFormat {
    columns: 3,
    rows: 3,
    cells: &['.', 'X', 'O'],
    cell_names: "., X or O",
    sides: ['X', 'O'],
    side_names: "the next player, X or O",
};

impl Texts<TicTacToe> for Toy {
    fn rules(&self) -> String {
        "standard".to_owned()
    }

    fn start(&self) -> TicTacToe {
        TicTacToe::default()
    }

    fn format_state(&self, position: &TicTacToe) -> String {
        let side = if position.side_to_move() == Side::First { "X" } else { "O" };
        format!("{position}\n{side}")
    }

    fn parse_state(&self, text: &StateText) -> Result<TicTacToe, Fault> {
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
                let _ = position.play(square);
            }
        }
        Ok(position)
    }
}
