//! Attacks on processes.

use std::process::Command;
use std::ptr::null_mut;
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill, raise};
use nix::unistd::{Pid, getppid};
use rustix::process::{Resource, Rlimit, getpriority_process, prlimit, setpriority_process};

use super::memory::{OWN, PAGE, map, split};
use super::{ATTACK, AttackTargets, Result, achieved, call, mark_text, why};
use crate::launch::SUPERVISE;
use crate::looker::LONGEST_PATIENT_LOOK;
use crate::start::end_process;

/// Longer than any check waits.
const LONG: Duration = Duration::from_secs(600);

pub(super) fn see(targets: &AttackTargets) -> Result {
    let direct = fs::read(format!("/proc/{}/cmdline", targets.rival));
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let others = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let has_mark = |arguments: &Vec<u8>| {
        String::from_utf8_lossy(arguments).contains(&mark_text(&targets.rival_mark))
    };
    let is_seen = direct.into_iter().chain(others).any(|arguments| has_mark(&arguments));
    if is_seen { Ok("its arguments".to_owned()) } else { Err("nothing of it is there".to_owned()) }
}

pub(super) fn kill_rival(targets: &AttackTargets) -> Result {
    achieved("it is killed", kill(Pid::from_raw(targets.rival), Signal::SIGKILL))
}

pub(super) fn signal_referee(targets: &AttackTargets) -> Result {
    // A signal that does no harm.
    achieved("it receives a signal", kill(Pid::from_raw(targets.referee), Signal::SIGCONT))
}

pub(super) fn kill_supervisor(_: &AttackTargets) -> Result {
    let supervisor = getppid();
    prctl::set_pdeathsig(None).map_err(why)?;
    kill(supervisor, Signal::SIGKILL).map_err(why)?;
    sleep(Duration::from_millis(200));
    if getppid() == supervisor { Err("it lives".to_owned()) } else { Ok("it is killed".to_owned()) }
}

pub(super) fn kill_all(_: &AttackTargets) -> Result {
    let result = kill(Pid::from_raw(-1), Signal::SIGKILL);
    Err(result.map_or_else(why, |()| "the killed processes are seen from outside".to_owned()))
}

pub(super) fn no_cpu_time(pid: i32) -> Result {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let pid = rustix::process::Pid::from_raw(pid);
    achieved("it has no CPU time left", prlimit(pid, Resource::Cpu, none))
}

/// Changes the priority of a process, or of this process if `pid` is 0. The call may do nothing and report no
/// error.
pub(super) fn change_priority(pid: i32, wanted: i32) -> Result {
    let pid = rustix::process::Pid::from_raw(pid);
    setpriority_process(pid, wanted).map_err(why)?;
    if getpriority_process(pid) == Ok(wanted) {
        Ok("the priority is changed".to_owned())
    } else {
        Err(NO_EFFECT.to_owned())
    }
}

/// Moves a process, or this process if `pid` is 0, to other cores than before. The call may do nothing and
/// report no error.
pub(super) fn change_cores(pid: i32) -> Result {
    let pid = Pid::from_raw(pid);
    let cores = || sched_getaffinity(pid).map_err(why);
    let before = cores()?;
    let has = |core: &usize| before.is_set(*core).unwrap_or(false);
    let own: Vec<usize> = (0..CpuSet::count()).filter(has).collect();
    let mut wanted = CpuSet::new();
    // The first of several cores, or the neighbor of a single core.
    let core = match own.as_slice() {
        [first, _, ..] => *first,
        [only] => only ^ 1,
        [] => 0,
    };
    wanted.set(core).map_err(why)?;
    sched_setaffinity(pid, &wanted).map_err(why)?;
    if cores()? == wanted {
        Ok("the cores are changed".to_owned())
    } else {
        Err(NO_EFFECT.to_owned())
    }
}

const NO_EFFECT: &str = "the call has no effect";

