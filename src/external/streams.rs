//! The threads that wait for what a supervisor hears of.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::Child;
use std::sync::mpsc::SyncSender;
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
) {
    let sender = events.clone();
    thread::spawn(move || read_orders(orders, &sender));
    if let Some(stdout) = child.stdout.take() {
        let sender = events.clone();
        thread::spawn(move || {
            // Nobody listens any more when the program is over.
            let _ = read_chunks(stdout, |chunk| sender.send(Event::Output(chunk)).is_ok());
            let _ = sender.send(Event::NoMoreOutput);
        });
    }
    if let Some(stderr) = child.stderr.take() {
        let sender = events.clone();
        let mut log = Log::new(log);
        thread::spawn(move || {
            let _ = read_chunks(stderr, |chunk| {
                log.add(&chunk);
                true
            });
            let _ = sender.send(Event::NoMoreErrors);
        });
    }
    wait_for(&child, events.clone());
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
fn wait_for(child: &Child, events: SyncSender<Event>) {
    use nix::errno::Errno;
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    use nix::unistd::Pid;

    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0));
    thread::spawn(move || {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        while waitid(Id::Pid(pid), flags) == Err(Errno::EINTR) {}
        let _ = events.send(Event::RootEnded);
    });
}

/// Elsewhere the supervisor finds out when it looks at the processes.
#[cfg(not(target_os = "linux"))]
fn wait_for(_: &Child, _: SyncSender<Event>) {}
