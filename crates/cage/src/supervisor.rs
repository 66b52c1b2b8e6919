//! The process between the host and a foreign program.
//!
//! The supervisor is the parent of the program, and of every process that the program leaves
//! behind. So it can measure what they use, and kill them all. When the host ends, the supervisor
//! kills them and ends, too. A thread of the host could do neither: it would end with the host, and
//! it could not tell the processes of two programs apart.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::confined_command::{self, ConfinedCommand};
use crate::end::ProcessEnd;
use crate::folder;
use crate::folder_size::exceeds;
use crate::launch::Launch;
use crate::message::{Order, Report};
use crate::relay::Relay;
use crate::streams::{Event, follow, speak};
use crate::tree::{Tree, greatest_memory};
use crate::{CONFINE, SUPERVISE, supervised};

/// How often the supervisor looks at the processes in a turn.
const TICK: Duration = Duration::from_millis(10);
/// How often the supervisor looks at the processes between turns.
const SLOW_TICK: Duration = Duration::from_millis(50);
/// How many looks at the processes come with one at the folder.
const LOOKS_PER_FOLDER: u32 = 10;
/// How long a program has to end after it was dismissed, or has closed its output.
const LAST_MOMENTS: Duration = Duration::from_millis(500);
/// How many events may wait. More would only keep a program's output in memory.
const PENDING_EVENTS: usize = 16;

/// Supervises a program, as a host's executable must when its first argument is [`SUPERVISE`].
///
/// Without further arguments, `command` is `None`, and orders come on standard input. With the
/// option [`CONFINE`], `command` is its value, and this process becomes the program that it
/// describes. Returns the exit code for the process.
///
/// The calling process must have no other threads and no children.
#[must_use]
pub fn supervise(command: Option<&str>) -> u8 {
    match command {
        Some(text) => confined_command::become_confined(text),
        // If this fails, the host finds out by the closed pipe.
        None => run().map_or(1, |()| 0),
    }
}

fn run() -> io::Result<()> {
    // Ctrl-C at the terminal is meant for the host, which decides what to do.
    let _ = nix::unistd::setsid();
    adopt_orphans()?;
    let mut orders = BufReader::new(io::stdin());
    let mut line = String::new();
    orders.read_line(&mut line)?;
    let Order::Start(launch) = serde_json::from_str(&line)? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    report(&mut io::stdout(), &Report::Ready)?;
    let path = launch.folder.clone();
    if let Err(end) = hold(launch, orders) {
        report(&mut io::stdout(), &Report::Ended { end, cpu: Duration::ZERO })?;
    }
    folder::remove(&path);
    Ok(())
}

/// Starts the program, and watches over it until it ends. Returns an error if it did not start.
fn hold(launch: Launch, orders: BufReader<io::Stdin>) -> Result<(), ProcessEnd> {
    folder::make(&launch.folder, launch.input.as_deref()).map_err(system)?;
    let child = spawn(&launch)?;
    let root = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0));
    match Supervisor::new(launch, root, child, orders) {
        Ok(supervisor) => supervisor.run(),
        Err(error) => {
            Tree::new(root).kill();
            return Err(system(error));
        }
    }
    Ok(())
}

/// Returns the end of a program that does not run because the OS refused something to us.
fn system(error: io::Error) -> ProcessEnd {
    ProcessEnd::System(error.to_string())
}

/// Makes this process the parent of orphaned descendants, and hides its open files from others.
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

/// Starts the program by way of a process that confines itself. Returns an error if it did not
/// start.
fn spawn(launch: &Launch) -> Result<Child, ProcessEnd> {
    let (mut status, sender) = io::pipe().map_err(system)?;
    let mut child = spawn_confined(launch, sender).map_err(system)?;
    // The other end is closed when the process has become the program, or has ended.
    let mut why = Vec::new();
    status.read_to_end(&mut why).map_err(system)?;
    if why.is_empty() {
        return Ok(child);
    }
    child.wait().map_err(system)?;
    Err(serde_json::from_slice(&why).unwrap_or_else(|error| system(error.into())))
}

