//! Submits work to Slurm.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::anyhow;
use plyground_durable::one_line;
use plyground_durable::output::{make_folder, write_whole};

use super::args::ClusterSlurmArgs;
use super::script::{Scripts, shell_word};
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
