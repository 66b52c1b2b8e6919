//! The verdict of a check.

use plyground_host::HostedPosition;

use super::results::Finding;
use super::sight::Sight;

/// The greatest number of failures that are listed. The others are only counted.
const MOST_FINDINGS: usize = 5;

/// The verdict of a check.
pub(super) enum CheckVerdict {
    /// The check was made.
    Graded(Graded),
    /// The player was asked for its moves. The points depend on all checks of this kind together.
    Seen(Sight),
    /// The check does not apply to the player.
    Skipped,
}

/// The points of a check that was made.
pub(super) struct Graded {
    /// The part of the points earned, from 0 to 1.
    pub(super) share: f64,
    /// The outcome, in one line.
    pub(super) summary: String,
    /// The failures.
    pub(super) findings: Vec<Finding>,
}

impl CheckVerdict {
    /// Returns the right and wrong answers of the player, if the check asked for moves.
    pub(super) fn sight(&self) -> Option<&Sight> {
        if let CheckVerdict::Seen(sight) = self { Some(sight) } else { None }
    }
}

/// The parts of a check that passed or failed, and the findings about them.
#[derive(Default)]
pub(super) struct Shares {
    /// The outcome of each part, in order: true if the part passed.
    pub(super) passed: Vec<bool>,
    findings: Vec<Finding>,
}

impl Shares {
    pub(super) fn add(&mut self, result: Result<(), Box<Finding>>) {
        self.passed.push(result.is_ok());
        self.findings.extend(result.err().map(|finding| *finding));
    }

    /// Returns the number of parts that passed.
    pub(super) fn good(&self) -> usize {
        self.passed.iter().filter(|&&passed| passed).count()
    }

    /// Returns the number of parts.
    pub(super) fn all(&self) -> usize {
        self.passed.len()
    }

    /// Adds the parts and findings of `others`.
    pub(super) fn join(&mut self, others: Shares) {
        self.passed.extend(others.passed);
        self.findings.extend(others.findings);
    }

    /// Returns a verdict with points in proportion to the parts that passed.
    pub(super) fn verdict(self) -> CheckVerdict {
        let share = self.good() as f64 / self.all().max(1) as f64;
        let summary = format!("{} of {}", self.good(), self.all());
        self.with(share, summary)
    }

    /// Returns a verdict with the given part of the points.
    pub(super) fn with(self, share: f64, summary: String) -> CheckVerdict {
        CheckVerdict::Graded(self.graded(share, summary))
    }

    /// Returns the given part of the points with the findings, of which only the first are kept.
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
    /// Returns a finding about a position.
    pub(super) fn at(position: &HostedPosition, said: String) -> Finding {
        let (state, board) = (position.state_word(), position.board());
        Finding { state, board, said, ..Finding::default() }
    }

    /// Boxes the finding, so that results with this error stay small.
    pub(super) fn boxed(self) -> Box<Finding> {
        Box::new(self)
    }

    /// Returns a finding that has no position.
    pub(super) fn of_no_position(said: String) -> Finding {
        Finding { said, ..Finding::default() }
    }
}
