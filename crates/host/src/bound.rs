//! The kind of a score, as a word in records, messages and JSON.

use std::fmt;
use std::str::FromStr;

use plyground::{Score, Value};
use serde::{Deserialize, Serialize};

/// The kind of a [`Value`], as a word beside its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The result of best play.
    Exact,
    /// The result of best play is this or greater.
    AtLeast,
    /// The result of best play is this or less.
    AtMost,
    /// A judgment that may be wrong.
    #[default]
    Estimate,
}

impl Bound {
    const ALL: [(Bound, &'static str); 4] = [
        (Bound::Exact, "exact"),
        (Bound::AtLeast, "at-least"),
        (Bound::AtMost, "at-most"),
        (Bound::Estimate, "estimate"),
    ];

    /// Returns the kind of a value.
    #[must_use]
    pub fn of(value: Value) -> Bound {
        match value {
            Value::Exact(_) => Bound::Exact,
            Value::AtLeast(_) => Bound::AtLeast,
            Value::AtMost(_) => Bound::AtMost,
            Value::Estimate(_) => Bound::Estimate,
        }
    }

    /// Returns the value of this kind with this score.
    #[must_use]
    pub fn with(self, score: Score) -> Value {
        match self {
            Bound::Exact => Value::Exact(score),
            Bound::AtLeast => Value::AtLeast(score),
            Bound::AtMost => Value::AtMost(score),
            Bound::Estimate => Value::Estimate(score),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Bound::ALL.iter().find(|(bound, _)| bound == self);
        f.pad(name.map_or("", |(_, name)| name))
    }
}

/// The error of a word that is not one of the four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected exact, at-least, at-most or estimate")]
pub struct NotABound;

impl FromStr for Bound {
    type Err = NotABound;

    fn from_str(text: &str) -> Result<Bound, NotABound> {
        let found = Bound::ALL.iter().find(|(_, name)| *name == text);
        found.map(|&(bound, _)| bound).ok_or(NotABound)
    }
}
