//! The process of a rules program: questions and answers in lines, each with a time limit; the memory of its answers;
//! and the contradictions between them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use plyground::Outcome;
use plyground_durable::{excerpt, shown};
use plyground_sandbox::Deadline;
use thiserror::Error;

use super::message::{Facts, Step, read_move};
use crate::adapter::MoveText;

#[cfg(unix)]
use std::os::fd::{AsFd, OwnedFd};
#[cfg(unix)]
use std::os::unix::process::{CommandExt, ExitStatusExt};

/// The most bytes of a line of a program.
const MOST_BYTES: u64 = 1 << 16;

/// The time between two checks of the time of an answer.
const PAUSE: Duration = Duration::from_millis(20);

/// The time that a program has to end after its output has ended, or when it is no longer needed.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// The reason why a game cannot be played by the rules of a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the rules program `{command}` {why}")]
pub struct RulesFault {
    command: String,
    why: String,
}

impl RulesFault {
    pub(super) fn new(command: &str, why: String) -> RulesFault {
        RulesFault { command: excerpt(command), why }
    }

    /// Returns the fault without the command.
    pub(super) fn why(&self) -> &str {
        &self.why
    }
}

/// A running rules program. Dropping it kills the program, unless the program ends by itself.
#[derive(Debug)]
pub(super) struct Process {
    command: String,
    /// The pipe for questions; `None` once the program should end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The line that was read last, with its end.
    line: Vec<u8>,
    /// The question that is being answered.
    question: String,
    limit: Duration,
    watch: Arc<Watch>,
}

/// The state that a process shares with the thread that kills it when it is late.
#[derive(Debug)]
struct Watch {
    child: Mutex<Child>,
    /// The output of the program, which another thread reads.
    #[cfg(unix)]
    output: Option<OwnedFd>,
    started: Instant,
    /// The time at which the answer is late, in milliseconds since `started`; 0 while there is no question.
    late_at: AtomicU64,
    /// If true, this process waits until the program reads a question.
    writes: AtomicBool,
    /// If true, this process waits for output of the program.
    reads: AtomicBool,
    was_late: AtomicBool,
    is_over: AtomicBool,
}

impl Process {
    /// Starts a program by a command in words, as a shell reads them.
    pub(super) fn start(command: &str, limit: Duration) -> Result<Process, RulesFault> {
        let fault = |why: String| RulesFault::new(command, why);
        let words = shlex::split(command).unwrap_or_default();
        let Some((program, arguments)) = words.split_first() else {
            return Err(fault("is no command: expected one such as `python3 game.py`".to_owned()));
        };
        let mut start = Command::new(program);
        start.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        // In a group of its own, the program gets no signal from Ctrl-C: this process ends it.
        #[cfg(unix)]
        start.process_group(0);
        let mut child =
            start.spawn().map_err(|error| fault(format!("cannot be started: {error}")))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let watch = Arc::new(Watch {
            child: Mutex::new(child),
            #[cfg(unix)]
            output: output.as_ref().and_then(|output| output.as_fd().try_clone_to_owned().ok()),
            started: Instant::now(),
            late_at: AtomicU64::new(0),
            writes: AtomicBool::new(false),
            reads: AtomicBool::new(false),
            was_late: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        });
        let no_pipe = || fault("cannot be started: it has no pipes".to_owned());
        let watcher = Arc::clone(&watch);
        let spawned = thread::Builder::new().name("rules".to_owned()).spawn(move || watcher.run());
        let process = Process {
            command: command.to_owned(),
            input: Some(input.ok_or_else(no_pipe)?),
            output: BufReader::with_capacity(1 << 16, output.ok_or_else(no_pipe)?),
            line: Vec::new(),
            question: String::new(),
            limit,
            watch,
        };
        match spawned {
            Ok(_) => Ok(process),
            Err(error) => Err(fault(format!("cannot be watched: {error}"))),
        }
    }

    /// Asks a question of one line, whose answer must be complete within the limit.
    pub(super) fn ask(&mut self, question: String) {
        let late_at = (self.watch.started.elapsed() + self.limit).as_millis() as u64;
        self.watch.late_at.store(late_at.max(1), Ordering::Relaxed);
        self.question = question;
        self.question.push('\n');
        if let Some(input) = &mut self.input {
            // The error does not matter: if the program has ended, the end of its output tells more.
            let write = || input.write_all(self.question.as_bytes());
            let _ = while_set(&self.watch.writes, write);
        }
        self.question.pop();
    }

