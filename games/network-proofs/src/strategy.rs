//! A winning strategy: what a color answers, and the text that it is written as.

use std::collections::{HashMap, HashSet};

use network::solution::{Chips, canonical, image_name};
use network::{Color, Move, Position, Square, Win};
use plyground::proof::Prover;
use plyground::{Game, Limits};
use thiserror::Error;

use crate::opening::{NotPlayable, Opening};

/// The first word of a strategy file.
pub(crate) const MAGIC: &str = "network-strategy";

/// The letter of square 00; that of square `xy` comes 8y + x after it.
pub(crate) const FIRST_LETTER: u8 = b'0';
/// How many squares there are, and so letters.
pub(crate) const SQUARES: u8 = 64;
/// The letters on a line.
const LINE: usize = 96;

/// A position from which the win is not proven.
#[derive(Debug, Error)]
#[error("no proven win from\n{0}")]
pub struct Unproven(pub Box<Position>);

/// What a color answers, by position, mirror images being one.
///
/// As text it is a heading, `network-strategy RULES COLOR CHIPS BOARD`, and the answers as
/// letters, a line end after every 96. Nothing but the answers is written: in what positions they
/// are given follows from them and the rules. They come in the order in which a walk meets these
/// positions that begins at BOARD, plays each answer, and goes on after every legal reply in the
/// order of squares 8y + x (for steps, of origins and then of targets) before it turns to the
/// next. A position has no letter in which the color wins at once, or of which a mirror image had
/// one. The letter of square xy is the character of code 48 + 8y + x.
#[derive(Clone, Debug, Default)]
pub struct Strategy {
    /// The answers as they are in the mirror image whose chips are named.
    answers: HashMap<Chips, Square>,
}

impl Strategy {
    /// Adds `mv`, an add, as the answer in `position`.
    pub fn insert(&mut self, position: &Position, mv: Move) {
        let (chips, mirror) = canonical(position);
        self.answers.insert(chips, mirror.square(mv.to()));
    }

    /// The answer in `position`, if there is one.
    #[must_use]
    pub fn answer(&self, position: &Position) -> Option<Move> {
        let (chips, mirror) = canonical(position);
        self.answers.get(&chips).map(|&square| Move::Add(mirror.square(square)))
    }

    /// The number of answers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there are no answers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Adds the moves of an opening from `start`.
    ///
    /// # Errors
    ///
    /// The first of them that cannot be played.
    pub fn insert_opening(
        &mut self,
        start: &Position,
        opening: &Opening,
    ) -> Result<(), NotPlayable> {
        opening.walk(start, &mut |position, mv| self.insert(position, mv)).map(drop)
    }

    /// Adds the answers that [`letters_of_proof`] gave for `position`; `None`, with some of them
    /// added, if these letters are no answers for it.
    pub fn insert_letters(&mut self, position: &Position, letters: &str) -> Option<()> {
        let mut letters = letters.bytes();
        let wrong = |at: &Position| Unproven(Box::new(*at));
        let mut answer = |at: &Position| {
            let mv = letters.next().and_then(square_of).map(Move::Add).ok_or_else(|| wrong(at))?;
            at.check_legal(mv).map_err(|_| wrong(at))?;
            self.insert(at, mv);
            Ok(mv)
        };
        Walk::new(position, &mut answer).position(position).ok()?;
        letters.next().is_none().then_some(())
    }

    /// The strategy as text, for the color to move in `start`, which wins by its chip number
    /// `chips`; and the number of answers in it. What is not needed is left out.
    ///
    /// # Errors
    ///
    /// When an answer is missing.
    pub fn text(&self, start: &Position, chips: usize) -> Result<(String, usize), Unproven> {
        let missing = |at: &Position| Unproven(Box::new(*at));
        let letters = letters(start, &mut |at| self.answer(at).ok_or_else(|| missing(at)))?;
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

/// The answers of the color to move in `position`, and in all that can follow within `plies`, as
/// letters. `prover` has the proof, or finds it again.
///
/// # Errors
///
/// When the win is not proven within `limits`, which are those of each position.
pub fn letters_of_proof(
    prover: &Prover,
    position: &Position,
    plies: u32,
    limits: &Limits,
) -> Result<String, Unproven> {
    let goal = Win::new(position, position.to_move());
    let own = |at: &Position| at.chips(position.to_move()).len();
    letters(position, &mut |at| {
        let played = 2 * (own(at) - own(position)) as u32;
        let proof = prover.prove(&goal, at, plies.saturating_sub(played), limits);
        proof.best.ok_or_else(|| Unproven(Box::new(*at)))
    })
}

/// The answers from `start` on as letters.
fn letters(start: &Position, answer: &mut Answer<'_>) -> Result<String, Unproven> {
    let mut letters = String::new();
    let mut noted = |at: &Position| {
        let mv = answer(at)?;
        letters.push(letter_of(mv.to()));
        Ok(mv)
    };
    Walk::new(start, &mut noted).position(start)?;
    Ok(letters)
}

fn letter_of(square: Square) -> char {
    char::from(FIRST_LETTER + square.index() as u8)
}

fn square_of(letter: u8) -> Option<Square> {
    Square::from_index(usize::from(letter.checked_sub(FIRST_LETTER)?))
}

/// What a color answers in a position.
type Answer<'a> = dyn FnMut(&Position) -> Result<Move, Unproven> + 'a;

/// The walk through a strategy.
struct Walk<'a> {
    color: Color,
    answer: &'a mut Answer<'a>,
    seen: HashSet<Chips>,
}

impl<'a> Walk<'a> {
    /// A walk for the color to move.
    fn new<'b: 'a>(start: &Position, answer: &'a mut Answer<'b>) -> Walk<'a> {
        Walk { color: start.to_move(), answer, seen: HashSet::new() }
    }

    /// Goes through all that follows from a position with the color to move.
    fn position(&mut self, position: &Position) -> Result<(), Unproven> {
        let wins_at_once = position.wins(self.color).next().is_some();
        if wins_at_once || !self.seen.insert(image_name(position)) {
            return Ok(());
        }
        let after = position.after((self.answer)(position)?);
        if after.outcome().is_some() {
            return Ok(());
        }
        if after.wins(after.to_move()).next().is_some() {
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

    /// Goes through all that follows from a reply after `after`.
    fn reply(&mut self, after: &Position, reply: Move) -> Result<(), Unproven> {
        let next = after.after(reply);
        match next.outcome() {
            Some(outcome) if outcome.winner() == Some(next.side_to_move()) => Ok(()),
            Some(_) => Err(Unproven(Box::new(*after))),
            None => self.position(&next),
        }
    }
}
