//! The arguments of `cluster`, and the script that submits work to Slurm.

use std::env;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use plyground_durable::output::{make_folder, write_whole};
use plyground_durable::{one_line, parse_duration, whole_number};

use crate::failure::{Failure, print, refuse};

/// The most tasks. A greater number is taken for a typing error.
const MOST_TASKS: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

const SLURM_EXAMPLES: &str = "\
Examples:
  cluster slurm --tasks 50 --sbatch '--partition=short --time=4:00:00' \\
      tournament class.toml --out class
  cluster slurm --dry-run grade --class subs --out grades \\
      --player 'file:{start} one-move {in} {out} {depth}'
  cluster slurm --tasks 20 book build --plies 6 --out book.bin
  cluster slurm timing a.txt b.txt c.txt --csv 'times-{name}.csv'";

const RUN_EXAMPLES: &str = "\
Examples:
  cluster run --jobs 4 tournament class.toml
  cluster run book build --plies 4 --out book.bin
  cluster run --jobs 2 solve position.txt";

/// The subcommands of `cluster`.
#[derive(Clone, Debug, Subcommand)]
pub enum ClusterCommand {
    /// Have the tasks of a Slurm job array share the work of a command, and merge their results
    ///
    /// The command is `tournament`, `grade --class`, `match`, `timing`, `book build` or `solve`, or
    /// `solve` or `openings` of the program `research`, with its own options. Its work is cut into
    /// many more pieces than there are tasks. The folder with the work must be on a file system
    /// that all nodes have. A task may be killed, requeued or started twice: nothing is lost, and
    /// nothing counts twice. The same command again goes on with the open pieces.
    #[command(after_help = SLURM_EXAMPLES)]
    Slurm(ClusterSlurmArgs),
    /// Do the work of a command in pieces on this machine, without Slurm
    #[command(after_help = RUN_EXAMPLES)]
    Run(ClusterRunArgs),
    /// Do pieces until none is left, as each task does
    ///
    /// Any number of processes may do so at once, on any machine that has the folder.
    Work {
        /// The folder with the work
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,

        /// The number of pieces to do at a time
        #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
        #[arg(value_parser = whole_number(NonZeroUsize::MIN..=MOST_TASKS))]
        jobs: NonZeroUsize,
    },
    /// Put the results of the tasks together, as often as you like
    Merge {
        /// The folder with the work
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Show how far the work is, and each failure with its reason
    Status {
        /// The folder with the work
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,

        /// Watch for live tasks for this long [default: two beats of a task]
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        look: Option<Duration>,
    },
}

/// The arguments of `cluster slurm`.
#[derive(Clone, Debug, Args)]
pub struct ClusterSlurmArgs {
    /// The number of tasks in the job array
    #[arg(long, value_name = "N", default_value = "8")]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=MOST_TASKS))]
    pub tasks: NonZeroUsize,

    /// Options for sbatch, as words for a shell; may be given several times
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,

    /// Prepare the work and print the scripts, but submit nothing
    #[arg(long)]
    pub dry_run: bool,

    /// The command whose work is shared.
    #[command(flatten)]
    pub shared: SharedCommandArgs,
}

/// The arguments of `cluster run`.
#[derive(Clone, Debug, Args)]
pub struct ClusterRunArgs {
    /// The number of pieces to do at a time
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=MOST_TASKS))]
    pub jobs: NonZeroUsize,

    /// The command whose work is shared.
    #[command(flatten)]
    pub shared: SharedCommandArgs,
}

/// The command whose work is shared.
#[derive(Clone, Debug, Args)]
pub struct SharedCommandArgs {
    /// The folder with the work [default: the output of the command with .work at its end]
    #[arg(long, value_name = "FOLDER")]
    pub work: Option<PathBuf>,

    /// Count a task as dead after this time without a sign of life
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = parse_duration)]
    pub patience: Duration,

    /// The command, with its own options
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    pub command: Vec<String>,
}

/// The folder with the scripts and the logs of the tasks.
const SLURM: &str = "slurm";

/// The file with the numbers of the jobs.
const JOBS: &str = "jobs";

/// Returns the options for sbatch, after a check that sbatch is installed. `instead` is the command that does the same
/// without Slurm.
pub(super) fn check(
    sbatch: &[String],
    dry_run: bool,
    instead: &str,
) -> Result<Vec<String>, Failure> {
    let options = sbatch_options(sbatch)?;
    if dry_run {
        return Ok(options);
    }
    let mut command = Command::new("sbatch");
    match command.arg("--version").output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => refuse(format!(
            "there is no `sbatch` on this machine; `{instead}` does the same without Slurm"
        )),
        _ => run(&mut command).map(|_| options),
    }
}