    /// Returns the next line of the answer, without its end.
    pub(super) fn line(&mut self) -> Result<&str, RulesFault> {
        self.line.clear();
        let output = self.output.by_ref().take(MOST_BYTES);
        let read = || { output }.read_until(b'\n', &mut self.line);
        let read = while_set(&self.watch.reads, read);
        match read {
            Ok(_) if self.line.ends_with(b"\n") => {}
            Ok(_) if self.line.len() as u64 == MOST_BYTES => {
                let found = format!("more than {MOST_BYTES} bytes without a line end");
                return Err(self.unexpected("lines", &found));
            }
            _ => return Err(self.ended()),
        }
        let Ok(line) = str::from_utf8(&self.line) else {
            return Err(self.unexpected("UTF-8", "other bytes"));
        };
        match line.trim_end().strip_prefix("error") {
            Some(said) if said.is_empty() || said.starts_with([' ', ':']) => {
                let said = said.trim_start_matches([' ', ':']);
                let said: String = said.chars().take(MOST_SAID).collect();
                Err(self.fault(format!("says that it has failed: {}", shown(&said))))
            }
            _ => Ok(line.trim_end()),
        }
    }

    /// Stops the clock: the answer is complete.
    pub(super) fn answered(&mut self) {
        self.watch.late_at.store(0, Ordering::Relaxed);
    }

    /// Returns the fault of an answer that differs from the expected form.
    pub(super) fn unexpected(&self, expected: &str, found: &str) -> RulesFault {
        let question = excerpt(&self.question);
        self.fault(format!("answers `{question}`: expected {expected}, found {found}"))
    }

    pub(super) fn fault(&self, why: String) -> RulesFault {
        RulesFault::new(&self.command, why)
    }

    pub(super) fn kill(&mut self) {
        self.watch.kill();
    }

    /// Returns the fault of a program that has ended or was killed for being late.
    fn ended(&mut self) -> RulesFault {
        let question = excerpt(&self.question);
        if self.watch.was_late.load(Ordering::Relaxed) {
            let limit = humantime::format_duration(self.limit);
            return self.fault(format!("has not answered `{question}` within {limit}"));
        }
        self.input = None;
        let end = match self.watch.end_within(LAST_MOMENT) {
            Some(status) => format!("has ended with {}", in_words(status)),
            None => "has closed its output".to_owned(),
        };
        let unfinished = String::from_utf8_lossy(&self.line);
        let unfinished = match unfinished.trim() {
            "" => String::new(),
            line => format!(", after `{}` without a line end", excerpt(line)),
        };
        self.fault(format!("{end} when asked `{question}`{unfinished}"))
    }
}

/// The most characters of a program's message about its own failure.
const MOST_SAID: usize = 200;

fn in_words(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = status.signal() {
        return format!("signal {signal}");
    }
    status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            // The program may have ended already.
            let _ = input.write_all(b"quit\n");
        }
        self.watch.is_over.store(true, Ordering::Relaxed);
        if self.watch.end_within(LAST_MOMENT).is_none() {
            self.watch.kill();
        }
    }
}

impl Watch {
    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the program as soon as it is late. Returns when the program is no longer needed.
    ///
    /// If this thread wakes late, or the other thread has not yet read the program's output, the computer is busy or
    /// was stopped for a while. The program gets this time in addition.
    fn run(&self) {
        let (mut asked, mut deadline) = (0, Deadline::after(Duration::ZERO));
        while !self.is_over.load(Ordering::Relaxed) {
            deadline.wait(PAUSE, thread::sleep);
            let late_at = self.late_at.load(Ordering::Relaxed);
            if late_at != asked {
                let left = Duration::from_millis(late_at).saturating_sub(self.started.elapsed());
                (asked, deadline) = (late_at, Deadline::after(left));
            }
            if late_at > 0 && deadline.is_over() && self.is_waited_for() {
                self.was_late.store(true, Ordering::Relaxed);
                self.kill();
                return;
            }
        }
    }

