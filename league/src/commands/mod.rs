//! The command line of the program `plyground-league`. This module has the server of a league and its clients:
//! `serve`, `work`, `slurm` and `push`.

use std::env;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::anyhow;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use jiff::Timestamp;
use plyground_arena::programs::settle_level;
use plyground_cli::{self as cli, Failure, JobArray};
use plyground_durable::output::make_folder;
use plyground_durable::work::cores;
use plyground_durable::{FileError, whole_number};
use tokio::sync::Notify;

use crate::league::{League, LeagueError};
use crate::server::{LeagueServer, ServeOptions};
use crate::store::{StoreError, Token};
use crate::work::{Client, Pushed, WorkError, WorkEvent, work as play};

mod managing;

use managing::{
    BackupArgs, DeleteArgs, FinalArgs, FolderArgs, InstructorArgs, InviteArgs, RosterArgs,
    WorkerArgs,
};

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
#[command(name = NAME, version, after_help = EXAMPLES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the folder of a league, with a file league.toml to change
    Init(FolderArgs),
    /// Add the students of a roster, or update their names and addresses
    Roster(RosterArgs),
    /// Add an instructor, and show the personal link
    Instructor(InstructorArgs),
    /// Write personal links as CSV, for people without one
    ///
    /// A link is shown once, since the league keeps only its hash.
    Invite(InviteArgs),
    /// Make a token for another machine that plays games, or revoke it
    Worker(WorkerArgs),
    /// Remove a person with all versions and games
    Delete(DeleteArgs),
    /// Serve the pages, build uploads and play games, until Ctrl-C
    Serve(ServeArgs),
    /// Upload a program, and follow its build and its checks
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
    /// The same command goes on where it was stopped. The folder has everything to play the
    /// tournament again.
    Final(FinalArgs),
    /// Copy a league into a folder while it runs; the copy is a league
    Backup(BackupArgs),
    /// Check a league, and report each fault
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
        Command::Init(args) => managing::init(&args),
        Command::Roster(args) => managing::roster(&args),
        Command::Instructor(args) => managing::instructor(&args),
        Command::Invite(args) => managing::invite(&args),
        Command::Worker(args) => managing::worker(&args),
        Command::Delete(args) => managing::delete(&args),
        Command::Serve(args) => serve(&args),
        Command::Push(args) => push(&args),
        Command::Work(args) => work(&args),
        Command::Slurm(args) => slurm(&args),
        Command::Final(args) => managing::end(&args),
        Command::Backup(args) => managing::back_up(&args),
        Command::Doctor(args) => managing::doctor(&args),
    })
}

/// Writes a line to standard output.
fn say(line: impl Display) -> Result<(), Failure> {
    cli::print(format_args!("{line}\n"))
}

/// Opens a league whose server may be running.
fn visit(folder: &Path) -> Result<League, Failure> {
    Ok(League::visit(folder, Arc::new(Timestamp::now))?)
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

/// Returns the token from a file, or from the variable `PLYGROUND_LEAGUE_TOKEN`. The token is no argument, because
/// other users of the computer can see the command line.
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
    // A whole link is accepted, because its last part is the token.
    let text = text.trim().rsplit('/').next().unwrap_or_default().to_owned();
    match Token::read(&text) {
        Some(token) => Ok(token.text().to_owned()),
        None => Err(Failure::Usage(
            "expected a token of 22 letters, as at the end of a link".to_owned(),
        )),
    }
}

/// The arguments of `serve`.
#[derive(Clone, Debug, Args)]
struct ServeArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The port of the pages, 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 8040, value_parser = whole_number(0..=u16::MAX))]
    port: u16,

    /// The address to listen at. The pages then answer only under this very address
    #[arg(long, value_name = "IP", default_value_t = Ipv4Addr::LOCALHOST.into())]
    address: IpAddr,

    #[command(flatten)]
    options: ServeOptions,
}

/// The arguments of `work`.
#[derive(Clone, Debug, Args)]
struct WorkArgs {
    /// The address of the league
    #[arg(value_name = "URL")]
    url: String,

    /// The file with the token that `worker` has shown; without it, the variable PLYGROUND_LEAGUE_TOKEN
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,

    /// The number of games at a time: as many as there are cores, at most
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    jobs: NonZeroUsize,

    /// Keep the programs in this folder, which is created if it does not exist; without it, in one that is
    /// removed at the end
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,

    /// End when there is no game to play
    #[arg(long)]
    until_idle: bool,
}

/// The arguments of `slurm`.
#[derive(Clone, Debug, Args)]
struct SlurmArgs {
    /// The address of the league
    #[arg(value_name = "URL")]
    url: String,

    /// The file with the token that `worker` has shown, which all nodes can read
    #[arg(long, value_name = "FILE")]
    token: PathBuf,

