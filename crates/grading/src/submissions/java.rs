//! The sources of Java in a submission: the recipes of their classes, and the places and names that the compiler
//! expects.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use plyground_host::external::{java_main_class, java_public_class};

use crate::submissions::file_kind::{Language, end_of, folder_of, stem_of};
use crate::submissions::files::{
    Change, JavaTypes, MadeFolders, Place, SourceReader, files, is_of_others, plain_files,
};
use crate::submissions::limited_folder::LONGEST;
use crate::submissions::recipe::{Recipe, Submission, doubt, letters_of, path_from, quoted, word};

/// The program that courses request as a Java class.
const NETWORK: &str = "network";
/// The remedy for a submission with such a class that is prepared for another program.
pub(crate) const OTHER_PROGRAM: &str =
    "it has a class that plays network: expected --program network";
/// The ends of the names of such classes.
const PLAYERS: [&str; 2] = ["MachinePlayer", "ComputerPlayer"];
/// The methods, one of which such a class has.
const METHODS: [&str; 2] = ["chooseMove", "getMove"];
/// The folder of the package of such a class.
const PACKAGE: &str = "player";
/// The memory of the heap of Java's compiler.
const JAVA_HEAP: &str = "-J-Xmx512m";

/// Returns true if a submission for any program has a class that plays Network for a course.
pub(crate) fn plays_network(submission: Submission<'_>) -> bool {
    java_player(Submission { program: NETWORK, ..submission }, None).is_some()
}

/// Returns the recipe of the class that plays Network for a course, if the assignment requests such a
/// class. A script or a test beside the class is not the program. A class with a `main` plays only if it
/// extends another class, as the assignment requires; such a `main` has tests.
pub(crate) fn java_player(submission: Submission<'_>, folder: Option<&Path>) -> Option<Recipe> {
    if !submission.program.eq_ignore_ascii_case(NETWORK) {
        return None;
    }
    let is_player = |file: &&PathBuf| {
        let is_called = PLAYERS.iter().any(|player| stem_of(file).ends_with(player));
        is_called && Language::of(file) == Some(Language::Java)
    };
    // Old copies in other folders are not in the package of the assignment.
    let is_elsewhere = |file: &&PathBuf| !file.parent().is_some_and(|it| it.ends_with(PACKAGE));
    let key = |file: &&PathBuf| {
        let place = Place::of(file);
        let is_prefixed = !PLAYERS.contains(&stem_of(file));
        let is_others = folder.is_none() && is_of_others(file);
        (is_others, is_elsewhere(file), place.is_beside, is_prefixed)
    };
    let is_asked = |file: &&PathBuf| folder.is_none_or(|folder| file.starts_with(folder));
    let players: Vec<&PathBuf> =
        submission.files.iter().filter(is_asked).filter(is_player).collect();
    // Beside `pj2`, a folder `pj2 Final` has the later state.
    let is_earlier = |file: &Path| !letters_of(&file.to_string_lossy()).contains("final");
    let entry = players.iter().copied().min_by_key(|file| (key(file), is_earlier(file)))?;
    let mut equal: Vec<&Path> =
        players.iter().filter(|file| key(file) == key(&entry)).map(|file| file.as_path()).collect();
    equal.sort_by_key(|file| *file != entry);
    let is_together = equal.iter().all(|file| file.parent() == entry.parent());
    let remedy = if is_together { "`build`" } else { "`folder`" };
    let text = submission.text(entry);
    let stem = stem_of(entry);
    let extends = text.split_whitespace().collect::<Vec<_>>();
    let extends = extends.windows(3).any(|words| words == ["class", stem, "extends"]);
    let is_program = Language::Java.is_entry(&text) && !extends;
    // A class may have the method from another one beside it. A dot before the name is a call.
    let beside = submission.in_folder(folder_of(entry));
    let mut sources = beside.filter(|file| Language::of(file) == Some(Language::Java));
    let has_method = sources.any(|file| {
        let text = submission.text(file);
        METHODS.iter().any(|method| text.contains(&format!(" {method}")))
    });
    let [own, other] = METHODS;
    let doubt = if has_method {
        doubt(&equal, "players", remedy)
    } else {
        format!(
            "its class {stem} has neither a method {own}() nor {other}(): is it for another \
             assignment?"
        )
    };
    (!is_program).then(|| Recipe {
        start: None,
        is_player: true,
        tools: vec!["javac"],
        doubt,
        ..java(submission, entry)
    })
}

/// The greatest number of jars that a build and a program see.
const MOST_JARS: usize = 100;

