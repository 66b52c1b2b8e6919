//! Grading of one player, or of many at a time, and of students who have handed in nothing.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use plyground_durable::work::{NoThread, run_in_threads};
use plyground_durable::work::{cores, pin_to_core};
use plyground_durable::{cut, shown};
use plyground_host::external::{NOTHING_HANDED_IN, NotReady, PRINTED_LAST};
use plyground_host::referee::Interrupted;
use thiserror::Error;

use super::check::{Check, CheckKind, Players, Visibility};
use super::draw::DrawnCheck;
use super::games::review;
use super::results::{
    CheckResult, CheckStatus, GradeResults, OUT_OF_TIME, PlayReview, not_counted, not_there,
};
use super::session::{Examinee, Grader, NO_TIME, Session};
use super::verdict::{CheckVerdict, Shares, blind_side, number};
use crate::submissions::lack_told;

impl Grader {
    /// Makes every check and counts the points. A check that does not apply to the player does not
    /// count.
    ///
    /// # Errors
    ///
    /// Returns an error if the OS cannot run the player's program, which says nothing about the
    /// player.
    pub fn grade(&self, examinee: &Examinee) -> Result<GradeResults, GradeError> {
        let session = Session::new(self, examinee);
        let spec = examinee.player.at(None);
        let ready = spec.map_err(|error| NotReady::Program(error.to_string()));
        match ready.and_then(|spec| self.programs.make_ready(&*self.game, &spec, Some(1))) {
            Ok(()) => Ok(session.make_all()?),
            Err(NotReady::Program(why)) => {
                Ok(grade_absent(session.exchanges_files(), &self.checks, why))
            }
            Err(NotReady::Lacking(why) | NotReady::System(why)) => Err(GradeError::NotReady(why)),
        }
    }

    /// Returns the number of games of each player that are reviewed: none if the checks of these games are
    /// hidden from the students.
    pub fn reviewed_games(&self) -> usize {
        let is_hidden = |drawn: &DrawnCheck| {
            let plays = matches!(drawn.check.kind, CheckKind::Faultless | CheckKind::BeatsRandom);
            plays && drawn.check.visibility != Visibility::Visible
        };
        if self.checks.iter().any(is_hidden) { 0 } else { self.reviewed }
    }

    /// Returns the results of a student who handed in nothing: 0 points in each check that applies.
    pub fn nothing_handed_in(&self, examinee: &Examinee) -> GradeResults {
        let exchanges_files = Session::new(self, examinee).exchanges_files();
        grade_absent(exchanges_files, &self.checks, NOTHING_HANDED_IN.to_owned())
    }

