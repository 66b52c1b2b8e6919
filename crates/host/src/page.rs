//! What the page in the browser shows of a game: data about its board, and no drawing code.

use plyground::Side;
use serde::Serialize;

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
    /// Whether empty cells are hatched where the rules say why the side to move cannot go there.
    pub hatched: bool,
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

impl Layout {
    /// A board of open squares, whose columns are letters from the left and whose rows are numbers
    /// from the top, with black discs for the first side and white ones for the second. `symbols`
    /// stand for them in a state file, where `.` is an empty square.
    #[must_use]
    pub fn of_squares(columns: usize, rows: usize, symbols: [char; 2]) -> Layout {
        let letters: Vec<String> = ('a'..='z').take(columns).map(String::from).collect();
        let numbers: Vec<String> = (1..=rows).map(|row| row.to_string()).collect();
        let name = |number: &String| {
            letters.iter().map(|letter| vec![format!("{letter}{number}")]).collect::<Vec<_>>()
        };
        let piece =
            |name, fill, mark, symbol| Piece { name, fill, mark, symbol, turn_symbol: symbol };
        Layout {
            columns,
            rows,
            look: Look::Squares,
            falls: false,
            grounds: vec![Ground::Open; columns * rows],
            hatched: false,
            notations: vec!["Squares"],
            names: numbers.iter().flat_map(name).collect(),
            edges: Edges { top: letters, left: numbers, ..Edges::default() },
            pieces: [
                piece("black disc", "#26282c", "#8b9099", symbols[0]),
                piece("white disc", "#fbfaf5", "#6f6a5e", symbols[1]),
            ],
            empty_symbol: '.',
        }
    }
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

/// Which side a cell is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// Both sides.
    Open,
    /// Neither side.
    Dead,
    /// The first side.
    First,
    /// The second side.
    Second,
}

/// Whose a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The first side's.
    First,
    /// The second side's.
    Second,
    /// Neither side's.
    Neutral,
}

impl From<Side> for Owner {
    fn from(side: Side) -> Owner {
        match side {
            Side::First => Owner::First,
            Side::Second => Owner::Second,
        }
    }
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

/// What the page shows of a position.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Picture {
    /// The owner of the piece in every cell.
    pub cells: Vec<Option<Owner>>,
    /// What is written in every cell, on its piece if it has one; none at all if nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Option<String>>,
    /// The ground of every cell, where it changes in the course of a game; none at all where it is
    /// that of the [`Layout`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<Ground>,
    /// Lines over the board.
    pub lines: Vec<Stroke>,
    /// What is counted for either side.
    pub counts: [Vec<Count>; 2],
}

impl Picture {
    /// The pieces of a state file whose lines but the last are the rows of the board, by the symbols
    /// of the two sides, with the points if the game has any.
    #[must_use]
    pub fn from_state(state: &str, symbols: [char; 2], points: Option<[i32; 2]>) -> Picture {
        let rows = state.lines().count().saturating_sub(1);
        let symbols_of_cells = state.lines().take(rows).flat_map(str::chars);
        let owner = |symbol| Side::BOTH.into_iter().find(|side| symbols[side.index()] == symbol);
        let counts = points.map(|points| {
            points.map(|points| {
                let name = if points == 1 { "point" } else { "points" };
                let value = u32::try_from(points).unwrap_or_default();
                vec![Count { name, value, as_pieces: false }]
            })
        });
        Picture {
            cells: symbols_of_cells.map(|symbol| owner(symbol).map(Owner::from)).collect(),
            counts: counts.unwrap_or_default(),
            ..Picture::default()
        }
    }
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
    /// Whether to draw this many pieces beside the number.
    pub as_pieces: bool,
}

/// The cells of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Path {
    /// Where the piece comes from, if it was on the board.
    pub from: Option<usize>,
    /// Where it goes; `None` for a pass.
    pub to: Option<usize>,
}
