//! The standings of a tournament.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::time::Duration;

use plyground::Side;
use plyground_host::FaultCounts;
use serde::{Serialize, Serializer};

use super::fixture::{self, GameResult, Matchup, Results, less_time};
use super::schedule::{Progress, Ranking};
use crate::matches::{GameCounts, half_points, result_for};
use crate::statistics::{Pentanomial, RatedMeeting, Rating, rate};

/// A player of a tournament, with the results so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReportPlayer {
    /// The index of the player in the plan.
    #[serde(skip)]
    pub(super) index: usize,
    /// The place, from 1; equals share a place. A player that could not play has no place.
    pub rank: Option<usize>,
    /// The name.
    pub name: String,
    /// The specification of the player.
    pub player: String,
    /// The criterion by which the player is ahead of the next player: `moves`, `rounds`, `matchups`, `wins`, `points`
    /// or `CPU time`. Equals and the last player have no criterion.
    pub ahead_by: Option<&'static str>,
    /// The number of rounds of a knockout survived; 0 in other formats.
    pub survived: u32,
    /// The number of pairings of a Swiss tournament without an opponent. Each counts as won.
    pub rested: u32,
    /// The first pairing of a player that joined a Swiss tournament late, from 1.
    pub joined: Option<u32>,
    /// The matchups, in a game of points.
    pub matchups: Option<ReportMatchups>,
    /// The pairs of games with the same opening, by the player's points in them.
    pub pairs: Pentanomial,
    /// The games, without void ones.
    #[serde(flatten)]
    pub games: GameCounts,
    /// The score: one point for each game won and half a point for each game drawn.
    pub score: f64,
    /// The points of all games together, in a game of points.
    pub points: Option<i64>,
    /// The points of the opponents in all games together, in a game of points.
    pub points_against: Option<i64>,
    /// The strength; the mean of all players is 0.
    #[serde(flatten)]
    pub rating: Rating,
    /// The numbers of games lost by a fault.
    pub faults: FaultCounts,
    /// The number of legal moves that the player took for illegal.
    pub rejected: u32,
    /// The reason why games of the player were not played, if it could not play.
    pub not_played: Option<String>,
    /// The number of moves that the player chose.
    pub moves: u32,
    /// The CPU time that the player used in all games.
    #[serde(rename = "cpu_seconds", serialize_with = "in_seconds")]
    pub cpu: Duration,
    /// The CPU time of the slowest move.
    #[serde(rename = "slowest_seconds", serialize_with = "in_seconds")]
    pub slowest: Duration,
    /// The review of the player's games, in lines, if the games were reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Vec<String>>,
    /// Twice the number of matchups or games won, by [`Ranking`], with half of that for each draw.
    /// Rests are included.
    #[serde(skip)]
    wins: i64,
    /// If true, the player has made a legal move in a game, or has had no game.
    #[serde(skip)]
    has_moved: bool,
}

/// Counts of matchups that are not void. A matchup is two games of two players, each first in one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ReportMatchups {
    /// The number of matchups won: by points, by CPU time, and by rests.
    pub score: f64,
    /// The number of matchups played and rested.
    pub total: u64,
    /// The number of matchups won by the points of both games.
    pub won: u64,
    /// The number of matchups equal in points, which CPU time decides.
    pub even: u64,
    /// The number of matchups lost by points.
    pub lost: u64,
    /// The number of even matchups won by CPU time.
    pub won_by_cpu: u64,
}

fn in_seconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(seconds(*time))
}

/// Rounds to two decimals, because no rating is more precise.
fn rounded(number: f64) -> f64 {
    const PLACES: f64 = 100.0;
    let number = (number * PLACES).round() / PLACES;
    // The result must not be a negative zero.
    if number == 0.0 { 0.0 } else { number }
}

impl ReportPlayer {
    fn add(&mut self, result: &GameResult, side: Side, is_void: bool) {
        let (own, other) = (side.index(), side.other().index());
        if !is_void {
            self.games.add(result_for(result.winner, side));
        }
        if let Some(points) = result.points {
            let [gained, lost] = if is_void { [0; 2] } else { [points[own], points[other]] };
            *self.points.get_or_insert(0) += i64::from(gained);
            *self.points_against.get_or_insert(0) += i64::from(lost);
        }
        self.cpu += result.cpu[own];
        self.moves += result.chosen[own];
        self.slowest = self.slowest.max(result.slowest[own]);
        self.rejected += result.rejected[own];
        if let Some((_, fault)) = result.fault.as_ref().filter(|(by, _)| *by == side) {
            self.faults.add(fault);
        }
    }

