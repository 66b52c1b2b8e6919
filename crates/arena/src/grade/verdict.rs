//! What a check has found.

use plyground_host::HostedPosition;

use super::results::Finding;

/// Every failure is told, but no more of them than these.
const MOST_FINDINGS: usize = 5;

/// What a check has found.
pub(super) enum CheckVerdict {
    /// It was made.
    Graded {
        /// The part of the points earned, from 0 to 1.
        share: f64,
        /// How it went, in one line.
        summary: String,
        /// What went wrong.
        findings: Vec<Finding>,
    },
    /// The check is not for such players.
    Skipped,
}

/// Counts what went well, and keeps what is to be said.
#[derive(Default)]
pub(super) struct Shares {
    pub(super) good: usize,
    pub(super) all: usize,
    findings: Vec<Finding>,
}

impl Shares {
    pub(super) fn add(&mut self, result: Result<(), Box<Finding>>) {
        self.all += 1;
        match result {
            Ok(()) => self.good += 1,
            Err(finding) => self.findings.push(*finding),
        }
    }

    /// Adds others.
    pub(super) fn join(&mut self, others: Shares) {
        self.good += others.good;
        self.all += others.all;
        self.findings.extend(others.findings);
    }

    /// The points in proportion to what went well.
    pub(super) fn verdict(self) -> CheckVerdict {
        let share = self.good as f64 / self.all.max(1) as f64;
        let summary = format!("{} of {}", self.good, self.all);
        self.with(share, summary)
    }

    /// This part of the points.
    pub(super) fn with(mut self, share: f64, summary: String) -> CheckVerdict {
        let more = self.findings.len().saturating_sub(MOST_FINDINGS);
        self.findings.truncate(MOST_FINDINGS);
        if more > 0 {
            self.findings.push(Finding::of_no_position(format!("and {more} more")));
        }
        CheckVerdict::Graded { share, summary, findings: self.findings }
    }
}

impl Finding {
    /// Something that went wrong in a position.
    pub(super) fn at(position: &HostedPosition, said: String) -> Finding {
        let (state, board) = (position.state_word(), position.board());
        Finding { state, board, said, ..Finding::default() }
    }

    /// The same, as the error of something that may go well: a small one.
    pub(super) fn boxed(self) -> Box<Finding> {
        Box::new(self)
    }

    /// Something that went wrong, wherever.
    pub(super) fn of_no_position(said: String) -> Finding {
        Finding { said, ..Finding::default() }
    }
}
