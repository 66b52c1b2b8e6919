//! `serve`, `work` and `slurm`.

use std::env;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use plyground_arena::alone::cores;
use plyground_arena::programs::settle_level;
use plyground_cli::{self as cli, Failure, JobArray};
use plyground_durable::output::make_folder;
use plyground_durable::{parse_duration, whole_number};
use tokio::sync::Notify;

use super::token;
use crate::clock::SystemClock;
use crate::league::League;
use crate::server::{LeagueServer, ServeOptions};
use crate::work::{Client, WorkEvent, work as play};

/// The arguments of `serve`.
#[derive(Clone, Debug, Args)]
pub(super) struct ServeArgs {
    /// The folder of the league
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The port of the pages, 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 8040, value_parser = whole_number(0..=u16::MAX))]
    port: u16,

    /// The address to listen at. The pages then answer only under this very address
    #[arg(long, value_name = "IP", default_value_t = Ipv4Addr::LOCALHOST.into())]
    address: IpAddr,

    /// Answer under this name too, as the browser has it in its address; may be given several times
    #[arg(long, value_name = "NAME", value_parser = cli::host_name)]
    host: Vec<String>,

    /// The address of a reverse proxy: whom it forwards for is the client, by the end of its header
    /// X-Forwarded-For
    #[arg(long, value_name = "IP")]
    proxy: Option<IpAddr>,

    /// Browsers reach the league by HTTPS, by way of the proxy: cookies are for that alone
    #[arg(long)]
    https: bool,

    /// The number of connections at a time, half of which may come from one address
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = whole_number(8..=100_000_usize))]
    connections: usize,

    /// The longest that a request may take to arrive, and that a client may send or take nothing
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    request_time: Duration,

    /// Play no games on this machine: others do, with `work`
    #[arg(long)]
    no_games: bool,
}

/// The arguments of `work`.
#[derive(Clone, Debug, Args)]
pub(super) struct WorkArgs {
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
pub(super) struct SlurmArgs {
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

/// More tasks than this are a slip of the fingers.
const MOST_TASKS: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

pub(super) fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let league = Arc::new(League::serve(&args.folder, Arc::new(SystemClock))?);
    settle_level(league.config.sandbox)?;
    let at = SocketAddr::new(args.address, args.port);
    let listener = cli::listen_at(at)
        .map_err(|error| Failure::Run(anyhow!("cannot listen at {at}: {error}")))?;
    let options = ServeOptions {
        hosts: args.host.clone(),
        proxy: args.proxy,
        https: args.https,
        connections: args.connections,
        request_time: args.request_time,
        plays: !args.no_games,
    };
    let failed = |error: io::Error| Failure::Run(anyhow!("the server has failed: {error}"));
    let name = league.config.name.clone();
    let server = LeagueServer::new(league, listener, options).map_err(failed)?;
    let stop = Arc::new(Notify::new());
    let stopped = Arc::clone(&stop);
    cli::call_when_interrupted(move || stopped.notify_one())?;
    let mut out = io::stdout().lock();
    writeln!(out, "{name}: http://{}/", server.address().map_err(failed)?)?;
    out.flush()?;
    drop(out);
    server.run(async move { stop.notified().await }).map_err(failed)
}

pub(super) fn work(args: &WorkArgs) -> Result<(), Failure> {
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
            WorkEvent::Trouble(why) => format!("{why}; this is tried again"),
        };
        // A closed standard error is no fault.
        let _ = writeln!(io::stderr(), "{text}");
    })?;
    Ok(())
}

pub(super) fn slurm(args: &SlurmArgs) -> Result<(), Failure> {
    // A wrong token would fail in each task.
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
        writeln!(io::stdout(), "{} tasks are job {job}", args.tasks)?;
    }
    Ok(())
}
