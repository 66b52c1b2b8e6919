//! The number of positions that each way to search looks at.

use plyground::trace::{Counts, Order, TraceOptions};
use plyground_host::HostedPosition;
use serde::Serialize;

/// A way to search, with and without a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Way {
    /// The name: `alpha-beta, good order`.
    pub name: &'static str,
    /// The number of positions that it enters without a table; `None` if that is more than the limit.
    pub nodes: Option<u64>,
    /// The number of positions that it enters with a table; `None` if that is more than the limit.
    pub with_table: Option<u64>,
}

/// The ways to search a position to a depth, side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The depth in plies.
    pub depth: u32,
    /// The ways, from the plainest on.
    pub ways: Vec<Way>,
    /// The greatest number of positions that a way was allowed to enter.
    pub most: u64,
}

const WAYS: [(&str, bool, Order); 4] = [
    ("minimax", false, Order::Natural),
    ("alpha-beta, bad order", true, Order::Bad),
    ("alpha-beta, the game's order", true, Order::Natural),
    ("alpha-beta, good order", true, Order::Good),
];

impl Comparison {
    /// Searches `position` in every way, each with at most `most` positions.
    #[must_use]
    pub fn new(position: &HostedPosition, depth: u32, most: u64) -> Comparison {
        let nodes = |prunes, order, table| {
            let options = TraceOptions { depth, prunes, order, table };
            position.trace_counts(&options, most).as_ref().map(Counts::nodes)
        };
        let ways = WAYS.map(|(name, prunes, order)| Way {
            name,
            nodes: nodes(prunes, order, false),
            with_table: nodes(prunes, order, true),
        });
        Comparison { depth, ways: ways.to_vec(), most }
    }

    /// Returns a number of positions as people read it; `> ` and the limit for `None`.
    #[must_use]
    pub fn show(&self, nodes: Option<u64>) -> String {
        match nodes {
            Some(nodes) => grouped(nodes),
            None => format!("> {}", grouped(self.most)),
        }
    }

    /// Returns the share of the positions of minimax without a table, in percent; empty if either number is
    /// not known.
    #[must_use]
    pub fn share(&self, nodes: Option<u64>) -> String {
        let whole = self.ways.first().and_then(|way| way.nodes);
        nodes.zip(whole).map_or_else(String::new, |(nodes, whole)| {
            format!("{:.1} %", 100.0 * nodes as f64 / whole as f64)
        })
    }
}

/// Returns a number with commas between its thousands.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        let texts = [0, 12, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1,000", "1,234,567"]);
    }
}
