//! Values as text: times, sizes and numbers as people write and read them; text from elsewhere, inside
//! messages; and tables for other programs.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use serde::Serialize;

/// The longest time that is read. A longer one is a typing error, and could overflow a clock.
const LONGEST_TIME: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Reads a time as a person writes it: `1s`, `250ms`, `1m 30s`, or a number of seconds, `0.5`.
///
/// # Errors
///
/// Returns what was expected if the text is not a time, or the time is zero or more than a year.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a time like 1s, 250ms or 1m".to_owned();
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    let duration = match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| expected())?,
        None => humantime::parse_duration(text).map_err(|_| expected())?,
    };
    if duration.is_zero() {
        return Err("expected a time greater than nothing".to_owned());
    }
    if duration > LONGEST_TIME {
        return Err("expected a time of a year at most".to_owned());
    }
    Ok(duration)
}

/// Optional times in files that people write, as texts that [`parse_duration`] reads.
///
/// For `#[serde(with = "plyground_durable::text::duration_text")]`.
///
/// [`parse_duration`]: super::parse_duration
pub mod duration_text {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time as text.
    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => to.collect_str(&humantime::format_duration(*time)),
            None => to.serialize_none(),
        }
    }

    /// Reads a time from text.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a text that [`parse_duration`] reads.
    ///
    /// [`parse_duration`]: super::parse_duration
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| super::parse_duration(&text).map_err(D::Error::custom)).transpose()
    }
}

/// Times in files that programs write, in whole microseconds.
///
/// For `#[serde(with = "plyground_durable::text::microseconds")]`.
pub mod microseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time as a number.
    pub fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
    }

    /// Reads a time from a number.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a whole number.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_micros)
    }
}

/// Times in tables, as decimal seconds: to the nanosecond, so that they read back equal.
///
/// For `#[serde(with = "plyground_durable::text::seconds")]`.
pub mod seconds {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time as a decimal number.
    pub fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{}.{:09}", time.as_secs(), time.subsec_nanos()))
    }

    /// Reads a time from a number.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a number, is negative, or is too great for a time.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// Reads a size as a person writes it: `512MiB`, `2GB`, or a number of bytes.
///
/// # Errors
///
/// Returns what was expected if the text is not a size, or the size is zero.
pub fn parse_size(text: &str) -> Result<ByteSize, String> {
    let size = text.parse::<ByteSize>();
    size.map_err(|_| "expected a size like 512MiB or 2GiB".to_owned()).and_then(nonzero)
}

fn nonzero(size: ByteSize) -> Result<ByteSize, String> {
    match size {
        ByteSize(0) => Err("expected a size greater than nothing".to_owned()),
        size => Ok(size),
    }
}

/// Sizes in files that people write, as texts that [`parse_size`] reads or as numbers of bytes.
///
/// For `#[serde(with = "plyground_durable::text::size_text")]`.
///
/// [`parse_size`]: super::parse_size
pub mod size_text {
    use bytesize::ByteSize;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the exact number of bytes, since the text for people is rounded.
    pub fn serialize<S: Serializer>(size: &ByteSize, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(size.as_u64())
    }

    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a size like \"512MiB\", or a number of bytes")]
    enum Written {
        Bytes(u64),
        Text(String),
    }

    /// Reads a size from a text or a number.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is neither a text that [`parse_size`] reads nor a number of bytes.
    ///
    /// [`parse_size`]: super::parse_size
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ByteSize, D::Error> {
        let size = match Written::deserialize(from)? {
            Written::Bytes(bytes) => super::nonzero(ByteSize(bytes)),
            Written::Text(text) => super::parse_size(&text),
        };
        size.map_err(D::Error::custom)
    }
}

/// Returns a parser of whole numbers within a range.
///
/// The parser's error names both ends of the range. It can be the `value_parser` of an option.
pub fn whole_number<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: Clone + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            format!("expected a whole number from {} to {}", range.start(), range.end())
        })
    }
}

/// The most characters of its input that a message repeats: the beginning is enough to recognize the text,
/// and a message is one line.
const LONGEST_EXCERPT: usize = 60;

/// Returns the first characters of a text, on one line, followed by `...` if the text is longer.
pub fn excerpt(text: &str) -> String {
    let mut letters = text.chars();
    let mut first: String = letters.by_ref().take(LONGEST_EXCERPT).collect::<String>();
    if letters.next().is_some() {
        first.push_str("...");
    }
    first.escape_debug().to_string()
}

/// The most characters that a message has, however long the paths and names in it are.
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

