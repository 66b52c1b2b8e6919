//! The failures of commands, with their messages and exit codes; warnings and interruptions.

use std::fmt::Display;
use std::io::{self, Write};
use std::iter;
use std::path::Path;
use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use plyground::book::BookError;
use plyground::perfect::Unlimited;
use plyground_arena::book::{BookBuildError, ReadBookError};
use plyground_arena::class_folder::{AmongSubmissions, NotPrepared};
use plyground_arena::programs::{UnfitSandbox, UntoldMoves};
use plyground_arena::seat::{NotAPlayer, UnfitDepth, UnfitPlayer};
use plyground_arena::second_try::FailedTwice;
use plyground_arena::timing::{PlotError, RuntimeError};
use plyground_arena::tournament::{StoreError, TournamentError};
use plyground_durable::input::TomlError;
use plyground_durable::journal::JournalError;
use plyground_durable::output::is_stdout;
use plyground_durable::work::{NoThread, WorkError};
use plyground_durable::{FileError, excerpt, one_line, shown};
use plyground_grading::grade::{GradeError, HistoryError, RosterError};
use plyground_grading::submissions::PrepareError;
use plyground_host::referee::Interrupted;
use plyground_host::rules::RulesFault;
use plyground_host::state::ReadError;
use plyground_host::{EngineError, OtherGame};
use thiserror::Error;

use crate::progress;

#[cfg(unix)]
use nix::sys::signal::{SigHandler, Signal, signal};

/// The exit code when the run failed.
const RUN_FAILED: u8 = 1;
/// The exit code when the input is at fault; clap uses the same for the arguments.
const BAD_INPUT: u8 = 2;

/// The exit code when the user interrupts, by the custom of the shells: 128 and the number of the
/// signal.
const STOPPED: u8 = 130;

/// The reason for the failure of a command. The text is one line.
#[derive(Debug, Error)]
pub enum Failure {
    /// The arguments ask for something that makes no sense, or an input cannot be used.
    #[error("{0}")]
    Usage(String),
    /// A file could not be written.
    #[error(transparent)]
    Write(FileError),
    /// The user stopped the program. The text says how far the work is.
    #[error("interrupted; {0}")]
    Stopped(String),
    /// Standard output is closed, which is no failure.
    #[error("standard output is closed")]
    Closed,
    /// Standard input cannot be read, or standard output not written.
    #[error("standard input or output: {0}")]
    Screen(io::Error),
    /// Any other failure of the run.
    #[error("{0:#}")]
    Run(anyhow::Error),
}

impl Failure {
    /// Returns the failure of arguments or input that make no sense.
    pub(crate) fn usage(why: impl ToString) -> Failure {
        Failure::Usage(why.to_string())
    }

    /// Returns the failure of an input that is in this file or folder.
    pub(crate) fn of_file(path: &Path, why: impl Display) -> Failure {
        Failure::usage(format_args!("{}: {why}", path.display()))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if is_closed_pipe(&error) { Failure::Closed } else { Failure::Screen(error) }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        let is_closed = is_closed_pipe(&error.source) && is_stdout(&error.path);
        if is_closed { Failure::Closed } else { Failure::Write(error) }
    }
}

/// Returns `true` if a pipe has no reader any more. Windows has a second error code for this case, which Rust does not
/// know.
fn is_closed_pipe(error: &io::Error) -> bool {
    const PIPE_NOT_CONNECTED: i32 = 233;
    error.kind() == io::ErrorKind::BrokenPipe
        || cfg!(windows) && error.raw_os_error() == Some(PIPE_NOT_CONNECTED)
}

impl From<Interrupted> for Failure {
    fn from(interrupted: Interrupted) -> Failure {
        match interrupted {
            Interrupted::Observer(error) => error.into(),
            Interrupted::Opening { .. } => Failure::usage(interrupted),
            Interrupted::System { .. } => Failure::Run(interrupted.into()),
        }
    }
}

