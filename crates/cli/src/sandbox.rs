//! The command `sandbox`: how well this system holds other people's programs.

use std::env;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use plyground_sandbox::{
    AttackCheck, AttackOutcome, AttackReport, Availability, SandboxLevel, availability, obstacle,
    secret_variable, tree_limits,
};

use super::failure::Failure;
use super::interrupt;

/// What to do about the sandboxes of this system.
#[derive(Clone, Debug, Args)]
pub struct SandboxArgs {
    #[command(subcommand)]
    command: SandboxCommand,
}

/// The commands about sandboxes.
#[derive(Clone, Debug, Subcommand)]
enum SandboxCommand {
    /// Say how far this system can keep programs apart, and try to break out in every known way
    ///
    /// Each attack is what a hostile program would do. It runs in a sandbox as a program does that
    /// plays. The command fails if an attack succeeds.
    #[command(after_help = "Examples:\n  plyground sandbox check\n  plyground sandbox check \
                            --sandbox user\n  plyground sandbox check --build")]
    Check(SandboxCheckArgs),
}

/// What to check.
#[derive(Clone, Debug, Args)]
struct SandboxCheckArgs {
    /// The level to check: full or user; without it, every one that this system has
    #[arg(long, value_name = "LEVEL")]
    sandbox: Option<SandboxLevel>,

    /// Attack from the sandbox in which submissions are built
    #[arg(long)]
    build: bool,
}

/// Does what the arguments ask for.
///
/// # Errors
///
/// A level that this system does not have, or an attack that succeeds.
pub fn sandbox(args: &SandboxArgs) -> Result<(), Failure> {
    let SandboxCommand::Check(args) = &args.command;
    let found = availability(None);
    let mut out = io::stdout().lock();
    describe(&mut out, &found)?;
    let level = args.sandbox.unwrap_or(found.level);
    if level == SandboxLevel::None {
        return Err(Failure::Run(anyhow!("without a sandbox, every attack succeeds")));
    }
    if let Some(obstacle) = obstacle(level, None) {
        let why = format!("--sandbox {level}: not on this system: {}", obstacle.why);
        return Err(Failure::Usage(why));
    }
    let succeeded = attack(&mut out, level, args.build)?;
    if succeeded > 0 {
        return Err(Failure::Run(anyhow!("{succeeded} attacks succeed at the level {level}")));
    }
    Ok(())
}

fn describe(out: &mut impl Write, found: &Availability) -> io::Result<()> {
    writeln!(out, "The greatest level of this system is {}.", found.level)?;
    for obstacle in &found.obstacles {
        writeln!(out, "Not {}: {}.", obstacle.level, obstacle.why)?;
        if let Some(remedy) = &obstacle.remedy {
            writeln!(out, "  What helps: {remedy}.")?;
        }
    }
    let limits = tree_limits();
    writeln!(out, "Limits of all processes of a program together: {limits}.")?;
    if let Some(remedy) = &limits.remedy {
        writeln!(out, "  What helps: {remedy}.")?;
    }
    writeln!(out)
}

/// Tries every attack. Returns how many succeed.
fn attack(out: &mut impl Write, level: SandboxLevel, build: bool) -> Result<u32, Failure> {
    // The attack on the environment needs something to find.
    let secret = secret_variable();
    if env::var_os(secret).is_none() {
        // SAFETY: this process has no other threads yet.
        unsafe { env::set_var(secret, "secret") };
    }
    let stop = interrupt::listen()?;
    writeln!(out, "{:<52} at the level {level}", "An attack tries to")?;
    let (mut tried, mut succeeded, mut printed) = (0, 0, Ok(()));
    let show = |report: AttackReport| {
        tried += 1;
        succeeded += u32::from(matches!(report.outcome, AttackOutcome::Succeeded(_)));
        printed = writeln!(out, "{:<52} {}", report.aim, report.outcome);
        if printed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let check = AttackCheck { level, supervisor: None, build, stop: Some(Arc::clone(&stop)) };
    check.run(show).map_err(|error| Failure::Run(anyhow!("{error}")))?;
    printed?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Stopped(format!("{tried} attacks tried, {succeeded} succeed")));
    }
    Ok(succeeded)
}
