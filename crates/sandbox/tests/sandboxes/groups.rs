//! The effects of control groups on sandboxes, at every level that this system has, seen from outside.
//! Without control groups, or without some controllers, accounting has to do the same as far as it can.
//!
//! With `PLYGROUND_CGROUPS` set, there must be all of them.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::FromRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, Uid};
use plyground_sandbox::{
    ByteSize, Launch, ProcessEnd, ProcessEvent, ProcessLimits, Sandbox, SandboxLevel,
    SandboxPolicy, tree_limits,
};

use crate::cases::{Case, Load::Waits};
use crate::supervision::{LONG, end_turn, hear, shell, talk};

const MIB: usize = 1 << 20;
const PAUSE: Duration = Duration::from_millis(5);
/// The memory of a program, and what it tries to hold, in MiB.
const MEMORY: u64 = 24;
const HOARD: &str = "64";
/// Says that there must be control groups with all controllers.
const EXPECTED: &str = "PLYGROUND_CGROUPS";

pub(crate) const CASES: &[Case] = &[
    ("program_is_frozen_between_turns", Waits, program_is_frozen_between_turns),
    ("memory_counts_wherever_it_is", Waits, memory_counts_wherever_it_is),
    ("cache_of_disk_is_no_fault", Waits, cache_of_disk_is_no_fault),
    ("threads_are_bounded", Waits, threads_are_bounded),
    ("fork_bomb_ends", Waits, fork_bomb_ends),
    ("nothing_is_left_of_killed_referee", Waits, nothing_is_left_of_killed_referee),
];

/// The cases at levels that confine programs.
pub(crate) const CONFINED: &[Case] = &[
    ("memory_taken_at_the_end_of_a_turn_counts", Waits, memory_taken_at_the_end_of_a_turn_counts),
    ("ids_stay_with_the_supervisor", Waits, ids_stay_with_the_supervisor),
];

/// Prints the limits of this system, which must be whole where that is expected.
pub(crate) fn check_limits() {
    let limits = tree_limits();
    println!("limits: {limits}");
    let is_whole = limits.groups.is_some() && limits.memory && limits.processes;
    assert!(is_whole || env::var_os(EXPECTED).is_none(), "expected all controllers: {limits}");
}

/// Is the program that the words name.
pub(crate) fn program(words: &[&str]) -> ExitCode {
    match *words {
        ["referee", level, mark] => referee(level, mark),
        ["visit"] => visit(),
        ["hoard", place, mib] => hoard(place, mib),
        ["populate"] => populate(),
        ["threads", count] => threads(count),
        _ => ExitCode::FAILURE,
    }
}

/// The words that start this executable as a program.
fn own(words: &[&str]) -> Vec<String> {
    let own = env::current_exe().expect("a path").display().to_string();
    [own.as_str(), "program"].iter().chain(words).map(|&word| word.to_owned()).collect()
}

fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < LONG, "waited in vain until {what}");
        thread::sleep(PAUSE);
    }
}

fn policy(level: SandboxLevel) -> SandboxPolicy {
    let limits = ProcessLimits { memory: ByteSize::mib(MEMORY), ..ProcessLimits::default() };
    SandboxPolicy { limits, level, ..SandboxPolicy::default() }
}

fn end_of(words: Vec<String>, policy: &SandboxPolicy) -> io::Result<ProcessEnd> {
    Ok(Sandbox::run_once(Launch::new(words, None), policy, LONG)?.0)
}

/// A process that sleeps for a time.
fn sleeper(time: &str) -> Option<i32> {
    let entries = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.find(|pid| {
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        arguments == format!("sleep\0{time}\0").as_bytes()
    })
}

/// The folder of the group of a process, among those in the folder of all.
fn folder_of(pid: i32, groups: &Path) -> PathBuf {
    let text = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let path = text.lines().find_map(|line| line.strip_prefix("0::")).expect("a group");
    // The last two are that of the sandbox and that of the processes.
    let mut names = Path::new(path).components().rev();
    let (members, sandbox) = (names.next().expect("a group"), names.next().expect("a group"));
    groups.join(sandbox).join(members)
}

