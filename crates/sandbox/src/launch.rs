//! One run of a program: the policy and the plan of its sandbox, and the messages between a host and a
//! supervisor. Each message is a line of JSON on the standard input or output of the supervisor.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memchr::memchr;
#[cfg(unix)]
use rustix::event::{PollFd, Timespec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::failure::ProcessEnd;
use crate::limits::{Allowance, ProcessLimits, SandboxLevel};
use crate::view::{View, check_public};

/// The limits of a foreign program, and the settings of its sandbox, its log and its stop.
#[derive(Clone, Debug)]
pub struct SandboxPolicy {
    /// The limits of the program.
    pub limits: ProcessLimits,
    /// The level of the sandbox. A sandbox of this level is built, or none: see
    /// [`availability`](crate::availability()).
    pub level: SandboxLevel,
    /// A folder that the program may change, and in which it starts: for programs that build other programs.
    /// The program works on a copy, which replaces the folder when the program has ended. At the level
    /// `none`, the program works in the folder itself.
    pub workshop: Option<PathBuf>,
    /// The files that the command names. The program sees the folders of these files.
    pub named: Vec<PathBuf>,
    /// Further files and folders that the program sees.
    pub visible: Vec<PathBuf>,
    /// If true, programs that are hosts themselves run in the sandbox. By default, they run if the command
    /// names a host.
    pub hosts: Option<bool>,
    /// The variables of the environment that the program has in addition to `PATH`, `LANG`, `TERM`, `HOME`,
    /// `TMPDIR`, and those of installed languages, or in place of them: names and values.
    pub environment: Vec<(String, String)>,
    /// If true, the program may run between its turns.
    pub ponder: bool,
    /// If true, a control group enforces the limits where the host may make one: see
    /// [`tree_limits`](crate::tree_limits()).
    pub control_groups: bool,
    /// The wall time that the program shares with other programs, if there is such a limit.
    pub allowance: Option<Arc<Allowance>>,
    /// The file to which the program's standard error is appended, up to 1 MiB. Its folder must
    /// exist.
    pub log: Option<PathBuf>,
    /// A flag that any thread may set when the program is no longer needed.
    pub stop: Option<Arc<AtomicBool>>,
    /// The executable of the supervisor; by default, that of this process. It must call
    /// [`supervise`](crate::supervise) when its first argument is
    /// [`SUPERVISE`](crate::SUPERVISE).
    pub supervisor: Option<PathBuf>,
}

impl Default for SandboxPolicy {
    fn default() -> SandboxPolicy {
        SandboxPolicy {
            limits: ProcessLimits::default(),
            level: SandboxLevel::Full,
            workshop: None,
            named: Vec::new(),
            visible: Vec::new(),
            hosts: None,
            environment: Vec::new(),
            ponder: false,
            control_groups: true,
            allowance: None,
            log: None,
            stop: None,
            supervisor: None,
        }
    }
}

impl SandboxPolicy {
    /// Returns true if the flag [`stop`](SandboxPolicy::stop) is set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns the plan of a sandbox for a program, whose path is absolute.
    ///
    /// # Errors
    ///
    /// Returns an error if the program is to have a user ID of its own, and that user cannot read a visible
    /// file.
    pub(crate) fn plan(
        &self,
        program: Option<&Path>,
        folder: &Path,
        ids: Option<Ids>,
        group: Option<GroupPlan>,
    ) -> io::Result<SandboxPlan> {
        let names_supervisor = program.is_some() && self.supervisor.as_deref() == program;
        let hosts = self.hosts.or(names_supervisor.then_some(true));
        let view = View::of(program, &self.named, &self.visible, hosts);
        let view = match self.level {
            // A program sees the whole computer, but a prepared one still runs in a folder with the files beside it.
            SandboxLevel::None => View { own: view.own, ..View::default() },
            _ => view,
        };
        if self.level == SandboxLevel::User {
            let named = program.into_iter().chain(self.named.iter().map(PathBuf::as_path));
            check_public(named.chain(self.visible.iter().map(PathBuf::as_path)))?;
        }
        let workshop = self.workshop.as_ref().map(std::fs::canonicalize).transpose()?;
        Ok(SandboxPlan {
            level: self.level,
            ids,
            folder: folder.to_owned(),
            workshop,
            view,
            environment: self.environment.clone(),
            memory: self.limits.memory.as_u64(),
            output: self.limits.output.as_u64(),
            processes: self.limits.processes,
            ponder: self.ponder,
            log: self.log.clone(),
            group,
        })
    }
}

/// The IDs of a program and of the process that starts and signals it, on the host. Each is the
/// number of a user and of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ids {
    pub(crate) program: u32,
    pub(crate) keeper: u32,
}