/// A job array whose tasks all run the same command and share no folder except the folder of their logs.
#[derive(Clone, Debug)]
pub struct JobArray<'a> {
    /// The name of the job.
    pub name: &'a str,
    /// The folder for the script and the logs.
    pub folder: &'a Path,
    /// The number of tasks.
    pub tasks: NonZeroUsize,
    /// Options for sbatch, as words for a shell.
    pub sbatch: &'a [String],
    /// The words of the command. Each task adds `--jobs` with its number of processors.
    pub words: &'a [String],
    /// The command that does the same without Slurm.
    pub instead: &'a str,
}

impl JobArray<'_> {
    /// Writes the script and submits it. Returns the number of the job; in a dry run, prints the script and
    /// returns `None`.
    ///
    /// # Errors
    ///
    /// Returns an error if the options cannot be read, or if the script cannot be written or submitted.
    pub fn submit(&self, dry_run: bool) -> Result<Option<String>, Failure> {
        let options = check(self.sbatch, dry_run, self.instead)?;
        make_folder(self.folder)?;
        let script = self.folder.join(format!("{}.sh", self.name));
        let text = self.script(&options);
        write_whole(&script, &text)?;
        if dry_run {
            let (place, word) = (script.display(), shell_word(&script.to_string_lossy()));
            print(format_args!("# {place}\n{text}\n# To submit it:\n# sbatch {word}\n"))?;
            return Ok(None);
        }
        sbatch(&[], &script).map(Some)
    }

    fn script(&self, options: &[String]) -> String {
        let log = log(self.folder, "task-%A_%a");
        let head = head(self.name, &log, &array_options(self.tasks), options);
        format!(
            "{head}\n\
             # Each task may be cancelled, requeued or started by hand as well.\n\
             exec {} {JOBS_OF_TASK}\n",
            shell_words(self.words)
        )
    }
}

/// Writes the scripts, and submits them; in a dry run, prints them.
pub(super) fn submit(
    work: &Path,
    args: &ClusterSlurmArgs,
    options: &[String],
) -> Result<(), Failure> {
    let folder = work.join(SLURM);
    make_folder(&folder)?;
    let program = program_words(env::current_exe().unwrap_or_default(), env::args_os());
    let texts = scripts(work, &program, args.tasks, options);
    let paths = ["tasks.sh", "merge.sh"].map(|name| folder.join(name));
    for (path, text) in paths.iter().zip(&texts) {
        write_whole(path, text)?;
    }
    let [tasks, merge] = &paths;
    if args.dry_run {
        for (path, text) in paths.iter().zip(&texts) {
            print(format_args!("# {}\n{text}\n", path.display()))?;
        }
        let after = "sbatch --dependency=afterany:$(sbatch --parsable";
        let [tasks, merge] = [tasks, merge].map(|path| shell_word(&path.to_string_lossy()));
        return print(format_args!("# To submit them:\n# {after} {tasks}) {merge}\n"));
    }
    let array = sbatch(&[], tasks)?;
    let merge = sbatch(&[format!("--dependency=afterany:{array}")], merge)?;
    keep(&folder.join(JOBS), &format!("{array} {merge}\n"))?;
    let place = shell_word(&work.to_string_lossy());
    print(format_args!(
        "{} tasks are job {array}, the merge is job {merge}\n\
         `cluster status {place}` shows how far they are\n",
        args.tasks
    ))
}

/// Splits texts into options, as a shell splits words.
fn sbatch_options(texts: &[String]) -> Result<Vec<String>, Failure> {
    let mut options = Vec::new();
    for text in texts {
        let words = shlex::split(text)
            .ok_or_else(|| Failure::usage("--sbatch: expected a closing quote"))?;
        options.extend(words);
    }
    if let Some(word) = options.iter().find(|word| word.chars().any(char::is_control)) {
        return refuse(format!(
            "--sbatch: expected options in one line, found `{}`",
            one_line(word)
        ));
    }
    Ok(options)
}

/// Submits a script and returns the number of the job.
fn sbatch(options: &[String], script: &Path) -> Result<String, Failure> {
    let text = run(Command::new("sbatch").arg("--parsable").args(options).arg(script))?;
    // The name of the cluster may follow.
    Ok(text.trim().split(';').next().unwrap_or_default().to_owned())
}

