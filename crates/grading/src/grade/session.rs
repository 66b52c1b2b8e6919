//! The grading of one player.

use std::cell::{Cell, OnceCell};
use std::time::Duration;

use plyground::Side;
use plyground::search::Options;
use plyground_durable::excerpt;
use plyground_host::external::NotReady;
use plyground_host::player::{Absent, Player};
use plyground_host::referee::Interrupted;
use plyground_host::state::LineEnds;
use plyground_host::{EngineOptions, Fault};
use plyground_sandbox::{ProcessLimits, SandboxPolicy};

use super::check::CheckKind;
use super::draw::{DrawnCheck, Task};
use super::games::RandomGames;
use super::grading::Alarm;
use super::grading::{Examinee, Grader};
use super::results::{CheckResult, Finding, GradeResults, not_counted};
use super::sight::{blind_side, number};
use super::verdict::{CheckVerdict, Shares};
use plyground_arena::programs::StderrLog;
use plyground_arena::seat::{PlayerSetup, make_player};

/// The memory for the transposition table of an engine player, in MiB.
const TABLE: usize = 16;

/// The message when there is no time left.
pub(super) const NO_TIME: &str = "not done: the time for this submission is over";

/// The number of late answers in a row after which a program is asked only once in each check.
const PATIENCE: u32 = 3;

/// The message for a position in which such a program is not asked.
pub(super) const TOO_SLOW: &str = "not asked: the program exceeded its time again and again";

/// The part of its points that a check must earn so that the checks that need it count.
const ENOUGH: f64 = 0.5;

/// The grading of one player.
pub(super) struct Session<'a> {
    pub(super) grader: &'a Grader,
    pub(super) examinee: &'a Examinee,
    /// The alarm that is raised when the time for the whole session is over.
    pub(super) alarm: Alarm,
    pub(super) games: Vec<RandomGames>,
    pub(super) stderr: StderrLog,
    /// The line ends of the files that the player reads.
    pub(super) line_ends: LineEnds,
    /// The number of plies that is added to each depth that the player is told.
    pub(super) miscount: i32,
    /// The side as which the player sees nothing, if known so far.
    pub(super) blind: Option<Side>,
    /// The things that a person should look at.
    pub(super) marks: Vec<String>,
    /// The reason why the OS could not run the player's program, if it could not.
    trouble: OnceCell<String>,
    /// The number of late answers in a row.
    late: Cell<u32>,
}