/// The control group of a sandbox, which the supervisor makes and removes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GroupPlan {
    /// The folder of the group, whose name no other process uses.
    pub(crate) folder: PathBuf,
    /// If true, the group has the controller of memory.
    pub(crate) memory: bool,
    /// If true, the group has the controller of the number of processes.
    pub(crate) processes: bool,
}

/// The plan of a sandbox, which a host sends to the supervisor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SandboxPlan {
    pub(crate) level: SandboxLevel,
    /// The IDs on the host that the programs have, if the host is root.
    pub(crate) ids: Option<Ids>,
    /// The folder with the program's folders: at the level `full` a path inside the sandbox, otherwise on the
    /// disk.
    pub(crate) folder: PathBuf,
    /// The folder of the host that the program changes. The current folder of the program is a copy of it, or
    /// at the level `none` the folder itself.
    pub(crate) workshop: Option<PathBuf>,
    /// The part of the disk that the programs see. Without a sandbox, they see all of it.
    pub(crate) view: View,
    /// The variables of the environment that the host names.
    pub(crate) environment: Vec<(String, String)>,
    /// The memory that all processes of a program may occupy, in bytes.
    pub(crate) memory: u64,
    /// The most bytes that a program may print in a turn, and that the files in its folder may have.
    pub(crate) output: u64,
    pub(crate) processes: u32,
    pub(crate) ponder: bool,
    pub(crate) log: Option<PathBuf>,
    /// The control group of the programs, where there are such groups.
    pub(crate) group: Option<GroupPlan>,
}

/// The names of the two folders of a program.
pub(crate) const HOME: &str = "player";
pub(crate) const WORKSHOP: &str = "workshop";

impl SandboxPlan {
    /// Returns the folder in which the programs may write, by the path that they know.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join(HOME)
    }

    /// Returns the current folder of the programs, by the path that they know.
    pub(crate) fn current_folder(&self) -> PathBuf {
        match (&self.workshop, self.level) {
            (None, _) => self.home(),
            (Some(workshop), SandboxLevel::None) => workshop.clone(),
            (Some(_), _) => self.folder.join(WORKSHOP),
        }
    }

    /// Returns the environment of the programs.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let home = self.home().to_string_lossy().into_owned();
        let own = ["HOME", "TMPDIR"].map(|name| (name.to_owned(), home.clone()));
        // Without a terminal, `clear` and the like complain on standard error, which would be taken for a cause.
        let fixed = [("PATH", self.view.path.as_str()), ("LANG", "C.UTF-8"), ("TERM", "dumb")];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let named = self.view.variables.iter().chain(&self.environment).cloned();
        // Of two variables of one name, some programs read the first, and others the last.
        let variables: BTreeMap<_, _> = fixed.into_iter().chain(own).chain(named).collect();
        variables.into_iter().collect()
    }
}

/// Returns the executable of a supervisor: by default that of this process, even if its file was replaced meanwhile.
pub(crate) fn supervisor_or_own(supervisor: Option<&Path>) -> io::Result<PathBuf> {
    match supervisor {
        Some(path) => Ok(path.to_owned()),
        None if cfg!(target_os = "linux") => Ok("/proc/self/exe".into()),
        None => std::env::current_exe(),
    }
}

/// The argument that tells a host's executable to supervise a program.
pub const SUPERVISE: &str = "supervise";

/// The usual name of the file that a program reads: see [`Launch::with_input`].
pub const INPUT: &str = "input.txt";
/// The usual name of the file that a program writes its answer into, if it answers with a file.
pub const OUTPUT: &str = "output.txt";

