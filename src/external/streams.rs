//! The threads that wait for what a supervisor hears of.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::message::Order;

/// What is kept of the standard error of a player, in bytes.
const LOG_LIMIT: u64 = 1 << 20;

/// How much is read at a time, in bytes.
const CHUNK: usize = 1 << 16;

/// Something that a supervisor hears of.
#[derive(Debug)]
pub(super) enum Event {
    /// The referee wants something.
    Order(Order),
    /// The referee is gone.
    NoMoreOrders,
    /// The program has printed something.
    Output(Vec<u8>),
    /// It will print no more.
    NoMoreOutput,
    /// Nor on standard error.
    NoMoreErrors,
    /// The first process has ended.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nobody tells"))]
    RootEnded,
}

/// Has `events` told of all that happens from now on.
pub(super) fn follow(
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
            // Nobody listens any more when the program is over.
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

/// A thread, if the system has one to spare.
fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// Texts that may wait until a program listens: no program that does is so far behind.
const PENDING_TEXTS: usize = 16;

/// Says what it is given to a program. It waits for one that does not listen, which a supervisor
/// must not; the pipe is closed when the sender is dropped and all was said.
pub(super) fn speak(mut to: ChildStdin) -> io::Result<SyncSender<String>> {
    let (sender, texts) = sync_channel::<String>(PENDING_TEXTS);
    spawn(move || {
        for text in texts {
            // Who does not listen does not answer either.
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

/// The file for the standard error of a player, if there is to be one.
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

    /// Adds as much as there is room for. A log that cannot be written is no fault of the player.
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

/// Tells when the first process has ended, without taking its status.
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

/// Elsewhere the supervisor finds out when it looks at the processes.
#[cfg(not(target_os = "linux"))]
fn wait_for(_: &Child, _: SyncSender<Event>) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn who_does_not_listen_keeps_nobody_waiting() -> io::Result<()> {
        let mut program = Command::new("sleep").arg("600").stdin(Stdio::piped()).spawn()?;
        let sender = speak(program.stdin.take().expect("a pipe"))?;
        // More than a pipe holds, and then more than may wait. This would not end otherwise.
        let refused =
            (0..1000).filter(|_| sender.try_send("position".repeat(CHUNK)).is_err()).count();
        program.kill()?;
        program.wait()?;
        assert!(refused > 0);
        Ok(())
    }

    #[test]
    fn all_is_said_before_the_pipe_is_closed() -> io::Result<()> {
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
