//! Plays the games of a tournament, several at a time.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::number::GameNumber;
use super::schedule::{Fixture, Opening};
use crate::affinity::pin_to_core;
use crate::game::Game;
use crate::matches::Stoppable;
use crate::player::Player;
use crate::referee::{Conduct, Interrupted, PlayedGame, Silent, play};

/// Under what conditions games are played.
#[derive(Clone, Debug)]
pub struct Stage<G: Game> {
    /// The position before the openings.
    pub start: G,
    /// The openings, by their indices.
    pub openings: Vec<Vec<G::Move>>,
    /// The opening of a game that decides an even meeting.
    pub tie_break: Vec<G::Move>,
    /// How a game is conducted; its opening does not count.
    pub conduct: Conduct<G::Move>,
    /// How many games are played at a time.
    pub jobs: NonZeroUsize,
    /// Whether every job has a processor core to itself, with all programs that it starts.
    pub pin: bool,
}

/// Plays these games and tells `on_game` of each as soon as it ends.
///
/// `seat` makes a player for a game, given the numbers of both; chance in it should depend on the number that
/// it is given and nothing else. Of the players of a game only one thinks at a time, so as many
/// programs think at a time as there are jobs.
///
/// When `stop` is raised, games in progress are abandoned as soon as their players answer, and
/// nobody is told of them. It is raised from here too, when `on_game` fails.
///
/// # Errors
///
/// When `on_game` fails, when an opening is illegal, or when the system has no threads or cannot run
/// a player's program.
pub fn run<'p, G, E>(
    stage: &Stage<G>,
    fixtures: &[Fixture],
    seat: impl Fn(GameNumber, usize, u64) -> Box<dyn Player<G> + 'p> + Sync,
    stop: &AtomicBool,
    mut on_game: impl FnMut(&Fixture, PlayedGame<G>) -> Result<(), E>,
) -> Result<(), E>
where
    G: Game,
    E: From<Interrupted>,
{
    let hall = Hall { stage, fixtures, seat, stop, next: AtomicUsize::new(0) };
    let (sender, finished) = channel();
    thread::scope(|scope| {
        for job in 0..stage.jobs.get().min(fixtures.len()) {
            let (sender, hall) = (sender.clone(), &hall);
            let play = move || {
                if stage.pin {
                    pin_to_core(job);
                }
                hall.play_games(&sender);
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, play) {
                stop.store(true, Ordering::Relaxed);
                return Err(Interrupted::no_thread(&error).into());
            }
        }
        drop(sender);
        let mut finished = finished.into_iter();
        let result = finished.try_for_each(|(fixture, game)| on_game(fixture, game?));
        stop.fetch_or(result.is_err(), Ordering::Relaxed);
        result
    })
}

/// A game that has ended, or the reason why it did not.
type Finished<'a, G> = (&'a Fixture, Result<PlayedGame<G>, Interrupted>);

/// What the threads of a tournament share.
struct Hall<'a, G: Game, S> {
    stage: &'a Stage<G>,
    fixtures: &'a [Fixture],
    seat: S,
    stop: &'a AtomicBool,
    /// The game that nobody plays yet.
    next: AtomicUsize,
}

impl<'p, 'a, G, S> Hall<'a, G, S>
where
    G: Game,
    S: Fn(GameNumber, usize, u64) -> Box<dyn Player<G> + 'p>,
{
    /// Plays games that nobody else plays.
    fn play_games(&self, results: &Sender<Finished<'a, G>>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(fixture) = self.fixtures.get(index) else { return };
            let game = self.play_game(fixture);
            // A game that was stopped has no result.
            if self.stop.load(Ordering::Relaxed) || results.send((fixture, game)).is_err() {
                return;
            }
        }
    }

    fn play_game(&self, fixture: &Fixture) -> Result<PlayedGame<G>, Interrupted> {
        let mut rng = StdRng::seed_from_u64(fixture.seed);
        let [mut first, mut second] = fixture.seats.map(|player| Stoppable {
            player: (self.seat)(fixture.number, player, rng.random()),
            stop: self.stop,
        });
        let opening = match fixture.opening {
            Opening::Drawn(index) => self.stage.openings.get(index),
            Opening::TieBreak => Some(&self.stage.tie_break),
        };
        let opening = opening.cloned().unwrap_or_default();
        let conduct = Conduct { opening, ..self.stage.conduct.clone() };
        play(&self.stage.start, [&mut first, &mut second], &conduct, &mut Silent)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;

    use super::*;
    use crate::player::Random;
    use crate::testing::TicTacToe;

    fn fixtures(count: u32) -> Vec<Fixture> {
        let fixture = |game| Fixture {
            number: GameNumber { meeting: 0, game },
            seats: [0, 1],
            opening: Opening::Drawn(0),
            seed: u64::from(game),
        };
        (0..count).map(fixture).collect()
    }

    fn stage(jobs: usize) -> Stage<TicTacToe> {
        Stage {
            start: TicTacToe::default(),
            openings: vec![Vec::new()],
            tie_break: Vec::new(),
            conduct: Conduct::default(),
            jobs: NonZeroUsize::new(jobs).expect("a job"),
            pin: false,
        }
    }

    fn random(_: GameNumber, _: usize, chance: u64) -> Box<dyn Player<TicTacToe>> {
        Box::new(Random::new(chance))
    }

    fn games(jobs: usize) -> BTreeMap<GameNumber, String> {
        let mut games = BTreeMap::new();
        run(&stage(jobs), &fixtures(40), random, &AtomicBool::new(false), |fixture, game| {
            let moves: Vec<_> = game.moves.iter().map(|played| played.mv.to_string()).collect();
            games.insert(fixture.number, moves.join(" "));
            Ok::<_, io::Error>(())
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
    fn stopped_games_are_not_told_of() {
        let result = run(&stage(2), &fixtures(9), random, &AtomicBool::new(true), |_, _| {
            Err::<(), _>(io::Error::other("a game"))
        });
        assert!(result.is_ok());
    }

    #[test]
    fn a_failure_ends_the_run() {
        let stop = AtomicBool::new(false);
        let result = run(&stage(2), &fixtures(9), random, &stop, |_, _| {
            Err::<(), _>(io::Error::other("full"))
        });
        assert_eq!(result.map_err(|error| error.to_string()), Err("full".to_owned()));
        assert!(stop.into_inner());
    }
}
