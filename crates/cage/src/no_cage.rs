//! Replaces `supervised` on systems other than Unix, where programs cannot be held.

use std::io;
use std::time::Duration;

use crate::event::ProcessEvent;
use crate::launch::Launch;
use crate::policy::SandboxPolicy;

/// A program and its supervisor. This system has none.
#[derive(Debug)]
pub enum Cage {}

impl Cage {
    /// Fails on this system.
    ///
    /// # Errors
    ///
    /// Always returns an error of the kind [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn start(_: Launch, _: &SandboxPolicy) -> io::Result<Cage> {
        let why = "programs of others can play on Linux and other Unix systems only";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    /// Begins a turn.
    pub fn ask(&mut self, _: String, _: Duration, _: Option<Duration>) {
        match *self {}
    }

    /// Ends a turn.
    pub fn end_turn(&mut self) {
        match *self {}
    }

    /// Tells the program to end, and waits until it is gone.
    pub fn dismiss(self, _: String) -> Duration {
        match self {}
    }

    /// Waits for the next event.
    pub fn next_event(&mut self, _: &dyn Fn() -> bool) -> Option<ProcessEvent> {
        match *self {}
    }

    /// Returns the next event, if there is one already.
    pub fn try_next_event(&mut self) -> Option<ProcessEvent> {
        match *self {}
    }

    /// Puts lines back that came too early.
    pub fn put_back(&mut self, _: Vec<String>) {
        match *self {}
    }

    /// Returns the CPU time that the processes of the program are known to have used.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        match *self {}
    }
}
