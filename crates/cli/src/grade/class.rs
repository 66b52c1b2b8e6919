//! `grade --class`: grades all submissions of a class, and changed submissions again.

use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use jiff::Zoned;
use jiff::tz::TimeZone;
use plyground_arena::class_folder::{
    SubmissionFolder, check_outside, check_prepared, check_tools, submissions,
};
use plyground_arena::seat::check_unattended;
use plyground_arena::second_try::FailedTwice;
use plyground_durable::lock::Locking;
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::work::cores;
use plyground_durable::{excerpt, nearest, one_line};
use plyground_grading::grade::{
    Check, ClassLine, ClassReport, Examinee, GradeError, GradeHistory, GradeRecord, GradeResults,
    Grader, ManualPoints, Matched, Reader, Roster, RosterLine, answers_text, class_text, grade_key,
    late_by, lateness, results_json, results_page, results_text, submitted,
};
use plyground_host::external::Lack;
use plyground_host::{SharedGame, any_seed};

use super::{GradeRunArgs, grader};
use crate::failure::{Failure, Standing, print, refuse, warn};
use crate::programs::prepare_system;
use crate::progress;
use crate::submissions::compared_class;

/// The template of the progress line.
const PROGRESS: &str =
    "{elapsed_precise}  {bar:20} {pos}/{len} submissions{msg}  {eta_precise} left";

/// The lateness of a submission that the platform marks as late without a time.
const UNKNOWN_TIME: &str = "an unknown time";

/// The greatest number of warnings about rows of the roster. The others are only counted.
const MOST_WARNINGS: usize = 50;

/// The file with the page of a submission.
const PAGE: &str = "page.html";

/// A class, and the places of its grades.
pub(crate) struct Class<'a> {
    pub(crate) grader: &'a Grader,
    pub(crate) history: &'a GradeHistory,
    pub(crate) args: &'a GradeRunArgs,
    pub(crate) out: &'a Path,
    pub(crate) roster: Roster,
    pub(crate) submissions: &'a [SubmissionFolder],
    /// For each submission, the others that share more with it than chance explains.
    pub(crate) alike: BTreeMap<String, Vec<String>>,
    /// The points that a person gave, by students.
    pub(crate) manual: BTreeMap<RosterLine, ManualPoints>,
}

/// Grades the changed submissions, and writes all reports and tables of the class.
pub(super) fn grade_class(
    game: &SharedGame,
    checks: &[Check],
    args: &GradeRunArgs,
    folder: &Path,
    out: &Path,
) -> Result<(), Failure> {
    let submissions = class_submissions(args, folder, out)?;
    let roster = roster(args)?;
    // Warnings of rows that fit two submissions come before the work, so that the user can stop it.
    let open = roster.matched(&submissions).open;
    open.iter().take(MOST_WARNINGS).for_each(warn);
    if let more @ 1.. = open.len().saturating_sub(MOST_WARNINGS) {
        warn(&format!("and {more} more rows of the roster"));
    }
    let first = args.player.of_submission(&submissions[0]).at(None)?;
    check_unattended(&**game, &first)?;
    let alike = alike_by_name(folder, &args.starter)?;
    let history = GradeHistory::open(out, Locking::Always)?;
    // A missing program is a matter of its grade, so only the system is checked.
    if first.is_external() {
        prepare_system(&args.programs.options())?;
    }
    let grader = grader(
        game,
        checks,
        args.programs.options(),
        args.total,
        history.seed(args.seed, any_seed)?,
    )?;
    let grader = Grader { reviewed: args.review_games, ..grader };
    let answers = history.instructor().join("answers.txt");
    write_whole(&answers, answers_text(&grader.checks, grader.seed))?;
    let submissions = &submissions;
    let manual = manual(args, &roster, submissions)?;
    let class =
        Class { grader: &grader, history: &history, args, out, roster, submissions, alike, manual };
    let (graded, failed) = class.grade_changed()?;
    let finished = class.finish(graded, &failed);
    // What the system lacks may be the same for the whole class.
    let mut left: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (it, why) in submissions.iter().filter_map(|it| Some((it, failed.why(&it.name)?))) {
        left.entry(not_graded(it, why)).or_default().push(&it.name);
    }
    left.iter().for_each(|(why, names)| warn(&format!("{}: {why}", names.join(", "))));
    finished?;
    if failed.count() > 0 {
        return Err(Failure::Run(anyhow!(
            "this system could not run {} of the submissions: see above; the rest is graded, and the same command \
             tries again",
            failed.count()
        )));
    }
    Ok(())
}

