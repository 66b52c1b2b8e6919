//! External programs as players: their sandbox, and checks beforehand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{env, fmt};

use plyground_durable::excerpt;
use plyground_host::external::{CommandLine, Lack, NotReady, PreparedSubmission, check_class};
use plyground_host::player::PlayerSpec;
use plyground_host::{HostedGame, MoveText};
use plyground_sandbox::{
    Obstacle, ProcessLimits, SandboxLevel, SandboxPolicy, availability, finds_program, obstacle,
    search_folders,
};
use thiserror::Error;

/// The name of the program that a package has in several builds, and the folder of the builds.
const PROGRAM: &str = "plyground";
const BUILDS: &str = "lib/plyground";

/// The name of the log of builds before the first game.
const BUILD_LOG: &str = "build.log";

/// The options for external programs in all games of a run.
#[derive(Clone, Debug, Default)]
pub struct ProgramOptions {
    /// The limits of each program.
    pub limits: ProcessLimits,
    /// If true, the output of a file exchange counts in spite of slips: the next player is missing or wrong, or the
    /// board is only printed.
    pub lenient: bool,
    /// The level of the sandboxes in which programs run, or `None` for the greatest that the system
    /// has.
    pub sandbox: Option<SandboxLevel>,
    /// The files and folders that programs see besides the files and folders in their commands.
    pub visible: Vec<PathBuf>,
    /// The names and values of environment variables that programs have besides the usual ones.
    pub environment: Vec<(String, String)>,
    /// If true, programs may think between their moves.
    pub ponder: bool,
    /// The folder, which must exist, for the standard error of programs.
    pub logs: Option<PathBuf>,
}

impl ProgramOptions {
    /// Returns the sandbox policy of a program in a game with the log `log`. `wall_limit`, the
    /// referee's own limit, applies as well.
    pub fn policy(
        &self,
        wall_limit: Option<Duration>,
        stop: Option<Arc<AtomicBool>>,
        log: &str,
    ) -> SandboxPolicy {
        let wall = self.limits.wall.into_iter().chain(wall_limit).min();
        SandboxPolicy {
            limits: ProcessLimits { wall, ..self.limits.clone() },
            level: self.level(),
            visible: self.visible.clone(),
            environment: self.environment.clone(),
            ponder: self.ponder,
            log: self.logs.as_ref().map(|folder| folder.join(log)),
            stop,
            ..SandboxPolicy::default()
        }
    }

    /// Returns the level of the sandboxes in which programs run.
    pub fn level(&self) -> SandboxLevel {
        self.sandbox.unwrap_or_else(|| availability(None).level)
    }

    /// Returns true if programs find a program of this name.
    #[must_use]
    pub fn finds(&self, name: &str) -> bool {
        finds_program(name, self.level(), &self.visible)
    }

    /// Checks that the prepared submissions in a command can be started, and that programs see the installed programs
    /// that start them.
    ///
    /// # Errors
    ///
    /// Returns the reason why one cannot be started.
    pub fn check_start(&self, command: &CommandLine) -> Result<(), NotReady> {
        let tools = command.check_start()?;
        let mut missing = MissingTools::default();
        for (tool, submission) in tools.into_iter().filter(|(tool, _)| !self.finds(tool)) {
            missing.add(&Lack::Program(tool), excerpt(submission));
        }
        missing.check().map_err(|missing| NotReady::System(missing.to_string()))
    }

    /// Prepares a program so that it can be started, which may take long, and checks that it
    /// exists. `depth` is the depth that it will be told.
    ///
    /// # Errors
    ///
    /// Returns the reason why it cannot be started.
    pub fn make_ready(
        &self,
        game: &dyn HostedGame,
        spec: &PlayerSpec,
        depth: Option<u32>,
    ) -> Result<(), NotReady> {
        match spec {
            PlayerSpec::Java(java) => {
                PreparedSubmission::check_program(java.path()).map_err(NotReady::Program)?;
                let policy = self.policy(None, None, BUILD_LOG);
                game.java_command(java, depth, &policy).map(drop)
            }
            _ => spec.command().map_or(Ok(()), |command| {
                self.check_start(command)?;
                let words = command.program(depth).words;
                let ready = find_program(&words).and_then(|()| check_class(&words));
                ready.map_err(NotReady::Program)
            }),
        }
    }
}

