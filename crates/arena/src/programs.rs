//! Other people's programs as players: how they are held, and what is checked beforehand.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyground_cage::{ProcessLimits, SandboxPolicy};
use plyground_host::external::{NotReady, check_class};
use plyground_host::player::PlayerSpec;
use plyground_host::{HostedGame, MoveText, excerpt};
use thiserror::Error;

/// How other people's programs are held in all games of a run.
#[derive(Clone, Debug)]
pub struct ProgramOptions {
    /// What they may use.
    pub limits: ProcessLimits,
    /// Whether outputs of a file exchange count in which the next player is missing or wrong.
    pub lenient: bool,
    /// Whether they are confined to a folder of their own, as far as the OS can do that.
    pub sandbox: bool,
    /// The folder, which must exist, for what they print to standard error.
    pub logs: Option<PathBuf>,
}

impl Default for ProgramOptions {
    fn default() -> ProgramOptions {
        let limits = ProcessLimits::default();
        ProgramOptions { limits, lenient: false, sandbox: true, logs: None }
    }
}

impl ProgramOptions {
    /// How a program is held in a game whose log has this name. The referee's own limit counts as
    /// well.
    #[must_use]
    pub fn policy(
        &self,
        wall_limit: Option<Duration>,
        stop: Option<Arc<AtomicBool>>,
        log: &str,
    ) -> SandboxPolicy {
        let wall = self.limits.wall.into_iter().chain(wall_limit).min();
        SandboxPolicy {
            limits: ProcessLimits { wall, ..self.limits.clone() },
            sandbox: self.sandbox,
            log: self.logs.as_ref().map(|folder| folder.join(log)),
            stop,
            supervisor: None,
        }
    }

    /// Does what must be done once before a program can be started, which may take long, and looks
    /// whether it is there. `depth` is what it is to be told.
    ///
    /// # Errors
    ///
    /// Why it cannot be started.
    pub fn make_ready(
        &self,
        game: &dyn HostedGame,
        spec: &PlayerSpec,
        depth: Option<u32>,
    ) -> Result<(), NotReady> {
        match spec {
            PlayerSpec::Java(java) => game.java_command(java, depth, &self.limits).map(drop),
            _ => spec.command().map_or(Ok(()), |command| {
                let words = command.words(depth);
                find_program(&words).and_then(|()| check_class(&words)).map_err(NotReady::Program)
            }),
        }
    }
}

/// A Java player cannot be told of the moves that games begin with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{player}: under the rules {rules} a Java player cannot be told of moves that it did not \
     choose: {remedy}"
)]
pub struct UntoldMoves {
    player: PlayerSpec,
    rules: String,
    remedy: &'static str,
}

/// Refuses Java players that cannot be told of the moves that games begin with. `remedy` says how
/// to do without these.
///
/// # Errors
///
/// The first such player.
pub fn check_given_moves(
    game: &dyn HostedGame,
    specs: &[&PlayerSpec],
    remedy: &'static str,
) -> Result<(), UntoldMoves> {
    let is_java = |spec: &&&PlayerSpec| matches!(spec, PlayerSpec::Java(_));
    match specs.iter().find(is_java).filter(|_| !game.java_is_told_all()) {
        Some(&player) => Err(UntoldMoves { player: player.clone(), rules: game.rules(), remedy }),
        None => Ok(()),
    }
}

/// The moves that a game begins with which is to break a tie: none, if there is a player that
/// cannot be told of them.
#[must_use]
pub fn tie_break_opening(game: &dyn HostedGame, specs: &[&PlayerSpec]) -> Vec<MoveText> {
    check_given_moves(game, specs, "").map_or_else(|_| Vec::new(), |()| game.tie_break_opening())
}

/// Looks whether there is the program of a command; the error says in one line that there is not.
fn find_program(words: &[String]) -> Result<(), String> {
    let word = words.first().map_or("", String::as_str);
    let program = Path::new(word);
    let path = env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = if program.components().count() > 1 {
        vec![program.to_owned()]
    } else {
        env::split_paths(&path).map(|folder| folder.join(program)).collect()
    };
    if places.iter().any(|place| is_executable(place)) {
        Ok(())
    } else if places.iter().any(|place| place.is_file()) {
        Err(format!("`{}` is not executable", excerpt(word)))
    } else {
        Err(format!("there is no program `{}`", excerpt(word)))
    }
}

/// Whether it is a file that somebody may run.
#[cfg(unix)]
fn is_executable(place: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    /// The bits of the mode that let the owner, the group or others run a file.
    const ANYBODY: u32 = 0o111;
    let metadata = place.metadata();
    metadata.is_ok_and(|found| found.is_file() && found.permissions().mode() & ANYBODY != 0)
}

#[cfg(not(unix))]
fn is_executable(place: &Path) -> bool {
    place.is_file()
}

#[cfg(test)]
mod tests {
    use plyground_host::toy::toy;

    use super::*;

    #[test]
    fn missing_program_is_not_ready() {
        let ready = |text: &str| {
            let spec = text.parse().expect("a player");
            ProgramOptions::default().make_ready(&*toy(), &spec, None)
        };
        assert_eq!(ready("random"), Ok(()));
        let why = "there is no program `no-such-program`".to_owned();
        assert_eq!(ready("line:no-such-program"), Err(NotReady::Program(why)));
        assert!(matches!(ready("java:nowhere"), Err(NotReady::Program(_))));
    }

    #[test]
    fn shorter_wall_limit_counts() {
        let second = Duration::from_secs(1);
        let mut options = ProgramOptions::default();
        assert_eq!(options.policy(Some(second), None, "log").limits.wall, Some(second));
        options.limits.wall = Some(second / 2);
        assert_eq!(options.policy(Some(second), None, "log").limits.wall, Some(second / 2));
        assert_eq!(options.policy(None, None, "log").limits.wall, Some(second / 2));
    }
}
