//! The command `sandbox`, which checks how well this system confines other people's programs.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs};

use anyhow::anyhow;
use clap::{Args, Subcommand};
use plyground_sandbox::{
    AttackOutcome, AttackReport, Availability, BUILD, CHECK, SECRET_VARIABLE, SUPERVISE,
    SandboxLevel, availability, has_clock, obstacle, tree_limits,
};
use tempfile::TempDir;

use super::failure;
use super::failure::{Failure, refuse};

/// An ID that no user has.
const ORDINARY: u32 = 54_321;
/// The width of the column with the aims of the attacks.
const AIMS: usize = 58;

/// The arguments of `sandbox`.
#[derive(Clone, Debug, Args)]
pub struct SandboxArgs {
    #[command(subcommand)]
    command: SandboxCommand,
}

/// The commands about sandboxes.
#[derive(Clone, Debug, Subcommand)]
enum SandboxCommand {
    /// Show how well this system keeps programs apart, and try every known way to break out
    ///
    /// Each attack acts as a hostile program would, as a player and as a build, at every level of
    /// this system; as root, also for an ordinary user. The command fails if an attack succeeds.
    #[command(after_help = "Examples:\n  plyground sandbox check\n  plyground sandbox check \
                            --sandbox user")]
    Check {
        /// The level to check: full or user; without it, every one that this system has
        #[arg(long, value_name = "LEVEL")]
        sandbox: Option<SandboxLevel>,
    },
}

/// A column of the table: a sandbox, and its attacker.
#[derive(Clone, Copy, Debug)]
struct Setting {
    level: SandboxLevel,
    build: bool,
    /// If true, the host is an ordinary user.
    ordinary: bool,
}

impl Setting {
    fn title(self) -> String {
        let role = if self.build { "build" } else { "play" };
        let host = if self.ordinary { ", no root" } else { "" };
        format!("{} {role}{host}", self.level)
    }

    /// Starts the process that carries out the attacks.
    fn command(self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        command.args([SUPERVISE, CHECK, self.level.name()]).args(self.build.then_some(BUILD));
        // The attack on the environment needs something to find.
        command.env(SECRET_VARIABLE, "secret").stdin(Stdio::null()).stdout(Stdio::piped());
        if self.ordinary {
            command.uid(ORDINARY).gid(ORDINARY).env("HOME", "/nonexistent");
        }
        command
    }
}

/// The name of the copy of this binary.
const BINARY: &str = "plyground";

/// Returns a folder with a copy of this binary that every user may start.
fn copy_binary() -> io::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(BINARY);
    fs::copy(env::current_exe()?, &path)?;
    for path in [folder.path(), &path] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(folder)
}

/// Runs the command that the arguments name.
///
/// # Errors
///
/// Returns an error if this system does not have the level, or if an attack succeeds.
pub fn sandbox(args: &SandboxArgs) -> Result<(), Failure> {
    let SandboxCommand::Check { sandbox } = &args.command;
    let found = availability(None);
    let mut out = io::stdout().lock();
    describe(&mut out, &found)?;
    let settings = settings(*sandbox)?;
    let stop = failure::listen()?;
    let failed = |error: io::Error| Failure::Run(anyhow!("{error}"));
    let folder = copy_binary().map_err(failed)?;
    let binary = folder.path().join(BINARY);
    let mut columns = Vec::new();
    for setting in &settings {
        eprintln!("attacking: {}", setting.title());
        columns.push(attack(*setting, &binary, &stop)?);
    }
    print_table(&mut out, &settings, &columns)?;
    let reports = columns.iter().flatten();
    match reports.filter(|report| has_succeeded(report)).count() {
        0 => Ok(()),
        succeeded => Err(Failure::Run(anyhow!("{succeeded} attacks succeed"))),
    }
}

