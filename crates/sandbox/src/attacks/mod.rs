//! Attacks on the host, on other programs and on the computer, to see that a sandbox holds.
//!
//! An attack is what a hostile program would do. It runs in a sandbox like any other program, as
//! another role of the host's executable, and says what it has achieved. [`CHECK`](crate::CHECK)
//! asks for all of them.

mod descriptors;
mod disk;
mod kernel;
mod memory;
mod processes;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;
use std::{env, io};

use nix::unistd::getppid;
use serde::{Deserialize, Serialize};

use crate::launch::{SUPERVISE, print};
use crate::limits::SandboxLevel;
use memory::CHUNK;

/// One way to attack.
pub(crate) struct Attack {
    /// Its name: lower-case words with hyphens.
    pub(crate) name: &'static str,
    /// Its aim, in a few words.
    pub(crate) aim: &'static str,
    /// The function that carries it out.
    pub(crate) run: fn(&AttackTargets) -> Result,
    /// The least level at which it is tried. Below, it would do lasting harm to the computer.
    pub(crate) least: SandboxLevel,
    /// The time that it may take, by the clock.
    pub(crate) wall: Duration,
    /// The CPU time that it may use, if it is limited.
    pub(crate) cpu: Option<Duration>,
    /// The number of times that it is run in the same sandbox.
    pub(crate) runs: u32,
    /// The way in which it is started.
    pub(crate) start: Start,
}

/// The way in which an attack is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// As a program.
    Program,
    /// As a program whose command names a link to the folder of another submission.
    WithLink,
    /// As a script whose first line leads to the folder of another submission.
    Script,
}

/// Ample, so that an attack on a busy computer ends by what it does.
const WALL: Duration = Duration::from_secs(60);
/// Ends an attacker that would wait forever.
const SHORT_WALL: Duration = Duration::from_secs(2);

type Run = fn(&AttackTargets) -> Result;

/// An attack that does no lasting harm, even without a sandbox.
const fn attack(name: &'static str, aim: &'static str, run: Run) -> Attack {
    Attack {
        name,
        aim,
        run,
        least: SandboxLevel::None,
        wall: WALL,
        cpu: None,
        runs: 1,
        start: Start::Program,
    }
}

/// An attack that leaves something behind, changes the computer, or is one on everything that belongs to
/// the user, unless the kernel refuses it.
const fn lasting(name: &'static str, aim: &'static str, run: Run) -> Attack {
    Attack { least: SandboxLevel::User, ..attack(name, aim, run) }
}

/// An attacker that does nothing any more.
const fn idle(name: &'static str, aim: &'static str, run: Run) -> Attack {
    Attack { wall: SHORT_WALL, ..attack(name, aim, run) }
}

/// An attack that is run twice in the same sandbox, with something left of the first run perhaps.
const fn twice(name: &'static str, aim: &'static str, run: Run) -> Attack {
    Attack { runs: 2, ..lasting(name, aim, run) }
}

/// An attack by a program that may use little CPU time.
const fn hasty(name: &'static str, aim: &'static str, run: Run) -> Attack {
    Attack { cpu: Some(Duration::from_millis(500)), ..lasting(name, aim, run) }
}

const fn started(start: Start, name: &'static str, aim: &'static str, run: Run) -> Attack {
    Attack { start, ..lasting(name, aim, run) }
}

