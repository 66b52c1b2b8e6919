//! The player that searches.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Answer, Player, ProposedMove, Turn};
use crate::engine::{ChosenMove, Constraints, HostedEngine, Strength};
use crate::fault::Fault;

/// The share of its time after which a punctual player of a fixed depth moves.
const SHARE_OF_LIMIT: f64 = 0.8;

/// A function that is called with every move and its source.
type OnMove<'a> = Box<dyn FnMut(&ChosenMove) + Send + 'a>;

/// A player that makes the moves that an engine chooses.
pub struct EnginePlayer<'a> {
    engine: Box<dyn HostedEngine>,
    strength: Strength,
    stop: Option<Arc<AtomicBool>>,
    /// If true, it stops when its time is over or its flag is raised, whatever its strength.
    is_punctual: bool,
    margin: Duration,
    on_move: Option<OnMove<'a>>,
}

impl<'a> EnginePlayer<'a> {
    /// Returns a player that plays with this strength.
    #[must_use]
    pub fn new(engine: Box<dyn HostedEngine>, strength: Strength) -> EnginePlayer<'a> {
        let margin = Duration::ZERO;
        EnginePlayer { engine, strength, stop: None, is_punctual: false, margin, on_move: None }
    }

    /// Returns the player, which moves at once when the flag is raised, unless it is perfect.
    #[must_use]
    pub fn with_stop(self, stop: Option<Arc<AtomicBool>>) -> EnginePlayer<'a> {
        EnginePlayer { stop, ..self }
    }

    /// Returns the player, which leaves this much of its time unused: other programs need it to start.
    #[must_use]
    pub fn with_margin(self, margin: Duration) -> EnginePlayer<'a> {
        EnginePlayer { margin, ..self }
    }

    /// Returns the player, which plays the best move so far if its time is too short for its depth, in place
    /// of losing the game, and stops thinking when its flag is raised even if it is perfect.
    #[must_use]
    pub fn punctual(self) -> EnginePlayer<'a> {
        EnginePlayer { is_punctual: true, ..self }
    }

    /// Returns the player, which reports every move that it makes to `on_move`.
    #[must_use]
    pub fn with_on_move(self, on_move: impl FnMut(&ChosenMove) + Send + 'a) -> EnginePlayer<'a> {
        EnginePlayer { on_move: Some(Box::new(on_move)), ..self }
    }
}

impl fmt::Debug for EnginePlayer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnginePlayer").field("strength", &self.strength).finish_non_exhaustive()
    }
}

impl Player for EnginePlayer<'_> {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let is_perfect = matches!(self.strength, Strength::Perfect { .. });
        let is_of_depth = matches!(self.strength, Strength::Depth(_));
        let limit = match self.is_punctual && is_of_depth {
            true => turn.limit.map(|limit| limit.mul_f64(SHARE_OF_LIMIT)),
            false => turn.limit.map(|limit| limit.saturating_sub(self.margin)),
        };
        let constraints = Constraints {
            limit,
            stop: self.stop.clone().filter(|_| !is_perfect || self.is_punctual),
            ..Constraints::default()
        };
        let chosen = self.engine.choose(turn.position, self.strength, &constraints);
        let chosen = chosen.ok().flatten().ok_or(Fault::NoMove)?;
        match (self.strength, turn.limit, chosen.depth) {
            (Strength::Depth(depth), Some(limit), Some(reached))
                if !self.is_punctual && reached < depth && !chosen.value.is_exact() =>
            {
                return Err(Fault::WallLimit { limit });
            }
            _ => {}
        }
        if let Some(on_move) = &mut self.on_move {
            on_move(&chosen);
        }
        let ChosenMove { mv, value, depth, .. } = chosen;
        Ok(Answer::Move(ProposedMove { mv, value: Some(value), depth }))
    }

    fn allows_take_back(&self) -> bool {
        true
    }
}