/// Returns the settings to check: all that this system has, or those of a level.
fn settings(asked: Option<SandboxLevel>) -> Result<Vec<Setting>, Failure> {
    if asked == Some(SandboxLevel::None) {
        return refuse("--sandbox none: every attack succeeds there");
    }
    let mut settings = Vec::new();
    for level in [SandboxLevel::Full, SandboxLevel::User] {
        if asked.is_some_and(|asked| asked != level) {
            continue;
        }
        match obstacle(level, None) {
            None => {}
            Some(obstacle) if asked.is_some() => {
                return refuse(format!("--sandbox {level}: not on this system: {}", obstacle.why));
            }
            Some(_) => continue,
        }
        let is_root = nix::unistd::Uid::effective().is_root();
        for ordinary in [false, true] {
            if !ordinary || is_root && level == SandboxLevel::Full {
                settings.extend([false, true].map(|build| Setting { level, build, ordinary }));
            }
        }
    }
    if settings.is_empty() {
        return Err(Failure::Run(anyhow!("this system cannot hold other people's programs")));
    }
    Ok(settings)
}

fn describe(out: &mut impl Write, found: &Availability) -> io::Result<()> {
    writeln!(out, "The greatest level of this system is {}.", found.level)?;
    for obstacle in &found.obstacles {
        writeln!(out, "Not {}: {}.", obstacle.level, obstacle.why)?;
        if let Some(remedy) = &obstacle.remedy {
            writeln!(out, "  Remedy: {remedy}.")?;
        }
    }
    let limits = tree_limits();
    writeln!(out, "Limits of all processes of a program together: {limits}.")?;
    if let Some(remedy) = &limits.remedy {
        writeln!(out, "  Remedy: {remedy}.")?;
    }
    if limits.groups.is_none() && !has_clock() {
        writeln!(
            out,
            "No clock counts the children of programs: a program with short-lived children may \
             lose the time for which the computer was busy."
        )?;
        writeln!(out, "  Remedy: control groups, or `sysctl kernel.perf_event_paranoid=2`.")?;
    }
    writeln!(out)
}

/// Carries out every attack of a setting.
fn attack(
    setting: Setting,
    binary: &Path,
    stop: &AtomicBool,
) -> Result<Vec<AttackReport>, Failure> {
    let failed = |why: String| Failure::Run(anyhow!("{}: {why}", setting.title()));
    let mut child = setting.command(binary).spawn().map_err(|error| failed(error.to_string()))?;
    let mut reports = Vec::new();
    for line in child.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines()) {
        let report = line.and_then(|line| Ok(serde_json::from_str(&line)?));
        reports.push(report.map_err(|error| failed(error.to_string()))?);
        if stop.load(Ordering::Relaxed) {
            let _ = child.kill();
            let _ = child.wait();
            let tried = reports.len();
            return Err(Failure::Stopped(format!("{}: {tried} attacks tried", setting.title())));
        }
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    if status.success() { Ok(reports) } else { Err(failed("the attacks cannot be tried".into())) }
}

fn has_succeeded(report: &AttackReport) -> bool {
    matches!(report.outcome, AttackOutcome::Succeeded(_))
}

/// Prints the outcome of each attack in each setting, and the achievement of each attack that succeeds.
fn print_table(
    out: &mut impl Write,
    settings: &[Setting],
    columns: &[Vec<AttackReport>],
) -> io::Result<()> {
    write!(out, "{:<AIMS$}", "An attack tries to")?;
    for setting in settings {
        write!(out, "  {:<10}", setting.title())?;
    }
    writeln!(out)?;
    for (index, first) in columns[0].iter().enumerate() {
        write!(out, "{:<AIMS$}", first.aim)?;
        for (setting, column) in settings.iter().zip(columns) {
            let word = match column.get(index).map(|report| &report.outcome) {
                Some(AttackOutcome::Refused(_)) => "refused",
                Some(AttackOutcome::Stopped(_)) => "stopped",
                Some(AttackOutcome::Succeeded(_)) => "SUCCEEDS",
                Some(AttackOutcome::LeftOut) | None => "left out",
            };
            write!(out, "  {word:<width$}", width = setting.title().len().max(10))?;
        }
        writeln!(out)?;
    }
    for (setting, column) in settings.iter().zip(columns) {
        for report in column.iter().filter(|report| has_succeeded(report)) {
            writeln!(out, "{}, {}: {}", setting.title(), report.name, report.outcome)?;
        }
    }
    Ok(())
}
