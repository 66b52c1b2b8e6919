//! The search behind the assignments' players.

use std::fmt;

use plyground::Game;
use plyground_host::{
    ChosenMove, Constraints, EngineOptions, HostedEngine, Strength, host_position,
};

use crate::moves::Move;
use crate::position::Position;
use crate::program::{Network, game};
use crate::rules::Rules;

/// An engine that chooses moves of typed positions.
pub(crate) struct Machine {
    program: Network,
    engine: Box<dyn HostedEngine>,
    strength: Strength,
}

impl Machine {
    /// Makes an engine for these rules that plays at this strength.
    pub(crate) fn new(rules: Rules, strength: Strength) -> Machine {
        let engine = game(rules).engine(EngineOptions::default());
        Machine { program: Network { rules }, engine, strength }
    }

    /// Chooses a move, makes it in `position`, and returns it with the engine's report; `None` if the game
    /// is over.
    pub(crate) fn play(&mut self, position: &mut Position) -> Option<(Move, ChosenMove)> {
        let hosted = host_position(&self.program, *position);
        let chosen = self.engine.choose(&hosted, self.strength, &Constraints::default());
        let chosen = chosen.ok()??;
        let mv = chosen.mv.as_str().parse().ok()?;
        position.play(mv).ok()?;
        Some((mv, chosen))
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machine").field("strength", &self.strength).finish_non_exhaustive()
    }
}
