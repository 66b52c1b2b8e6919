//! How submissions are prepared.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::building::BuildOptions;
use crate::download::Choice;
use crate::unpacking::UnpackLimits;

/// How the submissions of a class are prepared.
#[derive(Clone, Debug)]
pub struct PrepareOptions {
    /// The folder for the submissions; it is made if there is none.
    pub out: PathBuf,
    /// The file with what a person says of some of them.
    pub overrides: Option<PathBuf>,
    /// What the assignment calls the program: of several in a submission, it is taken.
    pub program: String,
    /// What a submission may be.
    pub unpack: UnpackLimits,
    /// How it is built.
    pub build: BuildOptions,
    /// The attempt that counts.
    pub attempt: Choice,
    /// If true, submissions stay that are no longer in the download.
    pub keep: bool,
    /// Whether those are prepared, too, of which nothing has changed.
    pub again: bool,
    /// How many are prepared at a time.
    pub jobs: NonZeroUsize,
}