/// The programs and modules that this system lacks, each with the submissions that need it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Error)]
pub struct MissingTools(BTreeMap<Lack, BTreeSet<String>>);

impl MissingTools {
    /// The number of programs and modules that an error names.
    const TOOLS: usize = 3;
    /// The number of submissions that an error names for each of them.
    const NAMED: usize = 5;

    /// Adds a program or a module that a submission needs.
    pub fn add(&mut self, lack: &Lack, submission: String) {
        self.0.entry(lack.clone()).or_default().insert(submission);
    }

    /// Returns a line for each program or module with all submissions that need it, if the error leaves out any.
    pub fn lines(&self) -> Vec<String> {
        let is_named = |submissions: &BTreeSet<String>| submissions.len() <= Self::NAMED;
        if self.0.len() <= Self::TOOLS && self.0.values().all(is_named) {
            return Vec::new();
        }
        let line = |(tool, submissions): (&Lack, &BTreeSet<String>)| {
            let names: Vec<&str> = submissions.iter().map(String::as_str).collect();
            format!("this system lacks {tool}, needed for {}", names.join(", "))
        };
        self.0.iter().map(line).collect()
    }

    /// Returns the programs as an error, if there are any.
    ///
    /// # Errors
    ///
    /// Returns an error if the system lacks a program.
    pub fn check(self) -> Result<(), MissingTools> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for MissingTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (tool, submissions) in self.0.iter().take(Self::TOOLS) {
            let names: Vec<&str> =
                submissions.iter().take(Self::NAMED).map(String::as_str).collect();
            write!(f, "this system lacks {tool}, needed for {}", names.join(", "))?;
            if let more @ 1.. = submissions.len() - names.len() {
                write!(f, " and {more} more")?;
            }
            f.write_str("; ")?;
        }
        if let more @ 1.. = self.0.len().saturating_sub(Self::TOOLS) {
            write!(f, "and {more} more; ")?;
        }
        f.write_str("once it is installed for all users")?;
        if self.0.keys().any(Lack::is_beside) {
            f.write_str(", or, for a package or a crate, is among the files handed in")?;
        }
        if self.0.keys().any(|lack| matches!(lack, Lack::Module(_))) {
            f.write_str(", or, if a student forgot a file, has `build = \"\"` in --override")?;
        }
        f.write_str(", the same command goes on")
    }
}

/// Returns the level at which programs run: `asked`, or the greatest level of the system.
///
/// # Errors
///
/// Returns an error that names the feature that the system lacks, and the remedy. A system without
/// any level is refused unless [`SandboxLevel::None`] is asked for.
pub fn settle_level(asked: Option<SandboxLevel>) -> Result<SandboxLevel, UnfitSandbox> {
    let (level, obstacle) = match asked {
        Some(level) => (level, obstacle(level, None)),
        None => match availability(None) {
            found if found.level > SandboxLevel::None => (found.level, None),
            found => {
                let passing = found.obstacles.iter().find(|obstacle| obstacle.is_passing);
                (found.level, passing.or(found.obstacles.first()).cloned())
            }
        },
    };
    obstacle.map_or(Ok(level), |obstacle| Err(UnfitSandbox { asked, obstacle }))
}

/// Returns the build of the running program that most processors can run: its own executable,
/// unless it is from a package.
///
/// # Errors
///
/// Returns an error if the OS cannot tell which file this program is.
pub fn most_portable_build() -> io::Result<PathBuf> {
    let running = env::current_exe()?;
    let builds = running.ancestors().nth(2).filter(|builds| builds.ends_with(BUILDS));
    let builds = builds.and_then(|builds| fs::read_dir(builds).ok());
    // The names of the levels sort from the lowest level up.
    let lowest = builds.and_then(|builds| builds.flatten().map(|build| build.path()).min());
    Ok(lowest.map_or(running, |build| build.join(PROGRAM)))
}

/// The error for a system without a sandbox of the needed level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfitSandbox {
    asked: Option<SandboxLevel>,
    obstacle: Obstacle,
}

impl UnfitSandbox {
    /// Returns true if the system may have the sandbox later.
    pub fn is_passing(&self) -> bool {
        self.obstacle.is_passing
    }
}