/// Returns the recipe for a class with a `main`, or for a class that plays. The build also compiles the
/// classes that the class needs. The folder of the recipe is the root of its package.
pub(crate) fn java(submission: Submission<'_>, entry: &Path) -> Recipe {
    let package = submission.sources.package(&submission.root.join(entry));
    let folder = folder_of(entry);
    let parts: Vec<&str> = package.split('.').filter(|part| !part.is_empty()).collect();
    let below: PathBuf = parts.iter().collect();
    // If the file is not in the folder of its package, its own folder is used.
    let root = if folder.ends_with(&below) || parts.is_empty() {
        folder.ancestors().nth(parts.len()).unwrap_or(folder)
    } else {
        folder
    };
    let place = folder.strip_prefix(root).unwrap_or(Path::new(""));
    let own = java_main_class(&submission.text(entry), stem_of(entry));
    let class = if package.is_empty() { own } else { format!("{package}.{own}") };
    let sources =
        submission.in_folder(folder).filter(|file| Language::of(file) == Some(Language::Java));
    let has_other_encoding = sources
        .map(|file| submission.root.join(file))
        .any(|file| !submission.sources.is_utf8(&file));
    let encoding = if has_other_encoding { "ISO-8859-1" } else { "UTF-8" };
    let is_jar = |file: &&PathBuf| end_of(file) == "jar";
    let jars = submission.files.iter().filter(is_jar).take(MOST_JARS);
    let (below, outside): (Vec<&PathBuf>, Vec<&PathBuf>) =
        jars.partition(|jar| jar.starts_with(root));
    // In a game, a class sees only the folder in which it is started.
    let copies: Vec<String> = outside.iter().map(|jar| word(&path_from(root, jar))).collect();
    let copies = match copies.as_slice() {
        [] => String::new(),
        copies => format!("cp {} . && ", copies.join(" ")),
    };
    let places = below.iter().filter_map(|jar| jar.parent()?.strip_prefix(root).ok());
    let places: BTreeSet<&Path> = places.chain(outside.first().map(|_| Path::new(""))).collect();
    let places = places.iter().map(|place| place.join("*").to_string_lossy().into_owned());
    let path = quoted(&places.chain([".".to_owned()]).collect::<Vec<_>>().join(":"));
    let compiler = format!(
        "javac {JAVA_HEAP} -encoding {encoding} -proc:none -nowarn -cp {path} -sourcepath . -d ."
    );
    let file = entry.strip_prefix(root).unwrap_or(entry);
    Recipe {
        language: Language::Java.name().to_owned(),
        folder: root.to_owned(),
        // The first command builds only the classes that this class needs. If it fails, the second builds all
        // classes, because the compiler finds a class in a file of another name only if the command names
        // that file.
        build: format!("{copies}{compiler} {} || {compiler} {}/*.java", word(file), word(place)),
        start: Some(format!("java -cp {path} {}", quoted(&class))),
        tools: vec!["javac", "java"],
        ..Recipe::default()
    }
}

/// Gives a lone Java source file the name that its public class needs, in case a platform has changed
/// the name.
pub(crate) fn name_java(root: &Path) -> io::Result<()> {
    let all = files(root)?;
    let [only] = all.as_slice() else { return Ok(()) };
    if Language::of(only) != Some(Language::Java) {
        return Ok(());
    }
    let class = java_public_class(&SourceReader::default().text(&root.join(only)));
    match class.map(|class| format!("{class}.java")).filter(|name| name.len() <= LONGEST) {
        Some(name) => fs::rename(root.join(only), root.join(only.with_file_name(name))),
        None => Ok(()),
    }
}

/// Moves Java source files into the folders of their packages if these are missing, all or the first of them, and
/// returns the changes: a platform that takes single files loses the folders, and a zip of the contents of
/// a folder loses that folder. Without these, the compiler finds no class that another needs. Files with a makefile or
/// a script beside them or above stay, as do files of more packages, or of deeper ones, than courses have: the folders
/// would exceed the limits of unpacking.
pub(crate) fn place_java(root: &Path, all: &[PathBuf]) -> io::Result<Vec<Change>> {
    const MOST_PACKAGES: usize = 32;
    const MOST_PARTS: usize = 8;
    let is_java = |file: &&PathBuf| Language::of(file) == Some(Language::Java);
    let made = MadeFolders::of(root, all)?;
    let (sources, mut moved) = (SourceReader::default(), Vec::new());
    let mut packages = BTreeSet::new();
    for file in all.iter().filter(is_java) {
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { continue };
        if made.have(file) {
            continue;
        }
        let package = sources.package(&root.join(file));
        let whole = PathBuf::from(package.replace('.', "/"));
        let is_cut = whole.ends_with(folder) && whole != folder;
        let place = root.join(&whole).join(name);
        let is_usual = package.split('.').count() <= MOST_PARTS && package.len() <= LONGEST;
        let is_free = fs::symlink_metadata(&place).is_err();
        if package.is_empty() || !is_cut || !is_usual || !is_free {
            continue;
        }
        packages.insert(package);
        // A file may have the name of a package.
        if packages.len() <= MOST_PACKAGES && fs::create_dir_all(root.join(whole)).is_ok() {
            fs::rename(root.join(file), place)?;
            moved.push(("moved into the folder of its package", file.clone()));
        }
    }
    Ok(moved)
}

