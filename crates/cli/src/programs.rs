//! Other people's programs as players: the options about them, and what is checked beforehand.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use plyground_arena::programs::ProgramOptions;
use plyground_cage::{Confinement, ProcessLimits, confinement};
use plyground_host::HostedGame;
use plyground_host::external::{CommandLine, NotReady};
use plyground_host::output::make_folder;
use plyground_host::player::PlayerSpec;

use super::failure::Failure;
use super::warning::warn;

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
    pub(super) fn options(&self) -> ProgramOptions {
        ProgramOptions {
            limits: self.limits.clone(),
            lenient: self.lenient,
            sandbox: !self.no_sandbox,
            logs: self.logs.clone(),
        }
    }
}

/// Refuses programs that cannot be played with, before anything is played, and says what the OS
/// cannot do about the others. `depth` is what they are to be told.
pub(super) fn prepare(
    game: &dyn HostedGame,
    options: &ProgramOptions,
    specs: &[&PlayerSpec],
    depth: Option<u32>,
) -> Result<(), Failure> {
    for spec in specs {
        if depth.is_none() && spec.command().is_some_and(CommandLine::needs_depth) {
            let why =
                "expected a depth, for `{depth}` is in it: give it with --depth, or write it there";
            return Err(Failure::Usage(format!("{spec}: {why}")));
        }
        options.make_ready(game, spec, depth).map_err(|why| match why {
            NotReady::Program(why) => Failure::Usage(format!("{spec}: {why}")),
            NotReady::System(why) => Failure::Run(anyhow!("{spec}: {why}")),
        })?;
    }
    if specs.iter().any(|spec| spec.is_external()) { prepare_system(options) } else { Ok(()) }
}

/// Makes the folder for the logs, and says what the OS cannot do. Refuses what would make every
/// program lose, and none of them could help.
pub(super) fn prepare_system(options: &ProgramOptions) -> Result<(), Failure> {
    let temporary = env::temp_dir();
    for folder in options.logs.iter().chain([&temporary]) {
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
    if let Some(folder) = &options.logs {
        make_folder(folder)?;
    }
    warnings(options).for_each(warn);
    Ok(())
}

fn warnings(options: &ProgramOptions) -> impl Iterator<Item = &'static str> {
    let unconfined = match confinement() {
        _ if !options.sandbox => None,
        Confinement::Full => None,
        Confinement::Partial => Some(
            "this kernel confines external programs only in part: they can open network \
             connections",
        ),
        Confinement::None => {
            Some("this system cannot confine external programs: they can write wherever you can")
        }
    };
    let unlimited = (!cfg!(target_os = "linux")).then_some(
        "on this system limits of memory and processes, and of CPU time until a program ends, \
         are not enforced, and programs that detach themselves live on",
    );
    unconfined.into_iter().chain(unlimited)
}
