//! The host's end of a supervised program.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::SUPERVISE;
use crate::end::ProcessEnd;
use crate::event::ProcessEvent;
use crate::launch::Launch;
use crate::message::{Order, Report};
use crate::policy::SandboxPolicy;

/// How often to check whether the caller still waits for an event.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// How long after its deadline a supervisor may be silent before it is given up.
const SUPERVISOR_GRACE: Duration = Duration::from_secs(5);

/// Returns the executable of this process, even if its file was replaced meanwhile.
pub(crate) fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() }
}

/// A foreign program and its supervisor.
///
/// Dropping it kills all processes of the program, and waits until they are gone.
#[derive(Debug)]
pub struct SupervisedProcess {
    supervisor: Child,
    /// Closed when the program is no longer needed.
    orders: Option<ChildStdin>,
    reports: Receiver<Report>,
    /// Lines that were put back.
    pending: VecDeque<String>,
    /// Whether the supervisor has begun its work.
    is_ready: bool,
    /// How the program ended, if it has.
    end: Option<ProcessEnd>,
    /// The CPU time that the program is known to have used.
    cpu: Duration,
    /// When the supervisor should have reported.
    deadline: Option<Instant>,
}

impl SupervisedProcess {
    /// Starts a supervisor, and has it start a program.
    ///
    /// If the program itself cannot be started, the first event is [`ProcessEvent::Ended`].
    ///
    /// # Errors
    ///
    /// Returns an error if the supervisor cannot be started. The program is not to blame.
    pub fn start(launch: Launch, policy: &SandboxPolicy) -> io::Result<SupervisedProcess> {
        let program = match &policy.supervisor {
            Some(program) => program.clone(),
            None => own_program()?,
        };
        let mut supervisor = Command::new(program)
            .arg0("plyground-supervisor")
            .arg(SUPERVISE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = supervisor.stdin.take();
        let stdout = supervisor.stdout.take();
        let (sender, reports) = channel();
        // From here on a failure drops this value, which ends the supervisor.
        let mut process = SupervisedProcess {
            supervisor,
            orders,
            reports,
            pending: VecDeque::new(),
            is_ready: false,
            end: None,
            cpu: Duration::ZERO,
            deadline: None,
        };
        let stdout = stdout.ok_or(io::ErrorKind::BrokenPipe)?;
        thread::Builder::new().spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let report = line.and_then(|line| Ok(serde_json::from_str(&line)?));
                if !report.is_ok_and(|report| sender.send(report).is_ok()) {
                    break;
                }
            }
        })?;
        process.send(serde_json::to_string(&Order::Start(launch))?);
        Ok(process)
    }

    /// Begins a turn, in which the program may use this much wall and CPU time.
    ///
    /// The program reads `text`, which includes its line ends, if the host
    /// [talks](Launch::talking) to it.
    pub fn ask(&mut self, text: String, wall: Duration, cpu: Option<Duration>) {
        self.deadline = Instant::now().checked_add(wall + SUPERVISOR_GRACE);
        self.order(&Order::Ask { text, wall, cpu });
    }

    /// Ends a turn. After lines that are underway, the next event is
    /// [`ProcessEvent::TurnEnded`] or [`ProcessEvent::Ended`].
    pub fn end_turn(&mut self) {
        self.deadline = Instant::now().checked_add(SUPERVISOR_GRACE);
        self.order(&Order::EndTurn);
    }

    /// Tells the program to end, and waits until it is gone. Returns the CPU time of its life.
    ///
    /// The program reads `text`, and has a moment to end by itself before the supervisor kills it.
    pub fn dismiss(mut self, text: String) -> Duration {
        self.deadline = Instant::now().checked_add(SUPERVISOR_GRACE);
        self.order(&Order::Dismiss { text });
        while !matches!(self.next_event(&|| false), Some(ProcessEvent::Ended(_))) {}
        self.cpu
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
            if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
                // The program counts as ended: the kernel kills it with its parent.
                let _ = self.supervisor.kill();
                self.end = Some(self.lost());
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

    /// Returns how a program ended whose supervisor is gone. A supervisor that was never ready had
    /// not started a program that could have killed it.
    fn lost(&self) -> ProcessEnd {
        if self.is_ready {
            ProcessEnd::Lost
        } else {
            ProcessEnd::System("the supervisor of the program has failed".to_owned())
        }
    }

    fn next_within(&mut self, time: Duration) -> Option<ProcessEvent> {
        if let Some(line) = self.pending.pop_front() {
            return Some(ProcessEvent::Line(line));
        }
        if let Some(end) = &self.end {
            return Some(ProcessEvent::Ended(end.clone()));
        }
        match self.reports.recv_timeout(time) {
            Ok(Report::Ready) => {
                self.is_ready = true;
                self.next_within(time)
            }
            Ok(Report::Line(line)) => Some(ProcessEvent::Line(line)),
            Ok(Report::Used(cpu)) => {
                self.cpu = cpu;
                self.deadline = None;
                Some(ProcessEvent::TurnEnded)
            }
            Ok(Report::Ended { end, cpu }) => {
                self.cpu = self.cpu.max(cpu);
                self.end = Some(end.clone());
                Some(ProcessEvent::Ended(end))
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.end = Some(self.lost());
                self.end.clone().map(ProcessEvent::Ended)
            }
        }
    }

    fn order(&mut self, order: &Order) {
        // Only a path can fail to become JSON, and only the first order has paths.
        if let Ok(line) = serde_json::to_string(order) {
            self.send(line);
        }
    }

    /// Sends a line. If that fails, the supervisor is gone, which the next event tells.
    fn send(&mut self, mut line: String) {
        if let Some(orders) = &mut self.orders {
            line.push('\n');
            let _ = orders.write_all(line.as_bytes());
        }
    }
}

impl Drop for SupervisedProcess {
    fn drop(&mut self) {
        // The supervisor kills the processes and ends when its orders end.
        self.orders = None;
        let _ = self.supervisor.wait();
    }
}
