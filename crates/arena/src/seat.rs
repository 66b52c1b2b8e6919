//! Players, as a run makes them for its games.

use std::fmt;
use std::time::Duration;

use plyground::perfect::Unlimited;
use plyground_host::external::{FilePlayer, NotReady, ProgramCommand};
use plyground_host::player::{Absent, EnginePlayer, Player, PlayerSpec, Random};
use plyground_host::protocol::{InfoLines, LinePlayer};
use plyground_host::state::LineEnds;
use plyground_host::{ChosenMove, EngineOptions, HostedGame, SharedGame, Strength};
use plyground_sandbox::SandboxPolicy;
use thiserror::Error;

/// Who is told of every move that an engine makes.
pub type OnMove<'a> = Box<dyn FnMut(&ChosenMove) + Send + 'a>;

/// What a player is given, whatever plays.
#[derive(Default)]
pub struct PlayerSetup<'a> {
    /// What an engine is made of.
    pub engine: EngineOptions,
    /// How somebody else's program is held. Its flag makes an engine move at once, too, unless that
    /// is perfect.
    pub policy: SandboxPolicy,
    /// Whether a program may leave out or mistake the next player in its output.
    pub lenient: bool,
    /// What the lines of the files end in that a program is given.
    pub line_ends: LineEnds,
    /// How many plies a program is told to look ahead.
    pub depth: Option<u32>,
    /// The part of the time for a move that is for slow starts: players are told of the rest.
    pub margin: Duration,
    /// What chance in a random player depends on.
    pub seed: u64,
    /// Who is told of every move that an engine makes.
    pub on_move: Option<OnMove<'a>>,
    /// Where the lines `info ...` of a program are kept, if anybody wants to know.
    pub info: Option<InfoLines>,
}

impl fmt::Debug for PlayerSetup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlayerSetup { engine, policy, lenient, line_ends, depth, margin, seed, .. } = self;
        let mut setup = f.debug_struct("PlayerSetup");
        setup.field("engine", engine).field("policy", policy).field("lenient", lenient);
        setup.field("line_ends", line_ends);
        setup
            .field("depth", depth)
            .field("margin", margin)
            .field("seed", seed)
            .finish_non_exhaustive()
    }
}

/// A player for one game. In place of a human, who needs a console, there is nobody, and so one who
/// loses.
pub fn make_player<'a>(
    game: &SharedGame,
    spec: &PlayerSpec,
    setup: PlayerSetup<'a>,
) -> Box<dyn Player + Send + 'a> {
    let PlayerSetup { engine, policy, lenient, line_ends, depth, margin, seed, on_move, info } =
        setup;
    let line_player = |command: ProgramCommand| {
        let player = LinePlayer::new(command, depth, policy.clone()).with_margin(margin);
        match &info {
            Some(info) => player.with_info(info.clone()),
            None => player,
        }
    };
    match spec {
        PlayerSpec::Human => {
            Box::new(Absent::new(NotReady::Program("nobody is at the keyboard".to_owned())))
        }
        PlayerSpec::Random => Box::new(Random::new(seed)),
        PlayerSpec::Machine(strength) => {
            let player = EnginePlayer::new(game.engine(engine), *strength);
            let player = player.with_stop(policy.stop.clone()).with_margin(margin);
            match on_move {
                Some(on_move) => Box::new(player.with_on_move(on_move)),
                None => Box::new(player),
            }
        }
        PlayerSpec::File(command) => {
            let player = FilePlayer::new(command.program(depth), policy.clone(), lenient);
            Box::new(player.with_line_ends(line_ends))
        }
        PlayerSpec::Line(command) => Box::new(line_player(command.program(depth))),
        PlayerSpec::Java(java) => match game.java_command(java, depth, &policy) {
            Ok(command) => {
                let player = line_player(command);
                let is_told_all = game.java_is_told_all();
                Box::new(if is_told_all { player } else { player.without_take_back() })
            }
            Err(why) => Box::new(Absent::new(why)),
        },
    }
}

