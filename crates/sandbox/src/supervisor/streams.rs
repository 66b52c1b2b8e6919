//! The pipes to a program: what it reads, and the log of its complaints.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use nix::fcntl::{OFlag, open, openat};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, UnlinkatFlags, unlinkat};

use crate::launch::Order;
use crate::start::Started;

/// The number of bytes to read at a time.
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
) -> io::Result<Reading> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let output = stdout.as_ref().map(File::try_clone).transpose()?;
    let reading = Reading { output, rests: Arc::default() };
    let rests = Arc::clone(&reading.rests);
    let (log, events) = (SharedLog::clone(log), events.clone());
    let streams = Streams { run, stdout, stderr, log, events: events.clone(), rests };
    // One thread reads both: to start a thread is a good part of a short run.
    spawn(move || streams.pass_on())?;
    wait_for(child.pid, run, events)?;
    Ok(reading)
}

/// The reading of what a program prints, which goes on beside the supervisor.
pub(crate) struct Reading {
    output: Option<File>,
    rests: Arc<AtomicBool>,
}

impl Reading {
    /// Returns true if everything that the program has printed by now was sent as events.
    pub(crate) fn is_done(&self) -> bool {
        let is_left = self.output.as_ref().is_some_and(|output| {
            let mut output = [readable(output)];
            let found = poll(&mut output, PollTimeout::ZERO);
            found.is_ok()
                && output[0].revents().is_some_and(|found| found.contains(PollFlags::POLLIN))
        });
        // What was read just before is sent before the reader rests.
        !is_left && self.rests.load(Ordering::SeqCst)
    }
}

/// The streams to which a program writes, as far as they are open.
struct Streams {
    run: u32,
    stdout: Option<File>,
    stderr: Option<File>,
    log: SharedLog,
    events: SyncSender<RunEvent>,
    /// True while nothing is read that was not sent.
    rests: Arc<AtomicBool>,
}

impl Streams {
    /// Passes on everything until both streams are closed, or the receiver of the events is gone.
    ///
    /// Complaints that a program writes before an output are in the log before that output is passed on.
    fn pass_on(mut self) {
        let mut chunk = vec![0; CHUNK];
        while self.stdout.is_some() || self.stderr.is_some() {
            self.rests.store(true, Ordering::SeqCst);
            wait_until_readable([&self.stdout, &self.stderr].into_iter().flatten());
            self.rests.store(false, Ordering::SeqCst);
            let printed = read_if_ready(&mut self.stdout, &mut chunk).map(<[u8]>::to_vec);
            if !self.log_complaints(&mut chunk) || !printed.is_none_or(|bytes| self.send(bytes)) {
                return;
            }
        }
        self.rests.store(true, Ordering::SeqCst);
    }

    /// Logs the text that is ready on standard error. Returns `false` if the receiver of the events is gone.
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

    /// Sends printed text; an empty text is the end. Returns `false` if the receiver of the events is gone.
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

/// The number of texts that may wait for a program to read them. A program that reads at all keeps up.
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

/// The number of bytes that are kept.
const LIMIT: u64 = 1 << 20;

/// The number of bytes of a run's beginning that the host is told.
const BEGINNING: usize = 64 * 1024;

/// The mode of a new file, of which the umask takes away.
const MODE: Mode = Mode::from_bits_truncate(0o666);

/// The log of all runs of a program.
#[derive(Clone, Debug)]
pub(crate) struct SharedLog(Arc<Mutex<Log>>);

impl SharedLog {
    /// Returns a log that appends to a file, if there is one, and makes it when there is something to
    /// write. The supervisor may move to another root later; if it `becomes_other`, a user who may not
    /// make the file, it makes it at once.
    ///
    /// # Errors
    ///
    /// An error if the folder of the file cannot be opened.
    pub(crate) fn new(path: Option<&Path>, becomes_other: bool) -> io::Result<SharedLog> {
        let place = path.map(Place::of).transpose()?;
        let mut log = Log { place, file: None, left: LIMIT, beginning: Vec::new() };
        if becomes_other {
            log.open();
        }
        Ok(SharedLog(Arc::new(Mutex::new(log))))
    }

    /// Removes the file if nothing is in it.
    pub(crate) fn remove_empty(&self) {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_empty = |file: &File| file.metadata().is_ok_and(|found| found.len() == 0);
        if let (Some(place), Some(file)) = (&log.place, &log.file)
            && is_empty(file)
        {
            let _ = unlinkat(&place.folder, &*place.name, UnlinkatFlags::NoRemoveDir);
        }
    }

    /// Appends as much as there is room for. Errors are ignored: the program is not to blame.
    pub(crate) fn add(&self, text: &[u8]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.add(text);
    }

    /// Returns the beginning of what a run has printed, and forgets it.
    pub(crate) fn take_beginning(&self) -> Vec<u8> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut log.beginning)
    }
}

/// A file in a folder that is open.
#[derive(Debug)]
struct Place {
    folder: OwnedFd,
    name: PathBuf,
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new("."));
        let flags = OFlag::O_DIRECTORY | OFlag::O_RDONLY | OFlag::O_CLOEXEC;
        let folder = open(folder, flags, Mode::empty())?;
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.into();
        Ok(Place { folder, name })
    }
}

#[derive(Debug)]
struct Log {
    place: Option<Place>,
    /// Opened when there is something to write.
    file: Option<File>,
    left: u64,
    /// The beginning of the output of the present run.
    beginning: Vec<u8>,
}

impl Log {
    fn open(&mut self) {
        if let Some(place) = &self.place {
            let flags = OFlag::O_WRONLY | OFlag::O_APPEND | OFlag::O_CREAT | OFlag::O_CLOEXEC;
            self.file = openat(&place.folder, &*place.name, flags, MODE).map(File::from).ok();
            let length = self.file.as_ref().and_then(|file| file.metadata().ok());
            self.left = LIMIT.saturating_sub(length.map_or(0, |metadata| metadata.len()));
        }
    }

    fn add(&mut self, text: &[u8]) {
        let room = BEGINNING - self.beginning.len();
        self.beginning.extend_from_slice(&text[..text.len().min(room)]);
        if self.file.is_none() {
            self.open();
        }
        let length = text.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if let Some(file) = &mut self.file {
            let _ = file.write_all(&text[..length]);
        }
        self.left -= length as u64;
    }
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