pub(super) fn trace(pid: i32) -> Result {
    // SAFETY: the call takes numbers only.
    let result = unsafe { libc::ptrace(libc::PTRACE_ATTACH, pid, 0, 0) };
    call("it is traced", result)
}

pub(super) fn trace_supervisor(_: &AttackTargets) -> Result {
    let supervisor = getppid().as_raw();
    if let Ok(text) = fs::read(format!("/proc/{supervisor}/environ")) {
        return Ok(format!("{} bytes of its environment", text.len()));
    }
    if fs::File::open(format!("/proc/{supervisor}/mem")).is_ok() {
        return Ok("its memory".to_owned());
    }
    trace(supervisor)
}

/// A process that has left its parent, its session and the signal at its parent's end. It has the
/// mark among its arguments.
pub(super) fn detach(targets: &AttackTargets) -> Result {
    if env::args().any(|word| word == GROWN) {
        prctl::set_pdeathsig(None).map_err(why)?;
        sleep(LONG);
    }
    start_again("detach", targets)?;
    Err("it must be gone with this process".to_owned())
}

/// A word among the arguments of a process that an attack has started.
const GROWN: &str = "grown";

fn start_again(name: &str, targets: &AttackTargets) -> Result<()> {
    let program = env::args_os().next().unwrap_or_default();
    let text = serde_json::to_string(targets).map_err(why)?;
    let mut command = Command::new(program);
    command.args([SUPERVISE, ATTACK, name, &text, GROWN]);
    // SAFETY: the closure makes one system call.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(&mut command, || {
            libc::setsid();
            Ok(())
        });
    }
    command.spawn().map(drop).map_err(why)
}

pub(super) fn fork_many(targets: &AttackTargets) -> Result {
    if env::args().any(|word| word == GROWN) {
        sleep(LONG);
    }
    for started in 0..300 {
        if let Err(error) = start_again("fork", targets) {
            // The processes stay until a look counts them.
            sleep(LONG);
            return Err(format!("{error} after {started}"));
        }
    }
    sleep(Duration::from_secs(2));
    Ok("300 processes".to_owned())
}

/// Makes a copy of itself with these flags, which ends at once: one that waits for it looks as if the copy were about
/// to start another program with its memory, and a copy may have the parent of this process as its own.
pub(super) fn copy(what: &str, flags: libc::c_int) -> Result {
    let flags = flags | libc::SIGCHLD;
    // SAFETY: the call takes numbers only.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        0 => end_process(0),
        result => call(what, result),
    }
}

pub(super) fn stop(_: &AttackTargets) -> Result {
    achieved("another process has waked it", raise(Signal::SIGSTOP))
}

/// Runs more processes than there are processors, so that each waits for the others. Each is a session of
/// its own, among which Linux shares the processors first.
pub(super) fn crowd(_: &AttackTargets) -> Result {
    // SAFETY: the calls take numbers only, and every process ends by itself after a while.
    unsafe {
        for _ in 0..24 {
            if libc::fork() == 0 {
                libc::setsid();
                libc::alarm(20);
                loop {
                    std::hint::spin_loop();
                }
            }
        }
    }
    sleep(LONG);
    Err("the processes never rest".to_owned())
}

/// The mappings that threads change, and the number of the threads.
const MAPPINGS: usize = 60_000;
const WRITERS: usize = 380;

/// Lets many threads change many mappings, for whose lock everybody waits who looks at them.
pub(super) fn lock_mappings(_: &AttackTargets) -> Result {
    let length = MAPPINGS * PAGE;
    let memory = map(length, libc::PROT_NONE, OWN | libc::MAP_NORESERVE, None)?;
    split(memory, MAPPINGS);
    let place = memory as usize;
    for _ in 0..WRITERS {
        let change = move || loop {
            for advice in [libc::MADV_DONTFORK, libc::MADV_DOFORK] {
                // SAFETY: no code reads or writes the memory.
                unsafe { libc::madvise(place as *mut _, length, advice) };
            }
        };
        if std::thread::Builder::new().stack_size(1 << 16).spawn(change).is_err() {
            break;
        }
    }
    for _ in 0..10 {
        let begun = std::time::Instant::now();
        let text = fs::read("/proc/self/maps").map_err(why)?;
        let waited = begun.elapsed();
        // The supervisor looks at a program that stands still, and ends one whose look takes longer than this. A wait
        // of a few seconds is the program's own, and depends on the computer.
        if waited > LONGEST_PATIENT_LOOK {
            return Ok(format!("{} bytes about it take {waited:?}", text.len()));
        }
        sleep(Duration::from_millis(100));
    }
    Err("no wait is long".to_owned())
}