    /// Counts a matchup. The result for the player is `by_points`, or if that is equal,
    /// `by_cpu_time`.
    fn add_matchup(&mut self, halves: u32, by_points: Ordering, by_cpu_time: Ordering) {
        self.pairs.add(halves);
        if let Some(matchups) = &mut self.matchups {
            matchups.won += u64::from(by_points.is_gt());
            matchups.even += u64::from(by_points.is_eq());
            matchups.lost += u64::from(by_points.is_lt());
            matchups.won_by_cpu += u64::from(by_points.is_eq() && by_cpu_time.is_gt());
        }
        self.wins += i64::from(half_points(by_points.then(by_cpu_time)));
    }

    /// Returns true if the player has no place, because it could not play.
    fn is_unranked(&self) -> bool {
        self.not_played.is_some() && self.games.total() == 0
    }

    /// Returns the values that decide the place.
    fn merit(&self, ranking: Ranking) -> Merit {
        let (points, cpu) = match ranking {
            Ranking::Matchups => (self.points.unwrap_or(0), self.cpu),
            Ranking::Wins => (0, Duration::ZERO),
        };
        Merit {
            has_moved: self.has_moved,
            survived: self.survived,
            wins: self.wins,
            points,
            // A program that never moves is not fast.
            cpu: Reverse(if self.has_moved { cpu } else { Duration::ZERO }),
        }
    }
}

/// The values that decide a place. Greater is better, and the first field that differs decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Merit {
    /// If false, the player never moved, and ranks below all players that moved.
    has_moved: bool,
    survived: u32,
    wins: i64,
    points: i64,
    cpu: Reverse<Duration>,
}

impl Merit {
    /// Returns true if nothing but the noise of CPU times is between two players.
    fn is_equal(&self, other: &Merit) -> bool {
        Merit { cpu: other.cpu, ..*self } == *other && less_time(self.cpu.0, other.cpu.0).is_eq()
    }

    /// Returns the criterion by which this player is ahead of the next player.
    fn ahead_by(&self, next: &Merit, ranking: Ranking) -> Option<&'static str> {
        [
            (self.has_moved != next.has_moved, "moves"),
            (self.survived != next.survived, "rounds"),
            (self.wins != next.wins, ranking.name()),
            (self.points != next.points, "points"),
            (self.cpu != next.cpu, "CPU time"),
        ]
        .into_iter()
        .find_map(|(differs, name)| differs.then_some(name))
    }
}

/// The results of a player against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StandingsCell {
    /// The number of games between the two players.
    pub games: u64,
    /// The player's own score.
    pub score: f64,
    /// The player's own points, in a game of points.
    pub points: Option<i64>,
    /// The pairs of games with the same opening, by the player's own points in them.
    pub pairs: Pentanomial,
}

/// The tables of a tournament, with the results so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// The players, the best first.
    pub rows: Vec<ReportPlayer>,
    /// The results of each player against each other player, by the indices of the two players.
    pub cross: Vec<Vec<StandingsCell>>,
    /// The number of void games. In a void game, neither player has made a legal move in any of its
    /// games, so a win by the opponent's fault does not count.
    pub void: usize,
}

