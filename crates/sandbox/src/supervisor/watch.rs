//! A watch over one run of a program: its turns, its limits and its end.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::time::ClockId;

use crate::failure::ProcessEnd;
use crate::lateness::Lateness;
use crate::launch::{Launch, Leftovers, MOST_KEPT, Order, Report, report};
use crate::level::SandboxLevel;
use crate::start::Started;
use crate::supervisor::control::{Control, Usage};
use crate::supervisor::enclosure::Enclosure;
use crate::supervisor::relay::Relay;
use crate::supervisor::streams::{Event, Reading, RunEvent, follow, speak};
use crate::supervisor::tree::Tree;
use crate::system::processes::{Memory, are_at_rest, are_stopped, descendants};
use crate::system::waits::Waits;

/// The time between two looks at the processes in a turn.
const TICK: Duration = Duration::from_millis(10);
/// The time between two looks at the processes between turns.
const SLOW_TICK: Duration = Duration::from_millis(50);
/// The number of looks that come with one at the folder, and at the things that processes hold.
const LOOKS_PER_CLOSE_LOOK: u32 = 5;
/// The time until the next look at the waits, in units of that of the last: many threads take longer.
const BETWEEN_WAITS: u32 = 20;
/// The number of looks at a folder on a disk that come with one for which the program is stopped.
const CLOSE_LOOKS_PER_STOP: u32 = 10;
/// The CPU time that processes use before they stand still, at most.
const UNTIL_STILL: Duration = Duration::from_millis(30);
/// The time that a program has to end after it was dismissed, or has closed its output.
const LAST_MOMENTS: Duration = Duration::from_millis(500);
/// The time after the end of its input in which a program whose time is over may print what it has kept.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// The time to wait for something that the program has printed and that is not read yet, and the number of such
/// waits, at most.
const READ: Duration = Duration::from_millis(1);
const MOST_READS: u32 = 1000;

/// The limits of a turn.
#[derive(Clone, Copy, Debug, Default)]
struct TurnLimits {
    /// The wall time of the turn.
    wall: Duration,
    /// The time at which the turn is over, if others do not keep the program from running until then.
    deadline: Option<Instant>,
    /// The CPU time of its life that the program may not exceed.
    cpu: Option<Duration>,
}

/// One run of a program, from its start to its end.
pub(crate) struct Watch<'c> {
    sandbox: &'c Enclosure,
    launch: Launch,
    run: u32,
    /// Writes texts to the program.
    stdin: Option<SyncSender<String>>,
    tree: Tree,
    events: &'c Receiver<RunEvent>,
    has_host: bool,
    /// The number of streams, of standard output and standard error, that are open and read.
    streams: u32,
    relay: Relay,
    /// The beginning of what the program prints, if the host wants it.
    printed: Vec<u8>,
    in_turn: bool,
    /// If true, the supervisor has stopped the processes.
    is_frozen: bool,
    /// If true, none of them could let another go on since.
    is_at_rest: bool,
    /// The end of processes that run once more, after somebody else has let them go on.
    continued: Option<ProcessEnd>,
    /// If true, it has looked at them closely since.
    is_seen_frozen: bool,
    limits: TurnLimits,
    /// The CPU time at the end of the previous turn.
    cpu_before: Duration,
    /// The time at which to kill a program that should end by itself, and the name of that end.
    last_moments: Option<(Instant, ProcessEnd)>,
    reading: Reading,
    /// The end of a program whose time is over, unless the host has its answer.
    over: Option<ProcessEnd>,
    /// The end of a program whose time is over, whatever else ends it now.
    late: Option<ProcessEnd>,
    next_look: Instant,
    looks: u32,
    /// The memory that processes held at the last close look and that is part of none, in bytes.
    held: u64,
    /// The time from which the waits of the program are looked at again.
    next_waits: Instant,
    /// The waits of the program since the first look of the turn.
    waits: Option<Waits>,
    /// The time of the turn for which others kept the program from running.
    kept: Duration,
    /// The time by which this process has waked too late since the last look at the waits.
    lateness: Lateness,
    /// The time of the turn for which it did while the program did not run.
    overslept: Duration,
    /// The moment of the last look at the waits, and the CPU time by then.
    seen: (Instant, Duration),
    begun: Option<Instant>,
}

