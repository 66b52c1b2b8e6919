//! `league`: a program of its own, so that those who only play do not compile a database.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command as Process;

use clap::{Arg, ArgMatches, Command};
use plyground_cli::Failure;

/// The name of the command.
pub(crate) const NAME: &str = "league";

/// The name of the program.
const PROGRAM: &str = "plyground-league";

/// The words after the name of the command.
const WORDS: &str = "words";

/// Returns the command, whose words are all those of the program.
pub(crate) fn command() -> Command {
    let words = Arg::new(WORDS).hide(true).num_args(0..).trailing_var_arg(true);
    let words = words.allow_hyphen_values(true).value_parser(clap::value_parser!(OsString));
    Command::new(NAME)
        .about("Run a league: students upload programs, which play all day and are rated")
        .disable_help_flag(true)
        .arg(words)
}

/// Runs the program in place of this one, as far as the system can.
pub(crate) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let words = matches.get_many::<OsString>(WORDS).into_iter().flatten();
    let missing = || {
        if cfg!(windows) {
            return Failure::Usage(
                "a league plays in sandboxes, which need Linux: Windows has it as WSL".to_owned(),
            );
        }
        Failure::Usage(format!(
            "`plyground league` is the program {PROGRAM}, which is not beside this one: `cargo build \
             --release -p league` makes it, and the .deb has it"
        ))
    };
    let mut program = Process::new(place().ok_or_else(missing)?);
    let error = replace(program.args(words));
    Err(Failure::Run(anyhow::anyhow!("{PROGRAM}: {error}")))
}

/// Goes on as another program, which then has the signals that are meant for this one. Returns if it cannot be
/// started.
#[cfg(unix)]
fn replace(program: &mut Process) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(program)
}

#[cfg(not(unix))]
fn replace(program: &mut Process) -> std::io::Error {
    match program.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Returns the place of the program: beside this one, in the package of this one, or in `PATH`.
fn place() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe().unwrap_or_default();
    let beside = own.parent().map(|folder| folder.join(&name));
    // A package has several builds of this program, and one of the league, in the folder of commands.
    let packaged = own.ancestors().nth(4).map(|root| root.join("bin").join(&name));
    let path = env::var_os("PATH").unwrap_or_default();
    let others = env::split_paths(&path).map(|folder| folder.join(&name));
    beside.into_iter().chain(packaged).chain(others).find(|place| place.is_file())
}