/// One run of a program in a [`Sandbox`](crate::Sandbox).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Launch {
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    /// The name and the content of the input file, if there is one.
    pub(crate) input: Option<[String; 2]>,
    /// The lines of the whole standard input, if there is one and the host does not talk to the program.
    pub(crate) typed: Option<String>,
    /// The first words of the lines that the supervisor passes on, or `None` if the host
    /// does not talk to the program.
    pub(crate) keywords: Option<Vec<String>>,
    /// The first words of lines that the supervisor passes on as well, and that count apart.
    pub(crate) asides: Vec<String>,
    /// The names of the files that the host reads when the program has ended.
    pub(crate) files: Vec<String>,
    /// The length of each of these files that the host reads, in bytes.
    pub(crate) file_bytes: u64,
    /// The length of the standard output that the host reads then, in bytes.
    pub(crate) printed: Option<u64>,
    /// The CPU time of the run, if it is limited.
    pub(crate) cpu: Option<Duration>,
    /// If true, no other run follows, and the supervisor ends with this one.
    pub(crate) is_last: bool,
}

impl Launch {
    /// Returns the launch of a program. `words` are the program and its arguments. `cpu` limits the
    /// CPU time of the run.
    ///
    /// By itself, the program has no standard input, and its output is dropped.
    #[must_use]
    pub fn new(words: Vec<String>, cpu: Option<Duration>) -> Launch {
        Launch { words, cpu, ..Launch::default() }
    }

    /// Connects the program's standard input and output with the host.
    ///
    /// The host hears the lines whose first word is among `keywords`. The program may print
    /// anything else as well.
    #[must_use]
    pub fn talking(self, keywords: &[&str]) -> Launch {
        let keywords = keywords.iter().map(|&word| word.to_owned()).collect();
        Launch { keywords: Some(keywords), ..self }
    }

    /// Passes on the lines whose first word is among `asides` as well, if the host [talks](Launch::talking)
    /// to the program. Such lines have a limit of their own, so they never displace lines with keywords.
    #[must_use]
    pub fn with_asides(self, asides: &[&str]) -> Launch {
        Launch { asides: asides.iter().map(|&word| word.to_owned()).collect(), ..self }
    }

    /// Puts a file with this name and content into the program's folder.
    #[must_use]
    pub fn with_input(self, name: &str, content: String) -> Launch {
        Launch { input: Some([name.to_owned(), content]), ..self }
    }

    /// Gives the program this text as its whole standard input, a line at a time: the next is typed when the program
    /// has read the last, and waits.
    #[must_use]
    pub fn with_typed(self, typed: String) -> Launch {
        Launch { typed: Some(typed), ..self }
    }

    /// Keeps the first `most` bytes of each file with one of these names in the program's folder for the host.
    #[must_use]
    pub fn with_files(self, names: &[&str], most: u64) -> Launch {
        let files = names.iter().map(|&name| name.to_owned()).collect();
        Launch { files, file_bytes: most, ..self }
    }

    /// Keeps the first `most` bytes of the standard output for the host.
    #[must_use]
    pub fn with_printed(self, most: u64) -> Launch {
        Launch { printed: Some(most), ..self }
    }
}

/// The time that a program has to end after it was dismissed, or has closed its output.
pub(crate) const LAST_MOMENTS: Duration = Duration::from_millis(500);

/// The most time in which other processes may keep a program from running in a turn, in units of the turn's
/// wall time. Beyond this time, the computer is too busy.
pub(crate) const MOST_KEPT: u32 = 3;

/// An order of the host to the supervisor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Build a sandbox. This is the first order.
    Build(Box<SandboxPlan>),
    /// Start a program. The previous program has ended.
    Start(Launch),
    /// Begin a turn.
    Ask {
        /// The text that the program reads, line ends included.
        text: String,
        /// The wall time of the turn, from now on, without the time in which other processes keep the program
        /// from running.
        wall: Duration,
        /// The CPU time that the program may use, counted from the end of the previous turn.
        cpu: Option<Duration>,
    },
    /// Reply to [`Report::TimeOver`]: no line before that report was the answer.
    NotAnswered,
    /// End the turn. The supervisor replies with [`Report::Used`].
    EndTurn,
    /// Tell the program to end. It has a moment to end by itself.
    Dismiss {
        /// The text that the program reads, line ends included.
        text: String,
    },
}

