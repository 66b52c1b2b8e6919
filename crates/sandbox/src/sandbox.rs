//! The host's end of a sandbox.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::statvfs;
use rustix::io::Errno;
use rustix::process::{WaitOptions, waitpid};

use crate::failure::{ProcessEnd, ProcessEvent};
use crate::folder::{remove_folder, unused_folder};
use crate::launch::{
    Inbox, LAST_MOMENTS, Launch, Leftovers, MOST_KEPT, Order, Report, SandboxPolicy, line_of, poll,
    supervisor_or_own,
};
use crate::limits::{Deadline, SandboxLevel};
use crate::start;
use crate::system::cgroup::{NamedGroup, next_group};
use crate::system::identity::Identity;
use crate::system::processes::wait_for_end;
use crate::system::supervisors;
use crate::view::absolute_program;

/// The number of bytes of reports that are read at a time.
const CHUNK: usize = 1 << 14;

/// The time that the end of an honest program may take: that of a Java virtual machine, on a busy computer.
const FREE_END: Duration = Duration::from_millis(200);

/// The interval at which a wait for an event asks whether the caller still waits.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// The time after its deadline for which a supervisor may be silent before it is killed: several times the
/// longest stop of a program. A supervisor that waits long for a look says so.
const SUPERVISOR_GRACE: Duration = Duration::from_secs(15);

/// The longest time in which a supervisor takes in a workshop and removes its folders: enough for 100,000
/// files on a slow disk.
const LONGEST_END: Duration = Duration::from_secs(300);

/// The interval of looks at a supervisor that should end, where its end cannot wake this process.
const END_CHECK: Duration = Duration::from_millis(5);

/// The longest time until killed processes are gone.
const LONGEST_DEATH: Duration = Duration::from_secs(60);

/// The room on the disk that the program of a sandbox may fill.
///
/// At the level `user`, all programs write to one disk. There must be room for all that they may write, or else a
/// program would lose by the files of another.
#[derive(Debug)]
struct DiskShare(u64);

#[derive(Debug)]
struct DiskShares {
    /// The bytes of all shares.
    claimed: u64,
    /// The bytes that were free before there was a share: the files of programs take nothing from it.
    free: u64,
}

static SHARES: Mutex<DiskShares> = Mutex::new(DiskShares { claimed: 0, free: 0 });

/// More than any disk has, and less than overflows in a sum.
const LARGEST_SHARE: u64 = 1 << 50;

impl DiskShares {
    fn of_all() -> MutexGuard<'static, DiskShares> {
        SHARES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims so many bytes of a disk on which `now` are free.
    ///
    /// # Errors
    ///
    /// Returns the bytes that are free for programs, and the bytes of all shares, if there is not enough room.
    fn claim(&mut self, now: u64, bytes: u64) -> Result<(), [u64; 2]> {
        if self.claimed == 0 {
            self.free = now;
        }
        // Others than the programs may have filled the disk meanwhile.
        let free = self.free.min(now.saturating_add(self.claimed));
        let wanted = self.claimed + bytes;
        if free < wanted {
            return Err([free, wanted]);
        }
        self.claimed = wanted;
        Ok(())
    }
}

impl DiskShare {
    /// Claims so many bytes on the disk of a folder.
    fn claim(folder: &Path, bytes: u64) -> io::Result<DiskShare> {
        let bytes = bytes.min(LARGEST_SHARE);
        let found = statvfs(folder)?;
        let now = found.f_bfree.saturating_mul(found.f_frsize);
        DiskShares::of_all().claim(now, bytes).map_err(|room| {
            let ([free, wanted], folder) = (room.map(ByteSize), folder.display());
            io::Error::other(format!(
                "{folder} has {free} for programs: expected {wanted}, as much as all that run may write; free some, \
                 name another folder by TMPDIR, or lower --output"
            ))
        })?;
        Ok(DiskShare(bytes))
    }
}

impl Drop for DiskShare {
    fn drop(&mut self) {
        DiskShares::of_all().claimed -= self.0;
    }
}

