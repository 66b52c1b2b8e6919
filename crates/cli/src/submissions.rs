//! `submissions`, which prepares and compares the work of students; and `starter`, which writes a folder to begin with.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Args, Subcommand};
use plyground_arena::class_folder::submissions as class_folders;
use plyground_arena::programs::ProgramOptions;
use plyground_durable::output::{NewFolderError, write_new_folder, write_whole};
use plyground_durable::work::cores;
use plyground_durable::{excerpt, one_line, parse_duration, parse_size, shown, whole_number};
use plyground_grading::grade::{StudentChecks, read_student_checks};
use plyground_grading::submissions::{
    AttemptChoice, BuildLimits, BuildOptions, Comparison, PrepareError, PrepareEvent,
    PrepareOptions, PreparedLine, UnpackLimits, class_sources, comparison, comparison_page,
    prepare, starter_sources,
};
use plyground_host::external::{HandedIn, PreparedStatus, PreparedSubmission};
use plyground_host::{HostedGame, SharedGame, StarterKit};
use plyground_sandbox::{ByteSize, SandboxLevel};

use super::failure::{Failure, listen, print, warn};
use super::programs::prepare_system;
use super::progress;

/// The template of the progress line.
const PROGRESS: &str = "{elapsed_precise}  {bar:20} {pos} submissions";

const EXAMPLES: &str = "\
Examples:
  plyground submissions prepare submissions.zip --out subs
  plyground submissions prepare zips --out subs --override class.toml --jobs 2
  plyground submissions prepare late --out subs --keep
  plyground maxconnect4 grade --class subs --out grades \\
      --player 'file:{start} one-move {in} {out} {depth}'";

/// The arguments of `submissions`.
#[derive(Clone, Debug, Args)]
pub struct SubmissionsArgs {
    #[command(subcommand)]
    command: SubmissionsCommand,
}

/// The commands about submissions.
#[derive(Clone, Debug, Subcommand)]
enum SubmissionsCommand {
    /// Unpack and build submissions, and find out how each is started
    ///
    /// The download of Autolab, Blackboard, Brightspace, Canvas, GitHub Classroom, Gradescope,
    /// Moodle, Sakai, Schoology or Teams becomes one submission a student, and OUT/handed-in.csv
    /// lists the files and the attempt of each. A student keeps the same name in later runs; a
    /// student that is no longer in the download is removed.
    ///
    /// Each submission is unpacked, even from nested folders, and built in a sandbox by its
    /// Makefile, by CMake or Cargo, or by the compiler of its language. Its start command is then
    /// {start} in a player of a class, and {start:subs/ann} elsewhere. A submission that cannot be
    /// prepared has a status and a reason. The same command again prepares only changed
    /// submissions.
    #[command(after_help = EXAMPLES)]
    Prepare(PrepareArgs),
    /// Find pairs of submissions that share more than chance explains
    ///
    /// Names, comments, blanks and the order of functions do not matter. Starter code does not count: the
    /// code that --starter names, that more than half of the class has, or that more than three submissions,
    /// and more than a tenth of them, have in common. Submissions that share two thirds of their other code
    /// are a ring, and count as two in the last rule, so that a ring of any size is seen. The result is no
    /// verdict: a person must look at it.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare {
        /// A folder with a folder for each submission, prepared or not
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,

        /// A file or folder with code that all students were given; may be given several times
        #[arg(long, value_name = "PATH")]
        starter: Vec<PathBuf>,

        /// Write a page with the passages of all pairs side by side into this file
        #[arg(long, value_name = "FILE.html")]
        out: Option<PathBuf>,
    },
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  plyground submissions compare subs
  plyground submissions compare subs --starter sample-code --out alike.html";

/// The arguments of `submissions prepare`.
#[derive(Clone, Debug, Args)]
struct PrepareArgs {
    /// The submissions: the download of a learning platform, as a zip or a folder; or zips, tars
    /// (.tar.gz, too), jars and source files; or folders whose files and folders are one submission
    /// each
    #[arg(value_name = "DOWNLOAD", required = true)]
    sources: Vec<PathBuf>,

    /// The folder for the submissions, a folder for each; it is created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// Take the commands that build and start submissions, where they cannot be detected, from this
    /// file: build, start and folder, in a table `class` for all or `submission.NAME` for one
    #[arg(long = "override", value_name = "FILE.toml")]
    overrides: Option<PathBuf>,

    /// The assignment's name for the program, in any case: it selects one of several in a
    /// submission
    #[arg(long, value_name = "NAME", default_value = "maxconnect4")]
    program: String,

    /// The attempt that counts: first, last or all; with all, each is a submission of its own
    #[arg(long, value_name = "WHICH", default_value = "last")]
    attempt: AttemptChoice,