impl<'a> Session<'a> {
    /// Begins a session. The player's time begins to run.
    pub(super) fn new(grader: &'a Grader, examinee: &'a Examinee) -> Session<'a> {
        let logs = grader.programs.logs.as_ref();
        Session {
            grader,
            examinee,
            alarm: Alarm::after(grader.total),
            games: Vec::new(),
            stderr: StderrLog::new(logs.map(|folder| folder.join(&examinee.log))),
            line_ends: LineEnds::CrLf,
            miscount: 0,
            blind: None,
            marks: Vec::new(),
            trouble: OnceCell::new(),
            late: Cell::new(0),
        }
    }

    /// Makes every check and counts the points. The checks that determine how to treat the player
    /// come first.
    pub(super) fn make_all(mut self) -> Result<GradeResults, Interrupted> {
        let checks = &self.grader.checks;
        let mut order: Vec<usize> = (0..checks.len()).collect();
        // The games come last, because a player that is blind as one side is judged only by the
        // games of the other side.
        order.sort_by_key(|&index| match &checks[index].check.kind {
            CheckKind::BeatsRandom { .. } => 2,
            kind => u8::from(!kind.is_probe()),
        });
        let mut verdicts: Vec<Option<CheckVerdict>> = checks.iter().map(|_| None).collect();
        let (gate, mut made_again) = (&self.grader.gate, Vec::new());
        for index in order {
            self.blind = blind_side(verdicts.iter().flatten().filter_map(CheckVerdict::sight));
            verdicts[index] = Some(gate.through(|again| {
                if let Some(why) = again {
                    let name = &checks[index].check.name;
                    made_again.push(format!("The check `{name}` was made again, alone: {why}."));
                }
                let verdict = self.make(&checks[index]);
                let trouble = self.trouble.take();
                trouble.map_or(Ok(verdict), |why| {
                    // A check is tried at most twice, so this message names it.
                    let name = &checks[index].check.name;
                    let why = again.map_or(why.clone(), |_| format!("the check `{name}`: {why}"));
                    Err(Interrupted::System { why })
                })
            })?);
        }
        let blind = blind_side(verdicts.iter().flatten().filter_map(CheckVerdict::sight));
        let (mut results, mut skipped) = (Vec::new(), Vec::new());
        for (drawn, verdict) in checks.iter().zip(verdicts.into_iter().flatten()) {
            let graded = match verdict {
                CheckVerdict::Seen(sight) => sight.graded(blind),
                CheckVerdict::Graded(graded) => graded,
                CheckVerdict::Skipped => {
                    skipped.push(drawn.check.name.as_str());
                    continue;
                }
            };
            results.push(CheckResult::new(&drawn.check, graded));
        }
        take_needed(checks, &mut results);
        if !made_again.is_empty() {
            self.marks.push("made again".to_owned());
        }
        self.marks.extend(blind.map(|side| format!("sees nothing as player {}", number(side))));
        let notes =
            self.sandbox().into_iter().chain(not_counted(&skipped)).chain(made_again).collect();
        let leaderboard = self.leaderboard();
        let build_log = String::new();
        self.marks.extend(missing_module(&results));
        let is_cut = |result: &CheckResult| result.findings.iter().any(|it| it.said == NO_TIME);
        if results.iter().any(is_cut) {
            self.marks.push("its time was over before all was done".to_owned());
        }
        let marks = std::mem::take(&mut self.marks);
        Ok(GradeResults {
            checks: results,
            notes,
            leaderboard,
            not_started: None,
            marks,
            build_log,
        })
    }

    /// Describes the sandbox, if the player is an external program.
    fn sandbox(&self) -> Option<String> {
        let player = self.examinee.player.at(Some(1)).ok()?;
        let level = self.grader.programs.level();
        player.is_external().then(|| format!("It ran in a sandbox of the level {level}."))
    }

    fn make(&mut self, drawn: &DrawnCheck) -> CheckVerdict {
        let kind = &drawn.check.kind;
        if kind.is_about_files() && !self.exchanges_files()
            || kind.is_about_opinions() && !self.has_opinions()
        {
            return CheckVerdict::Skipped;
        }
        let tasks = &drawn.tasks;
        let shares = match kind {
            CheckKind::Sees { depth, enough, .. } => {
                return CheckVerdict::Seen(self.sees_all(tasks, *depth, *enough));
            }
            CheckKind::CountsDepth { .. } => return self.counts_depth(tasks),
            CheckKind::ReadsFiles { depth } => return self.reads_files(tasks, *depth),
            CheckKind::Faultless { depth, games } => return self.faultless(*depth, *games),
            CheckKind::BeatsRandom { depth, games, from, share } => {
                return self.beats_random(*depth, *games, *from, *share);
            }
            CheckKind::Time { depth, limit } => {
                self.each(tasks, |session, task| session.in_time(task, *depth, *limit))
            }
            CheckKind::AcceptsLegal => self.each(tasks, Session::accepts_legal),
            CheckKind::RefusesIllegal { moves: tried } => {
                self.each(tasks, |session, task| session.refuses_illegal(task, tried))
            }
            CheckKind::FileFormat { depth } => return self.keeps_format(tasks, *depth),
            CheckKind::LineEnds { depth } => {
                self.each(tasks, |session, task| session.keeps_line_ends(task, *depth))
            }
            CheckKind::PrintsScore { depth } => return self.prints_score(tasks, *depth),
            CheckKind::StopsWhenOver { depth } => {
                self.each(tasks, |session, task| session.stops_when_over(task, *depth))
            }
            CheckKind::WritesNothingWhenOver { depth } => {
                self.each(tasks, |session, task| session.writes_nothing(task, *depth))
            }
        };
        shares.verdict()
    }

    /// Makes the same check in every position.
    pub(super) fn each(
        &self,
        tasks: &[Task],
        mut check: impl FnMut(&Self, &Task) -> Result<(), Box<Finding>>,
    ) -> Shares {
        let mut shares = Shares::default();
        for (index, task) in tasks.iter().enumerate() {
            if self.trouble.get().is_some() {
                break;
            }
            if let Some(why) = self.why_unasked(index) {
                shares.add(Err(Finding::of_no_position(why.to_owned()).boxed()));
                continue;
            }
            let result = check(self, task);
            // An answer that was cut short says nothing about the player.
            let is_cut = self.alarm.is_over();
            let cut = || Err(Finding::of_no_position(NO_TIME.to_owned()).boxed());
            shares.add(if is_cut { cut() } else { result });
        }
        shares
    }

    /// Returns the reason not to ask the player again, if any. `asked` is the number of questions so
    /// far in this check.
    pub(super) fn why_unasked(&self, asked: usize) -> Option<&'static str> {
        if self.alarm.is_over() {
            return Some(NO_TIME);
        }
        (asked > 0 && self.late.get() >= PATIENCE).then_some(TOO_SLOW)
    }

    /// Counts late answers in a row.
    pub(super) fn heed_time(&self, fault: Option<&Fault>) {
        let is_late = matches!(fault, Some(Fault::WallLimit { .. } | Fault::CpuLimit { .. }));
        self.late.set(if is_late { self.late.get() + 1 } else { 0 });
    }

    /// Records a fault of the OS, and returns the fault.
    pub(super) fn heed(&self, fault: Fault) -> Fault {
        if let Fault::System { why } = &fault {
            // The first fault is as good as any other.
            let _ = self.trouble.set(why.clone());
        }
        fault
    }

    /// Returns the finding about a fault in a position.
    pub(super) fn fault_in(&self, task: &Task, fault: Fault) -> Finding {
        let fault = self.heed(fault);
        let stderr = self.stderr.end();
        Finding { stderr, ..Finding::at(&task.position, fault.to_string()) }
    }

    /// Returns the sandbox policy for a program. Earlier standard error is forgotten.
    pub(super) fn policy(&self) -> SandboxPolicy {
        self.stderr.forget();
        let stop = Some(self.alarm.flag());
        let policy = self.grader.programs.policy(None, stop, &self.examinee.log);
        SandboxPolicy { log: self.stderr.path().map(ToOwned::to_owned), ..policy }
    }

    /// Returns the sandbox policy for a program that must move within `limit`. The wall-time limit
    /// only ends programs that hang.
    pub(super) fn policy_for(&self, limit: Duration) -> SandboxPolicy {
        let policy = self.policy();
        let ProcessLimits { cpu, wall, .. } = policy.limits;
        let cpu = cpu.into_iter().chain([limit * 2]).min();
        let wall = wall.into_iter().chain([limit * 5]).max();
        SandboxPolicy { limits: ProcessLimits { cpu, wall, ..policy.limits.clone() }, ..policy }
    }

    /// Returns the depth to tell the player so that it looks `depth` plies ahead.
    pub(super) fn told(&self, depth: u32) -> u32 {
        depth.saturating_add_signed(self.miscount).max(1)
    }

    /// Creates a player for one game. It is told to look `depth` plies ahead if it can be told;
    /// `seed` is for its random choices.
    pub(super) fn seat(&self, depth: Option<u32>, seed: u64) -> Box<dyn Player> {
        self.seat_held(depth, seed, self.policy())
    }

    /// Creates a player for one game, with this sandbox policy if it is an external program.
    pub(super) fn seat_held(
        &self,
        depth: Option<u32>,
        seed: u64,
        policy: SandboxPolicy,
    ) -> Box<dyn Player> {
        let spec = match self.examinee.player.at(depth) {
            Ok(spec) => spec,
            Err(error) => return Box::new(Absent::new(NotReady::Program(error.to_string()))),
        };
        let search = Options { table_mib: TABLE, ..Options::default() };
        let setup = PlayerSetup {
            engine: EngineOptions { search, book: None, without_prepared: true },
            policy,
            // A slip costs only the points of the format.
            lenient: true,
            line_ends: self.line_ends,
            depth,
            seed,
            ..PlayerSetup::default()
        };
        make_player(&self.grader.game, &spec, setup)
    }
}

