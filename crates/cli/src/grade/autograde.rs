//! `grade autograde`: grades what a student has handed in to Gradescope.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plyground_arena::grade::{
    AutograderFacts, Examinee, GradeResults, autograder_json, failed_json,
};
use plyground_arena::programs::ProgramOptions;
use plyground_arena::seat::PlayerTemplate;
use plyground_arena::submissions::submissions;
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::toml_file::TomlFile;
use plyground_host::SharedGame;
use plyground_submissions::{
    AttemptChoice, BuildLimits, BuildOptions, PrepareOptions, UnpackLimits, prepare_submission,
};

use super::autograde_args::AutogradeArgs;
use super::autograder_file::{AutograderFile, OPTIONS, OVERRIDES, POINTS};
use super::checks::{checks, grader};
use crate::failure::Failure;
use crate::programs::prepare_system;

/// The name of the one submission that there is.
const NAME: &str = "submission";
/// The folder in which it is prepared. Programs must be able to find theirs.
const WORK: &str = "plyground";

/// Grades the submission, and writes its results; what they are if this fails, first of all.
pub(super) fn autograde(game: &SharedGame, args: &AutogradeArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let folder = args.root.join("results");
    make_folder(&folder)?;
    let place = folder.join("results.json");
    write_whole(&place, failed_json())?;
    let (results, status) = grade_submission(game, &args.root)?;
    let facts = AutograderFacts { execution_time: started.elapsed().as_secs_f64(), status };
    Ok(write_whole(&place, autograder_json(&results, &facts))?)
}

/// The results of what is in the folder for that, and how far it has come.
fn grade_submission(game: &SharedGame, root: &Path) -> Result<(GradeResults, String), Failure> {
    let source = root.join("source");
    let path = source.join(OPTIONS);
    let file: AutograderFile = TomlFile::read(&path)?.parse()?;
    let points = file.points.then(|| source.join(POINTS));
    let checks = checks(game, points.as_deref())?;
    let programs = ProgramOptions {
        limits: file.limits.clone(),
        sandbox: file.sandbox,
        ..ProgramOptions::default()
    };
    prepare_system(&programs)?;
    let handed_in = root.join("submission");
    // Without a submission there may be no folder for it.
    make_folder(&handed_in)?;
    let out = root.join(WORK);
    let options = prepare_options(&file, &source, &out, &programs);
    let prepared = prepare_submission(NAME, &handed_in, &options)?;
    let found =
        submissions(&out).map_err(|error| Failure::Usage(format!("{}: {error}", out.display())))?;
    let submission = found.into_iter().find(|found| found.name == NAME);
    let submission = submission.ok_or_else(|| {
        Failure::Usage(format!("{}: expected the prepared submission in it", out.display()))
    })?;
    let total = Duration::from_millis(file.total_ms);
    let grader = grader(game, &checks, programs, total, file.seed)?;
    let player = PlayerTemplate::from(file.player.as_str()).of_submission(&submission);
    let results = grader.grade(&Examinee { player, log: "grade.log".to_owned() })?;
    let results = GradeResults { build_log: submission.build_log(), ..results };
    Ok((results, prepared.status.words().to_owned()))
}

fn prepare_options(
    file: &AutograderFile,
    source: &Path,
    out: &Path,
    programs: &ProgramOptions,
) -> PrepareOptions {
    let overrides: Option<PathBuf> = file.overrides.then(|| source.join(OVERRIDES));
    let limits = BuildLimits::default();
    PrepareOptions {
        attempt: AttemptChoice::Last,
        keep: true,
        out: out.to_owned(),
        overrides,
        program: file.program.clone(),
        unpack: UnpackLimits::default(),
        build: BuildOptions { limits, level: programs.level(), stop: None },
        again: true,
        jobs: std::num::NonZeroUsize::MIN,
    }
}
