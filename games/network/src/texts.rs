//! The game as text: state files, the board on the screen, and the rules for people who do not know them, with
//! the squares where a game is about to end.

use std::fmt::{self, Write as _};

use anstyle::{Ansi256Color, Color as Paint, Style};
use plyground::{Game, Side};
use plyground_host::page::Threat;
use plyground_host::state::{GridFormat, StateText, TextError};
use plyground_host::{Lesson, MarkKind};

use crate::color::{Color, Rules};
use crate::moves::{Move, Square, SquareSet};
use crate::position::{Position, SetupError};

const EMPTY: char = '.';

/// The symbols of a cell: empty, then the colors in the order of [`Color::index`].
const CELLS: [char; 3] = [EMPTY, Color::White.letter(), Color::Black.letter()];

fn format(rules: Rules) -> GridFormat {
    GridFormat {
        columns: Square::SIDE.into(),
        rows: Square::SIDE.into(),
        cells: &CELLS,
        cell_names: "`.`, `W` or `B`",
        sides: Side::BOTH.map(|side| rules.color(side).letter()),
        side_names: "the color to move, `W` or `B`",
    }
}

/// Reads a state file.
///
/// Lines may end in LF, CR LF or CR, and the last line need not end. Blanks and tabs are ignored, and so
/// are empty lines before the first row and after the color to move.
///
/// # Errors
///
/// Returns the first fault of the text, otherwise the fault of the chips.
pub fn parse_state(text: &StateText, rules: Rules) -> Result<Position, TextError> {
    let grid = format(rules).parse(text)?;
    let chips_of = |color: Color| {
        let symbol = |square: &Square| grid.symbol(square.y().into(), square.x().into());
        Square::all().filter(|square| symbol(square) == Some(1 + color.index())).collect()
    };
    let [white, black]: [SquareSet; 2] = Color::BOTH.map(chips_of);
    let to_move = rules.color(grid.side_to_move());
    let position = Position::from_chips(rules, white, black, to_move);
    position.map_err(|SetupError { square, expected, found }| {
        grid.fault(square.y().into(), square.x().into(), &expected, &found)
    })
}

/// Writes the nine lines with LF between them.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in Square::all() {
            f.write_char(self.chip_at(square).map_or(EMPTY, Color::letter))?;
            if square.x() == Square::SIDE - 1 {
                f.write_char('\n')?;
            }
        }
        f.write_char(self.to_move().letter())
    }
}

/// Draws the board for a terminal. Without the escape sequences the text has the same information.
///
/// A chip is its color's letter, a goal its owner's small letter. Brackets are around the chip
/// that moved last, round ones around the square that it left, and stars around the chips of the
/// winning network.
pub(crate) fn draw(position: &Position, last: Option<Move>) -> String {
    let network = winning_network(position);
    let numbers: String = (0..Square::SIDE).map(|x| format!(" {x} ")).collect();
    let border = format!("   {}\n", numbers.trim_end());
    let mut text = border.clone();
    for y in 0..Square::SIDE {
        let mut row = format!(" {y} ");
        for square in (0..Square::SIDE).filter_map(|x| Square::new(x, y)) {
            let (style, cell) = cell(position, square, last, network);
            row += &format!("{style}{cell}{style:#}");
        }
        let note = note(position, last, y);
        let gap = if note.is_empty() { "" } else { "   " };
        text += &format!("{row} {y}{gap}{note}\n");
    }
    text += &border;
    text
}

/// Returns the chips of the network that won the game, if a network did.
fn winning_network(position: &Position) -> SquareSet {
    let winner = position.outcome().and_then(|outcome| outcome.winner());
    let network = winner.and_then(|side| position.network(position.rules().color(side)));
    network.into_iter().flatten().collect()
}

