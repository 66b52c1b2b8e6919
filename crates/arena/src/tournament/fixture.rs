//! A game of a tournament: its number, its players and its opening, and its play.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plyground_durable::pool::{self, NoThread};
use plyground_host::player::Player;
use plyground_host::referee::{Conduct, Interrupted, PlayedGame, Silent, play};
use plyground_host::{HostedPosition, MoveText};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use crate::alone::{Gate, pin_to_core};
use crate::matches::Stoppable;

/// The number of a game: the number of the meeting of two players, and the number of the game in
/// it, both from 0. The plan alone determines the game with a given number.
///
/// The text counts both from 1: `0003-02`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameNumber {
    /// The number of the meeting.
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
    /// The number of the game.
    pub number: GameNumber,
    /// The indices of the players; the first plays the first side.
    pub seats: [usize; 2],
    /// The opening.
    pub opening: FixtureOpening,
    /// The seed for all chance in the game.
    pub seed: u64,
}

/// The conditions of the games.
#[derive(Clone, Debug)]
pub(super) struct FixtureConditions {
    /// The position before the openings.
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

/// Plays games, and calls `on_game` with each as soon as it ends, or with the reason if the system
/// failed at it twice.
///
/// `seat` creates a player from the number of a game, the index of the player, and a seed, on which
/// alone its random choices should depend. Only one player of a game thinks at a time, so as many
/// programs think at a time as there are jobs.
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