/// Returns the words for a submission that could not be graded for this reason, without the remedy, which is the same
/// for many.
fn not_graded(submission: &SubmissionFolder, why: &str) -> String {
    let lacks = submission.prepared.as_ref().map(|it| &*it.lacks).unwrap_or_default();
    match lacks {
        [] => format!("not graded: {}", one_line(why)),
        _ => format!("not graded: cannot run here, this system lacks {}", Lack::all(lacks)),
    }
}

/// Returns the points that a person gave, and the comments, by the students of the roster.
pub(crate) fn manual(
    args: &GradeRunArgs,
    roster: &Roster,
    submissions: &[SubmissionFolder],
) -> Result<BTreeMap<RosterLine, ManualPoints>, Failure> {
    let Some(path) = args.manual.as_deref() else { return Ok(BTreeMap::new()) };
    Ok(Roster::read_points(path)?.manual(roster, submissions)?)
}

/// Returns for each submission of a class that was given this starter code the others that share more with it than
/// chance explains, with percentages.
pub(crate) fn alike_by_name(
    folder: &Path,
    starter: &[PathBuf],
) -> Result<BTreeMap<String, Vec<String>>, Failure> {
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for pair in compared_class(folder, starter)?.pairs {
        let [one, other] = &pair.names;
        for (name, partner) in [(one, other), (other, one)] {
            let said = format!("{partner} ({} %)", pair.percent());
            alike.entry(name.clone()).or_default().push(said);
        }
    }
    Ok(alike)
}

/// Returns the roster that `--roster` names, or an empty roster without the option.
pub(crate) fn roster(args: &GradeRunArgs) -> Result<Roster, Failure> {
    Ok(args.roster.as_deref().map(Roster::read).transpose()?.unwrap_or_default())
}

/// Returns the submissions of a class, after a check that they can be graded.
pub(crate) fn class_submissions(
    args: &GradeRunArgs,
    class: &Path,
    out: &Path,
) -> Result<Vec<SubmissionFolder>, Failure> {
    if !args.player.has_folder() && !args.player.has_start() {
        return refuse(
            "expected {start} or {folder} in the player, for the start command or the \
            folder of a submission",
        );
    }
    let found = submissions(class).map_err(|error| Failure::of_file(class, error))?;
    let is_reserved =
        |name: &&&str| found.iter().any(|submission| submission.name.eq_ignore_ascii_case(name));
    if let Some(name) = ClassReport::names().iter().chain(&GradeHistory::RESERVED).find(is_reserved)
    {
        let fault = format!(
            "expected no submission of the name {name}: --out has a file or folder of that name"
        );
        return Err(Failure::of_file(class, fault));
    }
    let is_unknown = |name: &&String| found.iter().all(|submission| submission.name != **name);
    if let Some(name) = args.only.iter().find(is_unknown) {
        let near = nearest(name, found.iter().map(|submission| submission.name.as_str()));
        let near =
            near.map(|near| format!("; the nearest is `{}`", excerpt(near))).unwrap_or_default();
        let fault = format!("expected --only with the name of a submission, found `{name}`{near}");
        return Err(Failure::of_file(class, fault));
    }
    for folder in [Some(out), args.programs.logs.as_deref()].into_iter().flatten() {
        check_outside(folder, class)?;
    }
    if args.player.has_start() {
        let is_asked = |name: &String| args.only.is_empty() || args.only.contains(name);
        let asked = || found.iter().filter(|submission| is_asked(&submission.name));
        check_prepared(asked())?;
        check_tools(asked(), &args.programs.options())
            .inspect_err(|missing| missing.lines().iter().for_each(warn))
            .map_err(|missing| Failure::Run(missing.into()))?;
    }
    Ok(found)
}

