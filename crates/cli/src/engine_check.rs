//! `engine-check`: whether somebody's engine speaks the line protocol.

use std::io::{self, Write};

use anyhow::anyhow;
use clap::Args;
use plyground_host::external::CommandLine;
use plyground_host::player::PlayerSpec;
use plyground_host::protocol::{Exchange, check_engine};
use plyground_host::{Fault, SharedGame};

use super::failure::Failure;
use super::interrupt::listen;
use super::programs::{PolicyArgs, prepare};

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