    /// Keep submissions that are no longer in the download
    #[arg(long)]
    keep: bool,

    /// Prepare unchanged submissions again, too
    #[arg(long)]
    again: bool,

    /// The number of submissions to prepare at a time: as many as there are cores, at most
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    jobs: NonZeroUsize,

    /// The size of all files of a submission
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    #[arg(help_heading = LIMITS)]
    size: ByteSize,

    /// The number of files and folders that a submission may have
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    #[arg(value_parser = whole_number(1..=20_000_usize), help_heading = LIMITS)]
    files: usize,

    /// The time for the build of a submission by the clock on the wall
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = parse_duration)]
    #[arg(help_heading = LIMITS)]
    time: Duration,

    /// The memory for the build of a submission
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = parse_size)]
    #[arg(help_heading = LIMITS)]
    memory: ByteSize,

    /// The size of a submission's folder after the build, and of the build's output
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_size)]
    #[arg(help_heading = LIMITS)]
    output: ByteSize,

    /// The level of the sandbox for builds: full, user or none; without it, the highest that this
    /// system has
    #[arg(long, value_name = "LEVEL", help_heading = LIMITS)]
    sandbox: Option<SandboxLevel>,
}

/// The heading of the options that limit a submission.
const LIMITS: &str = "Limits";

/// Runs the command that the arguments name.
pub fn submissions(games: &[SharedGame], args: &SubmissionsArgs) -> Result<(), Failure> {
    match &args.command {
        SubmissionsCommand::Prepare(args) => prepare_class(games, args),
        SubmissionsCommand::Compare { folder, starter, out } => {
            compare(folder, starter, out.as_deref())
        }
    }
}

fn prepare_class(games: &[SharedGame], args: &PrepareArgs) -> Result<(), Failure> {
    let programs = ProgramOptions { sandbox: args.sandbox, ..ProgramOptions::default() };
    prepare_system(&programs)?;
    let stop = listen()?;
    let game = games.iter().find(|game| game.name().eq_ignore_ascii_case(&args.program));
    let given = game.map(|game| game.java_given()).unwrap_or_default();
    let options = PrepareOptions { given, ..options(args, &programs, &stop) };
    let progress = progress::spinner(progress::style(PROGRESS));
    let (mut lines, mut removed) = (Vec::new(), Vec::new());
    let result = prepare(&args.sources, &options, |event| match event {
        PrepareEvent::Prepared(line) => {
            progress.inc(1);
            lines.push(line);
        }
        PrepareEvent::Removed(name) => removed.push(name),
        PrepareEvent::Warning(line) => warn(&line),
    });
    progress.finish_and_clear();
    lines.sort_by(|one, other| one.name.cmp(&other.name));
    if !lines.is_empty() {
        print(table(&lines) + &taken(&lines))?;
    }
    if !removed.is_empty() {
        let names = removed.join(", ");
        print(format_args!("removed, no longer in the download: {}\n", shown(&names)))?;
    }
    if let Err(PrepareError::Lacking(missing)) = &result {
        missing.lines().iter().for_each(warn);
    }
    result?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Stopped(format!("{} submissions prepared", lines.len())));
    }
    Ok(())
}

fn compare(folder: &Path, starter: &[PathBuf], out: Option<&Path>) -> Result<(), Failure> {
    let comparison = compared_class(folder, starter)?;
    for name in &comparison.without_sources {
        warn(&format!(
            "{}: cannot be compared: it has no source files of a known language",
            excerpt(name)
        ));
    }
    if let Some(path) = out {
        write_whole(path, comparison_page(&comparison))?;
    }
    for code in &comparison.common {
        print(format_args!("{code}\n\n"))?;
    }
    if comparison.pairs.is_empty() {
        return print("No two submissions share more than chance explains.\n");
    }
    let rows = comparison.pairs.iter().map(|pair| {
        let [one, other] = pair.names.clone();
        let longest = pair.passages.first().map(|passage| {
            let [here, there] = &passage.places;
            format!("{here} and {there}")
        });
        [one, other, format!("{} %", pair.percent()), longest.unwrap_or_default()]
    });
    let header = ["submission", "and", "shared", "longest passage"];
    let advice = if starter.is_empty() { " Name code that you gave with --starter." } else { "" };
    let text = columns(header, rows.collect());
    print(text + &format!("\nThis is no verdict: read the passages, and ask.{advice}\n"))
}

