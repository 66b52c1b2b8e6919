//! The games of a tournament, in the order in which they are played.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sha2::{Digest, Sha256};

use super::fixture::{Fixture, FixtureOpening, GameNumber, Matchup, Results, less_time};
use super::plan::{TournamentFormat, TournamentPlan};
use super::swiss::{Encounter, Swiss, first_meeting, gauntlet, knockout, round_robin, swiss};
use crate::matches::half_points;

/// The ranking of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// In a game of points: by the matchups won, each decided by the points of its two games. The
    /// points of all games decide between equals, then less CPU time.
    Matchups,
    /// By the games won, with a half for each draw.
    Wins,
}

impl Ranking {
    /// Returns the name of the unit that decides.
    pub const fn name(self) -> &'static str {
        match self {
            Ranking::Matchups => "matchups",
            Ranking::Wins => "wins",
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct MeetingScore {
    /// Twice the number of matchups or games won, by [`Ranking`], with half of that for each draw.
    wins: i64,
    /// The points of all games, if matchups decide.
    points: i64,
    cpu: Duration,
}

impl MeetingScore {
    /// Returns the result of a player with this score against a player with another.
    fn cmp(self, other: MeetingScore) -> Ordering {
        let by_games = (self.wins, self.points).cmp(&(other.wins, other.points));
        by_games.then_with(|| less_time(self.cpu, other.cpu))
    }
}

/// The progress of players that the results of games do not show, by the indices of the players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of rounds of a knockout that each player has survived; 0 in other formats.
    pub survived: Vec<u32>,
    /// The number of pairings of a Swiss tournament in which each player has rested; 0 in other
    /// formats.
    pub rested: Vec<u32>,
    /// The value of a rest in twice the matchups or games won, as places count them.
    pub wins_of_rest: i64,
}

/// The games of a tournament.
#[derive(Clone, Debug)]
pub struct Schedule {
    format: TournamentFormat,
    players: usize,
    /// A number for the name of each player, by the indices of the players.
    names: Vec<u64>,
    /// The first pairing of each player in a Swiss tournament, from 0.
    joins: Vec<u32>,
    /// The number of games in a meeting, without the game that decides an even meeting.
    games: u32,
    openings: usize,
    seed: u64,
    ranking: Ranking,
    has_tie_break: bool,
    /// The indices of the players that cannot play.
    absent: BTreeSet<usize>,
}

impl Schedule {
    /// Creates the schedule of a plan. With `has_tie_break`, one more game decides a meeting of a
    /// knockout that is even in wins.
    pub fn new(plan: &TournamentPlan, ranking: Ranking, has_tie_break: bool) -> Schedule {
        let openings = plan.openings.count().max(1);
        let pairs = u64::from(plan.rounds.get()).saturating_mul(openings as u64);
        Schedule {
            format: plan.format,
            players: plan.players.len(),
            names: plan.players.iter().map(|player| number_of(&player.name)).collect(),
            joins: plan.players.iter().map(|player| player.joins.saturating_sub(1)).collect(),
            games: u32::try_from(2 * pairs).unwrap_or(u32::MAX - 1),
            openings,
            seed: plan.seed,
            ranking,
            has_tie_break: has_tie_break && ranking == Ranking::Wins,
            absent: BTreeSet::new(),
        }
    }

    /// Sets the players that cannot play, whose games are left out. In a knockout, their opponents
    /// advance.
    pub fn set_absent(&mut self, absent: impl IntoIterator<Item = usize>) {
        self.absent = absent.into_iter().collect();
    }

    /// Returns true if both players of a game are present.
    pub fn can_be_played(&self, fixture: &Fixture) -> bool {
        !fixture.seats.iter().any(|player| self.absent.contains(player))
    }

    /// Returns true if the games depend on the results of earlier games.
    pub fn unfolds(&self) -> bool {
        self.format.unfolds()
    }

    /// Returns true if every meeting depends on the set of present players.
    pub fn needs_all(&self) -> bool {
        matches!(self.format, TournamentFormat::Swiss { .. })
    }

    /// Returns the number of games, without the games that decide even meetings.
    pub fn total(&self) -> usize {
        let meetings = match self.format {
            TournamentFormat::RoundRobin => self.players * (self.players - 1) / 2,
            TournamentFormat::Gauntlet { .. } | TournamentFormat::Knockout => self.players - 1,
            TournamentFormat::Swiss { pairings } => first_meeting(&self.joins, pairings) as usize,
        };
        meetings * self.games as usize
    }

