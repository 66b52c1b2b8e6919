//! Who is better.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::time::Duration;

use super::rating::{Meeting, Rating, rate};
use super::result::GameResult;
use super::schedule::{Ranking, Results};
use crate::game::Side;

/// A player's part in a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The index of the player.
    pub player: usize,
    /// The place, from 1; equals share one.
    pub rank: usize,
    /// Rounds of a knockout survived; 0 in other formats.
    pub survived: u32,
    /// Games won.
    pub won: u32,
    /// Games without a winner.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
    /// The points of all games together, in a game of points.
    pub points: Option<i64>,
    /// Those of the opponents.
    pub points_against: Option<i64>,
    /// The CPU time that the player used in all games.
    pub cpu: Duration,
    /// How many moves it chose.
    pub chosen: u32,
    /// The CPU time of the slowest of them.
    pub slowest: Duration,
    /// The strength.
    pub rating: Rating,
    /// Games lost by a fault, by the word for the fault.
    pub faults: BTreeMap<&'static str, u32>,
    /// Legal moves taken for illegal.
    pub rejected: u32,
}

impl Row {
    fn new(player: usize) -> Row {
        Row {
            player,
            rank: 1,
            survived: 0,
            won: 0,
            drawn: 0,
            lost: 0,
            points: None,
            points_against: None,
            cpu: Duration::ZERO,
            chosen: 0,
            slowest: Duration::ZERO,
            rating: Rating { elo: 0.0, error: 0.0, is_bounded: false },
            faults: BTreeMap::new(),
            rejected: 0,
        }
    }

    /// How many games the player has played.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// A point for each game won, a half for each drawn.
    #[must_use]
    pub fn score(&self) -> f64 {
        f64::from(self.half_points()) / 2.0
    }

    fn half_points(&self) -> u32 {
        2 * self.won + self.drawn
    }

    fn add(&mut self, result: &GameResult, side: Side) {
        let (own, other) = (side.index(), side.other().index());
        match result.winner {
            Some(winner) if winner == side => self.won += 1,
            Some(_) => self.lost += 1,
            None => self.drawn += 1,
        }
        if let Some(points) = result.points {
            *self.points.get_or_insert(0) += i64::from(points[own]);
            *self.points_against.get_or_insert(0) += i64::from(points[other]);
        }
        self.cpu += result.cpu[own];
        self.chosen += result.chosen[own];
        self.slowest = self.slowest.max(result.slowest[own]);
        self.rejected += result.rejected[own];
        if let Some((_, fault)) = result.fault.as_ref().filter(|(by, _)| *by == side) {
            *self.faults.entry(fault.word()).or_default() += 1;
        }
    }

    /// What decides the place: the greater is the better.
    fn merit(&self, ranking: Ranking) -> (u32, i64, Reverse<Duration>) {
        match ranking {
            Ranking::Points => (self.survived, self.points.unwrap_or(0), Reverse(self.cpu)),
            Ranking::Wins => {
                (self.survived, i64::from(self.half_points()), Reverse(Duration::ZERO))
            }
        }
    }
}

/// How a player fared against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Games won.
    pub won: u32,
    /// Games without a winner.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
    /// The own points, in a game of points.
    pub points: Option<i64>,
}

impl Cell {
    /// How many games the two have played.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// A point for each game won, a half for each drawn.
    #[must_use]
    pub fn score(&self) -> f64 {
        f64::from(self.won) + f64::from(self.drawn) / 2.0
    }
}

/// The tables of a tournament, or what there is of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// The players, the best first.
    pub rows: Vec<Row>,
    /// How the player of an index fared against the player of another.
    pub cross: Vec<Vec<Cell>>,
}

