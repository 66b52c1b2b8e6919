//! Two games with the same opening and swapped sides, and the playing of a match, several games at a time, until
//! it is stopped.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{self, AtomicBool, AtomicUsize};
use std::time::Duration;

use cpu_time::ThreadTime;
use plyground::{Game, Outcome, Side};
use plyground_durable::work::{NoThread, run_in_threads};
use plyground_host::player::{Answer, Player, Turn};
use plyground_host::referee::{Conduct, Interrupted, PlayedGame, Silent, play as play_game};
use plyground_host::{Ending, Fault, HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::second_try::Gate;

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrant {
    /// The player whose score is kept.
    A,
    /// The opponent.
    B,
}

impl Entrant {
    /// The entrants that play the sides in the two games of a pair, the first side first.
    pub const SEATS: [[Entrant; 2]; 2] = [[Entrant::A, Entrant::B], [Entrant::B, Entrant::A]];

    /// Returns 0 for A, 1 for B.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Returns the result for the player of `side` in a game with this winner: greater if the player has
/// won, equal if there is no winner.
pub(crate) fn result_for(winner: Option<Side>, side: Side) -> Ordering {
    winner.map_or(Ordering::Equal, |winner| (winner == side).cmp(&(winner != side)))
}

/// Returns the half points of a result: 2 for a win, 1 for a draw.
pub const fn half_points(result: Ordering) -> u32 {
    match result {
        Ordering::Greater => 2,
        Ordering::Equal => 1,
        Ordering::Less => 0,
    }
}

/// The two games of a pair. A plays [`Side::First`] in the first game and [`Side::Second`] in the
/// second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GamePair {
    /// The number of the pair in the match, from 0.
    pub index: usize,
    /// The games.
    pub games: [PlayedGame; 2],
}

impl GamePair {
    /// Returns the results of the games for A.
    pub fn results(&self) -> [Ordering; 2] {
        self.each(|game, side| result_for(game.ending.winner, side))
    }

    /// Returns the half points of A, out of four.
    pub fn half_points(&self) -> u32 {
        self.results().map(half_points).iter().sum()
    }

    /// Returns the points by which A was ahead at the end of each game, in a game of points that
    /// was played to its end.
    pub fn margins(&self) -> [Option<i32>; 2] {
        self.each(|game, side| match game.position.outcome() {
            Some(Outcome::Points { first, second }) if side == Side::First => Some(first - second),
            Some(Outcome::Points { first, second }) => Some(second - first),
            _ => None,
        })
    }

    /// Returns the sum of the two margins, if both are known.
    pub fn margin(&self) -> Option<i32> {
        let [one, other] = self.margins();
        Some(one? + other?)
    }

    /// Calls `say` for each game, with A's side in it.
    fn each<T>(&self, say: impl Fn(&PlayedGame, Side) -> T) -> [T; 2] {
        let [one, other] = &self.games;
        [say(one, Side::First), say(other, Side::Second)]
    }
}

/// The conditions of a match.
#[derive(Clone, Debug)]
pub struct MatchConditions {
    /// The position before the openings.
    pub start: HostedPosition,
    /// The opening of every pair.
    pub openings: Vec<Vec<MoveText>>,
    /// The seed for all chance in the games. Between players that do not look at a clock, the same
    /// seed gives the same games, whatever the number of games at a time.
    pub seed: u64,
    /// The number of games that are played at a time.
    pub jobs: NonZeroUsize,
    /// The wall time for a move. A player that takes longer loses.
    pub wall_limit: Option<Duration>,
    /// The number of plies, the opening included, after which an unfinished game is a draw.
    pub ply_cap: u32,
}

/// Plays a match: a pair of games for every opening, or fewer if `on_pair` or `stop` ends the
/// match.
///
/// `seat` creates the player for an entrant and a game; its random choices should depend only on
/// the number that `seat` is given. `on_pair` is called with every pair in the order of the
/// openings, whichever is finished first. If it breaks, the match is decided, and pairs that are still being played do
/// not count.
///
/// If `stop` is raised, games in progress are abandoned as soon as their players answer. The
/// function itself raises `stop` when the match ends early, since players may watch it.
///
/// # Errors
///
/// Returns an error if `on_pair` fails, an opening is illegal, the OS has no more threads, or the
/// OS cannot run a player's program.
pub fn play<'p, E: From<Interrupted> + From<NoThread>>(
    conditions: &MatchConditions,
    seat: impl Fn(Entrant, u64) -> Box<dyn Player + 'p> + Sync,
    stop: &AtomicBool,
    mut on_pair: impl FnMut(GamePair) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let given = AtomicUsize::new(0);
    let next = || {
        let index = given.fetch_add(1, atomic::Ordering::Relaxed);
        conditions.openings.get(index).map(|opening| (index, opening))
    };
    let gate = Gate::default();
    let work = |_, (index, opening): (usize, &Vec<MoveText>)| {
        play_pair(conditions, &seat, stop, &gate, index, opening)
    };
    // The pairs that are finished before their turn.
    let (mut early, mut turn, mut decided) = (BTreeMap::new(), 0, false);
    let pairs = NonZeroUsize::new(conditions.openings.len()).unwrap_or(NonZeroUsize::MIN);
    run_in_threads(conditions.jobs.min(pairs), stop, next, work, |pair| {
        let pair = pair?;
        early.insert(pair.index, pair);
        while let Some(pair) = early.remove(&turn).filter(|_| !decided) {
            turn += 1;
            if on_pair(pair)?.is_break() {
                decided = true;
                stop.store(true, atomic::Ordering::Relaxed);
            }
        }
        Ok(())
    })
}

