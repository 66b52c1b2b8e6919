//! Runs the examples of a page.
//!
//! A block marked `console` holds commands behind `$ ` and what they print, standard error
//! included. The blocks of a page are run one after the other in a folder that has a copy of `inputs`.
//! In the output, `...` alone on a line stands for any lines up to the first that is like the one
//! after it, and `[..]` for anything within a line; blanks at the end of a line do not count.
//!
//! With `UPDATE_GOLDEN=1` the true output is put in place of a wrong one.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use snapbox::Assert;

use super::markdown::{Example, Page};
use crate::common::project;

/// Runs the command in the shell, and returns its output without blanks before line ends.
fn run(command: &str, programs: &Path, folder: &Path) -> io::Result<String> {
    let path = env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

fn copy_inputs(folder: &Path) -> io::Result<()> {
    for game in fs::read_dir(project().join("inputs"))? {
        let game = game?;
        let copy = folder.join("inputs").join(game.file_name());
        fs::create_dir_all(&copy)?;
        for file in fs::read_dir(game.path())? {
            let file = file?;
            fs::copy(file.path(), copy.join(file.file_name()))?;
        }
    }
    Ok(())
}

/// Runs the examples of a page in a folder of their own, with the programs of the folder `programs`, and
/// returns the differences.
pub fn check(page: &Page, programs: &Path) -> io::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    copy_inputs(folder.path())?;
    let mut text = page.text.clone();
    let mut faults = Vec::new();
    for Example { command, output } in page.examples() {
        let actual = run(&command, programs, folder.path())?;
        let compared =
            Assert::new().try_eq(Some(&command), actual.clone().into(), (&output).into());
        if let Err(fault) = compared {
            let shown = format!("$ {command}\n{output}");
            text = text.replacen(&shown, &format!("$ {command}\n{actual}"), 1);
            faults.push(format!("{}: $ {command}\n{fault}", page.path));
        }
    }
    if env::var_os("UPDATE_GOLDEN").is_some() && !faults.is_empty() {
        fs::write(project().join(&page.path), text)?;
        faults.clear();
    }
    Ok(faults)
}
