//! A watch over one run of a program: its turns, its limits and its end.

use std::io;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::Signal;

use crate::failure::ProcessEnd;
use crate::folder::Fullness;
use crate::launch::{LAST_MOMENTS, Launch, Leftovers, Order, Report, line_of, write};
use crate::limits::SandboxLevel;
use crate::looker::Motion;
use crate::start::Started;
use crate::supervisor::control::{Control, Usage};
use crate::supervisor::enclosure::Enclosure;
use crate::supervisor::relay::Relay;
use crate::supervisor::streams::{Event, Streams, Typing, has_room, mention, note_wait, speak};
use crate::supervisor::tree::{Looks, Tree};
use crate::supervisor::turn_clock::{TurnClock, own_cpu};
use crate::system::processes::{are_at_rest, descendants, motion};

/// The time between two looks at the processes in a turn.
const TICK: Duration = Duration::from_millis(10);
/// The time between two looks at the processes between turns.
const SLOW_TICK: Duration = Duration::from_millis(50);
/// The most CPU time that processes use before they stand still.
const UNTIL_STILL: Duration = Duration::from_millis(30);
/// The time after the end of its input in which a program whose time is over may print its buffered output.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// The CPU time that stopped processes may use before the next close look at them.
const AWAKE: Duration = Duration::from_millis(1);

/// The time between two turns that is not charged to the program: much more than looks at an honest program take,
/// or the program until it stands still.
const FREE: Duration = Duration::from_millis(100);

/// One run of a program, from its start to its end.
pub(crate) struct Watch<'c> {
    sandbox: &'c Enclosure,
    launch: Launch,
    stdin: Option<SyncSender<String>>,
    /// The lines that a person types, if there is one.
    typing: Option<Typing>,
    streams: &'c mut Streams,
    has_host: bool,
    relay: Relay,
    /// The beginning of the standard output, if the host wants it.
    printed: Vec<u8>,
    in_turn: bool,
    /// If true, the supervisor has stopped the processes.
    is_frozen: bool,
    /// If true, all processes are stopped or dead since then, so none could resume another.
    is_at_rest: bool,
    /// The end of the program if its processes run once more after an outside process has resumed them.
    continued: Option<ProcessEnd>,
    /// The CPU time at the last close look since the processes were stopped.
    seen_frozen: Option<Duration>,
    clock: TurnClock,
    /// The CPU time of its life that the program may not exceed.
    most_cpu: Option<Duration>,
    /// The CPU time at the end of the previous turn.
    cpu_before: Duration,
    /// The wall time of the turn when the host was told the last line, and the CPU time by the clock then.
    last_line: Option<(Duration, Option<Duration>)>,
    /// The time since the turn that the program has made long: that of looks, and that of its own work until it
    /// stands still.
    held_up: Duration,
    /// The CPU time that is not charged, because it was used between an answer and the end of the turn.
    spared: Duration,
    /// The time at which to kill a program that should end by itself, and the name of that end.
    last_moments: Option<(Instant, ProcessEnd)>,
    /// The end of a program that has had all its time in this turn.
    overdue: Option<ProcessEnd>,
    /// If true, an overdue program stands still until the host reads.
    awaits_host: bool,
    /// The end of a program whose time is over, unless the host has its answer.
    over: Option<ProcessEnd>,
    /// The end of a program whose time is over, whatever else ends it now.
    late: Option<ProcessEnd>,
    next_look: Instant,
    looks: Looks<'c>,
}

