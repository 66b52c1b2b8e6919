//! The lines of the line protocol.

use std::fmt;

use crate::player::Choice;
use crate::score::Score;

/// What stands for the start of a game in place of a position.
pub(super) const START: &str = "startpos";

/// What a player says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Saying {
    /// It has done all it was told.
    Ready,
    /// Its move, as it wrote it, with what it thinks of it.
    BestMove(Choice<String>),
    /// It gives up.
    Resign,
    /// It takes this move for illegal.
    Illegal,
}

impl Saying {
    /// What a line says, if it belongs to the protocol.
    pub(super) fn read(line: &str) -> Option<Saying> {
        let mut words = line.split_ascii_whitespace();
        match words.next()? {
            "readyok" => Some(Saying::Ready),
            "bestmove" => Some(Saying::BestMove(best_move(words))),
            "resign" => Some(Saying::Resign),
            "illegal" => Some(Saying::Illegal),
            _ => None,
        }
    }
}

fn best_move<'a>(mut words: impl Iterator<Item = &'a str>) -> Choice<String> {
    let mut choice = Choice::from(words.next().unwrap_or_default().to_owned());
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        match key {
            "depth" => choice.depth = value.parse().ok(),
            "score" => {
                let range = Score::MIN.get()..=Score::MAX.get();
                let raw = value.parse().ok().filter(|raw| range.contains(raw));
                choice.score = raw.map(Score::from_raw);
            }
            _ => {}
        }
    }
    choice
}

/// A player's move, as a line without its end.
pub(super) struct BestMove<'a, M>(pub(super) &'a Choice<M>);

impl<M: fmt::Display> fmt::Display for BestMove<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bestmove {}", self.0.mv)?;
        if let Some(depth) = self.0.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(score) = self.0.score {
            write!(f, " score {}", score.get())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_read_back() {
        for (depth, score) in [(None, None), (Some(7), None), (Some(3), Some(Score::win_in(3)))] {
            let choice = Choice { mv: "34-56".to_owned(), score, depth };
            let line = BestMove(&choice).to_string();
            assert_eq!(Saying::read(&line), Some(Saying::BestMove(choice)), "{line}");
        }
    }

    #[test]
    fn whatever_else_is_said_is_no_part_of_it() {
        assert_eq!(Saying::read("info depth 3"), None);
        assert_eq!(Saying::read(""), None);
        assert_eq!(Saying::read("Bestmove 3"), None);
        let choice = Choice::from("x".to_owned());
        let line = "  bestmove x  depth far score 99999 colour red odd";
        assert_eq!(Saying::read(line), Some(Saying::BestMove(choice)));
        assert_eq!(Saying::read("bestmove"), Some(Saying::BestMove(String::new().into())));
    }
}