    /// Returns all games that are known from the results so far, including those that have been
    /// played.
    pub fn fixtures(&self, results: &Results) -> Vec<Fixture> {
        let meetings = match self.format {
            TournamentFormat::RoundRobin => round_robin(self.players),
            TournamentFormat::Gauntlet { challenger } => gauntlet(self.players, challenger),
            TournamentFormat::Knockout => {
                knockout(self.players, |m| self.winner(m, results)).meetings
            }
            TournamentFormat::Swiss { pairings } => self.swiss(pairings, results).meetings,
        };
        meetings.iter().flat_map(|meeting| self.games_of(meeting, results)).collect()
    }

    /// Returns the progress of players that the results of games do not show.
    pub fn progress(&self, results: &Results) -> Progress {
        let [mut survived, mut rested] = [vec![0; self.players], vec![0; self.players]];
        match self.format {
            TournamentFormat::Knockout => {
                survived = knockout(self.players, |m| self.winner(m, results)).survived;
            }
            TournamentFormat::Swiss { pairings } => {
                for player in self.swiss(pairings, results).rested {
                    rested[player] += 1;
                }
            }
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet { .. } => {}
        }
        Progress { survived, rested, wins_of_rest: self.most_wins() }
    }

    /// Returns the [`MeetingScore::wins`] of a player that wins all games of a meeting.
    fn most_wins(&self) -> i64 {
        match self.ranking {
            Ranking::Matchups => i64::from(self.games),
            Ranking::Wins => 2 * i64::from(self.games),
        }
    }

    /// Returns the meetings of a Swiss tournament. A random order from the seed decides between
    /// equals, because CPU time differs in every run.
    fn swiss(&self, pairings: u32, results: &Results) -> Swiss {
        let mut rng = StdRng::seed_from_u64(self.seed);
        // The numbers of other players depend neither on late players nor on the places of late
        // players in the file.
        let draw = |player: usize| match self.joins[player] {
            0 => rng.random(),
            _ => mixed(mixed(self.seed) ^ self.names[player]),
        };
        let numbers: Vec<u64> = (0..self.players).map(draw).collect();
        let mut order: Vec<(u64, usize)> = numbers.into_iter().zip(0..).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, player)| player).collect();
        let there: Vec<usize> =
            (0..self.players).filter(|player| !self.absent.contains(player)).collect();
        swiss(&there, &self.joins, pairings, &order, self.most_wins(), |meeting| {
            let scores = self.scores(meeting, results, Matchup::by_points)?;
            Some(scores.map(|score| score.wins))
        })
    }

    fn games_of(&self, meeting: &Encounter, results: &Results) -> Vec<Fixture> {
        let [one, other] = meeting.players;
        let number = |game| GameNumber { meeting: meeting.number, game };
        let fixture = |game: u32| {
            let seats = if game.is_multiple_of(2) { [one, other] } else { [other, one] };
            let opening = FixtureOpening::Drawn(game as usize / 2 % self.openings);
            Fixture { number: number(game), seats, opening, seed: self.seed_of(seats, game / 2) }
        };
        let mut fixtures: Vec<Fixture> = (0..self.games).map(fixture).collect();
        let scores = || self.scores(meeting, results, Matchup::result);
        let is_even = || scores().is_some_and(|[one, other]| one.wins == other.wins);
        let is_knockout = self.format == TournamentFormat::Knockout;
        if is_knockout && self.has_tie_break && is_even() {
            let seed = self.seed_of([one, other], self.games / 2);
            // Chance decides which player begins, by a number that the game itself does not use.
            let seats = if seed.is_multiple_of(2) { [one, other] } else { [other, one] };
            let opening = FixtureOpening::TieBreak;
            fixtures.push(Fixture { number: number(self.games), seats, opening, seed });
        }
        fixtures
    }

    /// Returns a seed for a game, from the names of its players in their seats and the number of
    /// the pair of games in their meeting. It does not depend on other players or their order.
    fn seed_of(&self, seats: [usize; 2], pair: u32) -> u64 {
        let [first, second] = seats.map(|player| self.names[player]);
        let base = mixed(mixed(mixed(self.seed) ^ first) ^ second);
        mixed(base ^ u64::from(pair))
    }

    /// Returns the scores of the two players, if all regular games have been played. `decide`
    /// returns the result of a matchup.
    fn scores(
        &self,
        meeting: &Encounter,
        results: &Results,
        decide: impl Fn(&Matchup) -> Ordering,
    ) -> Option<[MeetingScore; 2]> {
        let mut scores = [MeetingScore::default(); 2];
        for game in (0..self.games).step_by(2) {
            let [one, other] = [game, game + 1]
                .map(|game| results.get(&GameNumber { meeting: meeting.number, game }));
            let matchup = Matchup::new(one?, other?)?;
            let result = decide(&matchup);
            let sides = matchup.sides.iter().zip([result, result.reverse()]);
            for (score, (side, result)) in scores.iter_mut().zip(sides) {
                match self.ranking {
                    Ranking::Wins => score.wins += i64::from(side.half_points),
                    Ranking::Matchups => {
                        score.wins += i64::from(half_points(result));
                        score.points += side.points;
                    }
                }
                score.cpu += side.cpu;
            }
        }
        Some(scores)
    }

    /// Returns the player that advances from a meeting of a knockout, if known.
    fn winner(&self, meeting: &Encounter, results: &Results) -> Option<usize> {
        self.better(meeting, results).or_else(|| self.unopposed(meeting))
    }

    /// Returns the player that advances without a game. If neither player can play, the stronger
    /// player advances, so that the knockout can continue.
    fn unopposed(&self, meeting: &Encounter) -> Option<usize> {
        let [first, second] = meeting.players;
        match meeting.players.map(|player| self.absent.contains(&player)) {
            [false, false] => None,
            [true, false] => Some(second),
            [_, true] => Some(first),
        }
    }

    /// Returns the winner of a meeting whose games were all played. The criteria are matchups or
    /// wins, then the points or the deciding game, then less CPU time, then the order of strength
    /// before the tournament.
    fn better(&self, meeting: &Encounter, results: &Results) -> Option<usize> {
        let [one, other] = self.scores(meeting, results, Matchup::result)?;
        let [first, second] = meeting.players;
        if self.has_tie_break && one.wins == other.wins {
            let last = GameNumber { meeting: meeting.number, game: self.games };
            let result = results.get(&last)?;
            if let Some(winner) = result.winner {
                return Some(result.seats[winner.index()]);
            }
        }
        Some(if one.cmp(other).is_lt() { second } else { first })
    }
}

