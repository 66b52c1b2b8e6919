//! The relay of the lines that a program prints to the host.

use crate::failure::ProcessEnd;

/// The longest line that is passed on, in bytes.
const LONGEST_LINE: usize = 1 << 12;

/// The length of a line without an end, or of an unheard one, that the host is told of, in bytes.
const LONGEST_QUOTED: usize = 200;

/// The most lines that are passed on in a turn, and the most asides besides them.
///
/// A program that prints more says nothing of use, and the host would keep all of it in memory.
const MOST_LINES: u32 = 1000;

/// Finds the lines for the host in what a program prints, and counts everything.
#[derive(Debug)]
pub(crate) struct Relay {
    /// The first words of the lines for the host. Without them, the host reads nothing.
    keywords: Option<Vec<String>>,
    /// The first words of lines that the host hears as well.
    asides: Vec<String>,
    /// The length of the shortest of all these words.
    shortest: usize,
    /// The number of bytes that the program may print in a turn.
    limit: u64,
    printed: u64,
    /// The number of lines for the host in this turn.
    lines: u32,
    /// The number of asides in this turn.
    aside_lines: u32,
    /// The beginning of a line.
    line: Vec<u8>,
    /// If true, all lines come too late for the host.
    is_over: bool,
    /// The beginning of the last line of this turn that was probably meant for the host, but did not
    /// reach it.
    unheard: Vec<u8>,
}

impl Relay {
    pub(crate) fn new(keywords: Option<Vec<String>>, asides: Vec<String>, limit: u64) -> Relay {
        let words = keywords.iter().flatten().chain(&asides);
        Relay {
            shortest: words.map(String::len).min().unwrap_or(0),
            keywords,
            asides,
            limit,
            printed: 0,
            lines: 0,
            aside_lines: 0,
            line: Vec::new(),
            is_over: false,
            unheard: Vec::new(),
        }
    }

    pub(crate) fn begin_turn(&mut self) {
        (self.printed, self.lines, self.aside_lines) = (0, 0, 0);
        self.unheard.clear();
        self.is_over = false;
    }

    /// Passes on no more lines: the time for an answer is over.
    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }

    /// Returns the lines for the host that end in `bytes`.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<Vec<String>, ProcessEnd> {
        self.printed = self.printed.saturating_add(bytes.len() as u64);
        if self.printed > self.limit {
            return Err(ProcessEnd::OutputLimit);
        }
        let mut lines = Vec::new();
        if self.keywords.is_some() {
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

    /// Returns the beginning of a line that has no end yet.
    pub(crate) fn unfinished(&self) -> &[u8] {
        &self.line[..self.line.len().min(LONGEST_QUOTED)]
    }

    /// Returns the beginning of the last line of the turn with a keyword that did not reach the host: one
    /// that came too late, or begins with something else.
    pub(crate) fn unheard(&self) -> &[u8] {
        &self.unheard[..self.unheard.len().min(LONGEST_QUOTED)]
    }

    /// Notes a line that does not reach the host, if it has a keyword.
    fn overhear(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase();
        if self.keywords.iter().flatten().any(|keyword| lower.contains(keyword.as_str())) {
            self.unheard = text.as_bytes().to_vec();
        }
    }

    fn end_line(&mut self) -> Option<String> {
        // Lines without anything are many where a program wants to keep us busy.
        if self.line.len() <= self.shortest {
            self.line.clear();
            return None;
        }
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if line.len() > LONGEST_LINE {
            return None;
        }
        if self.is_over {
            self.overhear(text);
            return None;
        }
        let first = text.split_ascii_whitespace().next()?;
        let count = if self.keywords.iter().flatten().any(|keyword| keyword == first) {
            &mut self.lines
        } else if self.asides.iter().any(|aside| aside == first) {
            &mut self.aside_lines
        } else {
            self.overhear(text);
            return None;
        };
        *count = count.saturating_add(1);
        (*count <= MOST_LINES).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keywords() -> Option<Vec<String>> {
        Some(["readyok", "bestmove", "resign"].map(str::to_owned).to_vec())
    }

    #[test]
    fn relay_finds_lines_among_other_output() {
        let mut relay = Relay::new(keywords(), vec![], 1_000_000);
        assert_eq!(relay.take(b"thinking...\nbest"), Ok(vec![]));
        assert_eq!(relay.take(b"move 4\r\nready"), Ok(vec!["bestmove 4".to_owned()]));
        let long = [b'x'; 3 * LONGEST_LINE];
        assert_eq!(relay.take(&long), Ok(vec![]));
        assert_eq!(relay.take(b"\n\xff\nresign\n\n"), Ok(vec!["resign".to_owned()]));
    }

    #[test]
    fn relay_compares_whole_first_words() {
        let mut relay = Relay::new(keywords(), vec![], 1_000_000);
        assert_eq!(relay.take(b"resigned\nwe resign\nBestmove 4\n\n"), Ok(vec![]));
        assert_eq!(relay.take(b"\t bestmove\n"), Ok(vec!["bestmove".to_owned()]));
    }

    #[test]
    fn relay_keeps_the_last_answer_that_was_not_heard() {
        let mut relay = Relay::new(keywords(), vec![], 1_000_000);
        assert_eq!(relay.take(b"Your move? bestmove 4\nthinking\n"), Ok(vec![]));
        assert_eq!(relay.unheard(), b"Your move? bestmove 4");
        relay.begin_turn();
        assert_eq!(relay.unheard(), b"");
        assert_eq!(
            relay.take(&[b"BestMove ", &[b'4'; LONGEST_QUOTED][..], b"\n"].concat()),
            Ok(vec![])
        );
        assert_eq!(relay.unheard().len(), LONGEST_QUOTED);
        relay.end();
        assert_eq!(relay.take(b"bestmove 4\n"), Ok(vec![]), "too late");
        assert_eq!(relay.unheard(), b"bestmove 4");
    }

    #[test]
    fn relay_drops_lines_after_too_many() {
        let mut relay = Relay::new(keywords(), vec![], 1_000_000);
        let lines = relay.take(&b"readyok\n".repeat(5000)).map(|lines| lines.len());
        assert_eq!(lines, Ok(MOST_LINES as usize));
        relay.begin_turn();
        assert_eq!(relay.take(b"resign\n"), Ok(vec!["resign".to_owned()]));
    }

    #[test]
    fn relay_hears_keywords_after_too_many_asides() {
        let mut relay = Relay::new(keywords(), vec!["info".to_owned()], 1_000_000);
        let asides = relay.take(&b"info deep\n".repeat(5000)).map(|lines| lines.len());
        assert_eq!(asides, Ok(MOST_LINES as usize));
        assert_eq!(relay.take(b"bestmove 4\n"), Ok(vec!["bestmove 4".to_owned()]));
    }

    #[test]
    fn relay_hears_shortest_words() {
        let mut relay = Relay::new(keywords(), vec!["i".to_owned()], 1_000_000);
        assert_eq!(relay.take(b"\n\n\xff\ni\n"), Ok(vec!["i".to_owned()]));
    }

    #[test]
    fn relay_limits_output_of_turn() {
        let mut relay = Relay::new(None, vec![], 10);
        assert_eq!(relay.take(&[b'x'; 10]), Ok(vec![]));
        assert_eq!(relay.take(b"x"), Err(ProcessEnd::OutputLimit));
        relay.begin_turn();
        assert_eq!(relay.take(b"resign\n"), Ok(vec![]));
    }
}