impl fmt::Display for UnfitSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Obstacle { why, remedy, .. } = &self.obstacle;
        match self.asked {
            _ if self.is_passing() => write!(f, "the system cannot run a program now: {why}")?,
            Some(level) => write!(f, "--sandbox {level}: not on this system: {why}")?,
            None => {
                write!(f, "this system cannot hold other people's programs in a sandbox: {why}")?
            }
        }
        if let Some(remedy) = remedy {
            write!(f, "; remedy: {remedy}")?;
        }
        if self.asked.is_none() && !self.is_passing() && cfg!(unix) {
            write!(f, "; to run them without a sandbox, as yourself, use --sandbox none")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnfitSandbox {}

/// The error for a Java player that cannot be told of the moves that games begin with.
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

/// Checks that every Java player can be told of the moves that games begin with. `remedy` says how
/// to do without these moves.
///
/// # Errors
///
/// Returns an error for the first such player.
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

/// Returns the opening of a game that breaks a tie. It is empty if a player cannot be told of it.
pub fn tie_break_opening(game: &dyn HostedGame, specs: &[&PlayerSpec]) -> Vec<MoveText> {
    check_given_moves(game, specs, "").map_or_else(|_| Vec::new(), |()| game.tie_break_opening())
}

/// Checks that the program of a command exists. The error is one line.
fn find_program(words: &[String]) -> Result<(), String> {
    let word = words.first().map_or("", String::as_str);
    let places = places(word);
    if places.iter().any(|place| is_program(place)) {
        Ok(())
    } else if places.iter().any(|place| place.is_file()) {
        Err(format!("`{}` is not executable", excerpt(word)))
    } else {
        Err(format!("there is no program `{}`", excerpt(word)))
    }
}

/// Returns the places in which a program of this name may be.
fn places(word: &str) -> Vec<PathBuf> {
    let program = Path::new(word);
    if program.components().count() > 1 {
        return vec![program.to_owned()];
    }
    search_folders().iter().map(|folder| folder.join(program)).collect()
}

/// Returns the file of a program of this name, if this system has it.
pub fn place_of_program(word: &str) -> Option<PathBuf> {
    places(word).into_iter().find(|place| is_program(place))
}

/// Returns true if the place is a file with permission to run. Only Unix has such permissions.
fn is_program(place: &Path) -> bool {
    let may_run = |found: &Metadata| cfg!(not(unix)) || is_executable(found);
    place.metadata().is_ok_and(|found| found.is_file() && may_run(&found))
}

/// Returns true if the owner, the group or others may run a file.
#[cfg(unix)]
pub(crate) fn is_executable(file: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs;

    use plyground_host::toy::toy;

    use super::*;

    #[test]
    fn all_that_is_missing_has_a_line() {
        let mut missing = MissingTools::default();
        missing.add(&Lack::Program("javac".to_owned()), "ann".to_owned());
        assert_eq!(missing.lines(), Vec::<String>::new());
        for (number, module) in "abcd".chars().enumerate() {
            missing.add(&Lack::Module(module.to_string()), format!("s{number}"));
        }
        let lines = missing.lines();
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[4], "this system lacks the module `d` of Python, needed for s3");
        let text = missing.to_string();
        assert!(text.contains("`b` of Python, needed for s1; and 2 more; once it is"), "{text}");
    }

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
        // Where there are no files, the reason is that of the preparation.
        let folder = tempfile::tempdir().expect("a folder");
        let facts =
            "source = \"\"\nkey = \"\"\nstatus = \"not-unpacked\"\nwhy = \"it is damaged\"\n";
        fs::write(folder.path().join("plyground.toml"), facts).expect("a file");
        let player = format!("java:{}", folder.path().join("program").display());
        let why = "not unpacked, it is damaged".to_owned();
        assert_eq!(ready(&player), Err(NotReady::Program(why)));
    }

    /// The system is at fault, and not the submission.
    #[test]
    fn submission_whose_language_is_missing_is_not_at_fault()
    -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let facts = "source = 'ann.zip'\nkey = ''\nstatus = 'ready'\nstart = 'no-such-language ./play'\n\
            [handed_in]\nname = 'Ann'\n";
        fs::write(folder.path().join("plyground.toml"), facts)?;
        fs::create_dir(folder.path().join("program"))?;
        let spec = format!("line:{{start:{}}} line", folder.path().display()).parse()?;
        let ready = ProgramOptions::default().make_ready(&*toy(), &spec, None);
        let Err(NotReady::System(why)) = ready else { panic!("{ready:?}") };
        assert!(why.starts_with("this system lacks `no-such-language`, needed for "), "{why}");
        Ok(())
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
