//! A game of a tournament: its number, players, opening and play, and the relevant part of its result; and
//! the result of a matchup of two games.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::atomic::{self, AtomicBool, AtomicUsize};
use std::time::Duration;

use plyground::{Game, Side};
use plyground_durable::work::{NoThread, pin_to_core, run_in_threads};
use plyground_host::player::Player;
use plyground_host::referee::{Conduct, Interrupted, PlayedGame};
use plyground_host::{Fault, HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use crate::matches::{half_points, play_through, result_for};
use crate::second_try::Gate;

/// The number of a game: the number of the meeting of two players, and the number of the game in
/// it, both from 0. The plan alone determines the game with a given number.
///
/// The text counts both from 1: `0003-02`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameNumber {
    pub meeting: u32,
    /// The number of the game in the meeting.
    pub game: u32,
}

impl fmt::Display for GameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |number: u32| u64::from(number) + 1;
        write!(f, "{:04}-{:02}", counted(self.meeting), counted(self.game))
    }
}

/// The error for a text that is not the number of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the number of a game, such as 0003-02")]
pub struct NotAGameNumber;

impl FromStr for GameNumber {
    type Err = NotAGameNumber;

    fn from_str(text: &str) -> Result<GameNumber, NotAGameNumber> {
        let index = |text: &str| text.parse::<u32>().ok()?.checked_sub(1);
        let numbers = text.split_once('-');
        let number = numbers
            .and_then(|(meeting, game)| {
                Some(GameNumber { meeting: index(meeting)?, game: index(game)? })
            })
            .ok_or(NotAGameNumber)?;
        // Each game has one text only, so no two files stand for one game.
        if number.to_string() == text { Ok(number) } else { Err(NotAGameNumber) }
    }
}

/// The opening of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixtureOpening {
    /// The opening with this index.
    Drawn(usize),
    /// The opening of a game that decides an even meeting.
    TieBreak,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    pub number: GameNumber,
    /// The indices of the players; the first plays the first side.
    pub seats: [usize; 2],
    pub opening: FixtureOpening,
    /// The seed for all chance in the game.
    pub seed: u64,
}

#[derive(Clone, Debug)]
pub(super) struct FixtureConditions {
    pub(super) start: HostedPosition,
    /// The openings, by their indices.
    pub(super) openings: Vec<Vec<MoveText>>,
    /// The opening of a game that decides an even meeting.
    pub(super) tie_break: Vec<MoveText>,
    /// The conduct of a game, except its opening.
    pub(super) conduct: Conduct,
    /// The number of games that are played at a time. If there are several, each has a processor
    /// core for itself and all programs that it starts.
    pub(super) jobs: NonZeroUsize,
}

impl FixtureConditions {
    /// Returns the moves of the opening of a game.
    pub(super) fn opening(&self, fixture: &Fixture) -> &[MoveText] {
        match fixture.opening {
            FixtureOpening::Drawn(index) => self.openings.get(index).map_or(&[], Vec::as_slice),
            FixtureOpening::TieBreak => &self.tie_break,
        }
    }

    pub(super) fn play<'p>(
        &self,
        fixture: &Fixture,
        seat: &impl Fn(GameNumber, usize, u64) -> Box<dyn Player + 'p>,
        stop: &AtomicBool,
        gate: &Gate,
    ) -> Result<PlayedGame, Interrupted> {
        let mut rng = StdRng::seed_from_u64(fixture.seed);
        let chances: [u64; 2] = [rng.random(), rng.random()];
        let sit = |place: usize| seat(fixture.number, fixture.seats[place], chances[place]);
        let conduct = Conduct { opening: self.opening(fixture).to_vec(), ..self.conduct.clone() };
        play_through(gate, &self.start, &conduct, stop, sit)
    }
}