impl Class<'_> {
    /// Grades the submissions whose key has changed. Returns the number of graded submissions, and the submissions that
    /// could not be graded.
    fn grade_changed(&self) -> Result<(usize, FailedTwice), Failure> {
        let mut changed: Vec<(&SubmissionFolder, String, Examinee)> = Vec::new();
        for submission in self.asked() {
            let name = &submission.name;
            let player = self.args.player.of_submission(submission);
            let examinee = Examinee { player, log: format!("{name}.log") };
            let key = grade_key(self.grader, &examinee, submission);
            let records = self.history.records(name)?;
            // A module that was not there may be there now.
            let is_known =
                |record: &&GradeRecord| record.key == key && !record.results.is_lacking();
            let with_points = |record: &GradeRecord| {
                let results = record.results.by_points_of(&self.grader.checks)?;
                Some(GradeRecord { results, ..record.clone() })
            };
            let known = records.iter().rev().filter(is_known).find_map(with_points);
            match known.filter(|_| !self.args.again) {
                Some(record) if records.last() == Some(&record) => {}
                // The submission is again as it was at an earlier grade, or its checks have other points.
                Some(record) => self.keep(name, &record)?,
                None => changed.push((submission, key, examinee)),
            }
        }
        let examinees: Vec<Examinee> =
            changed.iter().map(|(_, _, examinee)| examinee.clone()).collect();
        self.announce(changed.len());
        let so_far = |graded| {
            format!(
                "{graded} of {} submissions are graded; the same command goes on",
                changed.len()
            )
        };
        let standing = Standing::new(&so_far(0));
        standing.say_if_interrupted()?;
        let progress = progress::bar(changed.len() as u64, progress::style(PROGRESS));
        progress.set_message(if self.grader.reviewed_games() > 0 { " and reviews" } else { "" });
        let mut failed = FailedTwice::default();
        let mut graded = 0;
        let on_results = |index: usize, results: Result<_, GradeError>| -> Result<(), Failure> {
            let (submission, key, _) = &changed[index];
            progress.inc(1);
            let results: GradeResults = match results {
                Ok(results) => results,
                Err(error) => {
                    failed.add(submission.name.clone(), error.to_string());
                    return Ok(());
                }
            };
            graded += 1;
            let seed = self.grader.seed;
            let results = GradeResults { build_log: submission.build_log(), ..results };
            let record = GradeRecord { key: key.clone(), seed, results };
            self.keep(&submission.name, &record)?;
            // `finish` writes all reports again, and names those that cannot be written.
            let _ = self.write_one(&submission.name, &record);
            standing.set(so_far(graded));
            self.write_tables(&failed)?;
            if progress.is_hidden() {
                let (done, all) = (progress.position(), changed.len());
                let (score, most) = (record.results.score(), record.results.max_score());
                let name = &submission.name;
                let left = progress.elapsed().mul_f64((all as f64 - done as f64) / done as f64);
                let left = humantime::format_duration(whole_minutes(left));
                let reviewed = record.results.review.as_ref().map_or("", |_| ", reviewed");
                progress::say(format_args!(
                    "{done} of {all}: {name} {score} of {most}{reviewed}; about {left} left"
                ));
            }
            Ok(())
        };
        self.grader.grade_all(&examinees, self.args.jobs, on_results)?;
        progress.finish_and_clear();
        Ok((graded, failed))
    }

    /// Prints on standard error the longest time for so many submissions.
    fn announce(&self, count: usize) {
        if count > 0 {
            let rounds = u32::try_from(count.div_ceil(self.args.jobs.min(cores()).get()));
            let most = self.args.total.saturating_mul(rounds.unwrap_or(u32::MAX));
            let most = humantime::format_duration(most);
            let reviews = match self.grader.reviewed_games() {
                0 => String::new(),
                games => format!(" for their programs, and the review of {games} games of each"),
            };
            progress::say(format_args!("{count} to grade: at most {most}{reviews}"));
        }
    }

    /// Returns the submissions to grade.
    pub(crate) fn asked(&self) -> impl Iterator<Item = &SubmissionFolder> {
        let only = &self.args.only;
        self.submissions.iter().filter(|it| only.is_empty() || only.contains(&it.name))
    }

    /// Writes the results of all submissions, of which `graded` were graded now and `failed` could not be, and shows
    /// them.
    ///
    /// # Errors
    ///
    /// Returns an error if a report cannot be written or a row of the roster is open, after all else is written.
    pub(crate) fn finish(&self, graded: usize, failed: &FailedTwice) -> Result<(), Failure> {
        let (mut unwritten, mut kept) = (Vec::new(), 0);
        let (mut started, mut others) = (0, 0);
        let mut stuck: Vec<&str> = Vec::new();
        for submission in self.submissions {
            if let Some(record) = self.history.records(&submission.name)?.pop() {
                kept += 1;
                let GradeResults { not_started, never_moved, .. } = &record.results;
                let present = record.results.by_points_of(&self.grader.checks);
                others += usize::from(present.as_ref() != Some(&record.results));
                started += usize::from(not_started.is_none());
                if not_started.is_none() && never_moved.is_some() {
                    stuck.push(&submission.name);
                }
                // A report that cannot be written must not keep others from theirs.
                if let Err(error) = self.write_one(&submission.name, &record) {
                    unwritten.push(format!("{}: {error}", excerpt(&submission.name)));
                }
            }
        }
        let (lines, Matched { unmatched, open, .. }) = self.write_tables(failed)?;
        unmatched.iter().chain(&self.without_time(&lines)).for_each(warn);
        unwritten.iter().chain(&open).for_each(warn);
        let player = &self.args.player;
        if started > 1 && stuck.len() == started {
            warn(&format!("no submission has made a move: is --player right? It is {player}"));
        } else if !stuck.is_empty() && player.has_start() {
            let names = excerpt(&stuck.join(", "));
            warn(&format!(
                "no move by {names}: if a command line is not that of the assignment, give its `start` in \
                 --override of `submissions prepare`"
            ));
        }
        if others > 0 && !self.args.only.is_empty() {
            warn(&format!(
                "{others} of the grades are by other points: the same command without --only \
                 makes them alike"
            ));
        }
        let (text, kept) = (class_text(&lines), kept - graded.min(kept));
        print(format_args!("{text}\n{graded} graded now, {kept} as before\n"))?;
        let left = [
            (failed.count(), "submissions without a grade"),
            (unwritten.len(), "reports that cannot be written"),
            (open.len(), "ambiguous rows of the roster"),
        ];
        let left = left.iter().filter(|(count, _)| *count > 0);
        let left: Vec<String> = left.map(|(count, what)| format!("{count} {what}")).collect();
        if unwritten.is_empty() && open.is_empty() {
            return Ok(());
        }
        Err(Failure::Run(anyhow!(
            "the submissions are graded, but there are {}: see above",
            left.join(" and ")
        )))
    }

    pub(crate) fn keep(&self, name: &str, record: &GradeRecord) -> Result<(), Failure> {
        Ok(self.history.add(name, record, &self.files(name, &record.results))?)
    }

    /// Returns the files that a student may have.
    fn files(&self, name: &str, results: &GradeResults) -> [(&'static str, String); 3] {
        let reader = Reader::Student;
        [
            ("results.json", results_json(results)),
            ("results.txt", results_text(name, results, reader)),
            (PAGE, results_page(&*self.grader.game, name, results, reader)),
        ]
    }

    /// Writes the tables of all submissions with a grade, and a page that also names those without. Returns the lines
    /// of the tables, and the rest of the roster.
    fn write_tables(&self, failed: &FailedTwice) -> Result<(Vec<ClassLine>, Matched), Failure> {
        let (mut lines, mut ungraded) = (Vec::new(), Vec::new());
        let mut matched = self.roster.matched(self.submissions);
        let deadline = self.args.deadline.as_ref();
        let zone = deadline.map_or_else(TimeZone::system, |time| time.time_zone().clone());
        let deadline = deadline.map(Zoned::timestamp);
        for submission in self.submissions {
            let name = &submission.name;
            let mut records = self.history.records(name)?;
            let Some(record) = records.pop() else {
                let why = failed.why(name).map(|why| not_graded(submission, why));
                ungraded.push((name.clone(), why.unwrap_or_else(|| "not graded yet".to_owned())));
                continue;
            };
            if let Some(why) = failed.why(name) {
                let why = not_graded(submission, why);
                ungraded.push((name.clone(), format!("the grade is an earlier one; {why}")));
            }
            let score = record.results.score();
            let before = records.last().map(|record| record.results.score());
            let prepared = submission.prepared.as_ref();
            let students = matched.students.get(name).map(Vec::as_slice).unwrap_or_default();
            for student in students {
                let submitted = submitted(student, students, submission, &zone);
                let late = deadline.zip(submitted);
                let by = late.and_then(|(deadline, submitted)| late_by(submitted, deadline));
                let penalty = self.args.late.map(|rule| rule.percent(by.unwrap_or_default()));
                let manual = self.manual.get(student).cloned().unwrap_or_default();
                lines.push(ClassLine {
                    student: student.clone(),
                    results: record.results.clone(),
                    before: before.filter(|before| *before != score),
                    submitted,
                    late: match late {
                        Some((deadline, submitted)) => lateness(submitted, deadline),
                        None if self.is_marked_late(submission) => Some(UNKNOWN_TIME.to_owned()),
                        None => None,
                    },
                    penalty,
                    manual: manual.points,
                    comment: manual.comment,
                    is_absent: false,
                    alike: self.alike.get(name).cloned().unwrap_or_default(),
                    doubt: prepared.map(|it| it.doubt.clone()).unwrap_or_default(),
                });
            }
        }
        lines
            .extend(mem::take(&mut matched.absent).into_iter().map(|student| self.absent(student)));
        let report = ClassReport {
            game: &*self.grader.game,
            seed: self.grader.seed,
            checks: &self.grader.checks,
            title: self.args.title.as_deref().unwrap_or(self.grader.game.name()),
            lines: &lines,
            ungraded: &ungraded,
            page: PAGE,
        };
        for (name, content) in report.files() {
            write_whole(&self.out.join(name), content)?;
        }
        Ok((lines, matched))
    }

    /// Returns true if there is a deadline and the platform has marked the submission as late.
    fn is_marked_late(&self, submission: &SubmissionFolder) -> bool {
        let prepared = submission.prepared.as_ref();
        self.args.deadline.is_some() && prepared.is_some_and(|it| it.handed_in.late)
    }

    /// Returns the warning about submissions for which a deadline counts and whose times are not known.
    fn without_time(&self, lines: &[ClassLine]) -> Option<String> {
        self.args.deadline.as_ref()?;
        // The students of a group share a submission.
        let unknown = lines.iter().filter(|line| line.submitted.is_none() && !line.is_absent);
        let all: BTreeMap<String, bool> =
            unknown.map(|line| (excerpt(&line.student.submission), line.late.is_some())).collect();
        let late: Vec<&str> =
            all.iter().filter(|(_, is_late)| **is_late).map(|(name, _)| name.as_str()).collect();
        let late = match late.as_slice() {
            [] => String::new(),
            names => format!("; the platform marks as late {}", names.join(", ")),
        };
        let (first, _) = all.first_key_value()?;
        let others = if all.len() > 1 { " and others" } else { "" };
        Some(format!(
            "{} of the submissions have no time of their own, {first}{others}: --deadline and --late take nothing off \
             for them{late}; a --roster with a column `submitted` gives the times",
            all.len()
        ))
    }

    /// Returns the line of a student without a submission.
    fn absent(&self, student: RosterLine) -> ClassLine {
        // All players of a class are of one kind.
        let player = self.args.player.of_submission(&self.submissions[0]);
        let examinee = Examinee { player, log: String::new() };
        let results = self.grader.nothing_handed_in(&examinee);
        let manual = self.manual.get(&student).cloned().unwrap_or_default();
        ClassLine {
            student,
            results,
            manual: manual.points,
            comment: manual.comment,
            penalty: self.args.late.map(|_| 0.0),
            is_absent: true,
            ..ClassLine::default()
        }
    }

    fn write_one(&self, name: &str, record: &GradeRecord) -> Result<(), Failure> {
        let folder = self.out.join(name);
        make_folder(&folder)?;
        for (file, text) in self.files(name, &record.results) {
            write_whole(&folder.join(file), text)?;
        }
        let text = results_text(name, &record.results, Reader::Instructor);
        let text = format!("{text}Positions: --seed {}\n", record.seed);
        let reports = self.history.instructor().join("reports");
        make_folder(&reports)?;
        Ok(write_whole(&reports.join(format!("{name}.txt")), text)?)
    }
}

/// Returns the time in whole minutes, rounded up.
const fn whole_minutes(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs().div_ceil(60) * 60)
}
