//! Faults, counted by their kinds.

use std::collections::BTreeMap;
use std::fmt;

use plyground_host::Fault;
use serde::Serialize;

/// The number of games that a player has lost by a fault, by the word for the kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct FaultCounts(BTreeMap<&'static str, u64>);

impl FaultCounts {
    pub(crate) fn add(&mut self, fault: &Fault) {
        *self.0.entry(fault.word()).or_default() += 1;
    }

    /// The number of all faults.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// If true, there has been no fault.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Every kind with its number: `crash 2, no move 1`.
impl fmt::Display for FaultCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (word, count)) in self.0.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            write!(f, "{comma}{word} {count}")?;
        }
        Ok(())
    }
}