/// Returns a random number, always the same for this seed.
fn mixed(seed: u64) -> u64 {
    StdRng::seed_from_u64(seed).random()
}

fn number_of(name: &str) -> u64 {
    let mut hash = [0; size_of::<u64>()];
    hash.copy_from_slice(&Sha256::digest(name)[..size_of::<u64>()]);
    u64::from_le_bytes(hash)
}

#[cfg(test)]
mod tests {
    use plyground::Side;

    use super::*;
    use crate::tournament::fixture::GameResult;

    fn plan(players: usize, format: TournamentFormat) -> TournamentPlan {
        let player = |index| format!("[[player]]\nname = '{index}'\nplayer = 'random'\n");
        let players: String = (0..players).map(player).collect();
        let text = format!("seed = 1\nopenings = {{ plies = 2, count = 3 }}\n{players}");
        TournamentPlan { format, ..TournamentPlan::parse(&text).expect("a plan") }
    }

    /// Returns a result in which the player with the lesser index wins, unless it is a draw.
    fn result(fixture: &Fixture, is_draw: bool) -> GameResult {
        let stronger = if fixture.seats[0] < fixture.seats[1] { Side::First } else { Side::Second };
        GameResult {
            winner: (!is_draw).then_some(stronger),
            cpu: fixture.seats.map(|player| Duration::from_millis(1_000 - 100 * player as u64)),
            chosen: [1; 2],
            number: fixture.number,
            seats: fixture.seats,
            ..GameResult::default()
        }
    }

    fn play_all(schedule: &Schedule, is_draw: bool) -> Results {
        let mut results = Results::new();
        loop {
            let fixtures = schedule.fixtures(&results);
            let open = fixtures.iter().find(|fixture| !results.contains_key(&fixture.number));
            let Some(fixture) = open else { return results };
            results.insert(fixture.number, result(fixture, is_draw));
        }
    }

