//! The process between the referee and somebody else's program.
//!
//! It is the parent of the program, and of every process that the program leaves behind: so it
//! can count what they use, and end them all. It ends when the referee does, and takes them along.
//! A process of its own does what a thread of the referee could not: it outlives the referee, and
//! it is not the parent of another player's processes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::confine::{self, Cell};
use super::folder;
use super::folder_size::exceeds;
use super::message::{End, Order, Report, Start};
use super::relay::Relay;
use super::streams::{Event, follow, speak};
use super::tree::{Tree, greatest_memory};
use super::{CONFINE, SUPERVISE};

/// How often the processes are looked at in a turn.
const TICK: Duration = Duration::from_millis(10);
/// How often between turns.
const SLOW_TICK: Duration = Duration::from_millis(50);
/// How often the folder is looked at: every so many looks at the processes.
const LOOKS_PER_FOLDER: u32 = 10;
/// How long a program has to end that was told to, or that has closed its output.
const LAST_MOMENTS: Duration = Duration::from_millis(500);
/// How many events may wait. More would only be a program's output, held in memory.
const PENDING_EVENTS: usize = 16;

/// What a program must do when it is given the argument [`SUPERVISE`]: hold somebody else's
/// program, as told on standard input. With [`CONFINE`] and a text behind it, it becomes that
/// program; the text is to be given here. Returns the exit code.
#[must_use]
pub fn supervise(cell: Option<&str>) -> u8 {
    match cell {
        Some(text) => confine::become_confined(text),
        // If it fails, the referee finds its end of the pipe closed: that is how it knows.
        None => run().map_or(1, |()| 0),
    }
}

fn run() -> io::Result<()> {
    // Whoever interrupts the referee at the terminal does not mean us.
    let _ = nix::unistd::setsid();
    adopt_orphans()?;
    let mut orders = BufReader::new(io::stdin());
    let mut line = String::new();
    orders.read_line(&mut line)?;
    let Order::Start(start) = serde_json::from_str(&line)? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    report(&mut io::stdout(), &Report::Ready)?;
    let path = start.folder.clone();
    if let Err(end) = hold(start, orders) {
        report(&mut io::stdout(), &Report::Ended { end, cpu: Duration::ZERO })?;
    }
    folder::remove(&path);
    Ok(())
}

/// Starts the program, and watches over it until it ends. The error is why it was not started.
fn hold(start: Start, orders: BufReader<io::Stdin>) -> Result<(), End> {
    folder::make(&start.folder, start.input.as_deref()).map_err(system)?;
    let child = spawn(&start)?;
    let root = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0));
    match Supervisor::new(start, root, child, orders) {
        Ok(supervisor) => supervisor.run(),
        Err(error) => {
            Tree::new(root).kill();
            return Err(system(error));
        }
    }
    Ok(())
}

/// The end of a program that does not run because the system has refused something to us.
fn system(error: io::Error) -> End {
    End::System(error.to_string())
}

/// Becomes the parent of processes below this one that lose their own, and keeps to itself what
/// it has open.
#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    nix::sys::prctl::set_child_subreaper(true)?;
    nix::sys::prctl::set_dumpable(false)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Starts the program by way of a process that confines itself. The error is why it was not
/// started.
fn spawn(start: &Start) -> Result<Child, End> {
    let (mut news, teller) = io::pipe().map_err(system)?;
    let mut child = spawn_cell(start, teller).map_err(system)?;
    // The other end is closed when the process has become the program, or is gone.
    let mut why = Vec::new();
    news.read_to_end(&mut why).map_err(system)?;
    if why.is_empty() {
        return Ok(child);
    }
    child.wait().map_err(system)?;
    Err(serde_json::from_slice(&why).unwrap_or_else(|error| system(error.into())))
}

