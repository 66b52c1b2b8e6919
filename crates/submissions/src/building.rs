//! Builds a submission in a sandbox: what it does there is a stranger's code.

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plyground_sandbox::{
    ByteSize, Launch, ProcessEnd, ProcessLimits, Sandbox, SandboxLevel, SandboxPolicy,
};

use crate::complaint::first_complaint;

/// What the build of a submission may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// The time by the clock on the wall.
    pub time: Duration,
    /// The memory of all its processes.
    pub memory: ByteSize,
    /// The size of the folder when it is done, and what it may print.
    pub output: ByteSize,
    /// How many processes it may have at a time.
    pub processes: u32,
}

impl Default for BuildLimits {
    fn default() -> BuildLimits {
        BuildLimits {
            time: Duration::from_secs(120),
            memory: ByteSize::gib(2),
            output: ByteSize::mib(256),
            processes: 128,
        }
    }
}

/// How submissions are built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// What a build may use.
    pub limits: BuildLimits,
    /// The level of its sandbox.
    pub level: SandboxLevel,
    /// A flag that any thread may set when no more is wanted.
    pub stop: Option<Arc<AtomicBool>>,
}

/// How a build has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Built {
    /// As it should.
    Done,
    /// Not so, for this reason: one line.
    Failed(String),
    /// Nobody wants it any more.
    Stopped,
}

/// A build that the OS cannot run, for this reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CannotRun(pub(crate) String);

/// Runs a line for a shell in a folder below `root`, all of which it may change. What it prints is added
/// to `log`.
///
/// # Errors
///
/// When the OS cannot run it, which says nothing of the submission.
pub(crate) fn build(
    root: &Path,
    folder: &Path,
    line: &str,
    log: &Path,
    options: &BuildOptions,
) -> Result<Built, CannotRun> {
    let cannot = |error: std::io::Error| CannotRun(error.to_string());
    let BuildLimits { time, memory, output, processes } = options.limits;
    let limits = ProcessLimits { memory, output, processes, ..ProcessLimits::default() };
    let policy = SandboxPolicy {
        limits,
        level: options.level,
        workshop: Some(root.to_owned()),
        log: Some(log.to_owned()),
        stop: options.stop.clone(),
        ..SandboxPolicy::default()
    };
    let place = Path::new(".").join(folder);
    let place = place.to_str().ok_or_else(|| CannotRun("expected a path in UTF-8".to_owned()))?;
    // Nothing of the submission is in a word of its own: a sandbox shows the files that words name.
    let script = format!("exec 1>&2; cd \"$0\" && {{ {line}\n}}");
    let words = ["sh", "-c", &script, place].map(str::to_owned).to_vec();
    let (end, left) = Sandbox::run_once(Launch::new(words, None), &policy, time).map_err(cannot)?;
    let why = match end {
        ProcessEnd::Exit(0) => return Ok(Built::Done),
        ProcessEnd::Dismissed => return Ok(Built::Stopped),
        ProcessEnd::System(why) | ProcessEnd::NotStarted(why) => return Err(CannotRun(why)),
        ProcessEnd::Lost | ProcessEnd::Starved(_) => {
            return Err(CannotRun("the computer is too busy to build it".to_owned()));
        }
        ProcessEnd::Exit(code) => {
            let complaint = first_complaint(&String::from_utf8_lossy(&left.errors));
            if complaint.is_empty() { format!("exit code {code}") } else { complaint }
        }
        ProcessEnd::WallLimit => {
            format!("its build takes more than {}", humantime::format_duration(time))
        }
        ProcessEnd::MemoryLimit => format!("its build takes more than {memory} of memory"),
        ProcessEnd::OutputLimit => format!("its build writes more than {output}"),
        ProcessEnd::Processes => format!("its build has more than {processes} processes"),
        ProcessEnd::Signal(name) => format!("its build is ended by the signal {name}"),
        ProcessEnd::Hidden => "its build holds more than can be looked at".to_owned(),
        ProcessEnd::ClosedOutput | ProcessEnd::CpuLimit | ProcessEnd::NotStill => {
            "its build was ended".to_owned()
        }
    };
    Ok(Built::Failed(why))
}

/// The first of these programs that this system does not have.
pub(crate) fn missing_tool<'a>(tools: &[&'a str]) -> Option<&'a str> {
    let path = env::var_os("PATH").unwrap_or_default();
    let has = |tool: &str| env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    tools.iter().copied().find(|tool| !has(tool))
}
