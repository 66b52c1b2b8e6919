//! The rules of Max-Connect4 for people, with pictures.

use plyground_host::Lesson;

use crate::cells::Size;

/// Returns the rules, part by part; with pictures for the board of the assignment.
pub(crate) fn lessons(size: Size) -> Vec<Lesson> {
    let parts = [
        Lesson::new(
            "A turn",
            "Player 1 moves first, and then the players take turns. A turn drops one piece into a column that \
             is not full, and the piece falls to the lowest empty cell.",
        ),
        Lesson::new(
            "Points",
            "Four pieces of yours side by side are a point: in a row, in a column or in a diagonal. Every four \
             count, so five in a line are two points.",
        ),
        Lesson::new(
            "The end",
            "The game goes on until the board is full. The player with more points has then won; as many for both \
             is a tie.",
        ),
    ];
    let figures = [
        (FALLEN, "The piece of player 2 in column 4 has fallen upon that of player 1."),
        (LINES, "Player 1 has two points: five in a row. Player 2 has one, in a diagonal."),
        (FULL, "The board is full, and player 1 has won, 3 to 2."),
    ];
    let is_shown = size == Size::STANDARD;
    let with_figure = |(lesson, (state, caption)): (Lesson, (&str, &str))| match is_shown {
        true => lesson.with_figure(state, caption),
        false => lesson,
    };
    parts.into_iter().zip(figures).map(with_figure).collect()
}

/// The positions of the pictures of the rules.
const FALLEN: &str = "0000000/0000000/0000000/0000000/0002000/0001000/1";
const LINES: &str = "0000000/0000000/0020000/0012000/0021200/1111122/2";
const FULL: &str = "2222121/2121212/1211221/1211121/2222112/1121211/1";
