//! The layout of a state file survives a move.

use proptest::prelude::*;

use super::support::{AFTER_LAST_MOVE as AFTER, LAST_MOVE, TestFolder};
use crate::cases::cases;

fn after_move(state: &str) -> String {
    let folder = TestFolder::new();
    folder.write("in.txt", state);
    folder.run("one-move in.txt out.txt 1").success();
    folder.read("out.txt")
}

#[test]
fn every_line_end_with_and_without_the_last() {
    for line_end in ["\n", "\r\n", "\r"] {
        let [before, after] = [LAST_MOVE, AFTER].map(|state| state.replace('\n', line_end));
        assert_eq!(after_move(&before), after);
        let strip = |text: &str| text.strip_suffix(line_end).expect("a final line end").to_owned();
        assert_eq!(after_move(&strip(&before)), strip(&after));
    }
}

#[test]
fn mixed_line_ends() {
    let mix =
        |state: &str| state.replacen('\n', "\r\n", 3).replacen("2\n1111111\n", "2\n1111111\r", 1);
    assert_eq!(after_move(&mix(LAST_MOVE)), mix(AFTER));
}

#[test]
fn blanks_and_tabs() {
    let spread = |top: &str| format!("{top}\r\n 1\t1 1111 1\r\n");
    let rest = LAST_MOVE.lines().skip(2).collect::<Vec<_>>().join("\n");
    let before = format!("{}{rest} ", spread("2 2 2\t0 2 2 2  "));
    let after = format!("{}{rest} ", spread("2 2 2\t2 2 2 2  ")).replace("\n2 ", "\n1 ");
    assert_eq!(after_move(&before), after);
}

#[test]
fn empty_lines_at_the_end_are_left_out() {
    for (more, line_end) in
        [("\n\n", "\n"), ("\r\n \t\r\n", "\r\n"), ("\r\r\r", "\r"), (" \n", "\n")]
    {
        let with_end = |state: &str, end: &str| {
            state.replace('\n', line_end).trim_end_matches(line_end).to_owned() + end
        };
        let end = if more == " \n" { " \n" } else { line_end };
        assert_eq!(after_move(&with_end(LAST_MOVE, more)), with_end(AFTER, end), "{more:?}");
    }
}

#[test]
fn empty_lines_at_the_start() {
    assert_eq!(after_move(&format!("\n \n{LAST_MOVE}")), format!("\n \n{AFTER}"));
}

proptest! {
    #![proptest_config(cases(256))]

    /// Whatever is wrong with a file, it is refused with a place in the file and on one line, and
    /// whatever is accepted can be written and read again.
    #[test]
    fn damaged_files_are_refused_or_understood(
        places in prop::collection::vec(0..70_usize, 0..4),
        characters in prop::collection::vec(prop::sample::select(
            vec!['0', '1', '2', '3', ' ', '\t', '\n', '\r', 'x', '\0', '\u{e9}']), 4),
        delete in any::<bool>(),
    ) {
        let mut text: Vec<char> = super::support::TWELVE_PIECES.chars().collect();
        for (place, &character) in places.into_iter().zip(&characters) {
            let place = place.min(text.len());
            if delete && place < text.len() {
                text.remove(place);
            } else {
                text.insert(place, character);
            }
        }
        let text = plyground_host::state::StateText::new(text.into_iter().collect());
        let size = maxconnect4::Size::STANDARD;
        match maxconnect4::parse_state(&text, size) {
            Ok(position) => {
                let written = text.with_symbols(&maxconnect4::format_state(&position));
                let written = plyground_host::state::StateText::new(written);
                prop_assert_eq!(maxconnect4::parse_state(&written, size), Ok(position));
            }
            Err(fault) => {
                prop_assert!(fault.line >= 1 && fault.column >= 1);
                prop_assert_eq!(fault.to_string().lines().count(), 1);
            }
        }
    }
}