/// Starts the process that confines itself. It tells `teller` if it cannot become the program.
fn spawn_cell(start: &Start, teller: io::PipeWriter) -> io::Result<Child> {
    // A copy is handed down, and the process is the only one that this one ever starts.
    let teller = nix::unistd::dup(teller)?;
    let cell = Cell {
        words: start.words.clone(),
        folder: start.sandbox.then(|| start.folder.clone()),
        memory: start.memory,
        // A byte more, so that a file shows that there would have been more.
        output: start.output.saturating_add(1),
        cpu: start.cpu,
        supervisor: Pid::this().as_raw(),
        teller: teller.as_raw_fd(),
    };
    let stdout = match &start.printed {
        Some(path) => File::create(path)?.into(),
        None => Stdio::piped(),
    };
    Command::new(super::host::own_program()?)
        .args([SUPERVISE, CONFINE, &serde_json::to_string(&cell)?])
        .env("TMPDIR", &start.folder)
        .stdin(if start.talks { Stdio::piped() } else { Stdio::null() })
        .stdout(stdout)
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

fn report(to: &mut impl Write, report: &Report) -> io::Result<()> {
    let mut line = serde_json::to_string(report)?;
    line.push('\n');
    to.write_all(line.as_bytes())?;
    to.flush()
}

/// What the player may use in a turn.
#[derive(Clone, Copy, Debug, Default)]
struct Allowance {
    deadline: Option<Instant>,
    /// The CPU time of its life at which the turn is lost.
    cpu: Option<Duration>,
}

struct Supervisor {
    start: Start,
    /// Says what it is given to the program.
    stdin: Option<SyncSender<String>>,
    tree: Tree,
    events: Receiver<Event>,
    has_referee: bool,
    /// How many of standard output and standard error are open and heard.
    streams: u32,
    relay: Relay,
    is_asked: bool,
    allowance: Allowance,
    /// The CPU time at the end of the turn before.
    cpu_before: Duration,
    /// When a player that should end by itself is ended, and how.
    last_moments: Option<(Instant, End)>,
    next_look: Instant,
    looks: u32,
}

impl Supervisor {
    fn new(
        start: Start,
        root: Pid,
        mut child: Child,
        orders: BufReader<io::Stdin>,
    ) -> io::Result<Supervisor> {
        let (sender, events): (SyncSender<Event>, _) = sync_channel(PENDING_EVENTS);
        let stdin = child.stdin.take().map(speak).transpose()?;
        let streams = u32::from(child.stdout.is_some()) + u32::from(child.stderr.is_some());
        follow(child, orders, start.log.clone(), &sender)?;
        Ok(Supervisor {
            relay: Relay::new(start.talks, start.output),
            start,
            stdin,
            tree: Tree::new(root),
            events,
            has_referee: true,
            streams,
            is_asked: false,
            allowance: Allowance::default(),
            cpu_before: Duration::ZERO,
            last_moments: None,
            next_look: Instant::now(),
            looks: 0,
        })
    }

    /// Watches over the program until it ends, and leaves nothing of it.
    fn run(mut self) {
        let end = loop {
            if let Err(end) = self.step() {
                break end;
            }
        };
        self.stdin = None;
        self.tree.kill();
        let end = self.drain().err().unwrap_or(end);
        let end = self.verdict(end);
        let cpu = self.tree.cpu();
        // The referee may be gone.
        let _ = report(&mut io::stdout(), &Report::Ended { end, cpu });
        self.wait_for_referee();
    }

    /// Waits for the next event, and deals with it.
    fn step(&mut self) -> Result<(), End> {
        let wakes = [Some(self.next_look), self.allowance.deadline];
        let wakes = wakes.into_iter().flatten().chain(self.last_moments.iter().map(|last| last.0));
        let wait = wakes.min().map_or(TICK, |wake| wake.saturating_duration_since(Instant::now()));
        match self.events.recv_timeout(wait) {
            Ok(Event::Order(order)) => self.obey(order)?,
            Ok(Event::NoMoreOrders) | Err(RecvTimeoutError::Disconnected) => {
                self.has_referee = false;
                return Err(End::Dismissed);
            }
            Ok(Event::Output(bytes)) => self.pass_on(&bytes)?,
            Ok(Event::NoMoreOutput) => {
                self.streams -= 1;
                // Who ends has closed its output just before.
                if self.start.talks {
                    self.expect_end(End::ClosedOutput);
                }
            }
            Ok(Event::NoMoreErrors) => self.streams -= 1,
            Ok(Event::RootEnded) => self.tree.reap(),
            Err(RecvTimeoutError::Timeout) => {}
        }
        self.inspect()
    }

    fn obey(&mut self, order: Order) -> Result<(), End> {
        match order {
            Order::Start(_) => {}
            Order::Ask { text, wall, cpu } => {
                self.relay.begin_turn();
                self.is_asked = true;
                self.allowance = Allowance {
                    deadline: wall.and_then(|wall| Instant::now().checked_add(wall)),
                    cpu: cpu.map(|cpu| self.cpu_before.saturating_add(cpu)),
                };
                self.say(text);
            }
            Order::Answered => {
                let cpu = self.tree.usage().cpu;
                self.check_cpu(cpu)?;
                self.is_asked = false;
                self.allowance = Allowance::default();
                self.cpu_before = cpu;
                // The referee may be gone; then there is an event for it.
                let _ = report(&mut io::stdout(), &Report::Used(cpu));
            }
            Order::Dismiss { text } => {
                self.is_asked = false;
                self.allowance = Allowance::default();
                self.say(text);
                self.stdin = None;
                self.expect_end(End::Dismissed);
            }
        }
        Ok(())
    }

    /// Tells the player something. If it does not listen, it will not answer either.
    fn say(&self, text: String) {
        if let Some(stdin) = &self.stdin {
            let _ = stdin.try_send(text);
        }
    }

    fn expect_end(&mut self, otherwise: End) {
        self.last_moments.get_or_insert_with(|| (Instant::now() + LAST_MOMENTS, otherwise));
    }

    fn pass_on(&mut self, bytes: &[u8]) -> Result<(), End> {
        for line in self.relay.take(bytes)? {
            let _ = report(&mut io::stdout(), &Report::Line(line));
        }
        Ok(())
    }

    /// Whether the program may go on.
    fn inspect(&mut self) -> Result<(), End> {
        if let Some(end) = self.tree.end() {
            return Err(end.clone());
        }
        let now = Instant::now();
        if let Some((when, end)) = &self.last_moments
            && now >= *when
        {
            return Err(end.clone());
        }
        if self.allowance.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(End::WallLimit);
        }
        if now < self.next_look {
            return Ok(());
        }
        self.look()?;
        self.next_look = Instant::now() + if self.is_asked { TICK } else { SLOW_TICK };
        Ok(())
    }

    /// Looks at what the processes use.
    fn look(&mut self) -> Result<(), End> {
        let usage = self.tree.usage();
        self.check_cpu(usage.cpu)?;
        if usage.processes > self.start.processes {
            return Err(End::Processes);
        }
        let most = self.start.memory;
        if usage.memory > most && Tree::exact_memory() > most {
            return Err(End::MemoryLimit);
        }
        self.looks = self.looks.wrapping_add(1);
        if self.looks.is_multiple_of(LOOKS_PER_FOLDER)
            && exceeds(&self.start.folder, self.start.output)
        {
            return Err(End::OutputLimit);
        }
        Ok(())
    }

    fn check_cpu(&self, used: Duration) -> Result<(), End> {
        let exceeded = self.allowance.cpu.is_some_and(|limit| used > limit);
        if exceeded { Err(End::CpuLimit) } else { Ok(()) }
    }

    /// Passes on what was said before the end.
    fn drain(&mut self) -> Result<(), End> {
        while self.streams > 0 {
            match self.events.recv_timeout(LAST_MOMENTS) {
                Ok(Event::Output(bytes)) => self.pass_on(&bytes)?,
                Ok(Event::NoMoreOutput | Event::NoMoreErrors) => self.streams -= 1,
                Ok(Event::NoMoreOrders) => self.has_referee = false,
                Ok(Event::Order(_) | Event::RootEnded) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Waits until the referee has seen what there is to see.
    fn wait_for_referee(&mut self) {
        while self.has_referee {
            let event = self.events.recv();
            self.has_referee = !matches!(event, Ok(Event::NoMoreOrders) | Err(_));
        }
    }

    /// How the program ended, all things considered: who exceeds a limit may well be ended by
    /// something else before we look.
    fn verdict(&self, end: End) -> End {
        let by_itself = matches!(end, End::Exit(_) | End::Signal(_));
        if !by_itself {
            return end;
        }
        let failed = end != End::Exit(0);
        let output = matches!(&end, End::Signal(name) if name == Signal::SIGXFSZ.as_str());
        let cpu = matches!(&end, End::Signal(name) if name == Signal::SIGXCPU.as_str());
        if output || exceeds(&self.start.folder, self.start.output) {
            End::OutputLimit
        } else if failed && greatest_memory() > self.start.memory {
            End::MemoryLimit
        } else if cpu || self.check_cpu(self.tree.cpu()).is_err() {
            End::CpuLimit
        } else {
            end
        }
    }
}
