//! What the page asks.

use plyground_page::{
    AboutQuery, AnalysisQuery, ChoiceQuery, ExplainQuery, GameToSave, PastedText, PositionQuery,
};
use serde::Deserialize;

/// Whose bench is to be run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BenchQuery {
    /// The name of the game.
    pub(crate) game: String,
}

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
    /// How a search goes, step by step.
    Explain(ExplainQuery),
    /// What is in a text.
    Open(PastedText),
    /// The record of a game.
    Record(GameToSave),
    /// How fast the engine is. The page does not ask that; `measure` does.
    Bench(BenchQuery),
}
