//! The levels of the sandbox.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The degree to which a program is kept apart from everything else on the computer.
///
/// The greater level promises more. The [crate documentation](crate#levels) says what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    /// The program runs as the user does. Only its limits are enforced.
    None,
    /// The kernel refuses files, sockets and system calls, and the program has a user ID of its own.
    /// The host runs as root.
    User,
    /// The program lives in namespaces of its own, where there is nothing that it must not have.
    Full,
}

/// All levels, the least first.
pub(crate) const LEVELS: [SandboxLevel; 3] =
    [SandboxLevel::None, SandboxLevel::User, SandboxLevel::Full];

/// The text is no level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected full, user or none")]
pub struct NoLevel;

impl SandboxLevel {
    /// Returns the name of the level in one lower-case word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SandboxLevel::None => "none",
            SandboxLevel::User => "user",
            SandboxLevel::Full => "full",
        }
    }
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SandboxLevel {
    type Err = NoLevel;

    fn from_str(text: &str) -> Result<SandboxLevel, NoLevel> {
        LEVELS.into_iter().find(|level| level.name() == text).ok_or(NoLevel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_is_read_as_it_is_written() {
        for level in LEVELS {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert_eq!("Full".parse::<SandboxLevel>(), Err(NoLevel));
        assert!(LEVELS.is_sorted());
    }
}
