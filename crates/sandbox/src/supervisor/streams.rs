//! The pipes of a supervisor: the orders of the host, the input and output of the program, and the log of its
//! standard error.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{OFlag, open, openat};
use nix::libc;
use nix::sys::stat::Mode;
use nix::unistd::{UnlinkatFlags, unlinkat};
use rustix::event::{PollFd, PollFlags};
use rustix::io::{ioctl_fionbio, ioctl_fionread};

use crate::launch::{Inbox, Order, Report, line_of, poll, write};
use crate::start::Started;
use crate::system::processes::end_of;

const CHUNK: usize = 1 << 16;

/// An event to which a supervisor reacts.
#[derive(Debug)]
pub(crate) enum Event {
    Order(Order),
    /// The host is gone.
    NoMoreOrders,
    Output(Vec<u8>),
    NoMoreOutput,
    NoMoreErrors,
    RootEnded,
}

/// The streams that a supervisor reads: the orders of the host, and the output and the end of the present
/// program.
///
/// One thread reads all streams, because the start of another thread would take a good part of a short run,
/// and its wake-up a good part of a move.
#[derive(Debug)]
pub(crate) struct Streams {
    orders: Option<File>,
    inbox: Inbox,
    program: Outputs,
    events: VecDeque<Event>,
    chunk: Vec<u8>,
}

/// The open streams to which a program writes, and the descriptor that reports the end of its first process,
/// until that end.
#[derive(Debug, Default)]
struct Outputs {
    stdout: Option<File>,
    stderr: Option<File>,
    root: Option<File>,
    log: Option<SharedLog>,
}

impl Streams {
    pub(crate) fn new(orders: File) -> Streams {
        let (events, program) = (VecDeque::new(), Outputs::default());
        Streams {
            orders: Some(orders),
            inbox: Inbox::default(),
            program,
            events,
            chunk: vec![0; CHUNK],
        }
    }

    /// Reads the output of a child of this process from now on. The standard error of the child goes to
    /// `log`.
    pub(crate) fn follow(&mut self, child: &mut Started, log: &SharedLog) {
        self.leave();
        self.program = Outputs {
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            // Without this descriptor, the supervisor learns of the end at its next look at the processes.
            root: end_of(child.pid).map(File::from),
            log: Some(SharedLog::clone(log)),
        };
    }

    /// Closes the streams of the program, and forgets its output.
    pub(crate) fn leave(&mut self) {
        self.program = Outputs::default();
        self.events.retain(|event| matches!(event, Event::Order(_) | Event::NoMoreOrders));
    }

    /// Returns true if the program has a stream open, or an event was not returned yet.
    pub(crate) fn are_open(&self) -> bool {
        let Outputs { stdout, stderr, .. } = &self.program;
        stdout.is_some() || stderr.is_some() || !self.events.is_empty()
    }

    /// Returns the next event, after a wait for this time at most, or forever.
    pub(crate) fn next(&mut self, time: Option<Duration>) -> Option<Event> {
        if self.events.is_empty() {
            self.read(time);
        }
        self.events.pop_front()
    }

    /// Reads the present content of each stream, and returns the number of events that come next. Output that
    /// the program prints meanwhile may wait, so that a program that prints faster than this process reads
    /// gains no time.
    pub(crate) fn gather(&mut self) -> usize {
        let waiting = self.program.stdout.as_ref().and_then(|pipe| ioctl_fionread(pipe).ok());
        let mut left = waiting.unwrap_or(0);
        loop {
            let before = self.events.len();
            self.read(Some(Duration::ZERO));
            let printed = |event: &Event| match event {
                Event::Output(bytes) => bytes.len() as u64,
                _ => 0,
            };
            let read: u64 = self.events.range(before..).map(printed).sum();
            left = left.saturating_sub(read);
            if left == 0 || read == 0 {
                return self.events.len();
            }
        }
    }

