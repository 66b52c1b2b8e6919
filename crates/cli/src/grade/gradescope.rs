//! `grade gradescope`: an autograder in one zip; and `grade autograde`, which it runs.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use plyground_arena::class_folder::SubmissionFolder;
use plyground_arena::programs::{ProgramOptions, most_portable_build};
use plyground_arena::seat::PlayerTemplate;
use plyground_durable::input::{TomlFile, read_toml};
use plyground_durable::output::{check_writable, make_folder, write_whole};
use plyground_grading::grade::{
    AutograderFacts, Examinee, GradeResults, autograder_json, failed_json,
};
use plyground_grading::submissions::{
    AttemptChoice, BuildLimits, BuildOptions, Overrides, PrepareOptions, UnpackLimits,
    prepare_submission,
};
use plyground_host::{SharedGame, any_seed};
use plyground_sandbox::{ProcessLimits, SandboxLevel};
use serde::{Deserialize, Serialize};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{GradescopeArgs, NAME, checks, grader};
use crate::cluster::slurm::shell_word;
use crate::failure::{Failure, print, refuse};
use crate::programs::prepare_system;

/// The script that Gradescope runs once, when it makes the system of the autograder.
const SETUP: &str = include_str!("setup.sh");
/// The script that Gradescope runs for every submission.
const RUN: &str = include_str!("run_autograder");

/// The modes of executable files, and of all other files.
const RUN_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o600;

/// Makes the zip.
pub(super) fn gradescope(game: &SharedGame, args: &GradescopeArgs) -> Result<(), Failure> {
    check(game, args)?;
    check_writable(&args.out)?;
    let seed = args.seed.unwrap_or_else(any_seed);
    let file = AutograderFile {
        player: args.player.to_string(),
        program: args.program.clone(),
        seed,
        total_ms: u64::try_from(args.total.as_millis()).unwrap_or(u64::MAX),
        checks: args.checks.is_some(),
        points: args.points.is_some(),
        overrides: args.overrides.is_some(),
        sandbox: args.sandbox,
        limits: args.limits.clone(),
    };
    // Numbers, texts and lists of these always have a text in TOML.
    let options = toml::to_string(&file).unwrap_or_default();
    let program = match &args.executable {
        Some(path) => path.clone(),
        None => {
            most_portable_build().map_err(|error| Failure::Run(anyhow!("this program: {error}")))?
        }
    };
    let words: Vec<String> =
        game_words(game, &program).iter().map(|word| shell_word(word)).collect();
    let run = RUN.replace("{program}", PROGRAM).replace("{game}", &words.join(" "));
    let setup = SETUP.replace("{program}", PROGRAM).replace("{packages}", &args.packages);
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    let mut add = |name: &str, mode: u32, contents: &[u8]| {
        // Compression takes long, and a program hardly becomes smaller.
        let method = CompressionMethod::Stored;
        let options =
            SimpleFileOptions::default().unix_permissions(mode).compression_method(method);
        zip.start_file(name, options).map_err(failed)?;
        zip.write_all(contents).map_err(|error| failed(error.into()))
    };
    add("setup.sh", RUN_MODE, setup.as_bytes())?;
    add("run_autograder", RUN_MODE, run.as_bytes())?;
    add(OPTIONS, FILE_MODE, options.as_bytes())?;
    add(FAILED, FILE_MODE, failed_json().as_bytes())?;
    for (name, path) in
        [(CHECKS, &args.checks), (POINTS, &args.points), (OVERRIDES, &args.overrides)]
    {
        if let Some(path) = path {
            add(name, FILE_MODE, read_toml(path)?.as_bytes())?;
        }
    }
    add(PROGRAM, RUN_MODE, &contents(&program)?)?;
    let bytes = zip.finish().map_err(failed)?.into_inner();
    write_whole(&args.out, bytes)?;
    let out = args.out.display();
    print(format_args!(
        "{out}: an autograder for Gradescope, with the positions of --seed {seed}\n"
    ))
}

/// Returns an error for arguments that would fail only on Gradescope.
fn check(game: &SharedGame, args: &GradescopeArgs) -> Result<(), Failure> {
    checks(game, args.checks.as_deref(), args.points.as_deref(), &[])?;
    if !args.player.has_start() && !args.player.has_folder() {
        return refuse("expected {start} in the player, for the start command of the submission");
    }
    if let Some(path) = &args.overrides {
        Overrides::read(path, &[])?;
    }
    let is_package = |c: char| c.is_ascii_alphanumeric() || "+-._: ".contains(c);
    if !args.packages.chars().all(is_package) {
        return refuse("expected --packages with names of packages, separated by blanks");
    }
    Ok(())
}

