//! Autograders for Gradescope, for a first try. The manual gives their seed, so that their positions are no
//! secret: instructors make their own with `grade gradescope`.

use std::fs;

use anyhow::{Context, Result};
use plyground_launcher::{BUILD, levels};

use crate::compile::built;
use crate::release::{Package, Release};
use crate::tool::run;

const SEED: &str = "1";

/// The games, and for each the way to run a submission as a player.
const GAMES: [(&str, &str); 2] =
    [("maxconnect4", "file:{start} one-move {in} {out} {depth}"), ("network", "line:{start}")];

/// Makes an autograder for each game, with the build that most processors can run.
pub fn make(release: &Release) -> Result<Vec<Package>> {
    let levels = levels();
    let lowest = levels.last().context("a level")?;
    let program = built(release, BUILD, lowest.name);
    let mut made = Vec::new();
    for (game, player) in GAMES {
        let name = format!("plyground-{}-gradescope-{game}.zip", release.version);
        let path = release.work.join(&name);
        let mut command = release.command(&program.to_string_lossy());
        command.args([game, "grade", "gradescope", "--player", player, "--seed", SEED, "--out"]);
        run(command.arg(&path))?;
        made.push((name, fs::read(&path)?));
    }
    Ok(made)
}
