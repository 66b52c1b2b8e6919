//! The layout of a file: its lines and their ends.

use plyground_durable::input::{decode_layout, with_single_cr};
use plyground_host::state::LineEnds;

/// Returns the lines of a file with any line ends. CR CR LF is one line end. Empty lines at the end
/// do not count; text in front of the first line does.
pub(super) fn lines(bytes: &[u8]) -> Vec<String> {
    lines_of(&String::from_utf8_lossy(bytes))
}

/// Returns true if the whole file has these line ends, with any text in its lines. A byte order
/// mark and UTF-16 do not count.
pub(super) fn ends_in(bytes: &[u8], ends: LineEnds) -> bool {
    let found = decode_layout(bytes);
    ends.lay_out(&lines_of(&found).join("\n")) == found
}

fn lines_of(text: &str) -> Vec<String> {
    let text = with_single_cr(text).replace("\r\n", "\n").replace('\r', "\n");
    text.trim_end_matches('\n').split('\n').map(str::to_owned).collect()
}

/// Describes the line ends of a file in words.
pub(super) fn describe(bytes: &[u8]) -> String {
    let text = decode_layout(bytes);
    let doubled = text.matches("\r\r\n").count();
    let text = with_single_cr(&text);
    let (crlf, lf, cr) = counts(&text);
    let ends: Vec<_> = [(doubled, "CR CR LF"), (crlf - doubled, "CR LF"), (lf, "LF"), (cr, "CR")]
        .into_iter()
        .filter_map(|(count, name)| (count > 0).then_some(name))
        .collect();
    let ends = if ends.is_empty() { "nothing".to_owned() } else { ends.join(" and ") };
    let without_last = text.trim_end_matches(['\r', '\n']);
    let last = &text[without_last.len()..];
    let last = match counts(last) {
        (0, 0, 0) => ", the last one in nothing",
        (1, 0, 0) | (0, 1, 0) | (0, 0, 1) => "",
        _ => ", with empty lines at the end",
    };
    format!("its lines end in {ends}{last}")
}

/// Counts the line ends: CR LF, LF alone and CR alone.
fn counts(text: &str) -> (usize, usize, usize) {
    let crlf = text.matches("\r\n").count();
    (crlf, text.matches('\n').count() - crlf, text.matches('\r').count() - crlf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_whatever_they_end_in() {
        for text in
            ["12\r\n3\r\n", "12\n3\n", "12\n3", "12\r3\r", "12\r\n3\r\n\r\n", "12\r\r\n3\r\r\n"]
        {
            assert_eq!(lines(text.as_bytes()), ["12", "3"], "{text:?}");
        }
        assert_ne!(lines(b"12 \n3\n"), ["12", "3"]);
    }

    #[test]
    fn line_ends_are_judged_alone() {
        for text in ["12\r\n3\r\n", "12 \r\n\r\n3\r\n", "\u{feff}12\r\n3\r\n"] {
            assert!(ends_in(text.as_bytes(), LineEnds::CrLf), "{text:?}");
        }
        for text in ["12\r\n3", "12\r\n3\n", "12\r\r\n3\r\r\n", "12\r\n3\r\n\r\n", "12\r3\r"] {
            assert!(!ends_in(text.as_bytes(), LineEnds::CrLf), "{text:?}");
            assert!(!ends_in(text.as_bytes(), LineEnds::Lf), "{text:?}");
        }
        assert!(ends_in(b"12\n3\n", LineEnds::Lf));
    }

    #[test]
    fn ends_are_named() {
        for (text, words) in [
            ("12\r\n3\r\n", "its lines end in CR LF"),
            ("12\n3\n", "its lines end in LF"),
            ("12\r\r\n3\r\r\n", "its lines end in CR CR LF"),
            ("\u{feff}12\r\n3\r\n", "its lines end in CR LF"),
            ("12\r\n3", "its lines end in CR LF, the last one in nothing"),
            ("12\n3\r\n", "its lines end in CR LF and LF"),
            ("12\n3\n\n", "its lines end in LF, with empty lines at the end"),
            ("123", "its lines end in nothing, the last one in nothing"),
        ] {
            assert_eq!(describe(text.as_bytes()), words);
        }
    }
}
