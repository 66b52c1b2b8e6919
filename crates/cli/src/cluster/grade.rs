//! The grading of a class, as work that tasks share.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use plyground_arena::class_folder::SubmissionFolder;
use plyground_arena::contents::Contents;
use plyground_arena::programs::settle_level;
use plyground_arena::seat::check_unattended;
use plyground_arena::second_try::FailedTwice;
use plyground_durable::lock::Locking;
use plyground_durable::output::write_whole;
use plyground_durable::work::{PieceError, WorkError, WorkFolder, Workload};
use plyground_grading::grade::{
    Examinee, GradeHistory, GradeRecord, GradeResults, Grader, answers_text, grade_key,
};
use plyground_host::{SharedGame, any_seed};

use super::job::{Job, Order, Prepared, contents};
use crate::failure::{Failure, refuse};
use crate::grade::class::{Class, alike_by_name, class_submissions, manual, roster};
use crate::grade::{GradeArgs, GradeRunArgs, checks, grader};
use crate::programs::prepare_system;

/// The length of the key in the name of a piece, in bytes.
const SHORT_KEY: usize = 16;

/// The greatest length of the submission's name in the name of a piece, in bytes.
const SHORT_NAME: usize = 100;

struct GradeJob {
    args: GradeRunArgs,
    out: PathBuf,
    grader: Grader,
    submissions: Vec<SubmissionFolder>,
    /// The keys of the grades, by the names of the submissions, if they are known.
    keys: Contents,
    is_external: bool,
}

/// Shares the grading of a class.
pub(super) fn job(
    game: &SharedGame,
    args: GradeArgs,
    order: Option<&Order>,
) -> Result<Job, Failure> {
    let wanted = "expected grade --class: tasks share the submissions of a class";
    let mut args = args.whom.0.ok_or_else(|| Failure::usage(wanted))?;
    let (Some(class), Some(out)) = (args.class.clone(), args.out.clone()) else {
        return refuse(wanted);
    };
    if args.again || args.jobs.get() > 1 {
        return refuse("expected grade without --again and --jobs: tasks share the work");
    }
    let checks = checks(game, args.checks.as_deref(), args.points.as_deref(), &[])?;
    let submissions = class_submissions(&args, &class, &out)?;
    let first = args.player.of_submission(&submissions[0]).at(None)?;
    check_unattended(&**game, &first)?;
    let sandbox = &mut args.programs;
    sandbox.sandbox = match order {
        Some(order) => order.level,
        None => Some(settle_level(sandbox.sandbox)?),
    };
    let history = match order {
        Some(_) => GradeHistory::unlocked(&out),
        None => GradeHistory::open(&out, Locking::IfPossible)?,
    };
    let seed = history.seed(args.seed, any_seed)?;
    let grader = grader(game, &checks, args.programs.options(), args.total, seed)?;
    let grader = Grader { reviewed: args.review_games, ..grader };
    let lines = [
        "grade".to_owned(),
        format!("{} {}", game.name(), game.rules()),
        format!("class {}", std::path::absolute(&class).unwrap_or(class).display()),
        format!("player {}", args.player),
        format!("seed {seed}"),
    ];
    // The key of a grade includes the level, even for a player that needs no sandbox.
    let level = args.programs.sandbox;
    let (keys, is_external) = (contents(order), first.is_external());
    let job = Arc::new(GradeJob { args, out: out.clone(), grader, submissions, keys, is_external });
    let (workload, prepared) = (Arc::clone(&job), Arc::clone(&job));
    let merge = move |folder: &WorkFolder| job.merge(folder);
    Ok(Job {
        level,
        is_by_content: true,
        prepare: Box::new(move || prepared.prepare()),
        ..Job::new(lines, &out, workload, merge)
    })
}

impl GradeJob {
    fn examinee(&self, submission: &SubmissionFolder) -> Examinee {
        let player = self.args.player.of_submission(submission);
        Examinee { player, log: format!("{}.log", submission.name) }
    }

    fn key(&self, submission: &SubmissionFolder) -> String {
        grade_key(&self.grader, &self.examinee(submission), submission)
    }