/// Plays the pair of games of the opening with this index.
///
/// # Errors
///
/// Returns an error if the opening is illegal, or if the OS cannot run a player's program.
pub fn play_pair<'p>(
    conditions: &MatchConditions,
    seat: &impl Fn(Entrant, u64) -> Box<dyn Player + 'p>,
    stop: &AtomicBool,
    gate: &Gate,
    index: usize,
    opening: &[MoveText],
) -> Result<GamePair, Interrupted> {
    // Each pair has its own stream of random numbers, independent of when and where it is played.
    let mut rng = StdRng::seed_from_u64(conditions.seed);
    let mut rng = StdRng::seed_from_u64(rng.random::<u64>() ^ index as u64);
    let MatchConditions { wall_limit, ply_cap, .. } = *conditions;
    let conduct = Conduct { wall_limit, ply_cap, opening: opening.to_vec() };
    let [one, other] = Entrant::SEATS.map(|seats| -> Result<PlayedGame, Interrupted> {
        let chances = [rng.random(), rng.random()];
        let sit = |place: usize| seat(seats[place], chances[place]);
        play_through(gate, &conditions.start, &conduct, stop, sit)
    });
    Ok(GamePair { index, games: [one?, other?] })
}

/// Plays a game, and again, alone, if the system could not run a program. `sit` creates the player of
/// the first side from 0 and the player of the second side from 1. Both give up when `stop` is raised.
pub(crate) fn play_through<'p>(
    gate: &Gate,
    start: &HostedPosition,
    conduct: &Conduct,
    stop: &AtomicBool,
    sit: impl Fn(usize) -> Box<dyn Player + 'p>,
) -> Result<PlayedGame, Interrupted> {
    gate.through(|again| {
        let [mut first, mut second] = [0, 1].map(|place| Stoppable { player: sit(place), stop });
        let game = play_game(start, [&mut first, &mut second], conduct, &mut Silent)?;
        Ok(PlayedGame { again: again.map(str::to_owned), ..game })
    })
}

/// A player that gives up when a flag is raised. It counts the CPU time of its thread, since other
/// threads of the process work for other games.
struct Stoppable<'p, 'a> {
    player: Box<dyn Player + 'p>,
    stop: &'a AtomicBool,
}

impl Player for Stoppable<'_, '_> {
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        if self.stop.load(atomic::Ordering::Relaxed) {
            return Err(Fault::Quit);
        }
        self.player.choose_move(turn)
    }

    fn opponent_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        self.player.opponent_move(before, mv)
    }

    fn force_move(&mut self, before: &HostedPosition, mv: MoveText) -> bool {
        self.player.force_move(before, mv)
    }

    fn game_over(&mut self, ending: &Ending) {
        self.player.game_over(ending);
    }

    fn turn_time(&self) -> Option<Duration> {
        self.player.turn_time()
    }

    fn outside_cpu_time(&self) -> Option<Duration> {
        self.player.outside_cpu_time()
    }

    fn cpu_time(&self) -> Duration {
        self.outside_cpu_time().unwrap_or_else(|| ThreadTime::now().as_duration())
    }
}

#[cfg(test)]
mod tests {
    use plyground::{Game, Side};
    use plyground_host::player::Random;
    use plyground_host::toy::toy;