impl From<UnfitSandbox> for Failure {
    fn from(unfit: UnfitSandbox) -> Failure {
        if unfit.is_passing() {
            return Failure::Run(unfit.into());
        }
        Failure::usage(unfit)
    }
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Failure {
        match error {
            RuntimeError::Output(error) => Failure::from(error),
            RuntimeError::Write(error) => error.into(),
            RuntimeError::Stopped(depth) => {
                Failure::Stopped(format!("depth {depth} is not measured"))
            }
            RuntimeError::Lock(_) | RuntimeError::Plot(_) => Failure::Run(error.into()),
            RuntimeError::GameOver
            | RuntimeError::OtherGame(_)
            | RuntimeError::Unreadable(_)
            | RuntimeError::OtherFile { .. } => Failure::usage(error),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        TournamentError::from(error).into()
    }
}

impl From<TournamentError> for Failure {
    fn from(error: TournamentError) -> Failure {
        match error {
            TournamentError::Store(StoreError::Write(error)) => error.into(),
            error if error.is_bad_input() => Failure::usage(error),
            error => Failure::Run(error.into()),
        }
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Failure {
        match error {
            WorkError::File(error) => error.into(),
            error if error.is_bad_input() => Failure::usage(error),
            error => Failure::Run(error.into()),
        }
    }
}

impl From<PrepareError> for Failure {
    fn from(error: PrepareError) -> Failure {
        match error {
            PrepareError::File(error) => error.into(),
            error if error.is_bad_input() => Failure::usage(error),
            // The text of this error includes its cause.
            error => Failure::Run(anyhow!("{error}")),
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        if error.is_bad_input() { Failure::usage(error) } else { Failure::Run(error.into()) }
    }
}

impl From<BookBuildError> for Failure {
    fn from(error: BookBuildError) -> Failure {
        match error {
            BookBuildError::Journal(error) => error.into(),
            BookBuildError::Write(error) => error.into(),
            error => Failure::Run(error.into()),
        }
    }
}

/// Converts errors of the crates below into failures by `$failure`.
macro_rules! failures {
    ($failure:expr; $($error:ty),+) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                $failure(error)
            }
        }
    )+};
}

failures!(Failure::usage;
    AmongSubmissions, BookError, EngineError, NotAPlayer, NotPrepared, OtherGame, ReadBookError, ReadError, RosterError, TomlError, UnfitDepth, UnfitPlayer, Unlimited, UntoldMoves);
failures!(|error| Failure::Run(anyhow::Error::new(error)); HistoryError, FailedTwice, GradeError, NoThread, PlotError, RulesFault);

/// Returns the failure of arguments or input that make no sense, as the result of a command.
pub(crate) fn refuse<T>(why: impl ToString) -> Result<T, Failure> {
    Err(Failure::usage(why))
}

/// Reports a failure on standard error. Returns the exit code: 0 if all went well, 1 if the run
/// failed, 2 if the arguments or the input are at fault, 130 if the user stopped it.
#[must_use]
pub fn finish(result: Result<(), Failure>) -> ExitCode {
    let Err(failure) = result else { return ExitCode::SUCCESS };
    let code = match failure {
        Failure::Closed => return ExitCode::SUCCESS,
        Failure::Usage(_) => BAD_INPUT,
        Failure::Stopped(_) => STOPPED,
        Failure::Write(_) | Failure::Screen(_) | Failure::Run(_) => RUN_FAILED,
    };
    report(&failure.to_string());
    ExitCode::from(code)
}

/// Ends the process because a rules program has failed: without its rules, no command can go on.
pub fn give_up(fault: &RulesFault) -> ! {
    report(&fault.to_string());
    process::exit(RUN_FAILED.into())
}

/// Prints an error on standard error, as one line, in color as clap decides.
fn report(what: &str) {
    // If standard error is closed, the failure cannot be reported.
    let line = format!("{}\n", one_line(what));
    let _ = clap::Error::raw(ErrorKind::Io, line).print();
}

/// Ends the process with the message of clap about a command line: help, or a fault as one line, like all faults.
pub fn exit(mut error: clap::Error) -> ! {
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || !error.use_stderr() {
        if let Err(fault) = error.print()
            && let failure @ Failure::Screen(_) = Failure::from(fault)
        {
            report(&failure.to_string());
            process::exit(RUN_FAILED.into())
        }
        process::exit(error.exit_code())
    }
    for kind in REPEATED {
        if let Some(ContextValue::String(text)) = error.get(kind) {
            let text = ContextValue::String(excerpt(text));
            error.insert(kind, text);
        }
    }
    report(&told(&error));
    process::exit(BAD_INPUT.into())
}

