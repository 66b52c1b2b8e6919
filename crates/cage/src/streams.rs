//! The threads that feed a supervisor with events.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use crate::message::Order;

/// How much of a program's standard error is kept, in bytes.
const LOG_LIMIT: u64 = 1 << 20;

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

/// Sends everything that happens from now on to `events`.
pub(crate) fn follow(
    mut child: Child,
    orders: impl BufRead + Send + 'static,
    log: Option<PathBuf>,
    events: &SyncSender<Event>,
) -> io::Result<()> {
    let sender = events.clone();
    spawn(move || read_orders(orders, &sender))?;
    if let Some(stdout) = child.stdout.take() {
        let sender = events.clone();
        spawn(move || {
            // Sending fails when the supervisor is done.
            let _ = read_chunks(stdout, |chunk| sender.send(Event::Output(chunk)).is_ok());
            let _ = sender.send(Event::NoMoreOutput);
        })?;
    }
    if let Some(stderr) = child.stderr.take() {
        let sender = events.clone();
        let mut log = Log::new(log);
        spawn(move || {
            let _ = read_chunks(stderr, |chunk| {
                log.add(&chunk);
                true
            });
            let _ = sender.send(Event::NoMoreErrors);
        })?;
    }
    wait_for(&child, events.clone())
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

fn read_orders(orders: impl BufRead, events: &SyncSender<Event>) {
    for line in orders.lines() {
        let Ok(order) = line.and_then(|line| Ok(serde_json::from_str(&line)?)) else { break };
        if events.send(Event::Order(order)).is_err() {
            return;
        }
    }
    let _ = events.send(Event::NoMoreOrders);
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

/// The file for a program's standard error, if there is one.
struct Log {
    path: Option<PathBuf>,
    /// Opened when there is something to write.
    file: Option<File>,
    left: u64,
}

impl Log {
    fn new(path: Option<PathBuf>) -> Log {
        Log { path, file: None, left: LOG_LIMIT }
    }

    /// Appends as much as there is room for. Errors are ignored: the program is not to blame.
    fn add(&mut self, text: &[u8]) {
        if let Some(path) = self.path.take() {
            self.file = OpenOptions::new().create(true).append(true).open(path).ok();
            let length = self.file.as_ref().and_then(|file| file.metadata().ok());
            self.left = LOG_LIMIT.saturating_sub(length.map_or(0, |metadata| metadata.len()));
        }
        let length = text.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if let Some(file) = &mut self.file {
            let _ = file.write_all(&text[..length]);
        }
        self.left -= length as u64;
    }
}

/// Sends an event when the first process ends, without taking its exit status.
#[cfg(target_os = "linux")]
fn wait_for(child: &Child, events: SyncSender<Event>) -> io::Result<()> {
    use nix::errno::Errno;
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    use nix::unistd::Pid;

    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0));
    spawn(move || {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        while waitid(Id::Pid(pid), flags) == Err(Errno::EINTR) {}
        let _ = events.send(Event::RootEnded);
    })
}

/// Does nothing: the supervisor finds out when it looks at the processes.
#[cfg(not(target_os = "linux"))]
fn wait_for(_: &Child, _: SyncSender<Event>) -> io::Result<()> {
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
