//! How a game ended.

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::position::HostedPosition;
use plyground::{Outcome, Side};

/// How a game ended, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// Who won; `None` for a draw.
    pub winner: Option<Side>,
    /// Why the game ended.
    pub reason: Reason,
}

/// Why a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// The rules of the game say so.
    Rules,
    /// A player lost by a fault.
    Forfeit {
        /// The player who lost.
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
    /// The end of a game that the rules ended.
    #[must_use]
    pub fn by_rules(outcome: Outcome) -> Ending {
        Ending { winner: outcome.winner(), reason: Reason::Rules }
    }

    /// The end of a game that `by` lost by a fault.
    #[must_use]
    pub fn forfeit(by: Side, fault: Fault) -> Ending {
        Ending { winner: Some(by.other()), reason: Reason::Forfeit { by, fault } }
    }

    /// The end of a game that the referee stopped after this many plies.
    #[must_use]
    pub fn ply_cap(plies: u32) -> Ending {
        Ending { winner: None, reason: Reason::PlyCap { plies } }
    }

    /// The reason for a person, of a game that ended in `position`.
    #[must_use]
    pub fn words(&self, position: &HostedPosition) -> String {
        let name = |side| position.game().side_name(side);
        self.reason.words(|| position.reason(), name)
    }

    /// The result, the points of [`Side::First`] first: `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub fn result(&self) -> &'static str {
        match self.winner {
            Some(Side::First) => "1-0",
            Some(Side::Second) => "0-1",
            None => "1/2-1/2",
        }
    }
}

impl Reason {
    /// The words for the reason, the same wherever a game is told of. `by_rules` is the reason by the rules,
    /// and `name` the name of the player that has a side.
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

    /// The player that lost by a fault, and the fault.
    #[must_use]
    pub fn fault(&self) -> Option<(Side, &Fault)> {
        match self {
            Reason::Forfeit { by, fault } => Some((*by, fault)),
            Reason::Rules | Reason::PlyCap { .. } => None,
        }
    }
}
