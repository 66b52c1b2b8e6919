//! The process between the host and a foreign program.
//!
//! The supervisor is the parent of the program, and of every process that the program leaves
//! behind. So it can measure what they use, and kill them all. When the host ends, the supervisor
//! kills them and ends, too. A thread of the host could do neither: it would end with the host, and
//! it could not tell the processes of two programs apart.

use std::io::{self, BufRead, BufReader};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

#[cfg(target_os = "linux")]
use crate::attacks;
use crate::availability::PROBE;
use crate::enclosure::Enclosure;
use crate::end::ProcessEnd;
use crate::launch::Launch;
use crate::message::{Order, Report, report};
use crate::streams::{Event, RunEvent, follow_orders};
use crate::watch::Watch;
use crate::{folder, probe};

/// How many events may wait. More would only keep a program's output in memory.
const PENDING_EVENTS: usize = 16;

/// Supervises a program, as a host's executable must when its first argument is
/// [`SUPERVISE`](crate::SUPERVISE).
///
/// `words` are the arguments after that one. Without any, orders come on standard input. Returns the
/// exit code for the process.
///
/// The calling process must have no other threads and no children.
#[must_use]
pub fn supervise(words: &[&str]) -> u8 {
    let result = match words {
        [] => run(),
        #[cfg(target_os = "linux")]
        [attacks::ATTACK, name, targets, ..] => attacks::run(name, targets),
        [PROBE, level] => probe::answer(level),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    // If this fails, the host finds out by the closed pipe.
    result.map_or(1, |()| 0)
}

fn run() -> io::Result<()> {
    // Ctrl-C at the terminal is meant for the host, which decides what to do.
    let _ = nix::unistd::setsid();
    let mut orders = BufReader::new(io::stdin());
    let Order::Build(plan) = read_order(&mut orders)? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    match Enclosure::build(*plan) {
        Ok(sandbox) => {
            report(&Report::Ready)?;
            let result = serve(&sandbox, orders);
            sandbox.remove();
            result
        }
        Err(error) => report(&Report::ended(system(error))),
    }
}

fn read_order(orders: &mut impl BufRead) -> io::Result<Order> {
    let mut line = String::new();
    orders.read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// Runs one program after another, until the host is gone.
fn serve(sandbox: &Enclosure, orders: BufReader<io::Stdin>) -> io::Result<()> {
    let (sender, events): (SyncSender<RunEvent>, _) = sync_channel(PENDING_EVENTS);
    follow_orders(orders, &sender)?;
    let mut run = 0;
    loop {
        match events.recv() {
            Ok((_, Event::Order(Order::Start(launch)))) => {
                run += 1;
                let (told, has_host) = match hold(sandbox, launch, run, &sender, &events) {
                    Ok(ended) => ended,
                    Err(end) => (Report::ended(end), true),
                };
                // If this fails, the host is gone.
                let _ = report(&told);
                if !has_host {
                    return Ok(());
                }
            }
            Ok((_, Event::NoMoreOrders)) | Err(_) => return Ok(()),
            // What the host ordered before it knew of the end, and what is left of an earlier run.
            Ok(_) => {}
        }
    }
}

/// Starts a program, and watches over it until it ends. Returns an error if it did not start.
fn hold(
    sandbox: &Enclosure,
    launch: Launch,
    run: u32,
    sender: &SyncSender<RunEvent>,
    events: &Receiver<RunEvent>,
) -> Result<(Report, bool), ProcessEnd> {
    folder::refill(&sandbox.plan.folder, launch.input.as_deref()).map_err(|error| {
        ProcessEnd::System(format!("{}: {error}", sandbox.plan.folder.display()))
    })?;
    // What was counted before does not count for this run.
    let control = sandbox.control();
    let child = sandbox.start(&launch)?;
    let watch = Watch::new(sandbox, launch, run, child, control, sender, events).map_err(system)?;
    let ended = watch.run();
    Ok((ended.report, ended.has_host))
}

/// Returns the end of a program that does not run because the OS refused something to us.
fn system(error: io::Error) -> ProcessEnd {
    ProcessEnd::System(error.to_string())
}