/// Reads the file of the program that grades.
fn contents(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        if !File::open(path)?.metadata()?.is_file() {
            return Err(io::Error::other("expected a program"));
        }
        fs::read(path)
    };
    read().map_err(|error| Failure::of_file(path, error))
}

/// Returns the words before `grade` that tell a program its game and the rules.
fn game_words(game: &SharedGame, program: &Path) -> Vec<String> {
    // The file name tells whether the program is for one game; for other names, the arguments of this process do.
    let is_of_all = match program.file_stem() {
        Some(name) if name == game.name() => false,
        Some(name) if name == "plyground" => true,
        _ => env::args().skip(1).take_while(|word| word != "grade").any(|word| word == game.name()),
    };
    let mut words = if is_of_all { vec![game.name().to_owned()] } else { Vec::new() };
    if let Some(variants) = game.variants().filter(|variants| !variants.only_solving) {
        words.extend([format!("--{}", variants.option), game.rules()]);
    }
    words
}

fn failed(error: zip::result::ZipError) -> Failure {
    Failure::Run(anyhow!("cannot make the zip: {error}"))
}

/// The folder in which the submission is prepared. The programs in it must be able to find their folder.
const WORK: &str = "plyground";

/// Grades the submission, and writes its results. First writes the results of a failure, in case
/// the process ends early.
pub(super) fn autograde(game: &SharedGame, root: &Path) -> Result<(), Failure> {
    let started = Instant::now();
    let folder = root.join("results");
    make_folder(&folder)?;
    let place = folder.join("results.json");
    write_whole(&place, failed_json())?;
    let (results, status) = grade_submission(game, root)?;
    let facts = AutograderFacts { execution_time: started.elapsed().as_secs_f64(), status };
    Ok(write_whole(&place, autograder_json(&results, &facts))?)
}

/// Returns the results of the submission in its folder, and the status of its preparation.
fn grade_submission(game: &SharedGame, root: &Path) -> Result<(GradeResults, String), Failure> {
    let source = root.join("source");
    let path = source.join(OPTIONS);
    let file: AutograderFile = TomlFile::read(&path)?.parse()?;
    let own = file.checks.then(|| source.join(CHECKS));
    let points = file.points.then(|| source.join(POINTS));
    let checks = checks(game, own.as_deref(), points.as_deref(), &[])?;
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
    let (limits, level) = (BuildLimits::default(), programs.level());
    let options = PrepareOptions {
        out: out.clone(),
        overrides: file.overrides.then(|| source.join(OVERRIDES)),
        program: file.program.clone(),
        given: game.java_given(),
        unpack: UnpackLimits::default(),
        build: BuildOptions { limits, level, stop: None },
        attempt: AttemptChoice::Last,
        keep: true,
        again: true,
        jobs: NonZeroUsize::MIN,
    };
    let prepared = prepare_submission(NAME, &handed_in, &options)?;
    let path = out.join(NAME).to_string_lossy().into_owned();
    let status = prepared.status.words().to_owned();
    let submission = SubmissionFolder { name: NAME.to_owned(), path, prepared: Some(prepared) };
    let total = Duration::from_millis(file.total_ms);
    let grader = grader(game, &checks, programs, total, file.seed)?;
    let player = PlayerTemplate::from(file.player.as_str()).of_submission(&submission);
    let results = grader.grade(&Examinee { player, log: "grade.log".to_owned() })?;
    let results = GradeResults { build_log: submission.build_log(), ..results };
    Ok((results, status))
}

/// The names of the files in the zip, and so in the folder `source` of Gradescope.
pub(super) const OPTIONS: &str = "autograder.toml";
const CHECKS: &str = "checks.toml";
const POINTS: &str = "points.toml";
const OVERRIDES: &str = "override.toml";
const PROGRAM: &str = "grader";
const FAILED: &str = "failed.json";

/// The options of an autograder, as a file in TOML in its zip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AutograderFile {
    /// The player, as the command line names it.
    pub(super) player: String,
    /// The assignment's name for the program.
    pub(super) program: String,
    /// The seed that the positions are drawn by.
    pub(super) seed: u64,
    /// The time for all checks, in milliseconds.
    pub(super) total_ms: u64,
    /// If true, there is a file with checks.
    #[serde(default)]
    pub(super) checks: bool,
    /// If true, there is a file with points.
    pub(super) points: bool,
    /// If true, there is a file that says how submissions are built and started.
    pub(super) overrides: bool,
    /// The level of the sandboxes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sandbox: Option<SandboxLevel>,
    /// The limits of programs.
    pub(super) limits: ProcessLimits,
}