/// Returns the error of a command line as one line, with the tip about an option that another place has.
fn told(error: &clap::Error) -> String {
    let text = in_one_line(&error.render().to_string());
    let of = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let usage = of(ContextKind::Usage);
    let given = [ContextKind::InvalidArg, ContextKind::PriorArg].map(of);
    let is_of = |command: &&str| usage.split_whitespace().any(|word| word == *command);
    let is_it = |(commands, options, _): &&Elsewhere| {
        commands.iter().any(is_of) && given.iter().any(|option| options.contains(&&**option))
    };
    let is_elsewhere =
        matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::ArgumentConflict);
    match ELSEWHERE.iter().find(is_it).filter(|_| is_elsewhere) {
        Some((_, _, tip)) => format!("{text}; tip: {tip}"),
        None => text,
    }
}

/// Commands, options that they do not have, or not with another option, and a tip.
type Elsewhere = (&'static [&'static str], &'static [&'static str], &'static str);

/// The options that people look for at the wrong command.
const ELSEWHERE: &[Elsewhere] = &[
    (
        &["tournament"],
        &["-t", "--wall", "--cpu", "--memory", "--output", "--processes"],
        "the limits of a tournament are in its file, in the table `limits`",
    ),
    (
        &["interactive", "one-move"],
        &["--player"],
        "this program itself plays here; `play human 'file:COMMAND {in} {out}'` plays with another",
    ),
    (
        &["grade"],
        &["--check <NAME>"],
        "--points with 0 leaves checks out of a class; --player tries one submission",
    ),
];

/// The parts of an error of clap that repeat the command line.
const REPEATED: [ContextKind; 3] =
    [ContextKind::InvalidArg, ContextKind::InvalidValue, ContextKind::InvalidSubcommand];

/// Returns the message of clap and its tips, without the usage, which is in the help.
fn in_one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let (fault, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let fault = fault.split_whitespace().collect::<Vec<_>>().join(" ");
    let tips = rest.lines().map(str::trim).filter(|line| line.starts_with("tip: "));
    // An option that is mistyped, or of another command, is no file or player.
    let tips = tips.filter(|tip| !tip.contains(" as a value, use '-- "));
    iter::once(fault).chain(tips.map(str::to_owned)).collect::<Vec<_>>().join("; ")
}

/// The function that stops the present work, if there is one.
static WORK: Mutex<Option<Box<dyn FnMut() + Send>>> = Mutex::new(None);

/// The time after the first signal in which further signals belong to the same interruption: `timeout` sends one to the
/// process and one to its group, and a terminal and a wrapper may do the same.
const ECHO: Duration = Duration::from_secs(1);

/// Returns a flag that is raised when the user interrupts. A second interruption ends the process
/// at once.
///
/// # Errors
///
/// Returns an error if the OS does not let this process listen.
pub fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    call_when_interrupted(move || raised.store(true, Ordering::Relaxed))?;
    Ok(stop)
}

/// Calls `stop` when the user interrupts, in place of the function of an earlier call: a process may do one
/// work after another. A second interruption ends the process at once.
///
/// # Errors
///
/// Returns an error if the OS does not let this process listen.
pub fn call_when_interrupted(stop: impl FnMut() + Send + 'static) -> Result<(), Failure> {
    static LISTENS: Mutex<bool> = Mutex::new(false);
    let mut listens = LISTENS.lock().unwrap_or_else(PoisonError::into_inner);
    *WORK.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(stop));
    if *listens {
        return Ok(());
    }
    #[cfg(unix)]
    let goes_on = is_hangup_ignored();
    let mut interrupted: Option<Instant> = None;
    let interrupt = move || match interrupted {
        Some(first) if first.elapsed() > ECHO => process::exit(STOPPED.into()),
        Some(_) => {}
        None => {
            interrupted = Some(Instant::now());
            stop_work();
        }
    };
    ctrlc::set_handler(interrupt)
        .map_err(|error| Failure::Run(anyhow!("cannot listen for an interruption: {error}")))?;
    #[cfg(unix)]
    if goes_on {
        ignore_hangup();
    }
    *listens = true;
    Ok(())
}