/// A place for one foreign program at a time, and its supervisor.
///
/// Dropping a `Sandbox` kills all processes of the program, and waits until they are gone.
#[derive(Debug)]
pub struct Sandbox {
    /// A child of this process.
    supervisor: Pid,
    /// Closed when the sandbox is no longer needed.
    orders: Option<PipeWriter>,
    reports: Reports,
    /// The folder that the supervisor makes, and the folder of the program in it.
    base: PathBuf,
    folder: PathBuf,
    /// The room that the program may fill on the disk, if its folder is there.
    _share: Option<DiskShare>,
    /// The IDs of the program, if this process is root.
    identity: Option<Identity>,
    /// The group that the supervisor makes, which is removed after the supervisor has ended.
    _group: Option<NamedGroup>,
    level: SandboxLevel,
    /// Lines that were put back.
    pending: VecDeque<String>,
    /// If true, the host waits for an answer.
    in_turn: bool,
    /// If true, the last program talks, so that nothing is wanted of it after its end.
    talks: bool,
    is_ready: bool,
    /// The reason for which the processes of the last program are being killed, as its supervisor has said, and the
    /// moment at which it did.
    ending: Option<(ProcessEnd, Instant)>,
    /// The end of the last program, if it has ended.
    end: Option<ProcessEnd>,
    left: Leftovers,
    /// The CPU time that the last program is known to have used.
    cpu: Duration,
    /// The wall time of the last turn.
    wall: Duration,
    /// The time for which the last program has kept the host waiting after its end.
    delay: Duration,
    /// The time limit of the next report of the supervisor.
    deadline: Option<Deadline>,
}

impl Sandbox {
    /// Builds a sandbox for the program of a command, which sees its own folder and the files of the policy.
    ///
    /// # Errors
    ///
    /// Returns an error if the supervisor cannot be started, or if the disk lacks room. If the sandbox cannot be built,
    /// the first event is [`ProcessEvent::Ended`]. In neither case is the program to blame.
    pub fn new(words: &[String], policy: &SandboxPolicy) -> io::Result<Sandbox> {
        let program = supervisor_or_own(policy.supervisor.as_deref())?;
        let level = policy.level;
        let words = words_inside(words, level);
        let folder = unused_folder(level);
        let disk = folder.parent().filter(|_| level == SandboxLevel::User);
        let share = disk.map(|disk| DiskShare::claim(disk, policy.limits.output.0)).transpose()?;
        let identity = if level > SandboxLevel::None { Identity::claim()? } else { None };
        let ids = identity.as_ref().map(|identity| identity.ids);
        let group = policy.control_groups.then(next_group).flatten();
        let group_plan = group.as_ref().map(|group| group.plan.clone());
        let plan = policy.plan(words.first().map(Path::new), &folder, ids, group_plan)?;
        let ((stdin, orders), (reported, stdout)) = (io::pipe()?, io::pipe()?);
        let is_apart = level == SandboxLevel::Full;
        let lock = identity.as_ref().map(Identity::lock);
        let supervisor = supervisors::start(&program, stdin, stdout, lock, is_apart)?;
        // From here on a failure drops this value, which ends the supervisor.
        let mut sandbox = Sandbox {
            supervisor,
            orders: Some(orders),
            reports: Reports { pipe: Some(reported), inbox: Inbox::default() },
            base: folder,
            folder: plan.home(),
            _share: share,
            identity,
            _group: group,
            level,
            pending: VecDeque::new(),
            in_turn: false,
            talks: false,
            is_ready: false,
            ending: None,
            end: None,
            left: Leftovers::default(),
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            delay: Duration::ZERO,
            deadline: None,
        };
        sandbox.send(&line_of(&Order::Build(Box::new(plan)))?);
        Ok(sandbox)
    }

    /// Returns the path of the folder in which the program may write, as the program knows it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts a program. The folder contains nothing but the input file, if there is one.
    ///
    /// If the program cannot be started, the next event is [`ProcessEvent::Ended`]. A sandbox that could not
    /// be built, or whose supervisor is gone, starts no program.
    pub fn start(&mut self, mut launch: Launch) {
        launch.words = words_inside(&launch.words, self.level);
        let is_lost = matches!(self.end, Some(ProcessEnd::System(_) | ProcessEnd::Lost));
        if !is_lost {
            (self.ending, self.end) = (None, None);
            (self.cpu, self.delay) = (Duration::ZERO, Duration::ZERO);
            self.pending.clear();
        }
        self.talks = launch.keywords.is_some();
        self.order(&Order::Start(launch));
    }

