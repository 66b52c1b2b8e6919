//! The line protocol as the referee hears it: what an engine says.

use plyground_host::protocol::EngineMessage;

use crate::source::Source;

/// A message that is understood has a move without blanks, and a value that a score can have.
pub fn run(bytes: &[u8]) {
    for line in Source(bytes).text().lines() {
        match EngineMessage::read(line) {
            Some(EngineMessage::BestMove { mv, value, .. }) => {
                assert!(!mv.contains(|c: char| c.is_ascii_whitespace()), "{mv:?}");
                let again = format!("bestmove {mv}");
                let is_same = |message| matches!(message, Some(EngineMessage::BestMove { mv: same, .. }) if same == mv);
                assert!(is_same(EngineMessage::read(&again)), "{again:?}");
                if let Some(value) = value {
                    let _ = value.score().plies_to_end();
                }
            }
            Some(known) => assert!(line.trim_start().len() >= 5, "{known:?}"),
            None => {}
        }
    }
}
