//! A kit in a folder, built; and the player of docs/students.md, which is made of one step by step.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs, process, thread};

use assert_cmd::Command;
use maxconnect4::game;
use network::{Move, Position, Rules, Square};
use plyground::Game;
use plyground_host::StarterKit;
use rand::prelude::*;
use tempfile::TempDir;

use crate::common::{self, Run, Tested, project};
use crate::docs::markdown::Page;

/// Without the tools of a language the tests of its kits fail instead of doing nothing if this is set.
const NEEDED: &str = "PLYGROUND_NEEDS_LANGUAGES";

/// The program that writes the kits.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");

/// Which kit it is, and how its program is started in its folder.
#[derive(Clone, Copy, Debug)]
pub struct KitName {
    pub game: &'static str,
    pub rules: Option<&'static str>,
    pub language: &'static str,
    /// The tool that the build needs.
    pub tool: &'static str,
    /// The words that start the program.
    pub start: &'static str,
}

/// A kit in a folder, which is removed when dropped.
pub struct Kit {
    pub name: KitName,
    folder: TempDir,
}

/// Returns `true` if all checks are to be made, however long they take.
pub fn is_nightly() -> bool {
    env::var_os("PLYGROUND_NIGHTLY").is_some()
}

/// `PATH` with the folder of our programs first, and then that of the Python which the shell finds:
/// what finds it for the shell takes longer than to start it.
static PATH: LazyLock<OsString> = LazyLock::new(|| {
    let programs = Path::new(PROGRAM).parent().expect("a folder").to_owned();
    let print = ["-c", "import os, sys; print(os.path.dirname(sys.executable))"];
    let python = process::Command::new("python3").args(print).output().ok();
    let python = python.map(|output| String::from_utf8_lossy(&output.stdout).trim().into());
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [programs].into_iter().chain(python).chain(env::split_paths(&path));
    env::join_paths(folders).expect("folders")
});

/// Returns `true` if a tool is here; without it, a line says that the test is skipped.
#[track_caller]
pub fn is_here(tool: &str) -> bool {
    // Tools differ in what they say to --version; that they start is enough.
    let found =
        process::Command::new(tool).arg("--version").stdin(process::Stdio::null()).output().is_ok();
    assert!(found || env::var_os(NEEDED).is_none(), "{NEEDED} is set, and there is no {tool}");
    if !found {
        let test = thread::current();
        // The test harness keeps to itself what the macros print.
        let line = format!("{} is skipped: no {tool}\n", test.name().unwrap_or("a test"));
        io::stderr().write_all(line.as_bytes()).expect("standard error");
    }
    found
}

impl Kit {
    /// Writes the kit and builds it; `None` if its tools are missing.
    #[track_caller]
    pub fn build(name: KitName) -> Option<Kit> {
        if !is_here("make") || !is_here(name.tool) {
            return None;
        }
        let kit = Kit { name, folder: TempDir::new().expect("a folder") };
        let rules = name.rules.map(|rules| format!("--rules {rules} ")).unwrap_or_default();
        let KitName { game, language, .. } = name;
        let args = format!("starter --game {game} {rules}--language {language} --out kit");
        let mut starter = Command::new(PROGRAM);
        Run::of(starter.current_dir(kit.folder.path()).args(args.split(' '))).success();
        let built = kit.make(&["all"]);
        assert_eq!(built.code, Some(0), "{name:?}: {built:?}");
        assert!(!built.stderr.contains("warning"), "{name:?}: {}", built.stderr);
        Some(kit)
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("kit").join(name)
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    /// Makes something, as a student does who has our programs in `PATH`.
    pub fn make(&self, targets: &[&str]) -> Run {
        Run::of(self.here("make").args(targets))
    }

    /// Runs the program of the kit with arguments separated by blanks.
    pub fn run(&self, args: &str) -> Run {
        self.run_with(args, "")
    }

    /// Runs the program of the kit with these lines on standard input.
    pub fn run_with(&self, args: &str, input: &str) -> Run {
        let words = format!("{} {args}", self.name.start);
        let mut words = words.split(' ');
        let mut command = self.here(words.next().expect("a program"));
        Run::of(command.args(words).write_stdin(input))
    }

    /// A command in the folder of the kit, without what Cargo adds to the environment of tests.
    pub fn here(&self, program: &str) -> Command {
        let own = self.path(program);
        let mut command =
            if program.contains('/') { Command::new(own) } else { Command::new(program) };
        command.current_dir(self.path("")).env("PATH", &*PATH);
        for variable in ["MAKEFLAGS", "CARGO_MAKEFLAGS", "CARGO_TARGET_DIR", "RUSTFLAGS"] {
            command.env_remove(variable);
        }
        command
    }

    /// Holds the player to the checks by `make check`, to these alone unless every night.
    #[track_caller]
    pub fn check(&self, names: &[&str], others: &[&str]) {
        let zeros: String = others.iter().map(|name| format!("\"{name}\" = 0\n")).collect();
        self.write("points.toml", &format!("[points]\n{zeros}"));
        let quick = ["check", "GRADE=--points points.toml"];
        let run = self.make(if is_nightly() { &quick[..1] } else { &quick });
        assert_eq!(run.code, Some(0), "{:?}: {run:?}", self.name);
        for name in names {
            assert!(run.stdout.contains(&format!("\nok    {name} ")), "{name}: {}", run.stdout);
        }
    }
}

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = super::kit::PROGRAM;
}

