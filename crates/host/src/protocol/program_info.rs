//! The facts that a program reports about its search in its lines `info ...`.

use plyground::{Score, Value};

use crate::bound::Bound;
use crate::move_text::MoveText;

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
    /// If true, the program has reported nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == ProgramInfo::default()
    }

    /// Reads a line without its first word, and ignores what cannot be read.
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

#[cfg(test)]
mod tests {
    use super::*;

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
