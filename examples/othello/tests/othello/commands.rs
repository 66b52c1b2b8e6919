//! Every shared command, run on Othello.

use crate::common::run::Run;
use crate::common::sandbox::{self, Tested};

struct Program;

impl Tested for Program {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_othello");
}

type Sandbox = sandbox::Sandbox<Program>;

const SIX: &str = "......\n......\n..OX..\n..XO..\n......\n......\nX\n";
/// White must pass.
const PASS: &str = "XXXX\nXXXX\nXXXO\nX...\nO\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("six.txt", SIX);
    sandbox.write("pass.txt", PASS);
    sandbox
}

#[track_caller]
fn shows(run: Run, part: &str) -> Run {
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains(part), "no `{part}` in {}", run.stdout);
    run
}

#[test]
fn one_move_writes_the_next_position() {
    let sandbox = sandbox();
    shows(sandbox.run("one-move six.txt out.txt 5 --rules 6x6"), "Black plays ");
    assert!(sandbox.read("out.txt").ends_with("\nO\n"));
    shows(sandbox.run("one-move pass.txt out.txt 3 --rules 4x4"), "White passes");
    assert_eq!(sandbox.read("out.txt"), PASS.replace("\nO\n", "\nX\n"));
    sandbox.run("one-move six.txt out.txt 5").failure(2, "expected");
}

#[test]
fn games_are_played_and_recorded() {
    let sandbox = sandbox();
    shows(sandbox.run_with("interactive none.txt human-next 2", "d3\n"), "Black plays d3");
    shows(
        sandbox.run("play -q machine:depth=2 random --seed 1 --record game.jsonl --rules 6x6"),
        "Result: ",
    );
    shows(sandbox.run("replay game.jsonl"), "Result: ");
    shows(sandbox.run("match machine:depth=3 random --games 4 --seed 1 --rules 6x6"), "4 games");
}

#[test]
fn who_may_think_for_hours_is_warned_of() {
    let sandbox = sandbox();
    let start =
        "........\n........\n........\n...OX...\n...XO...\n........\n........\n........\nX\n";
    sandbox.write("start.txt", start);
    let warning = "warning: perfect play may take hours for a move when ";
    let run = sandbox.run_with("engine machine:perfect", "isready\nquit\n");
    run.warned(warning);
    let run = sandbox.run("one-move start.txt out.txt perfect --time 10ms");
    assert!(run.code == Some(0) && !run.stderr.contains("warning: "), "{run:?}");
    for args in ["engine machine:perfect,time=10s", "engine machine:perfect --rules 4x4", "engine"]
    {
        sandbox.run_with(args, "isready\nquit\n").success();
    }
}

#[test]
fn positions_are_analyzed_and_counted() {
    let sandbox = sandbox();
    shows(sandbox.run("analyze six.txt --depth 4 --rules 6x6"), "estimate");
    shows(sandbox.run("analyze pass.txt --exact --rules 4x4"), "exact");
    shows(sandbox.run("solve --rules 4x4"), "wins by 8 points");
    shows(sandbox.run("perft 5"), "total: 1396");
    shows(sandbox.run("bench"), " nodes ");
    shows(sandbox.run("timing --depths 1..3 --runs 1"), "alphabeta");
    shows(
        sandbox.run("calibrate --player machine:depth={depth} --depths 1..2 --runs 1"),
        "othello",
    );
    shows(sandbox.run("book build --plies 2 --out book --rules 4x4"), "positions in book");
    shows(sandbox.run("book verify book --rules 4x4 --sample 1"), "solved again");
}

#[test]
fn other_programs_play_too() {
    let sandbox = sandbox();
    let said = "newgame othello 8x8 first\nisready\nposition startpos moves d3\ngo depth 3\nquit\n";
    shows(sandbox.run_with("engine machine", said), "bestmove ");
    let toml = "seed = 1\n\n[[player]]\nname = \"a\"\nplayer = \"random\"\n\n\
                [[player]]\nname = \"b\"\nplayer = \"machine:depth=1\"\n";
    sandbox.write("cup.toml", toml);
    let run = sandbox.run("tournament cup.toml --out cup");
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// Moves turn pieces, so that they alone do not tell what the board looks like.
#[test]
fn searches_are_shown_with_their_boards() {
    let sandbox = sandbox();
    let text = shows(sandbox.run("explain six.txt --depth 2 --rules 6x6"), "Alpha-beta, 2 plies");
    shows(text, "minimax");
    for (file, rules) in [("six.txt", "6x6"), ("pass.txt", "4x4")] {
        sandbox
            .run(&format!("explain {file} --depth 2 --rules {rules} --html tree.html"))
            .success();
        let page = sandbox.read("tree.html");
        assert!(page.contains("\"boards\":true") && page.contains("\"cells\":[]"));
    }
    shows(sandbox.run("practice --seed 1 --questions 3"), "Solutions");
}
