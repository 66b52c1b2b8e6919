//! The options for preparing submissions.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::building::BuildOptions;
use crate::download::Choice;
use crate::unpacking::UnpackLimits;

/// The options for preparing the submissions of a class.
#[derive(Clone, Debug)]
pub struct PrepareOptions {
    /// The folder for the prepared submissions; it is made if it does not exist.
    pub out: PathBuf,
    /// The file with a person's overrides for some of the submissions.
    pub overrides: Option<PathBuf>,
    /// The name of the program in the assignment: if a submission has several programs, the one of this name
    /// is taken.
    pub program: String,
    /// The limits of a submission after unpacking.
    pub unpack: UnpackLimits,
    /// The options for building submissions.
    pub build: BuildOptions,
    /// The attempt that counts.
    pub attempt: Choice,
    /// If true, submissions that are no longer in the download stay.
    pub keep: bool,
    /// If true, submissions that have not changed are prepared again, too.
    pub again: bool,
    /// The number of submissions that are prepared at a time.
    pub jobs: NonZeroUsize,
}
