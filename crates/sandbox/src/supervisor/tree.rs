//! The descendants of the supervisor, their use of resources, and their end; and the looks at what they occupy,
//! hold and keep.

use std::time::Duration;

use nix::errno::Errno;
use nix::sys::wait::WaitStatus;
use nix::unistd::Pid;

use crate::failure::ProcessEnd;
use crate::folder::Fullness;
use crate::limits::SandboxLevel;
use crate::looker::Looker;
use crate::supervisor::control::{Control, Patience, Usage};
use crate::supervisor::enclosure::{Enclosure, Room};
use crate::system::processes::{Memory, are_at_rest, are_still, descendants};

/// The descendants of this process, all of which stem from its only child.
#[derive(Debug)]
pub(crate) struct Tree {
    root: Pid,
    /// The control that measures, stops and kills the processes.
    control: Box<dyn Control>,
    /// The end of the root, if it has ended.
    end: Option<ProcessEnd>,
    /// The CPU time that is known to have been used.
    cpu: Duration,
    /// The CPU time of the processes that are gone, and of those that they had waited for.
    reaped: Duration,
    /// The greatest memory of any single process that is gone, in bytes.
    greatest_memory: u64,
}

impl Tree {
    /// Returns the tree that stems from `root`, a child of this process.
    pub(crate) fn new(root: Pid, control: Box<dyn Control>) -> Tree {
        Tree {
            root,
            control,
            end: None,
            cpu: Duration::ZERO,
            reaped: Duration::ZERO,
            greatest_memory: 0,
        }
    }

    /// Returns how the root ended, if it has.
    pub(crate) fn end(&self) -> Option<&ProcessEnd> {
        self.end.as_ref()
    }

    /// Returns whether there are more processes than this, as far as that is known without a look at each.
    pub(crate) fn has_more_than(&mut self, most: u32) -> bool {
        self.reap();
        self.control.number().is_some_and(|number| number > most)
    }

    /// Measures what the processes use now.
    pub(crate) fn usage(&mut self) -> Usage {
        // The dead come first: a process that dies meanwhile counts next time, and not twice.
        self.reap();
        let usage = self.control.usage(self.reaped);
        self.cpu = self.cpu.max(usage.cpu);
        Usage { cpu: self.cpu, ..usage }
    }

    /// Returns the CPU time of all processes that ever were by a clock of the kernel, if there is one.
    pub(crate) fn clock(&self) -> Option<Duration> {
        self.control.clock()
    }

    /// Returns whether the processes occupy more than `most` bytes of memory, with `held` bytes that are
    /// part of none.
    pub(crate) fn memory(&self, most: u64, held: u64, looker: &Looker) -> Memory {
        self.control.memory(most, held, looker)
    }

    /// Returns true if the processes have used CPU time since the last look at their [usage](Tree::usage).
    pub(crate) fn has_run(&self) -> bool {
        self.control.has_run()
    }

    /// Records processes that have ended.
    pub(crate) fn reap(&mut self) {
        while self.reap_one() == Reaped::One {}
    }

    fn reap_one(&mut self) -> Reaped {
        let (pid, status, used) = match reap() {
            Ok(Some(reaped)) => reaped,
            Ok(None) => return Reaped::NoneYet,
            Err(Errno::ECHILD) => return Reaped::NoneLeft,
            Err(_) => return Reaped::One,
        };
        self.reaped += used.cpu;
        self.greatest_memory = self.greatest_memory.max(used.memory);
        if pid == self.root && self.end.is_none() {
            // Its number may be that of another from now on: nothing is sent to it.
            self.end = Some(match status {
                Ok(WaitStatus::Exited(_, code)) => ProcessEnd::Exit(code),
                Ok(WaitStatus::Signaled(_, signal, _)) => ProcessEnd::Signal(signal.to_string()),
                // The signal has no name.
                Ok(_) | Err(_) => ProcessEnd::Signal("unknown".to_owned()),
            });
        }
        Reaped::One
    }

    /// Stops all processes until [`resume`](Tree::resume), and waits a while for those that have work in the
    /// kernel left: what they do is no running on.
    ///
    /// The wait ends when something no longer holds.
    fn freeze(&self, holds: &mut dyn FnMut() -> bool) {
        let mut patience = Patience::of(LONGEST_STOP, holds);
        self.control.freeze(&mut patience);
        while !are_still(&descendants()) && patience.waits(BETWEEN_LOOKS) {
            // Something in the kernel may have waked one.
            self.control.freeze(&mut patience);
        }
    }

    /// Lets all processes go on.
    pub(crate) fn resume(&self) {
        self.control.resume();
    }

