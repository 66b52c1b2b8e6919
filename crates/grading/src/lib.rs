//! Submissions of a class, from the download to the grade.
//!
//! * [`submissions`] prepares what students hand in: it unpacks, builds, and finds the command that starts a
//!   program.
//! * [`grade`] holds a program to its assignment, and writes reports and tables for a course.

pub mod grade;
mod html;

pub mod submissions {
    //! Prepares the programs of students, so that they can play.
    //!
    //! [`prepare`] unpacks submissions of many formats, detects the language of each and the commands to
    //! build it, builds it in a sandbox, and keeps the command that starts it in a
    //! [`PreparedSubmission`](plyground_host::external::PreparedSubmission). From then on the submissions of
    //! a class are players that are all named in the same way.
    //!
    //! Everything about a submission is the work of a stranger: the names in an archive, its size, the build,
    //! and the files that the build leaves. A submission that cannot be prepared has a status and a reason;
    //! it does not make the run fail.
    //!
    //! The folder of a submission has `plyground.toml`, which is written last, `build.log`, and `program`,
    //! which has the submitted files and the results of the build. The program sees only `program` when it
    //! plays.

    mod archive;
    mod building;
    mod class;
    mod compare;
    mod detect;
    mod download;
    mod error;
    mod key;
    mod kind;
    mod one;
    mod recipe;
    mod source;
    mod start;
    mod tree;
    mod unpacking;

    pub use building::{BuildLimits, BuildOptions};
    pub use class::{PrepareEvent, PreparedLine, prepare, prepare_submission};
    pub use compare::{
        AlikePair, Passage, Place, Sources, alike, class_sources, comparison_page, starter_sources,
    };
    pub use download::Choice as AttemptChoice;
    pub use error::PrepareError;
    pub use one::PrepareOptions;
    pub use recipe::{Override, Overrides};
    pub use unpacking::{UnpackLimits, entry_place};
}
