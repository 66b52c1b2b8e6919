//! Other people's programs as players: their options, and the checks before play; and our own players as programs:
//! `engine`, for referees that speak the line protocol, and `engine-check`, which checks any engine.

use std::io::{self, BufReader, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{env, fs};

use anyhow::anyhow;
use clap::Args;
use plyground::Game;
use plyground::book::Book;
use plyground::perfect::plies_to_end;
use plyground_arena::programs::{ProgramOptions, settle_level};
use plyground_arena::seat::check_player;
use plyground_durable::output::make_folder;
use plyground_host::external::{CommandLine, NotReady};
use plyground_host::player::{EnginePlayer, Player, PlayerSpec, Random};
use plyground_host::protocol::{self, Exchange, check_engine};
use plyground_host::{
    EngineOptions, Fault, HostedGame, HostedPosition, MOST_PLIES_TO_SOLVE, SharedGame, Strength,
    any_seed,
};
use plyground_sandbox::{ProcessLimits, SandboxLevel, closed_languages};

use super::args::{BookChoice, SearchArgs};
use super::failure::{Failure, listen, refuse, warn};

/// The options of other people's programs that play.
#[derive(Clone, Debug, Args)]
pub struct ProgramArgs {
    /// The sandbox and the limits.
    #[command(flatten)]
    pub sandbox: PolicyArgs,

    /// Accept outputs with slips: a missing or wrong next player, or a board that is only printed
    #[arg(long)]
    pub lenient: bool,

    /// Let external programs think during their opponent's turns
    #[arg(long)]
    pub ponder: bool,
}

/// The sandbox and the limits of other people's programs.
#[derive(Clone, Debug, Args)]
pub struct PolicyArgs {
    /// The limits.
    #[command(flatten)]
    pub limits: ProcessLimits,

    /// The level of the sandbox for external programs: full, user or none; without it, the highest
    /// that this system has, which must not be none
    #[arg(long, value_name = "LEVEL")]
    pub sandbox: Option<SandboxLevel>,

    /// Let external programs also read this file or folder; may be given several times
    #[arg(long, value_name = "PATH")]
    pub visible: Vec<PathBuf>,

    /// Give external programs an environment variable, with this value or the current one; may be
    /// given several times
    #[arg(long = "env", value_name = "NAME[=VALUE]", value_parser = variable)]
    pub environment: Vec<(String, String)>,

    /// Keep the standard error of external programs in this folder, which is created if needed
    #[arg(long, value_name = "FOLDER")]
    pub logs: Option<PathBuf>,
}

impl ProgramArgs {
    pub(super) fn options(&self) -> ProgramOptions {
        let ProgramArgs { sandbox, lenient, ponder } = self;
        ProgramOptions { lenient: *lenient, ponder: *ponder, ..sandbox.options() }
    }
}

impl PolicyArgs {
    pub(super) fn options(&self) -> ProgramOptions {
        ProgramOptions {
            limits: self.limits.clone(),
            sandbox: self.sandbox,
            visible: self.visible.clone(),
            environment: self.environment.clone(),
            logs: self.logs.clone(),
            ..ProgramOptions::default()
        }
    }
}

/// Returns an error if a program cannot play, and warns of limits that the OS cannot enforce.
/// `depth` is the depth that the programs are told.
pub(super) fn prepare(
    game: &dyn HostedGame,
    options: &ProgramOptions,
    specs: &[&PlayerSpec],
    depth: Option<u32>,
) -> Result<(), Failure> {
    if specs.iter().any(|spec| spec.is_external()) {
        prepare_system(options)?;
    }
    for spec in specs {
        if depth.is_none() && spec.command().is_some_and(CommandLine::needs_depth) {
            let why = "expected a depth for `{depth}` in the player: give --depth, or write the number there";
            return refuse(format!("{spec}: {why}"));
        }
        options.make_ready(game, spec, depth).map_err(|why| not_ready(spec, why))?;
    }
    Ok(())
}

/// Returns the failure of a command whose program cannot be started.
pub(super) fn not_ready(spec: &PlayerSpec, why: NotReady) -> Failure {
    match why {
        NotReady::Program(why) => Failure::usage(format!("{spec}: {why}")),
        NotReady::Lacking(why) | NotReady::System(why) => Failure::Run(anyhow!("{spec}: {why}")),
    }
}

/// Makes the folder for the logs, and warns of limits that the OS cannot enforce. Returns an error
/// for a fault of the system that would make every program lose.
pub(super) fn prepare_system(options: &ProgramOptions) -> Result<(), Failure> {
    let temporary = env::temp_dir();
    for folder in options.logs.iter().chain([&temporary]) {
        if folder.to_str().is_none() {
            return Err(Failure::of_file(folder, "expected the name of a folder in UTF-8"));
        }
    }
    // `tempfile` adds a path of its own to the error.
    let made = tempfile::tempdir().map_err(|error| io::Error::from(error.kind()));
    if let Err(error) = fs::metadata(&temporary).and(made) {
        let place = temporary.display();
        let fault = anyhow!("{place}: cannot make the folders of external programs: {error}");
        return Err(Failure::Run(fault));
    }
    if let Some(folder) = &options.logs {
        make_folder(folder)?;
    }
    let closed = closed_languages(settle_level(options.sandbox)?);
    if !closed.is_empty() {
        let folders: Vec<_> = closed.iter().map(|folder| folder.display().to_string()).collect();
        warn(&format!(
            "at the level user, programs cannot use {}: let other users through (`chmod o+x` the folders \
             above), or install these languages for all users",
            folders.join(", ")
        ));
    }
    if !cfg!(target_os = "linux") {
        warn(NOT_HELD);
    }
    Ok(())
}

/// The warning about limits that only Linux can enforce.
const NOT_HELD: &str = "on this system limits of memory and processes, and of CPU time until a program ends, are not \
     enforced, programs that detach themselves live on, and nothing confines them";

/// Reads an environment variable: its name, and its value; without a value, the current one.
fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) =
        text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let is_name = |symbol: char| symbol.is_ascii_alphanumeric() || symbol == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Err("expected NAME or NAME=VALUE".to_owned());
    }
    match value.map_or_else(|| env::var(name).map_err(|_| ()), |value| Ok(value.to_owned())) {
        Ok(value) => Ok((name.to_owned(), value)),
        Err(()) => Err(format!("there is no variable {name}: expected {name}=VALUE")),
    }
}

