//! The relay of the lines of a program to the host.

use crate::failure::ProcessEnd;

/// The longest line that is passed on, in bytes.
const LONGEST_LINE: usize = 1 << 12;

/// The length of an unfinished or unheard line that the host receives, in bytes.
const LONGEST_QUOTED: usize = 200;

/// The most lines that are passed on in a turn, and the most asides in addition.
///
/// Further lines have no use, and the host would keep all of them in memory.
const MOST_LINES: u32 = 1000;

/// The search for the host's lines in the output of a program, and the counts of that output.
#[derive(Debug, Default)]
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
    aside_lines: u32,
    /// The beginning of a line.
    line: Vec<u8>,
    /// If true, all lines of the turn come too late for the host, and are not passed on.
    pub(crate) is_over: bool,
    /// If true, the last line that comes too late is kept: the program was told that its time is over.
    pub(crate) keeps_late: bool,
    /// The beginning of the last line of this turn that was probably meant for the host, but did not
    /// reach it.
    unheard: Vec<u8>,
}

impl Relay {
    pub(crate) fn new(keywords: Option<Vec<String>>, asides: Vec<String>, limit: u64) -> Relay {
        let words = keywords.iter().flatten().chain(&asides);
        let shortest = words.map(String::len).min().unwrap_or(0);
        Relay { shortest, keywords, asides, limit, ..Relay::default() }
    }

    pub(crate) fn begin_turn(&mut self) {
        (self.printed, self.lines, self.aside_lines) = (0, 0, 0);
        self.unheard.clear();
        (self.is_over, self.keeps_late) = (false, false);
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

    /// Returns the beginning of a line that has no end yet. Without a keyword, it is no answer of a program that was at
    /// work when its time was over.
    pub(crate) fn unfinished(&self) -> &[u8] {
        let is_at_work = self.is_over && !self.keeps_late;
        match is_at_work && !self.has_keyword(&String::from_utf8_lossy(&self.line)) {
            true => &[],
            false => &self.line[..self.line.len().min(LONGEST_QUOTED)],
        }
    }

    /// Returns true if a text has a keyword, whatever the case of its letters.
    fn has_keyword(&self, text: &str) -> bool {
        let lower = text.to_ascii_lowercase();
        self.keywords.iter().flatten().any(|keyword| lower.contains(keyword.as_str()))
    }

    /// Returns the beginning of the last line of the turn with a keyword that did not reach the host, because
    /// the line came too late or does not begin with the keyword.
    pub(crate) fn unheard(&self) -> &[u8] {
        &self.unheard[..self.unheard.len().min(LONGEST_QUOTED)]
    }

    /// Records a line that does not reach the host, if the line has a keyword.
    fn overhear(&mut self, text: &str) {
        if self.has_keyword(text) {
            self.unheard = text.as_bytes().to_vec();
        }
    }

    fn end_line(&mut self) -> Option<String> {
        // A program that wants to keep the supervisor busy prints many empty lines, so these must cost
        // little.
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
            if self.keeps_late {
                self.overhear(text);
            }
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

    fn relay(asides: &[&str]) -> Relay {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        Relay::new(Some(words(&["readyok", "bestmove", "resign"])), words(asides), 1_000_000)
    }

    #[test]
    fn relay_finds_lines_whose_first_word_is_a_keyword() {
        let long = [b'x'; 3 * LONGEST_LINE];
        let mut relay = relay(&["i"]);
        let cases: [(&[u8], Option<&str>); 7] = [
            (b"thinking...\nbest", None),
            (b"move 4\r\nready", Some("bestmove 4")),
            (&long, None),
            (b"\n\xff\nresign\n\n", Some("resign")),
            (b"resigned\nwe resign\nBestmove 4\n\n", None),
            (b"\t bestmove\n", Some("bestmove")),
            // The shortest of all words.
            (b"\n\n\xff\ni\n", Some("i")),
        ];
        for (output, line) in cases {
            let lines = line.map(str::to_owned).into_iter().collect();
            assert_eq!(relay.take(output), Ok(lines), "{line:?}");
        }
    }

    #[test]
    fn relay_keeps_the_last_answer_that_was_not_heard() {
        let mut relay = relay(&[]);
        assert_eq!(relay.take(b"Your move? bestmove 4\nthinking\n"), Ok(vec![]));
        assert_eq!(relay.unheard(), b"Your move? bestmove 4");
        relay.begin_turn();
        assert_eq!(relay.unheard(), b"");
        assert_eq!(
            relay.take(&[b"BestMove ", &[b'4'; LONGEST_QUOTED][..], b"\n"].concat()),
            Ok(vec![])
        );
        assert_eq!(relay.unheard().len(), LONGEST_QUOTED);
        relay.is_over = true;
        assert_eq!(relay.take(b"bestmove 3\n"), Ok(vec![]), "too late");
        assert_eq!(relay.unheard().len(), LONGEST_QUOTED);
        for (line, is_kept) in [("...", false), ("x BestMove 4", true)] {
            assert_eq!(relay.take(line.as_bytes()), Ok(vec![]));
            assert_eq!(relay.unfinished(), if is_kept { b"...x BestMove 4" } else { &b""[..] });
        }
        relay.keeps_late = true;
        assert_eq!(relay.take(b"\nbestmove 4\n"), Ok(vec![]), "too late");
        assert_eq!(relay.unheard(), b"bestmove 4");
    }

    #[test]
    fn relay_drops_lines_after_too_many() {
        let mut relay = relay(&["info"]);
        for (line, is_aside) in [("readyok\n", false), ("info deep\n", true)] {
            let lines = relay.take(&line.as_bytes().repeat(5000)).map(|lines| lines.len());
            assert_eq!(lines, Ok(MOST_LINES as usize));
            // Asides displace no line with a keyword.
            let heard = relay.take(b"bestmove 4\n").map(|lines| lines.len());
            assert_eq!(heard, Ok(usize::from(is_aside)));
            relay.begin_turn();
            assert_eq!(relay.take(b"resign\n"), Ok(vec!["resign".to_owned()]));
        }
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