/// Returns the comparison of a class that was given this starter code.
pub(crate) fn compared_class(folder: &Path, starter: &[PathBuf]) -> Result<Comparison, Failure> {
    let given =
        starter_sources(starter).map_err(|error| Failure::usage(format!("--starter: {error}")))?;
    let found = class_folders(folder).map_err(|error| Failure::of_file(folder, error))?;
    let places: Vec<(&str, PathBuf)> =
        found.iter().map(|it| (it.name.as_str(), PathBuf::from(it.files()))).collect();
    for it in &found {
        let changed = it.prepared.as_ref().map(|prepared| &*prepared.changed).unwrap_or_default();
        if let Some(first) = changed.first() {
            let (name, file) = (excerpt(&it.name), excerpt(&first.to_string_lossy()));
            let others = if changed.len() > 1 { " and other sources" } else { "" };
            warn(&format!(
                "{name}: its build has removed or changed {file}{others}: compare the files that were handed in"
            ));
        }
    }
    let class = class_sources(places.iter().map(|(name, path)| (*name, path.as_path())));
    for sources in &class {
        for why in &sources.left_out {
            warn(&format!("{}: {why}", excerpt(&sources.name)));
        }
    }
    Ok(comparison(&class, &given))
}

fn options(
    args: &PrepareArgs,
    programs: &ProgramOptions,
    stop: &Arc<AtomicBool>,
) -> PrepareOptions {
    let PrepareArgs { time, memory, output, .. } = *args;
    let limits = BuildLimits { time, memory, output, ..BuildLimits::default() };
    let stop = Some(Arc::clone(stop));
    PrepareOptions {
        out: args.out.clone(),
        overrides: args.overrides.clone(),
        program: args.program.clone(),
        given: Vec::new(),
        unpack: UnpackLimits { size: args.size, files: args.files },
        build: BuildOptions { limits, level: programs.level(), stop },
        attempt: args.attempt,
        keep: args.keep,
        again: args.again,
        jobs: args.jobs.min(cores()),
    }
}

/// Returns a table with the status of the submissions, a line for each.
fn table(lines: &[PreparedLine]) -> String {
    let rows = lines.iter().map(|line| row(&line.name, &line.prepared));
    let text = columns(["submission", "language", "build", "status"], rows.collect());
    let new = lines.iter().filter(|line| line.is_new).count();
    let ready = lines.iter().filter(|line| line.prepared.status == PreparedStatus::Ready).count();
    let kept = lines.len() - new;
    text + &format!("\n{new} prepared now, {kept} as before; {ready} of {} ready\n", lines.len())
}

