//! Two games with the same opening, sides swapped.

use plyground::{Game, Outcome, Side};
use plyground_host::referee::PlayedGame;

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrant {
    /// The player whose score is kept.
    A,
    /// The opponent.
    B,
}

impl Entrant {
    /// Who plays the sides in the two games of a pair, the first side first.
    pub const SEATS: [[Entrant; 2]; 2] = [[Entrant::A, Entrant::B], [Entrant::B, Entrant::A]];

    /// 0 for A, 1 for B.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How a game ended for one of its players: A, in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrantResult {
    /// The opponent has won.
    Lost,
    /// Neither has won.
    Drawn,
    /// It has won.
    Won,
}

impl EntrantResult {
    /// How a game with this winner ended for the player of `side`.
    pub(crate) fn new(winner: Option<Side>, side: Side) -> EntrantResult {
        match winner {
            Some(winner) if winner == side => EntrantResult::Won,
            Some(_) => EntrantResult::Lost,
            None => EntrantResult::Drawn,
        }
    }

    /// 0, 1 or 2.
    #[must_use]
    pub const fn half_points(self) -> u8 {
        self as u8
    }
}

/// The two games of a pair. A plays [`Side::First`] in the first, [`Side::Second`] in the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GamePair {
    /// The number of the pair in the match, from 0.
    pub index: usize,
    /// The games.
    pub games: [PlayedGame; 2],
}

impl GamePair {
    /// How the games ended for A.
    #[must_use]
    pub fn results(&self) -> [EntrantResult; 2] {
        self.each(|game, side| EntrantResult::new(game.ending.winner, side))
    }

    /// The half points that A has of the four that there are.
    #[must_use]
    pub fn half_points(&self) -> u8 {
        self.results().map(EntrantResult::half_points).iter().sum()
    }

    /// The points by which A was ahead at the end of each game, in a game of points that was
    /// played to its end.
    #[must_use]
    pub fn margins(&self) -> [Option<i32>; 2] {
        self.each(|game, side| match game.position.outcome() {
            Some(Outcome::Points { first, second }) if side == Side::First => Some(first - second),
            Some(Outcome::Points { first, second }) => Some(second - first),
            _ => None,
        })
    }

    /// The sum of the two margins, if both are known.
    #[must_use]
    pub fn margin(&self) -> Option<i32> {
        let [one, other] = self.margins();
        Some(one? + other?)
    }

    /// What is to be said of each game, given A's side in it.
    fn each<T>(&self, say: impl Fn(&PlayedGame, Side) -> T) -> [T; 2] {
        let [one, other] = &self.games;
        [say(one, Side::First), say(other, Side::Second)]
    }
}