/// A run that is over.
pub(crate) struct Ended {
    /// The report to the host.
    pub(crate) report: Report,
    /// If true, there is a host to tell.
    pub(crate) has_host: bool,
}

impl<'c> Watch<'c> {
    /// Returns a watch over a child of this process.
    pub(crate) fn new(
        sandbox: &'c Enclosure,
        launch: Launch,
        run: u32,
        mut child: Started,
        control: Box<dyn Control>,
        sender: &SyncSender<RunEvent>,
        events: &'c Receiver<RunEvent>,
    ) -> io::Result<Watch<'c>> {
        let mut tree = Tree::new(child.pid, control);
        let stdin = child.stdin.take().map(speak).transpose();
        let streams = u32::from(child.stdout.is_some()) + u32::from(child.stderr.is_some());
        let (stdin, reading) = match (stdin, follow(child, run, &sandbox.log, sender)) {
            (Ok(stdin), Ok(reading)) => (stdin, reading),
            (Err(error), _) | (_, Err(error)) => {
                tree.kill();
                return Err(error);
            }
        };
        Ok(Watch {
            relay: Relay::new(launch.keywords.clone(), launch.asides.clone(), sandbox.plan.output),
            sandbox,
            launch,
            run,
            stdin,
            tree,
            events,
            has_host: true,
            streams,
            printed: Vec::new(),
            in_turn: false,
            is_frozen: false,
            is_at_rest: false,
            continued: None,
            is_seen_frozen: false,
            limits: TurnLimits::default(),
            cpu_before: Duration::ZERO,
            last_moments: None,
            reading,
            over: None,
            late: None,
            // At once there is nothing to be seen, and many a program is done by then.
            next_look: Instant::now() + TICK,
            looks: 0,
            held: 0,
            next_waits: Instant::now(),
            waits: None,
            kept: Duration::ZERO,
            lateness: Lateness::default(),
            overslept: Duration::ZERO,
            seen: (Instant::now(), Duration::ZERO),
            begun: None,
        })
    }

    /// Watches over the program until it ends, and leaves no process of it.
    pub(crate) fn run(mut self) -> Ended {
        let end = loop {
            if let Err(end) = self.step() {
                break end;
            }
        };
        self.stdin = None;
        // Processes that are many or large need a while to end. If this fails, the host is gone.
        let _ = report(&Report::Ending);
        self.tree.kill();
        let end = self.drain().err().unwrap_or(end);
        let end = self.late.take().unwrap_or_else(|| self.verdict(end));
        let left = Leftovers {
            output: self.launch.output.and_then(|most| self.sandbox.output(most)),
            printed: self.printed,
            errors: self.sandbox.log.take_beginning(),
            unfinished: self.relay.unfinished().to_vec(),
            unheard: self.relay.unheard().to_vec(),
        };
        Ended {
            report: Report::Ended {
                end,
                cpu: self.tree.cpu(),
                kept: self.kept + self.overslept,
                left,
            },
            has_host: self.has_host,
        }
    }

    /// Waits for the next event, and handles it.
    fn step(&mut self) -> Result<(), ProcessEnd> {
        let wakes = [Some(self.next_look), self.limits.deadline];
        let wakes = wakes.into_iter().flatten().chain(self.last_moments.iter().map(|last| last.0));
        let wait = wakes.min().map_or(TICK, |wake| wake.saturating_duration_since(Instant::now()));
        let events = self.events;
        match self.lateness.wait(wait, |time| events.recv_timeout(time)) {
            Ok(event) => self.handle(event)?,
            Err(RecvTimeoutError::Disconnected) => return Err(self.lose_host()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        self.inspect()
    }

    fn handle(&mut self, (run, event): RunEvent) -> Result<(), ProcessEnd> {
        // Something that a program of an earlier run did.
        if run != 0 && run != self.run {
            return Ok(());
        }
        match event {
            Event::Order(order) => self.obey(order)?,
            Event::NoMoreOrders => return Err(self.lose_host()),
            Event::Output(bytes) => self.pass_on(&bytes)?,
            Event::NoMoreOutput => {
                self.streams -= 1;
                // A program that ends closes its output just before.
                if self.launch.keywords.is_some() {
                    self.expect_end(ProcessEnd::ClosedOutput);
                }
            }
            Event::NoMoreErrors => self.streams -= 1,
            Event::RootEnded => self.tree.reap(),
        }
        Ok(())
    }

    fn lose_host(&mut self) -> ProcessEnd {
        self.has_host = false;
        ProcessEnd::Dismissed
    }

    fn obey(&mut self, order: Order) -> Result<(), ProcessEnd> {
        match order {
            Order::Build(_) | Order::Start(_) => {}
            Order::Ask { text, wall, cpu } => {
                self.relay.begin_turn();
                self.in_turn = true;
                self.begun = Some(Instant::now());
                (self.waits, self.kept) = (None, Duration::ZERO);
                self.over = None;
                (self.lateness, self.overslept) = (Lateness::default(), Duration::ZERO);
                self.seen = (Instant::now(), self.cpu_before);
                self.next_waits = Instant::now();
                self.resume();
                self.limits = TurnLimits {
                    wall,
                    deadline: Instant::now().checked_add(wall),
                    cpu: cpu.map(|cpu| self.cpu_before.saturating_add(cpu)),
                };
                self.say(text);
            }
            Order::NotAnswered => {
                if let Some(end) = self.over.take() {
                    self.hear_last_words(end)?;
                }
            }
            Order::EndTurn => {
                self.over = None;
                if self.freezes() {
                    self.tree.freeze();
                    (self.is_frozen, self.is_seen_frozen) = (true, false);
                }
                let usage = self.tree.usage();
                self.continued = None;
                self.is_at_rest = self.is_frozen && are_at_rest(&descendants());
                if self.in_turn && self.lateness.so_far() > TICK {
                    self.see_waits(usage);
                }
                self.check_usage(usage)?;
                self.in_turn = false;
                self.limits = TurnLimits::default();
                self.cpu_before = usage.cpu;
                if self.is_frozen {
                    // Before the rival's turn, for its program may share the core.
                    self.look_closely(usage)?;
                }
                // If this fails, the host is gone, and an event tells so.
                let kept = self.kept + self.overslept;
                let _ = report(&Report::Used { cpu: usage.cpu, kept });
            }
            Order::Dismiss { text } => {
                self.in_turn = false;
                self.limits = TurnLimits::default();
                self.resume();
                self.say(text);
                self.stdin = None;
                self.expect_end(ProcessEnd::Dismissed);
            }
        }
        Ok(())
    }

    /// Returns whether the program stands still when it is not its turn. Without a sandbox, that would not
    /// be certain.
    fn freezes(&self) -> bool {
        !self.sandbox.plan.ponder && self.sandbox.plan.level > SandboxLevel::None
    }

    /// Lets the program go on, if it stands still for us. One that has stopped itself stays so.
    fn resume(&mut self) {
        if std::mem::take(&mut self.is_frozen) {
            self.tree.resume();
        }
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
        if let Some(most) = self.launch.printed {
            let room = usize::try_from(most).unwrap_or(usize::MAX) - self.printed.len();
            self.printed.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        for line in self.relay.take(bytes)? {
            let _ = report(&Report::Line(line));
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
            return self.end_of_time();
        }
        if now < self.next_look {
            return Ok(());
        }
        self.look()?;
        // By chance, so that a program cannot be ready to run just when it is looked at.
        let tick = if self.in_turn { TICK } else { SLOW_TICK };
        self.next_look = Instant::now() + tick.mul_f32(0.5 + fastrand::f32());
        Ok(())
    }

    /// Ends the turn of a program whose time is over, if it has really had that time, and asks the host first
    /// whether it has the answer: the program is not late by the time that it takes to read that.
    fn end_of_time(&mut self) -> Result<(), ProcessEnd> {
        self.read_all()?;
        // The host may have ended the turn just now.
        if self.limits.deadline.is_none() {
            return Ok(());
        }
        let Err(end) = self.time_is_over() else { return Ok(()) };
        if let Some(end) = self.tree.end() {
            return Err(end.clone());
        }
        if self.launch.keywords.is_none() {
            return Err(end);
        }
        self.relay.end();
        self.limits.deadline = None;
        self.over = Some(end);
        // If this fails, the host is gone, and an event tells so.
        let _ = report(&Report::TimeOver);
        Ok(())
    }

    /// Passes on everything that the program has printed by now.
    fn read_all(&mut self) -> Result<(), ProcessEnd> {
        for _ in 0..MOST_READS {
            let (is_done, events) = (self.reading.is_done(), self.events);
            let time = if is_done { Duration::ZERO } else { READ };
            match self.lateness.wait(time, |time| events.recv_timeout(time)) {
                Ok(event) => self.handle(event)?,
                Err(_) if is_done => break,
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Ends the input of a program whose time is over, and gives it a moment. One that has not flushed its
    /// answer prints it then, which tells its author more than the limit does.
    fn hear_last_words(&mut self, end: ProcessEnd) -> Result<(), ProcessEnd> {
        if end != ProcessEnd::WallLimit {
            return Err(end);
        }
        self.stdin = None;
        self.late = Some(end.clone());
        self.last_moments = Some((Instant::now() + LAST_WORDS, end));
        Ok(())
    }

    /// Gives a program whose time is over the time for which it was kept from running, and returns an error
    /// when that is used up.
    fn time_is_over(&mut self) -> Result<(), ProcessEnd> {
        let usage = self.tree.usage();
        self.see_waits(usage);
        let wall = self.limits.wall;
        let most = wall.saturating_mul(MOST_KEPT);
        let extended = wall.saturating_add(self.kept.min(most)).saturating_add(self.overslept);
        let deadline = self.begun.and_then(|begun| begun.checked_add(extended));
        if deadline.is_none_or(|deadline| Instant::now() < deadline) {
            self.limits.deadline = deadline;
            return Ok(());
        }
        Err(if self.kept > most { ProcessEnd::Starved(self.kept) } else { ProcessEnd::WallLimit })
    }

    /// Sees how long others have kept the program from running in this turn.
    fn see_waits(&mut self, usage: Usage) {
        let (at, cpu) = (Instant::now(), usage.cpu + usage.unseen);
        let (processes, spent, before) = (Tree::processes(), cpu + own_cpu(), self.kept);
        match &mut self.waits {
            None => self.waits = Some(Waits::from_now(&processes, at, spent)),
            Some(waits) => self.kept = self.kept.max(waits.for_others(&processes, at, spent)),
        }
        // What the program did meanwhile may be the reason for which this process waked late, and no time
        // counts twice.
        let (seen, ran) = (self.seen.0, cpu.saturating_sub(self.seen.1));
        let late = self.lateness.take().saturating_sub(ran);
        let rest = at.saturating_duration_since(seen).saturating_sub(ran + (self.kept - before));
        self.overslept += late.min(rest);
        self.seen = (at, cpu);
        self.next_waits = Instant::now() + at.elapsed() * BETWEEN_WAITS;
    }

    /// Checks the use of resources by the processes. Those that stand still use no others than before.
    fn look(&mut self) -> Result<(), ProcessEnd> {
        if self.is_frozen && self.is_seen_frozen && !self.tree.has_run() {
            return Ok(());
        }
        let usage = self.tree.usage();
        self.check_usage(usage)?;
        if self.is_frozen && usage.cpu > self.cpu_before + UNTIL_STILL {
            return self.stop_again();
        }
        self.looks = self.looks.wrapping_add(1);
        if self.in_turn && Instant::now() >= self.next_waits {
            self.see_waits(usage);
        }
        if self.is_frozen || self.is_close_look_due() {
            self.look_closely(usage)
        } else {
            self.look_at_memory(usage)
        }
    }

    /// Stops processes that ran although they had to stand still.
    ///
    /// If all of them were at rest, neither they nor this process have let them go on: no call that would do so
    /// later is allowed. Somebody has continued all processes of the computer, or of a job. That is no fault of
    /// the program, but the game is not to be trusted if it happens again.
    fn stop_again(&mut self) -> Result<(), ProcessEnd> {
        if !std::mem::take(&mut self.is_at_rest) {
            return Err(self.continued.take().unwrap_or(ProcessEnd::NotStill));
        }
        self.tree.freeze();
        self.cpu_before = self.tree.usage().cpu;
        self.is_seen_frozen = false;
        let why = "something outside has let a program go on that stood still, again and again";
        let again = ProcessEnd::System(why.to_owned());
        self.continued = are_at_rest(&descendants()).then_some(again);
        Ok(())
    }

    fn is_close_look_due(&self) -> bool {
        self.looks.is_multiple_of(LOOKS_PER_CLOSE_LOOK)
    }

    /// Checks the number of processes, and what they occupy.
    fn look_at_memory(&self, usage: Usage) -> Result<(), ProcessEnd> {
        let plan = &self.sandbox.plan;
        if usage.processes > plan.processes {
            return Err(ProcessEnd::Processes);
        }
        match self.tree.memory(plan.memory, self.held, &self.sandbox.looker) {
            Memory::Fits => Ok(()),
            Memory::Exceeds => Err(ProcessEnd::MemoryLimit),
            Memory::Unknown => Err(ProcessEnd::Hidden),
        }
    }

    /// Checks that as well, and what they hold that is part of none, and the folder.
    fn look_closely(&mut self, usage: Usage) -> Result<(), ProcessEnd> {
        self.look_at_memory(usage)?;
        let held = self.sandbox.held(Tree::processes()).ok_or(ProcessEnd::Hidden)?;
        self.held = held.kernel;
        self.is_seen_frozen = self.is_frozen;
        if self.is_folder_full(held.deleted) {
            return Err(ProcessEnd::OutputLimit);
        }
        Ok(())
    }

    /// Returns whether the folder holds too much. A program can hide files from a look by moving them
    /// meanwhile. If it moves some, and once in a while in any case, it stands still for a second look.
    fn is_folder_full(&self, deleted: u64) -> bool {
        let is_full = self.sandbox.is_folder_full(deleted);
        let is_certain = is_full.is_some() && fastrand::u32(..CLOSE_LOOKS_PER_STOP) > 0;
        let counts = self.sandbox.plan.level == SandboxLevel::User;
        let is_still = self.is_frozen || are_stopped(&descendants());
        if is_full == Some(true) || is_certain || is_still || !counts {
            return is_full == Some(true);
        }
        self.tree.freeze();
        let is_full = self.sandbox.is_folder_full(deleted);
        self.tree.resume();
        is_full == Some(true)
    }

    fn check_usage(&self, usage: Usage) -> Result<(), ProcessEnd> {
        if usage.is_hidden {
            return Err(ProcessEnd::Hidden);
        }
        self.check_cpu(usage.cpu)
    }

    fn check_cpu(&self, used: Duration) -> Result<(), ProcessEnd> {
        let exceeded = self.limits.cpu.is_some_and(|limit| used > limit);
        if exceeded { Err(ProcessEnd::CpuLimit) } else { Ok(()) }
    }

    /// Passes on what the program printed before its end.
    fn drain(&mut self) -> Result<(), ProcessEnd> {
        while self.streams > 0 {
            match self.events.recv_timeout(LAST_MOMENTS) {
                Ok((run, _)) if run != 0 && run != self.run => {}
                Ok((_, Event::Output(bytes))) => self.pass_on(&bytes)?,
                Ok((_, Event::NoMoreOutput | Event::NoMoreErrors)) => self.streams -= 1,
                Ok((_, Event::NoMoreOrders)) => self.has_host = false,
                Ok((_, Event::Order(_) | Event::RootEnded)) => {}
                Err(_) => break,
            }
        }
        Ok(())
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
        if output || self.sandbox.is_folder_full(0) == Some(true) {
            ProcessEnd::OutputLimit
        } else if failed && self.tree.greatest_memory() > self.sandbox.plan.memory {
            ProcessEnd::MemoryLimit
        } else if let Some(limit) = failed.then(|| self.tree.broken_limit()).flatten() {
            limit
        } else if cpu || self.check_cpu(self.tree.cpu()).is_err() {
            ProcessEnd::CpuLimit
        } else {
            end
        }
    }
}

/// Returns the CPU time of this process.
fn own_cpu() -> Duration {
    ClockId::CLOCK_PROCESS_CPUTIME_ID.now().map_or(Duration::ZERO, Duration::from)
}