fn cell(
    position: &Position,
    square: Square,
    last: Option<Move>,
    network: SquareSet,
) -> (Style, String) {
    if SquareSet::CORNERS.contains(square) {
        return (Style::new(), "   ".to_owned());
    }
    let Some(color) = position.chip_at(square) else {
        let (style, symbol) = ground(square);
        let left = last.and_then(Move::from) == Some(square);
        return (style, if left { format!("({symbol})") } else { format!(" {symbol} ") });
    };
    let letter = color.letter();
    let wins = network.contains(square);
    let style = if wins { WINNING_CHIP } else { chip(color) };
    if last.map(Move::to) == Some(square) {
        (style.bold(), format!("[{letter}]"))
    } else if wins {
        (style, format!("*{letter}*"))
    } else {
        (style, format!(" {letter} "))
    }
}

/// Returns the style and the symbol of an empty square.
fn ground(square: Square) -> (Style, char) {
    let owner = Color::BOTH
        .into_iter()
        .find(|color| color.goals().into_iter().any(|goal| goal.contains(square)));
    match owner {
        Some(Color::White) => (paint(WHITE_GOAL_INK, WHITE_GOAL), 'w'),
        Some(Color::Black) => (paint(BLACK_GOAL_INK, BLACK_GOAL), 'b'),
        None if (square.x() + square.y()).is_multiple_of(2) => (paint(FIELD_INK, FIELD_LIGHT), '.'),
        None => (paint(FIELD_INK, FIELD_DARK), '.'),
    }
}

fn chip(color: Color) -> Style {
    match color {
        Color::White => paint(BLACK, WHITE),
        Color::Black => paint(WHITE, BLACK),
    }
}

// Colors of the terminal's palette of 256.
const WHITE: u8 = 231;
const BLACK: u8 = 16;
const GOLD: u8 = 220;
const FIELD_LIGHT: u8 = 108;
const FIELD_DARK: u8 = 71;
const FIELD_INK: u8 = 22;
const WHITE_GOAL: u8 = 152;
const WHITE_GOAL_INK: u8 = 67;
const BLACK_GOAL: u8 = 60;
const BLACK_GOAL_INK: u8 = 103;

const WINNING_CHIP: Style = paint(BLACK, GOLD).bold();

const fn paint(ink: u8, ground: u8) -> Style {
    Style::new()
        .fg_color(Some(Paint::Ansi256(Ansi256Color(ink))))
        .bg_color(Some(Paint::Ansi256(Ansi256Color(ground))))
}

/// Returns the note to the right of a row.
fn note(position: &Position, last: Option<Move>, y: u8) -> String {
    let hand = |color: Color| {
        let count = position.in_hand(color);
        let chips = color.letter().to_string().repeat(count);
        format!("{color}  {count:>2} in hand  {chips}").trim_end().to_owned()
    };
    let [first, second] = Side::BOTH.map(|side| position.rules().color(side));
    match y {
        1 => hand(first),
        2 => hand(second),
        4 => "w, b  goals of White, of Black".to_owned(),
        5 if last.is_some() => "[ ]   last move".to_owned(),
        6 if !winning_network(position).is_empty() => "* *   winning network".to_owned(),
        _ => String::new(),
    }
}

/// A position in which White has won.
const NETWORK: &str = "......../..B...B./...B.W../..W.W.BW/......B./W...BW.W/..B...../......../B";

/// The same position without the connection from 05 to 23.
const BROKEN: &str = "......../..B...B./...B.W../..W.W.BW/.B....B./W...BW.W/..B...../......../B";

/// A position in which White, the color to move, has two chips side by side.
const PAIR: &str = "......../......../.B...B../...WW.../......../.....B../......../......../W";

