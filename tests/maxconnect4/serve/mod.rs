//! `maxconnect4 serve` as its page sees it, a client that speaks HTTP well or badly, and a person with a
//! browser.

mod answers;
#[cfg(target_os = "linux")]
mod crowds;
mod page;
#[cfg(unix)]
mod programs;

use std::process::{Command, ExitStatus};

use serde_json::{Value, json};

use crate::common::served::{Events, Served};

const EMPTY: &str = "0000000/0000000/0000000/0000000/0000000/0000000/1";

fn serve(args: &str) -> Served {
    Served::start(env!("CARGO_BIN_EXE_maxconnect4"), args)
}

/// A game from the empty board.
fn game(moves: &[&str]) -> Value {
    json!({ "rules": "standard", "start": EMPTY, "moves": moves })
}

impl Served {
    /// Sends a signal, and waits for the end.
    pub fn signal(mut self, signal: &str) -> ExitStatus {
        let id = self.process.id().to_string();
        let status = Command::new("kill").args(["-s", signal, &id]).status().expect("kill");
        assert!(status.success());
        self.process.wait().expect("an end")
    }

    /// The memory of the process in KiB.
    pub fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).expect("the state of the process");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("its memory");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
    }
}

impl Events {
    /// The last of them.
    fn end(self) -> Value {
        self.last().expect("an event")
    }
}