    /// The number of tasks in the job array
    #[arg(long, value_name = "N", default_value = "8", value_parser = whole_number(NonZeroUsize::MIN..=MOST_TASKS))]
    tasks: NonZeroUsize,

    /// Options for sbatch, as words for a shell; may be given several times
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    sbatch: Vec<String>,

    /// The folder for the script and the logs of the tasks
    #[arg(long, value_name = "FOLDER", default_value = "league-work")]
    out: PathBuf,

    /// Print the script, but submit nothing
    #[arg(long)]
    dry_run: bool,
}

/// The greatest number of tasks; a greater number is taken for a typing error.
const MOST_TASKS: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let league = Arc::new(League::serve(&args.folder, Arc::new(Timestamp::now))?);
    settle_level(league.config.sandbox)?;
    let at = SocketAddr::new(args.address, args.port);
    let listener = cli::listen_at(at)
        .map_err(|error| Failure::Run(anyhow!("cannot listen at {at}: {error}")))?;
    let failed = |error: io::Error| Failure::Run(anyhow!("the server has failed: {error}"));
    let name = league.config.name.clone();
    let server = LeagueServer::new(league, listener, args.options.clone()).map_err(failed)?;
    let stop = Arc::new(Notify::new());
    let stopped = Arc::clone(&stop);
    cli::call_when_interrupted(move || stopped.notify_one())?;
    say(format_args!("{name}: http://{}/", server.address().map_err(failed)?))?;
    server.run(async move { stop.notified().await }).map_err(failed)
}

fn work(args: &WorkArgs) -> Result<(), Failure> {
    settle_level(None)?;
    let client = Client::new(&args.url, &token(args.token.as_ref())?)?;
    let stop = cli::listen()?;
    let own;
    let folder = match &args.programs {
        Some(folder) => {
            make_folder(folder)?;
            folder.as_path()
        }
        None => {
            own = tempfile::tempdir().map_err(|error| Failure::Run(error.into()))?;
            own.path()
        }
    };
    let jobs = args.jobs.min(cores()).get();
    play(&client, folder, jobs, args.until_idle, &stop, &|event| {
        let text = match event {
            WorkEvent::Played(game) => format!("game {game} played"),
            WorkEvent::Trouble(why) => format!("{why}; trying again"),
        };
        // A closed standard error does not stop the work.
        let _ = writeln!(io::stderr(), "{text}");
    })?;
    Ok(())
}

fn slurm(args: &SlurmArgs) -> Result<(), Failure> {
    // A malformed token fails here rather than in each task.
    Client::new(&args.url, &token(Some(&args.token))?)?;
    let here = |path: &Path| absolute(path).map_err(|error| Failure::Run(error.into()));
    let program = env::current_exe().map_err(|error| Failure::Run(error.into()))?;
    let (file, folder) = (here(&args.token)?, here(&args.out)?);
    let words = [
        program.to_string_lossy().into_owned(),
        "work".to_owned(),
        args.url.clone(),
        "--token".to_owned(),
        file.to_string_lossy().into_owned(),
        "--until-idle".to_owned(),
    ];
    let array = JobArray {
        name: "league-work",
        folder: &folder,
        tasks: args.tasks,
        sbatch: &args.sbatch,
        words: &words,
        instead: "league work",
    };
    if let Some(job) = array.submit(args.dry_run)? {
        say(format_args!("{} tasks are job {job}", args.tasks))?;
    }
    Ok(())
}

/// The arguments of `push`.
#[derive(Clone, Debug, Args)]
struct PushArgs {
    /// The address of the league
    #[arg(value_name = "URL")]
    url: String,

    /// A zip, a file or a folder
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,

    /// The file with your link, or with its last part; without it, the variable PLYGROUND_LEAGUE_TOKEN
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
}

fn push(args: &PushArgs) -> Result<(), Failure> {
    let client = Client::new(&args.url, &token(args.token.as_ref())?)?;
    let mut files = Vec::new();
    let name = args.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    gather(&args.program, &name, &mut files).map_err(FileError::at(&args.program, "read it"))?;
    let Pushed { plays, answer } = client.push(&files)?;
    cli::print(answer)?;
    if plays { Ok(()) } else { Err(Failure::Run(anyhow!("the program cannot play in the league"))) }
}

/// Reads the files of a program. Hidden files and folders are left out.
fn gather(path: &Path, name: &str, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    if !path.is_dir() {
        files.push((name.to_owned(), fs::read(path)?));
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let below = entry.file_name().to_string_lossy().into_owned();
        // Symbolic links are skipped, because a link may lead out of the folder.
        if !below.starts_with('.') && !entry.file_type()?.is_symlink() {
            gather(&entry.path(), &format!("{name}/{below}"), files)?;
        }
    }
    Ok(())
}
