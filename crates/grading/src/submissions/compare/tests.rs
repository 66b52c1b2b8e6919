//! Look-alikes as students make them, and programs that have nothing to do with each other.

use std::fs;

use super::*;

const ONE: &str = include_str!("../../../tests/compare/one.py");
const OTHER: &str = include_str!("../../../tests/compare/other.py");

/// The pairs of a class of these files, as names.
fn pairs(class: &[(&str, &str)], starter: &[&str]) -> Vec<(String, u32)> {
    let sources = |name: &str, text: &str| {
        let file = SourceFile { path: "a.py".into(), text: text.to_owned(), prints: prints(text) };
        Sources { name: name.to_owned(), files: vec![file], left_out: Vec::new() }
    };
    let class: Vec<Sources> = class.iter().map(|(name, text)| sources(name, text)).collect();
    let starter: Vec<Sources> = starter.iter().map(|text| sources("", text)).collect();
    let pair = |pair: AlikePair| (pair.names.join(" "), pair.percent());
    alike(&class, &starter).into_iter().map(pair).collect()
}

/// The functions of a source in reversed order.
fn reordered(text: &str) -> String {
    let mut parts: Vec<&str> = text.split("\n\n\n").collect();
    parts.reverse();
    parts.join("\n\n\n")
}

fn renamed(text: &str) -> String {
    let names =
        [("board", "grid"), ("depth", "d"), ("best", "top"), ("player", "who"), ("score", "pts")];
    names.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A comment behind every line, and other blanks.
fn commented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("{}  # my own idea\n\n", line.replace(" = ", "=")));
    lines.collect()
}

#[test]
fn copies_are_found_whatever_was_changed_about_their_looks() {
    for (change, copy, least) in [
        ("none", ONE.to_owned(), 100),
        ("names", renamed(ONE), 100),
        ("comments", commented(ONE), 100),
        ("order", reordered(ONE), 75),
        ("all", commented(&reordered(&renamed(ONE))), 75),
    ] {
        let found = pairs(&[("ann", ONE), ("bob", OTHER), ("carl", &copy)], &[]);
        let [(names, percent)] = found.as_slice() else { panic!("{change}: {found:?}") };
        assert!(names == "ann carl" && *percent >= least, "{change}: {found:?}");
    }
}

#[test]
fn independent_programs_are_not_alike() {
    assert_eq!(pairs(&[("ann", ONE), ("bob", OTHER)], &[]), []);
}

#[test]
fn code_that_all_were_given_does_not_count() {
    // Two who built on the same starter code, each with an idea of their own.
    let half = ONE.len() / 2;
    let half = half + ONE[half..].find("\n\n\n").expect("a function");
    let given = &ONE[..half];
    let built = format!("{given}\n\n\n{OTHER}");
    assert_eq!(pairs(&[("ann", ONE), ("bob", &built)], &[]).len(), 1);
    assert_eq!(pairs(&[("ann", ONE), ("bob", &built)], &[given]), []);
    // Nor does code that many have in common, even if the given code is not named.
    let class: Vec<String> =
        (0..6).map(|seed| format!("{given}\n\n\n{}", invented(seed))).collect();
    let mut class: Vec<(&str, &str)> = class.iter().map(|text| ("ann", text.as_str())).collect();
    assert_eq!(pairs(&class, &[]), []);
    class.push(("bob", class[2].1));
    assert_eq!(pairs(&class, &[]), [("ann bob".to_owned(), 100)]);
}

/// A program like no other.
fn invented(seed: u32) -> String {
    const LINES: [&str; 8] = [
        "while a < 3: a += b",
        "if a in b: return c",
        "for a in b(c, 1): d[a] = e",
        "a.b(c, d=1)",
        "a = [b for b in c if b > 1]",
        "a[b] -= c * (d - 1)",
        "try: a = int(b) except: break",
        "a, b = c(d), not e",
    ];
    let mut state = seed + 1;
    let line = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        format!("{}\n", LINES[(state >> 24) as usize % LINES.len()])
    };
    (0..80).map(line).collect()
}

#[test]
fn passages_stand_side_by_side_and_are_escaped() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    for name in ["ann", "bob"] {
        fs::create_dir_all(folder.path().join(name).join("src"))?;
        let text =
            format!("print('<b>')\n{}", if name == "bob" { renamed(ONE) } else { ONE.into() });
        fs::write(folder.path().join(name).join("src/a.py"), text)?;
        fs::write(folder.path().join(name).join("notes.txt"), ONE)?;
    }
    let paths = ["ann", "bob"].map(|name| (name, folder.path().join(name)));
    let class = class_sources(paths.iter().map(|(name, path)| (*name, path.as_path())));
    let found = alike(&class, &[]);
    let [one, other] = &found[0].passages[0].places;
    assert_eq!((one.file.as_path(), &one.lines), (Path::new("src/a.py"), &other.lines));
    let page = comparison_page(&found);
    assert!(page.contains("ann and bob: 100 %") && page.contains("src/a.py:1-"), "{page}");
    assert!(!page.contains("<b>") && page.contains("&lt;b&gt;"), "{page}");
    Ok(())
}

/// A long line of a comment and the files of others must not hide a copy, nor keep the class waiting.
#[test]
fn long_sources_are_compared_in_part_and_named() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let write = |path: &str, text: String| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
        fs::write(path, text)
    };
    write("ann/a.py", ONE.to_owned())?;
    write("bob/a.py", format!("{ONE}\n# {}\n", "x".repeat(MOST_OF_FILE)))?;
    write("bob/node_modules/m/a.js", "+".repeat(MOST_OF_FILE))?;
    for number in 0..4 {
        write(&format!("carl/{number}.c"), format!("{number}{}", "+".repeat(MOST_OF_FILE - 1)))?;
    }
    let names = ["ann", "bob", "carl", "dan"];
    let paths = names.map(|name| (name, folder.path().join(name)));
    let class = class_sources(paths.iter().map(|(name, path)| (*name, path.as_path())));
    let found: Vec<_> = alike(&class, &[]).into_iter().map(|pair| pair.names).collect();
    assert_eq!(found, [["ann", "bob"]]);
    let [ann, bob, carl, dan] = class.as_slice() else { panic!("{}", class.len()) };
    assert_eq!((ann.left_out.len(), bob.files.len()), (0, 1));
    assert_eq!(bob.left_out, ["a.py is longer than 1 MiB, and only its beginning is compared"]);
    assert_eq!(carl.left_out, ["too much to compare: only 2 MiB of its sources are compared"]);
    assert!(carl.files.iter().all(|file| file.prints.len() < 100));
    assert!(dan.left_out[0].starts_with("cannot be compared: "), "{:?}", dan.left_out);
    Ok(())
}

#[test]
fn what_a_file_repeats_counts_once() {
    assert_eq!(prints(&"+".repeat(10_000)).len(), 1);
    assert_eq!(prints(&ONE.repeat(3)).len() / 2, prints(&ONE.repeat(2)).len() / 2);
}
