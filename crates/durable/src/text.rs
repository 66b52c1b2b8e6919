//! Strangers' text inside messages, and tables from and for other programs.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use csv::{ReaderBuilder, StringRecord};
use serde::Serialize;
use thiserror::Error;

use crate::input::unix_lines;

/// The most characters of its input that a message repeats: the beginning is enough to recognize the text,
/// and a message is one line.
const LONGEST_EXCERPT: usize = 60;

/// Returns the first characters of a text, on one line, followed by `...` if the text is longer.
pub fn excerpt(text: &str) -> String {
    shown(&cut(text, LONGEST_EXCERPT).replace('\\', "\\\\")).into_owned()
}

/// The least likeness of a name that a message offers in place of another, from 0 to 1.
const LEAST_LIKENESS: f64 = 0.75;

/// Returns the name that is most like a text, for a message about a name that does not exist; `None` if no name is like
/// it.
pub fn nearest<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let text = text.to_lowercase();
    let likeness = |name: &'n str| (strsim::jaro_winkler(&text, &name.to_lowercase()), name);
    let alike = names.into_iter().map(likeness).filter(|(likeness, _)| *likeness > LEAST_LIKENESS);
    alike.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

/// Returns the first `most` characters of a text, followed by `...` if the text is longer.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

/// The most characters of a message, because the paths and names in it may be long.
const LONGEST_MESSAGE: usize = 400;

/// Returns the message, with its middle replaced by `...` if it is longer than a few lines.
pub fn shorten(message: &str) -> Cow<'_, str> {
    let letters = message.chars().count();
    if letters <= LONGEST_MESSAGE {
        return message.into();
    }
    let first: String = message.chars().take(LONGEST_MESSAGE / 2).collect();
    let last: String = message.chars().skip(letters - LONGEST_MESSAGE / 2).collect();
    format!("{first}...{last}").into()
}

/// Returns a message as one line of limited length. Such a message may repeat a stranger's text, whose hidden
/// characters are [`shown`].
pub fn one_line(message: &str) -> String {
    shorten(&shown(message)).into_owned()
}

/// Returns a stranger's text as one line that a terminal and a page show literally: control characters and
/// invisible characters are escaped.
///
/// All strangers' text that is printed or written into a table goes through this function.
pub fn shown(text: &str) -> Cow<'_, str> {
    let mut line = String::new();
    let mut copied = 0;
    let mut before = ' ';
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let after = letters.peek().map_or(' ', |(_, after)| *after);
        if is_hidden(letter, before, after) {
            line.push_str(&text[copied..at]);
            line.extend(letter.escape_default());
            copied = at + letter.len_utf8();
        }
        before = letter;
    }
    if copied == 0 {
        return text.into();
    }
    line.push_str(&text[copied..]);
    line.into()
}

/// Returns a text that contains strangers' words, with each of its lines [`shown`].
pub fn shown_lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(shown).collect();
    lines.join("\n")
}

/// Returns true if `letter` between `before` and `after` has no shape of its own: it controls a terminal,
/// turns the direction of the text around it, or is invisible.
fn is_hidden(letter: char, before: char, after: char) -> bool {
    match letter {
        ' '..='~' => false,
        // A selector gives a symbol its color, and a joiner makes one of two.
        '\u{fe0e}' | '\u{fe0f}' => {
            !(is_symbol(before) || after == KEYCAP && matches!(before, '0'..='9' | '#' | '*'))
        }
        '\u{200d}' if is_symbol(after) => !is_symbol(before) && before != '\u{fe0f}',
        // In some scripts, a joiner or non-joiner between two letters is part of the spelling.
        '\u{200c}' | '\u{200d}' => ![before, after].iter().all(|letter| JOINED.contains(letter)),
        // The standard library escapes formats and spaces, and also a mark at the beginning of a text; hence
        // the letter before the mark.
        _ => {
            INKLESS.iter().any(|range| range.contains(&letter))
                || String::from_iter(['a', letter]).escape_debug().count() > 2
        }
    }
}

/// The scripts with joiners and non-joiners between letters: from Arabic to Mongolian.
const JOINED: RangeInclusive<char> = '\u{600}'..='\u{18af}';

/// The frame around a digit, which a selector precedes.
const KEYCAP: char = '\u{20e3}';

