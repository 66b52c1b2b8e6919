//! What students hand in, made ready to play.
//!
//! [`prepare`] unpacks submissions, whatever they are packed in, finds out in which language each
//! is written and how it is built, builds it in a sandbox, and keeps in a
//! [`PreparedSubmission`](plyground_host::external::PreparedSubmission) how it is started. From
//! then on the class is one of players that are all named in the same way.
//!
//! Everything about a submission is the work of a stranger: the names in an archive, its size, the
//! build, and what that leaves. What cannot be prepared has a status and a reason, and is no
//! failure of the run.
//!
//! The folder of a submission has `plyground.toml`, which is written last, `build.log`, and
//! `program` with the files that were handed in and what was built of them, which is all that the
//! program sees when it plays.

mod archive;
mod building;
mod class;
mod cleaning;
mod compile;
mod complaint;
mod detect;
mod download;
mod entry_name;
mod error;
mod handed_in;
mod key;
mod line_ends;
mod one;
mod options;
mod overrides;
mod python2;
mod recipe;
mod source;
mod start;
mod submission;
mod tree;
mod unpacking;
mod word;

pub use building::{BuildLimits, BuildOptions};
pub use class::{PrepareEvent, PreparedLine, prepare, prepare_submission};
pub use download::Choice as AttemptChoice;
pub use error::PrepareError;
pub use options::PrepareOptions;
pub use overrides::{Override, Overrides};
pub use unpacking::UnpackLimits;