    /// Kills all processes, and returns when they are gone.
    pub(crate) fn kill(&mut self) {
        self.control.kill(self.end.is_none().then_some(self.root));
        let mut pause = SHORTEST_PAUSE;
        loop {
            match self.reap_one() {
                // Orphans are children of this process, so no other is left.
                Reaped::NoneLeft => break,
                Reaped::One => {}
                Reaped::NoneYet => {
                    std::thread::sleep(pause);
                    self.control.kill_rest();
                    // Those that are dying need the processor more than this process does.
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
        }
        self.cpu = self.cpu.max(self.control.usage(self.reaped).cpu);
    }

    /// Returns the limit at which the kernel stopped the program, if it did.
    pub(crate) fn broken_limit(&self) -> Option<ProcessEnd> {
        self.control.broken_limit()
    }

    /// Returns the greatest memory, in bytes, of any single process that is gone.
    pub(crate) fn greatest_memory(&self) -> u64 {
        self.greatest_memory
    }

    /// Returns the CPU time that is known to have been used.
    pub(crate) fn cpu(&self) -> Duration {
        self.cpu
    }
}

/// The time for which processes may go on that were stopped or that end. A host waits longer.
const LONGEST_STOP: Duration = Duration::from_secs(3);
/// The time between two looks whether they still do.
const BETWEEN_LOOKS: Duration = Duration::from_micros(500);

/// The pauses before the processes that are left are killed again.
const SHORTEST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reaped {
    One,
    NoneYet,
    NoneLeft,
}

/// The time and memory of a process that is gone, together with those that it had waited for.
struct Used {
    cpu: Duration,
    /// In bytes.
    memory: u64,
}

/// The end of a process. An error stands for a signal without a name.
type Status = nix::Result<WaitStatus>;

/// Reaps a child that has ended, and returns it with its end, or `None` if all children are alive.
fn reap() -> nix::Result<Option<(Pid, Status, Used)>> {
    let mut status = 0;
    // SAFETY: all zeros are a valid value, and the call fills it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointers are to values that outlive the call.
    let pid = unsafe { libc::wait4(-1, &raw mut status, libc::WNOHANG, &raw mut usage) };
    let pid = Pid::from_raw(Errno::result(pid)?);
    if pid.as_raw() == 0 {
        return Ok(None);
    }
    let time = |time: libc::timeval| {
        let seconds = Duration::from_secs(time.tv_sec.unsigned_abs());
        seconds + Duration::from_micros(u64::from(time.tv_usec.unsigned_abs() as u32))
    };
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let used = Used {
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        memory: usage.ru_maxrss.unsigned_abs() * unit,
    };
    Ok(Some((pid, WaitStatus::from_raw(pid, status), used)))
}

/// The number of looks that come with one at the folder, and at the things that processes hold.
const LOOKS_PER_CLOSE_LOOK: u32 = 5;
/// The number of close looks in a row at which a process runs a program that it may not read, or names vanish from the
/// folder, by no accident.
const NO_ACCIDENT: u32 = 8;
/// The number of files that queues of events watch in a program which hides none.
const FEW_WATCHES: u64 = 1000;
/// The number of close looks at a program that might hide something which come with one for which it is stopped.
const CLOSE_LOOKS_PER_STOP: u32 = 10;

/// The looks at the processes of one program.
pub(crate) struct Looks<'c> {
    sandbox: &'c Enclosure,
    number: u32,
    /// The memory that processes held at the last close look and that is part of none, in bytes.
    held: u64,
    /// The number of the last close looks at which a process ran a program that it may not read.
    unreadable: u32,
    /// If true, the program had something by which it might hide more from a look at it while it runs.
    may_hide: bool,
    /// The most room that was on the disk of its folders.
    room: Room,
    /// The number of the last close looks during which names have vanished from the folder.
    moved: u32,
}

impl<'c> Looks<'c> {
    /// Returns the looks at a program in a sandbox.
    pub(crate) fn new(sandbox: &'c Enclosure) -> Looks<'c> {
        Looks {
            sandbox,
            number: 0,
            held: 0,
            unreadable: 0,
            may_hide: false,
            room: Room::default(),
            moved: 0,
        }
    }

    /// Takes the next look at processes that use this.
    pub(crate) fn take(
        &mut self,
        tree: &Tree,
        usage: Usage,
        is_frozen: bool,
    ) -> Result<(), ProcessEnd> {
        self.number = self.number.wrapping_add(1);
        if self.number.is_multiple_of(LOOKS_PER_CLOSE_LOOK) {
            self.take_close(tree, usage, is_frozen)
        } else {
            self.check(tree, usage)
        }
    }

    /// Stops all processes until the tree lets them [go on](Tree::resume). What they do in the kernel before they stand
    /// still may take memory, which is looked at meanwhile, until looks are left.
    pub(crate) fn freeze(&self, tree: &Tree) -> Result<(), ProcessEnd> {
        let mut found = Ok(());
        tree.freeze(&mut || {
            found = self.check_memory(tree);
            found.is_ok() && !self.has_left()
        });
        found
    }

    /// Checks the number of processes and what they occupy, what they hold that is part of none, and the folder.
    ///
    /// A thread that waits keeps files that no process has open, and one that moves files may keep them from a look. To
    /// stand still ends such waits and moves: once in a while a program that might do so is stopped for the look. No other
    /// is, for it could notice that: its waits end early, and processes that it has stopped go on.
    pub(crate) fn take_close(
        &mut self,
        tree: &Tree,
        usage: Usage,
        is_frozen: bool,
    ) -> Result<(), ProcessEnd> {
        self.check(tree, usage)?;
        let is_by_chance = fastrand::u32(..CLOSE_LOOKS_PER_STOP) == 0;
        if is_frozen || !self.may_hide || !is_by_chance || !self.may_stop() {
            return self.check_hidden(tree, is_frozen);
        }
        self.check_stopped(tree)
    }

    /// Stops the program for a look at what it holds and its folder.
    fn check_stopped(&mut self, tree: &Tree) -> Result<(), ProcessEnd> {
        let found = self.freeze(tree).and_then(|()| self.check_hidden(tree, true));
        tree.resume();
        found
    }

    /// Returns whether the program may be stopped for a look: without a sandbox, that is not certain, and one that has
    /// stopped itself stays so.
    fn may_stop(&self) -> bool {
        self.sandbox.plan.level > SandboxLevel::None && !are_at_rest(&descendants())
    }

    /// Checks what the processes hold that is part of none, and the folder.
    fn check_hidden(&mut self, tree: &Tree, is_frozen: bool) -> Result<(), ProcessEnd> {
        let Some(held) = self.sandbox.held() else { return self.unseen() };
        self.held = held.kernel;
        self.unreadable = if held.is_unreadable { self.unreadable + 1 } else { 0 };
        if self.unreadable == NO_ACCIDENT {
            return Err(ProcessEnd::Unreadable);
        }
        self.may_hide |= held.watches > FEW_WATCHES;
        let fullness = self.sandbox.fullness(held.deleted);
        if self.may_have_moved(fullness) && !is_frozen && self.may_stop() {
            self.check_stopped(tree)?;
            // Now it is known that others have taken the room.
            (self.room, self.moved) = (self.sandbox.room().unwrap_or_default(), 0);
            return Ok(());
        }
        match fullness {
            Fullness::Fits | Fullness::Changing | Fullness::Moved => Ok(()),
            Fullness::Exceeds => Err(ProcessEnd::OutputLimit),
            Fullness::Unknown => self.unseen(),
        }
    }

    /// Checks the number of processes, and what they occupy.
    fn check(&self, tree: &Tree, usage: Usage) -> Result<(), ProcessEnd> {
        if usage.processes > self.sandbox.plan.processes {
            return Err(ProcessEnd::Processes);
        }
        self.check_memory(tree)
    }

    /// Checks what the processes occupy.
    fn check_memory(&self, tree: &Tree) -> Result<(), ProcessEnd> {
        let plan = &self.sandbox.plan;
        let looker =
            self.sandbox.looker().map_err(|error| ProcessEnd::System(error.to_string()))?;
        match tree.memory(plan.memory, self.held, looker) {
            Memory::Fits => Ok(()),
            Memory::Exceeds => Err(ProcessEnd::MemoryLimit),
            Memory::Unknown => self.unseen(),
        }
    }

    /// Ends a program that cannot be looked at, unless the look was left because its turn is over.
    fn unseen(&self) -> Result<(), ProcessEnd> {
        if self.has_left() { Ok(()) } else { Err(ProcessEnd::Hidden) }
    }

    fn has_left(&self) -> bool {
        self.sandbox.looker().is_ok_and(Looker::has_left)
    }

    /// Returns whether the program moves files at every look at its folder; or may have moved some, and more than it may
    /// have is missing on the disk since that had most room.
    fn may_have_moved(&mut self, found: Fullness) -> bool {
        let Some(room) = self.sandbox.room() else { return false };
        self.room = self.room.max(room);
        self.moved = if found == Fullness::Moved { self.moved + 1 } else { 0 };
        let is_missing = self.room.is_missing(room, self.sandbox.most_room());
        let has_changed = matches!(found, Fullness::Moved | Fullness::Changing);
        self.moved >= NO_ACCIDENT || has_changed && is_missing
    }
}
