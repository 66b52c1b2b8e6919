//! The threads that feed a supervisor with events.

use std::io::{self, BufRead, Read, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use crate::log::SharedLog;
use crate::message::Order;

/// How much to read at a time, in bytes.
const CHUNK: usize = 1 << 16;

/// Something that a supervisor reacts to.
#[derive(Debug)]
pub(crate) enum Event {
    /// The host gives an order.
    Order(Order),
    /// The host is gone.
    NoMoreOrders,
    /// The program printed something.
    Output(Vec<u8>),
    /// The program closed its standard output.
    NoMoreOutput,
    /// The program closed its standard error.
    NoMoreErrors,
    /// The first process ended.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "sent on Linux only"))]
    RootEnded,
}

/// Something that happened, and in which run of a program. Runs count from 1. Orders are of no run.
pub(crate) type RunEvent = (u32, Event);

/// Sends every order that comes to `events`.
pub(crate) fn follow_orders(
    orders: impl BufRead + Send + 'static,
    events: &SyncSender<RunEvent>,
) -> io::Result<()> {
    let sender = events.clone();
    spawn(move || read_orders(orders, &sender))
}

/// Sends everything that a program does to `events`, and what it complains of to `log`.
pub(crate) fn follow(
    mut child: Child,
    run: u32,
    log: &SharedLog,
    events: &SyncSender<RunEvent>,
) -> io::Result<()> {
    if let Some(stdout) = child.stdout.take() {
        let sender = events.clone();
        spawn(move || {
            // Sending fails when the supervisor is done.
            let _ = read_chunks(stdout, |chunk| sender.send((run, Event::Output(chunk))).is_ok());
            let _ = sender.send((run, Event::NoMoreOutput));
        })?;
    }
    if let Some(stderr) = child.stderr.take() {
        let (sender, log) = (events.clone(), SharedLog::clone(log));
        spawn(move || {
            let _ = read_chunks(stderr, |chunk| {
                log.add(&chunk);
                true
            });
            let _ = sender.send((run, Event::NoMoreErrors));
        })?;
    }
    wait_for(&child, run, events.clone())
}

/// Starts a thread, if the OS can provide one.
fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// How many texts may wait for a program to read them. A program that reads at all keeps up.
const PENDING_TEXTS: usize = 16;

/// Starts a thread that writes the texts it receives to a program.
///
/// The thread waits for a program that does not read, so that the supervisor need not. It closes
/// the pipe when the sender is dropped and everything is written.
pub(crate) fn speak(mut to: ChildStdin) -> io::Result<SyncSender<String>> {
    let (sender, texts) = sync_channel::<String>(PENDING_TEXTS);
    spawn(move || {
        for text in texts {
            // A program that does not read will not answer either.
            if to.write_all(text.as_bytes()).and_then(|()| to.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

fn read_orders(orders: impl BufRead, events: &SyncSender<RunEvent>) {
    for line in orders.lines() {
        let Ok(order) = line.and_then(|line| Ok(serde_json::from_str(&line)?)) else { break };
        if events.send((0, Event::Order(order))).is_err() {
            return;
        }
    }
    let _ = events.send((0, Event::NoMoreOrders));
}

fn read_chunks(mut from: impl Read, mut to: impl FnMut(Vec<u8>) -> bool) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                if !to(chunk[..length].to_vec()) {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Sends an event when the first process ends, without taking its exit status.
#[cfg(target_os = "linux")]
fn wait_for(child: &Child, run: u32, events: SyncSender<RunEvent>) -> io::Result<()> {
    use nix::errno::Errno;
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    use nix::unistd::Pid;

    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0));
    spawn(move || {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        while waitid(Id::Pid(pid), flags) == Err(Errno::EINTR) {}
        let _ = events.send((run, Event::RootEnded));
    })
}

/// Does nothing: the supervisor finds out when it looks at the processes.
#[cfg(not(target_os = "linux"))]
fn wait_for(_: &Child, _: u32, _: SyncSender<RunEvent>) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn speak_does_not_block_on_program_that_does_not_read() -> io::Result<()> {
        let mut program = Command::new("sleep").arg("600").stdin(Stdio::piped()).spawn()?;
        let sender = speak(program.stdin.take().expect("a pipe"))?;
        // More than the pipe holds and the channel keeps. If sending blocked, this would not end.
        let refused =
            (0..1000).filter(|_| sender.try_send("position".repeat(CHUNK)).is_err()).count();
        program.kill()?;
        program.wait()?;
        assert!(refused > 0);
        Ok(())
    }

    #[test]
    fn speak_writes_everything_before_closing_pipe() -> io::Result<()> {
        let mut program =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let sender = speak(program.stdin.take().expect("a pipe"))?;
        for text in ["quit", "now"] {
            sender.send(text.to_owned()).expect("a listener");
        }
        drop(sender);
        assert_eq!(program.wait_with_output()?.stdout, b"quitnow");
        Ok(())
    }
}