/// Plays games, and calls `on_game` with each as soon as it ends, or with the reason if the system
/// failed at it twice.
///
/// `seat` creates a player from the number of a game, the index of the player, and a seed. The
/// random choices of the player should depend only on the seed. Only one player of a game thinks at
/// a time, so as many programs think at a time as there are jobs.
///
/// If `stop` is raised, games in progress are abandoned as soon as their players answer, without a
/// call of `on_game`. The function itself raises `stop` when `on_game` fails.
///
/// # Errors
///
/// Returns an error if `on_game` fails, an opening is illegal, or the OS has no more threads.
pub(super) fn run<'p, E: From<Interrupted> + From<NoThread>>(
    conditions: &FixtureConditions,
    fixtures: &[Fixture],
    seat: impl Fn(GameNumber, usize, u64) -> Box<dyn Player + 'p> + Sync,
    stop: &AtomicBool,
    mut on_game: impl FnMut(&Fixture, Result<PlayedGame, String>) -> Result<(), E>,
) -> Result<(), E> {
    let given = AtomicUsize::new(0);
    let next = || fixtures.get(given.fetch_add(1, atomic::Ordering::Relaxed));
    let games = NonZeroUsize::new(fixtures.len()).unwrap_or(NonZeroUsize::MIN);
    let gate = Gate::default();
    let work = |job, fixture| {
        if conditions.jobs > NonZeroUsize::MIN {
            pin_to_core(job);
        }
        (fixture, conditions.play(fixture, &seat, stop, &gate))
    };
    run_in_threads(conditions.jobs.min(games), stop, next, work, |(fixture, game)| match game {
        Err(Interrupted::System { why }) => on_game(fixture, Err(why)),
        game => on_game(fixture, Ok(game?)),
    })
}

/// The relevant part of a game. In arrays of two, [`Side::First`] comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameResult {
    pub number: GameNumber,
    /// The indices of the players.
    pub seats: [usize; 2],
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// The points that each player is credited with, in a game of points.
    pub points: Option<[i32; 2]>,
    /// The CPU time that each player used in the whole game.
    pub cpu: [Duration; 2],
    /// The CPU time of the slowest move that each player chose.
    pub slowest: [Duration; 2],
    /// The number of moves that each player chose.
    pub chosen: [u32; 2],
    /// The number of moves that were made, the opening included.
    pub plies: usize,
    /// The side that lost by a fault, and the fault.
    pub fault: Option<(Side, Fault)>,
    /// The number of legal moves that each player took for illegal.
    pub rejected: [u32; 2],
}

impl GameResult {
    /// Creates the result of a game.
    ///
    /// A player that loses by a fault has no points. The opponent has its points on the board, but
    /// at least `forfeit_points`: a losing player must not spoil the winner's points.
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
            plies: game.moves.len(),
            fault,
            ..GameResult::default()
        };
        for played in &game.moves {
            let index = played.by.index();
            if !played.forced {
                result.slowest[index] = result.slowest[index].max(played.cpu);
                result.chosen[index] += 1;
            }
            result.rejected[played.by.other().index()] += u32::from(played.rejected);
        }
        result
    }

    /// Returns a game that points decide, for tests. `tenths` are the tenths of a second of CPU time that
    /// each player used.
    #[cfg(test)]
    pub(super) fn of_points(
        number: GameNumber,
        seats: [usize; 2],
        points: [i32; 2],
        tenths: [u64; 2],
    ) -> GameResult {
        let winner = match points[0].cmp(&points[1]) {
            Ordering::Greater => Some(Side::First),
            Ordering::Less => Some(Side::Second),
            Ordering::Equal => None,
        };
        let (points, cpu) = (Some(points), tenths.map(|it| Duration::from_millis(100 * it)));
        let played = GameResult { number, seats, winner, points, cpu, ..GameResult::default() };
        GameResult { slowest: cpu, chosen: [21; 2], plies: 42, ..played }
    }

    /// Returns twice the score of each player: 2 for a win, 1 for a draw.
    pub fn half_points(&self) -> [u32; 2] {
        Side::BOTH.map(|side| half_points(result_for(self.winner, side)))
    }
}

/// The games that have been played, by their numbers.
pub(super) type Results = BTreeMap<GameNumber, GameResult>;

/// Two games with the same opening, each player first in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Matchup {
    /// The indices of the players.
    pub(super) players: [usize; 2],
    pub(super) sides: [MatchupSide; 2],
}

/// The part of a player in a matchup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MatchupSide {
    /// The half points, out of four.
    pub(super) half_points: u32,
    pub(super) points: i64,
    forfeits: u32,
    chosen: u32,
    pub(super) cpu: Duration,
}

