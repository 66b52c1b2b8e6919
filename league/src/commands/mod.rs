//! The command line of the program `plyground-league`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use plyground_cli::{self as cli, Failure};

use crate::clock::SystemClock;
use crate::league::{League, LeagueError};
use crate::store::StoreError;
use crate::work::WorkError;

mod ending;
mod keeping;
mod people;
mod pushing;
mod serving;

use ending::FinalArgs;
use keeping::{BackupArgs, FolderArgs};
use people::{DeleteArgs, InstructorArgs, InviteArgs, RosterArgs, WorkerArgs};
use pushing::PushArgs;
use serving::{ServeArgs, SlurmArgs, WorkArgs};

const NAME: &str = "plyground-league";

const EXAMPLES: &str = "\
Examples:
  plyground league init autumn
  plyground league roster autumn students.csv
  plyground league invite autumn --address https://league.example.edu > links.csv
  plyground league serve autumn --host league.example.edu --proxy 127.0.0.1 --https
  plyground league final autumn --out final";

/// Runs a league: students upload programs, which play all day and are rated
#[derive(Debug, Parser)]
#[command(name = NAME, version = cli::version(), after_help = EXAMPLES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the folder of a league, with a file league.toml to change
    Init(FolderArgs),
    /// Take the students of a roster in, or their new names and addresses
    Roster(RosterArgs),
    /// Take an instructor in, and show the personal link
    Instructor(InstructorArgs),
    /// Write personal links as CSV, for those who have none
    ///
    /// A link is shown once, since the league keeps only its hash.
    Invite(InviteArgs),
    /// Make a token for another machine that plays games, or revoke it
    Worker(WorkerArgs),
    /// Remove a person with all versions and games
    Delete(DeleteArgs),
    /// Serve the pages, build what is uploaded and play games, until Ctrl-C
    Serve(ServeArgs),
    /// Upload a program, and show what becomes of it
    Push(PushArgs),
    /// Play games of a league on this machine
    ///
    /// It may be ended at any moment: the server gives its games to others.
    Work(WorkArgs),
    /// Have the tasks of a Slurm job array play games of a league
    ///
    /// Each task is `work --until-idle`, with as many games at a time as it has processors.
    Slurm(SlurmArgs),
    /// Play the tournament of the frozen versions and grade them, after the deadline
    ///
    /// The same command goes on where it was stopped. The folder has all that it takes to play the tournament
    /// again.
    Final(FinalArgs),
    /// Copy a league into a folder while it runs; the copy is a league
    Backup(BackupArgs),
    /// Say what is well and what is wrong
    Doctor(FolderArgs),
}

/// Returns the command line.
#[must_use]
pub fn command() -> clap::Command {
    Line::command()
}

/// Runs the program.
pub fn main() -> ExitCode {
    cli::supervise_if_asked();
    let matches = command().try_get_matches_from(env::args_os());
    let line = matches.and_then(|matches| Line::from_arg_matches(&matches));
    let line = line.unwrap_or_else(|error| cli::exit(error));
    cli::finish(match line.command {
        Command::Init(args) => keeping::init(&args),
        Command::Roster(args) => people::roster(&args),
        Command::Instructor(args) => people::instructor(&args),
        Command::Invite(args) => people::invite(&args),
        Command::Worker(args) => people::worker(&args),
        Command::Delete(args) => people::delete(&args),
        Command::Serve(args) => serving::serve(&args),
        Command::Push(args) => pushing::push(&args),
        Command::Work(args) => serving::work(&args),
        Command::Slurm(args) => serving::slurm(&args),
        Command::Final(args) => ending::run(&args),
        Command::Backup(args) => keeping::back_up(&args),
        Command::Doctor(args) => keeping::doctor(&args),
    })
}

/// Opens a league beside its server.
fn visit(folder: &Path) -> Result<League, Failure> {
    Ok(League::visit(folder, Arc::new(SystemClock))?)
}

impl From<LeagueError> for Failure {
    fn from(error: LeagueError) -> Failure {
        match error {
            LeagueError::Config(_)
            | LeagueError::Refused(_)
            | LeagueError::Store(StoreError::Refused(_) | StoreError::NoLeague(_)) => {
                Failure::Usage(error.to_string())
            }
            error => Failure::Run(error.into()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        LeagueError::from(error).into()
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Failure {
        Failure::Run(error.into())
    }
}

/// Returns the token of a file, or of the variable `PLYGROUND_LEAGUE_TOKEN`: on the command line, others on
/// the same computer would see it.
fn token(file: Option<&PathBuf>) -> Result<String, Failure> {
    const VARIABLE: &str = "PLYGROUND_LEAGUE_TOKEN";
    let text = match file {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?,
        None => env::var(VARIABLE).map_err(|_| {
            Failure::Usage(format!(
                "expected --token FILE, or the token in the variable {VARIABLE}"
            ))
        })?,
    };
    // A whole link is as good: its last part is the token.
    let text = text.trim().rsplit('/').next().unwrap_or_default().to_owned();
    match crate::token::Token::read(&text) {
        Some(token) => Ok(token.text().to_owned()),
        None => Err(Failure::Usage("expected a token of 22 letters, as a link ends in".to_owned())),
    }
}
