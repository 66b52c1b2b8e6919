//! Other people's programs as players: the options about them, and what is checked beforehand.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;

use super::failure::Failure;
use super::program::Program;
use crate::external::{Confinement, ProcessLimits, Texts, Treatment, check_class, confinement};
use crate::game::Game;
use crate::output::make_folder;
use crate::player::{CommandLine, NotReady, PlayerSpec};
use crate::state::{Fault, StateText};

/// How to treat other people's programs.
#[derive(Clone, Debug, Args)]
pub struct ProgramArgs {
    /// What they may use.
    #[command(flatten)]
    pub limits: ProcessLimits,

    /// Take outputs of a file exchange in which the next player is missing or wrong
    #[arg(long)]
    pub lenient: bool,

    /// Let external programs write anywhere and open network connections
    #[arg(long)]
    pub no_sandbox: bool,

    /// Keep what external programs print to standard error in this folder, which is made if there
    /// is none
    #[arg(long, value_name = "FOLDER")]
    pub logs: Option<PathBuf>,
}

impl ProgramArgs {
    /// Refuses programs that cannot be played with, before anything is played, and says what the
    /// system cannot do about the others. `depth` is what they are to be told.
    pub(super) fn prepare<P: Program>(
        &self,
        program: &P,
        specs: &[&PlayerSpec],
        depth: Option<u32>,
    ) -> Result<(), Failure> {
        for spec in specs {
            if depth.is_none() && spec.command().is_some_and(CommandLine::needs_depth) {
                let why = "expected a depth, for `{depth}` is in it: give it with --depth, or write it there";
                return Err(Failure::Usage(format!("{spec}: {why}")));
            }
            self.make_ready(program, spec, depth).map_err(|why| match why {
                NotReady::Program(why) => Failure::Usage(format!("{spec}: {why}")),
                NotReady::System(why) => Failure::Run(anyhow!("{spec}: {why}")),
            })?;
        }
        specs.iter().find(|spec| spec.is_external()).map_or(Ok(()), |_| self.prepare_system())
    }

    /// What [`prepare`](Self::prepare) does about the system, for a player that may not be there.
    pub(super) fn prepare_system_for(&self, spec: &PlayerSpec) -> Result<(), Failure> {
        if spec.is_external() { self.prepare_system() } else { Ok(()) }
    }

    /// Does what must be done once before a program can be started, which may take long, and looks
    /// whether it is there.
    ///
    /// # Errors
    ///
    /// Why it cannot be started.
    pub(super) fn make_ready<P: Program>(
        &self,
        program: &P,
        spec: &PlayerSpec,
        depth: Option<u32>,
    ) -> Result<(), NotReady> {
        match spec {
            PlayerSpec::Java(java) => program.java_command(java, depth, &self.limits).map(drop),
            _ => spec.command().map_or(Ok(()), |command| {
                let words = command.words(depth);
                find_program(&words).and_then(|()| check_class(&words)).map_err(NotReady::Program)
            }),
        }
    }

    /// Makes the folder for the logs, and says what the system cannot do. Refuses what would make
    /// every program lose, and none of them could help.
    pub(super) fn prepare_system(&self) -> Result<(), Failure> {
        let temporary = env::temp_dir();
        for folder in self.logs.iter().chain([&temporary]) {
            if folder.to_str().is_none() {
                let fault = format!("{}: expected the name of a folder in UTF-8", folder.display());
                return Err(Failure::Usage(fault));
            }
        }
        // `tempfile` adds a path of its own to the error.
        let made = tempfile::tempdir().map_err(|error| io::Error::from(error.kind()));
        if let Err(error) = fs::metadata(&temporary).and(made) {
            let place = temporary.display();
            let fault = anyhow!("{place}: cannot make the folders of external programs: {error}");
            return Err(Failure::Run(fault));
        }
        if let Some(folder) = &self.logs {
            make_folder(folder)?;
        }
        for warning in self.warnings() {
            // If standard error is closed, nobody wants to know.
            let _ = writeln!(io::stderr(), "warning: {warning}");
        }
        Ok(())
    }

    fn warnings(&self) -> impl Iterator<Item = &'static str> {
        let unconfined = match confinement() {
            _ if self.no_sandbox => None,
            Confinement::Full => None,
            Confinement::Partial => Some(
                "this kernel confines external programs only in part: they can open network \
                 connections",
            ),
            Confinement::None => Some(
                "this system cannot confine external programs: they can write wherever you can",
            ),
        };
        let unlimited = (!cfg!(target_os = "linux")).then_some(
            "on this system limits of memory and processes, and of CPU time until a program ends, \
             are not enforced, and programs that detach themselves live on",
        );
        unconfined.into_iter().chain(unlimited)
    }

    /// How to treat a program in a game whose log has this name. The referee's own limit counts as
    /// well.
    pub(super) fn treatment(
        &self,
        time_limit: Option<Duration>,
        stop: Option<Arc<AtomicBool>>,
        log: &str,
    ) -> Treatment {
        let wall = self.limits.wall.into_iter().chain(time_limit).min();
        Treatment {
            limits: ProcessLimits { wall, ..self.limits.clone() },
            lenient: self.lenient,
            sandbox: !self.no_sandbox,
            log: self.logs.as_ref().map(|folder| folder.join(log)),
            stop,
            supervisor: None,
        }
    }
}

/// Refuses Java players that cannot be told of the moves that games begin with. `remedy` says how
/// to do without them.
pub(super) fn check_given_moves<P: Program>(
    program: &P,
    specs: &[&PlayerSpec],
    remedy: &str,
) -> Result<(), Failure> {
    match specs.iter().find(|spec| matches!(spec, PlayerSpec::Java(_))) {
        Some(spec) if !program.java_is_told_all() => Err(Failure::Usage(format!(
            "{spec}: under the rules {} a Java player cannot be told of moves that it did not \
             choose: {remedy}",
            program.rules()
        ))),
        _ => Ok(()),
    }
}

/// The moves that a game begins with which is to break a tie: none, if there is a player that
/// cannot be told of them.
pub(super) fn tie_break<P: Program>(
    program: &P,
    specs: &[&PlayerSpec],
) -> Vec<<P::Game as Game>::Move> {
    check_given_moves(program, specs, "")
        .map_or_else(|_| Vec::new(), |()| program.tie_break_opening())
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
        Err(format!("`{}` is not executable", word.escape_debug()))
    } else {
        Err(format!("there is no program `{}`", word.escape_debug()))
    }
}

/// Whether it is a file that somebody may run.
#[cfg(unix)]
fn is_executable(place: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    /// The bits of the mode that let the owner, the group or others run a file.
    const ANYBODY: u32 = 0o111;
    let metadata = fs::metadata(place);
    metadata.is_ok_and(|found| found.is_file() && found.permissions().mode() & ANYBODY != 0)
}

#[cfg(not(unix))]
fn is_executable(place: &Path) -> bool {
    place.is_file()
}

/// The texts of a game's program, for programs of others.
#[derive(Debug)]
pub(super) struct ProgramTexts<'a, P>(pub(super) &'a P);

impl<P: Program> Texts<P::Game> for ProgramTexts<'_, P> {
    fn rules(&self) -> String {
        self.0.rules()
    }

    fn start(&self) -> P::Game {
        self.0.start()
    }

    fn format_state(&self, position: &P::Game) -> String {
        self.0.format_state(position)
    }

    fn parse_state(&self, text: &StateText) -> Result<P::Game, Fault> {
        self.0.parse_state(text)
    }
}