impl Matchup {
    /// Returns the matchup of these games, if the players changed sides between them.
    pub(super) fn new(one: &GameResult, other: &GameResult) -> Option<Matchup> {
        let [first, second] = one.seats;
        if other.seats != [second, first] {
            return None;
        }
        let mut sides = [MatchupSide::default(); 2];
        for (result, places) in [(one, [0, 1]), (other, [1, 0])] {
            for (seat, place) in places.into_iter().enumerate() {
                let side = &mut sides[place];
                side.half_points += result.half_points()[seat];
                side.points += result.points.map_or(0, |points| i64::from(points[seat]));
                let has_forfeited = |(by, _): &(plyground::Side, _)| by.index() == seat;
                side.forfeits += u32::from(result.fault.as_ref().is_some_and(has_forfeited));
                side.chosen += result.chosen[seat];
                side.cpu += result.cpu[seat];
            }
        }
        Some(Matchup { players: one.seats, sides })
    }

    /// Returns the result for the first player without regard to CPU time, which differs from run
    /// to run. The points of both games decide. If they are equal, as between two players that
    /// forfeit without a point on the board, the player with fewer forfeits has won, so that no
    /// player wins a matchup by a game that it forfeited.
    pub(super) fn by_points(&self) -> Ordering {
        let [one, other] = self.sides.map(|side| (side.points, Reverse(side.forfeits)));
        one.cmp(&other)
    }

    /// Returns the result for the first player of a matchup that is equal in points: less CPU time decides, if the
    /// times differ by more than two runs of one program do. A program that has chosen no move is not fast but absent.
    pub(super) fn by_cpu_time(&self) -> Ordering {
        let [one, other] = self.sides;
        match [one.chosen > 0, other.chosen > 0] {
            [true, true] => less_time(one.cpu, other.cpu),
            [one, other] => one.cmp(&other),
        }
    }

    /// Returns the result for the first player.
    pub(super) fn result(&self) -> Ordering {
        self.by_points().then_with(|| self.by_cpu_time())
    }
}

/// The greatest differences of equal CPU times: a part of the greater time, and a time.
const NOISE: (f64, Duration) = (0.05, Duration::from_millis(10));

/// Returns the result for the first of two players with these CPU times. Less time is better, and times are equal if
/// two measurements of one program may differ as much.
pub(super) fn less_time(one: Duration, other: Duration) -> Ordering {
    let (part, least) = NOISE;
    match one.abs_diff(other) <= least.max(one.max(other).mul_f64(part)) {
        true => Ordering::Equal,
        false => other.cmp(&one),
    }
}

/// Returns all matchups whose games were both played, in the order of their numbers.
pub(super) fn matchups(results: &Results) -> impl Iterator<Item = Matchup> {
    results.iter().filter(|(number, _)| number.game % 2 == 0).filter_map(|(number, one)| {
        let other = results.get(&GameNumber { game: number.game + 1, ..*number })?;
        Matchup::new(one, other)
    })
}

#[cfg(test)]
mod tests {
    use plyground_host::player::Random;
    use plyground_host::toy::toy;

    use super::*;

    #[test]
    fn numbers_are_read_back() {
        for (meeting, game) in [(0, 0), (2, 1), (12_344, 199)] {
            let number = GameNumber { meeting, game };
            assert_eq!(number.to_string().parse(), Ok(number));
        }
        for bad in ["", "1-1", "0001", "0000-01", "0001-00", "0001-1", "+001-01", "0001-01x"] {
            assert_eq!(bad.parse::<GameNumber>(), Err(NotAGameNumber), "{bad}");
        }
    }

    type Failure = Box<dyn std::error::Error>;

    const FULL: &str = "full";

    fn fixtures(count: u32) -> Vec<Fixture> {
        let fixture = |game| Fixture {
            number: GameNumber { meeting: 0, game },
            seats: [0, 1],
            opening: FixtureOpening::Drawn(0),
            seed: u64::from(game),
        };
        (0..count).map(fixture).collect()
    }

    fn conditions(jobs: usize) -> FixtureConditions {
        FixtureConditions {
            start: toy().start(),
            openings: vec![Vec::new()],
            tie_break: Vec::new(),
            conduct: Conduct::default(),
            jobs: NonZeroUsize::new(jobs).expect("a job"),
        }
    }

    fn random(_: GameNumber, _: usize, chance: u64) -> Box<dyn Player> {
        Box::new(Random::new(chance))
    }

    fn games(jobs: usize) -> BTreeMap<GameNumber, Vec<MoveText>> {
        let mut games = BTreeMap::new();
        run(&conditions(jobs), &fixtures(40), random, &AtomicBool::new(false), |fixture, game| {
            let game = game.map_err(Failure::from)?;
            games.insert(fixture.number, game.moves.iter().map(|played| played.mv).collect());
            Ok::<_, Failure>(())
        })
        .expect("nothing goes wrong");
        games
    }

