//! Builds a submission in a sandbox, because the build is a stranger's code.

use std::env;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use plyground_sandbox::{
    ByteSize, Launch, ProcessEnd, ProcessLimits, Sandbox, SandboxLevel, SandboxPolicy,
};

use crate::complaint::first_complaint;

/// The greatest number of files and folders of which a build can have a copy.
const MOST_FILES: usize = 100_000;

/// The number of times that a build is run which the computer keeps from running.
const TRIES: usize = 3;

/// The lock that a build shares with others, except a build that is run again: the others may be what kept
/// it from running.
static ALONE: RwLock<()> = RwLock::new(());

/// The limits of the build of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// The time by the clock on the wall.
    pub time: Duration,
    /// The memory of all its processes.
    pub memory: ByteSize,
    /// The size of the folder after the build, and the size of the output of the build.
    pub output: ByteSize,
    /// The greatest number of processes at a time.
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

/// The options for building submissions.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The limits of a build.
    pub limits: BuildLimits,
    /// The level of its sandbox.
    pub level: SandboxLevel,
    /// A flag that any thread may set to stop the build.
    pub stop: Option<Arc<AtomicBool>>,
}

/// The result of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Built {
    /// The build has succeeded.
    Done,
    /// The build has failed for this reason: one line.
    Failed(String),
    /// The build was stopped by the flag in the options.
    Stopped,
}

/// The reason why the system cannot run a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CannotRun(pub(crate) String);

/// Runs a shell command in `folder`, a folder below `root`. The build may change everything below `root`. Its
/// output is appended to `log`.
///
/// # Errors
///
/// Returns an error if the system cannot run the build, which is no fault of the submission.
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
    // No word is text of the submission alone: the script has text around the command, and `place` begins
    // with `./`. A sandbox shows the files of the host that words name.
    let script = format!("exec 1>&2; cd \"$0\" && {{ {line}\n}}");
    let words = ["sh", "-c", &script, place].map(str::to_owned).to_vec();
    if !fits(root, output.as_u64()).map_err(cannot)? {
        let why = format!("it has more in it than the {output} that a build has room for");
        return Ok(Built::Failed(why));
    }
    let run = || Sandbox::run_once(Launch::new(words.clone(), None), &policy, time).map_err(cannot);
    let mut ran = {
        let _others = ALONE.read().unwrap_or_else(PoisonError::into_inner);
        run()?
    };
    for _ in 1..TRIES {
        if !matches!(ran.0, ProcessEnd::Lost | ProcessEnd::Starved(_)) || policy.is_stopped() {
            break;
        }
        let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
        ran = run()?;
    }
    let (end, left) = ran;
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

/// Returns true if a build in a copy of a folder has room for its files, each of which takes whole pages.
fn fits(root: &Path, room: u64) -> io::Result<bool> {
    const PAGE: u64 = 4096;
    let mut left = Some(room);
    let mut pending = vec![root.to_owned()];
    let mut count = 0;
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let found = entry.metadata()?;
            count += 1;
            let size = if found.is_file() { found.len() } else { 0 };
            left = left.and_then(|left| left.checked_sub(size.next_multiple_of(PAGE)));
            if left.is_none() || count > MOST_FILES {
                return Ok(false);
            }
            if found.is_dir() {
                pending.push(entry.path());
            }
        }
    }
    Ok(true)
}

/// Returns the first of these programs that this system lacks.
pub(crate) fn missing_tool<'a>(tools: &[&'a str]) -> Option<&'a str> {
    let path = env::var_os("PATH").unwrap_or_default();
    let has = |tool: &str| env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    tools.iter().copied().find(|tool| !has(tool))
}