/// A time for which nothing else sleeps.
fn new_mark(level: SandboxLevel) -> String {
    format!("600.{}{}", std::process::id(), level as u32)
}

fn program_is_frozen_between_turns(level: SandboxLevel) -> io::Result<()> {
    let limits = tree_limits();
    let Some(groups) = &limits.groups else { return Ok(()) };
    let mark = new_mark(level);
    let words = shell(&format!("sleep {mark} & while read line; do echo answer; done"));
    let mut sandbox = talk(words, &policy(level), &["answer"])?;
    for _ in 0..2 {
        sandbox.ask("question\n".to_owned(), LONG, None);
        hear(&mut sandbox, "answer");
        wait_until("there is a process", || sleeper(&mark).is_some());
        let folder = folder_of(sleeper(&mark).unwrap_or(0), groups);
        let is_frozen = || {
            let events = fs::read_to_string(folder.join("cgroup.events")).expect("events");
            events.contains("frozen 1")
        };
        assert!(!is_frozen());
        end_turn(&mut sandbox);
        // Without a sandbox, a program is not stopped.
        if level > SandboxLevel::None {
            wait_until("all stand still", is_frozen);
        }
        let processes = fs::read_to_string(folder.join("cgroup.procs"))?;
        assert_eq!(processes.lines().count(), 2, "a shell and what it started: {processes}");
    }
    drop(sandbox);
    assert_eq!(sleeper(&mark), None);
    Ok(())
}

fn memory_counts_wherever_it_is(level: SandboxLevel) -> io::Result<()> {
    let limits = tree_limits();
    let hoard = |place| end_of(own(&["hoard", place, HOARD]), &policy(level));
    assert_eq!(hoard("own")?, ProcessEnd::MemoryLimit);
    if !limits.memory {
        return Ok(());
    }
    // No system call in a sandbox makes a file without a name.
    let memfd =
        if level > SandboxLevel::None { ProcessEnd::Exit(9) } else { ProcessEnd::MemoryLimit };
    assert_eq!(hoard("memfd")?, memfd);
    // A program in a sandbox has not so many pipes, but these hold enough.
    assert_eq!(end_of(own(&["hoard", "pipes", "31"]), &policy(level))?, ProcessEnd::MemoryLimit);
    // A folder in memory counts as memory.
    if level == SandboxLevel::Full {
        assert_eq!(hoard_on_disk(level)?, ProcessEnd::MemoryLimit);
    }
    Ok(())
}

/// A program takes memory by one call that no signal interrupts, from just before the end of its turn.
fn memory_taken_at_the_end_of_a_turn_counts(level: SandboxLevel) -> io::Result<()> {
    let mut sandbox = talk(own(&["populate"]), &policy(level), &["answer"])?;
    sandbox.ask("question\n".to_owned(), LONG, None);
    let end = loop {
        match sandbox.next_event(&|| false) {
            Some(ProcessEvent::Line(_)) => sandbox.end_turn(),
            // It has not begun before it was stopped.
            Some(ProcessEvent::TurnEnded) => sandbox.ask(String::new(), LONG, None),
            Some(ProcessEvent::Ended(end)) => break end,
            None => {}
        }
    };
    assert_eq!(end, ProcessEnd::MemoryLimit);
    Ok(())
}

/// The kernel keeps what was written to and read from a disk, and forgets it where memory is short.
fn cache_of_disk_is_no_fault(level: SandboxLevel) -> io::Result<()> {
    if level == SandboxLevel::Full {
        return Ok(());
    }
    assert_eq!(hoard_on_disk(level)?, ProcessEnd::Exit(0));
    Ok(())
}

/// Runs a program that writes a file larger than its memory, but no larger than its output may be.
fn hoard_on_disk(level: SandboxLevel) -> io::Result<ProcessEnd> {
    let large = ProcessLimits { output: ByteSize::gib(1), ..policy(level).limits };
    end_of(own(&["hoard", "file", HOARD]), &SandboxPolicy { limits: large, ..policy(level) })
}

