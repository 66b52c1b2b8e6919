//! The data of the page in the browser about a game: its board, and no drawing code.

use plyground::Side;
use serde::Serialize;

/// The board and its notations.
#[derive(Clone, Debug, Serialize)]
pub struct Layout {
    /// The number of cells in a row.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
    /// The look of the cells.
    pub look: Look,
    /// If true, pieces fall to the lowest empty cell of their column, so that any cell of the column stands
    /// for that one.
    pub falls: bool,
    /// The ground of every cell.
    pub grounds: Vec<Ground>,
    /// If true, empty cells are hatched where the rules say why the side to move cannot go there.
    pub hatched: bool,
    /// The names of the notations of a move, the canonical one first.
    pub notations: Vec<&'static str>,
    /// The name of every cell in each of the notations.
    pub names: Vec<Vec<String>>,
    /// The labels of the columns above and below the board, and of the rows to its left and right; empty if
    /// nothing is written there. With two notations, the page shows one at a time: the labels above and to
    /// the left are those of the first, the labels below and to the right those of the second.
    pub edges: Edges,
    /// The parts of the board that have names, such as goals.
    pub zones: Vec<Zone>,
    /// The pieces of the two sides.
    pub pieces: [Piece; 2],
    /// The symbol of an empty cell in a state file.
    pub empty_symbol: char,
    /// The meaning of the lines and rings over the board, in a sentence; empty if nothing is drawn there.
    pub legend: &'static str,
}

impl Layout {
    /// Panics if a cell has no ground, or not a name in each notation: the page could not be drawn.
    #[track_caller]
    pub(crate) fn assert_complete(&self) {
        let cells = self.columns * self.rows;
        let Layout { grounds, names, notations, .. } = self;
        assert_eq!(grounds.len(), cells, "a layout needs a ground for each of its cells");
        assert_eq!(names.len(), cells, "a layout needs names for each of its cells");
        let all_named = names.iter().all(|names| names.len() == notations.len());
        assert!(all_named, "a layout needs a name of each cell in each of its notations");
    }

    /// Returns a board of open squares, whose columns are letters from the left and whose rows are numbers
    /// from the top, with black discs for the first side and white ones for the second. `symbols` are their
    /// symbols in a state file, in which `.` is an empty square.
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
            zones: Vec::new(),
            pieces: [
                piece("black disc", "#26282c", "#8b9099", symbols[0]),
                piece("white disc", "#fbfaf5", "#6f6a5e", symbols[1]),
            ],
            empty_symbol: '.',
            legend: "",
        }
    }

    /// Returns the number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// Returns the number of actions; see [`GameAdapter::action`](crate::GameAdapter::action).
    #[must_use]
    pub fn actions(&self) -> usize {
        if self.falls { self.columns } else { self.cells() * (1 + self.cells()) }
    }

    /// Returns the number of the move with this path.
    #[must_use]
    pub fn action(&self, path: Path) -> usize {
        match (path.from, path.to) {
            (_, None) => 0,
            (_, Some(to)) if self.falls => to % self.columns,
            (None, Some(to)) => to,
            (Some(from), Some(to)) => self.cells() * (1 + from) + to,
        }
    }

    /// Returns the board with its labels around it and blanks between its cells, or `None` if it has no
    /// labels or is not a symbol for every cell, a line for every row.
    #[must_use]
    pub fn around(&self, board: &str) -> Option<String> {
        let rows: Vec<&str> = board.lines().collect();
        let Edges { top, right, bottom, left } = &self.edges;
        let is_grid = rows.len() == self.rows
            && rows.iter().all(|row| row.chars().count() == self.columns && !row.contains(' '));
        if !is_grid || [top, right, bottom, left].iter().all(|labels| labels.is_empty()) {
            return None;
        }
        let length = |label: &String| label.chars().count();
        let longest = |labels: &[String]| labels.iter().map(length).max().unwrap_or(0);
        let (margin, width) = (longest(left), longest(top).max(longest(bottom)).max(1));
        let line = |label: &str, cells: &mut dyn Iterator<Item = String>, end: &str| {
            let cells: String = cells.map(|cell| format!(" {cell:>width$}")).collect();
            format!("{}\n", format!("{label:>margin$}{cells} {end}").trim_end())
        };
        let labels = |labels: &[String]| match labels.is_empty() {
            true => String::new(),
            false => line("", &mut labels.iter().cloned(), ""),
        };
        let label = |labels: &[String], row: usize| labels.get(row).cloned().unwrap_or_default();
        let rows = rows.iter().enumerate().map(|(row, cells)| {
            line(&label(left, row), &mut cells.chars().map(String::from), &label(right, row))
        });
        Some(labels(top) + &rows.collect::<String>() + &labels(bottom))
    }
}