/// Returns the rules, part by part.
pub(crate) fn lessons(rules: Rules) -> Vec<Lesson> {
    let [first, second] = Side::BOTH.map(|side| rules.color(side));
    let start = Position::new(rules).to_string().replace('\n', "/");
    let both = match rules {
        Rules::Berkeley => "A player that completes both networks at once has lost.",
        Rules::Usf => "No move may complete both networks at once.",
    };
    vec![
        Lesson::new(
            "A turn",
            format!(
                "{first} moves first, and then {first} and {second} take turns. Each has ten chips. A turn adds \
                 one chip to an empty square. With all ten on the board, a turn moves one of them to another \
                 square, however far. Two sides of the board are White's goals, the other two are Black's."
            ),
        )
        .with_figure(
            start,
            "The goals: White plays from left to right, Black from top to bottom. A square has \
             the numbers of its column and its row, both from 0: 10 is in column 1 and row 0.",
        ),
        Lesson::new(
            "You win with a network",
            format!(
                "A network is a line from one of your goals to the other that goes from chip to chip, over six \
                 chips or more. Two chips are connected if they are in one row, column or diagonal with no chip \
                 between them. {both}"
            ),
        )
        .with_figure(NETWORK, "White has won: 05, 23, 43, 52, 55 and 75 are a network."),
        Lesson::new(
            "What breaks a network",
            "It turns at every chip between its ends, so going straight on through a chip does not count. It \
             passes no chip twice, and has one chip in each goal, at its ends. And a chip of the other color \
             between two chips breaks their connection: that is how you defend.",
        )
        .with_figure(BROKEN, "The black chip on 14 is between 05 and 23, so White has no network.")
        .marked(MarkKind::Here, [square(1, 4)]),
        Lesson::new(
            "Where you may not play",
            "The corners are not in play, and the goals of the other color are not yours. No three of your chips \
             may touch each other in a group, not even by their corners. On the page these squares are \
             hatched, and say why when you point at them.",
        )
        .with_figure(PAIR, "White may not play in the goals of Black, nor on a square next to its pair.")
        .marked(MarkKind::No, closed_squares()),
    ]
}

/// Returns the number of a square on the page.
fn square(x: u8, y: u8) -> usize {
    usize::from(y * Square::SIDE + x)
}

/// Returns the empty squares, except corners, on which White may not play in [`PAIR`].
fn closed_squares() -> Vec<usize> {
    let position = parse_state(&StateText::new(PAIR.to_owned()), Rules::Berkeley);
    let Ok(position) = position else { return Vec::new() };
    let is_closed = |&square: &Square| {
        position.chip_at(square).is_none()
            && !SquareSet::CORNERS.contains(square)
            && position.check_legal(Move::Add(square)).is_err()
    };
    Square::all().filter(is_closed).map(Square::index).collect()
}

/// Returns the squares on which either color would complete its network if it were to move.
pub(crate) fn threats(position: &Position) -> Vec<Threat> {
    if position.outcome().is_some() {
        return Vec::new();
    }
    Color::BOTH.into_iter().flat_map(|color| threats_of(position, color)).collect()
}

fn threats_of(position: &Position, color: Color) -> Vec<Threat> {
    let rules = position.rules();
    let side = rules.side(color);
    let [white, black] = Color::BOTH.map(|color| position.chips(color));
    let Ok(turned) = Position::from_chips(rules, white, black, color) else { return Vec::new() };
    let wins = |mv: &Move| turned.after(*mv).outcome().and_then(|end| end.winner()) == Some(side);
    let mut cells: Vec<usize> =
        turned.legal_moves().filter(wins).map(|mv| mv.to().index()).collect();
    cells.sort_unstable();
    cells.dedup();
    cells.into_iter().map(|cell| Threat { side: side.index(), cell }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(state: &str) -> Position {
        parse_state(&StateText::new(state.to_owned()), Rules::Berkeley).expect("a state")
    }

    #[test]
    fn pictures_show_what_the_texts_say() {
        assert_eq!(position(NETWORK).outcome().and_then(|end| end.winner()), Some(Side::First));
        assert_eq!(position(BROKEN).outcome(), None);
        let closed = closed_squares();
        assert!(closed.contains(&square(2, 2)) && closed.contains(&square(1, 0)));
        assert!(!closed.contains(&square(0, 1)) && !closed.contains(&square(0, 0)));
        for rules in Rules::BOTH {
            for figure in lessons(rules).into_iter().filter_map(|lesson| lesson.figure) {
                parse_state(&StateText::new(figure.state), rules).expect("a state");
            }
        }
    }

    #[test]
    fn threat_is_where_a_network_would_be_complete() {
        let state = "......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../B";
        let cells: Vec<_> =
            threats(&position(state)).into_iter().map(|one| (one.side, one.cell)).collect();
        assert!(cells.contains(&(0, square(7, 5))), "{cells:?}");
    }
}
