//! Network: its rules, state files and notations, the evaluation, searches and the assignments' players.
//! Here are state files, and squares and moves as text.

mod players;
mod rules;
mod samples;
mod search;

use network::{Color, Move, Notation, NotationError, Position, Rules, parse_state};
use plyground_host::state::StateText;
use rand::prelude::*;

use samples::every_move;

const ROWS: &str =
    "...B..B.\nW..B..B.\nWB..W.W.\n...WB.B.\n.W.B....\n.B.WW.W.\n.B....W.\n........\n";

fn state(last: &str) -> String {
    format!("{ROWS}{last}")
}

fn read(text: &str) -> Position {
    let text = StateText::new(text.to_owned());
    parse_state(&text, Rules::Berkeley).unwrap_or_else(|fault| panic!("{fault}\n{text:?}"))
}

fn refusal(text: &str) -> String {
    match parse_state(&StateText::new(text.to_owned()), Rules::Berkeley) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(fault) => fault.to_string(),
    }
}

/// The text with its row `y` replaced.
fn with_row(y: usize, row: &str) -> String {
    let text = state("B\n");
    let mut lines: Vec<&str> = text.lines().collect();
    lines[y] = row;
    lines.join("\n")
}

#[test]
fn state_file_is_rows_and_the_color_to_move() {
    let position = read(&state("B\n"));
    assert_eq!(position.to_move(), Color::Black);
    assert_eq!(position.chips(Color::White).len(), 10);
    assert_eq!(position.in_hand(Color::Black), 0);
    assert_eq!(position.to_string(), state("B"));
    assert_eq!(read(&state("W")).to_move(), Color::White);
}

#[test]
fn color_to_move_is_the_same_under_both_rules() {
    for (last, color) in [("B", Color::Black), ("W", Color::White)] {
        let position = parse_state(&StateText::new(state(last)), Rules::Usf);
        assert_eq!(position.map(|position| position.to_move()), Ok(color));
    }
}

#[test]
fn random_positions_survive_a_file() {
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..2_000 {
        let position = samples::any_phase(&mut rng);
        let text = StateText::from_lines(&position.to_string());
        assert_eq!(parse_state(&text, position.rules()), Ok(position));
    }
}

#[test]
fn blanks_and_empty_lines_at_the_ends_do_not_matter() {
    let expected = read(&state("B\n"));
    let blanks: String = state("B\n").chars().map(|symbol| format!(" {symbol}\t")).collect();
    for text in [blanks, format!("\n \n{}\n\t\n\n", state("B")), format!("\r\n{}", state("B"))] {
        assert_eq!(read(&text), expected, "{text:?}");
    }
}

