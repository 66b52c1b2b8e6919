//! The messages between a host and a supervisor: a line of JSON each, on the standard input and
//! output of the supervisor.

use std::io::{self, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::end::ProcessEnd;
use crate::launch::Launch;
use crate::plan::SandboxPlan;

/// What the host asks of the supervisor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Build a sandbox. This is the first order.
    Build(Box<SandboxPlan>),
    /// Start a program. The one before has ended.
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
    /// The sandbox is built. Before this, the supervisor has started nothing that could have killed it.
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
        /// What they left.
        left: Leftovers,
    },
}

impl Report {
    /// Returns the report of a program that has not run.
    pub(crate) fn ended(end: ProcessEnd) -> Report {
        Report::Ended { end, cpu: Duration::ZERO, left: Leftovers::default() }
    }
}

/// What a program left for the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftovers {
    /// What it wrote into its output file, if the launch asks for that and there is a regular file.
    pub output: Option<Vec<u8>>,
    /// What it printed, if the launch asks for that.
    pub printed: Vec<u8>,
    /// The beginning of what it printed to standard error, at most 64 KiB.
    pub errors: Vec<u8>,
}

/// Tells the host something.
pub(crate) fn report(report: &Report) -> io::Result<()> {
    print(report)
}

/// Writes a value as a line of JSON to standard output.
pub(crate) fn print(value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    let mut to = io::stdout();
    to.write_all(line.as_bytes())?;
    to.flush()
}
