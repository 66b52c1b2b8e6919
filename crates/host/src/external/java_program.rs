//! A Java class that plays.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

/// A Java class in a folder or a jar: `subs/ann`, `subs/bob.jar:player.MachinePlayer`.
///
/// `Display` writes what `FromStr` reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaProgram {
    path: PathBuf,
    class: Option<String>,
}

/// The error of a text that names neither a folder nor a jar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a folder or a jar, and perhaps `:CLASS`")]
pub struct NoJavaProgram;

impl JavaProgram {
    /// Returns the folder or the jar.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the name of the class with its package, if it is given; otherwise the game's program finds it.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        self.class.as_deref()
    }
}

impl FromStr for JavaProgram {
    type Err = NoJavaProgram;

    fn from_str(text: &str) -> Result<JavaProgram, NoJavaProgram> {
        // The path may contain colons.
        let (path, class) = match text.rsplit_once(':') {
            Some((path, class)) if is_class_name(class) => (path, Some(class.to_owned())),
            _ => (text, None),
        };
        if path.is_empty() {
            return Err(NoJavaProgram);
        }
        Ok(JavaProgram { path: path.into(), class })
    }
}

/// If true, a Java class can have this name.
pub(crate) fn is_class_name(name: &str) -> bool {
    name.split('.').all(|part| {
        let is_inner = |symbol: char| symbol.is_alphanumeric() || symbol == '_' || symbol == '$';
        part.chars().all(is_inner) && part.starts_with(|first: char| !first.is_ascii_digit())
    })
}

impl fmt::Display for JavaProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.class {
            Some(class) => write!(f, ":{class}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_may_follow_the_path() -> Result<(), NoJavaProgram> {
        for (text, path, class) in [
            ("subs/ann", "subs/ann", None),
            ("bob.jar:player.MachinePlayer", "bob.jar", Some("player.MachinePlayer")),
            ("subs/a:b:gallesComputerPlayer", "subs/a:b", Some("gallesComputerPlayer")),
            (r"C:\subs\ann", r"C:\subs\ann", None),
            ("a:2", "a:2", None),
        ] {
            let program: JavaProgram = text.parse()?;
            assert_eq!((program.path(), program.class()), (Path::new(path), class));
            assert_eq!(program.to_string(), text);
        }
        Ok(())
    }

    #[test]
    fn without_a_path_there_is_nothing() {
        for text in ["", ":Player"] {
            assert_eq!(text.parse::<JavaProgram>(), Err(NoJavaProgram), "{text}");
        }
    }
}
