//! The texts of a package: completions of the command lines, man pages, the manual as pages for a browser,
//! and the licenses of the packages that are linked into the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::manual;
use crate::programs::{PROGRAMS, Programs};
use crate::release::{Release, output, run};
use crate::tree::{DOC, Tree};

/// Returns the files of the programs with all texts about them.
pub fn with_texts(release: &Release, programs: Programs) -> Result<Tree> {
    let Programs { mut tree, most_portable } = programs;
    add_man_pages(release, &mut tree, &most_portable)?;
    add_completions(&mut tree, &most_portable)?;
    add_licenses(release, &mut tree)?;
    add_manual(release, &mut tree)?;
    Ok(tree)
}

/// The shells, and for each the folder in which it looks for the completions of a program, and the name of
/// the file, with `{}` for that of the program.
const SHELLS: [[&str; 3]; 3] = [
    ["bash", "share/bash-completion/completions", "{}"],
    ["fish", "share/fish/vendor_completions.d", "{}.fish"],
    ["zsh", "share/zsh/vendor-completions", "_{}"],
];

/// Adds the completions of every program for every shell. `build` is one that runs on this computer.
fn add_completions(tree: &mut Tree, build: &Path) -> Result<()> {
    for [shell, folder, file] in SHELLS {
        for program in PROGRAMS {
            let script = output(Command::new(build).args(["completions", shell, program]))?;
            tree.add(format!("{folder}/{}", file.replace("{}", program)), script);
        }
    }
    Ok(())
}

/// Adds a man page for every command of every program. `build` is one that runs on this computer.
fn add_man_pages(release: &Release, tree: &mut Tree, build: &Path) -> Result<()> {
    let folder = release.new_folder("man")?;
    run(Command::new(build).arg("man").arg(&folder))?;
    tree.add_folder("share/man", &folder)
}

/// Adds the license, the changes and the manual.
fn add_manual(release: &Release, tree: &mut Tree) -> Result<()> {
    for (name, file) in [("copyright", "LICENSE"), ("CHANGELOG.md", "CHANGELOG.md")] {
        tree.add(format!("{DOC}/{name}"), fs::read(release.root.join(file))?);
    }
    manual::add(tree, &format!("{DOC}/manual"), &release.root.join("docs"))
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
fn add_licenses(release: &Release, tree: &mut Tree) -> Result<()> {
    let host = &release.host;
    tree.add(format!("{DOC}/licenses.txt"), licenses(release, "programs", host)?);
    tree.add(format!("{DOC}/licenses-league.txt"), licenses(release, "league", host)?);
    Ok(())
}

/// Returns the licenses of all packages that the package of this name is built from for a system.
pub fn licenses(release: &Release, package: &str, system: &str) -> Result<String> {
    let mut cargo = release.command("cargo");
    cargo.args([
        "metadata",
        // The package for Python is built with its own features.
        "--all-features",
        "--locked",
        "--format-version",
        "1",
        "--filter-platform",
        system,
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
