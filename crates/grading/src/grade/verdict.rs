//! What a check has found.

use plyground_host::HostedPosition;

use super::results::Finding;
use super::sight::Sight;

/// Every failure is told, but no more of them than these.
const MOST_FINDINGS: usize = 5;

/// What a check has found.
pub(super) enum CheckVerdict {
    /// It was made.
    Graded(Graded),
    /// The player was asked what it sees: the points depend on all checks of this kind together.
    Seen(Sight),
    /// The check is not for such players.
    Skipped,
}

/// What a check that was made is worth.
pub(super) struct Graded {
    /// The part of the points earned, from 0 to 1.
    pub(super) share: f64,
    /// How it went, in one line.
    pub(super) summary: String,
    /// What went wrong.
    pub(super) findings: Vec<Finding>,
}

impl CheckVerdict {
    /// What the player was found to see, if that was asked.
    pub(super) fn sight(&self) -> Option<&Sight> {
        if let CheckVerdict::Seen(sight) = self { Some(sight) } else { None }
    }
}

/// Counts what went well, and keeps what is to be said.
#[derive(Default)]
pub(super) struct Shares {
    /// If true, that part went well, in the order of the parts.
    pub(super) passed: Vec<bool>,
    findings: Vec<Finding>,
}

impl Shares {
    pub(super) fn add(&mut self, result: Result<(), Box<Finding>>) {
        self.passed.push(result.is_ok());
        self.findings.extend(result.err().map(|finding| *finding));
    }

    /// The number of parts that went well.
    pub(super) fn good(&self) -> usize {
        self.passed.iter().filter(|&&passed| passed).count()
    }

    /// The number of parts.
    pub(super) fn all(&self) -> usize {
        self.passed.len()
    }

    /// Adds others.
    pub(super) fn join(&mut self, others: Shares) {
        self.passed.extend(others.passed);
        self.findings.extend(others.findings);
    }

    /// The points in proportion to what went well.
    pub(super) fn verdict(self) -> CheckVerdict {
        let share = self.good() as f64 / self.all().max(1) as f64;
        let summary = format!("{} of {}", self.good(), self.all());
        self.with(share, summary)
    }

    /// This part of the points.
    pub(super) fn with(self, share: f64, summary: String) -> CheckVerdict {
        CheckVerdict::Graded(self.graded(share, summary))
    }

    /// This part of the points.
    pub(super) fn graded(mut self, share: f64, summary: String) -> Graded {
        let more = self.findings.len().saturating_sub(MOST_FINDINGS);
        self.findings.truncate(MOST_FINDINGS);
        if more > 0 {
            self.findings.push(Finding::of_no_position(format!("and {more} more")));
        }
        Graded { share, summary, findings: self.findings }
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
