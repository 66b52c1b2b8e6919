//! What a player prints, as far as it matters.

use super::message::End;
use super::protocol::Saying;

/// No line of the protocol is longer, in bytes.
const LONGEST_LINE: usize = 1 << 12;

/// What is said beyond this in a turn nobody listens to. A program that says more says nothing, and
/// all of it would be held in the memory of the referee.
const MOST_SAYINGS: u32 = 1000;

/// Finds the lines of the protocol in what a player prints, and counts all of it.
#[derive(Debug)]
pub(super) struct Relay {
    /// Whether there is a protocol at all.
    talks: bool,
    /// What may be printed in a turn, in bytes.
    limit: u64,
    printed: u64,
    /// The lines of the protocol in this turn.
    sayings: u32,
    /// The beginning of a line.
    line: Vec<u8>,
}

impl Relay {
    pub(super) fn new(talks: bool, limit: u64) -> Relay {
        Relay { talks, limit, printed: 0, sayings: 0, line: Vec::new() }
    }

    pub(super) fn begin_turn(&mut self) {
        (self.printed, self.sayings) = (0, 0);
    }

    /// The lines of the protocol that end in `bytes`.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<String>, End> {
        self.printed = self.printed.saturating_add(bytes.len() as u64);
        if self.printed > self.limit {
            return Err(End::OutputLimit);
        }
        let mut lines = Vec::new();
        if self.talks {
            for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
                let room = (LONGEST_LINE + 1).saturating_sub(self.line.len());
                self.line.extend_from_slice(&piece[..piece.len().min(room)]);
                if piece.ends_with(b"\n") {
                    lines.extend(self.end_line());
                }
            }
        }
        Ok(lines)
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if line.len() > LONGEST_LINE || Saying::read(text).is_none() {
            return None;
        }
        self.sayings = self.sayings.saturating_add(1);
        (self.sayings <= MOST_SAYINGS).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_protocol_are_found_whatever_is_around_them() {
        let mut relay = Relay::new(true, 1_000_000);
        assert_eq!(relay.take(b"thinking...\nbest"), Ok(vec![]));
        assert_eq!(relay.take(b"move 4\r\nready"), Ok(vec!["bestmove 4".to_owned()]));
        let long = [b'x'; 3 * LONGEST_LINE];
        assert_eq!(relay.take(&long), Ok(vec![]));
        assert_eq!(relay.take(b"\n\xff\nresign\n\n"), Ok(vec!["resign".to_owned()]));
    }

    #[test]
    fn who_says_too_much_is_not_listened_to() {
        let mut relay = Relay::new(true, 1_000_000);
        let lines = relay.take(&b"readyok\n".repeat(5000)).map(|lines| lines.len());
        assert_eq!(lines, Ok(MOST_SAYINGS as usize));
        relay.begin_turn();
        assert_eq!(relay.take(b"resign\n"), Ok(vec!["resign".to_owned()]));
    }

    #[test]
    fn what_is_printed_in_a_turn_is_counted() {
        let mut relay = Relay::new(false, 10);
        assert_eq!(relay.take(&[b'x'; 10]), Ok(vec![]));
        assert_eq!(relay.take(b"x"), Err(End::OutputLimit));
        relay.begin_turn();
        assert_eq!(relay.take(b"resign\n"), Ok(vec![]));
    }
}