impl<'c> Watch<'c> {
    pub(crate) fn new(
        sandbox: &'c Enclosure,
        launch: Launch,
        mut child: Started,
        control: Control,
        streams: &'c mut Streams,
    ) -> io::Result<Watch<'c>> {
        let mut tree = Tree::new(child.pid, control);
        let typing = launch.typed.as_ref().zip(child.stdin.take_if(|_| launch.typed.is_some()));
        let typing = typing.map(|(typed, stdin)| Typing::new(stdin, typed)).transpose();
        let typing = typing.inspect_err(|_| tree.kill(&mut |_| ()))?;
        let stdin = child.stdin.take().map(speak).transpose();
        let stdin = stdin.inspect_err(|_| tree.kill(&mut |_| ()))?;
        streams.follow(&mut child, &sandbox.log);
        Ok(Watch {
            relay: Relay::new(launch.keywords.clone(), launch.asides.clone(), sandbox.plan.output),
            sandbox,
            launch,
            stdin,
            typing,
            streams,
            has_host: true,
            printed: Vec::new(),
            in_turn: false,
            is_frozen: false,
            is_at_rest: false,
            continued: None,
            seen_frozen: None,
            clock: TurnClock::new(Duration::ZERO),
            most_cpu: None,
            cpu_before: Duration::ZERO,
            last_line: None,
            held_up: Duration::ZERO,
            spared: Duration::ZERO,
            last_moments: None,
            overdue: None,
            awaits_host: false,
            over: None,
            late: None,
            // The first look waits for a tick, because many programs are done by then.
            next_look: Instant::now() + TICK,
            looks: Looks::new(sandbox, tree),
        })
    }

    /// Watches over the program until it ends, and leaves no process of it. Returns the report to the host, and true if
    /// there still is a host.
    pub(crate) fn run(mut self) -> (Report, bool) {
        let end = loop {
            if let Err(end) = self.step() {
                break end;
            }
        };
        self.see_lateness();
        self.clock.stop(None);
        self.stdin = None;
        // The host must be patient, because many or large processes need a while to end.
        mention(&Report::Ending { end: self.late.as_ref().unwrap_or(&end).clone() });
        // The death of a program that answers by files is a part of its turn if it waits for the disk.
        let (taken, wall, mut blocked) = (self.clock.taken(), self.clock.wall, Duration::ZERO);
        let mut is_over = false;
        let is_talk = self.launch.keywords.is_some();
        self.looks.tree.kill(&mut |waited| {
            blocked += waited;
            if !is_over && !is_talk && taken.saturating_add(blocked) > wall {
                is_over = true;
                mention(&Report::Ending { end: ProcessEnd::WallLimit });
            }
        });
        let end = if is_over { ProcessEnd::WallLimit } else { end };
        let end = self.drain().err().unwrap_or(end);
        let end = self.late.take().unwrap_or_else(|| self.verdict(end));
        let most = self.launch.file_bytes;
        let names = &self.launch.files;
        let files: Vec<_> = names.iter().map(|name| self.sandbox.file(name, most)).collect();
        let lacks_one = files.iter().any(Option::is_none);
        let left = Leftovers {
            other_file: lacks_one.then(|| self.sandbox.other_file(&self.launch)).flatten(),
            files,
            printed: self.printed,
            read_lines: self.typing.as_ref().map_or(0, Typing::read),
            errors: self.sandbox.log.take_parts(),
            unfinished: self.relay.unfinished().to_vec(),
            unheard: self.relay.unheard().to_vec(),
        };
        let cpu = self.looks.tree.cpu.saturating_sub(self.spared);
        (Report::Ended { end, cpu, wall: self.clock.taken(), blocked, left }, self.has_host)
    }

    fn step(&mut self) -> Result<(), ProcessEnd> {
        let wakes = [Some(self.next_look), self.clock.deadline];
        let wakes = wakes.into_iter().flatten().chain(self.last_moments.iter().map(|last| last.0));
        let wait = wakes.min().map_or(TICK, |wake| wake.saturating_duration_since(Instant::now()));
        let streams = &mut *self.streams;
        if let Some(event) = self.clock.wait(wait, |time| streams.next(Some(time))) {
            self.handle(event)?;
        }
        self.inspect()
    }

    fn handle(&mut self, event: Event) -> Result<(), ProcessEnd> {
        match event {
            Event::Order(order) => self.obey(order)?,
            Event::NoMoreOrders => {
                self.has_host = false;
                return Err(ProcessEnd::Dismissed);
            }
            Event::Output(bytes) => self.pass_on(&bytes)?,
            // A program that ends closes its output just before.
            Event::NoMoreOutput if self.launch.keywords.is_some() => {
                self.expect_end(ProcessEnd::ClosedOutput);
            }
            Event::NoMoreOutput | Event::NoMoreErrors => {}
            Event::RootEnded => self.looks.tree.reap(),
        }
        Ok(())
    }

    fn obey(&mut self, order: Order) -> Result<(), ProcessEnd> {
        match order {
            Order::Build(_) | Order::Start(_) => {}
            Order::Ask { text, wall, cpu } => {
                self.relay.begin_turn();
                self.in_turn = true;
                note_wait(true);
                (self.overdue, self.over, self.last_line) = (None, None, None);
                self.resume();
                let held_up = std::mem::take(&mut self.held_up).saturating_sub(FREE);
                self.clock = TurnClock::of_turn(wall, held_up, self.cpu_before);
                self.most_cpu = cpu.map(|cpu| self.cpu_before.saturating_add(cpu));
                self.say(text);
            }
            Order::NotAnswered => {
                if let Some(end) = self.over.take() {
                    self.hear_last_words(end)?;
                }
            }
            Order::EndTurn => {
                self.over = None;
                let (taken, at) = self.last_line.take().unzip();
                self.clock.stop(taken);
                self.bound_looks();
                if self.freezes() {
                    // In its turn, a wait for the disk would be the program's own time, too. Until the wait is over,
                    // the rival would have to share the disk.
                    let blocked = self.looks.freeze(self.clock.wall)?;
                    if blocked >= self.clock.wall {
                        return Err(ProcessEnd::WallLimit);
                    }
                    self.held_up += blocked;
                    (self.is_frozen, self.seen_frozen) = (true, None);
                }
                let usage = self.looks.tree.usage();
                self.continued = None;
                self.is_at_rest = self.is_frozen && are_at_rest(&descendants());
                // The order comes a while after the answer. The program is not charged with the little CPU
                // time that it uses meanwhile, but a program that uses more is charged with the excess: a long
                // call of the kernel puts off the stop.
                let used = self
                    .looks
                    .tree
                    .control
                    .clock()
                    .zip(at.flatten())
                    .map_or(Duration::ZERO, |(now, at)| now.saturating_sub(at));
                let late = used.min(UNTIL_STILL);
                if self.is_frozen {
                    self.held_up += used - late;
                }
                self.check_cpu(usage.cpu.saturating_sub(late))?;
                self.spared += late;
                self.end_limits();
                self.cpu_before = usage.cpu;
                if self.is_frozen {
                    // The look comes before the rival's turn, because the rival's program may share the core.
                    self.look_while_frozen(usage)?;
                }
                let cpu = usage.cpu.saturating_sub(self.spared);
                self.tell(&Report::Used { cpu, wall: self.clock.taken() })?;
                note_wait(false);
            }
            Order::Dismiss { text } => {
                self.end_limits();
                self.resume();
                self.say(text);
                self.stdin = None;
                self.expect_end(ProcessEnd::Dismissed);
            }
        }
        Ok(())
    }

    fn end_limits(&mut self) {
        (self.in_turn, self.most_cpu) = (false, None);
        self.clock.stop(None);
    }

    /// Returns true if the program stands still between its turns. Without a sandbox, that would not be
    /// certain.
    fn freezes(&self) -> bool {
        !self.sandbox.plan.ponder && self.sandbox.plan.level > SandboxLevel::None
    }

    /// Resumes the program, if the supervisor has stopped it. A program that has stopped itself stays
    /// stopped.
    fn resume(&mut self) {
        if std::mem::take(&mut self.is_frozen) {
            self.looks.tree.control.resume();
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
        self.typing.iter_mut().for_each(Typing::hear);
        if let Some(most) = self.launch.printed {
            let room = usize::try_from(most).unwrap_or(usize::MAX) - self.printed.len();
            self.printed.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        let lines = self.relay.take(bytes)?;
        if !lines.is_empty() {
            self.see_lateness();
            self.last_line = Some((self.clock.taken(), self.looks.tree.control.clock()));
        }
        for line in lines {
            // Between turns the host does not listen.
            let line = Report::Line(line);
            if self.in_turn { self.tell(&line)? } else { mention(&line) }
        }
        Ok(())
    }

    /// Sends a report that the host waits for. If the host is stopped, the limits hold meanwhile: a program
    /// that exceeds a limit is killed before the host reads the report, and a program whose time is over
    /// stands still until then.
    fn tell(&mut self, told: &Report) -> Result<(), ProcessEnd> {
        let Ok(line) = line_of(told) else { return Ok(()) };
        let mut end = None;
        // No other report comes between the parts of this one.
        let waits = note_wait(false);
        for part in line.as_bytes().chunks(libc::PIPE_BUF) {
            while end.is_none() && !has_room(TICK) {
                end = self.look().err();
                if end.is_none()
                    && !self.awaits_host
                    && self.sandbox.plan.level > SandboxLevel::None
                    && self.time_over().is_some()
                {
                    self.awaits_host = true;
                    self.bound_looks();
                    end = self.looks.freeze(Duration::ZERO).err();
                }
                if end.is_some() {
                    self.looks.tree.kill(&mut |_| ());
                }
            }
            // If this fails, the host is gone, and an event tells so.
            let _ = write(part);
        }
        note_wait(waits);
        if std::mem::take(&mut self.awaits_host) {
            self.looks.tree.control.resume();
        }
        end.map_or(Ok(()), Err)
    }

    /// Measures how late this process was, if that matters to the wall time of the turn.
    fn see_lateness(&mut self) {
        if self.in_turn && self.clock.lateness() > TICK {
            let usage = self.looks.tree.usage();
            self.clock.look(usage);
        }
    }

    /// Returns the end of a program whose time is over, if it has really had that time.
    fn time_over(&mut self) -> Option<ProcessEnd> {
        self.clock.deadline.filter(|&deadline| Instant::now() >= deadline)?;
        if self.overdue.is_none() {
            let usage = self.looks.tree.usage();
            self.clock.look(usage);
            self.overdue = self.clock.extend().err();
        }
        self.overdue.clone()
    }

    /// Returns an error if the program has ended or must end.
    fn inspect(&mut self) -> Result<(), ProcessEnd> {
        if let Some(end) = &self.looks.tree.end {
            return Err(end.clone());
        }
        let now = Instant::now();
        if let Some((when, end)) = &self.last_moments
            && now >= *when
        {
            return Err(end.clone());
        }
        if self.clock.deadline.is_some_and(|deadline| now >= deadline) {
            return self.end_of_time();
        }
        if now < self.next_look {
            return Ok(());
        }
        self.look()?;
        if let Some(typing) = &mut self.typing {
            typing.go_on(motion(&descendants()) == Motion::Still);
        }
        // The time is random, so that a program cannot be ready to run just when a look comes.
        let tick = if self.in_turn { TICK } else { SLOW_TICK };
        self.next_look = Instant::now() + tick.mul_f32(0.5 + fastrand::f32());
        Ok(())
    }

    /// Ends the turn of a program whose time is over, if it has really had that time. Asks the host first for
    /// an answer among the lines before, because the time that the host takes to read must not make the
    /// program late.
    fn end_of_time(&mut self) -> Result<(), ProcessEnd> {
        for _ in 0..self.streams.gather() {
            let event = self.streams.next(Some(Duration::ZERO));
            event.map_or(Ok(()), |event| self.handle(event))?;
        }
        // The host may have ended the turn just now.
        let Some(end) = self.time_over() else { return Ok(()) };
        if let Some(end) = &self.looks.tree.end {
            return Err(end.clone());
        }
        if self.launch.keywords.is_none() {
            return Err(end);
        }
        self.relay.is_over = true;
        self.clock.stop(None);
        self.over = Some(end);
        self.tell(&Report::TimeOver)
    }

    /// Ends the input of a program that waits although its time is over, and gives it a moment. A program that has not
    /// flushed its answer prints the answer then, which tells the author more than the limit does. A program at work
    /// has no answer yet, and neither has one that had used up its time before it was asked.
    fn hear_last_words(&mut self, end: ProcessEnd) -> Result<(), ProcessEnd> {
        let had_all = self.clock.used.is_zero();
        if end != ProcessEnd::WallLimit || !had_all || motion(&descendants()) != Motion::Still {
            return Err(end);
        }
        self.relay.keeps_late = true;
        self.stdin = None;
        self.late = Some(end.clone());
        self.last_moments = Some((Instant::now() + LAST_WORDS, end));
        Ok(())
    }

    /// Checks the use of resources by the processes, unless they have stood still since the last check.
    fn look(&mut self) -> Result<(), ProcessEnd> {
        if self.is_frozen && self.seen_frozen.is_some() && !self.looks.tree.control.has_run() {
            return Ok(());
        }
        if self.looks.tree.has_more_than(self.sandbox.plan.processes) {
            return Err(ProcessEnd::Processes);
        }
        let (waited, used) = (self.sandbox.time_of_looks(), own_cpu());
        let usage = self.looks.tree.usage();
        self.check_cpu(usage.cpu)?;
        if self.is_frozen && usage.cpu > self.cpu_before + UNTIL_STILL {
            return self.stop_again();
        }
        if self.in_turn && Instant::now() >= self.clock.next_waits {
            self.clock.look(usage);
        }
        let found = if self.is_frozen {
            self.look_while_frozen(usage)
        } else {
            self.bound_looks();
            self.looks.take(usage, self.awaits_host)
        };
        let used = own_cpu().saturating_sub(used);
        self.clock.has_looked(self.sandbox.time_of_looks() - waited, used);
        found
    }

    /// Bounds the next looks by the end of the present turn. Looks have no bound between turns, or while a
    /// program whose turn is over stands still.
    fn bound_looks(&self) {
        self.sandbox.leave_looks_at(self.clock.deadline.filter(|_| !self.awaits_host));
    }

    /// Looks closely at processes that stand still, unless they have used next to no CPU time since the last
    /// such look. A timer may wake each of them for a moment in the kernel, and a look takes time from a
    /// rival.
    fn look_while_frozen(&mut self, usage: Usage) -> Result<(), ProcessEnd> {
        if self.seen_frozen.is_some_and(|seen| usage.cpu.saturating_sub(seen) < AWAKE) {
            return Ok(());
        }
        self.bound_looks();
        let (before, given_up) = (self.sandbox.time_of_process_looks(), self.looks.given_up.get());
        self.looks.take_close(usage, true)?;
        // Others have made a look long that is given up, and the disk one at the folder.
        if self.looks.given_up.get() <= given_up {
            self.held_up += self.sandbox.time_of_process_looks() - before;
        }
        self.seen_frozen = Some(usage.cpu);
        Ok(())
    }

    /// Stops processes that ran although they had to stand still.
    ///
    /// If all processes were at rest, neither they nor this process have resumed them, because no call that
    /// would do so later is allowed. Then a process outside has resumed all processes of the computer or of a
    /// job. The program is not to blame, but the game cannot be trusted if this happens again.
    fn stop_again(&mut self) -> Result<(), ProcessEnd> {
        if !std::mem::take(&mut self.is_at_rest) {
            return Err(self.continued.take().unwrap_or(ProcessEnd::NotStill));
        }
        self.looks.freeze(Duration::ZERO)?;
        self.cpu_before = self.looks.tree.usage().cpu;
        self.seen_frozen = None;
        let why = "an outside process has resumed a stopped program again and again";
        let again = ProcessEnd::System(why.to_owned());
        self.continued = are_at_rest(&descendants()).then_some(again);
        Ok(())
    }

    fn check_cpu(&self, used: Duration) -> Result<(), ProcessEnd> {
        let exceeded = self.most_cpu.is_some_and(|limit| used > limit);
        if exceeded { Err(ProcessEnd::CpuLimit) } else { Ok(()) }
    }

    /// Passes on the output that the program printed before its end.
    fn drain(&mut self) -> Result<(), ProcessEnd> {
        while self.streams.are_open() {
            match self.streams.next(Some(LAST_MOMENTS)) {
                Some(Event::Output(bytes)) => self.pass_on(&bytes)?,
                Some(Event::NoMoreOrders) => self.has_host = false,
                Some(_) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Returns the true end of the program: a program that exceeds a limit may end in another way before the
    /// supervisor looks.
    fn verdict(&self, end: ProcessEnd) -> ProcessEnd {
        let by_itself = matches!(end, ProcessEnd::Exit(_) | ProcessEnd::Signal(_));
        if !by_itself {
            return end;
        }
        let failed = end != ProcessEnd::Exit(0);
        let output = matches!(&end, ProcessEnd::Signal(name) if name == Signal::SIGXFSZ.as_str());
        // Without a limit, the program has sent itself the signal.
        let cpu = self.launch.cpu.is_some()
            && matches!(&end, ProcessEnd::Signal(name) if name == Signal::SIGXCPU.as_str());
        // The turn may be over, but this look at the files must not be left.
        self.sandbox.leave_no_look();
        let is_full = matches!(self.sandbox.fullness(0), Fullness::Exceeds | Fullness::Unknown);
        if output || is_full {
            ProcessEnd::OutputLimit
        } else if failed && self.looks.tree.greatest_memory > self.sandbox.plan.memory {
            ProcessEnd::MemoryLimit
        } else if let Some(limit) = failed.then(|| self.looks.tree.control.broken_limit()).flatten()
        {
            limit
        } else if cpu || self.check_cpu(self.looks.tree.cpu).is_err() {
            ProcessEnd::CpuLimit
        } else {
            end
        }
    }
}
