//! The licenses of the packages that are linked into the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::release::Release;
use crate::tool::output;
use crate::tree::{DOC, Tree};

/// The beginnings of the names of the files that must be kept.
const NAMES: [&str; 4] = ["LICENSE", "LICENCE", "COPYING", "NOTICE"];

const HEAD: &str = "\
Plyground is under the MIT license. Its programs have the following parts of others in them, whose
licenses are below. On Linux they also have the GNU C library in them, which is under the GNU Lesser
General Public License, version 2.1 or later: its source is at https://www.gnu.org/software/libc/, and
whoever has the source of Plyground can link the programs with another version of it.
";

/// Adds a list of all linked packages, with the text of each license.
pub fn add(release: &Release, tree: &mut Tree) -> Result<()> {
    tree.add(format!("{DOC}/licenses.txt"), text(release, "programs")?);
    Ok(())
}

/// Returns the licenses of all packages that the package of this name is built from.
pub fn text(release: &Release, package: &str) -> Result<String> {
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
