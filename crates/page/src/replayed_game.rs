//! A game as the page sends it with every request: the server itself keeps none.

use std::sync::Arc;

use plyground::Game;
use plyground_host::referee::PLY_CAP;
use plyground_host::state::StateText;
use plyground_host::{HostedPosition, MoveText, excerpt};
use serde::{Deserialize, Serialize};

use crate::games::{Games, ServedGame, with_rules};
use crate::refused::Refused;

/// What is played, the first position and the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLine {
    /// The name of the game; the first one that the server has if it is not said.
    #[serde(default)]
    pub game: Option<String>,
    /// The name of the rules.
    pub rules: String,
    /// A state file with `/` for the line ends, as in records.
    pub start: String,
    /// The moves as people write them.
    pub moves: Vec<String>,
}

/// A game in which every move is legal.
#[derive(Debug)]
pub struct ReplayedGame {
    /// What it is a game of.
    pub served: Arc<ServedGame>,
    /// The moves, each with the position before it.
    pub past: Vec<(HostedPosition, MoveText)>,
    /// The last position.
    pub position: HostedPosition,
}

impl ReplayedGame {
    /// The position after so many moves of the game.
    #[must_use]
    pub fn position_at(&self, ply: usize) -> Option<&HostedPosition> {
        if ply == self.past.len() {
            return Some(&self.position);
        }
        self.past.get(ply).map(|(position, _)| position)
    }

    /// Whether the game is given up as a draw in its last position.
    #[must_use]
    pub fn is_at_cap(&self) -> bool {
        self.past.len() >= PLY_CAP as usize
    }

    /// Whether nobody is to move after so many moves of the game.
    #[must_use]
    pub fn is_over_at(&self, ply: usize) -> bool {
        let is_over = self.position_at(ply).is_none_or(HostedPosition::is_over);
        is_over || (ply == self.past.len() && self.is_at_cap())
    }
}

impl GameLine {
    /// A game without moves that begins in this position.
    #[must_use]
    pub fn of_start(start: &HostedPosition) -> GameLine {
        let game = start.game();
        GameLine {
            game: Some(game.name().to_owned()),
            rules: game.rules(),
            start: start.state_word(),
            moves: Vec::new(),
        }
    }

    /// Plays the game by the rules.
    ///
    /// # Errors
    ///
    /// The first thing in it that there is not, or that is not allowed.
    pub fn replay(&self, games: &Games) -> Result<ReplayedGame, Refused> {
        let served = games.get(self.game.as_deref())?;
        let game = with_rules(served, &self.rules)?;
        if self.moves.len() > PLY_CAP as usize {
            return Err(Refused::new(format!("a game ends after {PLY_CAP} moves")));
        }
        let start = StateText::new(self.start.clone());
        let start = game.parse_state(&start);
        let mut position = start.map_err(|fault| Refused::new(fault.to_string()))?;
        let mut past = Vec::with_capacity(self.moves.len());
        for text in &self.moves {
            let mv = game.read_move(text).ok_or_else(|| {
                let (hint, found) = (game.move_hint(), excerpt(text));
                Refused::new(format!("expected {hint}, found `{found}`"))
            })?;
            let before = position.clone();
            position.play(mv).map_err(|illegal| Refused::new(illegal.to_string()))?;
            past.push((before, mv));
        }
        Ok(ReplayedGame { served: Arc::clone(served), past, position })
    }
}