    /// Reads the present content of each stream, after a wait for this time at most.
    fn read(&mut self, time: Option<Duration>) {
        let Outputs { stdout, stderr, root, log } = &mut self.program;
        let mut waiting: Vec<_> = [&self.orders, &*stdout, &*stderr, &*root]
            .into_iter()
            .flatten()
            .map(|stream| PollFd::new(stream, PollFlags::IN))
            .collect();
        // If a signal comes first, there is nothing to read yet.
        if !poll(&mut waiting, time).is_ok_and(|ready| ready > 0) {
            return;
        }
        // Complaints that a program prints before an output are in the log before the output is passed on.
        let printed = read_if_ready(stdout, &mut self.chunk).map(<[u8]>::to_vec);
        match read_if_ready(stderr, &mut self.chunk) {
            Some([]) => self.events.push_back(Event::NoMoreErrors),
            Some(complaints) => log.iter().for_each(|log| log.add(complaints)),
            None => {}
        }
        self.events.extend(printed.map(|printed| match printed.is_empty() {
            true => Event::NoMoreOutput,
            false => Event::Output(printed),
        }));
        if root.as_ref().is_some_and(is_readable) {
            *root = None;
            self.events.push_back(Event::RootEnded);
        }
        self.read_orders();
    }

    fn read_orders(&mut self) {
        match read_if_ready(&mut self.orders, &mut self.chunk) {
            None => return,
            Some([]) => return self.events.push_back(Event::NoMoreOrders),
            Some(bytes) => self.inbox.add(bytes),
        }
        while let Some(order) = self.inbox.take() {
            match order {
                Ok(order) => self.events.push_back(Event::Order(order)),
                Err(_) => {
                    self.orders = None;
                    return self.events.push_back(Event::NoMoreOrders);
                }
            }
        }
    }
}

/// Returns true if a stream has content to read, or is at its end.
fn is_readable(stream: &File) -> bool {
    let stream = PollFd::new(stream, PollFlags::IN);
    poll(&mut [stream], Some(Duration::ZERO)).is_ok_and(|ready| ready > 0)
}

/// Reads the present content of a stream. Returns `None` if the stream is open and empty. At its end, closes
/// the stream and returns an empty slice.
fn read_if_ready<'c>(stream: &mut Option<File>, chunk: &'c mut [u8]) -> Option<&'c [u8]> {
    use io::ErrorKind::{Interrupted, WouldBlock};

    let file = stream.as_mut().filter(|file| is_readable(file))?;
    let length = match file.read(chunk) {
        // A program that opens its own output may have read the content first.
        Err(error) if matches!(error.kind(), Interrupted | WouldBlock) => return None,
        read => read.unwrap_or(0),
    };
    if length == 0 {
        *stream = None;
    }
    Some(&chunk[..length])
}

/// The number of texts that may wait for a program to read them. A program that reads at all keeps up.
const PENDING_TEXTS: usize = 16;

