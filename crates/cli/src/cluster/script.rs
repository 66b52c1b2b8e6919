//! The scripts for Slurm.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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
