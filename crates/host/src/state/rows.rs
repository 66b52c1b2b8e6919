//! Rows of cells, and below them the side to move: the form of state files.

use super::text::{Line, StateText, TextError};
use plyground::game::Side;

/// The form of a game's state files: rows of symbols, the upper row first, then a line with the
/// symbol of the side to move.
#[derive(Clone, Copy, Debug)]
pub struct GridFormat {
    /// The number of symbols in a row, at least two.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
    /// The symbols that a cell may have, that of an empty cell first.
    pub cells: &'static [char],
    /// The names of the symbols of cells in messages: `0, 1 or 2`.
    pub cell_names: &'static str,
    /// The symbols of the sides, in the order of [`Side::index`].
    pub sides: [char; 2],
    /// The name of the side to move in messages: `the next player, 1 or 2`.
    pub side_names: &'static str,
}

/// The contents of a state file.
#[derive(Clone, Debug)]
pub struct Grid {
    columns: usize,
    /// The cells, row by row from the top.
    cells: Vec<Cell>,
    side_to_move: Side,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The index of its symbol in the format's list.
    index: usize,
    line: usize,
    column: usize,
}

impl Grid {
    /// Returns the symbol of a cell, as its index in [`GridFormat::cells`], or `None` off the grid. Rows and
    /// columns are counted from 0, from the top and the left.
    #[must_use]
    pub fn symbol(&self, row: usize, column: usize) -> Option<usize> {
        self.cell(row, column).map(|cell| cell.index)
    }

    /// Returns the side to move.
    #[must_use]
    pub fn side_to_move(&self) -> Side {
        self.side_to_move
    }

    /// Returns the fault of the cell at this row and column, counted as in [`symbol`](Grid::symbol), whose
    /// symbol is not what the rules expect. For a cell off the grid its place is the start of the file.
    #[must_use]
    pub fn fault(&self, row: usize, column: usize, expected: &str, found: &str) -> TextError {
        let (line, column) = self.cell(row, column).map_or((1, 1), |cell| (cell.line, cell.column));
        TextError { line, column, expected: expected.to_owned(), found: found.to_owned() }
    }

    fn cell(&self, row: usize, column: usize) -> Option<&Cell> {
        let in_row = column < self.columns;
        in_row.then(|| self.cells.get(row * self.columns + column)).flatten()
    }
}

impl GridFormat {
    /// Reads a state file.
    pub fn parse(&self, text: &StateText) -> Result<Grid, TextError> {
        self.parse_or_infer(text, |_| None)
    }

    /// Reads a state file whose last line, the side to move, may be missing. If it is, `infer` finds the side
    /// from the cells, if possible.
    pub fn parse_or_infer(
        &self,
        text: &StateText,
        infer: impl FnOnce(&Grid) -> Option<Side>,
    ) -> Result<Grid, TextError> {
        let lines = text.lines();
        let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
        let last = lines.iter().rposition(|line| !line.is_empty()).unwrap_or(0);
        let lines = &lines[first..=last];
        let mut cells = Vec::with_capacity(self.rows * self.columns);
        for row in 0..self.rows {
            let line = self.row_line(lines, row)?;
            self.parse_row(line, &mut cells)?;
        }
        let grid = Grid { columns: self.columns, cells, side_to_move: Side::First };
        // Programs that print an empty line after the rows also write it to their files.
        let rest = &lines[self.rows..];
        let Some(at) = rest.iter().position(|line| !line.is_empty()) else {
            let missing = || end(lines, self.side_names, "the end of the file".to_owned());
            let side_to_move = infer(&grid).ok_or_else(missing)?;
            return Ok(Grid { side_to_move, ..grid });
        };
        let side_to_move = self.parse_side(&rest[at])?;
        self.check_end(&rest[at + 1..])?;
        Ok(Grid { side_to_move, ..grid })
    }

