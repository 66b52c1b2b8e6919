//! The arguments of the commands about Gradescope.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use plyground_arena::seat::PlayerTemplate;
use plyground_durable::{parse_duration, whole_number};
use plyground_sandbox::{ProcessLimits, SandboxLevel};

/// The packages that autograders install, which build and run submissions.
const PACKAGES: &str = "default-jdk-headless g++ make cmake nodejs python3";

/// The arguments of `grade gradescope`.
#[derive(Clone, Debug, Args)]
pub struct GradescopeArgs {
    /// The player, with {start} for what starts the submission
    #[arg(long, value_name = "PLAYER")]
    pub player: PlayerTemplate,

    /// The zip to upload
    #[arg(long, value_name = "autograder.zip")]
    pub out: PathBuf,

    /// Take what checks are worth, and who may see them, from this file
    #[arg(long, value_name = "FILE.toml")]
    pub points: Option<PathBuf>,

    /// Draw positions by this number, for all students; without it, by a secret one that is kept in
    /// the zip
    #[arg(long, value_name = "N", value_parser = whole_number(0..=u64::MAX))]
    pub seed: Option<u64>,

    /// The time for all checks of a submission; with that of its build, two minutes, it must be less
    /// than Gradescope allows
    #[arg(long, value_name = "TIME", default_value = "6m", value_parser = parse_duration)]
    pub total: Duration,

    /// Take from the table `class` of this file how submissions are built and started, where that
    /// cannot be told
    #[arg(long = "override", value_name = "FILE.toml")]
    pub overrides: Option<PathBuf>,

    /// The assignment's name for the program: of several in a submission, it is taken
    #[arg(long, value_name = "NAME", default_value = "maxconnect4")]
    pub program: String,

    /// Put this program into the zip in place of the running one: one that was built for the
    /// processors and the system of Gradescope
    #[arg(long, value_name = "FILE")]
    pub executable: Option<PathBuf>,

    /// The packages to install on Gradescope, by apt-get
    #[arg(long, value_name = "PACKAGES", default_value = PACKAGES)]
    pub packages: String,

    /// The level of the sandbox for submissions: full, user or none; without
    /// it, as far as Gradescope's system can
    #[arg(long, value_name = "LEVEL")]
    pub sandbox: Option<SandboxLevel>,

    /// The limits of submissions.
    #[command(flatten)]
    pub limits: ProcessLimits,
}

/// The arguments of `grade autograde`.
#[derive(Clone, Debug, Args)]
pub struct AutogradeArgs {
    /// The folder with the folders source, submission and results
    #[arg(long, value_name = "FOLDER", default_value = "/autograder")]
    pub root: PathBuf,
}