    #[test]
    fn every_opening_is_played_from_both_sides() {
        let schedule = Schedule::new(&plan(4, TournamentFormat::RoundRobin), Ranking::Wins, true);
        let fixtures = schedule.fixtures(&Results::new());
        assert_eq!((fixtures.len(), schedule.total()), (36, 36));
        for pair in fixtures.chunks(2) {
            assert_eq!(pair[0].opening, pair[1].opening);
            assert_eq!(pair[0].seats, [pair[1].seats[1], pair[1].seats[0]]);
            assert_ne!(pair[0].seed, pair[1].seed);
        }
    }

    #[test]
    fn knockout_unfolds() {
        let schedule = Schedule::new(&plan(6, TournamentFormat::Knockout), Ranking::Wins, true);
        assert_eq!(schedule.fixtures(&Results::new()).len(), 2 * 6);
        let results = play_all(&schedule, false);
        assert_eq!(results.len(), schedule.total());
        assert_eq!(schedule.progress(&results).survived[0], 3);
    }

    #[test]
    fn swiss_unfolds_and_balances_who_begins() {
        let plan =
            |seed| TournamentPlan { seed, ..plan(9, TournamentFormat::Swiss { pairings: 4 }) };
        let schedule = Schedule::new(&plan(1), Ranking::Wins, true);
        assert_eq!(schedule.fixtures(&Results::new()).len(), 4 * 6, "one rests");
        let results = play_all(&schedule, false);
        assert_eq!((results.len(), schedule.total()), (4 * 4 * 6, 4 * 4 * 6));
        let fixtures = schedule.fixtures(&results);
        for player in 0..9 {
            let seats = |seat: usize| fixtures.iter().filter(|it| it.seats[seat] == player).count();
            assert_eq!(seats(0), seats(1), "player {player}");
        }
        // The same seed gives the same pairs, whatever the CPU times.
        let slower =
            |result: &GameResult| GameResult { cpu: [Duration::MAX / 1000; 2], ..result.clone() };
        let other = results.iter().map(|(number, result)| (*number, slower(result))).collect();
        assert_eq!(schedule.fixtures(&other), fixtures);
        let drawn = Schedule::new(&plan(2), Ranking::Wins, true).fixtures(&Results::new());
        assert_ne!(
            drawn[..24].iter().map(|it| it.seats).collect::<Vec<_>>(),
            fixtures[..24].iter().map(|it| it.seats).collect::<Vec<_>>()
        );
    }

    #[test]
    fn absent_player_is_passed_over() {
        let mut schedule =
            Schedule::new(&plan(4, TournamentFormat::RoundRobin), Ranking::Wins, true);
        schedule.set_absent([1]);
        let fixtures = schedule.fixtures(&Results::new());
        // The numbers stay, so that shares of the games do not overlap.
        assert_eq!(fixtures.len(), 36);
        assert_eq!(fixtures.iter().filter(|game| schedule.can_be_played(game)).count(), 18);
    }

    #[test]
    fn knockout_goes_on_with_those_who_are_there() {
        let mut schedule = Schedule::new(&plan(4, TournamentFormat::Knockout), Ranking::Wins, true);
        // Player 0 would meet 3, and 1 would meet 2.
        schedule.set_absent([0, 2]);
        assert_eq!(schedule.progress(&Results::new()).survived, [0, 1, 0, 1]);
        let fixtures = schedule.fixtures(&Results::new());
        let playable = fixtures.iter().filter(|fixture| schedule.can_be_played(fixture));
        assert!(playable.clone().all(|fixture| fixture.number.meeting == 2));
        assert_eq!(playable.count(), 6);
        schedule.set_absent(0..4);
        assert_eq!(schedule.progress(&Results::new()).survived, [2, 1, 0, 0]);
    }

    #[test]
    fn even_meeting_has_one_more_game_and_then_cpu_time_decides() {
        let schedule = Schedule::new(&plan(2, TournamentFormat::Knockout), Ranking::Wins, true);
        let results = play_all(&schedule, true);
        assert_eq!(results.len(), schedule.total() + 1);
        // The second player has used less CPU time.
        assert_eq!(schedule.progress(&results).survived, [0, 1]);
        let schedule = Schedule::new(&plan(2, TournamentFormat::Knockout), Ranking::Matchups, true);
        assert_eq!(play_all(&schedule, true).len(), schedule.total());
    }
}
