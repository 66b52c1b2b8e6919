//! The replies of an opening, solved by several threads at a time.

use std::io;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use indicatif::style::ProgressTracker;
use indicatif::{HumanCount, ProgressBar, ProgressState};
use network::solution::{Reply, letters_of_proof};
use network::{Color, Move, Position, Win};
use plyground::Limits;
use plyground::cli::progress;
use plyground::journal::Journal;
use plyground::proof::Prover;
use plyground::search::Watch;

/// What is asked about every reply.
#[derive(Clone, Debug)]
pub struct Question {
    /// Who is to win.
    pub color: Color,
    /// By which chip: the first that suffices.
    pub chips: RangeInclusive<usize>,
    /// Whether a single reply that the color does not win against settles the matter.
    pub must_win_all: bool,
    /// Whether the answers of the color are wanted, too.
    pub with_answers: bool,
}

impl Question {
    /// Whether nothing else needs to be known.
    fn is_settled_by(&self, finding: &Finding) -> bool {
        self.must_win_all && finding.chip.is_none()
    }
}

/// What was found out about a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The number of the reply.
    pub index: usize,
    /// By which chip the color wins; `None` if by none that was asked for.
    pub chip: Option<usize>,
    /// Positions visited.
    pub nodes: u64,
    /// The color's answers, if they were wanted, as in a strategy.
    pub letters: String,
}

/// What stands for a chip where none suffices.
const NO_CHIP: &str = "-";

impl Finding {
    /// The finding of a line of a journal about so many replies.
    pub fn parse(line: &str, replies: usize) -> Option<Finding> {
        let mut fields = line.split(' ');
        let index = fields.next()?.parse().ok().filter(|&index| index < replies)?;
        let chip = match fields.next()? {
            NO_CHIP => None,
            chip => Some(chip.parse().ok()?),
        };
        let nodes = fields.next()?.parse().ok()?;
        let letters = fields.next()?.to_owned();
        fields.next().is_none().then_some(Finding { index, chip, nodes, letters })
    }

    fn line(&self) -> String {
        let chip = self.chip.map_or_else(|| NO_CHIP.to_owned(), |chip| chip.to_string());
        format!("{} {chip} {} {}", self.index, self.nodes, self.letters)
    }
}

/// What the threads share.
pub struct Work<'a> {
    replies: &'a [Reply],
    question: Question,
    prover: Prover,
    /// The first reply that no thread has taken.
    next: AtomicUsize,
    state: Mutex<State>,
    watch: Arc<Watch>,
    /// Raised when the user interrupts, and when a reply is refuted that had to be won.
    pub stop: Arc<AtomicBool>,
}

struct State {
    findings: Vec<Option<Finding>>,
    journal: Option<Journal>,
    /// Why the journal cannot be written any more.
    failure: Option<io::Error>,
    bar: ProgressBar,
}