/// Starts the process that confines itself. It writes to `status` if it cannot become the program.
fn spawn_confined(launch: &Launch, status: io::PipeWriter) -> io::Result<Child> {
    // Children inherit the copy. This process starts no other child.
    let status = nix::unistd::dup(status)?;
    let command = ConfinedCommand {
        words: launch.words.clone(),
        folder: launch.sandbox.then(|| launch.folder.clone()),
        memory: launch.memory,
        // A byte more, so that the size of a file shows that it exceeds the limit.
        output: launch.output.saturating_add(1),
        cpu: launch.cpu,
        supervisor: Pid::this().as_raw(),
        status_pipe: status.as_raw_fd(),
    };
    let stdout = match &launch.printed {
        Some(path) => File::create(path)?.into(),
        None => Stdio::piped(),
    };
    Command::new(supervised::own_program()?)
        .args([SUPERVISE, CONFINE, &serde_json::to_string(&command)?])
        .env("TMPDIR", &launch.folder)
        .stdin(if launch.keywords.is_some() { Stdio::piped() } else { Stdio::null() })
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

/// What the program may use in a turn.
#[derive(Clone, Copy, Debug, Default)]
struct TurnLimits {
    deadline: Option<Instant>,
    /// The CPU time of its life that the program may not exceed.
    cpu: Option<Duration>,
}

struct Supervisor {
    launch: Launch,
    /// Writes texts to the program.
    stdin: Option<SyncSender<String>>,
    tree: Tree,
    events: Receiver<Event>,
    has_host: bool,
    /// How many of standard output and standard error are open and read.
    streams: u32,
    relay: Relay,
    in_turn: bool,
    limits: TurnLimits,
    /// The CPU time at the end of the previous turn.
    cpu_before: Duration,
    /// When to kill a program that should end by itself, and what that end is called.
    last_moments: Option<(Instant, ProcessEnd)>,
    next_look: Instant,
    looks: u32,
}

impl Supervisor {
    fn new(
        launch: Launch,
        root: Pid,
        mut child: Child,
        orders: BufReader<io::Stdin>,
    ) -> io::Result<Supervisor> {
        let (sender, events): (SyncSender<Event>, _) = sync_channel(PENDING_EVENTS);
        let stdin = child.stdin.take().map(speak).transpose()?;
        let streams = u32::from(child.stdout.is_some()) + u32::from(child.stderr.is_some());
        follow(child, orders, launch.log.clone(), &sender)?;
        Ok(Supervisor {
            relay: Relay::new(launch.keywords.clone(), launch.output),
            launch,
            stdin,
            tree: Tree::new(root),
            events,
            has_host: true,
            streams,
            in_turn: false,
            limits: TurnLimits::default(),
            cpu_before: Duration::ZERO,
            last_moments: None,
            next_look: Instant::now(),
            looks: 0,
        })
    }

    /// Watches over the program until it ends, and leaves no process of it.
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
        // If this fails, the host is gone.
        let _ = report(&mut io::stdout(), &Report::Ended { end, cpu });
        self.wait_for_host();
    }

    /// Waits for the next event, and handles it.
    fn step(&mut self) -> Result<(), ProcessEnd> {
        let wakes = [Some(self.next_look), self.limits.deadline];
        let wakes = wakes.into_iter().flatten().chain(self.last_moments.iter().map(|last| last.0));
        let wait = wakes.min().map_or(TICK, |wake| wake.saturating_duration_since(Instant::now()));
        match self.events.recv_timeout(wait) {
            Ok(Event::Order(order)) => self.obey(order)?,
            Ok(Event::NoMoreOrders) | Err(RecvTimeoutError::Disconnected) => {
                self.has_host = false;
                return Err(ProcessEnd::Dismissed);
            }
            Ok(Event::Output(bytes)) => self.pass_on(&bytes)?,
            Ok(Event::NoMoreOutput) => {
                self.streams -= 1;
                // A program that ends closes its output just before.
                if self.launch.keywords.is_some() {
                    self.expect_end(ProcessEnd::ClosedOutput);
                }
            }
            Ok(Event::NoMoreErrors) => self.streams -= 1,
            Ok(Event::RootEnded) => self.tree.reap(),
            Err(RecvTimeoutError::Timeout) => {}
        }
        self.inspect()
    }

    fn obey(&mut self, order: Order) -> Result<(), ProcessEnd> {
        match order {
            Order::Start(_) => {}
            Order::Ask { text, wall, cpu } => {
                self.relay.begin_turn();
                self.in_turn = true;
                self.limits = TurnLimits {
                    deadline: Instant::now().checked_add(wall),
                    cpu: cpu.map(|cpu| self.cpu_before.saturating_add(cpu)),
                };
                self.say(text);
            }
            Order::EndTurn => {
                let cpu = self.tree.usage().cpu;
                self.check_cpu(cpu)?;
                self.in_turn = false;
                self.limits = TurnLimits::default();
                self.cpu_before = cpu;
                // If this fails, the host is gone, and an event tells so.
                let _ = report(&mut io::stdout(), &Report::Used(cpu));
            }
            Order::Dismiss { text } => {
                self.in_turn = false;
                self.limits = TurnLimits::default();
                self.say(text);
                self.stdin = None;
                self.expect_end(ProcessEnd::Dismissed);
            }
        }
        Ok(())
    }

    /// Writes a text to the program. A program that does not read will not answer either.
    fn say(&self, text: String) {
        if let Some(stdin) = &self.stdin {
            let _ = stdin.try_send(text);
        }
    }

    fn expect_end(&mut self, otherwise: ProcessEnd) {
        self.last_moments.get_or_insert_with(|| (Instant::now() + LAST_MOMENTS, otherwise));
    }

    fn pass_on(&mut self, bytes: &[u8]) -> Result<(), ProcessEnd> {
        for line in self.relay.take(bytes)? {
            let _ = report(&mut io::stdout(), &Report::Line(line));
        }
        Ok(())
    }

    /// Returns an error if the program has ended or must end.
    fn inspect(&mut self) -> Result<(), ProcessEnd> {
        if let Some(end) = self.tree.end() {
            return Err(end.clone());
        }
        let now = Instant::now();
        if let Some((when, end)) = &self.last_moments
            && now >= *when
        {
            return Err(end.clone());
        }
        if self.limits.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(ProcessEnd::WallLimit);
        }
        if now < self.next_look {
            return Ok(());
        }
        self.look()?;
        self.next_look = Instant::now() + if self.in_turn { TICK } else { SLOW_TICK };
        Ok(())
    }

    /// Checks what the processes use.
    fn look(&mut self) -> Result<(), ProcessEnd> {
        let usage = self.tree.usage();
        self.check_cpu(usage.cpu)?;
        if usage.processes > self.launch.processes {
            return Err(ProcessEnd::Processes);
        }
        let most = self.launch.memory;
        if usage.memory > most && Tree::exact_memory() > most {
            return Err(ProcessEnd::MemoryLimit);
        }
        self.looks = self.looks.wrapping_add(1);
        if self.looks.is_multiple_of(LOOKS_PER_FOLDER)
            && exceeds(&self.launch.folder, self.launch.output)
        {
            return Err(ProcessEnd::OutputLimit);
        }
        Ok(())
    }

    fn check_cpu(&self, used: Duration) -> Result<(), ProcessEnd> {
        let exceeded = self.limits.cpu.is_some_and(|limit| used > limit);
        if exceeded { Err(ProcessEnd::CpuLimit) } else { Ok(()) }
    }

    /// Passes on what the program printed before its end.
    fn drain(&mut self) -> Result<(), ProcessEnd> {
        while self.streams > 0 {
            match self.events.recv_timeout(LAST_MOMENTS) {
                Ok(Event::Output(bytes)) => self.pass_on(&bytes)?,
                Ok(Event::NoMoreOutput | Event::NoMoreErrors) => self.streams -= 1,
                Ok(Event::NoMoreOrders) => self.has_host = false,
                Ok(Event::Order(_) | Event::RootEnded) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Waits until the host has read everything and closes the pipe.
    fn wait_for_host(&mut self) {
        while self.has_host {
            let event = self.events.recv();
            self.has_host = !matches!(event, Ok(Event::NoMoreOrders) | Err(_));
        }
    }

    /// Returns how the program really ended: one that exceeds a limit may end by something else
    /// before the supervisor looks.
    fn verdict(&self, end: ProcessEnd) -> ProcessEnd {
        let by_itself = matches!(end, ProcessEnd::Exit(_) | ProcessEnd::Signal(_));
        if !by_itself {
            return end;
        }
        let failed = end != ProcessEnd::Exit(0);
        let output = matches!(&end, ProcessEnd::Signal(name) if name == Signal::SIGXFSZ.as_str());
        let cpu = matches!(&end, ProcessEnd::Signal(name) if name == Signal::SIGXCPU.as_str());
        if output || exceeds(&self.launch.folder, self.launch.output) {
            ProcessEnd::OutputLimit
        } else if failed && greatest_memory() > self.launch.memory {
            ProcessEnd::MemoryLimit
        } else if cpu || self.check_cpu(self.tree.cpu()).is_err() {
            ProcessEnd::CpuLimit
        } else {
            end
        }
    }
}
