//! Plays the games of a match, several at a time.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::pair::{Entrant, Pair};
use super::stoppable::Stoppable;
use crate::game::Game;
use crate::player::Player;
use crate::referee::{Conduct, Interrupted, PlayedGame, Silent, play as play_game};

/// Under what conditions a match is played.
#[derive(Clone, Debug)]
pub struct Conditions<G: Game> {
    /// The position before the openings.
    pub start: G,
    /// The opening of every pair.
    pub openings: Vec<Vec<G::Move>>,
    /// What chance in the games depends on: the same number gives the same games, however many
    /// are played at a time, between players that do not look at a clock.
    pub seed: u64,
    /// How many games are played at a time.
    pub jobs: NonZeroUsize,
    /// The time for one move, by the clock on the wall. Who takes longer loses.
    pub wall_limit: Option<Duration>,
    /// A game is a draw when it is not over after this many plies, the opening included.
    pub ply_cap: u32,
}

/// Whether a match goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Continue,
    /// It is decided; pairs that are still being played do not count.
    Enough,
}

/// Plays a match: a pair of games for every opening, or fewer if `on_pair` or `stop` says so.
///
/// `seat` makes the player for an entrant and a game; chance in it should depend on the number
/// that it is given and nothing else. `on_pair` is told of every pair in the order of the
/// openings, whichever is finished first.
///
/// When `stop` is raised, games in progress are abandoned as soon as their players answer. It is
/// raised from here too, when the match ends before its time: players may watch it.
///
/// # Errors
///
/// When `on_pair` fails, when an opening is illegal, or when the system has no threads or cannot run
/// a player's program.
pub fn play<'p, G, E>(
    conditions: &Conditions<G>,
    seat: impl Fn(Entrant, u64) -> Box<dyn Player<G> + 'p> + Sync,
    stop: &AtomicBool,
    mut on_pair: impl FnMut(Pair<G>) -> Result<Verdict, E>,
) -> Result<(), E>
where
    G: Game,
    E: From<Interrupted>,
{
    let table = Table { conditions, seat, stop, next: AtomicUsize::new(0) };
    let (sender, finished) = channel();
    thread::scope(|scope| {
        for _ in 0..conditions.jobs.get().min(conditions.openings.len()) {
            let (sender, table) = (sender.clone(), &table);
            let play = move || table.play_pairs(&sender);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, play) {
                stop.store(true, Ordering::Relaxed);
                return Err(Interrupted::no_thread(&error).into());
            }
        }
        drop(sender);
        let result = deliver(finished, &mut on_pair);
        stop.fetch_or(!matches!(result, Ok(Verdict::Continue)), Ordering::Relaxed);
        result.map(|_| ())
    })
}

/// Hands the pairs on in their order.
fn deliver<G: Game, E: From<Interrupted>>(
    finished: Receiver<Result<Pair<G>, Interrupted>>,
    on_pair: &mut impl FnMut(Pair<G>) -> Result<Verdict, E>,
) -> Result<Verdict, E> {
    let (mut early, mut next) = (BTreeMap::new(), 0);
    for pair in finished {
        let pair = pair?;
        early.insert(pair.index, pair);
        while let Some(pair) = early.remove(&next) {
            if on_pair(pair)? == Verdict::Enough {
                return Ok(Verdict::Enough);
            }
            next += 1;
        }
    }
    Ok(Verdict::Continue)
}

/// What the threads of a match share.
struct Table<'a, G: Game, S> {
    conditions: &'a Conditions<G>,
    seat: S,
    stop: &'a AtomicBool,
    /// The pair that nobody plays yet.
    next: AtomicUsize,
}