    use super::*;
    use crate::matches::{MatchTally, draw_openings};

    type Failure = Box<dyn std::error::Error>;

    const FULL: &str = "full";

    fn conditions(pairs: usize, jobs: usize) -> MatchConditions {
        let start = toy().start();
        MatchConditions {
            openings: draw_openings(&start, 3, pairs, 1).expect("as many"),
            start,
            seed: 1,
            jobs: NonZeroUsize::new(jobs).expect("a job"),
            wall_limit: None,
            ply_cap: 200,
        }
    }

    fn random(_: Entrant, chance: u64) -> Box<dyn Player> {
        Box::new(Random::new(chance))
    }

    /// Returns the pairs that are reported, at most `most`.
    fn pairs(conditions: &MatchConditions, most: usize) -> Vec<GamePair> {
        let mut pairs = Vec::new();
        let result = play(conditions, random, &AtomicBool::new(false), |pair| {
            pairs.push(pair);
            let goes_on = ControlFlow::Continue(());
            Ok::<_, Failure>(if pairs.len() == most { ControlFlow::Break(()) } else { goes_on })
        });
        result.expect("nothing goes wrong");
        pairs
    }

    /// Returns the part of a pair that does not depend on time.
    fn moves(pair: &GamePair) -> [Vec<MoveText>; 2] {
        pair.games.each_ref().map(|game| game.moves.iter().map(|played| played.mv).collect())
    }

    #[test]
    fn pairs_are_the_same_however_many_are_played_at_a_time() {
        let one = pairs(&conditions(60, 1), usize::MAX);
        assert_eq!(one.len(), 60);
        assert!(one.iter().enumerate().all(|(index, pair)| pair.index == index));
        let all = usize::MAX;
        // A match that is decided ends with the same pair.
        for (jobs, most) in [(2, all), (7, all), (100, all), (1, 13), (5, 13)] {
            let several = pairs(&conditions(60, jobs), most);
            let expected = one.iter().take(most).map(moves);
            assert!(expected.eq(several.iter().map(moves)), "{jobs} jobs");
        }
    }

    #[test]
    fn both_games_begin_with_the_opening_and_sides_are_swapped() {
        let conditions = conditions(40, 2);
        let seated = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let seat = |entrant: Entrant, chance| {
            seated[entrant.index()].fetch_add(1, atomic::Ordering::Relaxed);
            random(entrant, chance)
        };
        let mut tally = MatchTally::default();
        play(&conditions, seat, &AtomicBool::new(false), |pair| {
            for game in &pair.games {
                let forced = game.moves.iter().take_while(|played| played.forced);
                assert!(forced.map(|played| played.mv).eq(conditions.openings[pair.index].clone()));
            }
            let winners = pair.games.each_ref().map(|game| game.ending.winner);
            let points = |own| winners.map(|winner| winner.map_or(1, |w| 2 * u32::from(w == own)));
            let expected = points(Side::First)[0] + points(Side::Second)[1];
            assert_eq!(pair.half_points(), expected);
            tally.add(&pair);
            Ok::<_, Failure>(ControlFlow::Continue(()))
        })
        .expect("nothing goes wrong");
        assert_eq!(seated.map(AtomicUsize::into_inner), [80, 80]);
        assert_eq!(tally.games().total(), 80);
        assert_eq!(tally.pairs.pairs(), 40);
        assert_eq!(tally.margins.mean(), None);
    }

    #[test]
    fn failure_ends_the_match_and_a_stopped_match_has_no_pairs() {
        for (is_stopped, end) in [(true, Ok(())), (false, Err(FULL.to_owned()))] {
            let (stop, conditions) = (AtomicBool::new(is_stopped), conditions(10, 2));
            let result = play(&conditions, random, &stop, |_| Err::<_, Failure>(FULL.into()));
            assert_eq!(result.map_err(|error| error.to_string()), end);
        }
    }

    #[test]
    fn illegal_opening_ends_the_match() {
        let mut conditions = conditions(3, 1);
        let mv = conditions.openings[1][0];
        conditions.openings[1].push(mv);
        assert!(conditions.start.check_legal(mv).is_ok());
        let stop = AtomicBool::new(false);
        let result =
            play(&conditions, random, &stop, |_| Ok::<_, Failure>(ControlFlow::Continue(())));
        assert!(result.is_err_and(|error| error.to_string().starts_with("the opening is illegal")));
    }
}
