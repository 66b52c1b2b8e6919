//! The problem to solve.

use std::path::Path;

use network::{Move, Position};
use plyground_cli::{Failure, TextFile};

use crate::opening::{Opening, RepliedOpening, moves_text};
use crate::opening_table::parse_opening_table;

const SECONDS: TextFile<'_> =
    TextFile { expected: "a table of openings", what: "the table", most: 1 << 24 };

/// A problem: does a player win by a chip, after an opening and any replies to it?
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The start position; the player who must win is to move.
    pub(super) start: Position,
    /// The opening of this player.
    pub(super) opening: Opening,
    /// The replies to the opening.
    pub(super) replies: Vec<RepliedOpening>,
    /// The number of the player's chip.
    pub(super) chips: u64,
}

impl Problem {
    /// Makes the problem with the replies to its opening, which must be playable.
    pub(super) fn new(start: Position, opening: Opening, chips: u64) -> Result<Problem, Failure> {
        let replies = opening.replies(&start).map_err(|fault| Failure::Usage(fault.to_string()))?;
        Ok(Problem { start, opening, replies, chips })
    }

    /// Returns the title of a journal of this kind of work on the problem.
    pub(super) fn title(&self, kind: &str) -> String {
        let Problem { start, opening, chips, .. } = self;
        let moves: Vec<_> = opening.moves.iter().map(Move::to_string).collect();
        let opening = moves.join(",") + &self.seconds();
        let (rules, board) = (start.rules(), start.to_string().replace('\n', "/"));
        format!("network {rules} {kind} chips {chips} opening {opening} of {board}")
    }

    /// Returns the replies to the first move, each with the second move, if that depends on the reply.
    fn seconds(&self) -> String {
        if self.opening.answers.is_empty() {
            return String::new();
        }
        let pair = |reply: &RepliedOpening| moves_text(reply.moves.get(1..3).unwrap_or_default());
        let mut pairs: Vec<_> = self.replies.iter().map(pair).collect();
        pairs.dedup();
        format!(" with {}", pairs.join(","))
    }
}

/// Adds the second moves of the table in a file to an opening of one move.
pub(super) fn insert_seconds(
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
