//! The lines of the line protocol, the names that a program gives itself, and lines read ahead of the
//! engine that answers them.

use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, thread};

use plyground::{Score, Value};

use crate::adapter::MoveText;
use crate::analysis::Bound;
use crate::player::{Lines, ProposedMove};

/// The first words of the lines that belong to the protocol.
pub(super) const KEYWORDS: [&str; 4] = ["readyok", BEST_MOVE, "resign", "illegal"];
/// The first word of the line with a program's move.
pub const BEST_MOVE: &str = "bestmove";

/// A message of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineMessage {
    /// The player has processed all earlier lines.
    Ready,
    /// The player's move, as it wrote it, with its judgment of the move.
    BestMove {
        /// The move.
        mv: String,
        /// The value of the move to the player.
        value: Option<Value>,
        /// The number of plies that the player looked ahead.
        depth: Option<u32>,
    },
    /// The player gives up.
    Resign,
    /// The player takes this move for illegal.
    Illegal,
}

impl EngineMessage {
    /// Reads the message in a line, if the line belongs to the protocol.
    #[must_use]
    pub fn read(line: &str) -> Option<EngineMessage> {
        let mut words = line.split_ascii_whitespace();
        match words.next()? {
            "readyok" => Some(EngineMessage::Ready),
            BEST_MOVE => Some(best_move(words)),
            "resign" => Some(EngineMessage::Resign),
            "illegal" => Some(EngineMessage::Illegal),
            _ => None,
        }
    }
}

fn best_move<'a>(mut words: impl Iterator<Item = &'a str>) -> EngineMessage {
    let mv = words.next().unwrap_or_default().to_owned();
    let (mut depth, mut score, mut bound) = (None, None, Bound::Estimate);
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        match key {
            "depth" => depth = value.parse().ok(),
            "score" => {
                let range = Score::MIN.get()..=Score::MAX.get();
                let raw = value.parse().ok().filter(|raw| range.contains(raw));
                score = raw.map(Score::new);
            }
            "bound" => bound = value.parse().unwrap_or_default(),
            _ => {}
        }
    }
    EngineMessage::BestMove { mv, value: score.map(|score| bound.with(score)), depth }
}

/// A player's move, as a line without its end.
pub(super) struct BestMoveLine(pub(super) ProposedMove);

impl fmt::Display for BestMoveLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BEST_MOVE} {}", self.0.mv)?;
        if let Some(depth) = self.0.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(value) = self.0.value {
            write!(f, " score {} bound {}", value.score().get(), Bound::of(value))?;
        }
        Ok(())
    }
}

/// The most moves of a principal variation that are kept.
const MOST_MOVES: usize = 64;

/// The facts that a program has reported about the search for its last move, each as it was reported last.
///
/// A line is `info depth 7 nodes 12345 score -40 bound estimate pv 4 3 5`: pairs of a word and a value in any
/// order, with the principal variation last. Unknown facts are left out. The score is that of `bestmove`;
/// `score cp -40`, the form of chess programs, is read too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramInfo {
    /// The number of plies that the program looked ahead.
    pub depth: Option<u32>,
    /// The number of positions that the program visited.
    pub nodes: Option<u64>,
    /// The value of the position to the program.
    pub value: Option<Value>,
    /// The principal variation.
    pub pv: Vec<MoveText>,
}

impl ProgramInfo {
    /// Returns `true` if the program has reported nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == ProgramInfo::default()
    }

    /// Reads a line without its first word, and ignores unreadable parts.
    pub fn hear(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        let (mut score, mut bound) = (None, Bound::Estimate);
        while let Some(word) = words.next() {
            match word {
                "depth" => self.depth = number(words.next()).or(self.depth),
                "nodes" => self.nodes = number(words.next()).or(self.nodes),
                "score" => {
                    let value = words.next().filter(|&word| word != "cp").or_else(|| words.next());
                    score = number(value).map(Score::new);
                }
                "bound" => {
                    bound = words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
                }
                "pv" => {
                    let moves = words.by_ref().take(MOST_MOVES);
                    self.pv = moves.map_while(|word| word.parse().ok()).collect();
                    break;
                }
                // Free text, such as a message for people, contains no facts.
                "string" | "error" => break,
                _ => {}
            }
        }
        self.value = score.map(|score| bound.with(score)).or(self.value);
    }
}

fn number<N: std::str::FromStr>(word: Option<&str>) -> Option<N> {
    word.and_then(|word| word.parse().ok())
}

/// The version of the protocol. Older engines and referees ignore later additions; the version changes when
/// they cannot.
pub const VERSION: u32 = 1;

/// The word for the start of a game in place of a position.
pub(super) const START: &str = "startpos";

/// The most lines that are read ahead.
const MOST_LINES: usize = 1000;

/// The time that a player still has when its move is no longer wanted. It is enough for the moves of a conversation
/// from a file.
const GRACE: Duration = Duration::from_millis(25);

/// Returns the first word of a line, which tells its meaning.
pub(super) fn first_word(line: &str) -> &str {
    line.split_ascii_whitespace().next().unwrap_or_default()
}

/// The lines of a reader, which a thread of its own reads ahead.
#[derive(Debug)]
pub(super) struct ReadAhead {
    /// The receiver of the lines, which fails after the end of the input.
    lines: Receiver<io::Result<String>>,
    demand: Arc<Demand>,
}

