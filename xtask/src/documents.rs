//! The documents of a package: completions of the command lines, man pages, the manual as static pages without scripts,
//! and the licenses of the linked packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use serde_json::Value;

use crate::release::{DOC, PROGRAMS, Programs, Release, Tree, output, run};

/// Returns the files of the programs with all documents.
pub fn with_documents(release: &Release, programs: Programs) -> Result<Tree> {
    let Programs { mut tree, most_portable } = programs;
    add_man_pages(release, &mut tree, &most_portable)?;
    add_completions(&mut tree, &most_portable)?;
    add_licenses(release, &mut tree)?;
    add_manual(release, &mut tree)?;
    Ok(tree)
}

/// The shells, each with its folder of completions, and with the file name of the completions of a program, in which
/// `{}` stands for the name of the program.
const SHELLS: [[&str; 3]; 3] = [
    ["bash", "share/bash-completion/completions", "{}"],
    ["fish", "share/fish/vendor_completions.d", "{}.fish"],
    ["zsh", "share/zsh/vendor-completions", "_{}"],
];

/// Adds the completions of every program for every shell. `build` is a build that runs on this computer.
fn add_completions(tree: &mut Tree, build: &Path) -> Result<()> {
    for [shell, folder, file] in SHELLS {
        for program in PROGRAMS {
            let script = output(Command::new(build).args(["completions", shell, program]))?;
            tree.add(format!("{folder}/{}", file.replace("{}", program)), script);
        }
    }
    Ok(())
}

/// Adds a man page for every command of every program. `build` is a build that runs on this computer.
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
    add_pages(tree, &format!("{DOC}/manual"), &release.root.join("docs"))
}

/// The beginnings of the names of license files.
const NAMES: [&str; 4] = ["LICENSE", "LICENCE", "COPYING", "NOTICE"];

const HEAD: &str = "\
Plyground is under the MIT license. Its programs contain the following parts by others, whose
licenses are below. On Linux the programs also contain the GNU C library, which is under the GNU Lesser
General Public License, version 2.1 or later: its source is at https://www.gnu.org/software/libc/, and
anyone with the source of Plyground can link the programs with another version of the library.
";

/// Adds a list of all linked packages, with the text of each license.
fn add_licenses(release: &Release, tree: &mut Tree) -> Result<()> {
    let host = &release.host;
    tree.add(format!("{DOC}/licenses.txt"), licenses(release, "programs", host)?);
    tree.add(format!("{DOC}/licenses-league.txt"), licenses(release, "league", host)?);
    Ok(())
}

/// Returns the licenses of all packages that are linked into the package of this name for a system.
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
    // Packages of this repository have no source in the metadata.
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

/// Returns the IDs of all packages that are linked into a package, and the ID of the package.
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

/// Returns the license texts in a folder, without trailing blanks, so that equal licenses have equal texts.
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

/// The list of all pages of the manual, which is shown beside the text of each page.
const CONTENTS: &str = "SUMMARY";

/// The first page.
const FIRST: &str = "introduction";

const MARKDOWN: &str = "md";

/// The endings of the names of pictures.
const PICTURES: [&str; 2] = ["png", "svg"];

/// The template of a page, with `{title}`, `{contents}` and `{text}`.
const FRAME: &str = include_str!("manual/page.html");

/// Adds the pages of the Markdown files in the folder `docs` to `tree`, in the folder `path`.
fn add_pages(tree: &mut Tree, path: &str, docs: &Path) -> Result<()> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(docs).with_context(|| docs.display().to_string())? {
        let file = entry?.path();
        let name = file.file_stem().context("a name")?.to_string_lossy().into_owned();
        let ending = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        if ending == MARKDOWN {
            pages.insert(name, fs::read_to_string(&file)?);
        } else if PICTURES.contains(&&*ending) {
            tree.add(format!("{path}/{name}.{ending}"), fs::read(&file)?);
        }
    }
    let contents = html_of(&pages.remove(CONTENTS).context("expected a list of the pages")?).1;
    for (name, text) in &pages {
        let (title, text) = html_of(text);
        let page = FRAME.replace("{title}", &title).replace("{contents}", &contents);
        let page = page.replace("{text}", &text);
        if name == FIRST {
            tree.add(format!("{path}/index.html"), page.clone());
        }
        tree.add(format!("{path}/{name}.html"), page);
    }
    Ok(())
}

/// Returns the title of a page, and its text in HTML.
fn html_of(markdown: &str) -> (String, String) {
    let mut events: Vec<Event<'_>> = Parser::new_ext(markdown, Options::ENABLE_TABLES).collect();
    let mut names: Vec<String> = Vec::new();
    let mut first = None;
    for at in 0..events.len() {
        if !matches!(events[at], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let inner = events[at..].iter().take_while(|event| !is_end_of_heading(event));
        let title: String = inner.filter_map(text_of).collect();
        let name = slug(&title);
        let before = names.iter().filter(|other| **other == name).count();
        let unique = if before == 0 { name.clone() } else { format!("{name}-{before}") };
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(unique.into());
        }
        names.push(name);
        first = first.or(Some(title));
    }
    let mut text = String::new();
    html::push_html(&mut text, events.into_iter().map(with_page_link));
    (first.unwrap_or_default(), text)
}

fn is_end_of_heading(event: &Event<'_>) -> bool {
    matches!(event, Event::End(TagEnd::Heading(_)))
}

/// Returns the text of an event, if there is one.
fn text_of<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    }
}

/// Returns the anchor of a heading, by the rules of GitHub and mdBook.
fn slug(title: &str) -> String {
    let title = title.to_lowercase();
    let is_kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
    title.chars().filter(is_kept).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// Replaces a link to a Markdown file by a link to its page.
fn with_page_link(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: page_link(dest_url), title, id })
        }
        event => event,
    }
}

fn page_link(url: CowStr<'_>) -> CowStr<'_> {
    if url.contains("://") || url.starts_with('#') {
        return url;
    }
    let (file, place) = url.split_once('#').map_or((&*url, ""), |(file, place)| (file, place));
    let Some(name) = file.strip_suffix(".md") else { return url };
    let place = if place.is_empty() { String::new() } else { format!("#{place}") };
    format!("{name}.html{place}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_names_and_links_lead_to_pages() {
        let text = "# A `page`\n[b](b.md#c-d), [c](#a-page), [d](http://x.org/y.md)\n\n## C, d\n\n## C, d\n";
        let expected = "<h1 id=\"a-page\">A <code>page</code></h1>\n\
                        <p><a href=\"b.html#c-d\">b</a>, <a href=\"#a-page\">c</a>, \
                        <a href=\"http://x.org/y.md\">d</a></p>\n\
                        <h2 id=\"c-d\">C, d</h2>\n<h2 id=\"c-d-1\">C, d</h2>\n";
        assert_eq!(html_of(text), ("A page".to_owned(), expected.to_owned()));
    }
}
