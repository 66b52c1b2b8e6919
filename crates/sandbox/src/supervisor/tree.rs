//! The descendants of the supervisor, their use of resources, and their end; and the looks at their memory,
//! at the resources that they hold, and at their files.

use std::cell::Cell;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::wait::WaitStatus;
use nix::time::ClockId;
use nix::unistd::Pid;

use crate::failure::ProcessEnd;
use crate::folder::Fullness;
use crate::limits::SandboxLevel;
use crate::looker::{Held, LONG_LOOK, Looker, Memory, Motion};
use crate::supervisor::control::{Control, Patience, Usage, cpu_by};
use crate::supervisor::enclosure::{Enclosure, Room};
use crate::supervisor::streams::mention_look;
use crate::system::processes::{are_at_rest, descendants, motion};

/// The descendants of this process, all of which stem from its only child.
#[derive(Debug)]
pub(crate) struct Tree {
    root: Pid,
    pub(crate) control: Control,
    pub(crate) end: Option<ProcessEnd>,
    /// The CPU time that is known to have been used.
    pub(crate) cpu: Duration,
    /// The CPU time of the reaped processes, and of the children that they had waited for.
    reaped: Duration,
    /// The greatest memory of any single process that is gone, in bytes.
    pub(crate) greatest_memory: u64,
}

impl Tree {
    /// Returns the tree that stems from `root`, a child of this process.
    pub(crate) fn new(root: Pid, control: Control) -> Tree {
        Tree {
            root,
            control,
            end: None,
            cpu: Duration::ZERO,
            reaped: Duration::ZERO,
            greatest_memory: 0,
        }
    }

    /// Returns true if there are more processes than this, as far as the number is known without a look at
    /// each process.
    pub(crate) fn has_more_than(&mut self, most: u32) -> bool {
        self.reap();
        self.control.number().is_some_and(|number| number > most)
    }

    pub(crate) fn usage(&mut self) -> Usage {
        // Dead processes are reaped first, so that a process that dies meanwhile counts next time, and not
        // twice.
        self.reap();
        let usage = self.control.usage(self.reaped);
        self.cpu = self.cpu.max(usage.cpu);
        Usage { cpu: self.cpu, ..usage }
    }

    /// Records processes that have ended.
    pub(crate) fn reap(&mut self) {
        while self.reap_one() == Reaped::One {}
    }

    fn reap_one(&mut self) -> Reaped {
        let mut status = 0;
        // SAFETY: all zeros are a valid value, and the call fills it.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointers are to values that outlive the call.
        let pid = unsafe { libc::wait4(-1, &raw mut status, libc::WNOHANG, &raw mut usage) };
        let pid = match Errno::result(pid) {
            Ok(0) => return Reaped::NoneYet,
            Ok(pid) => Pid::from_raw(pid),
            Err(Errno::ECHILD) => return Reaped::NoneLeft,
            Err(_) => return Reaped::One,
        };
        let time = |time: libc::timeval| {
            let seconds = Duration::from_secs(time.tv_sec.unsigned_abs());
            seconds + Duration::from_micros(u64::from(time.tv_usec.unsigned_abs() as u32))
        };
        // Both include the children that the process had waited for.
        self.reaped += time(usage.ru_utime) + time(usage.ru_stime);
        let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        self.greatest_memory = self.greatest_memory.max(usage.ru_maxrss.unsigned_abs() * unit);
        if pid == self.root && self.end.is_none() {
            // Another process may get its number from now on, so no signal is sent to it.
            self.end = Some(match WaitStatus::from_raw(pid, status) {
                Ok(WaitStatus::Exited(_, code)) => ProcessEnd::Exit(code),
                Ok(WaitStatus::Signaled(_, signal, _)) => ProcessEnd::Signal(signal.to_string()),
                // The signal has no name.
                Ok(_) | Err(_) => ProcessEnd::Signal("unknown".to_owned()),
            });
        }
        Reaped::One
    }

    /// Stops all processes until the control resumes them, and waits a while for processes that still have
    /// work in the kernel. Such work does not count as running on.
    ///
    /// The wait is longer by the time for which the processes wait for the disk or the like, and not for a processor,
    /// up to `most_blocked`. It ends when `holds` returns false. Returns that time.
    fn freeze(&self, most_blocked: Duration, holds: &mut dyn FnMut() -> bool) -> Duration {
        let mut patience = Patience::of(LONGEST_STOP, holds);
        self.control.freeze(&mut patience);
        let mut blocked = Duration::ZERO;
        loop {
            let since = (Instant::now(), thread_cpu());
            let found = motion(&descendants());
            if found == Motion::Still || !patience.waits(BETWEEN_LOOKS) {
                return blocked;
            }
            if found == Motion::Blocked {
                // Others may have kept this process from running.
                let most = 2 * BETWEEN_LOOKS + thread_cpu().saturating_sub(since.1);
                let waited = since.0.elapsed().min(most);
                blocked += waited;
                if blocked < most_blocked {
                    patience.extend(waited);
                }
            }
            // The kernel may have woken a process.
            self.control.freeze(&mut patience);
        }
    }

