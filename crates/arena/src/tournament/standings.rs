//! Who is better.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use plyground::Side;

use super::rating::{RatedMeeting, Rating, rate};
use super::result::GameResult;
use super::schedule::{Ranking, Results};
use crate::matches::{EntrantResult, GameCounts};

/// A player's part in a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingsRow {
    /// The index of the player.
    pub player: usize,
    /// The place, from 1; equals share one. A player that could not play has none.
    pub rank: Option<usize>,
    /// Why the player could not play, or could not continue.
    pub absent: Option<String>,
    /// Rounds of a knockout survived; 0 in other formats.
    pub survived: u32,
    /// Whether it has made a legal move in any game.
    pub has_moved: bool,
    /// Its games, without those that are void.
    pub games: GameCounts,
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

impl StandingsRow {
    fn new(player: usize) -> StandingsRow {
        StandingsRow {
            player,
            rank: None,
            absent: None,
            survived: 0,
            has_moved: false,
            games: GameCounts::default(),
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

    fn add(&mut self, result: &GameResult, side: Side, is_void: bool) {
        let (own, other) = (side.index(), side.other().index());
        if !is_void {
            self.games.add(EntrantResult::new(result.winner, side));
        }
        if let Some(points) = result.points {
            let [gained, lost] = if is_void { [0; 2] } else { [points[own], points[other]] };
            *self.points.get_or_insert(0) += i64::from(gained);
            *self.points_against.get_or_insert(0) += i64::from(lost);
        }
        self.cpu += result.cpu[own];
        self.chosen += result.chosen[own];
        self.slowest = self.slowest.max(result.slowest[own]);
        self.rejected += result.rejected[own];
        if let Some((_, fault)) = result.fault.as_ref().filter(|(by, _)| *by == side) {
            *self.faults.entry(fault.word()).or_default() += 1;
        }
    }

    /// Whether there is nothing to rank, since it could not play.
    fn is_unranked(&self) -> bool {
        self.absent.is_some() && self.games.total() == 0
    }

    /// What decides the place: the greater is the better. Who never moved stands below who did.
    fn merit(&self, ranking: Ranking) -> (bool, u32, i64, Reverse<Duration>) {
        let (count, cpu) = match ranking {
            Ranking::Points => (self.points.unwrap_or(0), self.cpu),
            Ranking::Wins => (self.games.half_points() as i64, Duration::ZERO),
        };
        (self.has_moved, self.survived, count, Reverse(cpu))
    }
}

/// How a player fared against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StandingsCell {
    /// The games between the two.
    pub games: GameCounts,
    /// The own points, in a game of points.
    pub points: Option<i64>,
}

/// The tables of a tournament, or what there is of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// The players, the best first.
    pub rows: Vec<StandingsRow>,
    /// How the player of an index fared against the player of another.
    pub cross: Vec<Vec<StandingsCell>>,
    /// How many games are void: both players have made a legal move in none of theirs, so that it is
    /// no merit to have won it by the other's fault.
    pub void: usize,
}

impl Standings {
    /// The tables after these games. `survived` has the rounds of a knockout for each player,
    /// `absent` why some could not play, by index.
    #[must_use]
    pub fn new(
        survived: &[u32],
        ranking: Ranking,
        results: &Results,
        absent: &BTreeMap<usize, String>,
    ) -> Standings {
        let players = survived.len();
        let mut rows: Vec<StandingsRow> = (0..players).map(StandingsRow::new).collect();
        let mut cross = vec![vec![StandingsCell::default(); players]; players];
        for result in results.values() {
            for (player, chosen) in result.seats.into_iter().zip(result.chosen) {
                rows[player].has_moved |= chosen > 0;
            }
        }
        let mut void = 0;
        for result in results.values() {
            let is_void = result.seats.iter().all(|&player| !rows[player].has_moved);
            void += usize::from(is_void);
            for side in Side::BOTH {
                let [own, other] = [side, side.other()].map(|side| result.seats[side.index()]);
                rows[own].add(result, side, is_void);
                if !is_void {
                    add(&mut cross[own][other], result, side);
                }
            }
        }
        for (row, &survived) in rows.iter_mut().zip(survived) {
            (row.survived, row.absent) = (survived, absent.get(&row.player).cloned());
        }
        rate_all(&mut rows, &cross);
        rows.sort_by(|one, other| {
            let better = other.merit(ranking).cmp(&one.merit(ranking));
            let later = one.is_unranked().cmp(&other.is_unranked());
            later.then(better).then(one.player.cmp(&other.player))
        });
        give_places(&mut rows, ranking);
        Standings { rows, cross, void }
    }
}

/// Rates the players who have played. One who has not would leave all other ratings open.
fn rate_all(rows: &mut [StandingsRow], cross: &[Vec<StandingsCell>]) {
    let rated: Vec<usize> =
        (0..rows.len()).filter(|&player| rows[player].games.total() > 0).collect();
    let ratings = rate(rated.len(), &meetings(cross, &rated));
    for (player, rating) in rated.into_iter().zip(ratings) {
        rows[player].rating = rating;
    }
}

