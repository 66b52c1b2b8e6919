//! `engine`: our own players, for referees that speak the line protocol; and `engine-check`, which checks
//! any engine.

use std::io::{self, BufReader, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::anyhow;
use clap::Args;
use plyground_arena::seat::check_player;
use plyground_host::external::CommandLine;
use plyground_host::player::{EnginePlayer, Player, PlayerSpec, Random};
use plyground_host::protocol::{self, Exchange, check_engine};
use plyground_host::{EngineOptions, Fault, SharedGame, Strength, any_seed};

use super::args::{BookChoice, SearchArgs};
use super::failure::{Failure, listen};
use super::programs::{PolicyArgs, prepare, warn_of_patient};

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

pub(super) fn run(game: &SharedGame, args: &EngineArgs) -> Result<(), Failure> {
    if args.player == PlayerSpec::Human || args.player.is_external() {
        return Err(Failure::Usage(
            "expected a machine or random: an engine is one of our own players".to_owned(),
        ));
    }
    check_player(&**game, &args.player)?;
    let book = args.book.open(&game.start())?;
    warn_of_patient(&game.start(), [&args.player], book.as_ref());
    let seat =
        |asked: &SharedGame, depth: Option<u32>, stop: &Arc<AtomicBool>| -> Box<dyn Player> {
            // The book has the positions of the rules that it was made for.
            let book = book.clone().filter(|_| asked.rules() == game.rules());
            let without_prepared = args.book.no_book;
            let engine = EngineOptions { search: args.search.options(), book, without_prepared };
            let strength = match (&args.player, depth) {
                // A perfect player looks as far ahead as it must.
                (PlayerSpec::Machine(_), Some(depth)) if !args.player.is_perfect() => {
                    Strength::Depth(depth.clamp(1, asked.max_depth()))
                }
                (PlayerSpec::Machine(strength), _) => *strength,
                _ => return Box::new(Random::new(args.search.seed.unwrap_or_else(any_seed))),
            };
            let player = EnginePlayer::new(asked.engine(engine), strength);
            Box::new(player.with_stop(Some(Arc::clone(stop))).punctual())
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

/// Holds a program to the line protocol: a line for every exchange with it, with what was expected
/// and found.
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
