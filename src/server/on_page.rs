//! What a game supplies to be played in a browser: data about its board, and no drawing code.

use serde::Serialize;

use crate::cli::Program;
use crate::game::{Game, Side};

/// A game that can be shown on the page of [`Server`](super::Server).
///
/// Its board is a grid of cells, numbered row by row from the upper left corner, from 0.
pub trait OnPage: Program {
    /// The board, and how people write on it.
    fn layout(&self) -> Layout;

    /// What stands on the board, and what else is to be seen there.
    fn picture(&self, position: &Self::Game) -> Picture;

    /// The cells of a legal move.
    fn path(&self, position: &Self::Game, mv: <Self::Game as Game>::Move) -> Path;

    /// The move that one makes by choosing a cell, after another cell `from` where a piece is to
    /// be moved. It may be illegal: then [`Game::check_legal`] says why the cell is no choice.
    /// `None` when there is nothing to say.
    fn move_at(
        &self,
        position: &Self::Game,
        from: Option<usize>,
        to: usize,
    ) -> Option<<Self::Game as Game>::Move>;

    /// The move in each of [`Layout::notations`]; the canonical notation comes first.
    fn names(&self, mv: <Self::Game as Game>::Move) -> Vec<String> {
        vec![mv.to_string()]
    }

    /// Reads a move that a person has typed, in any of the notations.
    fn read_move(&self, text: &str) -> Option<<Self::Game as Game>::Move> {
        text.parse().ok()
    }

    /// The rules that [`Program::with_rules`] knows.
    fn rule_sets(&self) -> Vec<String> {
        vec![self.rules()]
    }
}

/// The board, and how people write on it.
#[derive(Clone, Debug, Serialize)]
pub struct Layout {
    /// Cells to a row.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
    /// What the cells look like.
    pub look: Look,
    /// Whether pieces fall to the lowest empty cell of their column, so that any cell of the
    /// column stands for that one.
    pub falls: bool,
    /// What every cell is for.
    pub grounds: Vec<Ground>,
    /// The names of the ways to write a move; the canonical one first.
    pub notations: Vec<&'static str>,
    /// The name of every cell in each of the notations.
    pub names: Vec<Vec<String>>,
    /// The names of the columns above and below the board, and of the rows to its left and right.
    /// None where nothing is written.
    pub edges: Edges,
    /// The pieces of the two sides.
    pub pieces: [Piece; 2],
    /// The symbol of an empty cell in a state file.
    pub empty_symbol: char,
}

/// What is written around the board.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Edges {
    /// Above the columns.
    pub top: Vec<String>,
    /// To the right of the rows.
    pub right: Vec<String>,
    /// Below the columns.
    pub bottom: Vec<String>,
    /// To the left of the rows.
    pub left: Vec<String>,
}

/// What the cells of a board look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Round holes in an upright board.
    Holes,
    /// Squares.
    Squares,
}

/// What a cell is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// Anybody's.
    Open,
    /// Nobody's.
    Dead,
    /// The first side's.
    First,
    /// The second side's.
    Second,
}

impl Ground {
    /// The ground of this side.
    #[must_use]
    pub fn of(side: Side) -> Ground {
        match side {
            Side::First => Ground::First,
            Side::Second => Ground::Second,
        }
    }
}

/// The pieces of a side.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Piece {
    /// What one of them is called: `White chip`.
    pub name: &'static str,
    /// Its color, as CSS has it.
    pub fill: &'static str,
    /// The color of the mark on it and around it.
    pub mark: &'static str,
    /// The symbol of a cell with such a piece in a state file.
    pub symbol: char,
    /// The symbol of the side as the one to move in a state file.
    pub turn_symbol: char,
}

/// What is to be seen of a position.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Picture {
    /// The owner of the piece in every cell, as [`Side::index`].
    pub cells: Vec<Option<usize>>,
    /// Lines over the board.
    pub lines: Vec<Stroke>,
    /// What is counted for either side.
    pub counts: [Vec<Count>; 2],
}

/// A line over the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stroke {
    /// What it stands for.
    pub kind: StrokeKind,
    /// Whose it is, as [`Side::index`].
    pub side: usize,
    /// The cells from whose middle to whose middle it goes.
    pub cells: Vec<usize>,
}

/// What a line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StrokeKind {
    /// Points made.
    Made,
    /// Points that can still be made.
    Possible,
    /// Two pieces that are connected.
    Link,
    /// What has won the game.
    Win,
}

/// Something that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// What is counted: `in hand`.
    pub name: &'static str,
    /// How many there are.
    pub value: u32,
    /// Whether to show so many pieces beside the number.
    pub as_pieces: bool,
}

/// The cells of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Path {
    /// Where the piece comes from, if it was on the board.
    pub from: Option<usize>,
    /// Where it goes.
    pub to: usize,
}