/// Writes the sources of the course that a class that plays lacks into the root of its packages. Returns the paths
/// to remove after the build, which leaves the classes: the students have not handed the sources in.
pub(crate) fn give_java(
    root: &Path,
    given: &[(&'static str, &'static str)],
) -> io::Result<Vec<PathBuf>> {
    let is_there = |path: &Path| {
        let mut ends = ["java", "class"].iter();
        ends.any(|end| fs::symlink_metadata(path.with_extension(end)).is_ok())
    };
    let is_lacking = |path: &PathBuf| {
        let folder = path.parent().unwrap_or(root);
        // A class outside of the folder of its package has the classes that it needs beside it.
        let beside = root.join(path.file_name().unwrap_or_default());
        let is_outside = fs::symlink_metadata(folder).is_err();
        (is_outside && !is_there(&beside)) || (folder.is_dir() && !is_there(path))
    };
    if given.is_empty() {
        return Ok(Vec::new());
    }
    // A source may declare several types, and have the name of another.
    let own = JavaTypes::of(root, &plain_files(root)?);
    let missing = given.iter().filter(|(name, _)| !own.declare(Path::new(name)));
    let missing = missing.map(|(name, text)| (root.join(name), text));
    let missing: Vec<_> = missing.filter(|(path, _)| is_lacking(path)).collect();
    for (path, text) in &missing {
        fs::create_dir_all(path.parent().unwrap_or(root))?;
        fs::write(path, text)?;
    }
    Ok(missing.into_iter().map(|(path, _)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn java_is_moved_into_the_folders_of_its_packages() -> io::Result<()> {
        let sources = [
            ("Move.java", "package player;"),
            ("DList.java", "// one\npackage list.dlist;"),
            ("Main.java", "class Main {}"),
            ("GRADER", "Names"),
        ];
        let after = |others: &[(&str, &str)]| {
            let folder = fixtures::folder(&[&sources, others].concat());
            let moved = place_java(folder.path(), &plain_files(folder.path())?)?.len();
            let names = files(folder.path())?.iter().map(|it| it.display().to_string()).collect();
            io::Result::Ok((moved, names))
        };
        let (moved, mut names): (usize, Vec<String>) = after(&[])?;
        names.sort();
        let expected = ["GRADER", "Main.java", "list/dlist/DList.java", "player/Move.java"];
        assert_eq!((moved, &*names), (2, &expected.map(str::to_owned)[..]));
        // The folder around the folders of the packages is missing.
        let (moved, names) = after(&[
            ("player/Best.java", "package pj2.player;"),
            ("list/Pair.java", "package pj2.list;"),
            ("old/Best.java", "package pj2.player;"),
            ("ui/Board.java", "package ui;"),
            ("hw/Makefile", ""),
            ("hw/Made.java", "package uta.hw;"),
        ])?;
        assert_eq!(moved, 4);
        for name in ["pj2/player/Best.java", "pj2/list/Pair.java", "old/Best.java", "ui/Board.java"]
        {
            assert!(names.contains(&name.to_owned()), "{names:?}");
        }
        let deep = format!("package a{};", ".b".repeat(8));
        assert_eq!(after(&[("Deep.java", &deep)])?.0, 2);
        let many: Vec<_> = (0..50)
            .map(|number| (format!("A{number}.java"), format!("package p{number};")))
            .collect();
        let many: Vec<_> = many.iter().map(|(name, text)| (&**name, &**text)).collect();
        assert_eq!(after(&many)?.0, 32);
        // Another file is there already, or a file has the name of the package.
        assert_eq!(after(&[("player/Move.java", "")])?.0, 1);
        assert_eq!(after(&[("player", "")])?.0, 1);
        for script in [("Makefile", ""), ("build.xml", ""), ("play", "#!/bin/sh\n")] {
            assert_eq!(after(&[script])?.0, 0, "{script:?}");
        }
        Ok(())
    }
}