impl<'a> Work<'a> {
    /// Work that has not begun.
    pub fn new(
        replies: &'a [Reply],
        question: Question,
        memory: usize,
        stop: Arc<AtomicBool>,
    ) -> Work<'a> {
        let findings = vec![None; replies.len()];
        let bar = ProgressBar::hidden();
        let state = State { findings, journal: None, failure: None, bar };
        Work {
            replies,
            question,
            prover: Prover::new(memory),
            next: AtomicUsize::new(0),
            state: Mutex::new(state),
            watch: Arc::new(Watch::default()),
            stop,
        }
    }

    /// Takes in what was found before, and keeps what will be.
    pub fn resume(&mut self, journal: Journal, findings: Vec<Finding>) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for finding in findings {
            if self.question.is_settled_by(&finding) {
                self.stop.store(true, Ordering::Relaxed);
            }
            let index = finding.index;
            state.findings[index] = Some(finding);
        }
        state.journal = Some(journal);
    }

    /// Solves what is not solved yet, as far as it is not stopped, and returns all findings.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written.
    pub fn run(&self, threads: NonZeroUsize) -> io::Result<Vec<Option<Finding>>> {
        self.lock().bar = self.progress_bar();
        thread::scope(|scope| {
            for _ in 0..threads.get() {
                scope.spawn(|| self.solve_replies());
            }
        });
        let mut state = self.lock();
        state.bar.finish_and_clear();
        state.failure.take().map_or_else(|| Ok(std::mem::take(&mut state.findings)), Err)
    }

    fn solve_replies(&self) {
        while let Some(index) = self.take() {
            let Some(finding) = self.solve(index) else { return };
            self.give(finding);
        }
    }

    /// The number of a reply that is not solved.
    fn take(&self) -> Option<usize> {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.replies.len() || self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let state = self.lock();
            if state.findings[index].is_none() {
                state.bar.set_message(moves_text(&self.replies[index].moves));
                return Some(index);
            }
        }
    }

    /// What there is to find out about a reply; `None` when the work was stopped before.
    fn solve(&self, index: usize) -> Option<Finding> {
        let position = &self.replies[index].position;
        let limits = Limits {
            stop: Some(Arc::clone(&self.stop)),
            watch: Some(Arc::clone(&self.watch)),
            ..Limits::default()
        };
        let goal = Win::new(position, self.question.color);
        let mut finding = Finding { index, chip: None, nodes: 0, letters: String::new() };
        for chip in self.question.chips.clone() {
            let plies = plies_to(position, self.question.color, chip);
            let proof = self.prover.prove(&goal, position, plies, &limits);
            finding.nodes += proof.nodes;
            if proof.reached? {
                finding.chip = Some(chip);
                if self.question.with_answers {
                    let letters = letters_of_proof(&self.prover, position, plies, &limits);
                    finding.letters = letters.ok()?;
                }
                break;
            }
        }
        Some(finding)
    }

    fn give(&self, finding: Finding) {
        let settles = self.question.is_settled_by(&finding);
        let mut state = self.lock();
        let State { journal, failure, bar, findings } = &mut *state;
        if let Some(Err(error)) = journal.as_mut().map(|journal| journal.add(&finding.line())) {
            *failure = Some(error);
        }
        if settles || failure.is_some() {
            self.stop.store(true, Ordering::Relaxed);
        }
        let index = finding.index;
        findings[index] = Some(finding);
        bar.inc(1);
    }

    /// A line on standard error, if that is a terminal: the replies solved, the one that was
    /// begun last, the speed, and the time left.
    fn progress_bar(&self) -> ProgressBar {
        let template = "{elapsed_precise}  {pos} of {len} replies {wide_bar}  \
            now {msg}, {speed} nodes/s, {eta} left";
        let style = progress::style(template).with_key("speed", speed_of(&self.watch));
        let known = self.lock().findings.iter().flatten().count() as u64;
        let bar = progress::bar(self.replies.len() as u64, style).with_position(known);
        // What was known before took no time.
        bar.reset_eta();
        bar
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What shows in a progress line how many nodes a second are visited.
pub fn speed_of(watch: &Arc<Watch>) -> impl ProgressTracker + use<> {
    let watch = Arc::clone(watch);
    move |state: &ProgressState, line: &mut dyn std::fmt::Write| {
        let seconds = state.elapsed().as_secs_f64().max(f64::EPSILON);
        // A progress line that can not be written is not worth a complaint.
        let _ = write!(line, "{}", HumanCount((watch.nodes() as f64 / seconds) as u64));
    }
}

/// Moves with blanks between them.
pub fn moves_text(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// The plies that `color`, which is to move, has until its chip of this number.
fn plies_to(position: &Position, color: Color, chip: usize) -> u32 {
    let left = chip.saturating_sub(position.chips(color).len()) as u32;
    (2 * left).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_read_back() {
        let found = |chip, letters: &str| Finding {
            index: 3,
            chip,
            nodes: 17,
            letters: letters.to_owned(),
        };
        for finding in [found(Some(8), "aZ0"), found(Some(10), ""), found(None, "")] {
            assert_eq!(Finding::parse(&finding.line(), 4), Some(finding));
        }
        for line in ["", "3", "3 8 17", "4 8 17 ", "3 x 17 ", "3 8 17 a b"] {
            assert_eq!(Finding::parse(line, 4), None, "{line}");
        }
    }
}
