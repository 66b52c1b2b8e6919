//! Helpers that the tests of all programs share: a run of a program, with its folder, what came out of it, the
//! examples in its help, and two processes at the same work; a program that serves its page; and a browser.

#![cfg_attr(not(unix), allow(dead_code))]

pub mod browser;
pub mod served;

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::{self, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use assert_cmd::Command;
use tempfile::TempDir;

use browser::Browser;
use served::Served;

/// The folder of the project.
pub fn project() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = package.ancestors().find(|folder| folder.join("inputs").is_dir());
    project.expect("the project").to_owned()
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

/// If true, a line of standard error says how long `grade --class` takes at most, or that a submission is
/// graded.
pub fn is_progress(line: &str) -> bool {
    let begins_with_count = line
        .split_once(" of ")
        .is_some_and(|(done, rest)| done.parse::<u32>().is_ok() && rest.contains(": "));
    begins_with_count || line.contains(" to grade: at most ")
}

impl Run {
    pub fn of(command: &mut Command) -> Run {
        let Output { status, stdout, stderr } = command.output().expect("the program");
        Run {
            stdout: String::from_utf8_lossy(&stdout).into(),
            stderr: String::from_utf8_lossy(&stderr).into(),
            code: status.code(),
        }
    }

    /// The same without the lines on standard error that say how far `grade --class` is.
    pub fn without_progress(mut self) -> Run {
        let lines = self.stderr.lines().filter(|line| !is_progress(line));
        self.stderr = lines.map(|line| format!("{line}\n")).collect();
        self
    }

    /// Holds the run to exit code 0 and silence on standard error.
    #[track_caller]
    pub fn success(self) -> Run {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self
    }

    /// Holds the run to exit code 0 and one line on standard error, a warning with `part` in it.
    #[track_caller]
    pub fn warned(self, part: &str) -> Run {
        assert_eq!((self.code, self.stderr.lines().count()), (Some(0), 1), "{self:?}");
        assert!(self.stderr.starts_with("warning: "), "{}", self.stderr);
        assert!(self.stderr.contains(part), "no `{part}` in {}", self.stderr);
        self
    }

    /// Holds the run to an exit code and one line on standard error with `part` in it.
    #[track_caller]
    pub fn failure(self, code: i32, part: &str) -> Run {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        assert!(self.stderr.contains(part), "no `{part}` in {}", self.stderr);
        self
    }
}

/// Compares with a golden file, or writes it if `UPDATE_GOLDEN` is set.
#[track_caller]
pub fn assert_same_as_file(path: &Path, actual: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, actual).expect("a golden file");
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(actual, expected, "not as in {}; UPDATE_GOLDEN=1 accepts it", path.display());
}

/// Which program is run.
pub trait Tested {
    /// The path of the program.
    const PROGRAM: &str;
}

/// A folder to run the program in, removed when dropped.
pub struct TestFolder<P>(TempDir, PhantomData<P>);