/// A process has a thread, 64 more, and 8 for each processor.
fn threads_are_bounded(level: SandboxLevel) -> io::Result<()> {
    let limits = tree_limits();
    let limited = ProcessLimits { processes: 1, ..ProcessLimits::default() };
    let limited = SandboxPolicy { limits: limited, ..policy(level) };
    let end = |count| end_of(own(&["threads", count]), &limited);
    assert_eq!(end("60")?, ProcessEnd::Exit(0));
    // Elsewhere there are other limits, of which some do not hold for the root of the computer.
    if limits.processes {
        let processors = std::thread::available_parallelism()?.get();
        assert_eq!(end(&(100 + 8 * processors).to_string())?, ProcessEnd::Processes);
    }
    Ok(())
}

fn fork_bomb_ends(level: SandboxLevel) -> io::Result<()> {
    let limited = ProcessLimits { processes: 20, ..ProcessLimits::default() };
    let limited = SandboxPolicy { limits: limited, ..policy(level) };
    // Not without bounds, so that it ends even if the sandbox does not end it; with a pause for the supervisor to see
    // it, before the kernel refuses it more.
    let bomb = "for i in $(seq 200); do sleep 60 & [ $i -ne 50 ] || sleep 5; done; wait";
    assert_eq!(end_of(shell(bomb), &limited)?, ProcessEnd::Processes);
    Ok(())
}

/// A host with a program, until it is killed.
fn referee(level: &str, mark: &str) -> ExitCode {
    let level = level.parse().expect("a level");
    let words = shell(&format!("setsid sleep {mark} & echo answer; sleep {mark}"));
    let mut sandbox = talk(words, &policy(level), &["answer"]).expect("a sandbox");
    sandbox.ask(String::new(), LONG, None);
    println!("{:?}", sandbox.next_event(&|| false));
    thread::sleep(LONG);
    ExitCode::SUCCESS
}

