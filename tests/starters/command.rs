//! The command that writes the kits.

use std::fs;
use std::path::Path;

use maxconnect4::game;
use network::Rules;
use plyground_host::StarterKit;

use crate::common::project;
use crate::common::test_folder::{self, Tested};

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = super::kit::PROGRAM;
}

struct Network;

impl Tested for Network {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_network");
}

type TestFolder = test_folder::TestFolder<Plyground>;

const PYTHON: &str = "starter --game maxconnect4 --language python --out player";

#[test]
fn kits_are_listed() {
    let all = TestFolder::new().run("starter").success().stdout;
    assert_eq!(all.lines().count(), 11, "{all}");
    for line in ["maxconnect4  standard  rust  ", "network      usf       java  "] {
        assert!(all.contains(&format!("\n{line}")), "no `{line}` in {all}");
    }
    let own = test_folder::TestFolder::<Network>::new().run("starter").success().stdout;
    let of_network = all.lines().filter(|line| !line.starts_with("maxconnect4"));
    assert!(own.lines().eq(of_network), "{own}");
}

#[test]
fn folder_with_something_in_it_is_refused() {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("player")).expect("a folder");
    let listed = folder.run(PYTHON).success().stdout;
    assert!(listed.contains("player/player.py\n"), "{listed}");
    folder.write("player/player.py", "my own work");
    let refusal = "player: expected a folder that is empty or not there yet";
    folder.run(PYTHON).failure(2, refusal);
    assert_eq!(folder.read("player/player.py"), "my own work");
}

#[test]
fn kit_that_is_not_there_leaves_nothing_behind() {
    let folder = TestFolder::new();
    for (args, part) in [
        (
            "starter --game maxconnect4 --language go --out x",
            "expected --language with one of java",
        ),
        ("starter --game network --rules usf --language cpp --out x", "by the rules usf"),
        ("starter --language python --out x", "--game <GAME>"),
        ("starter --game maxconnect4 --rules usf --language java --out x", "--game network"),
        ("starter --game maxconnect4 --language java", "--out <FOLDER>"),
    ] {
        folder.run(args).failure(2, part);
    }
    let missing = "starter --game maxconnect4 --language java --out none/x";
    folder.run(missing).failure(1, "none/x: cannot write");
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn no_file_of_a_kit_is_forgotten() {
    let network = [Rules::Berkeley, Rules::Usf].map(network::game);
    let [berkeley, usf] = network.each_ref().map(|game| game.starters());
    for (folder, kits) in
        [("maxconnect4", game().starters().to_vec()), ("network", [berkeley, usf].concat())]
    {
        for file in sources(&project().join("games").join(folder).join("starters")) {
            let text = fs::read_to_string(&file).expect("a source");
            let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
            let is_known = |kit: &StarterKit| {
                kit.files.iter().any(|(path, known)| path.ends_with(name) && *known == text)
            };
            assert!(kits.iter().any(is_known), "{}", file.display());
        }
        for StarterKit { language, files, .. } in kits {
            let readme = files.iter().find(|(name, _)| *name == "README.md").expect("a README");
            assert_eq!(readme.1.lines().count(), 10, "{folder} in {language}");
        }
    }
}

/// The files below a folder, without what builds there leave behind.
fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    const BUILT: [&str; 6] =
        ["build", "target", "__pycache__", "Cargo.lock", "maxconnect4", "network"];
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if BUILT.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            found.push(path);
        }
    }
    found
}
