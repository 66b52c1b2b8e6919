//! How a submission is built and started, as data.

use std::path::PathBuf;

/// How a submission is built and started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    /// The language, for people; empty if nobody knows.
    pub(crate) language: String,
    /// Where it is built and started, below the folder of the submission.
    pub(crate) folder: PathBuf,
    /// The line for a shell that builds it; empty if there is nothing to build.
    pub(crate) build: String,
    /// The words for a shell that start it, or `None` if only the build shows what there is.
    pub(crate) start: Option<String>,
    /// If true, it is a Java class that plays without a `main`, and is not started by itself.
    pub(crate) is_player: bool,
    /// The programs that are needed, of which the system must have each.
    pub(crate) tools: Vec<&'static str>,
}
