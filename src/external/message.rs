//! What the referee and the supervisor of a player's processes say to each other: a line of JSON
//! each, on the standard input and output of the supervisor.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::folder::Folder;
use super::treatment::Treatment;

/// What is to be started, and how it is held.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Start {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// The only folder in which it may write. The supervisor makes it, and removes it in the end:
    /// nothing is left if the referee is killed.
    pub(super) folder: PathBuf,
    /// What is in the input file, if there is to be one.
    pub(super) input: Option<String>,
    /// Whether it is talked to by standard input and output. Otherwise its output is dropped.
    pub(super) talks: bool,
    /// The file in the folder for what it prints, if that is not dropped.
    pub(super) printed: Option<PathBuf>,
    /// Whether to confine it, as far as the system can.
    pub(super) sandbox: bool,
    /// What all its processes may occupy, in bytes.
    pub(super) memory: u64,
    /// What it may print in a turn, and have in its folder, in bytes.
    pub(super) output: u64,
    /// How many processes it may have.
    pub(super) processes: u32,
    /// The CPU time of its life, as far as that is known.
    pub(super) cpu: Option<Duration>,
    /// The file to which its standard error is added.
    pub(super) log: Option<PathBuf>,
}

impl Start {
    /// A program that is talked to, and treated like this; `cpu` is the time of its life.
    pub(super) fn new(
        words: Vec<String>,
        folder: &Folder,
        treatment: &Treatment,
        cpu: Option<Duration>,
    ) -> Start {
        let limits = &treatment.limits;
        Start {
            words,
            folder: folder.path().to_owned(),
            input: None,
            talks: true,
            printed: None,
            sandbox: treatment.sandbox,
            memory: limits.memory.as_u64(),
            output: limits.output.as_u64(),
            processes: limits.processes,
            cpu,
            log: treatment.log.clone(),
        }
    }

    /// The same, which is not talked to, but finds an input file.
    pub(super) fn with_input(self, input: String) -> Start {
        Start { input: Some(input), talks: false, ..self }
    }

    /// The same, which prints into a file of its folder.
    pub(super) fn printing_to(self, file: PathBuf) -> Start {
        Start { printed: Some(file), ..self }
    }
}

/// What the referee wants.
#[cfg(unix)]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// The first of all.
    Start(Start),
    /// A turn begins.
    Ask {
        /// What the player is told, line ends included.
        text: String,
        /// How long it may take from now on.
        wall: Option<Duration>,
        /// How much CPU time it may use from the end of the turn before.
        cpu: Option<Duration>,
    },
    /// The turn is over. To be answered with [`Report::Used`].
    Answered,
    /// The last words. The player has a moment to end by itself.
    Dismiss {
        /// What the player is told, line ends included.
        text: String,
    },
}

/// What the supervisor knows.
#[cfg(unix)]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The supervisor works. Before this nothing has been started that could have ended it.
    Ready,
    /// The player has said this line of the protocol.
    Line(String),
    /// The CPU time that it has used in its life, at the end of a turn.
    Used(Duration),
    /// All its processes are gone.
    Ended {
        /// Why.
        end: End,
        /// The CPU time that they used.
        cpu: Duration,
    },
}

/// How the processes of a player ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum End {
    /// The first of them ended by itself, with this exit code.
    Exit(i32),
    /// The first of them was ended by this signal.
    Signal(String),
    /// It could not be started, for this reason.
    NotStarted(String),
    /// It was not started or not held, for a reason that is the system's and not its own.
    System(String),
    /// It was ended for closing its standard output.
    ClosedOutput,
    /// They were ended for using too much CPU time.
    CpuLimit,
    /// They were ended for taking too long.
    WallLimit,
    /// They were ended for their memory.
    MemoryLimit,
    /// They were ended for printing or writing too much.
    OutputLimit,
    /// They were ended for being too many.
    Processes,
    /// They were ended, since they are not wanted any more.
    Dismissed,
    /// Nobody knows: the supervisor itself is gone.
    Lost,
}
