//! The text of a state file: its layout, its line ends, and how it is read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use plyground_durable::FileError;
use plyground_durable::input::{decode_lossy, plain, read_bytes};
use thiserror::Error;

/// The fault of a text, such as a state file, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: expected {expected}, found {found}")]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1; one more than the length of the line if something is missing at its
    /// end.
    pub column: usize,
    /// The text that the format expects in this place.
    pub expected: String,
    /// The text that was found in this place.
    pub found: String,
}

/// The text of a state file. Its symbols are the characters other than blanks, tabs and line ends.
///
/// Lines end in LF, CR LF or CR, or, in a position on one line, in `/`; the last line may have no end. The
/// text keeps its layout, so that another position can take its place with nothing else changed. Characters
/// that editors add without a meaning are [left out](plyground_durable::input).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateText(String);

/// A line of a state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The number of the line, from 1.
    pub(super) number: usize,
    /// The number of characters, without the line end.
    pub(super) length: usize,
    /// The symbols, each with its column, from 1.
    pub(super) symbols: Vec<(usize, char)>,
}

impl Line {
    /// Returns the fault that something other than `expected` is at the symbol of this index, or that the
    /// line ends there.
    pub(super) fn fault(&self, index: usize, expected: &str, found: String) -> TextError {
        let column = self.symbols.get(index).map_or(self.length + 1, |&(column, _)| column);
        TextError { line: self.number, column, expected: expected.to_owned(), found }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }
}

impl StateText {
    /// Returns the state file with this text.
    #[must_use]
    pub fn new(text: String) -> StateText {
        match plain(&text) {
            Cow::Borrowed(part) if part.len() == text.len() => StateText(text),
            text => StateText(text.into_owned()),
        }
    }

    /// Returns a state file in the default layout: `lines`, which LF separates, each with CR LF at its end.
    #[must_use]
    pub fn from_lines(lines: &str) -> StateText {
        StateText(LineEnds::CrLf.lay_out(lines))
    }

    /// Returns the text as it was read.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if the text begins like a JSON object, which is not the form of a position.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.symbols().next() == Some('{')
    }

    /// Returns the characters other than blanks, tabs and line ends.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = char> {
        self.0.chars().filter(|&c| is_symbol(c))
    }

    /// Returns the symbols as one word: lines without symbols are left out, and `/` joins the others.
    #[must_use]
    pub fn word(&self) -> String {
        let lines = self.lines();
        let rows = lines.iter().filter(|line| !line.is_empty());
        let row = |line: &Line| line.symbols.iter().map(|&(_, symbol)| symbol).collect::<String>();
        rows.map(row).collect::<Vec<_>>().join("/")
    }

    /// Returns `true` if the text lacks the last line of the state file `lines` that it stands for: the side to move.
    #[must_use]
    pub fn lacks_side(&self, lines: &str) -> bool {
        if has_words(lines) {
            return words(&self.0).count() < words(lines).count();
        }
        self.symbols().count() < lines.chars().filter(|&c| is_symbol(c)).count()
    }

    /// Returns the text with its symbols replaced, in order, by the symbols of `lines`, which may have one more line.
    /// Blanks and line ends stay unchanged, except that empty lines after the last symbol are left out.
    ///
    /// If `lines` has blanks between words, words are replaced, because a number may have more digits than the old one.
    #[must_use]
    pub fn with_symbols(&self, lines: &str) -> String {
        if has_words(lines) {
            return self.with_words(lines);
        }
        let mut symbols = lines.chars().filter(|&c| is_symbol(c));
        let text = self.without_empty_lines_at_end();
        let replaced = |c| if is_symbol(c) { symbols.next().unwrap_or(c) } else { c };
        let written: String = text.chars().map(replaced).collect();
        ended(text, written, &symbols.collect::<String>())
    }

    fn with_words(&self, lines: &str) -> String {
        let mut words = words(lines);
        let text = self.without_empty_lines_at_end();
        let mut written = String::with_capacity(text.len());
        for part in text.split_inclusive(is_between_words) {
            let word = part.trim_end_matches(is_between_words);
            written += if word.is_empty() { "" } else { words.next().unwrap_or(word) };
            written += &part[word.len()..];
        }
        ended(text, written, &words.collect::<Vec<_>>().join(" "))
    }

    fn without_empty_lines_at_end(&self) -> &str {
        let last = self.0.rfind(is_symbol).unwrap_or(0);
        let Some(end) = self.0[last..].find(LINE_ENDS) else { return &self.0 };
        let (line, rest) = self.0.split_at(last + end);
        let line_end = if rest.starts_with("\r\n") { 2 } else { 1 };
        &self.0[..line.len() + line_end]
    }

    /// Returns the lines; a line end at the very end of the text does not begin another line.
    pub(super) fn lines(&self) -> Vec<Line> {
        let text = self.0.replace("\r\n", "\n").replace(LINE_ENDS, "\n");
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let lines = text.split('\n').enumerate();
        lines
            .map(|(index, line)| Line {
                number: index + 1,
                length: line.chars().count(),
                symbols: (1..).zip(line.chars()).filter(|&(_, c)| is_symbol(c)).collect(),
            })
            .collect()
    }
}