    /// Returns the submissions to grade, by the names of their pieces, with the keys of their grades.
    fn asked<'s>(&'s self) -> HashMap<String, (&'s SubmissionFolder, &'s str)> {
        let with_key = |submission: &'s SubmissionFolder| {
            Some((submission, self.keys.get(&submission.name)?.as_str()))
        };
        let known = self.submissions.iter().filter_map(with_key);
        known.map(|(submission, key)| (piece(&submission.name, key), (submission, key))).collect()
    }

    fn record(&self, folder: &WorkFolder, piece: &str) -> Result<Option<GradeRecord>, Failure> {
        let Some(text) = folder.result(piece)? else { return Ok(None) };
        serde_json::from_slice(&text).map(Some).map_err(|error| {
            Failure::Run(anyhow!("{}: {error}", folder.result_file(piece).display()))
        })
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        if self.is_external {
            prepare_system(&self.grader.programs)?;
        }
        let history = GradeHistory::unlocked(&self.out);
        let answers = history.instructor().join("answers.txt");
        write_whole(&answers, answers_text(&self.grader.checks, self.grader.seed))?;
        let class = self.class(&history)?;
        let contents = class.asked().map(|it| (it.name.clone(), self.key(it))).collect();
        Ok(Prepared { contents, ..Prepared::default() })
    }

    fn merge(&self, folder: &WorkFolder) -> Result<(), Failure> {
        let history = GradeHistory::open(&self.out, Locking::IfPossible)?;
        let class = self.class(&history)?;
        let mut graded = 0;
        let mut asked: Vec<_> = self.asked().into_iter().collect();
        asked.sort_by(|one, other| one.0.cmp(&other.0));
        for (piece, (submission, key)) in asked {
            let is_known =
                history.records(&submission.name)?.last().is_some_and(|it| it.key == key);
            if let Some(record) = self.record(folder, &piece)?.filter(|_| !is_known) {
                class.keep(&submission.name, &record)?;
                graded += 1;
            }
        }
        class.finish(graded, &FailedTwice::default())
    }

    fn class<'a>(&'a self, history: &'a GradeHistory) -> Result<Class<'a>, Failure> {
        let (grader, args, out) = (&self.grader, &self.args, self.out.as_path());
        let (roster, submissions) = (roster(args)?, self.submissions.as_slice());
        let alike = args.class.as_deref().map(|class| alike_by_name(class, &args.starter));
        let alike = alike.transpose()?.unwrap_or_default();
        let manual = manual(args, &roster, submissions)?;
        Ok(Class { grader, history, args, out, roster, submissions, alike, manual })
    }
}

/// Returns the name of the piece of a submission. The name depends on the contents of the submission.
fn piece(name: &str, key: &str) -> String {
    let short: String = name
        .chars()
        .scan(0, |length, c| {
            *length += c.len_utf8();
            (*length <= SHORT_NAME).then_some(c)
        })
        .collect();
    format!("{short}~{}", key.get(..SHORT_KEY).unwrap_or(key))
}

impl Workload for GradeJob {
    fn pieces(&self, _: &WorkFolder) -> Result<Vec<String>, WorkError> {
        let mut pieces: Vec<String> = self.asked().into_keys().collect();
        pieces.sort();
        Ok(pieces)
    }

    fn work(
        &self,
        _: usize,
        piece: &str,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Vec<u8>>, PieceError> {
        let none = || PieceError::Failed("there is no such submission".to_owned());
        let (submission, key) = self.asked().get(piece).copied().ok_or_else(none)?;
        if self.key(submission) != key {
            let name = &submission.name;
            return Err(PieceError::Unfit(format!(
                "{name}: the submission differs here from where the work was prepared"
            )));
        }
        let results = self.grader.grade(&self.examinee(submission));
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let results = results.map_err(|error| PieceError::Failed(error.to_string()))?;
        let results = GradeResults { build_log: submission.build_log(), ..results };
        let record = GradeRecord { key: key.to_owned(), seed: self.grader.seed, results };
        let text = serde_json::to_vec(&record);
        text.map(Some).map_err(|error| PieceError::Failed(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piece_has_the_name_of_the_submission() {
        assert_eq!(piece("ann", "0123456789abcdef0123"), "ann~0123456789abcdef");
        assert_eq!(piece(&"ü".repeat(100), "0").len(), SHORT_NAME + 2);
    }
}