/// The words of Python before the name of a missing module.
const NO_MODULE: &str = "No module named '";

/// Returns a mark if the program needs a Python module that neither this computer nor the
/// submission has.
fn missing_module(results: &[CheckResult]) -> Option<String> {
    let mut texts = results
        .iter()
        .flat_map(|result| &result.findings)
        .flat_map(|finding| [&finding.stderr, &finding.said]);
    let name = texts
        .find_map(|text| text.split_once(NO_MODULE)?.1.split_once('\''))
        .map(|(name, _)| name)?;
    Some(format!(
        "the module `{}` of Python is not there: install it, and grade again",
        excerpt(name)
    ))
}

/// Takes the points of checks that need another check with too few points.
fn take_needed(checks: &[DrawnCheck], results: &mut [CheckResult]) {
    let before = results.to_vec();
    for result in results {
        let drawn = checks.iter().find(|drawn| drawn.check.name == result.name);
        let Some(needed) = drawn.and_then(|drawn| drawn.check.needs.as_ref()) else { continue };
        let Some(other) = before.iter().find(|other| other.name == *needed) else { continue };
        if other.score < ENOUGH * other.max_score {
            result.score = 0.0;
            let why = format!("; counts only with half the points of `{needed}`");
            result.summary += &why;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::check::Visibility;

    #[test]
    fn module_that_is_not_there_is_named() {
        let result = |stderr: &str| CheckResult {
            name: String::new(),
            score: 0.0,
            max_score: 1.0,
            visibility: Visibility::Visible,
            shows_expected: false,
            asks: String::new(),
            why: String::new(),
            sentence: String::new(),
            summary: String::new(),
            findings: vec![Finding { stderr: stderr.to_owned(), ..Finding::default() }],
        };
        assert_eq!(missing_module(&[result("ValueError: 1")]), None);
        let error = "Traceback:\nModuleNotFoundError: No module named 'numpy'";
        let mark = missing_module(&[result(""), result(error)]).unwrap_or_default();
        assert!(mark.contains("`numpy`") && mark.contains("install it"), "{mark}");
    }
}
