//! The referee's end of a supervised program.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::SUPERVISE;
use super::message::{End, Order, Report, Start};
use super::treatment::Treatment;

/// How often to look whether anybody still wants an answer.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// A supervisor that is silent so long after it should have reported is beyond help.
const SUPERVISOR_GRACE: Duration = Duration::from_secs(5);

/// The program of this process, also if its file was replaced meanwhile.
pub(super) fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() }
}

/// A program and its supervisor.
#[derive(Debug)]
pub(super) struct Host {
    supervisor: Child,
    /// Closed when the program is not wanted any more.
    orders: Option<ChildStdin>,
    reports: Receiver<Report>,
    /// What was heard and is still to be listened to.
    pending: VecDeque<String>,
    /// Whether the supervisor has begun its work.
    is_ready: bool,
    /// How it ended, if it has.
    end: Option<End>,
    /// The CPU time that it is known to have used.
    cpu: Duration,
    /// When the supervisor should have reported.
    deadline: Option<Instant>,
}

/// What a host hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// A line of the protocol.
    Line(String),
    /// The turn is over for the supervisor too.
    Settled,
    /// The program has ended.
    Ended(End),
}

impl Host {
    /// Starts a program. If that fails, it is no fault of the program.
    pub(super) fn start(start: Start, treatment: &Treatment) -> io::Result<Host> {
        let program = match &treatment.supervisor {
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
        let (end, cpu, deadline) = (None, Duration::ZERO, None);
        let pending = VecDeque::new();
        // From here on a failure ends the supervisor, too.
        let is_ready = false;
        let mut host = Host { supervisor, orders, reports, pending, is_ready, end, cpu, deadline };
        let stdout = stdout.ok_or(io::ErrorKind::BrokenPipe)?;
        thread::Builder::new().spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let report = line.and_then(|line| Ok(serde_json::from_str(&line)?));
                if !report.is_ok_and(|report| sender.send(report).is_ok()) {
                    break;
                }
            }
        })?;
        host.send(serde_json::to_string(&Order::Start(start))?);
        Ok(host)
    }

    /// Begins a turn.
    pub(super) fn ask(&mut self, text: String, wall: Duration, cpu: Option<Duration>) {
        self.deadline = Instant::now().checked_add(wall + SUPERVISOR_GRACE);
        self.order(&Order::Ask { text, wall: Some(wall), cpu });
    }

    /// Ends a turn. Next to be heard of is [`Heard::Settled`], if not the end.
    pub(super) fn answered(&mut self) {
        self.deadline = Instant::now().checked_add(SUPERVISOR_GRACE);
        self.order(&Order::Answered);
    }

    /// Says the last words, and waits until the program is gone. The CPU time of its life.
    pub(super) fn dismiss(mut self, text: String) -> Duration {
        self.deadline = Instant::now().checked_add(SUPERVISOR_GRACE);
        self.order(&Order::Dismiss { text });
        while !matches!(self.hear(&|| false), Some(Heard::Ended(_))) {}
        self.cpu
    }

    /// The next that is heard; `None` when `stopped` says that nobody wants to hear it.
    pub(super) fn hear(&mut self, stopped: &dyn Fn() -> bool) -> Option<Heard> {
        loop {
            if let Some(heard) = self.next_within(STOP_CHECK) {
                return Some(heard);
            }
            if stopped() {
                return None;
            }
            if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
                // It is as if the program had ended: its parent takes it along.
                let _ = self.supervisor.kill();
                self.end = Some(self.lost());
            }
        }
    }

    /// How a program ended whose supervisor is gone. Before that was ready, there was no program
    /// that could have ended it.
    fn lost(&self) -> End {
        if self.is_ready {
            End::Lost
        } else {
            End::System("the supervisor of the program has failed".to_owned())
        }
    }

    /// Lines that were heard too early: they will be heard again, before all others.
    pub(super) fn put_back(&mut self, lines: Vec<String>) {
        self.pending.extend(lines);
    }

    /// What has been heard already.
    pub(super) fn heard_already(&mut self) -> Option<Heard> {
        self.next_within(Duration::ZERO)
    }

    fn next_within(&mut self, time: Duration) -> Option<Heard> {
        if let Some(line) = self.pending.pop_front() {
            return Some(Heard::Line(line));
        }
        if let Some(end) = &self.end {
            return Some(Heard::Ended(end.clone()));
        }
        match self.reports.recv_timeout(time) {
            Ok(Report::Ready) => {
                self.is_ready = true;
                self.next_within(time)
            }
            Ok(Report::Line(line)) => Some(Heard::Line(line)),
            Ok(Report::Used(cpu)) => {
                self.cpu = cpu;
                self.deadline = None;
                Some(Heard::Settled)
            }
            Ok(Report::Ended { end, cpu }) => {
                self.cpu = self.cpu.max(cpu);
                self.end = Some(end.clone());
                Some(Heard::Ended(end))
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.end = Some(self.lost());
                self.end.clone().map(Heard::Ended)
            }
        }
    }

    /// The CPU time that the processes of the program are known to have used.
    pub(super) fn cpu(&self) -> Duration {
        self.cpu
    }

    fn order(&mut self, order: &Order) {
        // Only paths can be such that JSON does not hold them, and they are in the first order.
        if let Ok(line) = serde_json::to_string(order) {
            self.send(line);
        }
    }

    /// If it fails, the supervisor is gone, which will be heard.
    fn send(&mut self, mut line: String) {
        if let Some(orders) = &mut self.orders {
            line.push('\n');
            let _ = orders.write_all(line.as_bytes());
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // For the supervisor this is the end, and for its processes.
        self.orders = None;
        let _ = self.supervisor.wait();
    }
}
