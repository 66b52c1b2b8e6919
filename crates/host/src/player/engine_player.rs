//! The player that searches.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Answer, Player, ProposedMove, Turn};
use crate::engine::{ChosenMove, Constraints, HostedEngine, Strength};
use crate::fault::Fault;

/// Called with every move and where it comes from.
type OnMove<'a> = Box<dyn FnMut(&ChosenMove) + Send + 'a>;

/// A player that makes the move that an engine chooses.
pub struct EnginePlayer<'a> {
    engine: Box<dyn HostedEngine>,
    strength: Strength,
    stop: Option<Arc<AtomicBool>>,
    on_move: Option<OnMove<'a>>,
}

impl<'a> EnginePlayer<'a> {
    /// A player that thinks this hard about every move.
    #[must_use]
    pub fn new(engine: Box<dyn HostedEngine>, strength: Strength) -> EnginePlayer<'a> {
        EnginePlayer { engine, strength, stop: None, on_move: None }
    }

    /// The same player, which moves at once when the flag is raised, unless it is perfect.
    #[must_use]
    pub fn with_stop(self, stop: Option<Arc<AtomicBool>>) -> EnginePlayer<'a> {
        EnginePlayer { stop, ..self }
    }

    /// The same player, which tells `on_move` of every move that it makes.
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
        let constraints = Constraints {
            limit: turn.limit,
            stop: self.stop.clone().filter(|_| !is_perfect),
            ..Constraints::default()
        };
        let chosen = self.engine.choose(turn.position, self.strength, &constraints);
        let chosen = chosen.ok().flatten().ok_or(Fault::NoMove)?;
        match (self.strength, turn.limit, chosen.depth) {
            (Strength::Depth(depth), Some(limit), Some(reached))
                if reached < depth && !chosen.value.is_exact() =>
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