    /// Runs a program once in a sandbox of its own, for this time at most. Returns its end and its output. If
    /// the program works in a workshop, this has replaced the original before it returns.
    ///
    /// # Errors
    ///
    /// Returns an error if the supervisor cannot be started, or a workshop cannot be written.
    pub fn run_once(
        launch: Launch,
        policy: &SandboxPolicy,
        wall: Duration,
    ) -> io::Result<(ProcessEnd, Leftovers)> {
        let mut sandbox = Sandbox::new(&launch.words, policy)?;
        let launch = Launch { is_last: true, ..launch };
        let end = sandbox.run(launch, wall, &|| policy.is_stopped());
        let (end, left) = (end.unwrap_or(ProcessEnd::Dismissed), sandbox.take_leftovers());
        let status = sandbox.finish();
        let code = status.and_then(|status| status.code());
        match (&end, code) {
            (ProcessEnd::Exit(_), Some(start::TOO_MUCH)) => Ok((ProcessEnd::OutputLimit, left)),
            (ProcessEnd::Exit(_), code)
                if policy.workshop.is_some() && code != Some(start::DONE) =>
            {
                let how = status.map_or_else(String::new, |status| format!(": {status}"));
                Err(io::Error::other(format!("the results of a program cannot be written{how}")))
            }
            _ => Ok((end, left)),
        }
    }

    /// Starts a program without talking to it, and waits for its end, for this time at most. Returns
    /// `None` when `stopped` returns true first.
    pub fn run(
        &mut self,
        launch: Launch,
        wall: Duration,
        stopped: &dyn Fn() -> bool,
    ) -> Option<ProcessEnd> {
        let cpu = launch.cpu;
        self.start(launch);
        self.ask(String::new(), wall, cpu);
        loop {
            match self.next_event(stopped)? {
                ProcessEvent::Ended(end) => return Some(end),
                ProcessEvent::Line(_) | ProcessEvent::TurnEnded => {}
            }
        }
    }

    /// Returns the output that the last program left, if the program has ended.
    pub fn take_leftovers(&mut self) -> Leftovers {
        std::mem::take(&mut self.left)
    }

    /// Begins a turn, in which the program may use this much wall and CPU time. Time in which other processes
    /// keep it from running does not count, up to a multiple of the wall time.
    ///
    /// The program reads `text`, which includes its line ends, if the host
    /// [talks](Launch::talking) to it.
    pub fn ask(&mut self, text: String, wall: Duration, cpu: Option<Duration>) {
        let longest = wall.saturating_mul(1 + MOST_KEPT).saturating_add(SUPERVISOR_GRACE);
        (self.deadline, self.in_turn) = (Some(Deadline::after(longest)), true);
        self.order(&Order::Ask { text, wall, cpu });
    }

    /// Ends a turn. After lines that are underway, the next event is
    /// [`ProcessEvent::TurnEnded`] or [`ProcessEvent::Ended`].
    pub fn end_turn(&mut self) {
        (self.deadline, self.in_turn) = (Some(Deadline::after(SUPERVISOR_GRACE)), false);
        self.order(&Order::EndTurn);
    }

    /// Tells the program to end, and waits until it is gone. Returns the CPU time of its life, and the time that the
    /// program has kept the host waiting.
    ///
    /// The program reads `text`, and has a moment to end by itself before the supervisor kills it. If it does, the time
    /// that a usual end takes is free.
    pub fn dismiss(mut self, text: String) -> (Duration, Duration) {
        let begun = Instant::now();
        (self.deadline, self.in_turn) = (Some(Deadline::after(SUPERVISOR_GRACE)), false);
        self.order(&Order::Dismiss { text });
        let end = loop {
            if let Some(ProcessEvent::Ended(end)) = self.next_event(&|| false) {
                break end;
            }
        };
        let free = if end == ProcessEnd::Dismissed { Duration::ZERO } else { FREE_END };
        (self.cpu, delay_since(begun, free).max(self.delay))
    }

    /// Waits for the next event. Returns `None` when `stopped` returns true first.
    ///
    /// After [`ProcessEvent::Ended`], every further event is the same.
    pub fn next_event(&mut self, stopped: &dyn Fn() -> bool) -> Option<ProcessEvent> {
        loop {
            if let Some(event) = self.next_within(STOP_CHECK) {
                return Some(event);
            }
            if stopped() {
                return None;
            }
            if self.deadline.is_some_and(|deadline| deadline.is_over()) {
                let _ = kill(self.supervisor, Signal::SIGKILL);
                // A program whose processes take too long to die is to blame for its end, unless it ended well and its
                // output is wanted, which is lost with the supervisor.
                let end = self.ending.take();
                self.delay =
                    end.as_ref().map_or(Duration::ZERO, |(_, since)| delay_since(*since, FREE_END));
                let end = end.map(|(end, _)| end);
                let end = end.filter(|end| self.talks || *end != ProcessEnd::Exit(0));
                self.end = Some(end.unwrap_or_else(|| self.lost()));
            }
        }
    }

