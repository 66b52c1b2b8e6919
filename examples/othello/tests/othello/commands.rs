//! Every shared command, run on Othello.

use crate::common::run::Run;
use crate::common::test_folder::{self, Tested};

struct Program;

impl Tested for Program {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_othello");
}

type TestFolder = test_folder::TestFolder<Program>;

const SIX: &str = "......\n......\n..OX..\n..XO..\n......\n......\nX\n";
/// A position in which White must pass.
const PASS: &str = "XXXX\nXXXX\nXXXO\nX...\nO\n";

fn sandbox() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("six.txt", SIX);
    folder.write("pass.txt", PASS);
    folder
}

#[track_caller]
fn shows(run: Run, part: &str) -> Run {
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains(part), "no `{part}` in {}", run.stdout);
    run
}

#[test]
fn one_move_writes_the_next_position() {
    let folder = sandbox();
    shows(folder.run("one-move six.txt out.txt 5 --rules 6x6"), "Black plays ");
    assert!(folder.read("out.txt").ends_with("\nO\n"));
    shows(folder.run("one-move pass.txt out.txt 3 --rules 4x4"), "White passes");
    assert_eq!(folder.read("out.txt"), PASS.replace("\nO\n", "\nX\n"));
    folder.run("one-move six.txt out.txt 5").failure(2, "expected");
}

#[test]
fn games_are_played_and_recorded() {
    let folder = sandbox();
    shows(folder.run_with("interactive none.txt human-next 2", "d3\n"), "Black plays d3");
    shows(
        folder.run("play -q machine:depth=2 random --seed 1 --record game.jsonl --rules 6x6"),
        "Result: ",
    );
    shows(folder.run("replay game.jsonl"), "Result: ");
    shows(folder.run("match machine:depth=3 random --games 4 --seed 1 --rules 6x6"), "4 games");
}

#[test]
fn who_may_think_for_hours_is_warned_of() {
    let folder = sandbox();
    let start =
        "........\n........\n........\n...OX...\n...XO...\n........\n........\n........\nX\n";
    folder.write("start.txt", start);
    let warning = "warning: perfect play may take hours for a move when ";
    let run = folder.run_with("engine machine:perfect", "isready\nquit\n");
    run.warned(warning);
    let run = folder.run("one-move start.txt out.txt perfect --time 10ms");
    assert!(run.code == Some(0) && !run.stderr.contains("warning: "), "{run:?}");
    for args in ["engine machine:perfect,time=10s", "engine machine:perfect --rules 4x4", "engine"]
    {
        folder.run_with(args, "isready\nquit\n").success();
    }
}

#[test]
fn positions_are_analyzed_and_counted() {
    let folder = sandbox();
    shows(folder.run("analyze six.txt --depth 4 --rules 6x6"), "estimate");
    shows(folder.run("analyze pass.txt --exact --rules 4x4"), "exact");
    shows(folder.run("solve --rules 4x4"), "wins by 8 points");
    shows(folder.run("perft 5"), "total: 1396");
    shows(folder.run("bench"), " nodes ");
    shows(folder.run("timing --depths 1..3 --runs 1"), "alphabeta");
    shows(folder.run("calibrate --player machine:depth={depth} --depths 1..2 --runs 1"), "othello");
    shows(folder.run("book build --plies 2 --out book --rules 4x4"), "positions in book");
    shows(folder.run("book verify book --rules 4x4 --sample 1"), "solved again");
}

#[test]
fn other_programs_play_too() {
    let folder = sandbox();
    let said = "newgame othello 8x8 first\nisready\nposition startpos moves d3\ngo depth 3\nquit\n";
    shows(folder.run_with("engine machine", said), "bestmove ");
    let toml = "seed = 1\n\n[[player]]\nname = \"a\"\nplayer = \"random\"\n\n\
                [[player]]\nname = \"b\"\nplayer = \"machine:depth=1\"\n";
    folder.write("cup.toml", toml);
    let run = folder.run("tournament cup.toml --out cup");
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// Tests that boards are in the pages: moves turn pieces, so that they alone do not determine the board.
#[test]
fn searches_are_shown_with_their_boards() {
    let folder = sandbox();
    let text = shows(folder.run("explain six.txt --depth 2 --rules 6x6"), "Alpha-beta, 2 plies");
    shows(text, "minimax");
    for (file, rules) in [("six.txt", "6x6"), ("pass.txt", "4x4")] {
        folder.run(&format!("explain {file} --depth 2 --rules {rules} --html tree.html")).success();
        let page = folder.read("tree.html");
        assert!(page.contains("\"boards\":true") && page.contains("\"cells\":[]"));
    }
    shows(folder.run("practice --seed 1 --questions 3"), "Solutions");
}
