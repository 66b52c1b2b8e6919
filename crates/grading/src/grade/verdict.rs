//! The verdict of a check, of the opinions about several moves, and of the layout of a file.

use plyground::{Game, Side};
use plyground_durable::plain_text::{decode_layout, with_single_cr};
use plyground_host::state::LineEnds;
use plyground_host::{Fault, HostedPosition, MoveText, Text};

use super::draw::Task;
use super::games::Judge;
use super::results::Finding;
use super::session::Session;
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
        let (state, board) = (position.state_word(), position.text(Text::Board));
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

/// The number of legal moves of a position that the player is asked about, at most.
const MOST_ASKED: usize = 3;

impl Session<'_> {
    pub(super) fn has_opinions(&self) -> bool {
        self.seat(None, 0).judges_moves()
    }

    /// Asks the player about moves in a position, both as the side that makes them and as the
    /// opponent. Stops at the first wrong answer.
    fn judge(
        &self,
        task: &Task,
        moves: impl IntoIterator<Item = MoveText>,
    ) -> Result<(), Box<Finding>> {
        let side = task.position.side_to_move();
        let mut judges = [(side, "an own move"), (side.other(), "a move of the opponent")]
            .map(|(side, role)| (self.judge_of(side), role));
        for mv in moves {
            let line = [&task.moves[..], &[mv]].concat();
            let truth = task.position.check_legal(mv).is_ok();
            for (judge, role) in &mut judges {
                let opinion = judge.opinion(&line).map_err(|fault| self.heed(fault));
                if opinion != Ok(truth) {
                    return Err(self.wrong(task, mv, role, opinion));
                }
            }
        }
        Ok(())
    }

    fn judge_of(&self, side: Side) -> Judge<'_> {
        Judge::new(self.grader.game.start(), side, || self.seat(None, self.grader.seed))
    }

    pub(super) fn accepts_legal(&self, task: &Task) -> Result<(), Box<Finding>> {
        let legal: Vec<MoveText> = task.position.legal_moves().collect();
        // A new player judges each move: one that has begun to accept everything is right about
        // legal moves.
        let asked = legal.iter().step_by(legal.len().div_ceil(MOST_ASKED).max(1));
        asked.copied().try_for_each(|mv| self.judge(task, [mv]))
    }

    pub(super) fn refuses_illegal(
        &self,
        task: &Task,
        tried: &[String],
    ) -> Result<(), Box<Finding>> {
        let moves = tried.iter().filter_map(|text| task.position.parse_move(text));
        self.judge(task, moves.filter(|&mv| task.position.check_legal(mv).is_err()))
    }

    /// Describes a wrong opinion.
    fn wrong(
        &self,
        task: &Task,
        mv: MoveText,
        role: &str,
        opinion: Result<bool, Fault>,
    ) -> Box<Finding> {
        let word = |is_legal| if is_legal { "legal" } else { "illegal" };
        let truth = word(task.position.check_legal(mv).is_ok());
        let (found, stderr) = match opinion {
            Ok(said) => (format!("it was taken for {}", word(said)), String::new()),
            Err(fault) => (format!("it led to: {fault}"), self.stderr.end()),
        };
        let said = format!("{mv} is {truth}; as {role} {found}");
        Finding { stderr, ..Finding::at(&task.position, said) }.boxed()
    }
}

/// Returns the lines of a file with any line ends. CR CR LF is one line end. Empty lines at the end
/// do not count; text in front of the first line does.
pub(super) fn lines(bytes: &[u8]) -> Vec<String> {
    lines_of(&String::from_utf8_lossy(bytes))
}

/// Returns true if the whole file has these line ends, with any text in its lines. A byte order
/// mark and UTF-16 do not count.
pub(super) fn ends_in(bytes: &[u8], ends: LineEnds) -> bool {
    let found = decode_layout(bytes);
    ends.lay_out(&lines_of(&found).join("\n")) == found
}

fn lines_of(text: &str) -> Vec<String> {
    let text = with_single_cr(text).replace("\r\n", "\n").replace('\r', "\n");
    text.trim_end_matches('\n').split('\n').map(str::to_owned).collect()
}

/// Describes the line ends of a file in words.
pub(super) fn describe(bytes: &[u8]) -> String {
    let text = decode_layout(bytes);
    let doubled = text.matches("\r\r\n").count();
    let text = with_single_cr(&text);
    let (crlf, lf, cr) = counts(&text);
    let ends: Vec<_> = [(doubled, "CR CR LF"), (crlf - doubled, "CR LF"), (lf, "LF"), (cr, "CR")]
        .into_iter()
        .filter_map(|(count, name)| (count > 0).then_some(name))
        .collect();
    let ends = if ends.is_empty() { "nothing".to_owned() } else { ends.join(" and ") };
    let without_last = text.trim_end_matches(['\r', '\n']);
    let last = &text[without_last.len()..];
    let last = match counts(last) {
        (0, 0, 0) => ", the last one in nothing",
        (1, 0, 0) | (0, 1, 0) | (0, 0, 1) => "",
        _ => ", with empty lines at the end",
    };
    format!("its lines end in {ends}{last}")
}

/// Counts the line ends: CR LF, LF alone and CR alone.
fn counts(text: &str) -> (usize, usize, usize) {
    let crlf = text.matches("\r\n").count();
    (crlf, text.matches('\n').count() - crlf, text.matches('\r').count() - crlf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_whatever_they_end_in() {
        for text in
            ["12\r\n3\r\n", "12\n3\n", "12\n3", "12\r3\r", "12\r\n3\r\n\r\n", "12\r\r\n3\r\r\n"]
        {
            assert_eq!(lines(text.as_bytes()), ["12", "3"], "{text:?}");
        }
        assert_ne!(lines(b"12 \n3\n"), ["12", "3"]);
    }

    #[test]
    fn line_ends_are_judged_alone() {
        for text in ["12\r\n3\r\n", "12 \r\n\r\n3\r\n", "\u{feff}12\r\n3\r\n"] {
            assert!(ends_in(text.as_bytes(), LineEnds::CrLf), "{text:?}");
        }
        for text in ["12\r\n3", "12\r\n3\n", "12\r\r\n3\r\r\n", "12\r\n3\r\n\r\n", "12\r3\r"] {
            assert!(!ends_in(text.as_bytes(), LineEnds::CrLf), "{text:?}");
            assert!(!ends_in(text.as_bytes(), LineEnds::Lf), "{text:?}");
        }
        assert!(ends_in(b"12\n3\n", LineEnds::Lf));
    }

    #[test]
    fn ends_are_named() {
        for (text, words) in [
            ("12\r\n3\r\n", "its lines end in CR LF"),
            ("12\n3\n", "its lines end in LF"),
            ("12\r\r\n3\r\r\n", "its lines end in CR CR LF"),
            ("\u{feff}12\r\n3\r\n", "its lines end in CR LF"),
            ("12\r\n3", "its lines end in CR LF, the last one in nothing"),
            ("12\n3\r\n", "its lines end in CR LF and LF"),
            ("12\n3\n\n", "its lines end in LF, with empty lines at the end"),
            ("123", "its lines end in nothing, the last one in nothing"),
        ] {
            assert_eq!(describe(text.as_bytes()), words);
        }
    }
}