/// The characters that end a line; the last is for positions on one line.
const LINE_ENDS: [char; 3] = ['\r', '\n', '/'];

fn is_symbol(c: char) -> bool {
    !matches!(c, ' ' | '\t') && !LINE_ENDS.contains(&c)
}

fn is_between_words(c: char) -> bool {
    !is_symbol(c) || c == ','
}

/// Returns `true` if the cells of a state file are words, with blanks between them.
fn has_words(lines: &str) -> bool {
    lines.contains(' ')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_between_words).filter(|word| !word.is_empty())
}

/// Returns the text `written` in the layout of `text`, with one more line if that is not empty.
fn ended(text: &str, mut written: String, last_line: &str) -> String {
    if last_line.is_empty() {
        return written;
    }
    let line_end = first_line_end(text).unwrap_or("\r\n");
    match written.ends_with(LINE_ENDS) {
        true => written += &(last_line.to_owned() + line_end),
        false => written += &(line_end.to_owned() + last_line),
    }
    written
}

fn first_line_end(text: &str) -> Option<&str> {
    let rest = &text[text.find(LINE_ENDS)?..];
    Some(if rest.starts_with("\r\n") { "\r\n" } else { &rest[..1] })
}

/// The most bytes of a state file. A longer file need not be read to the end.
const MAX_BYTES: u64 = 64 * 1024;

/// The reason why a position could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is far longer than any state file.
    #[error("{}: expected a state file, found more than {MAX_BYTES} bytes", .0.display())]
    TooLong(PathBuf),
    /// The text is JSON, such as a recorded game.
    #[error(
        "{}: expected a state file, found JSON, such as a recorded game (`replay` shows those)",
        .0.display()
    )]
    Json(PathBuf),
    /// The text is not a position.
    #[error("{}:{}", .0.display(), .1)]
    Fault(PathBuf, TextError),
}

impl ReadError {
    /// Returns `true` if the file does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, ReadError::File(error) if error.is_not_found())
    }
}

/// Reads the text of a state file, or of standard input if the path is
/// [`STDIN`](plyground_durable::input::STDIN).
///
/// Bytes that are neither UTF-8 nor marked as UTF-16 are read as U+FFFD, which is not a symbol of any format.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or is too long to be a state file.
pub fn read_text(path: &Path) -> Result<StateText, ReadError> {
    match read_bytes(path, MAX_BYTES) {
        Ok(Some(bytes)) => Ok(StateText::new(decode_lossy(&bytes))),
        Ok(None) => Err(ReadError::TooLong(path.to_owned())),
        Err(error) => Err(FileError::at(path, "read the state file")(error).into()),
    }
}

/// The end of every line of a state file that is written for a program, the last line included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnds {
    /// CR LF, as in the files of the assignments.
    #[default]
    CrLf,
    /// LF, as on Unix.
    Lf,
}

impl LineEnds {
    /// Returns a file of these lines, which LF separates.
    #[must_use]
    pub fn lay_out(self, lines: &str) -> String {
        let end = match self {
            LineEnds::CrLf => "\r\n",
            LineEnds::Lf => "\n",
        };
        lines.lines().flat_map(|line| [line, end]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_replaced_and_nothing_else() {
        for (before, after) in [
            // Line ends stay as they are.
            ("12\n3\n", "ab\nc\n"),
            ("12\r\n3\r\n", "ab\r\nc\r\n"),
            ("12\r3\r", "ab\rc\r"),
            ("12\r\n3", "ab\r\nc"),
            ("12\r\n3\n", "ab\r\nc\n"),
            // Blanks stay, and empty lines at the end go.
            ("\n 1\t2 \n3 \n", "\n a\tb \nc \n"),
            ("12\r\n3\r\n\r\n \r\n", "ab\r\nc\r\n"),
            ("12\r3\r\r", "ab\rc\r"),
            ("12\n3\n  ", "ab\nc\n"),
            ("12\n3  ", "ab\nc  "),
            // A line more has the line ends of the others.
            ("1\n2\n", "a\nb\nc\n"),
            ("1\r\n2\r\n\r\n", "a\r\nb\r\nc\r\n"),
            ("1\r2", "a\rb\rc"),
            ("1/2", "a/b/c"),
            ("12", "ab\r\nc"),
            // Marks of strange editors are left out.
            ("\u{feff}12\r\r\n3\r\r\n\u{1a}", "ab\r\nc\r\n"),
            ("12\n\n3\n\0\0", "ab\n\nc\n"),
        ] {
            let text = StateText::new(before.to_owned());
            assert_eq!(text.with_symbols("ab\nc"), after, "{before:?}");
        }
        assert!(StateText::new("12\n".to_owned()).lacks_side("ab\nc"));
        assert!(!StateText::new("12\n3".to_owned()).lacks_side("ab\nc"));
    }

    #[test]
    fn columns_count_characters() {
        let text = StateText::new("\u{e4}b\n\r\n".to_owned());
        let lines = text.lines();
        assert_eq!(lines[0].symbols, [(1, '\u{e4}'), (2, 'b')]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn every_line_is_ended() {
        assert_eq!(StateText::from_lines("12\n3").as_str(), "12\r\n3\r\n");
        assert_eq!(LineEnds::Lf.lay_out("12\n3\n"), "12\n3\n");
    }
}
