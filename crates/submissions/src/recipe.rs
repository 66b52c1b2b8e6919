//! The commands that build and start a submission, as data.

use std::path::PathBuf;

/// The commands that build and start a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    /// The name of the language for people; empty if it is not known.
    pub(crate) language: String,
    /// The folder in which both commands run, below the folder of the submission.
    pub(crate) folder: PathBuf,
    /// The shell command that builds it; empty if there is nothing to build.
    pub(crate) build: String,
    /// The shell command that starts it; `None` if it can be found only after the build.
    pub(crate) start: Option<String>,
    /// If true, the program is a Java class without a `main`, which cannot be started by itself.
    pub(crate) is_player: bool,
    /// The programs that the system must have.
    pub(crate) tools: Vec<&'static str>,
}
