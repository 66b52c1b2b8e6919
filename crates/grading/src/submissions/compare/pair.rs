//! Two submissions that are alike, and the passages that they share.

use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Two submissions that share more than chance explains.
#[derive(Clone, Debug, PartialEq)]
pub struct AlikePair {
    /// Their names.
    pub names: [String; 2],
    /// The part of the smaller one, from 0 to 1, that is in the other, too.
    pub share: f64,
    /// The passages that they have in common, the longest first.
    pub passages: Vec<Passage>,
}

/// A passage that two submissions have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The places of the passage, one in each submission.
    pub places: [Place; 2],
    /// The number of fingerprints.
    pub(super) prints: usize,
}

/// A place in a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, below the folder of the submission.
    pub file: PathBuf,
    /// The lines, from 1.
    pub lines: RangeInclusive<usize>,
    /// Their text.
    pub(super) text: String,
}

impl AlikePair {
    /// The share in percent.
    #[must_use]
    pub fn percent(&self) -> u32 {
        (self.share * 100.0).round() as u32
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}-{}", self.file.display(), self.lines.start(), self.lines.end())
    }
}