/// Stops the present work.
fn stop_work() {
    let mut work = WORK.lock().unwrap_or_else(PoisonError::into_inner);
    work.iter_mut().for_each(|stop| stop());
}

/// The line about the work so far that an interruption prints before it ends the process. All that is worth keeping
/// is already in files.
#[derive(Clone, Debug)]
pub(super) struct Standing(Arc<Mutex<String>>);

impl Standing {
    /// Returns the standing at the start.
    pub(super) fn new(text: &str) -> Standing {
        Standing(Arc::new(Mutex::new(text.to_owned())))
    }

    /// Prints the standing and ends the process when the user interrupts.
    pub(super) fn say_if_interrupted(&self) -> Result<(), Failure> {
        let standing = self.clone();
        call_when_interrupted(move || standing.leave())
    }

    /// Changes the standing.
    pub(super) fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// Prints the standing and ends the process.
    pub(super) fn leave(&self) -> ! {
        let so_far = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        eprintln!("\ninterrupted; {so_far}");
        process::exit(STOPPED.into())
    }
}

/// Returns `true` if the end of the terminal does not interrupt this process, as under `nohup`.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    matches!(ignore_hangup(), Some(SigHandler::SigIgn))
}

/// Ignores hangups. Returns the previous handler.
#[cfg(unix)]
fn ignore_hangup() -> Option<SigHandler> {
    // SAFETY: no function is called when the signal comes.
    unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn) }.ok()
}

/// Prints a text on standard output, without delay.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints a warning on standard error, as one line with escapes, because it may repeat a stranger's text.
pub fn warn(what: &(impl Display + ?Sized)) {
    progress::say(format_args!("warning: {}", shown(&what.to_string())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_arguments_are_one_line() {
        let check = clap::Arg::new("check").long("check").value_name("NAME");
        let class = clap::Arg::new("class").long("class");
        let grade = clap::Command::new("grade").arg(check.conflicts_with("class")).arg(class);
        let [tournament, interactive] = ["tournament", "interactive"].map(clap::Command::new);
        let command = clap::Command::new("toy")
            .arg(clap::Arg::new("file").required(true))
            .arg(clap::Arg::new("side").long("side").value_parser(["first", "second"]))
            .subcommand_negates_reqs(true)
            .subcommands([tournament, interactive, grade].map(|it| it.arg(clap::Arg::new("file"))));
        for (words, line) in [
            ("toy", "the following required arguments were not provided: <file>"),
            (
                "toy x --side fist",
                "invalid value 'fist' for '--side <side>' [possible values: first, second]; \
                 tip: a similar value exists: 'first'",
            ),
            (
                "toy x --sid first",
                "unexpected argument '--sid' found; tip: a similar argument exists: '--side'",
            ),
            (
                "toy tournament --wall",
                "unexpected argument '--wall' found; \
                 tip: the limits of a tournament are in its file, in the table `limits`",
            ),
            (
                "toy interactive --player",
                "unexpected argument '--player' found; tip: this program itself plays here; \
                 `play human 'file:COMMAND {in} {out}'` plays with another",
            ),
            ("toy interactive --wall", "unexpected argument '--wall' found"),
            (
                "toy grade --class subs --check score",
                "the argument '--class <class>' cannot be used with '--check <NAME>'; tip: --points \
                 with 0 leaves checks out of a class; --player tries one submission",
            ),
        ] {
            let error =
                command.clone().try_get_matches_from(words.split(' ')).expect_err("a fault");
            assert_eq!(told(&error), line);
        }
    }

    /// The final of a league is a tournament and then a grading.
    #[test]
    fn one_work_may_follow_another() -> Result<(), Failure> {
        call_when_interrupted(|| ())?;
        let stop = listen()?;
        assert!(!stop.load(Ordering::Relaxed));
        stop_work();
        assert!(stop.load(Ordering::Relaxed));
        Ok(())
    }
}
