//! The messages between a host and a supervisor: a line of JSON each, on the standard input and
//! output of the supervisor.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::end::ProcessEnd;
use crate::launch::Launch;

/// What the host asks of the supervisor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Start a program. This is the first order.
    Start(Launch),
    /// Begin a turn.
    Ask {
        /// What to tell the program, line ends included.
        text: String,
        /// How long the turn may take from now on.
        wall: Duration,
        /// How much CPU time the program may use, counted from the end of the previous turn.
        cpu: Option<Duration>,
    },
    /// End the turn. The supervisor replies with [`Report::Used`].
    EndTurn,
    /// Tell the program to end. It has a moment to end by itself.
    Dismiss {
        /// What to tell the program, line ends included.
        text: String,
    },
}

/// What the supervisor tells the host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The supervisor works. Before this, it has started nothing that could have killed it.
    Ready,
    /// The program printed this line, which begins with a keyword.
    Line(String),
    /// The turn is over, and the program has used this much CPU time in its life.
    Used(Duration),
    /// All processes are gone.
    Ended {
        /// Why the program ended.
        end: ProcessEnd,
        /// The CPU time that the processes used.
        cpu: Duration,
    },
}
