//! Searches that the page shows step by step.

use plyground_explain::ExplainQuestion;
use plyground_explain::block::Block;
use serde::Deserialize;

use crate::games::Games;
use crate::refused::Refused;
use crate::replayed_game::GameLine;

/// A search that the page asks to see.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainQuery {
    /// The name of the client; empty where there is no server.
    #[serde(default)]
    pub client: String,
    /// The game.
    pub game: GameLine,
    /// After how many moves of the game.
    pub ply: usize,
    /// How to search.
    pub search: ExplainQuestion,
}

impl ExplainQuery {
    /// The tree of the search, small enough to be made and sent in a moment.
    ///
    /// # Errors
    ///
    /// Why there is none, as one line for a person.
    pub fn explain(&self, games: &Games) -> Result<Block, Refused> {
        let replayed = self.game.replay(games)?;
        let no_move = || Refused::new(format!("the game has no move {}", self.ply));
        let position = replayed.position_at(self.ply).ok_or_else(no_move)?;
        self.search.answer(position).map_err(Refused::new)
    }
}