impl Standings {
    /// Computes the tables after these games. `absent` has the reasons why players could not play,
    /// by index.
    pub fn new(
        progress: &Progress,
        ranking: Ranking,
        results: &Results,
        absent: &BTreeMap<usize, String>,
    ) -> Standings {
        let players = progress.survived.len();
        let matchups = (ranking == Ranking::Matchups).then(ReportMatchups::default);
        let new_row =
            |index| ReportPlayer { index, has_moved: true, matchups, ..Default::default() };
        let mut rows: Vec<ReportPlayer> = (0..players).map(new_row).collect();
        let mut cross = vec![vec![StandingsCell::default(); players]; players];
        for player in results.values().flat_map(|result| result.seats) {
            rows[player].has_moved = false;
        }
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
        let is_void =
            |matchup: &Matchup| matchup.players.iter().all(|&player| !rows[player].has_moved);
        let counted: Vec<Matchup> = fixture::matchups(results).filter(|it| !is_void(it)).collect();
        for matchup in counted {
            let [one, other] = matchup.players;
            let halves = matchup.sides.map(|side| side.half_points);
            let (by_points, by_cpu) = (matchup.by_points(), matchup.by_cpu_time());
            rows[one].add_matchup(halves[0], by_points, by_cpu);
            rows[other].add_matchup(halves[1], by_points.reverse(), by_cpu.reverse());
            cross[one][other].pairs.add(halves[0]);
            cross[other][one].pairs.add(halves[1]);
        }
        for row in &mut rows {
            row.survived = progress.survived[row.index];
            row.rested = progress.rested[row.index];
            row.not_played = absent.get(&row.index).cloned();
            row.score = row.games.points();
            if ranking == Ranking::Wins {
                row.wins = row.games.half_points() as i64;
            }
            let rests = i64::from(row.rested) * progress.wins_of_rest;
            row.wins += rests;
            if let Some(matchups) = &mut row.matchups {
                let played = matchups.won + matchups.even + matchups.lost;
                matchups.total = played + u64::try_from(rests / 2).unwrap_or_default();
                matchups.score = row.wins as f64 / 2.0;
            }
        }
        rate_all(&mut rows, &cross);
        rows.sort_by(|one, other| {
            let better = other.merit(ranking).cmp(&one.merit(ranking));
            let later = one.is_unranked().cmp(&other.is_unranked());
            later.then(better).then(one.index.cmp(&other.index))
        });
        give_places(&mut rows, ranking);
        Standings { rows, cross, void }
    }
}

/// Rates the players that have played. A player without games would leave all other ratings
/// undetermined.
fn rate_all(rows: &mut [ReportPlayer], cross: &[Vec<StandingsCell>]) {
    let rated: Vec<usize> =
        (0..rows.len()).filter(|&player| rows[player].games.total() > 0).collect();
    let ratings = rate(rated.len(), &meetings(cross, &rated));
    for (player, rating) in rated.into_iter().zip(ratings) {
        let (elo, error) = (rounded(rating.elo), rounded(rating.error));
        rows[player].rating = Rating { elo, error, ..rating };
    }
}

/// Assigns places to the rows in their order, and the criterion that decides each. Players share a place
/// if only the noise of CPU times is between them and the first of the place.
fn give_places(rows: &mut [ReportPlayer], ranking: Ranking) {
    let mut first: Option<(usize, Merit)> = None;
    let mut before: Option<&mut ReportPlayer> = None;
    for (index, row) in rows.iter_mut().enumerate().filter(|(_, row)| !row.is_unranked()) {
        let merit = row.merit(ranking);
        let shared = first.filter(|(_, first)| first.is_equal(&merit));
        let (place, own) = shared.unwrap_or((index + 1, merit));
        first = Some((place, own));
        row.rank = Some(place);
        if let Some(before) = before.filter(|_| shared.is_none()) {
            before.ahead_by = before.merit(ranking).ahead_by(&merit, ranking);
        }
        before = Some(row);
    }
}

fn add(cell: &mut StandingsCell, result: &GameResult, side: Side) {
    cell.games += 1;
    cell.score += f64::from(half_points(result_for(result.winner, side))) / 2.0;
    if let Some(points) = result.points {
        *cell.points.get_or_insert(0) += i64::from(points[side.index()]);
    }
}

/// Returns the results between `players`, for the ratings. Players are numbered by their places in
/// `players`.
fn meetings(cross: &[Vec<StandingsCell>], players: &[usize]) -> Vec<RatedMeeting> {
    let mut meetings = Vec::new();
    for (one, &first) in players.iter().enumerate() {
        for (other, &second) in players.iter().enumerate().skip(one + 1) {
            let StandingsCell { games, score, .. } = cross[first][second];
            if games > 0 {
                meetings.push(RatedMeeting { players: [one, other], games: games as f64, score });
            }
        }
    }
    meetings
}

/// Returns a time in seconds, to the microsecond.
pub(super) fn seconds(time: Duration) -> f64 {
    const MICROSECONDS: f64 = 1e6;
    (time.as_secs_f64() * MICROSECONDS).round() / MICROSECONDS
}

#[cfg(test)]
mod tests {

    use plyground_host::Fault;

    use super::*;
    use crate::tournament::fixture::GameNumber;

