//! A winning strategy, taken from a proof.

use std::collections::HashSet;
use std::io::{self, Write};

use plyground::proof::Prover;
use plyground::{Game, Limits};
use thiserror::Error;

use super::MAGIC;
use crate::color::Color;
use crate::goal::Win;
use crate::moves::Move;
use crate::position::Position;

/// Why a strategy could not be written.
#[derive(Debug, Error)]
pub enum Unproven {
    /// There is a position from which the win is not proven.
    #[error("no proven win from\n{0}")]
    Position(Box<Position>),
    /// The text could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Writes the answers of the color to move in a position, for every reply of the other.
///
/// A position in which the color wins at once is left out: its winning move is easily found.
#[derive(Debug)]
pub struct Strategy<'a, W> {
    prover: &'a Prover,
    goal: Win,
    color: Color,
    written: HashSet<u64>,
    out: W,
}

impl<'a, W: Write> Strategy<'a, W> {
    /// A strategy for the color to move in `start`, which is to win by its chip number `chips`.
    /// `prover` has the proof.
    ///
    /// # Errors
    ///
    /// When `out` cannot be written.
    pub fn new(
        prover: &'a Prover,
        start: &Position,
        chips: usize,
        mut out: W,
    ) -> io::Result<Strategy<'a, W>> {
        let color = start.to_move();
        let board = start.to_string().replace('\n', "/");
        writeln!(out, "{MAGIC} {} {color} {chips} {board}", start.rules())?;
        Ok(Strategy { prover, goal: Win::new(start, color), color, written: HashSet::new(), out })
    }

    /// Adds `mv` as the answer in `position`.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn answer(&mut self, position: &Position, mv: Move) -> io::Result<()> {
        if !self.written.insert(position.key()) {
            return Ok(());
        }
        for color in [self.color, self.color.other()] {
            for square in position.chips(color) {
                write!(self.out, "{square}")?;
            }
            write!(self.out, " ")?;
        }
        writeln!(self.out, "{mv}")
    }

    /// Adds the answers in `position` and all that can follow within `plies`.
    ///
    /// # Errors
    ///
    /// When the win is not proven, or an answer cannot be written.
    pub fn add(&mut self, position: &Position, plies: u32) -> Result<(), Unproven> {
        let is_known = self.written.contains(&position.key());
        if is_known || position.wins(self.color).next().is_some() {
            return Ok(());
        }
        let proof = self.prover.prove(&self.goal, position, plies, &Limits::default());
        let unproven = || Unproven::Position(Box::new(*position));
        let mv = proof.best.ok_or_else(unproven)?;
        self.answer(position, mv)?;
        let after = position.after(mv);
        if after.outcome().is_some() {
            return Ok(());
        }
        let plies = plies.checked_sub(2).ok_or_else(unproven)?;
        after.legal_moves().try_for_each(|reply| {
            let next = after.after(reply);
            match next.outcome() {
                Some(outcome) if outcome.winner() == Some(next.side_to_move()) => Ok(()),
                Some(_) => Err(unproven()),
                None => self.add(&next, plies),
            }
        })
    }

    /// The number of answers, when all are written.
    ///
    /// # Errors
    ///
    /// When the last of them cannot be written.
    pub fn finish(mut self) -> io::Result<usize> {
        self.out.flush()?;
        Ok(self.written.len())
    }
}