/// Returns a table of the attempts and files that were taken, where there was a choice or an attempt is late; empty if
/// there is no such submission.
fn taken(lines: &[PreparedLine]) -> String {
    let is_worth_a_look = |line: &&PreparedLine| {
        let HandedIn { late, attempts, left_out, .. } = &line.prepared.handed_in;
        *late || *attempts > 1 || !left_out.is_empty()
    };
    let rows = lines.iter().filter(is_worth_a_look).map(|line| {
        let HandedIn { late, attempt, attempts, taken, left_out, .. } = &line.prepared.handed_in;
        let late = if *late { ", late" } else { "" };
        [
            line.name.clone(),
            format!("{attempt} of {attempts}{late}"),
            or_dash(&taken.join("; ")),
            or_dash(&left_out.join("; ")),
        ]
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    "\n".to_owned() + &columns(["submission", "attempt", "taken", "left out"], rows)
}

/// Returns a table with these columns, of which the last has no fixed width. Each cell becomes one
/// line, because it may have the text of a stranger.
fn columns(header: [&str; 4], rows: Vec<[String; 4]>) -> String {
    let header = header.map(str::to_owned);
    let rows: Vec<[String; 4]> =
        rows.into_iter().map(|row| row.map(|cell| one_line(&cell))).collect();
    let width = |column: usize| {
        let cells = rows.iter().chain([&header]).map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let [first, second, third] = [width(0), width(1), width(2)];
    let mut text = String::new();
    for [a, b, c, d] in [&header].into_iter().chain(&rows) {
        text += format!("{a:first$}  {b:second$}  {c:third$}  {d}").trim_end();
        text += "\n";
    }
    text
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.to_owned() }
}

fn row(name: &str, prepared: &PreparedSubmission) -> [String; 4] {
    let PreparedSubmission { language, build, status, why, .. } = prepared;
    let status = match status {
        PreparedStatus::Ready if prepared.start.is_empty() => {
            format!("{} (java:)", status.words())
        }
        PreparedStatus::Ready | PreparedStatus::NothingHandedIn => status.words().to_owned(),
        _ => format!("{}: {why}", status.words()),
    };
    [name.to_owned(), or_dash(language), or_dash(tool(build)), status]
}

/// Returns the program that builds: the first word of the last command that is not a setting.
fn tool(build: &str) -> &str {
    let last = build.rsplit("&& ").next().unwrap_or_default();
    let mut words = last.split_whitespace().skip_while(|word| word.contains('='));
    let first = words.next().unwrap_or_default();
    Path::new(first).file_name().and_then(|name| name.to_str()).unwrap_or(first)
}

/// The arguments of `starter`.
#[derive(Clone, Debug, Args)]
pub struct StarterArgs {
    /// The language of the kit; without it, all kits are listed
    #[arg(long, value_name = "LANGUAGE", requires = "out")]
    pub language: Option<String>,

    /// The folder for the kit, which must be empty or not there yet
    #[arg(long, value_name = "FOLDER", requires = "language")]
    pub out: Option<PathBuf>,

    /// Put the checks of this file that students may see into the kit: `make check` runs them on
    /// the player
    #[arg(long, value_name = "FILE.toml", requires = "language")]
    pub checks: Option<PathBuf>,
}

/// Lists the kits of these games, or writes one of the first game, by its rules, into a folder.
///
/// # Errors
///
/// Returns an error if there is no such kit, or the folder cannot be written.
pub fn starter(games: &[SharedGame], args: &StarterArgs) -> Result<(), Failure> {
    match (&args.language, &args.out, games) {
        (Some(language), Some(out), [game, ..]) => {
            let kit = find(&**game, language)?;
            write_kit(&with_checks(&**game, kit, args.checks.as_deref())?, out)
        }
        _ => list(games),
    }
}

/// Adds the checks of a file to a kit, if a file is named.
fn with_checks(
    game: &dyn HostedGame,
    kit: StarterKit,
    path: Option<&Path>,
) -> Result<StarterKit, Failure> {
    let Some(path) = path else { return Ok(kit) };
    let StudentChecks { text, left_out } = read_student_checks(game, path)?;
    let mut kit = kit.with_checks(text);
    if left_out > 0 {
        let path = path.display();
        kit.notes.push(format!("{left_out} checks of {path} are left out: they are not visible."));
    }
    Ok(kit)
}

/// Writes a kit into a folder, and lists its files.
///
/// # Errors
///
/// Returns an error if the folder is not empty, or cannot be written.
pub fn write_kit(kit: &StarterKit, out: &Path) -> Result<(), Failure> {
    let contents: Vec<_> =
        kit.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    write_new_folder(out, &contents)?;
    let files = kit.files.iter().map(|(name, _)| format!("  {}\n", out.join(name).display()));
    let files: String = files.collect();
    let notes: String = kit.notes.iter().map(|note| format!("{note}\n")).collect();
    print(format_args!(
        "{files}README.md lists the tools that you need, and the file to write in.\n{notes}"
    ))
}

fn find(game: &dyn HostedGame, language: &str) -> Result<StarterKit, Failure> {
    let kits = game.starters();
    kits.iter().find(|kit| kit.language == language).cloned().ok_or_else(|| {
        let languages: Vec<&str> = kits.iter().map(|kit| kit.language).collect();
        let expected = match &languages[..] {
            [] => "there is no starter kit".to_owned(),
            languages => format!("expected --language with one of {}", languages.join(", ")),
        };
        let (name, rules) = (game.name(), game.rules());
        Failure::usage(format!("{name} by the rules {rules}: {expected}, found `{language}`"))
    })
}

/// Prints one line for every kit, for all rules.
fn list(games: &[SharedGame]) -> Result<(), Failure> {
    print(format_args!("{:<13}{:<10}{:<12}\n", "game", "rules", "language"))?;
    for game in games {
        let others = game.rule_sets();
        for game in others.iter().filter_map(|rules| game.with_rules(rules)) {
            for StarterKit { language, about, .. } in game.starters() {
                let (name, rules) = (game.name(), game.rules());
                print(format_args!("{name:<13}{rules:<10}{language:<12}{about}\n"))?;
            }
        }
    }
    Ok(())
}

impl From<NewFolderError> for Failure {
    fn from(error: NewFolderError) -> Failure {
        match error {
            NewFolderError::Taken(_) => Failure::usage(error),
            NewFolderError::Write(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_steers_the_terminal_or_is_too_wide() {
        let wide = "x".repeat(100_000);
        let row = ["ann", "\u{202e}C\u{1b}[2J", &wide, &wide].map(str::to_owned);
        let text = columns(["submission", "language", "build", "status"], vec![row]);
        let last = text.lines().last().expect("a row");
        assert!(last.starts_with("ann         \\u{202e}C\\u{1b}[2J  xxx"), "{last}");
        assert!(last.len() < 1_000, "{}", last.len());
    }
}