/// Warns if a perfect machine without a limit on its time may take hours: far from the end of the game, in a position
/// that the book does not have. `remedy` is the option or the player that sets a limit.
pub(super) fn warn_of_hours(
    position: &HostedPosition,
    strength: Strength,
    book: Option<&Book>,
    remedy: &str,
) {
    let is_far = plies_to_end(position).is_ok_and(|plies| plies > MOST_PLIES_TO_SOLVE);
    let is_known = book.is_some_and(|book| book.get(position).is_some());
    if matches!(strength, Strength::Perfect { time: None, .. }) && is_far && !is_known {
        let plies = position.plies_left().unwrap_or_default();
        warn(&format_args!(
            "perfect play may take hours for a move when {plies} moves are left: {remedy} ends in time"
        ));
    }
}

/// Warns like [`warn_of_hours`] of the players of a game from its start.
pub(super) fn warn_of_patient<'a>(
    position: &HostedPosition,
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    book: Option<&Book>,
) {
    let endless = players.into_iter().find_map(|player| match player {
        PlayerSpec::Machine(strength @ Strength::Perfect { time: None, .. }) => Some(*strength),
        _ => None,
    });
    if let Some(strength) = endless {
        warn_of_hours(position, strength, book, "machine:perfect,time=10s");
    }
}

/// The arguments of `engine`.
#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// The player: machine, machine:depth=N, machine:time=TIME, machine:perfect,
    /// machine:perfect,time=TIME or random
    #[arg(value_name = "PLAYER", default_value = "machine")]
    pub player: PlayerSpec,

    /// The options of the search.
    #[command(flatten)]
    pub search: SearchArgs,

    /// Which book to go by.
    #[command(flatten)]
    pub book: BookChoice,
}

