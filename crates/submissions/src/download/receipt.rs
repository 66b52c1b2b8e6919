//! The receipts that a platform puts beside submissions.

use std::fs::File;
use std::io::Read;

use plyground_host::external::HandedIn;

use super::entry::{Entry, Part, Platform};

/// The number of bytes at the start of a receipt that are read.
const LONGEST: u64 = 16 * 1024;

/// Returns the facts about the student of these entries: those in the names, and the student's name in the
/// receipts of Blackboard, from the line `Name: Ann Lee (alee)`.
pub(super) fn facts(entries: &[Entry]) -> HandedIn {
    let mut facts = entries[0].facts.clone();
    let is_receipt = |entry: &&Entry| {
        entry.platform == Platform::Blackboard && matches!(entry.part, Part::Receipt)
    };
    let mut names = entries.iter().filter(is_receipt).filter_map(|entry| {
        let mut bytes = Vec::new();
        File::open(&entry.path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        name(&String::from_utf8_lossy(&bytes))
    });
    if let Some(name) = names.next_back() {
        facts.name = name;
    }
    facts
}

fn name(receipt: &str) -> Option<String> {
    let line = receipt
        .trim_start_matches('\u{feff}')
        .lines()
        .find_map(|line| line.trim().strip_prefix("Name:"))?;
    let name = line.rsplit_once('(').map_or(line, |(name, _)| name).trim();
    let is_name = !name.is_empty() && !name.chars().any(char::is_control);
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipt_has_the_name_of_the_student() {
        assert_eq!(name("Name: Ann Lee (alee)\r\nAssignment: 2\r\n").as_deref(), Some("Ann Lee"));
        assert_eq!(name("\u{feff}Name: Ann Lee\n").as_deref(), Some("Ann Lee"));
        assert_eq!(name("receipt"), None);
    }
}