/// The moves that are wanted of the player.
#[derive(Debug, Default)]
struct Demand {
    wanted: Mutex<Wanted>,
    changed: Condvar,
    /// The flag that is raised while the player thinks and its move is no longer wanted.
    stop: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Wanted {
    /// The number of lines `go` that were read and not answered yet.
    ahead: usize,
    is_thinking: bool,
}

impl ReadAhead {
    /// Reads `input` on a thread of its own.
    pub(super) fn of(input: impl BufRead + Send + 'static) -> ReadAhead {
        let (sender, lines) = sync_channel(MOST_LINES);
        let demand = Arc::new(Demand::default());
        let reading = Arc::clone(&demand);
        thread::spawn(move || {
            reading.read(input, sender);
            reading.stop_the_last();
        });
        ReadAhead { lines, demand }
    }

    /// Returns the next line, or `None` after the last.
    pub(super) fn next_line(&self) -> io::Result<Option<String>> {
        let line = self.lines.recv().ok().transpose()?;
        if line.as_deref().map(first_word) == Some("go") {
            self.demand.lock().ahead -= 1;
        }
        Ok(line)
    }

    /// Returns the flag that makes the player move at once.
    pub(super) fn stop(&self) -> &Arc<AtomicBool> {
        &self.demand.stop
    }

    /// Lets the player think, and raises the flag soon after its move is no longer wanted.
    pub(super) fn while_thinking<A>(&self, think: impl FnOnce() -> A) -> A {
        self.demand.lock().is_thinking = true;
        self.demand.changed.notify_all();
        let answer = think();
        self.demand.lock().is_thinking = false;
        answer
    }
}

impl Demand {
    /// Reads lines up to `quit` or the end of the input.
    fn read(&self, input: impl BufRead, lines: SyncSender<io::Result<String>>) {
        for line in Lines::new(input) {
            let word = line.as_deref().map_or("quit", first_word);
            let is_last = word == "quit";
            self.lock().ahead += usize::from(word == "go");
            if lines.send(line).is_err() || is_last {
                return;
            }
        }
    }

    /// Raises the flag while the player thinks about the last move: `quit` or the end of the input comes before another
    /// `go`. Lines before may still ask for moves.
    fn stop_the_last(&self) {
        let is_wanted = |wanted: &mut Wanted| !wanted.is_thinking || wanted.ahead > 0;
        drop(self.changed.wait_while(self.lock(), is_wanted));
        thread::sleep(GRACE);
        // Once the conversation is over, it stays so.
        self.stop.store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Wanted> {
        // A thread that panics leaves nothing here half done.
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_move_line_reads_back() {
        let win = Value::AtLeast(Score::win_in(3));
        for (depth, value) in [(None, None), (Some(7), None), (Some(3), Some(win))] {
            let mv = crate::MoveText::of(&"34-56");
            let line = BestMoveLine(ProposedMove { mv, value, depth }).to_string();
            let read = EngineMessage::BestMove { mv: "34-56".to_owned(), value, depth };
            assert_eq!(EngineMessage::read(&line), Some(read), "{line}");
        }
    }

    #[test]
    fn score_without_progress_is_an_estimate() {
        let (value, depth) = (Some(Value::Estimate(Score::ZERO)), None);
        let read = EngineMessage::BestMove { mv: "4".to_owned(), value, depth };
        assert_eq!(EngineMessage::read("bestmove 4 score 0"), Some(read));
    }

    #[test]
    fn other_lines_are_not_part_of_the_protocol() {
        assert_eq!(EngineMessage::read("info depth 3"), None);
        assert_eq!(EngineMessage::read(""), None);
        assert_eq!(EngineMessage::read("Bestmove 3"), None);
        let bare =
            |mv: &str| EngineMessage::BestMove { mv: mv.to_owned(), value: None, depth: None };
        let line = "  bestmove x  depth far score 99999 colour red odd";
        assert_eq!(EngineMessage::read(line), Some(bare("x")));
        assert_eq!(EngineMessage::read("bestmove"), Some(bare("")));
    }

    fn heard(lines: &[&str]) -> ProgramInfo {
        let mut info = ProgramInfo::default();
        lines.iter().for_each(|line| info.hear(line));
        info
    }

    #[test]
    fn last_words_count() {
        let info = heard(&[
            "depth 3 nodes 100 score 40 pv 4 3",
            "depth 4 nodes 900 score cp -15 bound at-most pv 34-56 2 depth",
            "string depth 99",
        ]);
        assert_eq!((info.depth, info.nodes), (Some(4), Some(900)));
        assert_eq!(info.value, Some(Value::AtMost(Score::estimate(-15))));
        let pv: Vec<_> = info.pv.iter().map(MoveText::as_str).collect();
        assert_eq!(pv, ["34-56", "2", "depth"]);
    }

    #[test]
    fn nonsense_is_not_heard() {
        let endless = format!("pv {}", "4 ".repeat(1_000));
        for line in
            ["", "deep", "depth", "depth x nodes -1", "score", "score cp", "depth 1e9", "pv"]
        {
            assert!(heard(&[line]).is_empty(), "{line}");
        }
        assert_eq!(heard(&[&endless]).pv.len(), MOST_MOVES);
        let info = heard(&["depth 4", "depth far score 99999999999 nodes 7"]);
        assert_eq!((info.depth, info.nodes, info.value), (Some(4), Some(7), None));
        // A score beyond the range is limited to it.
        assert_eq!(heard(&["score 40000"]).value, Some(Value::Estimate(Score::MAX)));
    }
}