    /// Grades all examinees, up to `jobs` at a time, each on a processor core of its own.
    /// `on_results` receives the index and the results of each examinee as soon as they are known,
    /// or the error that leaves the examinee without a grade. Such an error does not stop the
    /// others.
    ///
    /// # Errors
    ///
    /// Returns an error if `on_results` does, or if the OS has no more threads.
    pub fn grade_all<E: From<NoThread>>(
        &self,
        examinees: &[Examinee],
        jobs: NonZeroUsize,
        mut on_results: impl FnMut(usize, Result<GradeResults, GradeError>) -> Result<(), E>,
    ) -> Result<(), E> {
        let jobs = jobs.min(cores());
        let (given, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let next = || {
            let index = given.fetch_add(1, Ordering::Relaxed);
            // After a failure, no further examinee is begun.
            let examinee = examinees.get(index).filter(|_| !stop.load(Ordering::Relaxed));
            examinee.map(|examinee| (index, examinee))
        };
        let work = |job, (index, examinee): (usize, &Examinee)| {
            if jobs > NonZeroUsize::MIN {
                pin_to_core(job);
            }
            (index, self.grade(examinee))
        };
        run_in_threads(jobs, &stop, next, work, |(index, results)| on_results(index, results))
    }
}

/// The error that leaves a player without a grade. It is never the player's fault.
#[derive(Debug, Error)]
pub enum GradeError {
    /// The OS lacks something that the player's program needs to start.
    #[error("{0}")]
    NotReady(String),
    /// The OS cannot run the player's program.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// The number of moves asked for, for each legal one, above which a person should look at the program.
const FEW: u32 = 10;

/// Splits off the results of probes without points, which are there for the other checks and are no checks to pass.
/// Returns the other results, and a note about each such probe that failed.
fn without_probes(
    checks: &[DrawnCheck],
    results: Vec<CheckResult>,
) -> (Vec<CheckResult>, Vec<String>) {
    let is_probe = |result: &CheckResult| {
        let check = checks.iter().find(|it| it.check.name == result.name);
        let is_probe = check.is_some_and(|it| it.check.kind.row().is_probe);
        is_probe && result.max_score == 0.0 && checks.len() > 1
    };
    let (probes, results): (Vec<_>, Vec<_>) = results.into_iter().partition(is_probe);
    // A note has no visibility.
    let is_shown = |result: &&CheckResult| {
        result.visibility == Visibility::Visible && result.status() == CheckStatus::Failed
    };
    let note = |result: &CheckResult| format!("{}: {}.", result.name, result.summary);
    let notes = probes.iter().filter(is_shown).map(note).collect();
    (results, notes)
}

/// The mark of a player that is lost before it is asked, in whichever check that happens.
const LOST_EARLY: &str =
    "fails when it is told of moves, and loses the points of other checks by that";

/// The mark of a player that does not keep the moves that it is told to have made.
const FORGETS: &str =
    "does not keep the own moves that it is told, and loses the points of other checks by that";

/// The part of its points that a check must earn, or else the checks that need this check earn
/// nothing.
const ENOUGH: f64 = 0.5;

impl<'a> Session<'a> {
    /// Makes every check and counts the points. The checks that determine how to treat the player
    /// come first.
    pub(super) fn make_all(mut self) -> Result<GradeResults, Interrupted> {
        let gate = Arc::clone(&self.grader.gate);
        gate.through(|_| {
            self.heed_depth();
            self.trouble.take().map_or(Ok(()), |why| Err(Interrupted::System { why }))
        })?;
        let checks = &self.grader.checks;
        let mut order: Vec<usize> = (0..checks.len()).collect();
        order.sort_by_key(|&index| checks[index].check.kind.row().rank);
        let mut verdicts: Vec<Option<CheckVerdict>> = checks.iter().map(|_| None).collect();
        let (gate, mut made_again) = (&self.grader.gate, Vec::new());
        let mut slowest = (Duration::ZERO, "");
        for index in order {
            let before = self.allowance.spent();
            self.blind = blind_side(verdicts.iter().flatten().filter_map(CheckVerdict::sight));
            verdicts[index] = Some(gate.through(|again| {
                if let Some(why) = again {
                    // The trouble of the computer takes no time from the player; the games that are kept do.
                    self.allowance.return_to(before.max(self.kept));
                    let Check { name, visibility, .. } = &checks[index].check;
                    // A student does not learn the name of a check that is not visible.
                    let is_shown = *visibility == Visibility::Visible;
                    let note = || format!("The check `{name}` was made again, alone: {why}.");
                    made_again.push(is_shown.then(note));
                }
                let verdict = self.make(&checks[index]);
                let trouble = self.trouble.take();
                trouble.map_or(Ok(verdict), |why| {
                    // The check is not tried a third time, so the message names the check.
                    let name = &checks[index].check.name;
                    let why = again.map_or(why.clone(), |_| format!("the check `{name}`: {why}"));
                    Err(Interrupted::System { why })
                })
            })?);
            let (spent, check) = (self.allowance.spent() - before, &checks[index].check);
            if spent > slowest.0 && check.visibility == Visibility::Visible {
                slowest = (spent, &check.name);
            }
        }
        let blind = blind_side(verdicts.iter().flatten().filter_map(CheckVerdict::sight));
        let (mut results, mut skipped) = (Vec::new(), Vec::new());
        for (drawn, verdict) in checks.iter().zip(verdicts.into_iter().flatten()) {
            let graded = match verdict {
                CheckVerdict::Seen(sight) => sight.graded(blind),
                CheckVerdict::Graded(graded) => graded,
                CheckVerdict::Skipped => {
                    skipped.push(drawn);
                    continue;
                }
            };
            results.push(CheckResult::new(&drawn.check, graded));
        }
        take_needed(checks, &mut results);
        self.hide_folder(&mut results);
        if !made_again.is_empty() {
            self.marks.push("made again".to_owned());
        }
        self.marks.extend(blind.map(|side| format!("sees nothing as player {}", number(side))));
        // The check of the files says so itself.
        let has_check = checks.iter().any(|drawn| drawn.check.kind == CheckKind::ReadsFiles);
        let line_ends = self.line_ends.warning("The program").filter(|_| !has_check);
        let notes = self
            .sandbox()
            .into_iter()
            .chain(not_counted(&skipped))
            .chain(made_again.into_iter().flatten());
        let mut notes: Vec<String> = notes.chain(line_ends.map(|why| why + ".")).collect();
        let leaderboard = self.leaderboard();
        let review = self.review();
        let findings = results.iter().flat_map(|result| &result.findings);
        let texts = findings.flat_map(|finding| [&*finding.stderr, &*finding.said]);
        let folder = self.examinee.player.folder();
        self.marks.extend(lack_told(texts, folder).map(|lack| not_there(&lack, folder)));
        let is_cut = |result: &CheckResult| result.findings.iter().any(|it| it.said == NO_TIME);
        if results.iter().any(is_cut) {
            self.mark(OUT_OF_TIME.to_owned());
            let (_, check) = slowest;
            let total = self.grader.total.as_secs();
            let why = format!("{NO_TIME}; of its {total} s, the check `{check}` took the most");
            let findings = results.iter_mut().flat_map(|result| &mut result.findings);
            let cut = findings.filter(|it| it.said == NO_TIME && !check.is_empty());
            cut.for_each(|finding| finding.said.clone_from(&why));
        }
        let [made, asked] = self.moves.get();
        // A program that fails at its start is told of moves then, too.
        if made > 0 && self.lost_early.get() {
            self.mark(LOST_EARLY.to_owned());
        }
        if self.forgets {
            self.mark(FORGETS.to_owned());
        }
        if made > 0 && made * FEW < asked {
            self.mark(format!("moved only {made} of {asked} times"));
        }
        let marks = std::mem::take(&mut self.marks);
        let never_moved = (made == 0 && asked > 0).then(|| first_fault(checks, &results));
        let (results, probes) = without_probes(checks, results);
        notes.extend(probes);
        Ok(GradeResults {
            checks: results,
            notes,
            leaderboard,
            never_moved: never_moved.flatten(),
            marks,
            review,
            ..GradeResults::default()
        })
    }

