//! What the page asks.

use plyground_page::{
    AboutQuery, AnalysisQuery, ChoiceQuery, GameToSave, PastedText, PositionQuery,
};
use serde::Deserialize;

/// A question, by the names that the paths of a server have.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", content = "about", rename_all = "lowercase")]
pub(crate) enum Question {
    /// What a game is.
    Game(AboutQuery),
    /// What a position is.
    Position(PositionQuery),
    /// The move of a machine.
    Choice(ChoiceQuery),
    /// What moves are worth.
    Analysis(AnalysisQuery),
    /// What is in a text.
    Open(PastedText),
    /// The record of a game.
    Record(GameToSave),
}
