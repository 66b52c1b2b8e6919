//! The process between the host and a foreign program.
//!
//! The supervisor is the parent of the program, and of every process that the program leaves behind.
//! Therefore it can measure the use of all these processes, and kill them. When the host ends, the supervisor
//! kills the processes and ends, too. A thread of the host could do neither: it would end with the host, and
//! it could not tell the processes of two programs apart.

mod control;
mod enclosure;
mod relay;
mod streams;
mod tree;
mod turn_clock;
mod watch;

use std::io;
use std::os::fd::AsFd;

use nix::sys::wait::{WaitStatus, waitpid};

#[cfg(target_os = "linux")]
use crate::attacks;
use crate::availability::{PROBE, Probe};
#[cfg(target_os = "linux")]
use crate::check::{self, BUILD, CHECK};
use crate::failure::ProcessEnd;
use crate::folder::unused_folder;
use crate::launch::{Launch, Order, Report, SandboxPolicy, print};
use crate::limits::SandboxLevel;
use crate::start::{end_process, raise_priority};
use crate::supervisor::enclosure::Enclosure;
use crate::supervisor::streams::{Event, Streams};
use crate::supervisor::watch::Watch;
use crate::system::identity::Identity;
use crate::system::supervisors;

/// Supervises a program, as a host's executable must when its first argument is
/// [`SUPERVISE`](crate::SUPERVISE).
///
/// `words` are the arguments after [`SUPERVISE`](crate::SUPERVISE). Without any, orders come on standard
/// input. Returns the exit code for the process.
///
/// The calling process must have no other threads and no children.
#[must_use]
pub fn supervise(words: &[&str]) -> u8 {
    let result = match words {
        [] => run(),
        #[cfg(target_os = "linux")]
        [attacks::ATTACK, name, targets, ..] => attacks::run(name, targets).map(|()| 0),
        [PROBE, level] => answer_probe(level),
        #[cfg(target_os = "linux")]
        [CHECK, level] => check::answer(level, false),
        #[cfg(target_os = "linux")]
        [CHECK, level, BUILD] => check::answer(level, true),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    // If this fails, the host finds out by the closed pipe.
    result.unwrap_or(1)
}

fn run() -> io::Result<u8> {
    let network = supervisors::serve()?;
    // Ctrl-C at the terminal is meant for the host, which decides on it.
    let _ = nix::unistd::setsid();
    raise_priority();
    let mut streams = Streams::new(io::stdin().as_fd().try_clone_to_owned()?.into());
    let first = std::iter::repeat_with(|| streams.next(None)).flatten().next();
    let Some(Event::Order(Order::Build(plan))) = first else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    match Enclosure::build(*plan, network) {
        Ok(mut sandbox) => {
            print(&Report::Ready)?;
            let has_ended = serve(&mut sandbox, streams);
            end_process(sandbox.remove(has_ended))
        }
        Err(error) => {
            print(&Report::ended(ProcessEnd::system(error)))?;
            Ok(1)
        }
    }
}

/// Runs one program after another, until the host needs no more. Returns true if the last program has ended
/// by itself: only then is its workshop taken in.
fn serve(sandbox: &mut Enclosure, mut streams: Streams) -> bool {
    let mut has_ended = false;
    loop {
        match streams.next(None) {
            Some(Event::Order(Order::Start(launch))) => {
                let is_last = launch.is_last;
                let (told, has_host) = match hold(sandbox, launch, &mut streams) {
                    Ok(ended) => ended,
                    Err(end) => (Report::ended(end), true),
                };
                streams.leave();
                has_ended = matches!(&told, Report::Ended { end: ProcessEnd::Exit(_), .. });
                // If this fails, the host is gone.
                let _ = print(&told);
                if !has_host {
                    return false;
                }
                if is_last {
                    return has_ended;
                }
            }
            Some(Event::NoMoreOrders) => return has_ended,
            // Orders that the host gave before it knew of the end.
            Some(_) | None => {}
        }
    }
}

/// Starts a program, and watches over it until it ends. Returns an error if it did not start.
fn hold(
    sandbox: &mut Enclosure,
    launch: Launch,
    streams: &mut Streams,
) -> Result<(Report, bool), ProcessEnd> {
    sandbox
        .renew_home(&launch)
        .map_err(|error| ProcessEnd::System(format!("the folder of the program: {error}")))?;
    let (child, control) = sandbox.start(&launch)?;
    Ok(Watch::new(sandbox, launch, child, control, streams).map_err(ProcessEnd::system)?.run())
}

/// Builds a sandbox of a level and runs a program in it, and reports on standard output why that fails, if
/// so.
fn answer_probe(level: &str) -> io::Result<u8> {
    let level: SandboxLevel = level.parse().map_err(io::Error::other)?;
    print(&try_out(level).map_or_else(|error| Probe::failed(&error), |()| Probe::default()))?;
    Ok(0)
}

fn try_out(level: SandboxLevel) -> io::Result<()> {
    // Every system has this program, which does nothing.
    let words = ["/bin/sh", "-c", ":"].map(str::to_owned);
    let policy = SandboxPolicy { level, ..SandboxPolicy::default() };
    let identity = Identity::claim()?;
    let ids = identity.as_ref().map(|identity| identity.ids);
    let plan =
        policy.plan(Some(std::path::Path::new(&words[0])), &unused_folder(level), ids, None)?;
    let mut sandbox = Enclosure::build(plan, None)?;
    let launch = Launch::new(words.to_vec(), None);
    sandbox.renew_home(&launch)?;
    let result = match sandbox.start(&launch) {
        Ok((child, _)) => waitpid(child.pid, None).map_err(io::Error::from).and_then(|status| {
            if status == WaitStatus::Exited(child.pid, 0) {
                return Ok(());
            }
            // A signal does not mean that the system lacks a feature, because a filter refuses a call without
            // a signal.
            let is_killed = matches!(status, WaitStatus::Signaled(..));
            let kind = if is_killed { io::ErrorKind::Interrupted } else { io::ErrorKind::Other };
            Err(io::Error::new(kind, format!("a shell fails in it, {status:?}")))
        }),
        Err(end) => {
            let why = format!("a shell cannot be started in it: {end:?}");
            Err(io::Error::new(io::ErrorKind::Interrupted, why))
        }
    };
    sandbox.remove(false);
    result
}
