//! The arguments of `cluster`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use plyground_durable::{parse_duration, whole_number};

/// More tasks than this are a slip of the fingers.
const MOST_TASKS: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

const SLURM_EXAMPLES: &str = "\
Examples:
  cluster slurm --tasks 50 --sbatch '--partition=short --time=4:00:00' \\
      tournament class.toml --out class
  cluster slurm --dry-run grade --class subs --out grades \\
      --player 'file:{start} one-move {in} {out} {depth}'
  cluster slurm --tasks 20 book build --plies 6 --out book.bin
  cluster slurm timing a.txt b.txt c.txt --csv 'times-{name}.csv'";

const RUN_EXAMPLES: &str = "\
Examples:
  cluster run --jobs 4 tournament class.toml
  cluster run book build --plies 4 --out book.bin
  cluster run --jobs 2 solve position.txt";

/// The arguments of `cluster`.
#[derive(Clone, Debug, Args)]
pub struct ClusterArgs {
    /// The subcommand
    #[command(subcommand)]
    pub command: ClusterCommand,
}

/// The subcommands of `cluster`.
#[derive(Clone, Debug, Subcommand)]
pub enum ClusterCommand {
    /// Have the tasks of a Slurm job array share the work of a command, and merge what they find
    ///
    /// The command is `tournament`, `grade --class`, `match`, `timing`, `book build` or `solve`, of the
    /// program `research` `solve` or `openings`, with its own options.
    /// Its work is cut into many more pieces than there are tasks. The folder with the work must be on
    /// a file system that all nodes have. A task may be killed, requeued or started twice: nothing is
    /// lost, and nothing counts twice. The same command again goes on with what is not done.
    #[command(after_help = SLURM_EXAMPLES)]
    Slurm(ClusterSlurmArgs),
    /// Do the same pieces on this machine, without Slurm
    #[command(after_help = RUN_EXAMPLES)]
    Run(ClusterRunArgs),
    /// Do pieces until there are none: what a task runs
    ///
    /// Any number of processes may do so at once, on any machine that has the folder.
    Work(ClusterWorkArgs),
    /// Put together what the tasks have found; again as often as one likes
    Merge(ClusterMergeArgs),
    /// Say how far the work is, what failed and why
    Status(ClusterStatusArgs),
}

/// The arguments of `cluster slurm`.
#[derive(Clone, Debug, Args)]
pub struct ClusterSlurmArgs {
    /// The number of tasks in the job array
    #[arg(long, value_name = "N", default_value = "8")]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=MOST_TASKS))]
    pub tasks: NonZeroUsize,

    /// Options for sbatch, as words for a shell; may be given several times
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,

    /// Prepare the work and print the scripts, but submit nothing
    #[arg(long)]
    pub dry_run: bool,

    /// The command whose work is shared.
    #[command(flatten)]
    pub shared: SharedCommandArgs,
}

/// The arguments of `cluster run`.
#[derive(Clone, Debug, Args)]
pub struct ClusterRunArgs {
    /// The number of pieces to do at a time
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=MOST_TASKS))]
    pub jobs: NonZeroUsize,

    /// The command whose work is shared.
    #[command(flatten)]
    pub shared: SharedCommandArgs,
}

/// The command whose work is shared.
#[derive(Clone, Debug, Args)]
pub struct SharedCommandArgs {
    /// The folder with the work [default: the output of the command with .work at its end]
    #[arg(long, value_name = "FOLDER")]
    pub work: Option<PathBuf>,

    /// Take a task for dead that has not shown for this time that it lives
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = parse_duration)]
    pub patience: Duration,

    /// The command, with its own options
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    pub command: Vec<String>,
}

/// The arguments of `cluster work`.
#[derive(Clone, Debug, Args)]
pub struct ClusterWorkArgs {
    /// The folder with the work
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// The number of pieces to do at a time
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=MOST_TASKS))]
    pub jobs: NonZeroUsize,
}

/// The arguments of `cluster merge`.
#[derive(Clone, Debug, Args)]
pub struct ClusterMergeArgs {
    /// The folder with the work
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// The arguments of `cluster status`.
#[derive(Clone, Debug, Args)]
pub struct ClusterStatusArgs {
    /// The folder with the work
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// Look so long for who lives, [default: two beats of a task]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub look: Option<Duration>,
}
