//! What is to be solved.

use std::path::Path;

use network::solution::{Opening, Reply, parse_opening_table};
use network::{Move, Position, Rules, parse_state};
use plyground::Game;
use plyground::cli::{Failure, TextFile};
use plyground::state::{ReadError, read_text};

use super::work::moves_text;

const SECONDS: TextFile<'_> =
    TextFile { expected: "a table of openings", what: "the table", most: 1 << 24 };

/// Whether a player wins by a chip, after an opening and whatever the replies to it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The position that it begins with; the player who is to win is to move.
    pub start: Position,
    /// What this player begins with.
    pub opening: Opening,
    /// The replies to the opening.
    pub replies: Vec<Reply>,
    /// By which of the player's chips.
    pub chips: u64,
}

impl Problem {
    /// The problem with the replies to its opening, which must be playable.
    pub fn new(start: Position, opening: Opening, chips: u64) -> Result<Problem, Failure> {
        let replies = opening.replies(&start).map_err(|fault| Failure::Usage(fault.to_string()))?;
        Ok(Problem { start, opening, replies, chips })
    }

    /// What a journal is called of work of this kind on it.
    pub fn title(&self, kind: &str) -> String {
        let Problem { start, opening, chips, .. } = self;
        let moves: Vec<_> = opening.moves.iter().map(Move::to_string).collect();
        let opening = moves.join(",") + &self.seconds();
        let (rules, board) = (start.rules(), start.to_string().replace('\n', "/"));
        format!("network {rules} {kind} chips {chips} opening {opening} of {board}")
    }

    /// The replies to the first move, each with the second move, if that depends on them.
    fn seconds(&self) -> String {
        if self.opening.answers.is_empty() {
            return String::new();
        }
        let pair = |reply: &Reply| moves_text(reply.moves.get(1..3).unwrap_or_default());
        let mut pairs: Vec<_> = self.replies.iter().map(pair).collect();
        pairs.dedup();
        format!(" with {}", pairs.join(","))
    }
}

/// The position that work begins with which asks about a chip of the player to move: one of those
/// that he has in hand.
pub fn read_start(rules: Rules, path: Option<&Path>, chip: u64) -> Result<Position, Failure> {
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

/// Goes on with an opening of one move by the table in a file.
pub fn insert_seconds(
    opening: &mut Opening,
    start: &Position,
    chips: usize,
    path: &Path,
) -> Result<(), Failure> {
    let [first] = opening.moves[..] else {
        let fault = "--seconds: expected an opening of one move".to_owned();
        return Err(Failure::Usage(fault));
    };
    let refused = |fault: String| Failure::Usage(format!("{}:{fault}", path.display()));
    let rows =
        parse_opening_table(&SECONDS.read(path)?).map_err(|fault| refused(fault.to_string()))?;
    opening.insert_seconds(start, chips, &rows).map_err(|fault| refused(format!(" {fault}")))?;
    if opening.answers.is_empty() {
        return Err(refused(format!(" expected a second move after {first}, found none")));
    }
    Ok(())
}