    /// Returns the line of a row, unless the rows have ended.
    fn row_line<'a>(&self, lines: &'a [Line], row: usize) -> Result<&'a Line, TextError> {
        let expected = format!("{} rows of {} cells", self.rows, self.columns);
        let found = if row == 1 { "1 row".to_owned() } else { format!("{row} rows") };
        match lines.get(row) {
            // A last line with a single symbol must be the side to move.
            Some(line) if row + 1 == lines.len() && line.symbols.len() == 1 => {
                Err(line.fault(0, &expected, found))
            }
            Some(line) if row == 0 && line.is_empty() => {
                Err(line.fault(0, &expected, "an empty file".to_owned()))
            }
            Some(line) => Ok(line),
            None => Err(end(lines, &expected, found)),
        }
    }

    fn parse_row(&self, line: &Line, cells: &mut Vec<Cell>) -> Result<(), TextError> {
        for (i, &(column, symbol)) in line.symbols.iter().enumerate() {
            let known = self.cells.iter().position(|&known| known == symbol);
            let Some(index) = known else {
                return Err(line.fault(i, self.cell_names, self.unknown(symbol)));
            };
            if i == self.columns {
                let expected = format!("a row of {} cells", self.columns);
                return Err(line.fault(i, &expected, line.symbols.len().to_string()));
            }
            cells.push(Cell { index, line: line.number, column });
        }
        let length = line.symbols.len();
        if length < self.columns {
            let expected = format!("a row of {} cells", self.columns);
            let found = match length {
                // The line is as wide as a row, so its blanks stand for cells.
                _ if line.length == self.columns => {
                    format!("{length} and blanks: write an empty cell as `{}`", self.empty())
                }
                0 => "an empty line: take it out".to_owned(),
                _ => length.to_string(),
            };
            return Err(line.fault(length, &expected, found));
        }
        Ok(())
    }

    fn parse_side(&self, line: &Line) -> Result<Side, TextError> {
        let symbol = line.symbols.first().map_or(' ', |&(_, symbol)| symbol);
        if self.is_row(line) {
            let expected = format!("{}, after {} rows", self.side_names, self.rows);
            return Err(line.fault(0, &expected, "another row".to_owned()));
        }
        let side = Side::BOTH.into_iter().find(|side| self.sides[side.index()] == symbol);
        let side = side.ok_or_else(|| line.fault(0, self.side_names, quoted(symbol)))?;
        match line.symbols.get(1) {
            None => Ok(side),
            Some(&(_, more)) => {
                let expected = format!("the end of the line after `{symbol}`");
                let mut found = quoted(more);
                if !more.is_alphanumeric() {
                    found += ": there are no comments in state files, take it out";
                }
                Err(line.fault(1, &expected, found))
            }
        }
    }

    /// Checks that only empty lines follow the side to move.
    fn check_end(&self, rest: &[Line]) -> Result<(), TextError> {
        let Some(line) = rest.iter().find(|line| !line.is_empty()) else { return Ok(()) };
        let symbol = line.symbols.first().map_or(' ', |&(_, symbol)| symbol);
        let found = match self.is_row(line) {
            true => "another row: keep one position in a file".to_owned(),
            false => quoted(symbol),
        };
        Err(line.fault(0, "the end of the file after its last line", found))
    }

    /// If true, the line can only be a row.
    fn is_row(&self, line: &Line) -> bool {
        line.symbols.len() == self.columns
            && line.symbols.iter().all(|(_, symbol)| self.cells.contains(symbol))
    }

    fn empty(&self) -> char {
        self.cells.first().copied().unwrap_or_default()
    }

    /// Quotes a symbol that no cell has, with the remedy if it is known.
    fn unknown(&self, symbol: char) -> String {
        let found = quoted(symbol);
        match symbol {
            ',' | ';' | '|' | ':' => format!("{found}: nothing stands between the cells"),
            '.' | '_' | '-' | '*' => format!("{found}: write an empty cell as `{}`", self.empty()),
            _ => found,
        }
    }
}

/// Returns the fault that the text ends after `lines`, which must not be empty.
fn end(lines: &[Line], expected: &str, found: String) -> TextError {
    lines.last().map_or_else(
        || TextError { line: 1, column: 1, expected: expected.to_owned(), found: found.clone() },
        |line| line.fault(line.symbols.len(), expected, found.clone()),
    )
}

/// Quotes a symbol of the file in a message, which must stay on one line.
fn quoted(symbol: char) -> String {
    let found = symbol.escape_debug();
    match symbol {
        // NULs occur between the letters of UTF-16 without a mark, and are invisible elsewhere.
        '\0' | '\u{feff}' | char::REPLACEMENT_CHARACTER => {
            format!("`{found}`: save the file as plain text in UTF-8")
        }
        _ => format!("`{found}`"),
    }
}
