//! A conversation with a program.

use std::io;
use std::time::Duration;

use plyground_sandbox::{
    Launch, Meter, ProcessEnd, ProcessEvent, ProcessFailure, Sandbox, SandboxPolicy,
};

use super::super::line_player::end_turn;
use super::super::message::KEYWORDS;
use crate::fault::unfinished_line;
use plyground_durable::excerpt;

/// The first words of further lines that count, besides the answers of the protocol.
const MORE: [&str; 2] = ["protocol", "info"];

/// A running program.
pub(super) struct Talk<'a> {
    sandbox: Sandbox,
    policy: &'a SandboxPolicy,
}

/// The most lines that a message names one by one.
const MOST_SAID: usize = 4;

/// The fault of an engine, as the end of a sentence after `found`.
pub(super) type Found = String;

impl<'a> Talk<'a> {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses, which is not a fault of the program.
    pub(super) fn start(words: &[String], policy: &'a SandboxPolicy) -> io::Result<Talk<'a>> {
        let mut sandbox = Sandbox::new(words, policy)?;
        let heard: Vec<_> = KEYWORDS.into_iter().chain(MORE).collect();
        sandbox.start(Launch::new(words.to_vec(), policy.limits.game_cpu).talking(&heard));
        Ok(Talk { sandbox, policy })
    }

    /// Returns the time that the program has for an answer.
    pub(super) fn time(&self) -> Duration {
        Meter::new(self.policy.limits.clone()).budget(None).wall.left
    }

    /// Says something, and returns the lines of the program up to one whose first word is among `until`.
    pub(super) fn ask(&mut self, text: &str, until: &[&str]) -> Result<Vec<String>, Found> {
        let mut lines = Vec::new();
        match self.listen(text, |line| {
            let is_last = until.contains(&first_word(line));
            lines.push(line.to_owned());
            is_last
        }) {
            None => Ok(lines),
            Some(end) => {
                let line = unfinished_line(&self.sandbox.take_leftovers().unfinished);
                let line = line.map(|line| format!("{line}, then ")).unwrap_or_default();
                Err(format!("{}{line}{end}", said(&lines)))
            }
        }
    }

    /// Says something, and waits until the program ends by itself.
    pub(super) fn dismiss(mut self, text: &str) -> Result<(), Found> {
        match self.listen(text, |_| false) {
            Some(ProcessFailure::Quit) => Ok(()),
            Some(end) => Err(end.to_string()),
            None => Err("nothing".to_owned()),
        }
    }

    /// Says something, and hands every line to `hear` until that returns true. Returns the failure of the
    /// program if it ends before.
    fn listen(&mut self, text: &str, mut hear: impl FnMut(&str) -> bool) -> Option<ProcessFailure> {
        let meter = Meter::new(self.policy.limits.clone());
        let budget = meter.budget(None);
        self.sandbox.ask(text.to_owned(), budget.wall.left, budget.cpu.map(|cpu| cpu.left));
        let policy = self.policy;
        let end = loop {
            match self.sandbox.next_event(&|| policy.is_stopped()) {
                None => break Some(ProcessEnd::Dismissed),
                Some(ProcessEvent::Ended(end)) => break Some(end),
                Some(ProcessEvent::Line(line)) if hear(&line) => break None,
                Some(ProcessEvent::Line(_) | ProcessEvent::TurnEnded) => {}
            }
        };
        if end.is_none() {
            end_turn(&mut self.sandbox);
        }
        end.map(|end| meter.failure(&end, &budget))
    }
}

/// Returns the first word of a line, which tells its meaning.
pub(super) fn first_word(line: &str) -> &str {
    line.split_ascii_whitespace().next().unwrap_or_default()
}

/// Returns the lines as the beginning of a list.
pub(super) fn said(lines: &[String]) -> String {
    let more = if lines.len() > MOST_SAID { "..., " } else { "" };
    let first = lines.iter().take(MOST_SAID).map(|line| format!("`{}`, then ", excerpt(line)));
    first.collect::<String>() + more
}
