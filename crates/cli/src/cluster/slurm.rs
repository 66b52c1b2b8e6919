//! Submits work to Slurm by a script.

use std::env;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::anyhow;
use plyground_durable::one_line;
use plyground_durable::output::{make_folder, write_whole};

use super::args::ClusterSlurmArgs;
use crate::failure::Failure;

/// The folder with the scripts and the logs of the tasks.
const SLURM: &str = "slurm";

/// The file with the numbers of the jobs.
const JOBS: &str = "jobs";

/// The options for sbatch, after a look at whether it is there.
pub(super) fn check(args: &ClusterSlurmArgs) -> Result<Vec<String>, Failure> {
    let options = sbatch_options(&args.sbatch)?;
    if !args.dry_run {
        run(Command::new("sbatch").arg("--version"))?;
    }
    Ok(options)
}

/// Writes the scripts, and submits them unless they are only to be seen.
pub(super) fn submit(
    work: &Path,
    args: &ClusterSlurmArgs,
    options: Vec<String>,
) -> Result<(), Failure> {
    let folder = work.join(SLURM);
    make_folder(&folder)?;
    let scripts = Scripts::new(work, args.tasks.get(), options);
    let texts = [("tasks.sh", scripts.tasks()), ("merge.sh", scripts.merge())];
    for (name, text) in &texts {
        write_whole(&folder.join(name), text)?;
    }
    let [tasks, merge] = texts.each_ref().map(|(name, _)| folder.join(name));
    let mut out = io::stdout().lock();
    if args.dry_run {
        for (path, (_, text)) in [&tasks, &merge].iter().zip(&texts) {
            writeln!(out, "# {}\n{text}", path.display())?;
        }
        let after = "sbatch --dependency=afterany:$(sbatch --parsable";
        let [tasks, merge] = [&tasks, &merge].map(|path| shell_word(&path.to_string_lossy()));
        writeln!(out, "# To submit them:\n# {after} {tasks}) {merge}")?;
        return Ok(out.flush()?);
    }
    let array = sbatch(&[], &tasks)?;
    let merge = sbatch(&[format!("--dependency=afterany:{array}")], &merge)?;
    keep(&folder.join(JOBS), &format!("{array} {merge}\n"))?;
    let place = shell_word(&work.to_string_lossy());
    writeln!(out, "{} tasks are job {array}, the merge is job {merge}", args.tasks)?;
    writeln!(out, "`cluster status {place}` says how far they are")?;
    Ok(out.flush()?)
}

/// The options in texts, as words for a shell.
fn sbatch_options(texts: &[String]) -> Result<Vec<String>, Failure> {
    let mut options = Vec::new();
    for text in texts {
        let words = shlex::split(text)
            .ok_or_else(|| Failure::Usage("--sbatch: expected a closing quote".to_owned()))?;
        options.extend(words);
    }
    if let Some(word) = options.iter().find(|word| word.chars().any(char::is_control)) {
        let fault = format!("--sbatch: expected options in one line, found `{}`", one_line(word));
        return Err(Failure::Usage(fault));
    }
    Ok(options)
}

/// Submits a script and returns the number of the job.
fn sbatch(options: &[String], script: &Path) -> Result<String, Failure> {
    let text = run(Command::new("sbatch").arg("--parsable").args(options).arg(script))?;
    // The name of the cluster may follow.
    Ok(text.trim().split(';').next().unwrap_or_default().to_owned())
}

/// Runs sbatch and returns what it prints.
fn run(command: &mut Command) -> Result<String, Failure> {
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::Usage(
            "there is no `sbatch` on this machine; `cluster run` does the same without Slurm"
                .to_owned(),
        ),
        _ => Failure::Run(anyhow!("sbatch: {error}")),
    })?;
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

/// Returns the lines of Slurm about the jobs that are waiting or running; empty if Slurm is not
/// there.
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
    // Jobs that have ended long ago are unknown to it.
    squeue.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// The contents of the scripts.
pub(super) struct Scripts {
    /// The folder with the work.
    work: PathBuf,
    /// The words that start the program of the game.
    program: Vec<String>,
    /// The number of tasks.
    tasks: usize,
    /// More options for sbatch.
    sbatch: Vec<String>,
}

impl Scripts {
    pub(super) fn new(work: &Path, tasks: usize, sbatch: Vec<String>) -> Scripts {
        let program = program_words(env::current_exe().unwrap_or_default(), env::args_os());
        Scripts { work: work.to_owned(), program, tasks, sbatch }
    }

    /// The script of the job array.
    pub(super) fn tasks(&self) -> String {
        let array = format!("--array=1-{}", self.tasks);
        // A task that Slurm starts again writes behind what it wrote.
        let options = [array.as_str(), "--requeue", "--open-mode=append"];
        let head = self.head("task", "%A_%a", &options);
        let command = self.command("work");
        format!(
            "{head}\n\
             # Each task does pieces of the work until there are none. It may be cancelled, requeued or\n\
             # started by hand as well, here or on any machine that has the folder.\n\
             exec {command} --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"\n"
        )
    }

    /// The script that merges.
    pub(super) fn merge(&self) -> String {
        let head = self.head("merge", "%j", &["--open-mode=append"]);
        let command = self.command("merge");
        format!(
            "{head}\n\
             # Runs when all tasks have ended, however they did. It may be run at any time, and again.\n\
             exec {command}\n"
        )
    }

    fn head(&self, what: &str, number: &str, options: &[&str]) -> String {
        let name = self.work.file_stem().unwrap_or_default().to_string_lossy();
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        // In the name of a file, sbatch takes `%` for its own.
        let log = self.work.join("slurm").to_string_lossy().replace('%', "%%");
        let log = format!("{log}/{what}-{number}.log");
        let mut text = format!("#!/bin/sh\n#SBATCH --job-name={name}-{what}\n");
        text += &format!("#SBATCH --output={}\n", sbatch_word(&log));
        for option in options.iter().copied().chain(self.sbatch.iter().map(String::as_str)) {
            text += &format!("#SBATCH {}\n", sbatch_word(option));
        }
        text
    }

    fn command(&self, what: &str) -> String {
        let work = self.work.to_string_lossy().into_owned();
        let words = self.program.iter().cloned();
        let words = words.chain(["cluster".to_owned(), what.to_owned(), work]);
        words.map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ")
    }
}

/// The words before `cluster` in the arguments of this process, which say what program this is.
fn program_words(program: PathBuf, arguments: impl Iterator<Item = OsString>) -> Vec<String> {
    let before = arguments.skip(1).take_while(|word| word != "cluster");
    let words = [program.into_os_string()].into_iter().chain(before);
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

pub(super) fn shell_word(word: &str) -> String {
    // Only a zero byte cannot be quoted, and no argument has one.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned())
}

/// A word of an option of sbatch, which splits lines at blanks outside of double quotes.
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
        let scripts = Scripts {
            work: "/home/ann/a class.work".into(),
            program,
            tasks: 50,
            sbatch: vec!["--time=1:00".to_owned()],
        };
        let tasks = scripts.tasks();
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
        let merge = scripts.merge();
        assert!(merge.contains("cluster merge '/home/ann/a class.work'\n"), "{merge}");
        assert!(!merge.contains("--array"), "{merge}");
    }
}