    /// Kills all processes, and returns when they are gone. Calls `on_wait` with each time for which they have waited
    /// for the disk or the like: no signal ends such a call of the kernel.
    pub(crate) fn kill(&mut self, on_wait: &mut dyn FnMut(Duration)) {
        self.control.kill(self.end.is_none().then_some(self.root));
        let mut pause = SHORTEST_PAUSE;
        loop {
            match self.reap_one() {
                // Orphans are children of this process, so no process is left.
                Reaped::NoneLeft => break,
                Reaped::One => {}
                Reaped::NoneYet => {
                    let since = Instant::now();
                    // Most processes are gone before a look pays.
                    let is_blocked =
                        pause == LONGEST_PAUSE && motion(&descendants()) == Motion::Blocked;
                    std::thread::sleep(pause);
                    if is_blocked {
                        on_wait(since.elapsed().min(2 * pause));
                    }
                    self.control.kill_rest();
                    // Dying processes need the processor more than this process does.
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
        }
        self.cpu = self.cpu.max(self.control.usage(self.reaped).cpu);
    }
}

/// Returns the CPU time of this thread.
fn thread_cpu() -> Duration {
    cpu_by(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// The longest time in which stopped or ending processes come to a standstill, and the most CPU time that they
/// use meanwhile. A host waits longer.
const LONGEST_STOP: Duration = Duration::from_secs(3);
/// The time between two checks that the processes stand still.
const BETWEEN_LOOKS: Duration = Duration::from_micros(500);

/// The shortest and the longest pause before the remaining processes are killed again.
const SHORTEST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reaped {
    One,
    NoneYet,
    NoneLeft,
}

/// The number of looks for each close look, which includes the folder and the resources that processes hold.
const LOOKS_PER_CLOSE_LOOK: u32 = 5;
/// The number of close looks in a row at which a process runs an unreadable program, or names vanish from the
/// folder, that is no accident.
const NO_ACCIDENT: u32 = 8;
/// The CPU time in which no program comes to hold so much that a look takes too long.
const TOO_LITTLE_TO_HIDE: Duration = Duration::from_millis(20);
/// The number of looks at the memory of processes in a row that may take too long while these are being stopped.
const MOST_UNSEEN: u32 = 20;
/// The number of looks in a row that others may make too long.
const MOST_GIVEN_UP: u32 = 60;
/// The most files that the event queues of a program watch if the program hides none.
const FEW_WATCHES: u64 = 1000;
/// The number of close looks for each close look at a stopped program, if the program might hide something.
const CLOSE_LOOKS_PER_STOP: u32 = 10;

/// The number of bytes that a program writes if its writes in progress take much room.
const MUCH_WRITTEN: u64 = 64 << 20;
/// The number of stops in a row at which the room of writes in progress comes back that is no accident.
const NO_CHANCE: u32 = 2;

/// The looks at the processes of one program.
pub(crate) struct Looks<'c> {
    sandbox: &'c Enclosure,
    pub(crate) tree: Tree,
    number: u32,
    /// The resources that processes held at the last close look.
    held: Held,
    /// The number of close looks in a row, up to the last, at which a process ran a program that it may not
    /// read.
    unreadable: u32,
    /// If true, the program has watched many files, and might hide resources from a look while it runs.
    may_hide: bool,
    /// The bytes that the processes had written when they stood still for the last time, or the fewest at a look since.
    written: u64,
    /// The most free room so far on the disk of its folders.
    room: Room,
    /// The number of stops in a row, up to the last, during which more room came back than writes in progress may take.
    returns: u32,
    /// The number of close looks in a row, up to the last, during which names have vanished from the folder.
    moved: u32,
    /// The CPU time of the processes before the last close look that saw everything.
    seen: Duration,
    /// The number of looks since then that were given up, though the processes have hardly run: others are to blame.
    pub(crate) given_up: Cell<u32>,
    /// If true, no file has changed during this close look.
    is_whole: bool,
}

impl<'c> Looks<'c> {
    pub(crate) fn new(sandbox: &'c Enclosure, tree: Tree) -> Looks<'c> {
        Looks {
            sandbox,
            tree,
            number: 0,
            held: Held::default(),
            unreadable: 0,
            may_hide: false,
            written: 0,
            room: sandbox.room().unwrap_or_default(),
            returns: 0,
            moved: 0,
            seen: Duration::ZERO,
            given_up: Cell::new(0),
            is_whole: true,
        }
    }

    /// Takes the next look at processes with this usage.
    pub(crate) fn take(&mut self, usage: Usage, is_frozen: bool) -> Result<(), ProcessEnd> {
        self.number = self.number.wrapping_add(1);
        if self.number.is_multiple_of(LOOKS_PER_CLOSE_LOOK) {
            self.take_close(usage, is_frozen)
        } else {
            self.check(usage, is_frozen)
        }
    }

    /// Stops all processes until the control of the tree resumes them. Work in the kernel before they stand
    /// still may take memory, so the memory is checked meanwhile, until looks are left.
    ///
    /// Returns the time for which the processes waited for the disk or the like, which is their own. The stop takes
    /// longer by up to `most_blocked` of it.
    ///
    /// The program itself can keep this process from running, and the time of that does not count, so the CPU
    /// time that its processes use after the signal has a limit of its own.
    pub(crate) fn freeze(&self, most_blocked: Duration) -> Result<Duration, ProcessEnd> {
        let (mut found, mut unseen) = (Ok(()), 0);
        let (before, mut mentioned) = (self.tree.control.cpu(), Instant::now());
        let blocked = self.tree.freeze(most_blocked, &mut || {
            if found.is_err() {
                return false;
            }
            if self.tree.control.cpu().saturating_sub(before) > LONGEST_STOP {
                found = Err(ProcessEnd::NotStill);
                return false;
            }
            if mentioned.elapsed() >= LONG_LOOK {
                mention_look();
                mentioned = Instant::now();
            }
            let seen = self.memory();
            unseen += u32::from(seen == Ok(None));
            found = match seen {
                // A process that does not stand still yet may hold a lock.
                Ok(None) if unseen > MOST_UNSEEN => self.give_up(),
                seen => seen.map(drop),
            };
            found.is_ok() && !self.has_left()
        });
        found.map(|()| blocked)
    }

    /// Checks the number of processes, their memory, the resources that they hold, and the folder.
    ///
    /// A thread that waits keeps files that no process has open, and a thread that moves files may hide them
    /// from a look. A stop ends such waits and moves, so a program that might do so is stopped for a look
    /// once in a while. No other program is stopped, because it could notice the stop: its waits end early,
    /// and processes that it has stopped go on.
    pub(crate) fn take_close(&mut self, usage: Usage, is_frozen: bool) -> Result<(), ProcessEnd> {
        let (clock, given_up) = (self.tree.control.clock(), self.given_up.get());
        self.check(usage, is_frozen)?;
        let is_by_chance = fastrand::u32(..CLOSE_LOOKS_PER_STOP) == 0;
        self.is_whole = true;
        if is_frozen || !self.may_hide || !is_by_chance || !self.may_stop() {
            self.check_hidden(is_frozen)?;
        } else {
            self.check_stopped().map(drop)?;
        }
        if self.is_whole && self.given_up.get() == given_up {
            self.seen = clock.unwrap_or(self.seen);
            self.given_up.set(0);
        }
        Ok(())
    }

    /// Stops the program for a look at the resources that it holds and at its folder. Returns the room on the disk while
    /// the program stands still.
    fn check_stopped(&mut self) -> Result<Room, ProcessEnd> {
        let found = self.freeze(Duration::ZERO).and_then(|_| self.check_hidden(true));
        let room = self.sandbox.room().unwrap_or_default();
        self.tree.control.resume();
        found.map(|()| room)
    }

    /// Stops the program for a look, because it may have hidden files.
    ///
    /// A file that only a write in progress has open is gone when the program stands still, so the room that it took
    /// comes back meanwhile. Otherwise others have taken the room.
    fn check_room(&mut self) -> Result<(), ProcessEnd> {
        let before = self.sandbox.room().unwrap_or_default();
        let after = self.check_stopped()?;
        let comes_back = after.is_missing(before, self.sandbox.most_in_flight());
        self.returns = if comes_back { self.returns + 1 } else { 0 };
        (self.room, self.moved) = (after, 0);
        if self.returns >= NO_CHANCE { Err(ProcessEnd::OutputLimit) } else { Ok(()) }
    }

    /// Returns true if the program may be stopped for a look. Without a sandbox, a stop is not certain, and a
    /// program that has stopped itself must stay stopped.
    fn may_stop(&self) -> bool {
        self.sandbox.plan.level > SandboxLevel::None && !are_at_rest(&descendants())
    }

    /// Checks the resources that the processes hold, and the folder.
    fn check_hidden(&mut self, is_frozen: bool) -> Result<(), ProcessEnd> {
        match self.look(is_frozen, || Ok(self.sandbox.held()))? {
            Some(held) if held.is_incomplete => return self.unseen(),
            Some(held) => {
                self.held = held;
                self.unreadable = if held.is_unreadable { self.unreadable + 1 } else { 0 };
            }
            None => self.give_up()?,
        }
        let held = self.held;
        if self.unreadable == NO_ACCIDENT {
            return Err(ProcessEnd::Unreadable);
        }
        self.may_hide |= held.watches > FEW_WATCHES;
        // The counter of a process ends with it.
        self.written = if is_frozen { held.written } else { self.written.min(held.written) };
        let fullness = self.sandbox.fullness(held.deleted);
        let may_hide = self.may_hide_files(fullness);
        let is_seen = matches!(fullness, Fullness::Exceeds | Fullness::Unknown);
        if may_hide && !is_seen && !is_frozen && self.may_stop() {
            return self.check_room();
        }
        match fullness {
            Fullness::Fits => Ok(()),
            Fullness::Changing | Fullness::Moved => {
                self.is_whole = false;
                Ok(())
            }
            Fullness::Exceeds => Err(ProcessEnd::OutputLimit),
            Fullness::Unknown => self.unseen(),
        }
    }

    /// Checks the number of processes, and their memory.
    fn check(&self, usage: Usage, is_frozen: bool) -> Result<(), ProcessEnd> {
        if usage.processes > self.sandbox.plan.processes {
            return Err(ProcessEnd::Processes);
        }
        match self.look(is_frozen, || self.memory())? {
            Some(()) => Ok(()),
            None => self.give_up(),
        }
    }

    /// Returns the end of a program that exceeds its memory, or `None` if the look takes too long.
    fn memory(&self) -> Result<Option<()>, ProcessEnd> {
        let plan = &self.sandbox.plan;
        let looker = self.sandbox.looker().map_err(ProcessEnd::system)?;
        match self.tree.control.memory(plan.memory, self.held.kernel, looker) {
            Memory::Fits => Ok(Some(())),
            Memory::Exceeds => Err(ProcessEnd::MemoryLimit),
            Memory::Unknown => Ok(None),
        }
    }

    /// Looks at the program, and once more while it is stopped if it runs and the look takes too long.
    ///
    /// A process may hold a lock for which the look waits, be it to hide something or because it waits for a
    /// processor itself. A stopped program holds no lock and takes nothing more, so there is time for that look.
    fn look<T>(
        &self,
        is_frozen: bool,
        look: impl Fn() -> Result<Option<T>, ProcessEnd>,
    ) -> Result<Option<T>, ProcessEnd> {
        if is_frozen {
            return self.sandbox.patiently(look);
        }
        let found = look()?;
        if found.is_some() || self.has_left() || !self.may_stop() {
            return Ok(found);
        }
        let found = self.freeze(Duration::ZERO).and_then(|_| self.sandbox.patiently(look));
        self.tree.control.resume();
        found
    }

    /// Returns the end of a program that hides something, unless the look was left because the turn is over.
    fn unseen(&self) -> Result<(), ProcessEnd> {
        if self.has_left() { Ok(()) } else { Err(ProcessEnd::Hidden) }
    }

    /// Returns the end of a program at which a look takes too long, unless the look was left because the turn
    /// is over, or others made the look long.
    ///
    /// Other programs can make a look long by locks of the kernel that all processes share. A program that
    /// could be looked at, and has hardly run since, does not hold more than it did then.
    fn give_up(&self) -> Result<(), ProcessEnd> {
        self.given_up.update(|number| number + 1);
        let run = self.tree.control.clock().map(|now| now.saturating_sub(self.seen));
        let has_hardly_run = run.is_some_and(|run| run < TOO_LITTLE_TO_HIDE);
        let is_excused = has_hardly_run && self.given_up.get() < MOST_GIVEN_UP;
        if is_excused { Ok(()) } else { self.unseen() }
    }

    fn has_left(&self) -> bool {
        self.sandbox.looker().is_ok_and(Looker::has_left)
    }

    /// Returns true if the program moves files at every look at its folder; or if more room has vanished from the disk,
    /// since the disk had most room, than writes in progress may take and the program has written much, or than the
    /// program may take and it may have moved some files.
    fn may_hide_files(&mut self, found: Fullness) -> bool {
        let Some(room) = self.sandbox.room() else { return false };
        self.room = self.room.max(room);
        self.moved = if found == Fullness::Moved { self.moved + 1 } else { 0 };
        let is_missing = |most| self.room.is_missing(room, most);
        let has_changed = matches!(found, Fullness::Moved | Fullness::Changing);
        let has_written = self.held.written - self.written >= MUCH_WRITTEN;
        self.moved >= NO_ACCIDENT
            || has_changed && is_missing(self.sandbox.most_room())
            || has_written && is_missing(self.sandbox.most_in_flight())
    }
}