    /// Leaves the folder of the submission out of the findings: its place is nothing for its author, and another one on
    /// another computer.
    fn hide_folder(&self, results: &mut [CheckResult]) {
        let Some(folder) = self.examinee.player.folder() else { return };
        let Ok(folder) = folder.canonicalize() else { return };
        let (place, inside) =
            (folder.to_string_lossy(), folder.join("").to_string_lossy().into_owned());
        for finding in results.iter_mut().flat_map(|result| &mut result.findings) {
            for text in [&mut finding.said, &mut finding.stderr] {
                *text = text.replace(&inside, "").replace(&*place, ".");
            }
        }
    }

    /// Reviews games against random moves, unless they are hidden from the students.
    fn review(&self) -> Option<PlayReview> {
        let most = self.grader.reviewed_games();
        let games = self.games.iter().flat_map(|games| &games.played).take(most);
        review(&self.grader.game, &games.collect::<Vec<_>>())
    }

    /// Describes the sandbox, if the player is an external program.
    fn sandbox(&self) -> Option<String> {
        let player = self.examinee.player.at(Some(1)).ok()?;
        let level = self.grader.programs.level();
        player.is_external().then(|| format!("It ran in a sandbox of the level {level}."))
    }

    fn make(&mut self, drawn: &DrawnCheck) -> CheckVerdict {
        let Check { kind, keys, .. } = &drawn.check;
        let is_for_player = match kind.row().players {
            Players::All => true,
            Players::FileExchange => self.exchanges_files(),
            Players::Interactive => self.has_interactive_mode(),
            Players::Judges => self.seat(None, 0).judges_moves(),
        };
        if !is_for_player {
            return CheckVerdict::Skipped;
        }
        let tasks = &drawn.tasks;
        // The reader has refused checks without the keys that their kind must have.
        let (depth, games) = (keys.depth.unwrap_or_default(), keys.games.unwrap_or_default());
        let shares = match kind {
            CheckKind::Sees => {
                let plies = keys.plies.unwrap_or_default();
                return CheckVerdict::Seen(self.sees_all(tasks, depth, plies, keys.enough));
            }
            CheckKind::CountsDepth => {
                return self.counts_depth(tasks, sight_of_points(&self.grader.checks));
            }
            CheckKind::ReadsFiles => return self.reads_files(tasks, depth),
            CheckKind::Faultless => return self.faultless(depth, games, tasks),
            CheckKind::BeatsRandom => {
                return self.beats_random(depth, games, keys.from, keys.share);
            }
            CheckKind::Time => {
                let limit = keys.limit.unwrap_or_default();
                self.in_time(tasks, keys.depth, limit)
            }
            CheckKind::AcceptsLegal => return self.accepts_legal(tasks),
            CheckKind::RefusesIllegal => return self.refuses_illegal(tasks, &keys.moves),
            CheckKind::FileFormat => return self.keeps_format(tasks, depth),
            CheckKind::LineEnds => self.keeps_line_ends(tasks, depth),
            CheckKind::Interactive => self.plays_a_person(tasks, depth, &keys.moves),
            CheckKind::PrintsScore => return self.prints_score(tasks, depth),
            CheckKind::StopsWhenOver => {
                self.each(tasks, |session, task| session.stops_when_over(task, depth))
            }
            CheckKind::WritesNothingWhenOver => {
                self.each(tasks, |session, task| session.writes_nothing(task, depth))
            }
        };
        shares.verdict()
    }
}

/// Returns the check that asks for points some moves ahead, the fewest, in positions that are drawn so that fewer moves
/// miss them.
fn sight_of_points(checks: &[DrawnCheck]) -> Option<&DrawnCheck> {
    let is_it = |drawn: &&DrawnCheck| {
        let Check { kind, positions, draw, keys, .. } = &drawn.check;
        let is_drawn = positions.is_empty() && !draw.is_empty();
        let is_needed = draw.iter().all(|rule| rule.needed && rule.gap.is_some());
        *kind == CheckKind::Sees && is_drawn && is_needed && keys.plies > Some(1)
    };
    checks.iter().filter(is_it).min_by_key(|drawn| drawn.check.keys.plies)
}

/// The greatest length of the first fault, in characters.
const LONGEST_FAULT: usize = 120;

/// The words in the errors of Java and Python at the end of the input, which is empty.
const ENDS_OF_INPUT: [&str; 2] = ["at java.base/java.util.Scanner", "EOF when reading a line"];

/// The words about a program that reads its input.
const ASKS: &str = "it asks a person to type (`start` in an --override can answer)";

/// Returns the first failure to move in a position, of the checks that students may see, because their feedback has
/// it: its first line, and the error that the program printed.
fn first_fault(checks: &[DrawnCheck], results: &[CheckResult]) -> Option<String> {
    // Opinions about moves are no moves.
    let asks_for_move = |result: &&CheckResult| {
        let drawn = checks.iter().find(|drawn| drawn.check.name == result.name);
        drawn.is_none_or(|drawn| drawn.check.kind.row().players != Players::Judges)
    };
    let visible = results.iter().filter(|result| result.visibility == Visibility::Visible);
    let visible = visible.filter(asks_for_move);
    let mut findings = visible.flat_map(|result| &result.findings);
    let finding = findings.find(|finding| !finding.state.is_empty())?;
    let said = finding.said.lines().next()?;
    let short = |words: &str| cut(&shown(words), LONGEST_FAULT).into_owned();
    // The prompt tells more than the name of the exception.
    if ENDS_OF_INPUT.iter().any(|name| finding.stderr.contains(name)) {
        return Some(short(&format!("{ASKS}: {said}")));
    }
    // That no file was written does not tell the cause, which the program itself often prints.
    let printed = || finding.stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.to_lowercase().contains("error");
    let cause = printed().rfind(is_error).or_else(|| printed().next());
    let cause = cause.filter(|cause| !said.contains(cause));
    // One cause is enough, and standard error comes nearer to it than the end of the output.
    let is_known = cause.is_some();
    let said = said.split_once(PRINTED_LAST).filter(|_| is_known).map_or(said, |it| it.0);
    let words = [Some(said), cause].into_iter().flatten().collect::<Vec<_>>().join(": ");
    Some(short(&words))
}

/// Takes the points of checks that need another check with too few points.
fn take_needed(checks: &[DrawnCheck], results: &mut [CheckResult]) {
    let before = results.to_vec();
    for result in results {
        let drawn = checks.iter().find(|drawn| drawn.check.name == result.name);
        let needs = drawn.map(|drawn| &*drawn.check.needs).unwrap_or_default();
        let mut others = before.iter().filter(|other| needs.contains(&other.name)).peekable();
        if others.peek().is_some() && others.all(|other| other.score < ENOUGH * other.max_score) {
            (result.score, result.share) = (0.0, Some(0.0));
            // A student does not learn the name of a check that is not visible.
            let hidden = |it: &&CheckResult| it.visibility != Visibility::Visible;
            let shown =
                |name: &String| match before.iter().filter(hidden).any(|it| it.name == *name) {
                    true => "a check that is not shown".to_owned(),
                    false => format!("`{name}`"),
                };
            let mut names: Vec<String> = needs.iter().map(shown).collect();
            names.dedup();
            result.summary +=
                &format!("; counts only with half the points of {}", names.join(" or "));
        }
    }
}

/// The summary of each check when the player cannot be started.
const ABSENT: &str = "not done: the submission cannot be started";

/// Returns the results of a player that cannot be started, for the reason `why`. No check is made;
/// all checks that apply to such a player have failed.
fn grade_absent(exchanges_files: bool, checks: &[DrawnCheck], why: String) -> GradeResults {
    let (made, skipped): (Vec<&DrawnCheck>, Vec<&DrawnCheck>) = checks.iter().partition(|drawn| {
        // Programs that exchange files never judge moves.
        let others = if exchanges_files { Players::Judges } else { Players::FileExchange };
        drawn.check.kind.row().players != others
    });
    let failed = |drawn: &&DrawnCheck| {
        CheckResult::new(&drawn.check, Shares::default().graded(0.0, ABSENT.to_owned()))
    };
    let notes = [Some(format!("It cannot be started: {why}")), not_counted(&skipped)];
    GradeResults {
        checks: without_probes(checks, made.iter().map(failed).collect()).0,
        notes: notes.into_iter().flatten().collect(),
        not_started: Some(why),
        ..GradeResults::default()
    }
}

#[cfg(test)]
mod tests {
    use plyground::{Game, Side};
    use plyground_arena::class_folder::SubmissionFolder;
    use plyground_arena::seat::PlayerTemplate;
    use plyground_host::toy::toy;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::grade::results::{Finding, Graded};
    use crate::grade::{draw_checks, parse_checks, session};

