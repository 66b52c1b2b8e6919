//! Openings that one color plays against any replies.

use std::collections::HashSet;

use network::solution::{Frame, Mirror, image_name};
use network::{Color, Move, Position, Rules};
use plyground::Game;
use thiserror::Error;

use crate::opening_table::{OpeningResult, OpeningRow};
use crate::strategy::Strategy;

/// A move of an opening that some replies rule out, or after which the game is over.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "move {mv} of the opening cannot be played on in {}",
    .position.to_string().replace('\n', "/")
)]
pub struct NotPlayable {
    /// The move.
    pub mv: Move,
    /// The position in which it cannot be played.
    pub position: Box<Position>,
}

/// An opening with replies of the other color to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepliedOpening {
    /// The opening and the replies, in turn.
    pub moves: Vec<Move>,
    /// The position after them.
    pub position: Position,
}

impl RepliedOpening {
    /// Returns the position and those of its mirror images in which the chips of the player to move stand
    /// on the same squares.
    #[must_use]
    pub fn mirrored(&self) -> Vec<Position> {
        let position = &self.position;
        let (color, rules) = (position.to_move(), position.rules());
        let image = |mirror: Mirror| {
            let [white, black] = Color::BOTH.map(|color| mirror.set(position.chips(color)));
            Position::from_chips(rules, white, black, color).ok()
        };
        let images = Mirror::ALL.into_iter().filter_map(image);
        images.filter(|image| image.chips(color) == position.chips(color)).collect()
    }
}

/// The opening of a color.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The moves that it plays against any replies.
    pub moves: Vec<Move>,
    /// The answers to the replies to these moves. A reply without an answer ends the opening.
    pub answers: Strategy,
}

impl Opening {
    /// Makes the opening of these moves.
    #[must_use]
    pub fn new(moves: &[Move]) -> Opening {
        Opening { moves: moves.to_vec(), answers: Strategy::default() }
    }

    /// Returns the opening by which the player that begins wins.
    #[must_use]
    pub fn solved(rules: Rules) -> Opening {
        let frame = Frame::of(&Position::new(rules));
        let squares =
            frame.map(|frame| [frame.first(), frame.second()].map(|at| frame.outside(at)));
        let moves: Vec<Move> = squares.into_iter().flatten().map(Move::Add).collect();
        Opening::new(&moves)
    }

    /// Adds, after the first move, which must be the only one of the opening so far, the second moves by
    /// which the color wins by this chip, from rows of a table.
    ///
    /// # Errors
    ///
    /// Returns the first move that cannot be played.
    pub fn insert_seconds(
        &mut self,
        start: &Position,
        chip: usize,
        rows: &[OpeningRow],
    ) -> Result<(), NotPlayable> {
        for row in rows.iter().filter(|row| row.chip <= chip && self.moves == [row.first]) {
            let OpeningResult::Won(Some(second)) = row.result else { continue };
            let replied = played(&played(start, row.first)?, row.reply)?;
            played(&replied, second)?;
            self.answers.insert(&replied, second);
        }
        Ok(())
    }

    /// Enters the moves of the opening from `start` into a strategy.
    ///
    /// # Errors
    ///
    /// Returns the first of them that cannot be played.
    pub fn enter(&self, start: &Position, strategy: &mut Strategy) -> Result<(), NotPlayable> {
        self.walk(start, &mut |position, mv| strategy.insert(position, mv)).map(drop)
    }

    /// Returns the moves of the opening from `start`, each followed by every reply; one position of each
    /// set of mirror images. An opening without moves has only `start`.
    ///
    /// # Errors
    ///
    /// Returns the first move that cannot be played, or that ends the game, as a reply may.
    pub fn replies(&self, start: &Position) -> Result<Vec<RepliedOpening>, NotPlayable> {
        self.walk(start, &mut |_, _| {})
    }

    /// Shows each position in which the opening has a move, with the move, and returns the
    /// replies.
    pub(crate) fn walk(
        &self,
        start: &Position,
        visit: &mut dyn FnMut(&Position, Move),
    ) -> Result<Vec<RepliedOpening>, NotPlayable> {
        let mut replies = vec![RepliedOpening { moves: Vec::new(), position: *start }];
        for &mv in &self.moves {
            replies = replies_to_each(replies, &mut |_| Some(mv), visit)?;
        }
        replies_to_each(replies, &mut |at| self.answers.answer(at), visit)
    }
}

/// Returns the replies to the answer in each position; a position without an answer stays as it is.
fn replies_to_each(
    positions: Vec<RepliedOpening>,
    answer: &mut dyn FnMut(&Position) -> Option<Move>,
    visit: &mut dyn FnMut(&Position, Move),
) -> Result<Vec<RepliedOpening>, NotPlayable> {
    let mut seen = HashSet::new();
    let mut next = Vec::new();
    for RepliedOpening { moves, position } in positions {
        let Some(mv) = answer(&position) else {
            next.push(RepliedOpening { moves, position });
            continue;
        };
        let after = played(&position, mv)?;
        visit(&position, mv);
        for reply in after.legal_moves() {
            let position = played(&after, reply).map_err(|_| not_playable(&position, mv))?;
            if seen.insert(image_name(&position)) {
                let moves = moves.iter().copied().chain([mv, reply]).collect();
                next.push(RepliedOpening { moves, position });
            }
        }
    }
    Ok(next)
}

/// Returns the position after a move that does not end the game.
fn played(position: &Position, mv: Move) -> Result<Position, NotPlayable> {
    let mut after = *position;
    let is_played = after.play(mv).is_ok() && after.outcome().is_none();
    if is_played { Ok(after) } else { Err(not_playable(position, mv)) }
}

fn not_playable(position: &Position, mv: Move) -> NotPlayable {
    NotPlayable { mv, position: Box::new(*position) }
}

/// Returns moves with blanks between them.
pub(crate) fn moves_text(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}
