//! The moves that the games of a tournament begin with.

use plyground::Game;
use plyground_durable::excerpt;
use plyground_host::{HostedPosition, MoveText};
use serde::Serialize;
use thiserror::Error;

use crate::matches::{TooFewOpenings, draw_openings};

/// Where the openings of a tournament come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentOpenings {
    /// Games begin at the start.
    Empty,
    /// Random moves, drawn by the seed of the plan.
    Random {
        /// How many moves an opening has.
        plies: u32,
        /// How many openings there are.
        count: usize,
    },
    /// These moves: one opening to a line, its moves separated by blanks.
    Given {
        /// Each opening, with the number of its line in the file.
        lines: Vec<(usize, String)>,
    },
}

/// Why there are no such openings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningFault {
    /// There are fewer.
    #[error(transparent)]
    TooFew(#[from] TooFewOpenings),
    /// An opening of the file cannot be played.
    #[error("line {line} of the openings: {why}")]
    Line {
        /// The line of the file, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl TournamentOpenings {
    /// The openings in a file: a line each, without empty lines and what is behind a `#`.
    #[must_use]
    pub fn parse(text: &str) -> TournamentOpenings {
        let lines = (1..).zip(text.lines()).filter_map(|(number, line)| {
            let line = line.split('#').next().unwrap_or_default();
            let moves = line.split_whitespace().collect::<Vec<_>>().join(" ");
            (!moves.is_empty()).then_some((number, moves))
        });
        TournamentOpenings::Given { lines: lines.collect() }
    }

    /// How many openings there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            TournamentOpenings::Empty => 1,
            TournamentOpenings::Random { count, .. } => *count,
            TournamentOpenings::Given { lines } => lines.len(),
        }
    }
}

impl TournamentOpenings {
    /// The openings, each of which is legal from `start` and leaves the game open.
    ///
    /// # Errors
    ///
    /// When there are fewer, or when an opening of the file cannot be played.
    pub fn draw(
        &self,
        start: &HostedPosition,
        seed: u64,
    ) -> Result<Vec<Vec<MoveText>>, OpeningFault> {
        match self {
            TournamentOpenings::Empty => Ok(vec![Vec::new()]),
            TournamentOpenings::Random { plies, count } => {
                Ok(draw_openings(start, *plies, *count, seed)?)
            }
            TournamentOpenings::Given { lines } => {
                let played = lines.iter().map(|(line, moves)| {
                    play(start, moves).map_err(|why| OpeningFault::Line { line: *line, why })
                });
                played.collect()
            }
        }
    }
}

fn play(start: &HostedPosition, text: &str) -> Result<Vec<MoveText>, String> {
    let (mut position, mut moves) = (start.clone(), Vec::new());
    for word in text.split_whitespace() {
        let mv = position.parse_move(word);
        let mv = mv.ok_or_else(|| format!("`{}` is no move", excerpt(word)))?;
        position.play(mv).map_err(|illegal| format!("illegal move: {illegal}"))?;
        moves.push(mv);
    }
    if position.is_over() { Err("the game is over".to_owned()) } else { Ok(moves) }
}

#[cfg(test)]
mod tests {
    use plyground_host::toy::toy;

    use super::*;

    fn given(text: &str) -> Result<usize, OpeningFault> {
        let openings = TournamentOpenings::parse(text);
        let drawn = openings.draw(&toy().start(), 1)?;
        assert_eq!(drawn.len(), openings.count());
        Ok(drawn.iter().map(Vec::len).sum())
    }

    #[test]
    fn file_has_an_opening_to_a_line() {
        assert_eq!(given("5 1 # the middle\n\n# nothing\n 9   8 7\n"), Ok(5));
    }

    #[test]
    fn opening_that_cannot_be_played_is_named_by_its_line() {
        for (text, line, part) in [
            ("5 1\n5 5\n", 2, "illegal move: "),
            ("\nx\n", 2, "`x` is no move"),
            ("1 4 2 5 3", 1, "the game is over"),
        ] {
            match given(text) {
                Err(OpeningFault::Line { line: found, why }) => {
                    assert_eq!(found, line, "{text}");
                    assert!(why.contains(part), "{why}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn random_openings_are_those_of_a_match() {
        let random = TournamentOpenings::Random { plies: 3, count: 4 };
        let start = toy().start();
        assert_eq!(random.draw(&start, 7).ok(), draw_openings(&start, 3, 4, 7).ok());
        assert_eq!(TournamentOpenings::Empty.draw(&start, 7), Ok(vec![vec![]]));
    }
}