/// Returns true if the character is an arrow, a sign or a picture that a selector may follow. No letter is one: a
/// selector would make two equal names of one.
fn is_symbol(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// The blank characters among the letters, marks and symbols of Unicode: fillers, unwritten vowels, a note
/// without a head, and variation selectors.
const INKLESS: [RangeInclusive<char>; 13] = [
    '\u{34f}'..='\u{34f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{13440}'..='\u{13442}',
    '\u{16fe4}'..='\u{16fe4}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d159}'..='\u{1d159}',
    '\u{e0100}'..='\u{e01ef}',
];

/// Returns a header and rows, all of the same length, as CSV that is safe to open in a spreadsheet: see
/// [`cell`].
pub fn csv_text<T: Into<String>>(
    header: impl IntoIterator<Item = T>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = header.into_iter().map(Into::into).collect();
    for row in [header].into_iter().chain(rows) {
        // Writing to memory cannot fail.
        let _ = writer.write_record(row.into_iter().map(cell));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// Returns the cell on one line, with an apostrophe before each text that a spreadsheet would take for a
/// formula. Numbers stay as they are, and hidden characters are [`shown`].
pub fn cell(cell: String) -> String {
    const BEGINNINGS: [char; 8] =
        ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    const BLANKS: [char; 3] = ['\t', '\r', '\n'];
    let cell = if cell.contains(BLANKS) { cell.replace(BLANKS, " ") } else { cell };
    let cell = shown(&cell).into_owned();
    if is_number(&cell) {
        return cell;
    }
    // A spreadsheet may separate cells at semicolons, and a cell is not quoted because of a semicolon.
    let part = |part: &str| {
        let is_formula = part.trim_start().trim_start_matches('"').starts_with(BEGINNINGS);
        format!("{}{part}", if is_formula { "'" } else { "" })
    };
    cell.split_inclusive(';').map(part).collect()
}

/// Returns a row of numbers and plain words as one line of CSV, with its line end.
pub fn csv_line(row: &impl Serialize) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    // Writing plain fields to memory cannot fail.
    let _ = writer.serialize(row);
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// The place of a quote in a table whose cell has no clear end. Rows behind it would be part of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the quote at character {column} of the line has no end: expected a second quote before a separator or \
     the end of a line; a quote inside of a text stands twice"
)]
pub struct OpenQuote {
    /// The line on which the quote is, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: usize,
}

/// Returns the records of a table as CSV, its header first, with the lines on which they begin. Records may
/// have different lengths.
///
/// All tables are read by this function: the parser of CSV takes the end of the text for the end of a quoted
/// cell, and letters behind the quote that ends a cell for a part of it, so that a quote without its end hides
/// rows.
///
/// # Errors
///
/// Returns the first quote that the text does not close, or that closes only on a later line and in the midst
/// of a cell.
pub fn csv_records(text: &str, separator: u8) -> Result<Vec<StringRecord>, OpenQuote> {
    let text = &*unix_lines(text);
    check_quotes(text, separator)?;
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes());
    // Text in UTF-8 from memory with records of any length has no fault.
    Ok(reader.records().filter_map(Result::ok).collect())
}

/// Checks the quotes at the beginnings of cells. All other quotes are letters of their cells.
fn check_quotes(text: &str, separator: u8) -> Result<(), OpenQuote> {
    let is_end = |c: &char| *c == char::from(separator) || *c == '\n';
    let is_blank = |c: &char| c.is_whitespace() && !is_end(c);
    let (mut line, mut column, mut is_beginning) = (1, 0, true);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        column += 1;
        if letter == '"' && is_beginning {
            let opening = OpenQuote { line, column };
            loop {
                column += 1;
                match letters.next().ok_or(opening)? {
                    '"' if letters.next_if_eq(&'"').is_some() => column += 1,
                    '"' => break,
                    '\n' => (line, column) = (line + 1, 0),
                    _ => {}
                }
            }
            // Blanks may follow the cell. A cell of one line with letters behind its quote hides nothing.
            while letters.next_if(is_blank).is_some() {
                column += 1;
            }
            if line > opening.line && letters.peek().is_some_and(|letter| !is_end(letter)) {
                return Err(opening);
            }
        }
        if letter == '\n' {
            (line, column) = (line + 1, 0);
        }
        is_beginning = is_end(&letter);
    }
    Ok(())
}

