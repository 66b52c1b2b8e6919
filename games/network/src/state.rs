//! State files, and the board on the screen, which has the same symbols.

use std::fmt::{self, Write as _};

use anstyle::{Ansi256Color, Color as Paint, Style};
use plyground::{Game, Side};
use plyground_host::state::{GridFormat, StateText, TextError};

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
