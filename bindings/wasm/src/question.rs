//! The questions of the page.

use plyground_web::questions::{
    AboutQuery, AnalysisQuery, ChoiceQuery, ExplainQuery, GameToSave, PastedText, PositionQuery,
};
use serde::Deserialize;

/// A request to run the bench of a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BenchQuery {
    /// The name of the game.
    pub(crate) game: String,
}

/// A question. The names of the kinds are those of the paths of a server.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", content = "about", rename_all = "lowercase")]
pub(crate) enum Question {
    /// The description of a game.
    Game(AboutQuery),
    /// The view of a position.
    Position(PositionQuery),
    /// The move of an engine player or a random player.
    Choice(ChoiceQuery),
    /// The values of the moves.
    Analysis(AnalysisQuery),
    /// The tree of a search, to be shown step by step.
    Explain(ExplainQuery),
    /// The contents of a text.
    Open(PastedText),
    /// The record of a game.
    Record(GameToSave),
    /// The speed of the engine. The page does not request it; `measure` does.
    Bench(BenchQuery),
}