    fn result(game: u32, seats: [usize; 2], points: [i32; 2], millis: [u64; 2]) -> GameResult {
        let number = GameNumber { meeting: game / 2, game: game % 2 };
        GameResult::of_points(number, seats, points, millis)
    }

    fn progress(players: usize) -> Progress {
        let none = vec![0; players];
        Progress { survived: none.clone(), rested: none, wins_of_rest: 2 }
    }

    fn standings(ranking: Ranking, results: Vec<GameResult>) -> Standings {
        let results = results.into_iter().map(|result| (result.number, result)).collect();
        Standings::new(&progress(3), ranking, &results, &BTreeMap::new())
    }

    fn order(standings: &Standings) -> Vec<(usize, usize)> {
        standings.rows.iter().map(|row| (row.index, row.rank.unwrap_or(0))).collect()
    }

    fn ahead_by(standings: &Standings) -> Vec<Option<&'static str>> {
        standings.rows.iter().map(|row| row.ahead_by).collect()
    }

    #[test]
    fn matchups_count_before_points_and_these_before_cpu_time() {
        // Player 0 beats 1 by one point, 1 beats 2 by twelve, and 2 beats 0 by two.
        let mut results = vec![
            result(0, [0, 1], [3, 2], [5, 9]),
            result(1, [1, 0], [4, 4], [5, 9]),
            result(2, [1, 2], [9, 1], [5, 9]),
            result(3, [2, 1], [2, 6], [5, 8]),
            result(4, [2, 0], [4, 2], [5, 8]),
            result(5, [0, 2], [3, 3], [5, 8]),
        ];
        let by_points = standings(Ranking::Matchups, results.clone());
        assert_eq!(order(&by_points), [(1, 1), (0, 2), (2, 3)]);
        assert_eq!(by_points.rows[0].points, Some(21));
        assert_eq!(ahead_by(&by_points), [Some("points"), Some("points"), None]);
        // With equal points, 2 uses less CPU time against 0, and gains a matchup.
        results[4] = result(4, [2, 0], [3, 3], [5, 8]);
        results[5] = result(5, [0, 2], [3, 3], [9, 5]);
        let by_cpu = standings(Ranking::Matchups, results.clone());
        assert_eq!(order(&by_cpu), [(1, 1), (0, 2), (2, 3)]);
        let last = by_cpu.rows[2].matchups.expect("matchups");
        assert_eq!((last.lost, last.even, last.won_by_cpu), (1, 1, 1));
        let wins: Vec<_> = by_cpu.rows.iter().map(|row| row.wins).collect();
        assert_eq!(wins, [2, 2, 2]);
        // If games decide, 0 has won one and drawn three, and 1 has won two and drawn one.
        assert_eq!(order(&standings(Ranking::Wins, results)), [(0, 1), (1, 1), (2, 3)]);
    }

    #[test]
    fn matchup_against_a_program_that_cannot_play_is_a_matchup() {
        let crash = |game, seats, by: Side| {
            let points = if by == Side::First { [0, 4] } else { [4, 0] };
            let mut chosen = [3, 3];
            chosen[by.index()] = 0;
            GameResult {
                fault: Some((by, Fault::NoMove)),
                chosen,
                ..result(game, seats, points, [1, 1])
            }
        };
        // Player 0 wins both its matchups, one with 8 points against 2, which cannot play. Player 1
        // has 30.
        let results = vec![
            result(0, [0, 1], [6, 5], [1, 1]),
            result(1, [1, 0], [5, 6], [1, 1]),
            crash(2, [0, 2], Side::Second),
            crash(3, [2, 0], Side::First),
            result(4, [1, 2], [20, 0], [1, 1]),
            result(5, [2, 1], [0, 20], [1, 1]),
        ];
        let table = standings(Ranking::Matchups, results);
        assert_eq!(order(&table), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(ahead_by(&table), [Some("matchups"), Some("matchups"), None]);
        assert_eq!(table.rows[0].pairs.counts, [0, 0, 0, 0, 2]);
        assert_eq!(table.cross[0][2].pairs.counts, [0, 0, 0, 0, 1]);
    }

    #[test]
    fn rest_is_a_matchup_won() {
        let results: Results =
            [result(0, [0, 1], [6, 5], [1, 1]), result(1, [1, 0], [5, 6], [1, 1])]
                .into_iter()
                .map(|result| (result.number, result))
                .collect();
        let rested = Progress { rested: vec![0, 0, 1], ..progress(3) };
        let table = Standings::new(&rested, Ranking::Matchups, &results, &BTreeMap::new());
        let wins: Vec<_> = table.rows.iter().map(|row| (row.index, row.wins)).collect();
        assert_eq!(wins, [(0, 2), (2, 2), (1, 0)]);
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
            StandingsCell { games: 1, score: 1.0, points: Some(1), pairs: Pentanomial::default() }
        );
        assert!(standings.rows.iter().all(|row| row.rating.elo.abs() < 1e-6));
    }

    #[test]
    fn noise_of_cpu_times_decides_no_place() {
        // All games are even. The times are 2,000, 2,050 and 2,150 ms for 0, 1 and 2.
        let results = vec![
            result(0, [0, 1], [3, 3], [1000, 1025]),
            result(1, [1, 2], [3, 3], [1025, 1075]),
            result(2, [2, 0], [3, 3], [1075, 1000]),
        ];
        let table = standings(Ranking::Matchups, results);
        assert_eq!(order(&table), [(0, 1), (1, 1), (2, 3)]);
        assert_eq!(ahead_by(&table), [None, Some("CPU time"), None]);
    }

    #[test]
    fn absent_player_comes_last_and_changes_nothing() {
        let results: Results =
            [result(0, [1, 2], [1, 0], [1, 9]), result(1, [2, 1], [1, 0], [9, 1])]
                .into_iter()
                .map(|result| (result.number, result))
                .collect();
        let absent = |player: usize| BTreeMap::from([(player, "no such file".to_owned())]);
        let standings = Standings::new(&progress(3), Ranking::Wins, &results, &absent(0));
        let rows: Vec<_> = standings.rows.iter().map(|row| (row.index, row.rank)).collect();
        assert_eq!(rows, [(1, Some(1)), (2, Some(1)), (0, None)]);
        assert!(standings.rows.iter().all(|row| !row.rating.is_bounded));
        // A player that could play at first has a place, by its results so far.
        let standings = Standings::new(&progress(3), Ranking::Wins, &results, &absent(2));
        let rows: Vec<_> = standings.rows.iter().map(|row| (row.index, row.rank)).collect();
        assert_eq!(rows, [(1, Some(1)), (2, Some(1)), (0, Some(3))]);
        assert_eq!(standings.rows[1].not_played.as_deref(), Some("no such file"));
    }

    #[test]
    fn who_never_moves_wins_nothing_from_another_and_stands_below() {
        let crash = |game, seats: [usize; 2], chosen: [u32; 2]| {
            let fault = Some((Side::First, Fault::NoMove));
            GameResult { fault, chosen, ..result(game, seats, [0, 4], [1, 1]) }
        };
        // The first two never move: one has won by the fault of the other. The third loses only by
        // its own fault, and has no points.
        let results = vec![crash(0, [0, 1], [0, 0]), crash(1, [2, 1], [3, 0])];
        for ranking in [Ranking::Matchups, Ranking::Wins] {
            let standings = standings(ranking, results.clone());
            assert_eq!(order(&standings), [(2, 1), (1, 2), (0, 3)]);
            assert_eq!(standings.void, 1);
            let row = |player| standings.rows.iter().find(|row| row.index == player);
            assert_eq!(row(0).map(|row| (row.games.total(), row.points)), Some((0, Some(0))));
            assert_eq!(row(1).map(|row| (row.games.total(), row.points)), Some((1, Some(4))));
            assert_eq!(row(0).map(|row| row.faults.to_string()).as_deref(), Some("no move 1"));
            assert_eq!(standings.cross[0][1], StandingsCell::default());
        }
    }

    #[test]
    fn faults_are_counted_for_their_player() {
        let fault = Some((Side::Second, Fault::NoMove));
        let first = GameResult { fault, rejected: [2, 0], ..result(0, [0, 1], [4, 0], [1, 1]) };
        let standings = standings(Ranking::Matchups, vec![first]);
        let row = |player| standings.rows.iter().find(|row| row.index == player).expect("a row");
        assert_eq!(row(1).faults.to_string(), "no move 1");
        assert!(row(0).faults.is_empty());
        assert_eq!((row(0).rejected, row(1).rejected), (2, 0));
    }
}