/// The labels around the board.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Edges {
    /// The labels above the columns.
    pub top: Vec<String>,
    /// The labels to the right of the rows.
    pub right: Vec<String>,
    /// The labels below the columns.
    pub bottom: Vec<String>,
    /// The labels to the left of the rows.
    pub left: Vec<String>,
}

/// A part of the board that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Zone {
    /// The name, which is written along the edge of the board: `Goal of White`.
    pub text: String,
    /// The cells, which are in a row or in a column.
    pub cells: Vec<usize>,
}

/// The look of the cells of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Round holes in an upright board.
    Holes,
    /// Squares.
    Squares,
}

/// The side that a cell is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// The cell is for both sides.
    Open,
    /// The cell is for neither side.
    Dead,
    /// The cell is for the first side.
    First,
    /// The cell is for the second side.
    Second,
}

/// The owner of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The first side.
    First,
    /// The second side.
    Second,
    /// Neither side.
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
    /// Returns the ground of this side.
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
    /// The name of one piece: `White chip`.
    pub name: &'static str,
    /// The color of a piece, in CSS.
    pub fill: &'static str,
    /// The color of the mark on a piece and around it.
    pub mark: &'static str,
    /// The symbol of a cell with such a piece in a state file.
    pub symbol: char,
    /// The symbol of the side as the one to move in a state file.
    pub turn_symbol: char,
}

/// The part of the page that depends on the position.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Picture {
    /// The owner of the piece in every cell.
    pub cells: Vec<Option<Owner>>,
    /// The text in every cell, on its piece if it has one; empty if no cell has a text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Option<String>>,
    /// The ground of every cell, if it changes in the course of a game; empty if the grounds of the
    /// [`Layout`] hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<Ground>,
    /// Lines over the board.
    pub lines: Vec<Stroke>,
    /// The cells by which a side would win at once if it were to move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threats: Vec<Threat>,
    /// The counts of either side.
    pub counts: [Vec<Count>; 2],
}

impl Picture {
    /// Returns the picture of a state file whose lines except the last are the rows of the board. `symbols` are the
    /// symbols of the two sides, and `points` are shown if the game has any.
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

/// A cell by which a side would win at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Threat {
    /// The side that threatens to win, as [`Side::index`].
    pub side: usize,
    /// The cell to which the winning move goes.
    pub cell: usize,
}

/// A line over the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stroke {
    /// The meaning of the line.
    pub kind: StrokeKind,
    /// The side that the line belongs to, as [`Side::index`].
    pub side: usize,
    /// The cells whose centers the line connects.
    pub cells: Vec<usize>,
}

/// The meaning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StrokeKind {
    /// Points that have been made.
    Made,
    /// Points that can still be made.
    Possible,
    /// Two pieces that are connected.
    Link,
    /// The pieces that have won the game.
    Win,
}

/// Things that are counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The name of the things: `in hand`.
    pub name: &'static str,
    /// The number of the things.
    pub value: u32,
    /// If true, this many pieces are drawn beside the number.
    pub as_pieces: bool,
}

/// The cells of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Path {
    /// The cell that the piece comes from, if it was on the board.
    pub from: Option<usize>,
    /// The cell that the piece goes to; `None` for a pass.
    pub to: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_has_its_coordinates_around_it() {
        let layout = Layout::of_squares(3, 2, ['X', 'O']);
        let board = layout.around(".X.\nO..");
        assert_eq!(board.as_deref(), Some("  a b c\n1 . X .\n2 O . .\n"));
        assert_eq!(layout.around("| . X . |\n| O . . |"), None, "it has a look of its own");
        let bare = Layout { edges: Edges::default(), ..layout };
        assert_eq!(bare.around(".X.\nO.."), None);
    }

    #[test]
    fn long_labels_keep_the_columns_straight() {
        let layout = Layout::of_squares(1, 10, ['X', 'O']);
        let board = layout.around(&[".\n"; 10].concat()).expect("a board");
        assert_eq!(board.lines().nth(9), Some(" 9 ."));
        assert_eq!(board.lines().nth(10), Some("10 ."));
    }
}