struct Network;

impl Tested for Network {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_network");
}

type TestFolder = common::TestFolder<Plyground>;

const PYTHON: &str = "starter --game maxconnect4 --language python --out player";

#[test]
fn kits_are_listed() {
    let all = TestFolder::new().run("starter").success().stdout;
    assert_eq!(all.lines().count(), 11, "{all}");
    for line in ["maxconnect4  standard  rust  ", "network      usf       java  "] {
        assert!(all.contains(&format!("\n{line}")), "no `{line}` in {all}");
    }
    let own = common::TestFolder::<Network>::new().run("starter").success().stdout;
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
        [("maxconnect4", game().starters()), ("network", [berkeley, usf].concat())]
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

/// The number of positions that are asked about, and the last ply of their games.
const POSITIONS: u64 = 24;
const LAST_PLY: u64 = 60;

/// The moves of a random game up to some ply, and the position after them.
fn random_game(seed: u64) -> (Vec<Move>, Position) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut moves, mut position) = (Vec::new(), Position::new(Rules::Berkeley));
    for _ in 0..LAST_PLY * seed / POSITIONS {
        let goes_on = |mv: &Move| position.after(*mv).outcome().is_none();
        let Some(mv) = position.legal_moves().filter(goes_on).choose(&mut rng) else { break };
        position.play_unchecked(mv);
        moves.push(mv);
    }
    (moves, position)
}

/// Every add, and as many steps.
fn tried(seed: u64) -> Vec<Move> {
    let mut rng = StdRng::seed_from_u64(seed);
    let squares: Vec<Square> = Square::all().collect();
    let step = |rng: &mut StdRng| Move::Step {
        from: *squares.choose(rng).expect("squares"),
        to: *squares.choose(rng).expect("squares"),
    };
    let steps: Vec<Move> = (0..squares.len()).map(|_| step(&mut rng)).collect();
    squares.iter().map(|&to| Move::Add(to)).chain(steps).collect()
}

/// Returns the lines of a referee that asks which moves are legal, and the answers of a program
/// that knows.
pub fn questions() -> (String, Vec<String>) {
    let (mut said, mut answers) = ("newgame network berkeley first\n".to_owned(), Vec::new());
    for seed in 0..POSITIONS {
        let (moves, position) = random_game(seed);
        let before: String = moves.iter().map(|mv| format!(" {mv}")).collect();
        let likely = position.legal_moves().take(40).collect::<Vec<_>>();
        for mv in tried(seed).into_iter().chain(likely) {
            said += &format!("position startpos moves{before} {mv}\nisready\n");
            if position.check_legal(mv).is_err() {
                answers.push(format!("illegal {mv}"));
            }
            answers.push("readyok".to_owned());
        }
    }
    (said, answers)
}

const KIT: KitName = KitName {
    game: "maxconnect4",
    rules: None,
    language: "python",
    tool: "python3",
    start: "python3 maxconnect4.py",
};

/// Holds minimax to alpha-beta: the values are the same, and the move is one of that value.
const COMPARE: &str = "
import math, random
from board import Board
from player import minimax, search, worth

chance = random.Random(1)
for _ in range(20):
    board = Board()
    for _ in range(chance.randrange(40)):
        board.play(chance.choice(board.legal_moves()))
    for depth in range(1, 4):
        value, move = search(board, depth, -math.inf, math.inf)
        assert value == minimax(board, depth) == worth(board, move, depth), board.rows
print('the same')
";

/// A fourth in the second row is a point, which player 2 would prevent otherwise.
const THREE: &str = "0000000\r\n0000000\r\n0000000\r\n0000000\r\n1110200\r\n2121202\r\n1\r\n";

