//! The player of docs/students.md, step by step.

use std::fs;

use crate::common::project;
use crate::common::run::Run;
use crate::readme::markdown::Page;
use crate::starters::kit::{Kit, KitName, is_nightly};

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
fn steps_of_the_tutorial_work() {
    let Some(kit) = Kit::build(KIT) else { return };
    let steps = steps();
    assert_eq!(steps.len(), 5);
    // What it is worth: the point is taken.
    add(&kit, &steps[..1]);
    kit.write("in.txt", THREE);
    let run = kit.run("one-move in.txt out.txt 1").success();
    assert!(run.stdout.contains("Player 1, column 4\n"), "{}", run.stdout);
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
