//! The end of a game, and the reason.

use plyground::{Outcome, Side};
use serde::{Deserialize, Serialize};

use crate::adapter::Text;
use crate::fault::Fault;
use crate::game::HostedPosition;

/// The end of a game, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// The reason why the game ended.
    pub reason: Reason,
}

/// The reason why a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// The game ended by its rules.
    Rules,
    /// A player lost by a fault.
    Forfeit {
        /// The player that lost.
        by: Side,
        /// The fault.
        #[serde(flatten)]
        fault: Fault,
    },
    /// The referee stopped the game.
    PlyCap {
        /// The number of plies played.
        plies: u32,
    },
}

impl Ending {
    /// Returns the end of a game that the rules ended.
    #[must_use]
    pub fn by_rules(outcome: Outcome) -> Ending {
        Ending { winner: outcome.winner(), reason: Reason::Rules }
    }

    /// Returns the end of a game that `by` lost by a fault.
    #[must_use]
    pub fn forfeit(by: Side, fault: Fault) -> Ending {
        Ending { winner: Some(by.other()), reason: Reason::Forfeit { by, fault } }
    }

    /// Returns the end of a game that the referee stopped after this many plies.
    #[must_use]
    pub fn ply_cap(plies: u32) -> Ending {
        Ending { winner: None, reason: Reason::PlyCap { plies } }
    }

    /// Returns the reason in words, for a game that ended in `position`.
    #[must_use]
    pub fn words(&self, position: &HostedPosition) -> String {
        let name = |side| position.game().side_name(side);
        self.reason.words(|| position.text(Text::Reason), name)
    }

    /// Returns the result, with the points of [`Side::First`] first: `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub fn result(&self) -> &'static str {
        result_of(self.winner)
    }
}

/// Returns the result of a game with this winner, or of a draw.
pub(crate) fn result_of(winner: Option<Side>) -> &'static str {
    match winner {
        Some(Side::First) => "1-0",
        Some(Side::Second) => "0-1",
        None => "1/2-1/2",
    }
}

impl Reason {
    /// Returns the reason in words, the same wherever a game is reported. `by_rules` returns the reason by
    /// the rules, and `name` the name of the player of a side.
    pub fn words(
        &self,
        by_rules: impl FnOnce() -> String,
        name: impl FnOnce(Side) -> String,
    ) -> String {
        match self {
            Reason::Rules => by_rules(),
            Reason::Forfeit { by, fault } => format!("{}: {fault}", name(*by)),
            Reason::PlyCap { plies } => format!("no end after {plies} plies"),
        }
    }

    /// Returns the player that lost by a fault, and the fault.
    #[must_use]
    pub fn fault(&self) -> Option<(Side, &Fault)> {
        match self {
            Reason::Forfeit { by, fault } => Some((*by, fault)),
            Reason::Rules | Reason::PlyCap { .. } => None,
        }
    }
}
