//! The texts of a package: completions of the command lines, man pages, the manual as pages for a browser,
//! and the licenses of the packages that are linked into the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, process};

use anyhow::{Context, Result};
use clap::Command;
use clap_complete::{Generator, Shell};
use clap_mangen::Man;
use plyground_host::SharedGame;
use programs::GameCommands;
use serde_json::Value;

use crate::release::{Release, output, run};
use crate::tree::{DOC, Tree};

/// The shells, and the folders in which they look for the completions of programs.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions"),
    (Shell::Fish, "share/fish/vendor_completions.d"),
    (Shell::Zsh, "share/zsh/vendor-completions"),
];

/// Returns the command lines of the programs.
fn commands() -> Vec<Command> {
    let of_game = |game: SharedGame| (GameCommands::of(&*game).command)(&game, game.name());
    games::all().into_iter().map(of_game).chain([programs::all::command()]).collect()
}

/// Adds the completions of every program for every shell.
pub fn add_completions(tree: &mut Tree) {
    for (shell, folder) in SHELLS {
        for mut command in commands() {
            let name = command.get_name().to_owned();
            // Bash looks for the bare name of the program.
            let file = if shell == Shell::Bash { name.clone() } else { shell.file_name(&name) };
            let mut bytes = Vec::new();
            clap_complete::generate(shell, &mut command, name, &mut bytes);
            tree.add(format!("{folder}/{file}"), bytes);
        }
    }
}

const MAN: &str = "share/man/man1";

/// Adds a page for every command of every program.
pub fn add_man_pages(tree: &mut Tree, version: &str) -> Result<()> {
    let commands = commands();
    let names: Vec<String> = commands.iter().map(|command| command.get_name().to_owned()).collect();
    for command in commands {
        let mut command = command.version(version.to_owned()).disable_help_subcommand(true);
        command.build();
        add_man_page(tree, &command, version, &names)?;
    }
    Ok(())
}

/// Adds the page of a command and the pages of its subcommands. A subcommand that is also a program of its
/// own has its pages under the name of the program.
fn add_man_page(
    tree: &mut Tree,
    command: &Command,
    version: &str,
    programs: &[String],
) -> Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let other = inner.get_name();
        if programs.iter().any(|program| program == other) {
            tree.add(format!("{MAN}/{name}-{other}.1"), format!(".so man1/{other}.1\n"));
        } else {
            add_man_page(tree, inner, version, programs)?;
        }
    }
    let page = Man::new(command.clone()).source(format!("Plyground {version}"));
    let mut bytes = Vec::new();
    page.manual("Plyground").render(&mut bytes)?;
    tree.add(format!("{MAN}/{name}.1"), bytes);
    Ok(())
}

/// The version of mdBook that makes the pages: another version may write other bytes.
const MDBOOK: &str = "0.5.4";

/// Adds the license, the changes and the manual.
pub fn add_manual(release: &Release, tree: &mut Tree) -> Result<()> {
    for (name, file) in [("copyright", "LICENSE"), ("CHANGELOG.md", "CHANGELOG.md")] {
        tree.add(format!("{DOC}/{name}"), std::fs::read(release.root.join(file))?);
    }
    let folder = release.work.join("manual");
    let mdbook = mdbook(release)?;
    let mut command = release.command(&mdbook.to_string_lossy());
    run(command.args(["build", "docs", "--dest-dir"]).arg(&folder))?;
    tree.add_folder(&format!("{DOC}/manual"), &folder)
}

/// Returns the path of mdBook, which is installed for this if the right version is not there.
fn mdbook(release: &Release) -> Result<PathBuf> {
    let is_right = |program: &str| {
        output(process::Command::new(program).arg("--version"))
            .is_ok_and(|text| text.trim().ends_with(MDBOOK))
    };
    if is_right("mdbook") {
        return Ok("mdbook".into());
    }
    let root = release.work.join("tools");
    let program = root.join("bin/mdbook");
    if !program.exists() {
        let mut cargo = process::Command::new("cargo");
        cargo.args(["install", "--locked", "mdbook", "--version", MDBOOK, "--root"]).arg(&root);
        // It is installed from a folder outside of the clone, whose settings are not meant for it.
        run(cargo.current_dir(std::env::temp_dir()))?;
    }
    Ok(program)
}

/// The beginnings of the names of the files that must be kept.
const NAMES: [&str; 4] = ["LICENSE", "LICENCE", "COPYING", "NOTICE"];