    type Failure = Box<dyn std::error::Error>;

    const CHECKS: &str = "\
        [[check]]\nname = 'wins are seen'\npoints = 4\nkind = 'sees'\ndepth = 2\nplies = 1\n\
        positions = ['1 4 2 5', '1 4 2 5 9']\nREASONS\
        draw = { count = 4, after = [4, 6], right = 1, moves = 3 }\n\
        [[check]]\nname = 'play is legal'\npoints = 2\nkind = 'faultless'\ndepth = 1\ngames = 4\nREASONS\
        [[check]]\nname = 'moves are fast'\npoints = 1\nkind = 'time'\nlimit = '1m'\n\
        positions = ['', '5']\nneeds = 'wins are seen'\nREASONS\
        [[check]]\nname = 'files are kept'\npoints = 1\nkind = 'file-format'\ndepth = 1\n\
        positions = ['']\nREASONS";

    /// Returns a grader of the toy game. `REASONS` stands for the keys with texts for people.
    fn grader() -> Grader {
        let text = CHECKS.replace("REASONS", "asks = 'a'\nwhy = 'w'\nsentence = 's'\n");
        let checks = parse_checks(&text).expect("checks");
        let checks = draw_checks(&*toy(), &checks, 1).expect("positions");
        Grader { checks, total: Duration::from_secs(600), ..session::tests::grader() }
    }