pub(super) fn engine(game: &SharedGame, args: &EngineArgs) -> Result<(), Failure> {
    if args.player == PlayerSpec::Human || args.player.is_external() {
        return refuse("expected a machine or random: an engine is one of our own players");
    }
    check_player(&**game, &args.player)?;
    let book = args.book.open(&game.start())?;
    warn_of_patient(&game.start(), [&args.player], book.as_ref());
    let seat =
        |asked: &SharedGame, depth: Option<u32>, stop: &Arc<AtomicBool>| -> Box<dyn Player> {
            // The book has the positions of the rules that it was made for.
            let book = book.clone().filter(|_| asked.rules() == game.rules());
            let without_prepared = args.book.no_book.0;
            let engine = EngineOptions { search: args.search.options(), book, without_prepared };
            let strength = match (&args.player, depth) {
                // A depth does not limit a perfect player.
                (PlayerSpec::Machine(_), Some(depth)) if !args.player.is_perfect() => {
                    Strength::Depth(depth.clamp(1, asked.max_depth()))
                }
                (PlayerSpec::Machine(strength), _) => *strength,
                _ => return Box::new(Random::new(args.search.seed.unwrap_or_else(any_seed))),
            };
            let mut player = EnginePlayer::new(asked.engine(engine), strength);
            (player.stop, player.is_punctual) = (Some(Arc::clone(stop)), true);
            Box::new(player)
        };
    protocol::serve(BufReader::new(io::stdin()), io::stdout().lock(), game, seat)?;
    Ok(())
}

/// The arguments of `engine-check`.
#[derive(Clone, Debug, Args)]
pub struct EngineCheckArgs {
    /// The program with its arguments, as in line:COMMAND
    #[arg(value_name = "COMMAND")]
    pub command: CommandLine,

    /// The sandbox and the limits of the program.
    #[command(flatten)]
    pub sandbox: PolicyArgs,
}

/// The file for standard error, in the folder for such files.
const LOG: &str = "engine-check.log";

/// Checks a program against the line protocol. Prints a line for every exchange, with the expected
/// and the found answer.
///
/// # Errors
///
/// Returns an error if an exchange is not as it should be, or the program cannot be run.
pub fn engine_check(game: &SharedGame, args: &EngineCheckArgs) -> Result<(), Failure> {
    let options = args.sandbox.options();
    let spec = PlayerSpec::Line(args.command.clone());
    prepare(&**game, &options, &[&spec], None)?;
    let stop = listen()?;
    let policy = options.policy(None, Some(stop), LOG);
    let (mut all, mut right, mut shown) = (0, 0, Ok(()));
    let checked = check_engine(game, args.command.program(None), &policy, |exchange| {
        all += 1;
        right += usize::from(exchange.found.is_none());
        shown = std::mem::replace(&mut shown, Ok(())).and_then(|()| show(exchange));
    });
    shown?;
    checked
        .map_err(|error| Failure::Run(anyhow!("{}", Fault::System { why: error.to_string() })))?;
    if policy.is_stopped() {
        return Err(Failure::Stopped(format!("{right} of {all} exchanges were as expected")));
    }
    writeln!(io::stdout(), "\n{right} of {all} exchanges as expected")?;
    if right < all {
        let wrong = all - right;
        return Err(Failure::Run(anyhow!("the engine failed in {wrong} of {all} exchanges")));
    }
    Ok(())
}

fn show(exchange: &Exchange) -> io::Result<()> {
    let Exchange { name, expected, found } = exchange;
    let mut out = io::stdout().lock();
    match found {
        None => writeln!(out, "ok    {name:<13} {expected}")?,
        Some(found) => writeln!(out, "FAIL  {name:<13} expected {expected}; found {found}")?,
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_has_name_and_value() {
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(variable("A_1=b=c"), pair("A_1", "b=c"));
        assert_eq!(variable("A="), pair("A", ""));
        assert!(variable("=b").is_err() && variable("a b=c").is_err());
        assert!(variable("PLYGROUND_NO_SUCH_VARIABLE").is_err());
        assert!(variable("PATH").is_ok_and(|(_, value)| !value.is_empty()));
    }
}
