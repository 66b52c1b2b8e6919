//! Searches that the page shows step by step.

use plyground_explain::ExplainQuestion;
use plyground_explain::block::Block;
use serde::Deserialize;

use crate::games::Games;
use crate::refused::Refused;
use crate::replayed_game::GameLine;

/// The page's request for a search to show.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainQuery {
    /// The name of the client; empty without a server.
    #[serde(default)]
    pub client: String,
    /// The game.
    pub game: GameLine,
    /// The number of moves of the game before the position.
    pub ply: usize,
    /// The options of the search.
    pub search: ExplainQuestion,
}

impl ExplainQuery {
    /// Returns the tree of the search, which the limits keep small enough to be made and sent in a moment.
    ///
    /// # Errors
    ///
    /// Returns the reason as one line for a person: the game has a fault, it has no such position, or the
    /// search is refused.
    pub fn explain(&self, games: &Games) -> Result<Block, Refused> {
        let replayed = self.game.replay(games)?;
        let no_move = || Refused::new(format!("the game has no move {}", self.ply));
        let position = replayed.position_at(self.ply).ok_or_else(no_move)?;
        self.search.answer(position).map_err(Refused::new)
    }
}
