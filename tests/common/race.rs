//! Two processes at the same work.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Nothing waits longer, unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(120);

/// The outcome of two processes at the same work.
pub struct Race {
    /// The one that did it.
    pub winner: Output,
    /// The one that ended while the other was held up.
    pub loser: Output,
}

/// Starts a command twice at the same time. Whichever is at work is held up until the other has
/// ended, and then let go by `let_go`, whose result lives until both have ended.
#[track_caller]
pub fn race<T>(command: impl Fn() -> Command, let_go: impl FnOnce() -> T) -> (Race, T) {
    let (sender, ended) = channel();
    for _ in 0..2 {
        let mut command = command();
        let sender = sender.clone();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program");
        thread::spawn(move || sender.send(child.wait_with_output().expect("its end")));
    }
    let loser = ended.recv_timeout(PATIENCE).expect("one of them is refused");
    let kept = let_go();
    let winner = ended.recv_timeout(PATIENCE).expect("the other ends");
    (Race { winner, loser }, kept)
}

impl Race {
    /// Holds the winner to success and silence, and the loser to one line about the file or folder
    /// that it was not given.
    #[track_caller]
    pub fn assert_refused(&self, work: &str) {
        let Race { winner, loser } = self;
        let [won, lost] = [winner, loser].map(|output| String::from_utf8_lossy(&output.stderr));
        assert_eq!((winner.status.code(), &*won), (Some(0), ""), "the loser said {lost}");
        let said = format!("error: {work}: another process is at work on it\n");
        assert_eq!((loser.status.code(), &*lost), (Some(1), &*said));
        assert_eq!(String::from_utf8_lossy(&loser.stdout), "");
    }
}

/// A pipe with a name: a process that writes to it is held up until it is [opened](Pipe::open).
pub struct Pipe(PathBuf);

impl Pipe {
    pub fn new(path: PathBuf) -> Pipe {
        let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        Pipe(path)
    }

    /// Lets writers go on.
    pub fn open(&self) -> OpenPipe {
        // To open it for both waits for nobody.
        let both = OpenOptions::new().read(true).write(true).open(&self.0).expect("a pipe");
        let mut reader = File::open(&self.0).expect("a pipe");
        let read = move || {
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).map(|_| bytes)
        };
        OpenPipe { reader: thread::spawn(read), both }
    }
}

/// A pipe that holds up no process.
pub struct OpenPipe {
    reader: JoinHandle<io::Result<Vec<u8>>>,
    both: File,
}

impl OpenPipe {
    /// All that was written, when the writers have ended.
    pub fn written(self) -> Vec<u8> {
        drop(self.both);
        self.reader.join().expect("a reader").expect("what was written")
    }
}