    /// Returns the next event, if there is one already.
    pub fn try_next_event(&mut self) -> Option<ProcessEvent> {
        self.next_within(Duration::ZERO)
    }

    /// Puts lines back that came too early. They are the next events.
    pub fn put_back(&mut self, lines: Vec<String>) {
        self.pending.extend(lines);
    }

    /// Returns the CPU time that the processes of the program are known to have used.
    ///
    /// It is up to date after [`ProcessEvent::TurnEnded`] and [`ProcessEvent::Ended`].
    #[must_use]
    pub fn cpu(&self) -> Duration {
        self.cpu
    }

    /// Returns the wall time of the last turn up to the last line, or to the end of the program. The time in
    /// which other processes kept the program from running does not count. Neither does the time until this
    /// process reads the line, because this process may have been stopped.
    ///
    /// It is up to date after [`ProcessEvent::TurnEnded`] and [`ProcessEvent::Ended`].
    #[must_use]
    pub fn wall(&self) -> Duration {
        self.wall
    }

    /// Returns the time for which the program has kept the host waiting after its end, beyond that of a usual end.
    ///
    /// It is up to date after [`ProcessEvent::Ended`].
    #[must_use]
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// Returns the end of a program whose supervisor is gone. A supervisor that was never ready had
    /// not started a program that could have killed it.
    fn lost(&self) -> ProcessEnd {
        if self.is_ready {
            ProcessEnd::Lost
        } else {
            ProcessEnd::System("the supervisor of the program has failed".to_owned())
        }
    }

    fn next_within(&mut self, time: Duration) -> Option<ProcessEvent> {
        loop {
            if let Some(line) = self.pending.pop_front() {
                return Some(ProcessEvent::Line(line));
            }
            if let Some(end) = &self.end {
                return Some(ProcessEvent::Ended(end.clone()));
            }
            let reports = &mut self.reports;
            let report = match &mut self.deadline {
                Some(deadline) => deadline.wait(time, |time| reports.next(time)),
                None => reports.next(time),
            };
            match report {
                Ok(Report::Ready) => self.is_ready = true,
                Ok(Report::Line(line)) => return Some(ProcessEvent::Line(line)),
                Ok(Report::TimeOver) if self.in_turn => self.order(&Order::NotAnswered),
                Ok(Report::TimeOver) => {}
                Ok(Report::Looking) if self.deadline.is_some() => self.wait_for(SUPERVISOR_GRACE),
                Ok(Report::Looking) => {}
                Ok(Report::Used { cpu, wall }) => {
                    (self.cpu, self.wall) = (cpu, wall);
                    self.deadline = None;
                    return Some(ProcessEvent::TurnEnded);
                }
                Ok(Report::Ending { end }) => {
                    self.ending = Some((end, Instant::now()));
                    self.wait_for(LONGEST_DEATH);
                }
                Ok(Report::Ended { end, cpu, wall, blocked, left }) => {
                    (self.left, self.wall) = (left, wall);
                    self.deadline = None;
                    self.cpu = self.cpu.max(cpu);
                    self.end = Some(end);
                    let since = self.ending.as_ref().map(|(_, since)| *since);
                    let delay = since.map_or(Duration::ZERO, |since| delay_since(since, FREE_END));
                    self.delay = delay.max(blocked);
                }
                Err(NoReport::Yet) => return None,
                Err(NoReport::Ever) => self.end = Some(self.lost()),
            }
        }
    }

    /// Lets the supervisor be silent for at least this time from now on.
    fn wait_for(&mut self, time: Duration) {
        let least = Deadline::after(time);
        self.deadline = self.deadline.filter(|old| old.left() > least.left()).or(Some(least));
    }

    fn order(&mut self, order: &Order) {
        // Only a path can fail to become JSON, and only the first order has paths.
        if let Ok(line) = line_of(order) {
            self.send(&line);
        }
    }

    /// Sends a line. If that fails, the supervisor is gone, and the next event says so.
    fn send(&mut self, line: &str) {
        if let Some(orders) = &mut self.orders {
            let _ = orders.write_all(line.as_bytes());
        }
    }

    /// Ends the supervisor, and removes the folders of the program after all its processes are dead. Returns
    /// the exit status of the supervisor.
    fn finish(&mut self) -> Option<ExitStatus> {
        // The supervisor kills the processes and ends when its orders end. With its pipe closed, it cannot
        // block on its last report.
        self.orders = None;
        self.reports.close();
        let status = self.end_supervisor();
        let Some(identity) = self.identity.take() else {
            self.remove_folder();
            return status;
        };
        // A supervisor that ended by itself has waited for all processes. If the supervisor was killed, some
        // processes may live on, and could divert a removal to other files.
        let is_over = status.is_some_and(|status| status.code().is_some());
        if identity.give_back(is_over, LONGEST_DEATH) {
            self.remove_folder();
        }
        status
    }