    /// Returns true if the answer is delayed by the program, and not by this process.
    fn is_waited_for(&self) -> bool {
        let reads = self.reads.load(Ordering::SeqCst);
        self.writes.load(Ordering::SeqCst) || reads && !self.has_said()
    }

    /// Returns true if the program has unread output.
    #[cfg(unix)]
    fn has_said(&self) -> bool {
        let unread =
            self.output.as_ref().and_then(|output| rustix::io::ioctl_fionread(output).ok());
        unread.is_some_and(|bytes| bytes > 0)
    }

    #[cfg(not(unix))]
    fn has_said(&self) -> bool {
        false
    }

    fn kill(&self) {
        let mut child = self.child();
        // The program may have ended already.
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Returns the exit status of the program, if it ends within this time.
    fn end_within(&self, time: Duration) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child().try_wait() {
                return Some(status);
            }
            if started.elapsed() > time {
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Calls `act`, and sets the flag meanwhile.
fn while_set<T>(flag: &AtomicBool, act: impl FnOnce() -> T) -> T {
    flag.store(true, Ordering::SeqCst);
    let done = act();
    flag.store(false, Ordering::SeqCst);
    done
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::rules::RulesProgram;

    fn fault(command: &str, limit: Duration) -> String {
        let started = RulesProgram::start(command, limit, |fault| panic!("{fault}"));
        started.expect_err("a fault").to_string()
    }

    #[test]
    fn faults_of_processes_are_named() {
        let minute = Duration::from_secs(60);
        for (command, why) in [
            ("", "is no command"),
            ("'", "is no command"),
            ("/no/such/program", "cannot be started: "),
            ("sh -c 'read line; exit 3'", "has ended with exit code 3 when asked `rules 1`"),
            ("sh -c 'kill -9 $$'", "has ended with signal 9 when asked `rules 1`"),
            (
                "sh -c 'printf \"rules 1\"'",
                "exit code 0 when asked `rules 1`, after `rules 1` without",
            ),
            ("echo hello", "answers `rules 1`: expected the version, `rules 1`, found `hello`"),
            ("printf 'rules 1\\nend\\n'", "expected a line `name NAME`, found nothing"),
            ("printf 'error: no board\\n'", "says that it has failed: no board"),
            ("printf '\\377\\n'", "expected UTF-8"),
            ("head -c 100000 /dev/zero", "found more than 65536 bytes without a line end"),
            ("sh -c 'echo rules 2'", "expected the version, `rules 1`, found `rules 2`"),
            ("sh -c 'echo rules 1; yes'", "expected a description, found too many lines"),
        ] {
            let found = fault(command, minute);
            assert!(found.contains(why), "{found}");
            assert!(found.starts_with("the rules program `"), "{found}");
        }
    }

    /// This process reads an answer long after the time of the program.
    #[test]
    #[ignore = "long"]
    fn program_is_not_late_by_the_time_of_its_reader() -> Result<(), RulesFault> {
        let limit = Duration::from_secs(2);
        let mut process = Process::start("sh -c 'while read line; do echo yes; done'", limit)?;
        for _ in 0..2 {
            process.ask("question".to_owned());
            thread::sleep(limit + 5 * PAUSE);
            assert_eq!(process.line()?, "yes");
            process.answered();
        }
        Ok(())
    }

    /// A program that reads no question is late, however much it says.
    #[test]
    fn program_that_never_reads_is_killed() -> Result<(), RulesFault> {
        let mut process = Process::start("yes", Duration::from_millis(50))?;
        for _ in 0..100_000 {
            process.ask("question".to_owned());
            match process.line() {
                Ok(line) => assert_eq!(line, "y"),
                Err(fault) => {
                    assert!(fault.why().starts_with("has not answered"), "{fault}");
                    return Ok(());
                }
            }
            process.answered();
        }
        panic!("it is asked for ever")
    }

    #[test]
    fn late_program_is_killed() {
        let found = fault("sleep 1000", Duration::from_millis(50));
        assert_eq!(found, "the rules program `sleep 1000` has not answered `rules 1` within 50ms");
        let found = fault("cat", Duration::from_millis(50));
        assert_eq!(found, "the rules program `cat` has not answered `rules 1` within 50ms");
    }
}

/// The most bytes of remembered answers of one generation; there are two.
const MOST_REMEMBERED: usize = 64 << 20;

/// The approximate number of bytes of a remembered move beside its texts.
const BYTES_OF_STEP: usize = 200;

/// The name of the move of a player who has no other move.
pub(super) const PASS: &str = "pass";

#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) of: Arc<Facts>,
    pub(super) steps: Vec<Step>,
    /// The numbers of the moves.
    pub(super) codes: Vec<u16>,
    /// The number of positions after these moves that were asked for.
    pub(super) asked: AtomicU32,
    /// The fault in place of the real moves, and the time of the fault.
    pub(super) fault: Option<(RulesFault, Instant)>,
}

/// The known expansions, by the text of the position. When there are too many, the expansions without recent use are
/// forgotten.
#[derive(Default)]
pub(super) struct Memory {
    recent: HashMap<Arc<str>, Arc<Expansion>>,
    earlier: HashMap<Arc<str>, Arc<Expansion>>,
    /// The approximate number of bytes of `recent`.
    bytes: usize,
}

impl Memory {
    pub(super) fn get(&mut self, text: &str) -> Option<Arc<Expansion>> {
        if let Some(known) = self.recent.get(text) {
            return Some(Arc::clone(known));
        }
        let known = self.earlier.remove(text)?;
        self.insert(Arc::clone(&known));
        Some(known)
    }

    pub(super) fn knows(&self, text: &str) -> Option<&Arc<Expansion>> {
        self.recent.get(text).or_else(|| self.earlier.get(text))
    }

    pub(super) fn insert(&mut self, expansion: Arc<Expansion>) {
        let text = expansion.of.text.len();
        self.bytes += (expansion.steps.len() + 1) * (BYTES_OF_STEP + text);
        if self.bytes > MOST_REMEMBERED {
            self.earlier = std::mem::take(&mut self.recent);
            self.bytes = 0;
        }
        self.recent.insert(Arc::clone(&expansion.of.text), expansion);
    }
}

impl Expansion {
    /// Returns a substitute for the moves that the program fails to give: a pass, after which the game is over.
    pub(super) fn without_moves(of: &Arc<Facts>, fault: RulesFault) -> Expansion {
        let mut after = Facts::clone(of);
        after.outcome = Some(match of.points {
            Some([first, second]) => Outcome::Points { first, second },
            None => Outcome::Draw,
        });
        after.plies_left = of.plies_left.map(|left| left.saturating_sub(1));
        let steps = read_move(PASS).map(|mv| Step { mv, after: Arc::new(after) });
        let (steps, codes) = (steps.into_iter().collect(), vec![0]);
        let (of, asked) = (Arc::clone(of), AtomicU32::new(0));
        Expansion { of, steps, codes, asked, fault: Some((fault, Instant::now())) }
    }

    pub(super) fn find(&self, mv: MoveText) -> Option<(&Step, u16)> {
        let index = self.steps.iter().position(|step| step.mv == mv)?;
        Some((&self.steps[index], self.codes[index]))
    }
}

/// Checks that a move fits the position before it.
pub(super) fn check_step(of: &Facts, Step { mv, after }: &Step) -> Result<(), String> {
    let place = || format!("after the move {mv} in {}", of.text);
    if after.side == of.side && mv.as_str() == PASS {
        return Err(format!("lets the same side move again, {}", place()));
    }
    if after.points.is_some() != of.points.is_some() {
        return Err(format!("gives points in some positions only: see {}", place()));
    }
    match (of.plies_left, after.plies_left) {
        (None, _) => Ok(()),
        (Some(left), Some(next)) if next < left => Ok(()),
        (Some(left), next) => {
            let found = next.map_or_else(|| "no number".to_owned(), |next| next.to_string());
            Err(format!("goes from `left {left}` to {found}, {}", place()))
        }
    }
}

/// Returns the fault of two different answers about a position.
pub(super) fn contradiction(before: &Facts, now: &Facts) -> String {
    if before.text == now.text && before.words() == now.words() {
        return format!("contradicts itself: {} has two keys", now.text);
    }
    let (said, says) = (before.words(), now.words());
    let what = if before.text == now.text { "" } else { &*format!(" {}", before.text) };
    format!("contradicts itself: {} is `{says}`, and was{what} `{said}`", now.text)
}
