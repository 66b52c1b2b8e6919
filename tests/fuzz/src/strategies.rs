//! Strategies and tables of openings, as the proofs of Network write them.

use network::strategy_check::check;
use network::{Position, Rules};
use research::{Strategy, opening_table, parse_opening_table};

use crate::source::Source;
use crate::told::assert_told;

/// The letters that are read as answers, at most: each costs many moves.
const MOST: usize = 40;

/// Nothing is taken for a strategy that has a gap; a table is read as it was written.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    match source.byte() % 3 {
        0 => checked(&source.text()),
        1 => match parse_opening_table(&source.text()) {
            Ok(rows) => {
                let text = opening_table(rows.clone());
                assert_eq!(parse_opening_table(&text), Ok(rows));
            }
            Err(fault) => assert_told(&fault),
        },
        _ => {
            let rules = Rules::BOTH[source.below(2)];
            let letters: String = source.text().chars().take(MOST).collect();
            // No forty letters answer everything from the start.
            assert_eq!(Strategy::of_letters(&Position::new(rules), &letters), None);
        }
    }
}

fn checked(text: &str) {
    let heading = text.lines().next().unwrap_or_default();
    let rest = text.get(heading.len()..).unwrap_or_default();
    let text: String = heading.chars().chain(rest.chars().take(MOST)).collect();
    match check(&text) {
        Ok(checked) => assert!(checked.answers <= MOST as u64),
        Err(gap) => assert!(gap.to_string().chars().count() < 400, "{gap}"),
    }
}