    fn end_supervisor(&self) -> Option<ExitStatus> {
        let started = Instant::now();
        while started.elapsed() < LONGEST_END {
            match self.status(WaitOptions::NOHANG) {
                Ok(None) => wait_for_end(self.supervisor, END_CHECK),
                ended => return ended.ok().flatten(),
            }
        }
        let _ = kill(self.supervisor, Signal::SIGKILL);
        self.status(WaitOptions::empty()).ok().flatten()
    }

    /// Reaps the supervisor and returns its exit status, or `None` if it is alive.
    fn status(&self, options: WaitOptions) -> rustix::io::Result<Option<ExitStatus>> {
        let supervisor = rustix::process::Pid::from_raw(self.supervisor.as_raw());
        let ended = waitpid(supervisor, options)?;
        Ok(ended.map(|(_, status)| ExitStatus::from_raw(status.as_raw())))
    }

    fn remove_folder(&self) {
        if self.level < SandboxLevel::Full {
            remove_folder(&self.base);
        }
    }
}

#[derive(Debug)]
struct Reports {
    /// The pipe, while more reports may come.
    pipe: Option<PipeReader>,
    inbox: Inbox,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoReport {
    /// The time is over.
    Yet,
    /// The supervisor is gone.
    Ever,
}

impl Reports {
    /// Closes the pipe, so that the supervisor cannot block on it.
    fn close(&mut self) {
        self.pipe = None;
    }

    /// Returns the next report, after a wait for this time at most.
    fn next(&mut self, time: Duration) -> Result<Report, NoReport> {
        let end = Instant::now().checked_add(time);
        loop {
            if let Some(report) = self.inbox.take() {
                // A supervisor whose report cannot be parsed counts as gone.
                return report.inspect_err(|_| self.close()).map_err(|_| NoReport::Ever);
            }
            let left = end.map_or(time, |end| end.saturating_duration_since(Instant::now()));
            self.wait(left)?;
        }
    }

    /// Reads some bytes, after a wait for this time at most.
    fn wait(&mut self, time: Duration) -> Result<(), NoReport> {
        let pipe = self.pipe.as_mut().ok_or(NoReport::Ever)?;
        match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(time)) {
            Ok(0) => return Err(NoReport::Yet),
            Err(Errno::INTR) => return Ok(()),
            // If the poll fails, the read below waits.
            Ok(_) | Err(_) => {}
        }
        let mut chunk = [0; CHUNK];
        match pipe.read(&mut chunk) {
            Ok(length @ 1..) => self.inbox.add(&chunk[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => {
                self.close();
                return Err(NoReport::Ever);
            }
        }
        Ok(())
    }
}

/// Returns the time for which a program has kept the host waiting since this moment, except the time that is free.
/// Others may have kept the program from its end, so there is a bound.
fn delay_since(begun: Instant, free: Duration) -> Duration {
    begun.elapsed().saturating_sub(free).min(2 * LAST_MOMENTS)
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if self.orders.is_some() || self.identity.is_some() {
            self.finish();
        }
    }
}

/// Returns the words of a command with the absolute path of its program. Without a sandbox, a program
/// runs in the current folder of the host.
fn words_inside(words: &[String], level: SandboxLevel) -> Vec<String> {
    match words.split_first().filter(|_| level > SandboxLevel::None) {
        None => words.to_vec(),
        Some((program, arguments)) => {
            let program = absolute_program(program, level == SandboxLevel::User);
            std::iter::once(program).chain(arguments.iter().cloned()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_has_room_for_all_that_programs_may_write() -> io::Result<()> {
        let mut shares = DiskShares { claimed: 0, free: 0 };
        assert_eq!(shares.claim(600, 250), Ok(()));
        // What the first program has written is within its share.
        assert_eq!(shares.claim(350, 250), Ok(()));
        assert_eq!(shares.claim(100, 250), Err([600, 750]));
        // Something else has filled the disk.
        assert_eq!(shares.claim(50, 100), Err([550, 600]));
        let folder = tempfile::tempdir()?;
        let all = DiskShare::claim(folder.path(), u64::MAX).expect_err("no such disk").to_string();
        assert!(all.contains(" expected ") && all.ends_with("or lower --output"), "{all}");
        Ok(())
    }
}
