//! The reason why a Java program cannot play.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use plyground_host::external::NotReady;
use plyground_sandbox::is_exhausted;
use thiserror::Error;

use crate::color::Rules;

/// The reason that a Java submission cannot play. The text is one line, and does not name the submission.
#[derive(Debug, Error)]
pub(crate) enum JavaError {
    /// There is no Java compiler.
    #[error(
        "java: players need a JDK, version 17 or newer, and there is no `{program}` in JAVA_HOME \
         or PATH; on Debian and Ubuntu `apt install default-jdk-headless` installs one"
    )]
    NoJdk {
        /// The program that is missing.
        program: String,
    },
    /// The Java programs that come with this crate do not compile.
    #[error("java: players need a JDK, version 17 or newer; {0}")]
    Host(Box<JavaError>),
    /// A program of the JDK failed.
    #[error("{program}: {complaint}")]
    Tool {
        /// The program.
        program: &'static str,
        /// The message of the program.
        complaint: String,
    },
    /// The compiler rejects the submission.
    #[error("it does not compile, {complaint}")]
    NotCompiled {
        /// The message of the compiler, one line.
        complaint: String,
    },
    /// A program of the JDK took too long.
    #[error("{program}: not done after {}", humantime::format_duration(*limit))]
    Slow {
        /// The program.
        program: &'static str,
        /// The time limit.
        limit: Duration,
    },
    /// A program of the JDK could not be run at all.
    #[error("{program}: {why}")]
    NoSandbox {
        /// The program.
        program: &'static str,
        /// The reason, from the system.
        why: String,
    },
    /// There is no such submission.
    #[error("{0}")]
    Missing(io::Error),
    /// The submission has no class that plays.
    #[error("expected {expected} in it, compiled or as source")]
    NoClass {
        /// The class that was looked for.
        expected: String,
    },
    /// The submission has only a class of the other course.
    #[error("found only {found}: add `--rules {rules}`")]
    OtherRules {
        /// The class that there is.
        found: String,
        /// The rules by which it plays.
        rules: Rules,
    },
    /// The submission has several classes that play.
    #[error(
        "found several players, {}: add `:CLASS`, or name the folder that has only one",
        found.join(", ")
    )]
    Several {
        /// The files.
        found: Vec<String>,
    },
    /// There are too many files to look for a class among them.
    #[error("more than {limit} files and folders")]
    TooLarge {
        /// The greatest number allowed.
        limit: usize,
    },
    /// The sources are too long to be read.
    #[error("its sources have more than {limit} bytes")]
    TooLong {
        /// The greatest number of bytes allowed.
        limit: u64,
    },
    /// At the level `user`, a program is another user, who may not enter the folder.
    #[error("{}: its mode lets no other user in: `chmod o+x` it", path.display())]
    Closed {
        /// The folder.
        path: PathBuf,
    },
    /// The name cannot be part of a class path.
    #[error("{}: Java cannot read from a folder with such a name", path.display())]
    BadName {
        /// The folder.
        path: PathBuf,
    },
    /// There is no folder for compiled classes.
    #[error("no folder for compiled Java: set HOME or XDG_CACHE_HOME")]
    NoCache,
    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl JavaError {
    /// Converts the error for the referee: it says that either the submission or the system is at fault.
    pub(crate) fn not_ready(&self) -> NotReady {
        let is_of_system = match self {
            JavaError::NoJdk { .. }
            | JavaError::Host(_)
            | JavaError::NoSandbox { .. }
            | JavaError::NoCache => true,
            JavaError::File { source, .. } => is_exhausted(source),
            _ => false,
        };
        let why = self.to_string();
        if is_of_system { NotReady::System(why) } else { NotReady::Program(why) }
    }

    /// Returns a function that makes the error of a file, for [`Result::map_err`].
    pub(super) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> JavaError {
        let path = path.into();
        move |source| JavaError::File { path, source }
    }
}