/// Returns true if the cell is a number as this program writes numbers. `+1` and `-` are not numbers.
fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_keep_both_ends() {
        assert_eq!(shorten("x: cannot read"), "x: cannot read");
        let message = format!("{}: cannot read the file", "ü".repeat(4_096));
        let short = shorten(&message);
        assert!(short.starts_with("üü") && short.ends_with("üü: cannot read the file"), "{short}");
        assert_eq!(short.chars().count(), LONGEST_MESSAGE + "...".len());
        // Escaped control characters take more room than the originals.
        let line = one_line(&"\u{b}".repeat(LONGEST_MESSAGE));
        assert_eq!(line.chars().count(), LONGEST_MESSAGE + "...".len(), "{line}");
    }

    #[test]
    fn nearest_name_is_like_the_text() {
        let names = ["random play is beaten", "the score is printed", "muñozjosé"];
        let near = |text| nearest(text, names);
        assert_eq!(near("random play is betaen"), Some(names[0]));
        assert_eq!(near("Score is printed"), Some(names[1]));
        assert_eq!(near("munoz"), Some(names[2]));
        assert_eq!(near("x"), None);
    }

    #[test]
    fn names_in_messages_stay_on_the_line() {
        let message = "unknown field `a\r\u{1b}[1m\n`, expected `b`";
        assert_eq!(one_line(message), "unknown field `a\\r\\u{1b}[1m\\n`, expected `b`");
        assert!(one_line(&"\n".repeat(10_000)).chars().count() < 3 * LONGEST_MESSAGE);
    }

    #[test]
    fn characters_that_steer_are_escaped() {
        for (text, line) in [
            ("Jo\u{308}rg \"x\" \\ '", "Jo\u{308}rg \"x\" \\ '"),
            ("a\u{202e}b\u{2066}", "a\\u{202e}b\\u{2066}"),
            ("\u{1b}]0;x\u{7}\u{9b}31m", "\\u{1b}]0;x\\u{7}\\u{9b}31m"),
            ("a\u{2028}b\tc\r\n", "a\\u{2028}b\\tc\\r\\n"),
            ("\u{feff}a\u{200b}", "\\u{feff}a\\u{200b}"),
            ("\u{639}\u{644}\u{6cc}\u{200c}\u{631}", "\u{639}\u{644}\u{6cc}\u{200c}\u{631}"),
            ("\u{915}\u{94d}\u{200d}\u{937}", "\u{915}\u{94d}\u{200d}\u{937}"),
            (" \u{200d}", " \\u{200d}"),
            ("a\u{200c}b\u{639}\u{200d}", "a\\u{200c}b\u{639}\\u{200d}"),
            ("a\u{a0}b\u{600}\u{fffb}\u{13430}", "a\\u{a0}b\\u{600}\\u{fffb}\\u{13430}"),
        ] {
            assert_eq!(shown(text), line);
        }
        assert_eq!(one_line("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(shown_lines("a\u{202e}b\n\u{1b}c\n"), "a\\u{202e}b\n\\u{1b}c\n");
    }

    #[test]
    fn pictures_keep_their_selectors_and_joiners() {
        let family = "\u{1f468}\u{200d}\u{1f467} \u{2764}\u{fe0f}\u{200d}\u{1f525}";
        for text in ["1 \u{26aa}\u{fe0f}\u{26aa}\u{fe0f}", "1\u{fe0f}\u{20e3}", family] {
            assert_eq!((&*shown(text), &*excerpt(text)), (text, text));
            assert_eq!(cell(text.to_owned()), text);
        }
        // Beside letters and beside each other, they would make a text that looks like another.
        for (text, line) in [
            ("a\u{fe0f}", "a\\u{fe0f}"),
            ("a\u{fe0f}\u{20e3}", "a\\u{fe0f}\u{20e3}"),
            ("\u{26aa}\u{fe0f}\u{fe0f}", "\u{26aa}\u{fe0f}\\u{fe0f}"),
            ("a\u{200d}\u{26aa}\u{200d}b", "a\\u{200d}\u{26aa}\\u{200d}b"),
            ("\u{202e}\u{26aa}\u{1b}[m\\", "\\u{202e}\u{26aa}\\u{1b}[m\\"),
        ] {
            assert_eq!(shown(text), line);
        }
        assert_eq!(excerpt("\u{202e}\\"), "\\u{202e}\\\\");
    }

    #[test]
    fn letters_that_show_nothing_are_escaped() {
        let fillers = ['\u{115f}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{ffa0}'];
        let marks = ['\u{34f}', '\u{17b4}', '\u{17b5}', '\u{13441}', '\u{1d159}', '\u{1bca0}'];
        let selectors = ['\u{180b}', '\u{fe00}', '\u{fe0f}', '\u{e0100}', '\u{e01ef}'];
        for letter in fillers.into_iter().chain(marks).chain(selectors) {
            let line = format!("ann{}", letter.escape_unicode());
            assert_eq!(shown(&format!("ann{letter}")), line);
        }
        for plain in
            ["\u{17b3}\u{17b6}", "\u{27ff}\u{2801}", "\u{fdff}\u{fe10}", "\u{ff9f}\u{ffa1}"]
        {
            assert_eq!(shown(plain), plain);
        }
    }

    #[test]
    fn long_text_is_cut_off() {
        assert_eq!(excerpt("a b"), "a b");
        assert_eq!(excerpt("a\nb"), "a\\nb");
        assert_eq!(excerpt(&"ü".repeat(LONGEST_EXCERPT)), "ü".repeat(LONGEST_EXCERPT));
        assert_eq!(excerpt(&"ü".repeat(LONGEST_EXCERPT + 1)), "ü".repeat(LONGEST_EXCERPT) + "...");
        assert!(excerpt(&"\0".repeat(1 << 20)).len() < 10 * LONGEST_EXCERPT);
    }

    #[test]
    fn quote_without_end_hides_no_rows() {
        for (table, line, column) in [
            ("id,comment\n1,\"good work\n2,fine\n", 2, 3),
            ("id,comment\r1,\"good\r2,\"fine\"\r", 2, 3),
            ("id;comment\r\n\"1\";\"a\nb\";\r\n2;\"\"\"\r\n3;", 4, 3),
            ("\"id,comment\n1,2\n", 1, 1),
            ("id,comment\n1,\"good\n2,\"\" fine\n", 2, 3),
        ] {
            let separator = if table.contains(';') { b';' } else { b',' };
            let opening = csv_records(table, separator).expect_err(table);
            assert_eq!((opening.line, opening.column), (line, column), "{table}");
        }
        let cells = |table: &str| -> Vec<Vec<String>> {
            let records = csv_records(table, b',').expect(table);
            records.iter().map(|record| record.iter().map(str::to_owned).collect()).collect()
        };
        assert_eq!(cells("a,\"x\r\ny\"  ,\"\"\"\"\n\nb\n"), [vec!["a", "x\ny  ", "\""], vec!["b"]]);
        assert_eq!(cells("a \"b,c\"\n\"d\" e,f"), [["a \"b", "c\""], ["d e", "f"]]);
        let row = ["a \"b\"\nc", "\"", "d,e"].map(str::to_owned).to_vec();
        let text = csv_text(["1", "2", "3"], [row]);
        assert_eq!(cells(&text)[1], ["a \"b\" c", "\"", "d,e"]);
    }

    #[test]
    fn no_cell_is_a_formula() {
        let formulas = ["=1+1", "+1", "-2+3", "-", "--1", "@SUM(A1)", "\t=1", " =1", "\r\n=A1()"];
        for formula in formulas {
            assert!(cell(formula.to_owned()).starts_with('\''), "{formula}");
        }
        assert_eq!(cell("a;=1+1;b; -2".to_owned()), "a;'=1+1;b;' -2");
        assert_eq!(cell("a;\"=1+1\"".to_owned()), "a;'\"=1+1\"");
        for plain in ["Ann Lee = 1", "-2", "-0.25", "12", "", "1e5", "1; 2"] {
            assert_eq!(cell(plain.to_owned()), plain);
        }
        assert_eq!(cell("a\u{202e}b\u{1b}[m\n".to_owned()), "a\\u{202e}b\\u{1b}[m ");
        let row = ["=HYPERLINK(\"x\")", "-3"].map(str::to_owned).to_vec();
        let text = csv_text(["name", "margin"], [row]);
        assert_eq!(text, "name,margin\n\"'=HYPERLINK(\"\"x\"\")\",-3\n");
    }
}
