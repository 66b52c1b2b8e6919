//! The program of all games: each game's commands under its name.

use std::path::Path;

use crate::common::project;
use crate::common::run::{self, Run, Tested};

type TestFolder = run::TestFolder<Plyground>;

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

struct Single;

impl Tested for Single {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_network");
}

#[test]
fn help_lists_games_and_page() {
    let help = TestFolder::new().run("--help").success().stdout;
    for part in ["  maxconnect4  ", "  network      ", "  serve        ", "\nExamples:\n"] {
        assert!(help.contains(part), "no `{part}` in {help}");
    }
    let run = TestFolder::new().run("chess");
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
#[ignore = "long"]
fn engines_of_every_game_are_checked() {
    let folder = TestFolder::new();
    for game in ["maxconnect4", "network"] {
        let command = format!("{} {game} engine random", Plyground::PROGRAM);
        let run = Run::of(folder.command([game, "engine-check"]).arg(&command)).success();
        assert!(run.stdout.ends_with("15 of 15 exchanges as expected\n"), "{}", run.stdout);
    }
    let run = Run::of(&mut folder.command(["engine-check", "cat"]));
    assert!(
        run.code == Some(2) && run.stderr.contains("it is `plyground maxconnect4 engine-check`"),
        "{run:?}"
    );
}

#[test]
fn game_has_commands_of_its_own_program() {
    let folder = TestFolder::new();
    for args in ["-q random random --seed 1", "--rules usf perft 1", "verify-solution none.txt"] {
        let alone = run::TestFolder::<Single>::new().run(args);
        let run = folder.run(&format!("network {args}"));
        assert_eq!((run.code, run.stdout), (alone.code, alone.stdout), "{args}");
    }
    folder.run("maxconnect4 solve --size 4x4").success();
    let session = folder.run_with("network", "0\n").success().stdout;
    assert!(session.starts_with("Enter the number of human players"), "{session}");
}

#[test]
fn examples_begin_with_name_of_program() {
    let folder = TestFolder::new();
    for args in ["maxconnect4 solve", "network", "network verify-solution", "network match"] {
        let help = folder.run(&format!("{args} --help")).success().stdout;
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        let begins = format!("  plyground {args}");
        assert!(examples.starts_with(&begins), "{args}: {examples}");
        let other = examples.lines().find(|line| !line.starts_with("  plyground "));
        assert_eq!(other.filter(|line| !line.starts_with("      ")), None, "{args}");
    }
}

#[test]
fn mistyped_command_is_answered_with_place_of_commands() {
    let run = TestFolder::new().run("network analyse");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("tip: `plyground network help` lists"), "{}", run.stderr);
}

#[test]
fn command_of_game_alone_is_answered_with_that_of_game() {
    for (word, tip) in [
        ("solve", "`plyground maxconnect4 solve`"),
        ("verify-solution", "`plyground network verify-solution`"),
    ] {
        let run = TestFolder::new().run(word);
        let said = format!("error: unrecognized subcommand '{word}'; tip: it is {tip}\n");
        assert_eq!((run.code, run.stderr), (Some(2), said));
    }
}

#[test]
fn page_of_all_games_has_no_single_book() {
    TestFolder::new().run("serve --book b.book").failure(2, "a page with a single game");
}

#[cfg(unix)]
#[test]
fn programs_of_others_are_supervised() {
    let player = "line:".to_owned() + Plyground::PROGRAM + " maxconnect4 engine machine:depth=1";
    let folder = TestFolder::new();
    let args = ["maxconnect4", "play", "-q", "random", &player, "--seed", "1", "--ply-cap", "6"];
    let output = folder.command(args).output().expect("the program");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.ends_with("Result: 1/2-1/2 (no end after 6 plies)\n"), "{stdout}");
}

/// The package itself is built by `.ci/run`; its sources are those of `examples/mygame`.
#[test]
fn new_game_is_a_package_with_a_name_of_its_own() {
    let folder = TestFolder::new();
    let source = project();
    let new_game = |name: &str, source: &Path| {
        let words = ["new-game", name, "--source"];
        Run::of(folder.command(words).arg(source))
    };
    let run = new_game("konane", &source).success();
    assert!(run.stdout.starts_with("konane: "), "{}", run.stdout);
    let manifest = folder.read("konane/Cargo.toml");
    let engine = format!("plyground = {{ path = \"{}\" }}", source.display());
    assert!(manifest.contains(&engine), "{manifest}");
    for name in ["Cargo.toml", "README.md", "src/adapter.rs", "src/lib.rs", "tests/contract.rs"] {
        let text = folder.read(&format!("konane/{name}"));
        assert!(!text.to_lowercase().contains("mygame"), "{name}: {text}");
    }
    assert!(folder.read("konane/src/adapter.rs").contains("pub struct Konane;"));
    let again = new_game("konane", &source);
    again.failure(2, "konane: expected a folder that is empty or not there yet");
    new_game("y4", &folder.path("")).failure(2, "expected --source with the sources of Plyground");
    let refused = new_game("fn", &source);
    assert!(refused.code == Some(2) && refused.stderr.contains("another name"), "{refused:?}");
}