/// All attacks.
pub(crate) const ATTACKS: &[Attack] = &[
    attack("read-rival", "read another submission", disk::read_rival),
    attack("list-rival", "list the folder of another submission", disk::list_rival),
    attack("lock-rival", "take the permissions of another submission's files", disk::lock_rival),
    attack("write-rival", "write to another submission's file", disk::write_rival),
    attack("link-rival", "reach another submission by a hard link", disk::link_rival),
    attack("follow-link", "reach another submission by a symbolic link", disk::follow_link),
    attack("home", "list the home folder of the user", disk::home),
    attack("environment", "read the environment of the host", disk::environment),
    attack("engine", "let our engine play", disk::engine),
    attack("fill-disk", "write twice as much as may be kept", |_| disk::fill(64, CHUNK, "64 MiB")),
    attack("fill-inodes", "make 100,000 files", |_| disk::fill(100_000, 0, "100,000 files")),
    lasting("claim", "claim much more than may be kept in a moment", disk::claim),
    lasting("in-flight", "keep too much in files that only a write has open", disk::in_flight),
    lasting("write-through", "write to the disk for all", disk::write_through),
    lasting("read-around", "read from the disk in a way that no signal ends", disk::read_around),
    lasting("write-mapped", "write pages of a file to the disk for all", disk::write_mapped),
    lasting("moving-folders", "hide files by moving their folders", disk::moving_folders),
    attack("link-as-output", "leave a link to another file as output", disk::link_as_output),
    attack("pipe-as-output", "leave a pipe as output", disk::pipe_as_output),
    lasting("lease", "make others wait for a file of the system", disk::lease),
    lasting("lock", "lock a file that all programs see", disk::lock),
    lasting("file-signals", "learn by signals which program uses a file", disk::signals_of_files),
    lasting("watch", "watch the folder of another submission", disk::watch),
    lasting("touch-rival", "change the times of another submission's file", disk::touch_rival),
    lasting("traps", "leave a program of another user, and links that lead out", disk::leave_traps),
    lasting("touch-device", "change the times of a device", disk::touch_device),
    twice("remember", "remember something from one run to the next", disk::remember),
    started(
        Start::WithLink,
        "named-link",
        "read another submission by a link that the command names",
        disk::read_rival,
    ),
    started(
        Start::Script,
        "first-line",
        "read another submission by the first line of a script",
        disk::read_rival,
    ),
    attack("see-processes", "read the arguments of another program", processes::see),
    attack("kill-rival", "kill another program", processes::kill_rival),
    attack("signal-referee", "signal the host", processes::signal_referee),
    attack("kill-supervisor", "kill the supervisor, and live on", processes::kill_supervisor),
    lasting("kill-all", "kill every process that can be reached", processes::kill_all),
    attack("limit-rival", "limit the CPU time of another program", |it| {
        processes::no_cpu_time(it.rival)
    }),
    lasting("limit-referee", "limit the CPU time of the host", |it| {
        processes::no_cpu_time(it.referee)
    }),
    attack("limit-supervisor", "limit the CPU time of the supervisor", |_| {
        processes::no_cpu_time(getppid().as_raw())
    }),
    lasting("slow-rival", "lower the priority of another program", |it| {
        processes::change_priority(it.rival, 19)
    }),
    attack("move-rival", "move another program to one core", |it| {
        processes::change_cores(it.rival)
    }),
    attack("leave-core", "run on other cores than one's own", |_| processes::change_cores(0)),
    attack("hurry", "raise one's own priority", |_| processes::change_priority(0, -5)),
    attack("trace-rival", "trace another program", |it| processes::trace(it.rival)),
    attack("trace-supervisor", "read the memory of the supervisor", processes::trace_supervisor),
    lasting("detach", "leave a process behind that nothing kills", processes::detach),
    attack("fork", "start 300 processes, each in a session of its own", processes::fork_many),
    lasting("threads", "start 2000 threads", processes::threads),
    attack("share-memory", "seem to wait for a process that goes on", |_| {
        kernel::clone("a process with the same memory", libc::CLONE_VM | libc::SIGCHLD)
    }),
    attack("wait-for-copy", "have a copy mistaken for a part of oneself", |_| {
        processes::copy("a parent waits for a child with a memory of its own", libc::CLONE_VFORK)
    }),
    lasting("race", "leave processes that start faster than they are killed", processes::race),
    lasting("adopt", "make the supervisor the parent of a child", |_| {
        processes::copy("a child of the supervisor", libc::CLONE_PARENT)
    }),
    lasting("wake", "be waked by a timer", processes::wake),
    lasting("wake-by-death", "be waked by the death of a parent", processes::wake_by_death),
    hasty("hide-time", "use CPU time that is not counted", processes::hide_time),
    hasty("lose-clock", "use CPU time after the loss of one's clock", |it| {
        run_unreadable("hide-time", it)
    }),
    idle("stop", "stop oneself", processes::stop),
    idle("lock-mappings", "make a process that looks at it wait", processes::lock_mappings),
    idle("crowd", "look as if other processes kept it from running", processes::crowd),
    attack("tcp", "connect by TCP", kernel::tcp),
    attack("tcp-fast-open", "connect by TCP, without asking", kernel::fast_open),
    attack("mptcp", "connect by multipath TCP", kernel::multipath),
    attack("udp", "send a datagram", kernel::udp),
    attack("unix-socket", "connect to a socket in the file system", kernel::unix),
    attack("abstract-socket", "connect to an abstract socket", kernel::abstract_socket),
    lasting("datagrams", "make a pair of sockets that can send to others", kernel::datagrams),
    lasting("elsewhere", "send to an address by a connected socket", kernel::elsewhere),
    attack("cookie", "read a number that counts sockets", kernel::cookie),
    attack("netlink", "talk to the kernel about networks", kernel::netlink),
    attack("memory", "occupy memory", memory::own),
    attack("strange-name", "occupy memory under a name that is no text", memory::strange_name),
    attack("memfd", "hold memory in files without a disk", descriptors::memfd),
    attack("pipes", "hold memory in pipes", descriptors::pipes),
    attack("sockets", "hold memory in pairs of sockets", descriptors::sockets),
    attack("in-flight", "hold pipes in messages on their way", descriptors::in_flight),
    lasting("system-v", "hold memory in a segment that stays", memory::system_v),
    attack("shared", "hold memory that no process maps", memory::shared),
    attack("unlinked", "hold files without a name", descriptors::unlinked),
    lasting("large-sockets", "hold memory in large buffers of sockets", descriptors::large_sockets),
    lasting("page-tables", "hold memory in page tables", memory::page_tables),
    lasting("events", "hold memory in queues of events", |_| descriptors::watch(8)),
    lasting("long-queue", "hold memory in one queue of events", |_| descriptors::watch(1)),
    lasting("dead-leader", "hold memory after the first thread has ended", memory::dead_leader),
    lasting("mapped", "hold files without a name by mappings", descriptors::mapped),
    lasting("spliced", "hold pages of files in pipes", descriptors::spliced),
    lasting("sent", "send pages of files into pipes", descriptors::sent),
    lasting("deep", "hold files without a name behind a long path", descriptors::deep),
    lasting(
        "unmapped",
        "hold files of programs without a name or a mapping",
        descriptors::unmapped,
    ),
    lasting("polled", "hold closed sockets by waiting for them", descriptors::polled),
    lasting("polled-pipes", "hold closed pipes by waiting for them", descriptors::polled_pipes),
    lasting(
        "polled-queues",
        "hold closed queues of events by waiting for them",
        descriptors::polled_queues,
    ),
    lasting("told-paths", "hold the buffers of files about long paths", descriptors::told_paths),
    lasting("read-folders", "hold names of folders that are read", descriptors::read_folders),
    lasting("working-folders", "work in folders without a name", descriptors::working_folders),
    lasting("huge-pages", "hold huge pages by one page of each", memory::huge_pages),
    lasting("chains", "hold memory that links processes to their mappings", |_| {
        memory::chain(4000, 30)
    }),
    lasting("long-chains", "link more mappings than a look sees", |_| memory::chain(65_000, 12)),
    attack("take-back", "stop the reading of output by taking it back", descriptors::take_back),
    lasting("named-pipes", "make pipes with a name", descriptors::named_pipes),
    lasting("behind-end", "claim blocks behind the end of a file", descriptors::behind_end),
    lasting("locked-look", "hold memory while it cannot be counted", memory::locked_look),
    lasting("slow-look", "make the supervisor slow, and swap folders for links", memory::slow_look),
    attack("unreadable", "hold memory by a program that cannot be read", |it| {
        run_unreadable("pipes", it)
    }),
    lasting("queue", "hold memory in message queues", memory::queue),
    lasting("keys", "store a key in the kernel", kernel::keys),
    attack("io-uring", "use io_uring", kernel::io_uring),
    attack("userfaultfd", "handle page faults", kernel::userfaultfd),
    lasting("bpf", "load a program into the kernel", kernel::bpf),
    attack("perf", "watch the processor", kernel::perf),
    lasting("mount", "mount a file system", kernel::mount),
    attack("namespaces", "make new namespaces", kernel::namespaces),
    attack("timer", "wake oneself in the turn of another program", kernel::timer),
    lasting("image", "let the host write an image of it", kernel::image),
    attack("own-files", "start a thread with open files of its own", |_| {
        let flags = libc::CLONE_VM | libc::CLONE_FS | libc::CLONE_SIGHAND | libc::CLONE_THREAD;
        kernel::clone("a thread with files of its own", flags)
    }),
    attack("unshared-files", "take files of its own for a thread", kernel::unshared_files),
    attack("clone3", "make new namespaces by a newer call", kernel::clone3),
    lasting("device", "make a device", kernel::device),
    attack("terminal", "type into the terminal of the host", kernel::terminal),
    attack("leave-group", "leave one's control group, or lift its limits", kernel::leave_group),
    lasting("settings", "change a setting of the kernel", kernel::settings),
    lasting("cached-pages", "see which files others have read", kernel::cached_pages),
    lasting("clocks", "read the clocks of other processes", kernel::clocks),
    lasting("counters", "read the kernel's counts for all processes", kernel::counters),
    lasting("own-network", "read about the network of the host", kernel::own_network),
    lasting("secrets", "read facts about the kernel that are for root only", kernel::secrets),
    attack("old-calls", "use calls of another architecture", kernel::old_calls),
    lasting("bomb", "start processes as fast as possible", processes::bomb),
];

