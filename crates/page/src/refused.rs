//! Refusals of what a person has typed, pasted or opened.

use std::error::Error;
use std::fmt;

use plyground_durable::shorten;

/// The reason why a question has no answer: one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl Refused {
    /// Creates a refusal for this reason, which is shortened if it is long.
    pub fn new(why: impl Into<String>) -> Refused {
        Refused(shorten(&why.into()).into_owned())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Refused {}
