//! The threads that feed a supervisor with events.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::os::fd::AsFd;
use std::process::ChildStdin;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::Pid;

use crate::launch::Order;
use crate::log::SharedLog;
use crate::start::Started;

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
    mut child: Started,
    run: u32,
    log: &SharedLog,
    events: &SyncSender<RunEvent>,
) -> io::Result<()> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let streams =
        Streams { run, stdout, stderr, log: SharedLog::clone(log), events: events.clone() };
    // One thread reads both: to start a thread is a good part of a short run.
    spawn(move || streams.pass_on())?;
    wait_for(child.pid, run, events.clone())
}

/// What a program writes to, as far as it is open.
struct Streams {
    run: u32,
    stdout: Option<File>,
    stderr: Option<File>,
    log: SharedLog,
    events: SyncSender<RunEvent>,
}

impl Streams {
    /// Passes on everything until both streams are closed, or nobody listens.
    ///
    /// What a program complains of before it prints something is in the log before that is passed on.
    fn pass_on(mut self) {
        let mut chunk = vec![0; CHUNK];
        while self.stdout.is_some() || self.stderr.is_some() {
            wait_until_readable([&self.stdout, &self.stderr].into_iter().flatten());
            let printed = read_if_ready(&mut self.stdout, &mut chunk).map(<[u8]>::to_vec);
            if !self.log_complaints(&mut chunk) || !printed.is_none_or(|bytes| self.send(bytes)) {
                return;
            }
        }
    }

    /// Logs what there is on standard error. Returns whether somebody listens.
    fn log_complaints(&mut self, chunk: &mut [u8]) -> bool {
        match read_if_ready(&mut self.stderr, chunk) {
            Some([]) => self.events.send((self.run, Event::NoMoreErrors)).is_ok(),
            Some(complaints) => {
                self.log.add(complaints);
                true
            }
            None => true,
        }
    }

    /// Sends what was printed; nothing is the end. Returns whether somebody listens.
    fn send(&self, printed: Vec<u8>) -> bool {
        let event = if printed.is_empty() { Event::NoMoreOutput } else { Event::Output(printed) };
        self.events.send((self.run, event)).is_ok()
    }
}

/// Waits until there is something to read in one of the streams, or one is closed.
fn wait_until_readable<'s>(streams: impl Iterator<Item = &'s File>) {
    let mut waiting: Vec<_> = streams.map(readable).collect();
    // If a signal comes first, there is nothing to read yet.
    let _ = poll(&mut waiting, PollTimeout::NONE);
}

fn readable(stream: &File) -> PollFd<'_> {
    PollFd::new(stream.as_fd(), PollFlags::POLLIN)
}

/// Reads what there is in a stream, and `None` if it is open and has nothing. At the end, which is nothing
/// read, the stream is closed.
fn read_if_ready<'c>(stream: &mut Option<File>, chunk: &'c mut [u8]) -> Option<&'c [u8]> {
    let file = stream.as_mut()?;
    let is_ready = poll(&mut [readable(file)], PollTimeout::ZERO).is_ok_and(|ready| ready > 0);
    if !is_ready {
        return None;
    }
    let length = match file.read(chunk) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return None,
        read => read.unwrap_or(0),
    };
    if length == 0 {
        *stream = None;
    }
    Some(&chunk[..length])
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

/// Sends an event when the first process ends, without taking its exit status.
#[cfg(target_os = "linux")]
fn wait_for(pid: Pid, run: u32, events: SyncSender<RunEvent>) -> io::Result<()> {
    use nix::errno::Errno;
    use nix::sys::wait::{Id, WaitPidFlag, waitid};

    spawn(move || {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        while waitid(Id::Pid(pid), flags) == Err(Errno::EINTR) {}
        let _ = events.send((run, Event::RootEnded));
    })
}

/// Does nothing: the supervisor finds out when it looks at the processes.
#[cfg(not(target_os = "linux"))]
fn wait_for(_: Pid, _: u32, _: SyncSender<RunEvent>) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn started(child: std::process::Child) -> Started {
        Started {
            pid: Pid::from_raw(child.id() as i32),
            stdin: child.stdin,
            stdout: child.stdout.map(|stream| std::os::fd::OwnedFd::from(stream).into()),
            stderr: child.stderr.map(|stream| std::os::fd::OwnedFd::from(stream).into()),
        }
    }

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
    fn complaints_are_logged_before_what_is_printed_after_them() -> io::Result<()> {
        let script = "for i in 1 2 3 4 5 6 7 8 9; do echo no >&2; echo yes; done";
        for _ in 0..50 {
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", script]).stdin(Stdio::null());
            let child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
            let (log, (sender, events)) = (SharedLog::new(None, false)?, sync_channel(100));
            follow(started(child), 1, &log, &sender)?;
            drop(sender);
            let (mut printed, mut logged) = (0, 0);
            for (_, event) in events {
                logged += log.take_beginning().len() / "no\n".len();
                if let Event::Output(bytes) = event {
                    printed += bytes.len() / "yes\n".len();
                    assert!(printed <= logged, "{printed} answers, {logged} complaints");
                }
            }
            assert_eq!((printed, logged), (9, 9));
        }
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