    /// A player may be right only at even depths, or only at odd depths.
    #[test]
    fn half_of_the_positions_take_one_ply_more() {
        let check = "[[check]]\nname = 'a'\npoints = 1\nkind = 'sees'\ndepth = 2\nplies = 2\n\
            asks = 'a'\nwhy = 'w'\nsentence = 's'\n\
            draw = { count = 8, after = [2, 4], moves = 3, further = true }\n";
        let checks = parse_checks(check).expect("checks");
        let drawn = draw_checks(&*toy(), &checks, 1).expect("positions");
        for side in Side::BOTH {
            let tasks = drawn[0].tasks.iter();
            let tasks = tasks.filter(|task| task.position.side_to_move() == side);
            assert_eq!(tasks.map(|task| task.plies).collect::<Vec<_>>(), [2, 3, 2, 3], "{side:?}");
        }
    }

    /// A slow player should earn the points of the checks without a search.
    #[test]
    fn what_takes_no_search_comes_first() {
        let ranks = grader().checks.iter().map(|it| it.check.kind.row().rank).collect::<Vec<_>>();
        assert_eq!(ranks, [2, 3, 2, 1]);
        assert!(CheckKind::AcceptsLegal.row().rank < CheckKind::CountsDepth.row().rank);
    }

    fn examinee(player: &str) -> Examinee {
        Examinee { player: player.into(), log: "log".to_owned() }
    }

