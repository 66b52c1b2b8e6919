//! A winning strategy: the answers of a color, and their text.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use network::solution::{Chips, Mirror, canonical};
use network::strategy_check::MAGIC;
use network::{Color, Move, Position, Square, Win};
use plyground::proof::Prover;
use plyground::{Game, Limits};
use thiserror::Error;

/// The letter of square 00; the letter of square `xy` comes 8y + x after it.
pub(crate) const FIRST_LETTER: u8 = b'0';
/// The number of squares, and so of letters.
pub(crate) const SQUARES: u8 = 64;
/// The number of letters on a line.
const LINE: usize = 96;

/// A position from which the win is not proven.
#[derive(Debug, Error)]
#[error("no proven win from\n{0}")]
pub struct Unproven(pub Box<Position>);

/// The answers of a color, by position; mirror images count as one position.
///
/// The text is a heading, `network-strategy RULES COLOR CHIPS BOARD`, and the answers as letters, a line
/// end after every 96. The positions of the answers are not written: they follow from the answers and the
/// rules. They come in the order of a walk that begins at BOARD, plays each answer, and goes on after every
/// legal reply, in the order of squares 8y + x (for steps, of origins and then of targets), before it turns
/// to the next reply. A position has no letter if the color wins there at once, or if a mirror image of it
/// had one. The letter of square xy is the character of code 48 + 8y + x.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strategy {
    /// The answers, each in the mirror image of the chips of its key.
    answers: HashMap<Chips, Square>,
}

impl Strategy {
    /// Returns the answers of the color to move in `position`, and in all positions that can follow within
    /// `plies`; and the same as letters. `prover` has the proof, or finds it again.
    ///
    /// # Errors
    ///
    /// Returns an error if the win is not proven within `limits`, which apply to each position.
    pub fn of_proof(
        prover: &Prover,
        position: &Position,
        plies: u32,
        limits: &Limits,
    ) -> Result<(Strategy, String), Unproven> {
        let goal = Win::new(position, position.to_move());
        let own = |at: &Position| at.chips(position.to_move()).len();
        Walk::through(position, &mut |at, _| {
            let left = plies.saturating_sub(2 * (own(at) - own(position)) as u32);
            let known = prover.known_move(&goal, at, left);
            known.or_else(|| prover.prove(&goal, at, left, limits).best)
        })
    }

    /// Reads the answers that [`of_proof`](Strategy::of_proof) gave as letters for `position`; `None` if
    /// the letters are not answers for it.
    pub fn of_letters(position: &Position, letters: &str) -> Option<Strategy> {
        let mut letters = letters.bytes();
        let walked = Walk::through(position, &mut |at, _| {
            let mv = letters.next().and_then(square_of).map(Move::Add)?;
            at.check_legal(mv).is_ok().then_some(mv)
        });
        let (strategy, _) = walked.ok()?;
        letters.next().is_none().then_some(strategy)
    }

    /// Adds all answers of another strategy, which replace present answers.
    pub fn extend(&mut self, other: Strategy) {
        self.answers.extend(other.answers);
    }

    /// Adds `mv`, an add, as the answer in `position`.
    pub fn insert(&mut self, position: &Position, mv: Move) {
        let (chips, mirror) = canonical(position);
        self.answers.insert(chips, mirror.square(mv.to()));
    }

    /// Returns the answer in `position`, if there is one.
    pub fn answer(&self, position: &Position) -> Option<Move> {
        self.answer_in(&canonical(position))
    }

    fn answer_in(&self, (chips, mirror): &Image) -> Option<Move> {
        self.answers.get(chips).map(|&square| Move::Add(mirror.square(square)))
    }

    /// Returns the number of answers.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Returns true if there are no answers.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Returns the strategy as text, for the color to move in `start`, which wins by its chip number
    /// `chips`; and the number of answers in it. Answers that are not needed are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if an answer is missing.
    pub fn text(&self, start: &Position, chips: usize) -> Result<(String, usize), Unproven> {
        let (_, letters) = Walk::through(start, &mut |_, image| self.answer_in(image))?;
        let board = start.to_string().replace('\n', "/");
        let mut text = format!("{MAGIC} {} {} {chips} {board}", start.rules(), start.to_move());
        for (index, letter) in letters.chars().enumerate() {
            if index % LINE == 0 {
                text.push('\n');
            }
            text.push(letter);
        }
        text.push('\n');
        Ok((text, letters.len()))
    }
}

fn letter_of(square: Square) -> char {
    char::from(FIRST_LETTER + square.index() as u8)
}

fn square_of(letter: u8) -> Option<Square> {
    Square::from_index(usize::from(letter.checked_sub(FIRST_LETTER)?))
}

/// The mirror image of a position under which its answer is kept, and the mirror that makes the image.
type Image = (Chips, Mirror);

/// A function that returns the answer of a color in a position, if it is known.
type Answer<'a> = dyn FnMut(&Position, &Image) -> Option<Move> + 'a;

/// The walk through a strategy.
struct Walk<'a> {
    answer: &'a mut Answer<'a>,
    /// The answers so far.
    strategy: Strategy,
    letters: String,
}

impl<'a> Walk<'a> {
    /// Returns the answers of the color to move in `start`, and in all positions that follow.
    fn through<'b: 'a>(
        start: &Position,
        answer: &'a mut Answer<'b>,
    ) -> Result<(Strategy, String), Unproven> {
        let mut walk = Walk { answer, strategy: Strategy::default(), letters: String::new() };
        if !wins_at_once(start) {
            walk.position(start)?;
        }
        Ok((walk.strategy, walk.letters))
    }

    /// Walks through all positions that follow from a position with the color to move, which does not win at
    /// once.
    fn position(&mut self, position: &Position) -> Result<(), Unproven> {
        let image = canonical(position);
        let Entry::Vacant(unanswered) = self.strategy.answers.entry(image.0) else {
            return Ok(());
        };
        let answer = (self.answer)(position, &image);
        let mv = answer.ok_or_else(|| Unproven(Box::new(*position)))?;
        unanswered.insert(image.1.square(mv.to()));
        self.letters.push(letter_of(mv.to()));
        let after = position.after(mv);
        if after.outcome().is_some() {
            return Ok(());
        }
        if wins_at_once(&after) {
            return Err(Unproven(Box::new(after)));
        }
        let threats = after.threats();
        if threats.exist() {
            // After all other replies the color wins at once, so they have no letter.
            after.parries(&threats).try_for_each(|reply| self.reply(&after, reply))
        } else {
            after.legal_moves().try_for_each(|reply| self.reply(&after, reply))
        }
    }

    /// Walks through all positions that follow from a reply in `after` that parries the threats.
    fn reply(&mut self, after: &Position, reply: Move) -> Result<(), Unproven> {
        let next = after.after(reply);
        match next.outcome() {
            Some(outcome) if outcome.winner() == Some(next.side_to_move()) => return Ok(()),
            Some(_) => return Err(Unproven(Box::new(*after))),
            None => {}
        }
        // Adds of either color open no line: an add that did not win before the reply does not win after
        // it.
        let both_add = Color::BOTH.iter().all(|&color| after.in_hand(color) > 0);
        if !both_add && wins_at_once(&next) { Ok(()) } else { self.position(&next) }
    }
}

/// Returns true if the player to move can complete a network with the next move.
fn wins_at_once(position: &Position) -> bool {
    position.wins(position.to_move()).next().is_some()
}
