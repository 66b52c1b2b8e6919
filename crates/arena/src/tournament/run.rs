//! Plays games of a tournament, several at a time.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plyground_durable::pool::{self, NoThread};
use plyground_host::player::Player;
use plyground_host::referee::{Conduct, Interrupted, PlayedGame, Silent, play};
use plyground_host::{HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::fixture::{Fixture, FixtureOpening};
use super::number::GameNumber;
use crate::affinity::pin_to_core;
use crate::alone::Gate;
use crate::matches::Stoppable;

/// The conditions of the games.
#[derive(Clone, Debug)]
pub(super) struct FixtureConditions {
    /// The position before the openings.
    pub(super) start: HostedPosition,
    /// The openings, by their indices.
    pub(super) openings: Vec<Vec<MoveText>>,
    /// The opening of a game that decides an even meeting.
    pub(super) tie_break: Vec<MoveText>,
    /// How a game is conducted; its opening does not count.
    pub(super) conduct: Conduct,
    /// How many games are played at a time. If several, each has a processor core to itself, with
    /// all programs that it starts.
    pub(super) jobs: NonZeroUsize,
}

impl FixtureConditions {
    /// The moves that a game begins with.
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
        gate.through(|again| {
            let game = self.play_once(fixture, seat, stop)?;
            Ok(PlayedGame { again: again.map(str::to_owned), ..game })
        })
    }

    fn play_once<'p>(
        &self,
        fixture: &Fixture,
        seat: &impl Fn(GameNumber, usize, u64) -> Box<dyn Player + 'p>,
        stop: &AtomicBool,
    ) -> Result<PlayedGame, Interrupted> {
        let mut rng = StdRng::seed_from_u64(fixture.seed);
        let [mut first, mut second] = fixture
            .seats
            .map(|player| Stoppable { player: seat(fixture.number, player, rng.random()), stop });
        let conduct = Conduct { opening: self.opening(fixture).to_vec(), ..self.conduct.clone() };
        play(&self.start, [&mut first, &mut second], &conduct, &mut Silent)
    }
}

/// Plays these games and calls `on_game` with each as soon as it ends: why it was not played, if the system
/// failed at it twice.
///
/// `seat` makes a player for a game, given the numbers of both; chance in it should depend on the
/// number that it is given and nothing else. Of the players of a game only one thinks at a time, so
/// as many programs think at a time as there are jobs.
///
/// When `stop` is raised, games in progress are abandoned as soon as their players answer, and
/// `on_game` is called with none of them. It is raised from here too, when `on_game` fails.
///
/// # Errors
///
/// When `on_game` fails, when an opening is illegal, or when the OS has no threads.
pub(super) fn run<'p, E: From<Interrupted> + From<NoThread>>(
    conditions: &FixtureConditions,
    fixtures: &[Fixture],
    seat: impl Fn(GameNumber, usize, u64) -> Box<dyn Player + 'p> + Sync,
    stop: &AtomicBool,
    mut on_game: impl FnMut(&Fixture, Result<PlayedGame, String>) -> Result<(), E>,
) -> Result<(), E> {
    let given = AtomicUsize::new(0);
    let next = || fixtures.get(given.fetch_add(1, Ordering::Relaxed));
    let games = NonZeroUsize::new(fixtures.len()).unwrap_or(NonZeroUsize::MIN);
    let gate = Gate::default();
    let work = |job, fixture| {
        if conditions.jobs > NonZeroUsize::MIN {
            pin_to_core(job);
        }
        (fixture, conditions.play(fixture, &seat, stop, &gate))
    };
    pool::run(conditions.jobs.min(games), stop, next, work, |(fixture, game)| match game {
        Err(Interrupted::System { why }) => on_game(fixture, Err(why)),
        game => on_game(fixture, Ok(game?)),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plyground_host::player::Random;
    use plyground_host::toy::toy;

    use super::*;

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
    fn stopped_games_are_dropped() {
        let stop = AtomicBool::new(true);
        let result = run(&conditions(2), &fixtures(9), random, &stop, |_, _| {
            Err::<(), Failure>(FULL.into())
        });
        assert!(result.is_ok());
    }

    #[test]
    fn failure_ends_the_run() {
        let stop = AtomicBool::new(false);
        let result = run(&conditions(2), &fixtures(9), random, &stop, |_, _| {
            Err::<(), Failure>(FULL.into())
        });
        assert!(result.is_err_and(|error| error.to_string() == FULL) && stop.into_inner());
    }
}