    #[test]
    fn place_of_a_submission_is_in_no_finding() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().canonicalize()?.to_string_lossy().into_owned();
        let submission =
            SubmissionFolder { name: "ann".to_owned(), path: path.clone(), prepared: None };
        let player = PlayerTemplate::from("line:{folder}/a").of_submission(&submission);
        let (grader, examinee) = (grader(), Examinee { player, log: "log".to_owned() });
        let finding = Finding::of_no_position(format!("crash: no file {path}/b/c.txt"));
        let findings = vec![Finding { stderr: format!("in {path}"), ..finding }];
        let graded = Graded { share: 0.0, summary: String::new(), findings };
        let mut results = [CheckResult::new(&grader.checks[0].check, graded)];
        Session::new(&grader, &examinee).hide_folder(&mut results);
        let Finding { said, stderr, .. } = &results[0].findings[0];
        assert_eq!((&**said, &**stderr), ("crash: no file b/c.txt", "in ."));
        Ok(())
    }

    #[test]
    fn engine_has_all_points_of_checks_that_are_for_it() -> Result<(), GradeError> {
        let results = grader().grade(&examinee("machine:depth={depth}"))?;
        assert_eq!((results.score(), results.max_score()), (7.0, 7.0), "{results:?}");
        assert!(results.notes[0].ends_with("not counted: files are kept"), "{:?}", results.notes);
        assert!((0.5..=1.0).contains(&results.leaderboard[0].value), "{:?}", results.leaderboard);
        Ok(())
    }

    #[test]
    fn what_was_expected_and_played_is_known() -> Result<(), GradeError> {
        let results = grader().grade(&examinee("random"))?;
        let again = grader().grade(&examinee("random"))?;
        assert_eq!(results.checks, again.checks, "chance depends on the seed");
        let [wins, .., fast] = results.checks.as_slice() else { panic!("{results:?}") };
        assert_eq!((wins.status(), wins.score), (CheckStatus::Failed, 0.0));
        for finding in &wins.findings {
            let (played, expected) = (finding.played.as_ref(), &finding.expected);
            assert!(played.is_some_and(|played| !expected.contains(played)), "{finding:?}");
        }
        // The player is fast, but random moves are no merit.
        assert_eq!(fast.score, 0.0);
        assert!(fast.summary.contains("half the points of `wins are seen`"), "{}", fast.summary);
        Ok(())
    }

