//! The board of Max-Connect4: its rules, its score and its state file.

use std::fmt;
use std::str::FromStr;

pub const ROWS: usize = 6;
pub const COLUMNS: usize = 7;
const EMPTY: u8 = 0;

/// The state file of the start, without a piece.
pub const START_FILE: &str =
    "0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n1\r\n";

/// Right, up, and the two diagonals: rows are counted from the top.
const DIRECTIONS: [(usize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// A move: the number of a column, from 0 to 6, from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(pub usize);

/// Writes the number of the column, from 1.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

impl FromStr for Move {
    type Err = String;

    fn from_str(text: &str) -> Result<Move, String> {
        match text.parse() {
            Ok(column @ 1..=COLUMNS) => Ok(Move(column - 1)),
            _ => Err("expected a column from 1 to 7".to_owned()),
        }
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// 0 for an empty cell, 1 and 2 for the players' pieces; the top row first.
    rows: [[u8; COLUMNS]; ROWS],
    /// 1 or 2.
    pub next_player: u8,
}

impl Board {
    /// Reads a state file: 42 cells, the top row first, then the next player. Blanks and the ends of lines
    /// are ignored; in the line protocol, lines end in `/`.
    pub fn parse(text: &str) -> Result<Board, String> {
        let symbols = text
            .chars()
            .filter(|symbol| !symbol.is_whitespace() && *symbol != '/');
        let digits: Option<Vec<u8>> = symbols.map(digit).collect();
        match digits.as_deref() {
            Some([cells @ .., next_player @ (1 | 2)]) if cells.len() == ROWS * COLUMNS => {
                let mut rows = [[EMPTY; COLUMNS]; ROWS];
                rows.as_flattened_mut().copy_from_slice(cells);
                Ok(Board {
                    rows,
                    next_player: *next_player,
                })
            }
            _ => Err(
                "expected 6 lines of 7 digits 0, 1 or 2, and a line with the next player".into(),
            ),
        }
    }

    /// Returns the text of a state file: the file `layout` with other digits.
    pub fn to_text(&self, layout: &str) -> String {
        let mut digits = self.rows.as_flattened().iter().chain([&self.next_player]);
        let mut replace = |symbol: char| match digit(symbol) {
            Some(_) => digits
                .next()
                .map_or(symbol, |digit| char::from(b'0' + digit)),
            None => symbol,
        };
        layout.chars().map(&mut replace).collect()
    }

    /// Returns the side to move, for people.
    pub fn to_move(&self) -> String {
        format!("Player {}", self.next_player)
    }

    /// Returns the columns that are not full.
    pub fn legal_moves(&self) -> Vec<Move> {
        (0..COLUMNS)
            .map(Move)
            .filter(|&mv| self.is_legal(mv))
            .collect()
    }

    /// Returns true if there is room in a column.
    pub fn is_legal(&self, Move(column): Move) -> bool {
        self.rows[0][column] == EMPTY
    }

    /// Returns the number of pieces on the board.
    #[allow(dead_code)] // Until there is a search.
    pub fn pieces(&self) -> usize {
        self.rows
            .as_flattened()
            .iter()
            .filter(|&&cell| cell != EMPTY)
            .count()
    }

    /// Drops a piece of the next player into a column that is not full.
    pub fn play(&mut self, Move(column): Move) {
        let row = (0..ROWS).rev().find(|&row| self.rows[row][column] == EMPTY);
        self.rows[row.expect("a column that is not full")][column] = self.next_player;
        self.next_player = 3 - self.next_player;
    }

    /// Takes back the move that was made in this column.
    #[allow(dead_code)] // Until there is a search.
    pub fn undo(&mut self, Move(column): Move) {
        let row = (0..ROWS).find(|&row| self.rows[row][column] != EMPTY);
        self.rows[row.expect("a column with a piece in it")][column] = EMPTY;
        self.next_player = 3 - self.next_player;
    }

    /// Returns the points of a player: one for every four in a row.
    pub fn score(&self, player: u8) -> usize {
        let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column)));
        let fours = cells.flat_map(|cell| DIRECTIONS.map(|direction| (cell, direction)));
        fours
            .filter(|&(cell, direction)| self.is_four(player, cell, direction))
            .count()
    }

    fn is_four(
        &self,
        player: u8,
        (row, column): (usize, usize),
        (down, right): (usize, isize),
    ) -> bool {
        (0..4).all(|i| {
            let column = column.checked_add_signed(right * i as isize);
            let cells = self.rows.get(row + down * i);
            column.and_then(|column| cells?.get(column)) == Some(&player)
        })
    }
}

fn digit(symbol: char) -> Option<u8> {
    symbol
        .to_digit(3)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// The board as people look at it, with the score.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let border = " -----------------";
        writeln!(f, "{border}")?;
        for row in &self.rows {
            let cells: String = row.iter().map(|cell| format!("{cell} ")).collect();
            writeln!(f, " | {cells}| ")?;
        }
        writeln!(f, "{border}")?;
        writeln!(
            f,
            "Score: Player 1 = {}, Player 2 = {}",
            self.score(1),
            self.score(2)
        )
    }
}