/// Runs sbatch and returns its output.
fn run(command: &mut Command) -> Result<String, Failure> {
    let output = command.output().map_err(|error| Failure::Run(anyhow!("sbatch: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || text.trim().is_empty() {
        let why = one_line(String::from_utf8_lossy(&output.stderr).trim());
        return Err(Failure::Run(anyhow!("sbatch: {why}")));
    }
    Ok(text.into_owned())
}

fn keep(path: &Path, line: &str) -> Result<(), Failure> {
    let kept = OpenOptions::new().create(true).append(true).open(path);
    let kept = kept.and_then(|mut file| file.write_all(line.as_bytes()));
    kept.map_err(|error| Failure::Run(anyhow!("{}: {error}", path.display())))
}

/// Returns the lines of `squeue` about the waiting and running jobs; empty without Slurm.
pub(super) fn queue(work: &Path) -> String {
    let path: PathBuf = work.join(SLURM).join(JOBS);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let numbers: Vec<&str> = text.split_whitespace().collect();
    if numbers.is_empty() {
        return String::new();
    }
    let squeue = Command::new("squeue")
        .args(["--noheader", "--format=%i %T %R", "--jobs", &numbers.join(",")])
        .output();
    // `squeue` does not know jobs that ended long ago.
    squeue.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// Returns the script of the job array, and the script that merges the results. `program` has the words that start the
/// program of the game.
fn scripts(work: &Path, program: &[String], tasks: NonZeroUsize, sbatch: &[String]) -> [String; 2] {
    let name = work.file_stem().unwrap_or_default().to_string_lossy();
    let head = |what: &str, number: &str, options: &[String]| {
        let log = log(&work.join(SLURM), &format!("{what}-{number}"));
        head(&format!("{name}-{what}"), &log, options, sbatch)
    };
    let command = |what: &str| {
        let own = ["cluster".to_owned(), what.to_owned(), work.to_string_lossy().into_owned()];
        shell_words(program.iter().chain(&own))
    };
    let tasks = format!(
        "{}\n\
         # Each task does pieces of the work until no piece is left. It may be cancelled, requeued or\n\
         # started by hand as well, here or on any machine that has the folder.\n\
         exec {} {JOBS_OF_TASK}\n",
        head("task", "%A_%a", &array_options(tasks)),
        command("work")
    );
    let merge = format!(
        "{}\n\
         # Runs when all tasks have ended, however they did. It may be run at any time, and again.\n\
         exec {}\n",
        head("merge", "%j", &[APPEND.to_owned()]),
        command("merge")
    );
    [tasks, merge]
}

/// The option of a task that uses all its processors.
const JOBS_OF_TASK: &str = "--jobs \"${SLURM_CPUS_PER_TASK:-1}\"";

/// The option that lets a requeued task append to its log.
const APPEND: &str = "--open-mode=append";

/// Returns the options of a job array.
fn array_options(tasks: NonZeroUsize) -> [String; 3] {
    [format!("--array=1-{tasks}"), "--requeue".to_owned(), APPEND.to_owned()]
}

/// Returns the path of a log, in which sbatch replaces the patterns of `name` by numbers.
fn log(folder: &Path, name: &str) -> PathBuf {
    // sbatch takes each `%` in the path for the start of a pattern.
    let folder = folder.to_string_lossy().replace('%', "%%");
    Path::new(&folder).join(format!("{name}.log"))
}

/// Returns the first lines of a script, with these options and more.
fn head(name: &str, log: &Path, options: &[String], more: &[String]) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let mut text = format!("#!/bin/sh\n#SBATCH --job-name={name}\n");
    text += &format!("#SBATCH --output={}\n", sbatch_word(&log.to_string_lossy()));
    for option in options.iter().chain(more) {
        text += &format!("#SBATCH {}\n", sbatch_word(option));
    }
    text
}

/// Returns the words that start this program: its path, and its arguments before `cluster`, which name the game.
fn program_words(program: PathBuf, arguments: impl Iterator<Item = OsString>) -> Vec<String> {
    let before = arguments.skip(1).take_while(|word| word != "cluster");
    let words = [program.into_os_string()].into_iter().chain(before);
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Quotes a word for a shell.
pub(crate) fn shell_word(word: &str) -> String {
    // Only a zero byte cannot be quoted, and no argument has one.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned())
}

fn shell_words<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    words.into_iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// Quotes a word of an option for sbatch, which splits lines at blanks outside of double quotes.
fn sbatch_word(word: &str) -> String {
    if word.contains([' ', '\t', '"', '\'', '\\', '#']) {
        format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_say_all_that_is_needed() {
        let words = ["plyground", "maxconnect4", "cluster", "slurm"].map(OsString::from);
        let program = program_words("/opt/my bin/plyground".into(), words.into_iter());
        let tasks = NonZeroUsize::new(50).expect("more than 0");
        let work = Path::new("/home/ann/a class.work");
        let [tasks, merge] = scripts(work, &program, tasks, &["--time=1:00".to_owned()]);
        for line in [
            "#SBATCH --job-name=a-class-task",
            "#SBATCH --output=\"/home/ann/a class.work/slurm/task-%A_%a.log\"",
            "#SBATCH --array=1-50",
            "#SBATCH --time=1:00",
            "exec '/opt/my bin/plyground' maxconnect4 cluster work '/home/ann/a class.work' --jobs \
             \"${SLURM_CPUS_PER_TASK:-1}\"",
        ] {
            assert!(tasks.lines().any(|found| found == line), "{line}\n{tasks}");
        }
        assert!(merge.contains("cluster merge '/home/ann/a class.work'\n"), "{merge}");
        assert!(!merge.contains("--array"), "{merge}");
    }
}
