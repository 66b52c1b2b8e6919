//! A game as the page sends it with every request: the server itself keeps none.

use std::sync::Arc;

use plyground::Game;
use plyground_host::referee::PLY_CAP;
use plyground_host::state::StateText;
use plyground_host::{HostedPosition, MoveText, SharedGame, excerpt};
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::{App, ServedGame};

/// What is played, the first position and the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameLine {
    /// The name of the game; the first one that the server has if it is not said.
    #[serde(default)]
    pub(crate) game: Option<String>,
    /// The name of the rules.
    pub(crate) rules: String,
    /// A state file with `/` for the line ends, as in records.
    pub(crate) start: String,
    /// The moves as people write them.
    pub(crate) moves: Vec<String>,
}

/// A game in which every move is legal.
#[derive(Debug)]
pub(crate) struct ReplayedGame {
    pub(crate) served: Arc<ServedGame>,
    /// The moves, each with the position before it.
    pub(crate) past: Vec<(HostedPosition, MoveText)>,
    pub(crate) position: HostedPosition,
}

impl ReplayedGame {
    /// The position after so many moves of the game.
    pub(crate) fn position_at(&self, ply: usize) -> Option<&HostedPosition> {
        if ply == self.past.len() {
            return Some(&self.position);
        }
        self.past.get(ply).map(|(position, _)| position)
    }

    /// Whether the game is given up as a draw in its last position.
    pub(crate) fn is_at_cap(&self) -> bool {
        self.past.len() >= PLY_CAP as usize
    }

    /// Whether nobody is to move after so many moves of the game.
    pub(crate) fn is_over_at(&self, ply: usize) -> bool {
        let is_over = self.position_at(ply).is_none_or(HostedPosition::is_over);
        is_over || (ply == self.past.len() && self.is_at_cap())
    }
}

impl GameLine {
    /// A game without moves that begins in this position.
    pub(crate) fn of_start(start: &HostedPosition) -> GameLine {
        let game = start.game();
        GameLine {
            game: Some(game.name().to_owned()),
            rules: game.rules(),
            start: start.state_word(),
            moves: Vec::new(),
        }
    }

    /// Plays the game by the rules.
    pub(crate) fn replay(&self, app: &App) -> Result<ReplayedGame, Refusal> {
        let served = app.served(self.game.as_deref())?;
        let game = with_rules(&served, &self.rules)?;
        if self.moves.len() > PLY_CAP as usize {
            return Err(Refusal::input(format!("a game ends after {PLY_CAP} moves")));
        }
        let start = StateText::new(self.start.replace('/', "\n"));
        let start = game.parse_state(&start);
        let mut position = start.map_err(|fault| Refusal::input(fault.to_string()))?;
        let mut past = Vec::with_capacity(self.moves.len());
        for text in &self.moves {
            let mv = game.read_move(text).ok_or_else(|| {
                let (hint, found) = (game.move_hint(), excerpt(text));
                Refusal::input(format!("expected {hint}, found `{found}`"))
            })?;
            let before = position.clone();
            position.play(mv).map_err(|illegal| Refusal::input(illegal.to_string()))?;
            past.push((before, mv));
        }
        Ok(ReplayedGame { served, past, position })
    }
}

/// The game with the rules of this name.
pub(crate) fn with_rules(served: &ServedGame, rules: &str) -> Result<SharedGame, Refusal> {
    served
        .game
        .with_rules(rules)
        .ok_or_else(|| Refusal::input(format!("there are no rules called `{}`", excerpt(rules))))
}