/// Starts a thread that writes the texts it receives to a program.
///
/// The thread waits for a program that does not read, so that the supervisor need not. It closes
/// the pipe when the sender is dropped and everything is written.
pub(crate) fn speak(mut to: ChildStdin) -> io::Result<SyncSender<String>> {
    let (sender, texts) = sync_channel::<String>(PENDING_TEXTS);
    thread::Builder::new().spawn(move || {
        for text in texts {
            // A program that does not read will not answer either.
            if to.write_all(text.as_bytes()).and_then(|()| to.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// The standard input of a program to which a person types lines, each when the program waits for it.
///
/// At a terminal, a program reads a line at a time. From a pipe with all lines, many read all of them into a buffer
/// that they give up after the first. Some read lines before they ask for them, and pause in their own moves; so a
/// person waits a while for a word of the program before each line, but only a few times in vain: there are programs
/// whose words stay in a buffer.
#[derive(Debug)]
pub(crate) struct Typing {
    /// The pipe to the program, until the end of the lines.
    pipe: Option<ChildStdin>,
    lines: VecDeque<String>,
    typed: usize,
    /// If true, the program has printed something since the last line, or this is the first.
    is_asked: bool,
    /// The first look since the last line at which the program waited without a word, if it still does.
    silent_since: Option<Instant>,
    /// The number of waits for a word that are left.
    waits: u32,
}

/// The longest wait for a word of the program before a line, and the number of such waits.
const SILENCE: Duration = Duration::from_millis(400);
const WAITS: u32 = 3;

impl Typing {
    pub(crate) fn new(pipe: ChildStdin, text: &str) -> io::Result<Typing> {
        // A line that does not fit must not block the supervisor.
        ioctl_fionbio(&pipe, true)?;
        let lines = text.split_inclusive('\n').map(str::to_owned).collect();
        let pipe = Some(pipe);
        Ok(Typing { pipe, lines, typed: 0, is_asked: true, silent_since: None, waits: WAITS })
    }

    /// Notes that the program has printed something.
    pub(crate) fn hear(&mut self) {
        self.is_asked = true;
    }

    /// Returns the number of lines that the program has read.
    pub(crate) fn read(&self) -> usize {
        self.typed - usize::from(self.typed > 0 && self.is_unread())
    }

    fn is_unread(&self) -> bool {
        self.pipe.as_ref().is_some_and(|pipe| ioctl_fionread(pipe).is_ok_and(|bytes| bytes > 0))
    }

    /// Types the next line if the program waits, because all its processes are still, has read the lines before
    /// and has printed something since, or nothing for a while. After the last line, or if the program has closed
    /// its input, the input ends.
    pub(crate) fn go_on(&mut self, is_still: bool) {
        if !is_still || self.is_unread() {
            self.silent_since = None;
            return;
        }
        if !self.is_asked && self.waits > 0 {
            if self.silent_since.get_or_insert_with(Instant::now).elapsed() < SILENCE {
                return;
            }
            self.waits -= 1;
        }
        (self.is_asked, self.silent_since) = (false, None);
        let line = self.lines.pop_front();
        let typed =
            |pipe: &mut ChildStdin| line.is_some_and(|it| pipe.write_all(it.as_bytes()).is_ok());
        if self.pipe.as_mut().is_some_and(typed) {
            self.typed += 1;
        } else {
            self.pipe = None;
        }
    }
}

/// The most bytes of a log.
const LIMIT: u64 = 1 << 20;

/// The most bytes of the beginning of a run's log that the host receives, and as many of its end: a compiler reports
/// the cause first, and a crash comes last.
const PART: usize = 32 * 1024;

/// The mode of a new file, before the umask.
const MODE: Mode = Mode::from_bits_truncate(0o666);

/// The log of all runs of a program.
#[derive(Clone, Debug)]
pub(crate) struct SharedLog(Rc<RefCell<Log>>);

impl SharedLog {
    /// Returns a log that appends to a file, if there is one, and makes it when there is something to write.
    /// The supervisor may move to another root later. If the supervisor `becomes_other`, a user who may not
    /// make the file, this makes the file at once.
    pub(crate) fn new(path: Option<&Path>, becomes_other: bool) -> io::Result<SharedLog> {
        let place = path.map(|path| -> io::Result<_> {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.into();
            let flags = OFlag::O_DIRECTORY | OFlag::O_RDONLY | OFlag::O_CLOEXEC;
            Ok((open(parent.unwrap_or(Path::new(".")), flags, Mode::empty())?, name))
        });
        let mut log = Log { place: place.transpose()?, ..Log::default() };
        if becomes_other {
            log.open();
        }
        Ok(SharedLog(Rc::new(RefCell::new(log))))
    }

    pub(crate) fn remove_empty(&self) {
        let log = self.0.borrow();
        let is_empty = |file: &File| file.metadata().is_ok_and(|found| found.len() == 0);
        if let (Some((folder, name)), Some(file)) = (&log.place, &log.file)
            && is_empty(file)
        {
            let _ = unlinkat(folder, name, UnlinkatFlags::NoRemoveDir);
        }
    }

    /// Appends as much as there is room for. Errors are ignored: the program is not to blame.
    pub(crate) fn add(&self, text: &[u8]) {
        let log = &mut *self.0.borrow_mut();
        let (first, rest) = text.split_at(text.len().min(PART - log.beginning.len()));
        log.beginning.extend_from_slice(first);
        log.end.extend_from_slice(rest);
        if log.end.len() > 2 * PART {
            log.end.drain(..log.end.len() - PART - 1);
        }
        if log.file.is_none() {
            log.open();
        }
        let length = text.len().min(usize::try_from(log.left).unwrap_or(usize::MAX));
        if let Some(file) = &mut log.file {
            let _ = file.write_all(&text[..length]);
        }
        log.left -= length as u64;
    }

    /// Returns the beginning and the end of the log of a run, and forgets them.
    pub(crate) fn take_parts(&self) -> Vec<u8> {
        let log = &mut *self.0.borrow_mut();
        let (mut parts, end) = (mem::take(&mut log.beginning), mem::take(&mut log.end));
        if end.len() > PART {
            // The line that is cut off is another one.
            parts.push(b'\n');
        }
        parts.extend_from_slice(&end[end.len().saturating_sub(PART)..]);
        parts
    }
}

#[derive(Debug, Default)]
struct Log {
    /// The folder of the file, which is open, and the name of the file.
    place: Option<(OwnedFd, PathBuf)>,
    /// The file, which is opened when there is something to write.
    file: Option<File>,
    /// The number of bytes for which the file has room.
    left: u64,
    /// The beginning of the standard error of the present run.
    beginning: Vec<u8>,
    /// The latest text after the beginning, of which the last [`PART`] bytes count.
    end: Vec<u8>,
}

impl Log {
    fn open(&mut self) {
        if let Some((folder, name)) = &self.place {
            let flags = OFlag::O_WRONLY | OFlag::O_APPEND | OFlag::O_CREAT | OFlag::O_CLOEXEC;
            self.file = openat(folder, name, flags, MODE).map(File::from).ok();
            let length = self.file.as_ref().and_then(|file| file.metadata().ok());
            self.left = LIMIT.saturating_sub(length.map_or(0, |metadata| metadata.len()));
        }
    }
}

/// Sends a report that the host can do without, unless this would have to wait for the host.
pub(crate) fn mention(told: &Report) {
    if let Ok(line) = line_of(told)
        && line.len() <= libc::PIPE_BUF
        && has_room(Duration::ZERO)
    {
        // If this fails, the host is gone, and an event tells so.
        let _ = write(line.as_bytes());
    }
}

/// True while the host waits for a report, of which no part is written yet.
static HOST_WAITS: AtomicBool = AtomicBool::new(false);

/// Notes whether the host waits for a report, and returns whether it did.
pub(crate) fn note_wait(waits: bool) -> bool {
    HOST_WAITS.swap(waits, Ordering::Relaxed)
}

/// Tells a host that waits that a look takes long.
pub(crate) fn mention_look() {
    if HOST_WAITS.load(Ordering::Relaxed) {
        mention(&Report::Looking);
    }
}

/// Waits for this time at most until the pipe to the host takes [`libc::PIPE_BUF`] bytes at once. Returns
/// true if it does.
pub(crate) fn has_room(time: Duration) -> bool {
    let stdout = io::stdout();
    // If the poll fails, the write waits.
    poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], Some(time)) != Ok(0)
}

#[cfg(test)]
mod tests {
    use std::io::PipeWriter;
    use std::process::{Child, Command, Stdio};

    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::waitpid;
    use nix::unistd::Pid;

    use super::*;

    /// Returns the streams of a program, its log, and the pipe for orders.
    fn streams_of(child: Child) -> io::Result<(Streams, SharedLog, PipeWriter)> {
        let mut started = Started {
            pid: Pid::from_raw(child.id() as i32),
            stdin: child.stdin,
            stdout: child.stdout.map(|stream| OwnedFd::from(stream).into()),
            stderr: child.stderr.map(|stream| OwnedFd::from(stream).into()),
        };
        let (log, (orders, host)) = (SharedLog::new(None, false)?, io::pipe()?);
        let mut streams = Streams::new(OwnedFd::from(orders).into());
        streams.follow(&mut started, &log);
        Ok((streams, log, host))
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
            let (mut streams, log, _host) = streams_of(child)?;
            let (mut printed, mut logged) = (0, 0);
            while streams.are_open() {
                let event = streams.next(None);
                logged += log.take_parts().len() / "no\n".len();
                if let Some(Event::Output(bytes)) = event {
                    printed += bytes.len() / "yes\n".len();
                    assert!(printed <= logged, "{printed} answers, {logged} complaints");
                }
            }
            assert_eq!((printed, logged), (9, 9));
        }
        Ok(())
    }

    #[test]
    fn long_log_is_kept_at_its_beginning_and_its_end() -> io::Result<()> {
        let log = SharedLog::new(None, false)?;
        for text in ["first\n".to_owned(), "x".repeat(5 * PART), "\nlast\n".to_owned()] {
            log.add(text.as_bytes());
        }
        let parts = String::from_utf8(log.take_parts()).expect("text");
        assert_eq!(parts.len(), 2 * PART + 1);
        assert!(parts.starts_with("first\nx") && parts.ends_with("x\nlast\n"));
        assert_eq!(parts.find("x\nx"), Some(PART - 1));
        log.add(b"short\n");
        assert_eq!(log.take_parts(), b"short\n");
        Ok(())
    }

    #[test]
    fn orders_come_one_by_one_and_end() -> io::Result<()> {
        let (orders, mut host) = io::pipe()?;
        let mut streams = Streams::new(OwnedFd::from(orders).into());
        assert!(streams.next(Some(Duration::ZERO)).is_none());
        // More than the pipe holds and one read takes.
        let long = serde_json::to_string(&Order::Dismiss { text: "x".repeat(3 * CHUNK) })?;
        let writer = thread::spawn(move || {
            host.write_all(format!("\"EndTurn\"\n\"NotAnswered\"\n{long}\n").as_bytes())
        });
        assert!(matches!(streams.next(None), Some(Event::Order(Order::EndTurn))));
        assert!(matches!(streams.next(None), Some(Event::Order(Order::NotAnswered))));
        let mut next = || std::iter::repeat_with(|| streams.next(None)).find_map(|event| event);
        let is_whole = |text: &str| text.len() == 3 * CHUNK;
        assert!(matches!(next(), Some(Event::Order(Order::Dismiss { text })) if is_whole(&text)));
        assert!(matches!(next(), Some(Event::NoMoreOrders)));
        writer.join().expect("a writer")?;
        Ok(())
    }

    #[test]
    fn events_that_are_there_have_an_end() -> io::Result<()> {
        let child = Command::new("yes").stdout(Stdio::piped()).spawn()?;
        let pid = Pid::from_raw(child.id() as i32);
        let (mut streams, _, mut host) = streams_of(child)?;
        assert!(matches!(streams.next(None), Some(Event::Output(_))));
        host.write_all(b"\"EndTurn\"\n")?;
        let events: Vec<_> = (0..streams.gather()).filter_map(|_| streams.next(None)).collect();
        kill(pid, Signal::SIGKILL)?;
        waitpid(pid, None)?;
        assert!(events.iter().any(|event| matches!(event, Event::Order(Order::EndTurn))));
        let printed = |event: &Event| if let Event::Output(text) = event { text.len() } else { 0 };
        // No more than the pipe holds, and a chunk.
        assert!(events.iter().map(printed).sum::<usize>() <= 2 * CHUNK, "{} events", events.len());
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