    #[test]
    fn games_are_the_same_however_many_are_played_at_a_time() {
        let one = games(1);
        assert_eq!(one.len(), 40);
        for jobs in [2, 5, 100] {
            assert_eq!(games(jobs), one, "{jobs} jobs");
        }
    }

    #[test]
    fn failure_ends_the_run_and_stopped_games_are_dropped() {
        for (is_stopped, end) in [(true, Ok(())), (false, Err(FULL.to_owned()))] {
            let stop = AtomicBool::new(is_stopped);
            let result = run(&conditions(2), &fixtures(9), random, &stop, |_, _| {
                Err::<(), Failure>(FULL.into())
            });
            assert_eq!(result.map_err(|error| error.to_string()), end);
            assert!(stop.into_inner());
        }
    }

    fn game(seats: [usize; 2], points: [i32; 2], tenths: [u64; 2]) -> GameResult {
        let number = GameNumber { meeting: 0, game: seats[0] as u32 };
        GameResult::of_points(number, seats, points, tenths)
    }

    fn forfeit(seats: [usize; 2], points: [i32; 2], by: Side, chosen: [u32; 2]) -> GameResult {
        let fault = Some((by, Fault::NoMove));
        GameResult { winner: Some(by.other()), fault, chosen, ..game(seats, points, [1, 2]) }
    }

    fn matchup(one: GameResult, other: GameResult) -> Matchup {
        Matchup::new(&one, &other).expect("a matchup")
    }

    #[test]
    fn points_of_both_games_decide_and_cpu_time_breaks_ties() {
        // Each player wins one game, one by 8 points and one by 2.
        let uneven = matchup(game([0, 1], [9, 1], [9, 9]), game([1, 0], [5, 3], [1, 9]));
        assert_eq!((uneven.by_points(), uneven.result()), (Ordering::Greater, Ordering::Greater));
        assert_eq!(uneven.sides.map(|side| side.half_points), [2, 2]);
        let even = matchup(game([0, 1], [4, 1], [9, 1]), game([1, 0], [4, 1], [1, 9]));
        assert_eq!((even.by_points(), even.result()), (Ordering::Equal, Ordering::Less));
        let equal = matchup(game([0, 1], [4, 1], [9, 1]), game([1, 0], [4, 1], [9, 1]));
        assert_eq!(equal.result(), Ordering::Equal);
        // 40 s and 41 s are equal as far as one can measure, as are 0 and 10 ms.
        for (tenths, result) in [([400, 410], Ordering::Equal), ([400, 430], Ordering::Greater)] {
            let near = matchup(game([0, 1], [4, 1], tenths), game([1, 0], [4, 1], [0, 0]));
            assert_eq!(near.result(), result, "{tenths:?}");
        }
        assert_eq!(less_time(Duration::ZERO, Duration::from_millis(10)), Ordering::Equal);
        assert_eq!(less_time(Duration::ZERO, Duration::from_millis(11)), Ordering::Greater);
    }

    #[test]
    fn forfeit_wins_nothing_for_who_forfeits() {
        // Without points for a forfeit, only the forfeits distinguish the two players.
        let one = forfeit([0, 1], [0, 0], Side::Second, [1, 0]);
        let other = forfeit([1, 0], [0, 0], Side::First, [0, 0]);
        assert_eq!(matchup(one, other).by_points(), Ordering::Greater);
        // A player that has forfeited one game may win the matchup by the points of the other game.
        let one = forfeit([0, 1], [0, 4], Side::First, [20, 20]);
        let other = game([1, 0], [2, 10], [1, 1]);
        assert_eq!(matchup(one, other).by_points(), Ordering::Greater);
    }

    #[test]
    fn program_that_chooses_no_move_is_not_quick() {
        let one = forfeit([0, 1], [0, 4], Side::First, [0, 0]);
        let other = forfeit([1, 0], [0, 4], Side::First, [0, 0]);
        assert_eq!(matchup(one.clone(), other).result(), Ordering::Equal);
        let other = forfeit([1, 0], [0, 4], Side::First, [3, 0]);
        assert_eq!(matchup(one, other).result(), Ordering::Less);
    }
}