/// Returns the names of the attacks that may be tried at a level.
pub fn attack_names(level: SandboxLevel) -> impl Iterator<Item = &'static str> {
    ATTACKS.iter().filter(move |attack| attack.least <= level).map(|attack| attack.name)
}

/// Runs an attack in this process, and says how it went.
pub(crate) fn run(name: &str, targets: &str) -> io::Result<()> {
    let targets: AttackTargets = serde_json::from_str(targets)?;
    if name == WAIT {
        sleep(ATTACKED);
    }
    let attack = ATTACKS.iter().find(|attack| attack.name == name);
    let result = match attack {
        Some(attack) => (attack.run)(&targets),
        None => Err(format!("there is no attack {name}")),
    };
    print(&result)
}

/// The argument after [`SUPERVISE`](crate::SUPERVISE) that asks for an attack. After it come the
/// attack's name and the [targets](AttackTargets) in JSON.
pub const ATTACK: &str = "--attack";

/// The targets of an attack.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AttackTargets {
    /// The folder of another submission, with a file in it.
    pub rival_folder: PathBuf,
    /// A process of another program, as the host sees it.
    pub rival: i32,
    /// A word among the arguments of all processes of this program.
    pub mark: String,
    /// A word among the arguments of the rival.
    pub rival_mark: String,
    /// The process of the host.
    pub referee: i32,
    /// The home folder of the user who runs the host.
    pub home: PathBuf,
    /// A port on which the host listens, for TCP and for UDP.
    pub port: u16,
    /// A socket in the file system on which the host listens.
    pub socket: PathBuf,
    /// An abstract socket on which the host listens.
    pub abstract_socket: String,
    /// A program that can play.
    pub engine: PathBuf,
    /// The number of bytes of memory to hold: more than the limit.
    pub memory: u64,
}

