//! Squares and moves as text.

use network::{Move, Notation, NotationError, Square};

fn every_move() -> impl Iterator<Item = Move> {
    let steps = Square::all().flat_map(|from| Square::all().map(move |to| Move::Step { from, to }));
    Square::all().map(Move::Add).chain(steps)
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

fn refusal(notation: Notation, text: &str) -> String {
    notation.parse_move(text).expect_err(text).to_string()
}

#[test]
fn squares_off_the_board_are_named() {
    for (text, square) in [("38", "38"), ("93", "93"), ("34-85", "85"), ("[add to 80]", "80")] {
        let expected = format!("square {square} is off the board");
        assert_eq!(refusal(Notation::Berkeley, text), expected);
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
            refusal(Notation::Berkeley, text),
            format!(
                "cannot read a move in `{text}`: expected a square such as `34`, or two such as \
                 `34-56`"
            )
        );
    }
    for text in ["", "A", "4", "4A", "AB", "A4 B", "A4 B5 C6", "A-4", "A4-B5", "É4", "quit"] {
        assert_eq!(
            refusal(Notation::Usf, text),
            format!(
                "cannot read a move in `{text}`: expected a position such as `A4`, or two such as \
                 `A4 B5`"
            )
        );
    }
}