/// A number of processes and threads together that every limit forbids.
const TOO_MANY: u32 = 2000;

/// Starts threads that wait.
pub(super) fn threads(_: &AttackTargets) -> Result {
    for started in 0..TOO_MANY {
        let thread = std::thread::Builder::new().stack_size(1 << 16);
        if let Err(error) = thread.spawn(|| sleep(LONG)) {
            return Err(format!("{error} after {started}"));
        }
    }
    Ok(format!("{TOO_MANY} threads"))
}

/// Starts processes that start processes, as fast as it can.
pub(super) fn bomb(_: &AttackTargets) -> Result {
    // SAFETY: the calls take numbers only, and every process ends by itself if the sandbox does not end it.
    unsafe {
        libc::alarm(20);
        loop {
            if libc::fork() < 0 {
                libc::sched_yield();
            }
        }
    }
}

/// Leaves processes that only start another and end, and so outrun a supervisor that kills one after
/// another.
pub(super) fn race(_: &AttackTargets) -> Result {
    // SAFETY: the calls take numbers only, and every process ends by itself after a while.
    unsafe {
        for _ in 0..20 {
            if libc::fork() == 0 {
                libc::prctl(libc::PR_SET_PDEATHSIG, 0);
                for _ in 0..100_000 {
                    match libc::fork() {
                        0 => {
                            libc::setsid();
                        }
                        -1 => {}
                        _ => libc::_exit(0),
                    }
                }
                libc::_exit(0);
            }
        }
    }
    Err("they must be gone with this process".to_owned())
}

/// Stops, and has a timer wake it.
pub(super) fn wake(_: &AttackTargets) -> Result {
    // SAFETY: all zeros are valid values, and the pointers are to values that outlive the calls.
    unsafe {
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = libc::SIGCONT;
        let mut timer: libc::timer_t = std::mem::zeroed();
        let result = libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer);
        call("a timer", result.into())?;
        let mut time: libc::itimerspec = std::mem::zeroed();
        time.it_value.tv_nsec = 50_000_000;
        call("a time", libc::timer_settime(timer, 0, &raw const time, null_mut()).into())?;
    }
    achieved("a timer has waked it", raise(Signal::SIGSTOP))
}

/// Has the kernel wake it when its parent is dead.
pub(super) fn wake_by_death(_: &AttackTargets) -> Result {
    achieved("a signal that comes after the turn", prctl::set_pdeathsig(Signal::SIGCONT))
}

/// Uses CPU time in children that live for less than a millisecond and that no process waits for.
pub(super) fn hide_time(_: &AttackTargets) -> Result {
    const EACH: Duration = Duration::from_micros(800);
    let started = std::time::Instant::now();
    let mut children = 0_u32;
    // SAFETY: the calls take numbers only, and a child ends at once.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        while started.elapsed() < Duration::from_secs(6) {
            match libc::fork() {
                0 => {
                    let begun = std::time::Instant::now();
                    while begun.elapsed() < EACH {}
                    libc::_exit(0);
                }
                -1 => sleep(EACH / 2),
                _ => children += 1,
            }
            // Until it is gone, so that there is always one.
            while libc::waitpid(-1, null_mut(), 0) > 0 {}
        }
    }
    let used = EACH * children;
    if used < Duration::from_secs(2) {
        return Err(format!("only {used:?} are used"));
    }
    Ok(format!("{used:?} that are not counted"))
}