/// A host that starts nothing but a program that does nothing.
fn visit() -> ExitCode {
    let end = end_of(shell(":"), &policy(SandboxLevel::None));
    if end.is_ok_and(|end| end == ProcessEnd::Exit(0)) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Starts a host with a program that has left a process with this mark.
fn start_referee(level: SandboxLevel, mark: &str) -> io::Result<Child> {
    let mut referee = Command::new(env::current_exe()?)
        .args(["program", "referee", level.name(), mark])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(referee.stdout.take().expect("a pipe")).read_line(&mut line)?;
    assert!(line.contains("Line"), "{line}");
    wait_until("there is a process", || sleeper(mark).is_some());
    Ok(referee)
}

fn nothing_is_left_of_killed_referee(level: SandboxLevel) -> io::Result<()> {
    let limits = tree_limits();
    for with_supervisor in [false, true] {
        let mark = format!("{}{}", new_mark(level), u32::from(with_supervisor));
        let mut referee = start_referee(level, &mark)?;
        let group = limits.groups.as_ref().map(|groups| {
            let folder = folder_of(sleeper(&mark).unwrap_or(0), groups);
            folder.parent().expect("a group").to_owned()
        });
        if with_supervisor {
            kill(supervisor_of(&referee), Signal::SIGKILL)?;
        }
        referee.kill()?;
        referee.wait()?;
        match &group {
            Some(group) if with_supervisor => {
                // The killed host has left the group, but the next one removes it, be it another test's.
                wait_until("no group is left", || {
                    let own = env::current_exe().expect("a path");
                    let visit =
                        Command::new(own).args(["program", "visit"]).status().expect("a process");
                    assert!(visit.success());
                    !group.exists()
                });
            }
            Some(group) => wait_until("no group is left", || !group.exists()),
            None => {}
        }
        let outlives = with_supervisor && group.is_none() && level < SandboxLevel::Full;
        wait_until("no process is left", || {
            let left = sleeper(&mark);
            if outlives && let Some(pid) = left {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
            left.is_none()
        });
    }
    Ok(())
}

/// A supervisor that is late kills by the IDs of its program, which must not be those of the next program by then.
fn ids_stay_with_the_supervisor(level: SandboxLevel) -> io::Result<()> {
    if !Uid::effective().is_root() {
        return Ok(());
    }
    let mark = new_mark(level);
    let mut referee = start_referee(level, &mark)?;
    let program = fs::metadata(format!("/proc/{}", sleeper(&mark).unwrap_or(0)))?.uid();
    let lock = File::open(format!("/run/plyground/{}", program - 1))?;
    let supervisor = supervisor_of(&referee);
    kill(supervisor, Signal::SIGSTOP)?;
    referee.kill()?;
    referee.wait()?;
    assert!(lock.try_lock().is_err(), "the IDs are free");
    kill(supervisor, Signal::SIGCONT)?;
    wait_until("the IDs are free", || lock.try_lock().is_ok());
    assert_eq!(sleeper(&mark), None);
    Ok(())
}

/// The last child of a process that has one supervisor: the first is the fork server.
fn supervisor_of(referee: &Child) -> Pid {
    let pid = referee.id();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.expect("a list of children");
    let child = children.split_whitespace().last().and_then(|pid| pid.parse().ok());
    Pid::from_raw(child.expect("a supervisor"))
}

// The programs that hold memory and other resources.

/// Holds memory in a place. Fails if it cannot.
fn hoard(place: &str, mib: &str) -> ExitCode {
    let result = mib.parse().map_err(io::Error::other).and_then(|mib| match place {
        "own" => {
            let memory = std::hint::black_box(vec![1u8; mib * MIB]);
            // Accounting looks from time to time, so the memory is held until then.
            thread::sleep(Duration::from_secs(600));
            drop(memory);
            Ok(())
        }
        "memfd" => memfd(mib),
        "pipes" => pipes(mib),
        "file" => file(mib),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    });
    if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(9) }
}

fn fill(mut file: File, mib: usize) -> io::Result<()> {
    (0..mib).try_for_each(|_| file.write_all(&[1; MIB]))
}

fn memfd(mib: usize) -> io::Result<()> {
    // SAFETY: the name is a string that outlives the call.
    let descriptor = unsafe { nix::libc::memfd_create(c"hoard".as_ptr(), 0) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nothing else owns it.
    fill(unsafe { File::from_raw_fd(descriptor) }, mib)
}

/// Pipes of the usual size, full.
fn pipes(mib: usize) -> io::Result<()> {
    let mut kept = Vec::new();
    for _ in 0..mib * 16 {
        let (reader, mut writer) = io::pipe()?;
        writer.write_all(&[1; MIB / 16])?;
        kept.push((reader, writer));
    }
    Ok(())
}

/// A file in the folder for temporary files, written and read.
fn file(mib: usize) -> io::Result<()> {
    let path = std::env::temp_dir().join("hoard");
    fill(File::create(&path)?, mib)?;
    io::copy(&mut File::open(&path)?, &mut io::sink())?;
    fs::remove_file(path)
}

/// Answers while a thread takes 256 MiB of memory.
fn populate() -> ExitCode {
    use nix::libc::{
        MADV_POPULATE_WRITE, MAP_ANONYMOUS, MAP_PRIVATE, PROT_READ, PROT_WRITE, madvise, mmap,
    };

    let _ = io::stdin().read_line(&mut String::new());
    let taker = thread::spawn(|| {
        let (size, rights, flags) = (1 << 28, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        // SAFETY: the kernel chooses the place, and nothing else uses it.
        unsafe {
            let memory = mmap(std::ptr::null_mut(), size, rights, flags, -1, 0);
            madvise(memory, size, MADV_POPULATE_WRITE);
        }
    });
    thread::sleep(PAUSE);
    println!("answer");
    let _ = taker.join();
    thread::sleep(Duration::from_secs(600));
    ExitCode::SUCCESS
}

/// Starts threads. Fails if it cannot.
fn threads(count: &str) -> ExitCode {
    for _ in 0..count.parse().unwrap_or(0) {
        let sleep = || thread::sleep(Duration::from_secs(600));
        if thread::Builder::new().stack_size(MIB / 64).spawn(sleep).is_err() {
            return ExitCode::from(9);
        }
    }
    ExitCode::SUCCESS
}
