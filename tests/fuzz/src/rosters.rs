//! Rosters, and the times in them.

use plyground_arena::grade::{Roster, lateness, parse_time};

use crate::scratch;
use crate::source::Source;
use crate::told::assert_told;

/// A roster has a line for everybody without a submission; a fault is told with its line.
pub fn run(bytes: &[u8]) {
    let mut source = Source(bytes);
    if source.byte().is_multiple_of(4) {
        let first = String::from_utf8_lossy(source.until(b'\n')).into_owned();
        match (parse_time(&first), parse_time(&source.text())) {
            (Ok(first), Ok(second)) => {
                let late = [lateness(first, second), lateness(second, first)];
                assert!(late.iter().flatten().count() <= 1, "{late:?}");
            }
            (Err(why), _) | (_, Err(why)) => assert_told(&why),
        }
        return;
    }
    match Roster::read(&scratch::file("roster.csv", source.0)) {
        Ok(roster) => match roster.matched(&[]) {
            Ok(matched) => assert_eq!(matched.absent.len(), matched.unmatched.len()),
            Err(fault) => assert_told(&fault),
        },
        Err(fault) => assert_told(&fault),
    }
}