const HEAD: &str = "\
Plyground is under the MIT license. Its programs have the following parts of others in them, whose
licenses are below. On Linux they also have the GNU C library in them, which is under the GNU Lesser
General Public License, version 2.1 or later: its source is at https://www.gnu.org/software/libc/, and
whoever has the source of Plyground can link the programs with another version of it.
";

/// Adds a list of all linked packages, with the text of each license.
pub fn add_licenses(release: &Release, tree: &mut Tree) -> Result<()> {
    tree.add(format!("{DOC}/licenses.txt"), licenses(release, "programs")?);
    tree.add(format!("{DOC}/licenses-league.txt"), licenses(release, "league")?);
    Ok(())
}

/// Returns the licenses of all packages that the package of this name is built from.
pub fn licenses(release: &Release, package: &str) -> Result<String> {
    let mut cargo = release.command("cargo");
    cargo.args([
        "metadata",
        // The package for Python is built with its own features.
        "--all-features",
        "--locked",
        "--format-version",
        "1",
        "--filter-platform",
        &release.host,
    ]);
    let metadata: Value = serde_json::from_str(&output(&mut cargo)?)?;
    let packages = metadata["packages"].as_array().context("packages")?;
    let mut list = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let linked = linked(&metadata, package)?;
    // Our own packages have no source but this repository.
    let others = packages.iter().filter(|other| !other["source"].is_null());
    for other in others.filter(|other| other["id"].as_str().is_some_and(|id| linked.contains(id))) {
        let word = |field: &str| other[field].as_str().unwrap_or_default();
        let name = format!("{} {}", word("name"), word("version"));
        list += &format!("\n* {name}: {}", word("license"));
        let folder = Path::new(word("manifest_path")).parent().context("a folder")?;
        for text in license_texts(folder)? {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    let mut all = format!("{HEAD}{list}\n");
    for (text, names) in texts {
        all += &format!("\n{}\n\n{}\n{text}\n", "-".repeat(80), names.join(", "));
    }
    Ok(all)
}

/// Returns the IDs of all packages that a package is built from, and its own ID.
fn linked(metadata: &Value, package: &str) -> Result<BTreeSet<String>> {
    let nodes = metadata["resolve"]["nodes"].as_array().context("nodes")?;
    let packages = metadata["packages"].as_array().context("packages")?;
    let start = packages.iter().find(|other| other["name"] == package).context("a package")?;
    let mut found = BTreeSet::new();
    let mut open = vec![start["id"].as_str().unwrap_or_default()];
    while let Some(id) = open.pop() {
        if !found.insert(id.to_owned()) {
            continue;
        }
        let node = nodes.iter().find(|node| node["id"] == id).context("a node")?;
        for dependency in node["deps"].as_array().context("dependencies")? {
            let kinds = dependency["dep_kinds"].as_array().context("kinds")?;
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                open.extend(dependency["pkg"].as_str());
            }
        }
    }
    Ok(found)
}

/// Returns the texts in a folder that must be kept, without the blanks at the ends of lines, in which copies
/// differ.
fn license_texts(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if entry.file_type()?.is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            let text = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            texts.push(lines.join("\n").trim_matches('\n').to_owned());
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_completed_in_every_shell() {
        let mut tree = Tree::default();
        add_completions(&mut tree);
        assert_eq!(tree.files().count(), SHELLS.len() * commands().len());
        for (path, file) in tree.files() {
            let text = String::from_utf8_lossy(&file.bytes);
            assert!(text.contains("analyze") && text.contains("depth"), "{path}");
        }
    }

    #[test]
    fn every_command_has_a_page() -> Result<()> {
        let mut tree = Tree::default();
        add_man_pages(&mut tree, "1.2.3")?;
        let pages: Vec<&str> = tree.files().map(|(path, _)| path).collect();
        for name in [
            "network",
            "network-verify-solution",
            "maxconnect4-grade-gradescope",
            "plyground-serve",
        ] {
            assert!(pages.contains(&&*format!("{MAN}/{name}.1")), "{name}");
        }
        for (path, file) in tree.files() {
            let text = String::from_utf8(file.bytes.clone())?;
            assert!(
                text.contains(".SH SYNOPSIS") || text.starts_with(".so man1/"),
                "{path}: {text}"
            );
            // The processor that this test was built for is not that of the reader.
            assert!(!text.contains("x86-64-v"), "{path}");
        }
        Ok(())
    }
}