/// Returns a text of a stranger as one line that a terminal and a page show as it is: characters that steer
/// them, or that are invisible, are escaped.
///
/// Every such text that is printed or written into a table goes through this function.
pub fn shown(text: &str) -> Cow<'_, str> {
    let mut before = ' ';
    let mut hides = |letter| is_hidden(letter, std::mem::replace(&mut before, letter));
    let Some((first, _)) = text.char_indices().find(|(_, letter)| hides(*letter)) else {
        return text.into();
    };
    let (plain, rest) = text.split_at(first);
    let mut line = plain.to_owned();
    let mut before = plain.chars().next_back().unwrap_or(' ');
    for letter in rest.chars() {
        if is_hidden(letter, before) {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
        before = letter;
    }
    line.into()
}

/// Returns true if a character has no shape of its own: it steers a terminal, turns the direction of the text
/// around it, or is invisible.
fn is_hidden(letter: char, before: char) -> bool {
    match letter {
        // Between letters, these are part of how Persian and Hindi are spelled.
        '\u{200c}' | '\u{200d}' => !before.is_alphanumeric(),
        _ => letter.is_control() || FORMATS.iter().any(|range| range.contains(&letter)),
    }
}

/// The characters of Unicode for formats and for the ends of lines and paragraphs, and the fillers
/// without ink.
const FORMATS: [RangeInclusive<char>; 16] = [
    '\u{ad}'..='\u{ad}',
    '\u{600}'..='\u{605}',
    '\u{61c}'..='\u{61c}',
    '\u{6dd}'..='\u{6dd}',
    '\u{70f}'..='\u{70f}',
    '\u{115f}'..='\u{1160}',
    '\u{180e}'..='\u{180e}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{feff}'..='\u{feff}',
    '\u{fff9}'..='\u{fffb}',
    '\u{110bd}'..='\u{110cd}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
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

/// Returns the cell on one line and such that no spreadsheet takes it for a formula: an apostrophe precedes a
/// text that would begin one. Numbers stay as they are, and hidden characters are [`shown`].
pub fn cell(cell: String) -> String {
    const BEGINNINGS: [char; 8] =
        ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    const BLANKS: [char; 3] = ['\t', '\r', '\n'];
    let cell = if cell.contains(BLANKS) { cell.replace(BLANKS, " ") } else { cell };
    let cell = shown(&cell).into_owned();
    if is_number(&cell) {
        return cell;
    }
    // A spreadsheet may take another separator than the comma, and then no quotes around the whole.
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

/// If true, the cell is a number as this program writes them. `+1` and `-` are not numbers.
fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    #[test]
    fn parse_duration_reads_times_people_write() {
        let millis = |text| parse_duration(text).map(|time| time.as_millis());
        assert_eq!(millis("1s"), Ok(1_000));
        assert_eq!(millis("250ms"), Ok(250));
        assert_eq!(millis("1m 30s"), Ok(90_000));
        assert_eq!(millis("0.5"), Ok(500));
        assert_eq!(millis("1.5s"), Ok(1_500));
        assert_eq!(millis("1y").map(|millis| millis / 86_400_000), Ok(365));
        for bad in ["", "0s", "-1s", "-1", "nan", "inf", "1e300", "1e15", "2y", "soon", "s"] {
            assert!(millis(bad).is_err(), "{bad} is not a time");
        }
    }

    #[test]
    fn parse_size_reads_sizes_people_write() {
        assert_eq!(parse_size("512MiB"), Ok(ByteSize::mib(512)));
        assert_eq!(parse_size("2 GB"), Ok(ByteSize::gb(2)));
        assert_eq!(parse_size("1.5kib"), Ok(ByteSize(1536)));
        assert_eq!(parse_size("4096"), Ok(ByteSize(4096)));
        for bad in ["", "x", "MiB", "-1", "12 apples", "1e3"] {
            let expected = "expected a size like 512MiB or 2GiB".to_owned();
            assert_eq!(parse_size(bad), Err(expected), "{bad}");
        }
        for nothing in ["0", "0MiB", "0.1B"] {
            let expected = "expected a size greater than nothing".to_owned();
            assert_eq!(parse_size(nothing), Err(expected), "{nothing}");
        }
    }

    #[test]
    fn whole_number_keeps_to_range() {
        let parse = whole_number(1..=42_u32);
        assert_eq!(parse("1"), Ok(1));
        assert_eq!(parse("42"), Ok(42));
        for bad in ["0", "43", "-1", "x", "", "1.5", "1e3", "99999999999999999999"] {
            let expected = "expected a whole number from 1 to 42".to_owned();
            assert_eq!(parse(bad), Err(expected), "{bad}");
        }
    }

    #[test]
    fn whole_number_excludes_zero_of_nonzero_types() {
        let parse = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX);
        assert_eq!(parse("7"), Ok(NonZeroUsize::MIN.saturating_add(6)));
        let expected = format!("expected a whole number from 1 to {}", usize::MAX);
        assert_eq!(parse("0"), Err(expected));
    }

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
            (" \u{200d}", " \\u{200d}"),
        ] {
            assert_eq!(shown(text), line);
        }
        assert_eq!(one_line("a\u{202e}b"), "a\\u{202e}b");
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
