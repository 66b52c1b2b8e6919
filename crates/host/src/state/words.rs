//! Rows of words, numbers for example, and below them the side to move.

use plyground::Side;
use plyground_durable::excerpt;

use super::text::{Line, StateText, TextError};

/// The form of a game's state files whose cells are words with blanks or commas between them, in rows of any
/// lengths, the upper row first, then a line with the word of the side to move.
///
/// ```
/// use plyground_host::state::{StateText, WordFormat};
///
/// let format = WordFormat {
///     rows: &[3, 3, 2],
///     cell_names: "a number of seeds",
///     sides: ["S", "N"],
///     side_names: "the next player, S or N",
/// };
/// let text = StateText::new("4 4 4\n4 0 12\n1 0\nN\n".to_owned());
/// let (rows, side) = format.parse(&text, |word| word.parse::<u8>().ok())?;
/// assert_eq!((rows[1][2], side), (12, plyground::Side::Second));
/// # Ok::<(), plyground_host::state::TextError>(())
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

/// A word of a line.
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
        let mut rows = Vec::with_capacity(self.rows.len());
        for (index, &length) in self.rows.iter().enumerate() {
            let line = filled.next().ok_or_else(|| self.too_short(&lines, index))?;
            rows.push(self.row(line, length, &read)?);
        }
        let line =
            filled.next().ok_or_else(|| end(&lines, self.side_names, "the end of the file"))?;
        let words = words(line);
        let side = match &words[..] {
            [word] => self.sides.iter().position(|side| *side == word.text),
            _ => None,
        };
        let found =
            |words: &[Word]| words.first().map_or_else(String::new, |word| quoted(&word.text));
        let side = side.ok_or_else(|| line.fault(0, self.side_names, found(&words)))?;
        match filled.next() {
            None => Ok((rows, Side::BOTH[side])),
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
            read(&word.text).ok_or_else(|| line.fault(word.at, self.cell_names, quoted(&word.text)))
        };
        words.iter().map(cell).collect()
    }

    fn too_short(&self, lines: &[Line], found: usize) -> TextError {
        let rows = if found == 1 { "1 row".to_owned() } else { format!("{found} rows") };
        end(lines, &format!("{} rows", self.rows.len()), &rows)
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

fn end(lines: &[Line], expected: &str, found: &str) -> TextError {
    let last = lines.iter().rev().find(|line| !line.is_empty()).or(lines.last());
    last.map_or_else(
        || TextError {
            line: 1,
            column: 1,
            expected: expected.to_owned(),
            found: "an empty file".to_owned(),
        },
        |line| line.fault(line.symbols.len(), expected, found.to_owned()),
    )
}

fn quoted(word: &str) -> String {
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
