//! The lines of the line protocol.

use std::fmt;

use plyground::{Score, Value};

use crate::bound::Bound;
use crate::player::ProposedMove;

/// The first words of the lines that belong to the protocol.
pub(super) const KEYWORDS: [&str; 4] = ["readyok", "bestmove", "resign", "illegal"];

/// What a player says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineMessage {
    /// It has done all it was told.
    Ready,
    /// Its move, as it wrote it, with what it says about it.
    BestMove {
        /// The move.
        mv: String,
        /// What it is worth.
        value: Option<Value>,
        /// How many plies it looked ahead.
        depth: Option<u32>,
    },
    /// It gives up.
    Resign,
    /// It takes this move for illegal.
    Illegal,
}

impl EngineMessage {
    /// What a line says, if it belongs to the protocol.
    #[must_use]
    pub fn read(line: &str) -> Option<EngineMessage> {
        let mut words = line.split_ascii_whitespace();
        match words.next()? {
            "readyok" => Some(EngineMessage::Ready),
            "bestmove" => Some(best_move(words)),
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
        write!(f, "bestmove {}", self.0.mv)?;
        if let Some(depth) = self.0.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(value) = self.0.value {
            write!(f, " score {} bound {}", value.score().get(), Bound::of(value))?;
        }
        Ok(())
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
}