/// Counts the places of rows in their order.
fn give_places(rows: &mut [StandingsRow], ranking: Ranking) {
    let mut before: Option<&StandingsRow> = None;
    for (index, row) in rows.iter_mut().enumerate().filter(|(_, row)| !row.is_unranked()) {
        let equal = before.filter(|before| before.merit(ranking) == row.merit(ranking));
        row.rank = equal.map_or(Some(index + 1), |equal| equal.rank);
        before = Some(row);
    }
}

fn add(cell: &mut StandingsCell, result: &GameResult, side: Side) {
    cell.games.add(EntrantResult::new(result.winner, side));
    if let Some(points) = result.points {
        *cell.points.get_or_insert(0) += i64::from(points[side.index()]);
    }
}

/// The results of all of `players` who met, for the rating, by their places in that list.
fn meetings(cross: &[Vec<StandingsCell>], players: &[usize]) -> Vec<RatedMeeting> {
    let mut meetings = Vec::new();
    for (one, &first) in players.iter().enumerate() {
        for (other, &second) in players.iter().enumerate().skip(one + 1) {
            let games = cross[first][second].games;
            if games.total() > 0 {
                let (score, games) = (games.points(), games.total() as f64);
                meetings.push(RatedMeeting { players: [one, other], games, score });
            }
        }
    }
    meetings
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use plyground_host::Fault;

    use super::*;
    use crate::tournament::number::GameNumber;

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
        Standings::new(&[0; 3], ranking, &results, &BTreeMap::new())
    }

    fn order(standings: &Standings) -> Vec<(usize, usize)> {
        standings.rows.iter().map(|row| (row.player, row.rank.unwrap_or(0))).collect()
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
        assert_eq!(
            standings.cross[0][1],
            StandingsCell {
                games: GameCounts { won: 1, ..GameCounts::default() },
                points: Some(1)
            }
        );
        assert!(standings.rows.iter().all(|row| row.rating.elo.abs() < 1e-6));
    }

    #[test]
    fn absent_player_comes_last_and_changes_nothing() {
        let results: Results =
            [result(0, [1, 2], [1, 0], [1, 9]), result(1, [2, 1], [1, 0], [9, 1])]
                .into_iter()
                .map(|result| (result.number, result))
                .collect();
        let absent = |player: usize| BTreeMap::from([(player, "no such file".to_owned())]);
        let standings = Standings::new(&[0; 3], Ranking::Wins, &results, &absent(0));
        let rows: Vec<_> = standings.rows.iter().map(|row| (row.player, row.rank)).collect();
        assert_eq!(rows, [(1, Some(1)), (2, Some(1)), (0, None)]);
        assert!(standings.rows.iter().all(|row| !row.rating.is_bounded));
        // A player that could play at first has a place, with what is known of it.
        let standings = Standings::new(&[0; 3], Ranking::Wins, &results, &absent(2));
        let rows: Vec<_> = standings.rows.iter().map(|row| (row.player, row.rank)).collect();
        assert_eq!(rows, [(1, Some(1)), (2, Some(1)), (0, Some(3))]);
        assert_eq!(standings.rows[1].absent.as_deref(), Some("no such file"));
    }

    #[test]
    fn who_never_moves_wins_nothing_from_another_and_stands_below() {
        let crash = |game, seats: [usize; 2], chosen: [u32; 2]| {
            let fault = Some((Side::First, Fault::NoMove));
            GameResult { fault, chosen, ..result(game, seats, [0, 4], [1, 1]) }
        };
        // The first two never move: one has won by the fault of the other. The third loses to nobody
        // but by its own fault, and has no points.
        let results = vec![crash(0, [0, 1], [0, 0]), crash(1, [2, 1], [3, 0])];
        for ranking in [Ranking::Points, Ranking::Wins] {
            let standings = standings(ranking, results.clone());
            assert_eq!(order(&standings), [(2, 1), (1, 2), (0, 3)]);
            assert_eq!(standings.void, 1);
            let row = |player| standings.rows.iter().find(|row| row.player == player);
            assert_eq!(row(0).map(|row| (row.games.total(), row.points)), Some((0, Some(0))));
            assert_eq!(row(1).map(|row| (row.games.total(), row.points)), Some((1, Some(4))));
            assert_eq!(row(0).and_then(|row| row.faults.get("no move")), Some(&1));
            assert_eq!(standings.cross[0][1], StandingsCell::default());
        }
    }

    #[test]
    fn faults_are_counted_for_their_player() {
        let fault = Some((Side::Second, Fault::NoMove));
        let first = GameResult { fault, rejected: [2, 0], ..result(0, [0, 1], [4, 0], [1, 1]) };
        let standings = standings(Ranking::Points, vec![first]);
        let row = |player| standings.rows.iter().find(|row| row.player == player).expect("a row");
        assert_eq!(row(1).faults.get("no move"), Some(&1));
        assert!(row(0).faults.is_empty());
        assert_eq!((row(0).rejected, row(1).rejected), (2, 0));
    }
}