/// The name of the file in a submission's folder.
pub(crate) const SECRET: &str = "secret";

/// The variable that must be set for the host of a [`CHECK`](crate::CHECK), so that the check detects an attacker
/// who can read the variable.
pub const SECRET_VARIABLE: &str = "PLYGROUND_CHECK_SECRET";

/// The programs that load others.
const LOADERS: [&str; 2] = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];

/// The name in place of an attack for a program that waits to be attacked.
pub(crate) const WAIT: &str = "wait";

/// The time for which it waits: longer than any attack on a busy computer, with the longer turn and
/// the end of its processes.
pub(crate) const ATTACKED: Duration = Duration::from_secs(3600);

/// The achievement of an attack, or the obstacle that prevented it. The process of an attack prints it.
pub(crate) type Result<T = String> = std::result::Result<T, String>;

/// Starts an attack by a copy of the system's loader that its user may execute, not read. The kernel takes the clock
/// away from such a process, since it could tell of the program.
fn run_unreadable(name: &str, targets: &AttackTargets) -> Result {
    let copy = env::temp_dir().join("copy");
    // Smaller than this program, which may be larger than the folder may be.
    let loader = LOADERS.iter().find(|loader| Path::new(loader).exists()).ok_or("no loader")?;
    fs::copy(loader, &copy).map_err(why)?;
    fs::set_permissions(&copy, Permissions::from_mode(0o111)).map_err(why)?;
    let text = serde_json::to_string(targets).map_err(why)?;
    let own = env::args_os().next().unwrap_or_default();
    let output = Command::new(copy).arg(own).args([SUPERVISE, ATTACK, name, &text]).output();
    serde_json::from_slice::<Result>(&output.map_err(why)?.stdout).map_err(why)?
}

/// Returns what a system call achieved: nothing, if it failed.
fn call(what: &str, result: libc::c_long) -> Result {
    if result < 0 { Err(io::Error::last_os_error().to_string()) } else { Ok(what.to_owned()) }
}

/// Returns what a call of a library achieved: nothing, if it failed.
fn achieved<T>(what: &str, result: std::result::Result<T, impl ToString>) -> Result {
    result.map(|_| what.to_owned()).map_err(why)
}

/// Returns the text by which a process with a mark is found among others.
pub(crate) fn mark_text(mark: &str) -> String {
    format!("\"mark\":\"{mark}\"")
}

/// Returns why something failed.
fn why(error: impl ToString) -> String {
    error.to_string()
}