#[test]
fn faults_of_the_text_are_located() {
    let color = "expected the color to move, `W` or `B`";
    let rows = "expected 8 rows of 8 cells";
    let cases = [
        (with_row(2, "WB..x.W."), "3:5: expected `.`, `W` or `B`, found `x`".to_owned()),
        (with_row(2, "wB..W.W."), "3:1: expected `.`, `W` or `B`, found `w`".into()),
        (with_row(0, " . .. 0 "), "1:7: expected `.`, `W` or `B`, found `0`".into()),
        (with_row(4, ".W.B..."), "5:8: expected a row of 8 cells, found 7".into()),
        (with_row(4, ".W.B. . . .W"), "5:12: expected a row of 8 cells, found 9".into()),
        (String::new(), format!("1:1: {rows}, found an empty file")),
        (format!("{}B\n", &ROWS[..63]), format!("8:1: {rows}, found 7 rows")),
        (ROWS.into(), format!("8:9: {color}, found the end of the file")),
        (state("........\nB"), format!("9:1: {color}, after 8 rows, found another row")),
        (state("b"), format!("9:1: {color}, found `b`")),
        (state(" WB"), "9:3: expected the end of the line after `W`, found `B`".into()),
        (
            state("W\n\n  ?"),
            "11:3: expected the end of the file after its last line, found `?`".into(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(&text), expected, "{text:?}");
        // The kind of line end is no reason to count differently.
        assert_eq!(refusal(&text.replace('\n', "\r\n")), expected, "{text:?}");
        assert_eq!(refusal(&text.replace('\n', "\r")), expected, "{text:?}");
    }
}

#[test]
fn faults_of_the_chips_are_located() {
    let cases = [
        (with_row(7, ".......B"), "8:8: expected `.` in a corner, found a chip"),
        (with_row(3, "...WB.BB"), "4:8: expected `.` or `W` in a goal of White, found `B`"),
        (with_row(7, " . W ......"), "8:4: expected `.` or `B` in a goal of Black, found `W`"),
        (with_row(7, ".....B.."), "8:6: expected at most 10 chips of Black, found 11"),
        (
            with_row(1, "W....BB."),
            "1:7: expected at most one neighbor of its color for a chip of Black, found two",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(&text), expected, "{text}");
    }
}

#[test]
fn every_notation_reads_what_it_writes() {
    for notation in [Notation::Berkeley, Notation::BerkeleyWords, Notation::Usf] {
        for mv in every_move() {
            let text = notation.write_move(mv);
            assert_eq!(notation.parse_move(&text), Ok(mv), "{text}");
        }
    }
    for mv in every_move() {
        assert_eq!(mv.to_string().parse(), Ok(mv));
    }
}

#[test]
fn texts_of_the_assignments() {
    let add: Move = "34".parse().unwrap();
    let step: Move = "34-56".parse().unwrap();
    assert_eq!((add.to().x(), add.to().y()), (3, 4));
    assert_eq!((step.from().map(|from| (from.x(), from.y())), step.to().x()), (Some((3, 4)), 5));
    assert_eq!("[add to 34]".parse(), Ok(add));
    assert_eq!("[step from 34 to 56]".parse(), Ok(step));
    assert_eq!(" 34 - 56 ".parse(), Ok(step));
    assert_eq!(Notation::BerkeleyWords.write_move(step), "[step from 34 to 56]");
}

#[test]
fn usf_letters_are_rows_and_case_and_blanks_do_not_matter() {
    let add: Move = "30".parse().unwrap();
    let step: Move = "30-41".parse().unwrap();
    for text in ["A4", "a4", "A 4", " a  4 "] {
        assert_eq!(Notation::Usf.parse_move(text), Ok(add), "{text}");
    }
    for text in ["A4 B5", "A4B5", "a4b5", "a 4 b 5"] {
        assert_eq!(Notation::Usf.parse_move(text), Ok(step), "{text}");
    }
    assert_eq!(Notation::Usf.write_move(step), "A4 B5");
}

fn refusal_in(notation: Notation, text: &str) -> String {
    notation.parse_move(text).expect_err(text).to_string()
}

#[test]
fn squares_off_the_board_are_named() {
    for (text, square) in [("38", "38"), ("93", "93"), ("34-85", "85"), ("[add to 80]", "80")] {
        let expected = format!("square {square} is off the board");
        assert_eq!(refusal_in(Notation::Berkeley, text), expected);
    }
    let texts = [("A9", "A9"), ("A0", "A0"), ("i4", "I4"), ("A4 B12", "B12"), ("C999", "C999")];
    for (text, square) in texts {
        let expected = NotationError::OffBoard { square: square.to_owned() };
        assert_eq!(Notation::Usf.parse_move(text), Err(expected));
    }
}

#[test]
fn other_texts_are_refused_with_what_was_expected() {
    let texts = [
        "",
        "3",
        "345",
        "3 4",
        "a4",
        "34-",
        "-34",
        "34-5",
        "34-56-12",
        "34 56",
        "[add 34]",
        "[add to 34",
        "[step from 34 to]",
        "[add to 3 4]",
        "٣٤",
        "3\u{e9}",
    ];
    for text in texts {
        assert_eq!(
            refusal_in(Notation::Berkeley, text),
            format!(
                "cannot read a move in `{text}`: expected a square such as `34`, or two such as \
                 `34-56`"
            )
        );
    }
    for text in ["", "A", "4", "4A", "AB", "A4 B", "A4 B5 C6", "A-4", "A4-B5", "É4", "quit"] {
        assert_eq!(
            refusal_in(Notation::Usf, text),
            format!(
                "cannot read a move in `{text}`: expected a position such as `A4`, or two such as \
                 `A4 B5`"
            )
        );
    }
}
