//! The forms of state files: rows of cells or of words, with the side to move below them.

use plyground::Side;
use plyground_durable::excerpt;

use super::text::{Line, StateText, TextError};

/// The form of a game's state files: rows of symbols, the upper row first, then a line with the
/// symbol of the side to move.
#[derive(Clone, Copy, Debug)]
pub struct GridFormat {
    /// The number of symbols in a row, at least two.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
    /// The symbols that a cell may have, the symbol of an empty cell first.
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

    /// Returns the fault of the cell at this row and column, counted as in [`symbol`](Grid::symbol), whose symbol is
    /// not what the rules expect. For a cell off the grid, the place is the start of the file.
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
        let found = rows(row);
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

    /// Returns `true` if the line can only be a row.
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
            ',' | ';' | '|' | ':' => format!("{found}: write nothing between the cells"),
            '.' | '_' | '-' | '*' => format!("{found}: write an empty cell as `{}`", self.empty()),
            _ => found,
        }
    }
}

/// Returns the fault of a text that ends after these lines. There is at least one.
fn end(lines: &[Line], expected: &str, found: String) -> TextError {
    let last = lines.iter().rposition(|line| !line.is_empty()).unwrap_or(lines.len() - 1);
    lines[last].fault(lines[last].symbols.len(), expected, found)
}

/// Returns the words for a number of rows.
fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
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

/// The form of a game's state files whose cells are words with blanks or commas between them, in rows of any
/// lengths, the upper row first, then a line with the word of the side to move.
///
/// With the rows `&[3, 3, 2]` and the sides `["S", "N"]`, such a file is:
///
/// ```text
/// 4 4 4
/// 4 0 12
/// 1 0
/// N
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WordFormat {
    /// The number of words in each row.
    pub rows: &'static [usize],
    /// The name of a cell's words in messages: `a number of seeds`.
    pub cell_names: &'static str,
    /// The words of the sides, in the order of [`Side::index`].
    pub sides: [&'static str; 2],
    /// The name of the side to move in messages: `the next player, S or N`.
    pub side_names: &'static str,
}

struct Word {
    /// The index of its first symbol in the line.
    at: usize,
    text: String,
}

impl WordFormat {
    /// Reads a state file; `read` returns the cell that a word stands for. Returns the rows and the side to
    /// move.
    pub fn parse<T>(
        &self,
        text: &StateText,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<(Vec<Vec<T>>, Side), TextError> {
        let lines = text.lines();
        let mut filled = lines.iter().filter(|line| !line.is_empty());
        let mut cells = Vec::with_capacity(self.rows.len());
        for (index, &length) in self.rows.iter().enumerate() {
            let expected = format!("{} rows", self.rows.len());
            let too_short = || end(&lines, &expected, rows(index));
            let line = filled.next().ok_or_else(too_short)?;
            cells.push(self.row(line, length, &read)?);
        }
        let missing = || end(&lines, self.side_names, "the end of the file".to_owned());
        let line = filled.next().ok_or_else(missing)?;
        let words = words(line);
        let side = match &words[..] {
            [word] => self.sides.iter().position(|side| *side == word.text),
            _ => None,
        };
        let found =
            |words: &[Word]| words.first().map_or_else(String::new, |word| quoted_word(&word.text));
        let side = side.ok_or_else(|| line.fault(0, self.side_names, found(&words)))?;
        match filled.next() {
            None => Ok((cells, Side::BOTH[side])),
            Some(line) => {
                let expected = "the end of the file after the side to move";
                Err(line.fault(0, expected, found(&self::words(line))))
            }
        }
    }

    fn row<T>(
        &self,
        line: &Line,
        length: usize,
        read: &impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, TextError> {
        let words = words(line);
        if words.len() != length {
            let at = words.get(length).map_or(line.symbols.len(), |word| word.at);
            let expected = format!("a row of {length} cells with blanks between them");
            return Err(line.fault(at, &expected, words.len().to_string()));
        }
        let cell = |word: &Word| {
            read(&word.text)
                .ok_or_else(|| line.fault(word.at, self.cell_names, quoted_word(&word.text)))
        };
        words.iter().map(cell).collect()
    }
}

/// Returns the words of a line: symbols side by side, without the commas between the words of a position that
/// is one word.
fn words(line: &Line) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut next = None;
    for (at, &(column, symbol)) in line.symbols.iter().enumerate() {
        if symbol == ',' {
            continue;
        }
        match words.last_mut().filter(|_| next == Some(column)) {
            Some(word) => word.text.push(symbol),
            None => words.push(Word { at, text: symbol.to_string() }),
        }
        next = Some(column + 1);
    }
    words
}

fn quoted_word(word: &str) -> String {
    format!("`{}`", excerpt(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: WordFormat = WordFormat {
        rows: &[3, 1],
        cell_names: "a number",
        sides: ["S", "N"],
        side_names: "the next player, S or N",
    };

    fn parse(text: &str) -> Result<(Vec<Vec<u8>>, Side), String> {
        let text = StateText::new(text.to_owned());
        FORMAT.parse(&text, |word| word.parse().ok()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn rows_of_numbers_are_read() {
        let expected = Ok((vec![vec![4, 10, 0], vec![7]], Side::First));
        for text in ["4 10 0\n7\nS\n", "\n 4\t10  0\r\n7 \r\n\r\nS", "4 10 0/7/S", "4,10,0/7/S"] {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn faults_have_their_places() {
        for (text, fault) in [
            ("", "1:1: expected 2 rows, found 0 rows"),
            ("4 10 0\n", "1:7: expected 2 rows, found 1 row"),
            ("4 10\n7\nS", "1:5: expected a row of 3 cells with blanks between them, found 2"),
            ("4 10 0 1\n7\nS", "1:8: expected a row of 3 cells with blanks between them, found 4"),
            ("4 1x 0\n7\nS", "1:3: expected a number, found `1x`"),
            ("4 10 0\n7\n", "2:2: expected the next player, S or N, found the end of the file"),
            ("4 10 0\n7\nW", "3:1: expected the next player, S or N, found `W`"),
            (
                "4 10 0\n7\nS\n1",
                "4:1: expected the end of the file after the side to move, found `1`",
            ),
        ] {
            assert_eq!(parse(text), Err(fault.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn layout_is_kept_whatever_the_numbers() {
        let text = StateText::new("4  9 0\r\n 7\r\nS\r\n".to_owned());
        assert_eq!(text.with_symbols("10 0 0\n11\nN"), "10  0 0\r\n 11\r\nN\r\n");
        assert_eq!(
            StateText::new("4 9 0\n7\n".to_owned()).with_symbols("1 2 3\n10\nN"),
            "1 2 3\n10\nN\n"
        );
        assert!(StateText::new("4 9 0\n7\n".to_owned()).lacks_side("10 0 0\n11\nN"));
        assert!(!StateText::new("4 9 0\n7\nS".to_owned()).lacks_side("10 0 0\n11\nN"));
    }
}