/// The game cannot be looked into so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a depth from 1 to {most}, found {depth}")]
pub struct UnfitDepth {
    /// The greatest depth.
    pub most: u32,
    /// The depth.
    pub depth: u32,
}

/// The game has no such player.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnfitPlayer {
    /// It needs somebody at the keyboard.
    #[error("human: expected a player that needs nobody at the keyboard")]
    Human,
    /// There is no perfect play from the start.
    #[error(transparent)]
    Unlimited(#[from] Unlimited),
    /// It looks further ahead than the game allows.
    #[error("{player}: {error}")]
    Depth {
        /// The player.
        player: PlayerSpec,
        /// What is wrong with its depth.
        error: UnfitDepth,
    },
}

/// Refuses a depth that the game does not have.
///
/// # Errors
///
/// That it does not.
pub fn check_depth(game: &dyn HostedGame, depth: u32) -> Result<(), UnfitDepth> {
    let most = game.max_depth();
    if (1..=most).contains(&depth) { Ok(()) } else { Err(UnfitDepth { most, depth }) }
}

/// Refuses a player that the game does not have.
///
/// # Errors
///
/// Why it does not have it.
pub fn check_player(game: &dyn HostedGame, spec: &PlayerSpec) -> Result<(), UnfitPlayer> {
    match *spec {
        PlayerSpec::Machine(Strength::Depth(depth)) => check_depth(game, depth)
            .map_err(|error| UnfitPlayer::Depth { player: spec.clone(), error }),
        PlayerSpec::Machine(Strength::Perfect { .. })
            if !game.is_solvable() && !game.has_tactics() =>
        {
            Err(Unlimited.into())
        }
        _ => Ok(()),
    }
}

/// Refuses a player that the game does not have, and one that needs somebody at the keyboard.
///
/// # Errors
///
/// What is wrong with it.
pub fn check_unattended(game: &dyn HostedGame, spec: &PlayerSpec) -> Result<(), UnfitPlayer> {
    match spec {
        PlayerSpec::Human => Err(UnfitPlayer::Human),
        _ => check_player(game, spec),
    }
}

#[cfg(test)]
mod tests {
    use plyground_host::Fault;
    use plyground_host::player::{Turn, UnknownPlayer};
    use plyground_host::toy::toy;

    use super::*;

    #[test]
    fn players_without_programs_move() -> Result<(), UnknownPlayer> {
        let game = toy();
        for name in ["random", "machine", "machine:depth=2", "machine:perfect"] {
            let spec = name.parse()?;
            assert_eq!(check_unattended(&*game, &spec), Ok(()));
            let mut told = 0;
            let on_move: OnMove<'_> = Box::new(|_| told += 1);
            let setup = PlayerSetup { on_move: Some(on_move), ..PlayerSetup::default() };
            let mut player = make_player(&game, &spec, setup);
            assert!(player.choose_move(&Turn::new(&game.start(), None)).is_ok());
            drop(player);
            assert_eq!(told, i32::from(name != "random"), "{name}");
        }
        Ok(())
    }

    #[test]
    fn unfit_players_are_refused() -> Result<(), UnknownPlayer> {
        let game = toy();
        for (name, why) in [
            ("human", "human: expected a player that needs nobody"),
            ("machine:depth=10", "machine:depth=10: expected a depth from 1 to 9, found 10"),
        ] {
            let error = check_unattended(&*game, &name.parse()?).expect_err(name).to_string();
            assert!(error.starts_with(why), "{error}");
        }
        let mut human = make_player(&game, &PlayerSpec::Human, PlayerSetup::default());
        let answer = human.choose_move(&Turn::new(&game.start(), None));
        assert!(matches!(answer, Err(Fault::Died { .. })));
        Ok(())
    }
}
