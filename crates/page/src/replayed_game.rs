//! A game as the page sends it with every request; the server keeps no games.

use std::sync::Arc;

use plyground::Game;
use plyground_durable::excerpt;
use plyground_host::referee::PLY_CAP;
use plyground_host::state::StateText;
use plyground_host::{HostedPosition, MoveText};
use serde::{Deserialize, Serialize};

use crate::games::{Games, ServedGame, with_rules};
use crate::refused::Refused;

/// The game and its rules, the first position and the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLine {
    /// The name of the game; if absent, the first game of the page.
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
    /// The game that is played.
    pub served: Arc<ServedGame>,
    /// The moves, each with the position before it.
    pub past: Vec<(HostedPosition, MoveText)>,
    /// The last position.
    pub position: HostedPosition,
}

impl ReplayedGame {
    /// Returns the position after `ply` moves of the game.
    #[must_use]
    pub fn position_at(&self, ply: usize) -> Option<&HostedPosition> {
        if ply == self.past.len() {
            return Some(&self.position);
        }
        self.past.get(ply).map(|(position, _)| position)
    }

    /// Returns true if the game has so many moves that it ends in a draw.
    #[must_use]
    pub fn is_at_cap(&self) -> bool {
        self.past.len() >= PLY_CAP as usize
    }

    /// Returns true if the game is over after `ply` moves, or has no position after `ply` moves.
    #[must_use]
    pub fn is_over_at(&self, ply: usize) -> bool {
        let is_over = self.position_at(ply).is_none_or(HostedPosition::is_over);
        is_over || (ply == self.past.len() && self.is_at_cap())
    }
}

impl GameLine {
    /// Returns a game without moves that begins in this position.
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
    /// Returns the first fault: an unknown game or unknown rules, a first position that cannot be read, too
    /// many moves, or a move that cannot be read or is illegal.
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
