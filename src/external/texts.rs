//! A game as other people's programs read and write it.

use crate::game::Game;
use crate::state::{Fault, StateText};

/// The texts of a game that players in other processes need.
pub trait Texts<G: Game> {
    /// The name of the rules.
    fn rules(&self) -> String;

    /// The start of a game.
    fn start(&self) -> G;

    /// The lines of a state file, separated by LF, with none after the last: the side to move.
    fn format_state(&self, position: &G) -> String;

    /// Reads a state file.
    ///
    /// # Errors
    ///
    /// The first fault of the text.
    fn parse_state(&self, text: &StateText) -> Result<G, Fault>;
}

/// A position as one word: the lines of its state file, joined by `/`.
pub(super) fn in_one_word<G: Game>(texts: &impl Texts<G>, position: &G) -> String {
    texts.format_state(position).replace('\n', "/")
}

/// Reads what [`in_one_word`] writes.
pub(super) fn from_one_word<G: Game>(texts: &impl Texts<G>, word: &str) -> Result<G, Fault> {
    texts.parse_state(&StateText::new(word.replace('/', "\n")))
}