impl Standings {
    /// The tables after these games. `survived` has the rounds of a knockout for each player.
    #[must_use]
    pub fn new(survived: &[u32], ranking: Ranking, results: &Results) -> Standings {
        let players = survived.len();
        let mut rows: Vec<Row> = (0..players).map(Row::new).collect();
        let mut cross = vec![vec![Cell::default(); players]; players];
        for result in results.values() {
            for side in Side::BOTH {
                let [own, other] = [side, side.other()].map(|side| result.seats[side.index()]);
                rows[own].add(result, side);
                add(&mut cross[own][other], result, side);
            }
        }
        let ratings = rate(players, &meetings(&cross));
        for ((row, rating), survived) in rows.iter_mut().zip(ratings).zip(survived) {
            (row.rating, row.survived) = (rating, *survived);
        }
        rows.sort_by(|one, other| {
            let better = other.merit(ranking).cmp(&one.merit(ranking));
            better.then(one.player.cmp(&other.player))
        });
        for index in 1..rows.len() {
            let order = rows[index].merit(ranking).cmp(&rows[index - 1].merit(ranking));
            rows[index].rank =
                if order == Ordering::Equal { rows[index - 1].rank } else { index + 1 };
        }
        Standings { rows, cross }
    }
}

fn add(cell: &mut Cell, result: &GameResult, side: Side) {
    match result.winner {
        Some(winner) if winner == side => cell.won += 1,
        Some(_) => cell.lost += 1,
        None => cell.drawn += 1,
    }
    if let Some(points) = result.points {
        *cell.points.get_or_insert(0) += i64::from(points[side.index()]);
    }
}

/// The results of all who met, for the rating.
fn meetings(cross: &[Vec<Cell>]) -> Vec<Meeting> {
    let mut meetings = Vec::new();
    for (one, row) in cross.iter().enumerate() {
        for (other, cell) in row.iter().enumerate().skip(one + 1) {
            if cell.games() > 0 {
                let games = f64::from(cell.games());
                meetings.push(Meeting { players: [one, other], games, score: cell.score() });
            }
        }
    }
    meetings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Fault;
    use crate::tournament::GameNumber;

    fn result(game: u32, seats: [usize; 2], points: [i32; 2], millis: [u64; 2]) -> GameResult {
        let winner = match points[0].cmp(&points[1]) {
            Ordering::Greater => Some(Side::First),
            Ordering::Less => Some(Side::Second),
            Ordering::Equal => None,
        };
        GameResult {
            number: GameNumber { meeting: 0, game },
            seats,
            winner,
            points: Some(points),
            cpu: millis.map(Duration::from_millis),
            slowest: millis.map(Duration::from_millis),
            chosen: [21; 2],
            plies: 42,
            fault: None,
            rejected: [0; 2],
        }
    }

    fn standings(ranking: Ranking, results: Vec<GameResult>) -> Standings {
        let results = results.into_iter().map(|result| (result.number, result)).collect();
        Standings::new(&[0; 3], ranking, &results)
    }

    fn order(standings: &Standings) -> Vec<(usize, usize)> {
        standings.rows.iter().map(|row| (row.player, row.rank)).collect()
    }

    #[test]
    fn points_count_before_wins_and_cpu_time_breaks_ties() {
        let results = vec![
            result(0, [0, 1], [1, 0], [5, 9]),
            result(1, [1, 2], [7, 1], [5, 9]),
            result(2, [2, 0], [0, 6], [5, 8]),
        ];
        let by_points = standings(Ranking::Points, results.clone());
        assert_eq!(by_points.rows[0].points, Some(7));
        // 0 and 1 have seven points each, and 13 and 14 ms.
        assert_eq!(order(&by_points), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(order(&standings(Ranking::Wins, results)), [(0, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn equals_share_a_place() {
        let results = vec![
            result(0, [0, 1], [1, 0], [1, 9]),
            result(1, [1, 2], [1, 0], [1, 9]),
            result(2, [2, 0], [1, 0], [1, 9]),
        ];
        let standings = standings(Ranking::Wins, results);
        assert_eq!(order(&standings), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(standings.cross[0][1], Cell { won: 1, points: Some(1), ..Cell::default() });
        assert!(standings.rows.iter().all(|row| row.rating.elo.abs() < 1e-6));
    }

    #[test]
    fn faults_are_counted_for_who_made_them() {
        let fault = Some((Side::Second, Fault::NoMove));
        let first = GameResult { fault, rejected: [2, 0], ..result(0, [0, 1], [4, 0], [1, 1]) };
        let standings = standings(Ranking::Points, vec![first]);
        let row = |player| standings.rows.iter().find(|row| row.player == player).expect("a row");
        assert_eq!(row(1).faults.get("no move"), Some(&1));
        assert!(row(0).faults.is_empty());
        assert_eq!((row(0).rejected, row(1).rejected), (2, 0));
    }
}
