//! What to start, and how to hold it.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::folder::ProcessFolder;
use crate::policy::SandboxPolicy;

/// A program to start, and how the supervisor holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Launch {
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    /// The only folder in which the program may write. The supervisor makes and removes it, so
    /// that nothing is left if the host is killed.
    pub(crate) folder: PathBuf,
    /// The content of the input file, if there is one.
    pub(crate) input: Option<String>,
    /// The first words of the lines that the supervisor passes on, or `None` if the host
    /// does not talk to the program.
    pub(crate) keywords: Option<Vec<String>>,
    /// The file in the folder that receives standard output, unless that is dropped or read.
    pub(crate) printed: Option<PathBuf>,
    /// Whether to confine the program as far as the system can.
    pub(crate) sandbox: bool,
    /// The memory that all processes may occupy, in bytes.
    pub(crate) memory: u64,
    /// How much the program may print in a turn, and keep in its folder, in bytes.
    pub(crate) output: u64,
    /// How many processes the program may have.
    pub(crate) processes: u32,
    /// The CPU time of the program's life, if it is limited.
    pub(crate) cpu: Option<Duration>,
    /// The file that receives standard error.
    pub(crate) log: Option<PathBuf>,
}

impl Launch {
    /// Returns the launch of a program that runs in `folder` by the rules of `policy`.
    ///
    /// `words` are the program and its arguments. `cpu` limits the CPU time of its whole life.
    ///
    /// The program has no standard input, and what it prints is dropped.
    #[must_use]
    pub fn new(
        words: Vec<String>,
        folder: &ProcessFolder,
        policy: &SandboxPolicy,
        cpu: Option<Duration>,
    ) -> Launch {
        let limits = &policy.limits;
        Launch {
            words,
            folder: folder.path().to_owned(),
            input: None,
            keywords: None,
            printed: None,
            sandbox: policy.sandbox,
            memory: limits.memory.as_u64(),
            output: limits.output.as_u64(),
            processes: limits.processes,
            cpu,
            log: policy.log.clone(),
        }
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

    /// Puts a file named [`INPUT`](crate::INPUT) with this content into the program's folder.
    #[must_use]
    pub fn with_input(self, input: String) -> Launch {
        Launch { input: Some(input), ..self }
    }

    /// Sends the program's standard output to a file, which should be in its folder. The host hears
    /// nothing of it.
    #[must_use]
    pub fn printing_to(self, file: PathBuf) -> Launch {
        Launch { printed: Some(file), ..self }
    }
}
