//! The position that a proof begins with, its moves except mirror images, and boards of numbers.

use std::collections::HashSet;
use std::fmt::{Display, Write};
use std::path::Path;

use network::solution::image_name;
use network::{Move, Position, Rules, Square, parse_state};
use plyground::Game;
use plyground_cli::Failure;
use plyground_host::state::{ReadError, read_text};

/// The chip by which the first player wins the game.
pub(crate) const DEFAULT_CHIP: u64 = 8;

/// Reads the position in a file, or takes the start of a game without one, for a question about a chip that
/// the player to move has in hand.
pub(crate) fn read_start(
    rules: Rules,
    path: Option<&Path>,
    chip: u64,
) -> Result<Position, Failure> {
    let start = match path {
        Some(path) => {
            let fault = |fault| ReadError::Fault { path: path.to_owned(), fault };
            parse_state(&read_text(path)?, rules).map_err(fault)?
        }
        None => Position::new(rules),
    };
    match start.outcome() {
        Some(_) => Err(Failure::Usage("the game is over".to_owned())),
        None => check_chip(&start, chip as usize).map(|()| start),
    }
}

fn check_chip(start: &Position, chip: usize) -> Result<(), Failure> {
    let (color, next, last) =
        (start.to_move(), start.chips(start.to_move()).len() + 1, Position::CHIPS);
    let fault = match next..=last {
        in_hand if in_hand.contains(&chip) => return Ok(()),
        in_hand if in_hand.is_empty() => format!("{color} has no chips in hand"),
        _ => format!("--chips: expected a chip in hand of {color}, {next} to {last}, found {chip}"),
    };
    Err(Failure::Usage(fault))
}

/// Returns the number of plies until the color to move has added its chip of this number.
pub(crate) fn plies_to_chip(position: &Position, chip: usize) -> u32 {
    position.plies_to_chip(position.to_move(), chip)
}

/// Returns the first of each set of `moves` that lead to mirror images of one position, with the positions
/// after them. `moves` must be legal in `position`.
pub(crate) fn distinct(
    position: &Position,
    moves: impl IntoIterator<Item = Move>,
) -> impl Iterator<Item = (Move, Position)> {
    let mut seen = HashSet::new();
    let next = moves.into_iter().map(|mv| (mv, position.after(mv)));
    next.filter(move |(_, after)| seen.insert(image_name(after)))
}

/// Returns a board under a heading, with the text of `cell` for every square in three characters.
pub(crate) fn chart<T: Display>(heading: &str, cell: impl Fn(Square) -> T) -> String {
    let mut text = format!("\n{heading}:\n   ");
    (0..Square::SIDE).for_each(|x| text += &format!("{x:>3}"));
    for square in Square::all() {
        if square.x() == 0 {
            // Writing to a string does not fail.
            let _ = write!(text, "\n{:>3}", square.y());
        }
        let _ = write!(text, "{:>3}", cell(square));
    }
    text + "\n"
}
