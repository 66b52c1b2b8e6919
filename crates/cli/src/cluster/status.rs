//! `cluster status`: how far shared work is.

use std::io::{self, Write};
use std::time::Duration;

use plyground_durable::work::WorkStatus;

use super::{Given, slurm};
use crate::failure::Failure;

/// Up to this many lines of a kind are shown.
const MOST_LINES: usize = 20;

/// Shows how far the work is, who is at it, and what failed.
pub(super) fn show(given: &Given<'_>, look: Option<Duration>) -> Result<(), Failure> {
    let (job, folder) = given.job()?;
    let look = look.unwrap_or(given.order.patience() / 3);
    let status = WorkStatus::read(&folder, job.workload(), look)?;
    let mut out = io::stdout().lock();
    write!(out, "{}", text(&status))?;
    let queue = slurm::queue(&given.path);
    if !queue.is_empty() {
        write!(
            out,
            "\nIn the queue of Slurm:\n{}",
            lines(queue.lines().map(|it| format!("  {it}")))
        )?;
    }
    Ok(out.flush()?)
}

fn text(status: &WorkStatus) -> String {
    let WorkStatus { pieces, done, failed, tasks, open, refused, .. } = status;
    let in_work: usize = tasks.iter().filter(|task| task.lives).map(|task| task.pieces.len()).sum();
    let left: usize = tasks.iter().filter(|task| !task.lives).map(|task| task.pieces.len()).sum();
    let mut text = format!(
        "{done} of {pieces} pieces done, {in_work} in work, {left} left by tasks that ended, {} failed, \
         {open} not begun\n",
        failed.len()
    );
    if !tasks.is_empty() {
        text += "\nTasks:\n";
        text += &lines(tasks.iter().map(|task| {
            let state = if task.lives { "lives" } else { "ended" };
            format!("  {state}  {}: {}", task.name, task.pieces.join(", "))
        }));
    }
    if !failed.is_empty() {
        text += "\nFailed:\n";
        text += &lines(failed.iter().map(|piece| {
            let times = if piece.times == 1 { "once" } else { &format!("{} times", piece.times) };
            format!("  {} {times}: {}", piece.name, piece.why)
        }));
    }
    if !refused.is_empty() {
        text += "\nRefused:\n";
        text += &lines(refused.iter().map(|(machine, why)| format!("  {machine}: {why}")));
    }
    text
}

fn lines(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    let shown = all.iter().take(MOST_LINES).map(|line| format!("{line}\n"));
    let mut text: String = shown.collect();
    if all.len() > MOST_LINES {
        text += &format!("  and {} more\n", all.len() - MOST_LINES);
    }
    text
}

#[cfg(test)]
mod tests {
    use plyground_durable::work::{FailedPiece, TaskStatus};

    use super::*;

    #[test]
    fn status_says_what_failed_and_why() {
        let task = |name: &str, lives| TaskStatus {
            name: name.to_owned(),
            lives,
            pieces: vec!["0003-01".to_owned()],
        };
        let status = WorkStatus {
            pieces: 9,
            done: 5,
            failed: vec![FailedPiece { name: "x".into(), times: 3, why: "n1: full".into() }],
            tasks: vec![task("n1~7_1~a", true), task("n2~7_2~b", false)],
            open: 1,
            refused: [("n3".to_owned(), "no java".to_owned())].into(),
            ..WorkStatus::default()
        };
        let expected = "\
5 of 9 pieces done, 1 in work, 1 left by tasks that ended, 1 failed, 1 not begun

Tasks:
  lives  n1~7_1~a: 0003-01
  ended  n2~7_2~b: 0003-01

Failed:
  x 3 times: n1: full

Refused:
  n3: no java
";
        assert_eq!(text(&status), expected);
    }
}
