//! The file in an autograder that says how it is to grade.

use plyground_sandbox::{ProcessLimits, SandboxLevel};
use serde::{Deserialize, Serialize};

/// The names of the files in the zip, and so in the folder `source` of Gradescope.
pub(super) const OPTIONS: &str = "autograder.toml";
pub(super) const POINTS: &str = "points.toml";
pub(super) const OVERRIDES: &str = "override.toml";
pub(super) const PROGRAM: &str = "grader";
pub(super) const FAILED: &str = "failed.json";

/// The options of an autograder, as a file in TOML in its zip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AutograderFile {
    /// The player, as the command line names it.
    pub(super) player: String,
    /// The assignment's name for the program.
    pub(super) program: String,
    /// The seed that the positions are drawn by.
    pub(super) seed: u64,
    /// The time for all checks, in milliseconds.
    pub(super) total_ms: u64,
    /// If true, there is a file with points.
    pub(super) points: bool,
    /// If true, there is a file that says how submissions are built and started.
    pub(super) overrides: bool,
    /// The level of the sandboxes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sandbox: Option<SandboxLevel>,
    /// The limits of programs.
    pub(super) limits: ProcessLimits,
}
