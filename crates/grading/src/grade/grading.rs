//! Grading of one player, or of many at a time, and the alarm that ends it.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use plyground_arena::alone::{Gate, cores, pin_to_core};
use plyground_arena::programs::ProgramOptions;
use plyground_arena::seat::PlayerTemplate;
use plyground_durable::pool::{self, NoThread};
use plyground_host::SharedGame;
use plyground_host::external::{NOTHING_HANDED_IN, NotReady};
use plyground_host::referee::Interrupted;
use thiserror::Error;

use super::draw::DrawnCheck;
use super::late::grade_absent;
use super::results::GradeResults;
use super::session::Session;

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
            Err(NotReady::System(why)) => Err(GradeError::NotReady(why)),
        }
    }

    /// Returns the results of a student who handed in nothing: 0 points in each check that applies.
    #[must_use]
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
        pool::run(jobs, &stop, next, work, |(index, results)| on_results(index, results))
    }
}

/// A grader, with its checks and limits.
#[derive(Clone, Debug)]
pub struct Grader {
    /// The game, which is played from its start.
    pub game: SharedGame,
    /// The checks to make.
    pub checks: Vec<DrawnCheck>,
    /// The options for external programs. The wall-time limit for a move applies to all players.
    pub programs: ProgramOptions,
    /// The seed for all chance in games.
    pub seed: u64,
    /// The time for all checks of a player. Whatever is not done by then has failed.
    pub total: Duration,
    /// The gate through which all checks go, many at a time or one alone.
    pub gate: Arc<Gate>,
}

/// A player to grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examinee {
    /// The player, which may have a placeholder for the depth.
    pub player: PlayerTemplate,
    /// The name of the player's log.
    pub log: String,
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

/// An alarm that raises its flag when the time is over, unless it is dropped before.
#[derive(Debug)]
pub(super) struct Alarm {
    flag: Arc<AtomicBool>,
    /// The sender, which is dropped with the alarm and so ends the waiting thread.
    _cancel: Sender<()>,
}

impl Alarm {
    /// Starts an alarm that raises its flag after `time` of wall time.
    pub(super) fn after(time: Duration) -> Alarm {
        let flag = Arc::new(AtomicBool::new(false));
        let (cancel, canceled) = channel();
        let raised = Arc::clone(&flag);
        thread::spawn(move || {
            if canceled.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                raised.store(true, Ordering::Relaxed);
            }
        });
        Alarm { flag, _cancel: cancel }
    }

    /// Returns the flag.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Returns true if the time is over.
    pub(super) fn is_over(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plyground_arena::programs::ProgramOptions;
    use plyground_host::toy::toy;

    use super::*;
    use crate::grade::{CheckStatus, draw_checks, parse_checks};

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

    fn grader() -> Grader {
        let game = toy();
        let text = CHECKS.replace("REASONS", "asks = 'a'\nwhy = 'w'\nsentence = 's'\n");
        let checks = parse_checks(&text).expect("checks");
        Grader {
            checks: draw_checks(&*game, &checks, 1).expect("positions"),
            game,
            programs: ProgramOptions::default(),
            seed: 1,
            total: Duration::from_secs(600),
            gate: std::sync::Arc::default(),
        }
    }

    fn examinee(player: &str) -> Examinee {
        Examinee { player: player.into(), log: "log".to_owned() }
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

    #[test]
    fn missing_program_has_no_points() -> Result<(), GradeError> {
        let results = grader().grade(&examinee("line:no-such-program"))?;
        assert_eq!((results.score(), results.max_score()), (0.0, 7.0));
        assert_eq!(results.not_started.as_deref(), Some("there is no program `no-such-program`"));
        Ok(())
    }

    #[test]
    fn nothing_is_done_when_the_time_is_over() -> Result<(), GradeError> {
        let grader = Grader { total: Duration::ZERO, ..grader() };
        // The flag is raised by another thread, after a moment.
        while grader.grade(&examinee("machine"))?.score() > 0.0 {}
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