impl<P: Tested> TestFolder<P> {
    pub fn new() -> TestFolder<P> {
        TestFolder(TempDir::new().expect("a temporary folder"), PhantomData)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).expect("a file in a temporary folder");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of the files in the folder, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a temporary folder");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    /// The program, about to run in this folder, whatever the tester wants to see in color.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(P::PROGRAM);
        command.current_dir(self.0.path()).args(args);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
        command
    }

    /// Runs the program with arguments separated by blanks, and nothing on standard input.
    pub fn run(&self, args: &str) -> Run {
        Run::of(&mut self.command(args.split_whitespace()))
    }

    /// Runs the program with arguments separated by blanks and this on standard input.
    pub fn run_with(&self, args: &str, stdin: &str) -> Run {
        Run::of(self.command(args.split_whitespace()).write_stdin(stdin))
    }
}

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
pub fn race<T>(command: impl Fn() -> process::Command, let_go: impl FnOnce() -> T) -> (Race, T) {
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
        let made = process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        Pipe(path)
    }

    /// Lets writers go on.
    pub fn open(&self) -> OpenPipe {
        // An opening for both does not wait for the other end.
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

/// The width of a terminal: a line that it breaks cannot be copied from it.
const COLUMNS: usize = 80;

/// Asserts that every command of a program has examples in its help, that they can be copied, and
/// that the program takes their arguments. Returns the number of examples.
#[track_caller]
pub fn check_examples(program: &Path) -> usize {
    let folder = program.parent().expect("a folder");
    let name = program.file_name().and_then(|name| name.to_str()).expect("a name");
    let shell = |script: &str| {
        let path = std::env::var("PATH").unwrap_or_default();
        let output = process::Command::new("sh")
            .args(["-c", script])
            .env("PATH", format!("{}:{path}", folder.display()))
            .output()
            .expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{script}: {stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let overview = shell(&format!("{name} help"));
    let commands = overview.split("Commands:\n").nth(1).expect("commands");
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let mut count = 0;
    for command in commands.filter_map(|line| line.strip_prefix("  ")) {
        // What has no name goes on about the command before.
        let command = command.split(' ').next().unwrap_or_default();
        if command.is_empty() || command == "help" {
            continue;
        }
        let help = shell(&format!("{name} {command} --help"));
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        assert!(examples.starts_with(&format!("  {name} {command}")), "{command}: {help}");
        let widest = examples.lines().map(str::len).max();
        assert!(widest.is_some_and(|width| width <= COLUMNS), "{examples}");
        for example in examples.trim_end().replace("\\\n", " ").lines() {
            // The help comes after all arguments have been read.
            shell(&format!("{example} --help"));
            count += 1;
        }
    }
    count
}

/// Asserts that a run has succeeded and printed this.
#[track_caller]
#[allow(dead_code, reason = "games that have a program of their own use it")]
pub fn shows(run: Run, part: &str) -> Run {
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains(part), "no `{part}` in {}", run.stdout);
    run
}

/// Opens the page of a program, on which two people play its game. Returns `None` without a browser.
#[allow(dead_code, reason = "games that have a program of their own use it")]
pub fn page_of_two_people(program: &str, game: &str) -> Option<(Served, Browser)> {
    let served = Served::start(program, "");
    let browser = Browser::start(1200, 900)?;
    browser.load(&served.url());
    let players = r#"[{"kind":"human"},{"kind":"human"}]"#;
    browser.run(&format!("localStorage.setItem('plyground.{game}.players', '{players}')"));
    browser.reload();
    Some((served, browser))
}

/// Writes the starter kit in Python of a game's own program, holds it to these checks by `make check`, and lets
/// it make a move by files. Without Python and make it does nothing, unless `PLYGROUND_NEEDS_LANGUAGES` is set.
#[allow(dead_code, reason = "games that have a program of their own use it")]
pub fn check_kit(program: &str, rules: &str, names: &[&str]) {
    let is_here = |tool| process::Command::new(tool).arg("--version").output().is_ok();
    if !is_here("python3") || !is_here("make") {
        let needed = std::env::var_os("PLYGROUND_NEEDS_LANGUAGES").is_some();
        assert!(!needed, "there is no python3 or make");
        return;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(program).parent().map(PathBuf::from);
    let path = own.into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).expect("folders");
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        for variable in ["MAKEFLAGS", "CARGO_MAKEFLAGS"] {
            command.env_remove(variable);
        }
        let run = Run::of(command.args(args).current_dir(folder.path()).env("PATH", &path));
        assert_eq!(run.code, Some(0), "{program} {args:?}: {run:?}");
        run
    };
    let words = format!("starter {rules} --language python --out kit");
    run(program, &words.split_whitespace().collect::<Vec<_>>());
    let game = Path::new(program).file_stem().expect("a name").to_string_lossy().into_owned();
    let checks: Vec<_> = names.iter().map(|name| format!("--check \"{name}\"")).collect();
    let grade = format!("GRADE={}", checks.join(" "));
    let results = run("make", &["-C", "kit", "check", &grade]);
    for name in names {
        assert!(results.stdout.contains(&format!("ok    {name} ")), "{name}: {}", results.stdout);
    }
    fs::write(folder.path().join("none.txt"), "").expect("a file");
    let play = format!("kit/{game}.py");
    let asked = run("python3", &[&play, "interactive", "new.txt", "computer-next", "1"]);
    assert!(asked.stdout.contains("No more input."), "{asked:?}");
}
