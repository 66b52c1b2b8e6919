//! State files.

mod samples;

use network::{Color, Layout, LineEnd, Position, Rules, parse_state};
use rand::prelude::*;

const ROWS: &str =
    "...B..B.\nW..B..B.\nWB..W.W.\n...WB.B.\n.W.B....\n.B.WW.W.\n.B....W.\n........\n";

fn state(last: &str) -> String {
    format!("{ROWS}{last}")
}

fn read(text: &str) -> (Position, Layout) {
    parse_state(text, Rules::Berkeley).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

fn refusal(text: &str) -> String {
    match parse_state(text, Rules::Berkeley) {
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
fn a_state_file_is_rows_and_the_color_to_move() {
    let (position, _) = read(&state("B\n"));
    assert_eq!(position.to_move(), Color::Black);
    assert_eq!(position.chips(Color::White).len(), 10);
    assert_eq!(position.in_hand(Color::Black), 0);
    assert_eq!(position.to_string(), state("B"));
    assert_eq!(read(&state("W")).0.to_move(), Color::White);
}

#[test]
fn files_are_written_with_the_line_ends_that_they_were_read_with() {
    for (end, line_end) in [("\n", LineEnd::Lf), ("\r\n", LineEnd::CrLf), ("\r", LineEnd::Cr)] {
        for last in ["B", "B\n"] {
            let text = state(last).replace('\n', end);
            let (position, layout) = read(&text);
            assert_eq!(layout, Layout { line_end, ends_with_line_end: last.len() == 2 });
            assert_eq!(layout.write(&position), text);
        }
    }
    let (position, _) = read(&state("B"));
    assert_eq!(Layout::default().write(&position), state("B\n").replace('\n', "\r\n"));
}

#[test]
fn random_positions_survive_a_file() {
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..2_000 {
        let position = samples::any_phase(&mut rng);
        let text = Layout::default().write(&position);
        let (again, _) = parse_state(&text, position.rules()).unwrap();
        assert_eq!(again, position);
    }
}

#[test]
fn blanks_and_empty_lines_at_the_ends_do_not_matter() {
    let (expected, _) = read(&state("B\n"));
    let blanks: String = state("B\n").chars().map(|symbol| format!(" {symbol}\t")).collect();
    for text in [blanks, format!("\n \n{}\n\t\n\n", state("B")), format!("\r\n{}", state("B"))] {
        assert_eq!(read(&text).0, expected, "{text:?}");
    }
}

#[test]
fn faults_of_the_text_are_located() {
    let color = "expected the color to move, `W` or `B`";
    let cases = [
        (with_row(2, "WB..x.W."), "line 3, column 5: expected `.`, `W` or `B`, found 'x'".into()),
        (with_row(2, "wB..W.W."), "line 3, column 1: expected `.`, `W` or `B`, found 'w'".into()),
        (with_row(0, " . .. 0 "), "line 1, column 7: expected `.`, `W` or `B`, found '0'".into()),
        (with_row(4, ".W.B..."), "line 5, column 8: expected a row of 8 squares, found 7".into()),
        (with_row(4, ""), "line 5, column 1: expected a row of 8 squares, found 0".into()),
        (
            with_row(4, ".W.B. . . .W"),
            "line 5, column 12: expected the end of a row of 8 squares, found 'W'".into(),
        ),
        (String::new(), "line 1, column 1: expected 8 rows, found 0".into()),
        (" \n\n".into(), "line 2, column 1: expected 8 rows, found 0".into()),
        (ROWS[..18].into(), "line 2, column 9: expected 8 rows, found 2".into()),
        (format!("{}B\n", &ROWS[..63]), "line 8, column 1: expected 8 rows, found 7".into()),
        (ROWS.into(), format!("line 8, column 9: {color}, found the end of the file")),
        (state("\n\nB"), format!("line 11, column 2: {color}, found the end of the file")),
        (
            state("........\nB"),
            format!("line 9, column 1: {color}, after 8 rows, found another row"),
        ),
        (state("b"), format!("line 9, column 1: {color}, found 'b'")),
        (state("1\n"), format!("line 9, column 1: {color}, found '1'")),
        (
            state(" WB"),
            "line 9, column 3: expected the end of the file after the color to move, found 'B'"
                .into(),
        ),
        (
            state("W\n\n  ?"),
            "line 11, column 3: expected the end of the file after the color to move, found '?'"
                .into(),
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
        (with_row(7, ".......B"), "line 8, column 8: a chip in the corner 77: corners are empty"),
        (
            with_row(3, "...WB.BB"),
            "line 4, column 8: a chip of Black on 73, in a goal of White: expected White or none",
        ),
        (
            with_row(7, " . W ......"),
            "line 8, column 4: a chip of White on 17, in a goal of Black: expected Black or none",
        ),
        (with_row(7, ".....B.."), "line 8, column 6: 11 chips of Black: expected at most 10"),
        (
            with_row(1, "W....BB."),
            "line 1, column 7: the chip of Black on 60 has two neighbors of its color: expected at \
             most one",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(&text), expected, "{text}");
    }
}
