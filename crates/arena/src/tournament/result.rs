//! The part of a game that counts.

#[cfg(test)]
use std::cmp::Ordering;
use std::time::Duration;

use plyground::{Game, Side};
use plyground_host::Fault;
use plyground_host::referee::PlayedGame;

use super::fixture::Fixture;
use super::number::GameNumber;

/// The part of a game that counts. In arrays of two, [`Side::First`] comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Which game it is.
    pub number: GameNumber,
    /// The indices of the players.
    pub seats: [usize; 2],
    /// Who won; `None` for a draw.
    pub winner: Option<Side>,
    /// The points that each player is credited with, in a game of points.
    pub points: Option<[i32; 2]>,
    /// The CPU time that each player used in the whole game.
    pub cpu: [Duration; 2],
    /// The CPU time of the slowest move that each chose.
    pub slowest: [Duration; 2],
    /// How many moves each player chose.
    pub chosen: [u32; 2],
    /// How many moves were made, the opening included.
    pub plies: usize,
    /// Who lost by a fault, and by which.
    pub fault: Option<(Side, Fault)>,
    /// How many legal moves each player took for illegal.
    pub rejected: [u32; 2],
}

impl GameResult {
    /// The result of a game.
    ///
    /// A player that loses by a fault has no points, and the opponent has those on the board, but
    /// `forfeit_points` at least: a player that is losing must not spoil the winner's points.
    #[must_use]
    pub fn new(fixture: &Fixture, game: &PlayedGame, forfeit_points: i32) -> GameResult {
        let fault = game.ending.reason.fault().map(|(by, fault)| (by, fault.clone()));
        let mut points = game.position.points();
        if let (Some(points), Some((by, _))) = (&mut points, &fault) {
            points[by.index()] = 0;
            let winner = &mut points[by.other().index()];
            *winner = forfeit_points.max(*winner);
        }
        let mut result = GameResult {
            number: fixture.number,
            seats: fixture.seats,
            winner: game.ending.winner,
            points,
            cpu: game.cpu,
            slowest: [Duration::ZERO; 2],
            chosen: [0; 2],
            plies: game.moves.len(),
            fault,
            rejected: [0; 2],
        };
        let mut side = game.start.side_to_move();
        for played in &game.moves {
            let index = side.index();
            if !played.forced {
                result.slowest[index] = result.slowest[index].max(played.cpu);
                result.chosen[index] += 1;
            }
            side = side.other();
            result.rejected[side.index()] += u32::from(played.rejected);
        }
        result
    }

    /// A draw without moves, for tests.
    #[cfg(test)]
    pub(super) fn unplayed(number: GameNumber, seats: [usize; 2]) -> GameResult {
        GameResult {
            number,
            seats,
            winner: None,
            points: None,
            cpu: [Duration::ZERO; 2],
            slowest: [Duration::ZERO; 2],
            chosen: [0; 2],
            plies: 0,
            fault: None,
            rejected: [0; 2],
        }
    }

    /// A game that points decide, for tests. Each player used so many milliseconds of CPU time.
    #[cfg(test)]
    pub(super) fn of_points(
        number: GameNumber,
        seats: [usize; 2],
        points: [i32; 2],
        millis: [u64; 2],
    ) -> GameResult {
        let winner = match points[0].cmp(&points[1]) {
            Ordering::Greater => Some(Side::First),
            Ordering::Less => Some(Side::Second),
            Ordering::Equal => None,
        };
        let cpu = millis.map(Duration::from_millis);
        let chosen = [21; 2];
        GameResult {
            winner,
            points: Some(points),
            cpu,
            slowest: cpu,
            chosen,
            plies: 42,
            ..GameResult::unplayed(number, seats)
        }
    }

    /// Twice the score of each player: 2 for a win, 1 for a draw.
    #[must_use]
    pub fn half_points(&self) -> [u32; 2] {
        match self.winner {
            Some(Side::First) => [2, 0],
            Some(Side::Second) => [0, 2],
            None => [1, 1],
        }
    }
}