/// A message of the supervisor to the host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The sandbox is built. Before this report, the supervisor starts no program that could kill it.
    Ready,
    /// The program printed this line, which begins with a keyword.
    Line(String),
    /// The time of the turn is over. If a line before this report is the answer, the answer is in time, and
    /// the host ends the turn.
    TimeOver,
    /// A look at the program takes long, but the supervisor waits for it no longer than a look may take.
    Looking,
    /// The turn is over.
    Used {
        /// The CPU time that the program has used in its life, without a moment after each answer.
        cpu: Duration,
        /// The wall time of the turn up to the last line, without the time in which other processes kept the
        /// program from running.
        wall: Duration,
    },
    /// The processes are about to be killed.
    Ending {
        /// The reason of the end, which counts if the processes take too long to die.
        end: ProcessEnd,
    },
    /// All processes are gone.
    Ended {
        end: ProcessEnd,
        cpu: Duration,
        /// The wall time of the last turn, without the time in which other processes kept the program from
        /// running.
        wall: Duration,
        /// The part of its death in which it waited for the disk or the like.
        blocked: Duration,
        left: Leftovers,
    },
}

impl Report {
    /// Returns the report of a program that has not run.
    pub(crate) fn ended(end: ProcessEnd) -> Report {
        let [cpu, wall, blocked] = [Duration::ZERO; 3];
        Report::Ended { end, cpu, wall, blocked, left: Leftovers::default() }
    }
}

/// The output that a program left for the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftovers {
    /// The beginning of each file that the launch asks for; `None` if there is no regular file.
    pub files: Vec<Option<Vec<u8>>>,
    /// The name of another file in its folder that it has written, the first by name, if it has not written a file that
    /// the launch asks for.
    pub other_file: Option<String>,
    /// The beginning of its standard output, if the launch asks for that.
    pub printed: Vec<u8>,
    /// The number of lines of those that a person types that it has read.
    pub read_lines: usize,
    /// The beginning and the end of its standard error, at most 32 KiB each.
    pub errors: Vec<u8>,
    /// The beginning of a line on its standard output that has no end yet, at most 200 bytes, if the
    /// host talked to it.
    pub unfinished: Vec<u8>,
    /// The beginning of its last line with a keyword that the host did not hear, at most 200 bytes: the line
    /// came too late, or did not begin with the keyword.
    pub unheard: Vec<u8>,
}

/// Messages that were read, and the beginning of the next.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    read: Vec<u8>,
    /// The number of bytes that were searched for the end of a message, without success.
    searched: usize,
}

impl Inbox {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.read.extend_from_slice(bytes);
    }

    /// Takes the first message that was read whole.
    pub(crate) fn take<T: DeserializeOwned>(&mut self) -> Option<serde_json::Result<T>> {
        let Some(length) = memchr(b'\n', &self.read[self.searched..]) else {
            self.searched = self.read.len();
            return None;
        };
        let length = self.searched + length;
        let message = serde_json::from_slice(&self.read[..length]);
        self.read.drain(..=length);
        self.searched = 0;
        Some(message)
    }
}

/// Waits for this time at most, or forever, until one of these streams is ready. Returns the number of those that are.
#[cfg(unix)]
pub(crate) fn poll(streams: &mut [PollFd], time: Option<Duration>) -> rustix::io::Result<usize> {
    /// In place of a time that is too long for the OS.
    const LONG: Timespec = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };
    let time = time.map(|time| Timespec::try_from(time).unwrap_or(LONG));
    rustix::event::poll(streams, time.as_ref())
}

/// Writes a value as a line of JSON to standard output.
pub(crate) fn print(value: &impl Serialize) -> io::Result<()> {
    write(line_of(value)?.as_bytes())
}

pub(crate) fn line_of(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

/// Writes to standard output at once.
pub(crate) fn write(bytes: &[u8]) -> io::Result<()> {
    let mut to = io::stdout();
    to.write_all(bytes)?;
    to.flush()
}
