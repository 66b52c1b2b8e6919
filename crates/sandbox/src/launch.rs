//! One run of a program, and the messages about it between a host and a supervisor: a line of JSON
//! each, on the standard input and output of the supervisor.

use std::io::{self, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::failure::ProcessEnd;
use crate::policy::SandboxPlan;

/// The argument that tells a host's executable to supervise a program.
pub const SUPERVISE: &str = "supervise";

/// The name of the file that a program reads: see [`Launch::with_input`].
pub const INPUT: &str = "input.txt";
/// The name of the file that a program writes its answer into, if it answers with a file.
pub const OUTPUT: &str = "output.txt";

/// One run of a program in a [`Sandbox`](crate::Sandbox).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Launch {
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    /// The content of the input file, if there is one.
    pub(crate) input: Option<String>,
    /// The first words of the lines that the supervisor passes on, or `None` if the host
    /// does not talk to the program.
    pub(crate) keywords: Option<Vec<String>>,
    /// The first words of lines that the supervisor passes on as well, and that count apart.
    #[serde(default)]
    pub(crate) asides: Vec<String>,
    /// The length of the output file that the host reads when the program has ended, in bytes.
    pub(crate) output: Option<u64>,
    /// The length of the standard output that the host reads then, in bytes.
    pub(crate) printed: Option<u64>,
    /// The CPU time of the run, if it is limited.
    pub(crate) cpu: Option<Duration>,
}

impl Launch {
    /// Returns the launch of a program. `words` are the program and its arguments. `cpu` limits the
    /// CPU time of the run.
    ///
    /// The program has no standard input, and what it prints is dropped.
    #[must_use]
    pub fn new(words: Vec<String>, cpu: Option<Duration>) -> Launch {
        let asides = Vec::new();
        Launch { words, input: None, keywords: None, asides, output: None, printed: None, cpu }
    }

    /// Connects the program's standard input and output with the host.
    ///
    /// The host hears the lines whose first word is among `keywords`. The program may print
    /// anything else as well.
    #[must_use]
    pub fn talking(self, keywords: &[&str]) -> Launch {
        let keywords = keywords.iter().map(|&word| word.to_owned()).collect();
        Launch { keywords: Some(keywords), ..self }
    }

    /// Passes on the lines as well whose first word is among these, if the host
    /// [talks](Launch::talking) to the program. However many they are, they keep no other line from
    /// being heard.
    #[must_use]
    pub fn with_asides(self, asides: &[&str]) -> Launch {
        Launch { asides: asides.iter().map(|&word| word.to_owned()).collect(), ..self }
    }

    /// Puts a file named [`INPUT`](crate::INPUT) with this content into the program's folder.
    #[must_use]
    pub fn with_input(self, input: String) -> Launch {
        Launch { input: Some(input), ..self }
    }

    /// Keeps the first `most` bytes of the file named [`OUTPUT`](crate::OUTPUT) for the host.
    #[must_use]
    pub fn with_output(self, most: u64) -> Launch {
        Launch { output: Some(most), ..self }
    }

    /// Keeps the first `most` bytes of what the program prints for the host.
    #[must_use]
    pub fn with_printed(self, most: u64) -> Launch {
        Launch { printed: Some(most), ..self }
    }
}

/// The time for which others may keep a program from running in a turn, in units of the turn's wall time. If
/// they do so for longer, the computer is too busy.
pub(crate) const MOST_KEPT: u32 = 3;

/// An order of the host to the supervisor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Build a sandbox. This is the first order.
    Build(Box<SandboxPlan>),
    /// Start a program. The one before has ended.
    Start(Launch),
    /// Begin a turn.
    Ask {
        /// The text that the program reads, line ends included.
        text: String,
        /// The wall time of the turn, from now on, without the time for which others keep the program from
        /// running.
        wall: Duration,
        /// The CPU time that the program may use, counted from the end of the previous turn.
        cpu: Option<Duration>,
    },
    /// Reply to [`Report::TimeOver`]: none of the lines that came before it was the answer.
    NotAnswered,
    /// End the turn. The supervisor replies with [`Report::Used`].
    EndTurn,
    /// Tell the program to end. It has a moment to end by itself.
    Dismiss {
        /// The text that the program reads, line ends included.
        text: String,
    },
}

/// A message of the supervisor to the host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The sandbox is built. Before this, the supervisor has started nothing that could have killed it.
    Ready,
    /// The program printed this line, which begins with a keyword.
    Line(String),
    /// The time of the turn is over. The program has had no more than its time if one of the lines that came
    /// before is the answer; the host, which knows, ends the turn then.
    TimeOver,
    /// The turn is over.
    Used {
        /// The CPU time that the program has used in its life, without a moment after each answer.
        cpu: Duration,
        /// The wall time of the turn up to the last line, without that for which others kept it from running.
        wall: Duration,
    },
    /// The processes are about to be killed.
    Ending,
    /// All processes are gone.
    Ended {
        /// The reason of the end.
        end: ProcessEnd,
        /// The CPU time that the processes used.
        cpu: Duration,
        /// The wall time of the last turn, without that for which others kept them from running.
        wall: Duration,
        /// The files and texts that they left.
        left: Leftovers,
    },
}

impl Report {
    /// Returns the report of a program that has not run.
    pub(crate) fn ended(end: ProcessEnd) -> Report {
        Report::Ended { end, cpu: Duration::ZERO, wall: Duration::ZERO, left: Leftovers::default() }
    }
}

/// The output that a program left for the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftovers {
    /// The beginning of its output file, if the launch asks for that and there is a regular file.
    pub output: Option<Vec<u8>>,
    /// The beginning of its standard output, if the launch asks for that.
    pub printed: Vec<u8>,
    /// The beginning of its standard error, at most 64 KiB.
    pub errors: Vec<u8>,
    /// The beginning of a line on its standard output that has no end yet, at most 200 bytes, if the
    /// host talked to it.
    pub unfinished: Vec<u8>,
    /// The beginning of its last line with a keyword that the host did not hear, at most 200 bytes: one
    /// that came too late, or begins with something else.
    pub unheard: Vec<u8>,
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