impl<'p, G, S> Table<'_, G, S>
where
    G: Game,
    S: Fn(Entrant, u64) -> Box<dyn Player<G> + 'p>,
{
    /// Plays pairs that nobody else plays.
    fn play_pairs(&self, results: &Sender<Result<Pair<G>, Interrupted>>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = self.conditions.openings.get(index) else { return };
            let pair = self.play_pair(index, opening);
            // A game that was stopped has no result, so neither has its pair.
            if self.stop.load(Ordering::Relaxed) || results.send(pair).is_err() {
                return;
            }
        }
    }

    fn play_pair(&self, index: usize, opening: &[G::Move]) -> Result<Pair<G>, Interrupted> {
        // A stream of numbers for each pair, whoever plays it and when.
        let mut rng = StdRng::seed_from_u64(self.conditions.seed);
        let mut rng = StdRng::seed_from_u64(rng.random::<u64>() ^ index as u64);
        let [one, other] = Entrant::SEATS.map(|seats| self.play_game(seats, opening, &mut rng));
        Ok(Pair { index, games: [one?, other?] })
    }

    fn play_game(
        &self,
        seats: [Entrant; 2],
        opening: &[G::Move],
        rng: &mut StdRng,
    ) -> Result<PlayedGame<G>, Interrupted> {
        let Conditions { start, wall_limit, ply_cap, .. } = self.conditions;
        let [mut first, mut second] = seats.map(|entrant| Stoppable {
            player: (self.seat)(entrant, rng.random()),
            stop: self.stop,
        });
        let players: [&mut dyn Player<G>; 2] = [&mut first, &mut second];
        let conduct =
            Conduct { wall_limit: *wall_limit, ply_cap: *ply_cap, opening: opening.to_vec() };
        play_game(start, players, &conduct, &mut Silent)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::game::Side;
    use crate::matches::{Tally, draw_openings};
    use crate::player::Random;
    use crate::testing::TicTacToe;

    fn conditions(pairs: usize, jobs: usize) -> Conditions<TicTacToe> {
        let start = TicTacToe::default();
        Conditions {
            start,
            openings: draw_openings(&start, 3, pairs, 1).expect("as many"),
            seed: 1,
            jobs: NonZeroUsize::new(jobs).expect("a job"),
            wall_limit: None,
            ply_cap: 200,
        }
    }

    fn random(_: Entrant, chance: u64) -> Box<dyn Player<TicTacToe>> {
        Box::new(Random::new(chance))
    }

    /// The pairs that are told of, `most` of them at most.
    fn pairs(conditions: &Conditions<TicTacToe>, most: usize) -> Vec<Pair<TicTacToe>> {
        let mut pairs = Vec::new();
        let result = play(conditions, random, &AtomicBool::new(false), |pair| {
            pairs.push(pair);
            let enough = pairs.len() == most;
            Ok::<_, io::Error>(if enough { Verdict::Enough } else { Verdict::Continue })
        });
        result.expect("nothing goes wrong");
        pairs
    }

    impl From<Interrupted> for io::Error {
        fn from(why: Interrupted) -> io::Error {
            io::Error::other(why)
        }
    }

    /// What of a pair does not depend on time.
    fn moves(pair: &Pair<TicTacToe>) -> [String; 2] {
        pair.games.each_ref().map(|game| {
            game.moves.iter().map(|played| played.mv.to_string()).collect::<Vec<_>>().join(" ")
        })
    }

    #[test]
    fn pairs_are_the_same_however_many_are_played_at_a_time() {
        let one = pairs(&conditions(60, 1), usize::MAX);
        assert!(one.iter().enumerate().all(|(index, pair)| pair.index == index));
        for jobs in [2, 7, 100] {
            let several = pairs(&conditions(60, jobs), usize::MAX);
            assert!(one.iter().map(moves).eq(several.iter().map(moves)), "{jobs} jobs");
        }
    }

    #[test]
    fn a_match_that_is_decided_ends_with_the_same_pair() {
        let all = pairs(&conditions(60, 1), usize::MAX);
        for jobs in [1, 5] {
            let some = pairs(&conditions(60, jobs), 13);
            assert!(all[..13].iter().map(moves).eq(some.iter().map(moves)), "{jobs} jobs");
        }
    }

    #[test]
    fn both_games_begin_with_the_opening_and_sides_are_swapped() {
        let conditions = conditions(40, 2);
        let seated = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let seat = |entrant: Entrant, chance| {
            seated[entrant.index()].fetch_add(1, Ordering::Relaxed);
            random(entrant, chance)
        };
        let mut tally = Tally::default();
        play(&conditions, seat, &AtomicBool::new(false), |pair| {
            for game in &pair.games {
                let forced = game.moves.iter().take_while(|played| played.forced);
                assert!(forced.map(|played| played.mv).eq(conditions.openings[pair.index].clone()));
            }
            let winners = pair.games.each_ref().map(|game| game.ending.winner);
            let points = |own| winners.map(|winner| winner.map_or(1, |w| 2 * u8::from(w == own)));
            let expected = points(Side::First)[0] + points(Side::Second)[1];
            assert_eq!(pair.half_points(), expected);
            tally.add(&pair);
            Ok::<_, io::Error>(Verdict::Continue)
        })
        .expect("nothing goes wrong");
        assert_eq!(seated.map(AtomicUsize::into_inner), [80, 80]);
        assert_eq!(tally.games().total(), 80);
        assert_eq!(tally.pairs.pairs(), 40);
        assert_eq!(tally.margins.mean(), None);
    }

    #[test]
    fn a_stopped_match_has_no_half_played_pairs() {
        let stop = AtomicBool::new(true);
        let result = play(&conditions(10, 2), random, &stop, |_| {
            Err::<Verdict, _>(io::Error::other("a pair"))
        });
        assert!(result.is_ok());
    }

    #[test]
    fn a_failure_ends_the_match() {
        let result = play(&conditions(10, 2), random, &AtomicBool::new(false), |_| {
            Err::<Verdict, _>(io::Error::other("full"))
        });
        assert_eq!(result.map_err(|error| error.to_string()), Err("full".to_owned()));
    }
}