    /// A board alone does not tell the side to move in every game.
    #[test]
    fn finding_names_the_side_to_move_and_the_depth_told() {
        let (grader, mut position) = (grader(), toy().start());
        position.play_text("5").expect("a legal move");
        let mover = toy().side_name(Side::Second);
        for (player, told) in [
            ("machine:depth={depth}", " The depth told is 3."),
            ("line:program", " The depth told is 3."),
            ("random", ""),
        ] {
            let examinee = examinee(player);
            let finding =
                Session::new(&grader, &examinee).finding(&position, Some(3), String::new());
            let expected = format!("{mover} is to move.{told} State: .../.X./.../O");
            assert_eq!(finding.situation(), Some(expected), "{player}");
        }
        let (_, end) = toy().start().after_random_moves(&mut StdRng::seed_from_u64(1), usize::MAX);
        let state = format!("State: {}", end.state_word());
        assert_eq!(Finding::at(&end, String::new()).situation(), Some(state));
    }

    #[test]
    fn missing_program_has_no_points() -> Result<(), GradeError> {
        let results = grader().grade(&examinee("line:no-such-program"))?;
        assert_eq!((results.score(), results.max_score()), (0.0, 7.0));
        assert_eq!(results.not_started.as_deref(), Some("there is no program `no-such-program`"));
        Ok(())
    }

    #[test]
    fn player_that_never_moves_is_known_by_its_first_fault() -> Result<(), GradeError> {
        let (grader, examinee) = (grader(), examinee("random"));
        let session = Session::new(&grader, &examinee);
        let heed = |is_made| {
            session.heed_move(is_made);
            session.moves.get()
        };
        assert_eq!([false, true, false].map(heed), [[0, 1], [1, 2], [1, 3]]);
        let result = |visibility, said: &str, stderr: &str| {
            let at = Finding::at(&toy().start(), said.to_owned());
            let finding = Finding { stderr: stderr.to_owned(), ..at };
            let findings = vec![Finding::of_no_position("not asked"), finding];
            [CheckResult { visibility, findings, ..CheckResult::default() }]
        };
        let secret = result(Visibility::Hidden, "secret", "");
        assert_eq!(first_fault(&[], &secret), None);
        let none = &format!("none{PRINTED_LAST}]");
        let exception = "Exception in thread \"main\" java.util.NoSuchElementException\n";
        let scanner =
            format!("{exception}\tat java.base/java.util.Scanner.nextLine(Scanner.java:937)\n");
        let prompt = "no file; it printed at the end: 1-7?";
        for (said, stderr, cause) in [
            ("crash: no board\nline 2", "", "crash: no board"),
            (none, "", "none; it printed at the end: ]"),
            (none, "Traceback:\n  line 3\nNameError: no x\n\n", "none: NameError: no x"),
            (none, "python2: not found\nsee the help\n", "none: python2: not found"),
            (
                prompt,
                &scanner,
                "it asks a person to type (`start` in an --override can answer): no file; it printed at the end: 1-7?",
            ),
        ] {
            let results = [secret.clone(), result(Visibility::Visible, said, stderr)].concat();
            assert_eq!(first_fault(&[], &results).as_deref(), Some(cause));
        }
        let told = first_fault(&[], &result(Visibility::Visible, prompt, exception));
        assert!(!told.unwrap_or_default().contains(ASKS));
        assert_eq!(grader.grade(&examinee)?.never_moved, None);
        Ok(())
    }

    #[test]
    fn nothing_is_done_when_the_time_is_over() -> Result<(), GradeError> {
        let grader = Grader { total: Duration::ZERO, ..grader() };
        assert_eq!(grader.grade(&examinee("machine"))?.score(), 0.0);
        Ok(())
    }

    #[test]
    fn all_are_graded_once() -> Result<(), Failure> {
        let examinees: Vec<_> = ["random", "machine", "machine:depth=1"].map(examinee).to_vec();
        for jobs in [1, 2] {
            let mut graded = vec![None; examinees.len()];
            let jobs = NonZeroUsize::new(jobs).unwrap_or(NonZeroUsize::MIN);
            grader().grade_all(&examinees, jobs, |index, results| {
                assert!(graded[index].replace(results?.score()).is_none());
                Ok::<_, Failure>(())
            })?;
            assert!(graded.iter().all(Option::is_some), "{jobs} jobs");
        }
        Ok(())
    }
}