/// The code of the page, block by block: the file that it belongs to, and the text.
fn steps() -> Vec<(String, String)> {
    let text = fs::read_to_string(project().join("docs/students.md")).expect("the page");
    let page = Page { path: "docs/students.md".to_owned(), text };
    let blocks = page.blocks().into_iter().filter(|block| block.language == "python");
    let with_file = blocks.map(|block| {
        let first = block.text.lines().next().unwrap_or_default();
        let file = first.strip_prefix("# ").expect("the name of a file");
        (file.to_owned(), block.text)
    });
    with_file.collect()
}

/// Adds steps to the kit, as the page says to do.
fn add(kit: &Kit, steps: &[(String, String)]) {
    for (file, text) in steps {
        let before = fs::read_to_string(kit.path(file)).expect("a file");
        kit.write(file, &format!("{before}\n\n{text}"));
    }
}

/// Makes these checks alone, and returns what is said of them.
fn grade(kit: &Kit, names: &[&str]) -> String {
    let checks = maxconnect4::game().checks();
    let names_of_all = checks.lines().filter_map(|line| line.strip_prefix("name = "));
    let others = names_of_all.filter(|name| !names.contains(&name.trim_matches('"')));
    let zeros: String = others.map(|name| format!("{name} = 0\n")).collect();
    kit.write("points.toml", &format!("[points]\n{zeros}"));
    let mut command = kit.here("maxconnect4");
    command.args(["grade", "--points", "points.toml", "--player"]);
    let run = Run::of(command.arg(format!("line:{} line", KIT.start)));
    assert_eq!(run.code, Some(0), "{run:?}");
    run.stdout
}

#[track_caller]
fn assert_passes(kit: &Kit, names: &[&str]) {
    let text = grade(kit, names);
    for name in names {
        assert!(text.contains(&format!("ok    {name} ")), "{name}: {text}");
    }
}

#[test]
#[ignore = "long"]
fn steps_of_the_tutorial_work() {
    let Some(kit) = Kit::build(KIT) else { return };
    let steps = steps();
    assert_eq!(steps.len(), 5);
    // What it is worth: the point is taken.
    add(&kit, &steps[..1]);
    kit.write("in.txt", THREE);
    let run = kit.run("one-move in.txt out.txt 1").success();
    assert!(run.stdout.contains("Player 1 plays 4\n"), "{}", run.stdout);
    // Minimax.
    add(&kit, &steps[1..2]);
    let seen = ["the depth is the number of moves looked ahead", "points are seen two moves ahead"];
    assert_passes(&kit, &seen);
    // Alpha-beta.
    add(&kit, &steps[2..3]);
    let same = Run::of(kit.here("python3").args(["-c", COMPARE])).success();
    assert_eq!(same.stdout, "the same\n");
    // Time: by depth it plays as before, by time legally.
    let asked = "position startpos moves 4 4 3\ngo depth 3\nquit\n";
    let before = kit.run_with("line", asked).success().stdout;
    add(&kit, &steps[3..]);
    assert_eq!(kit.run_with("line", asked).success().stdout, before);
    let end = "position 0120120/1212121/2121212/1212121/2121212/1212121/1 moves 1 4\n";
    // To the end of the game there is time enough.
    let answer = kit.run_with("line", &format!("{end}go wall 60000\nquit\n")).success().stdout;
    assert_eq!(answer, "bestmove 7\n");
    let limited = kit.run_with("line", "position startpos\ngo wall 2\nquit\n").success();
    assert!(limited.stdout.starts_with("bestmove "), "{limited:?}");
}

#[test]
fn player_of_the_tutorial_beats_depth_4_and_has_all_points() {
    if !is_nightly() {
        return;
    }
    let Some(kit) = Kit::build(KIT) else { return };
    let steps = steps();
    add(&kit, &steps[..1]);
    assert_passes(&kit, &["random play is beaten"]);
    add(&kit, &steps[1..2]);
    assert_passes(&kit, &["points are seen four moves ahead", "the last six moves are seen"]);
    add(&kit, &steps[2..]);
    let checked = kit.make(&["check"]);
    assert!(checked.stdout.contains("\nScore: 100 of 100\n"), "{}", checked.stdout);
    // The command of the page.
    let page = fs::read_to_string(project().join("docs/students.md")).expect("the page");
    let line = page.lines().find(|line| line.contains("machine:depth=4 --depth"));
    let command = line.expect("the match").replace("player/", "");
    let played = Run::of(kit.here("sh").args(["-c", &command]));
    let margin = played.stdout.lines().find(|line| line.starts_with("Elo of A against B: +"));
    assert!(margin.is_some(), "{}", played.stdout);
}
