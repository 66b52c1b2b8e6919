//! The commands on a game with extra turns: each follows the side to move.

use serde_json::Value;

use crate::common::run::Run;
use crate::common::test_folder::{self, Tested};

struct Program;

impl Tested for Program {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_kalah");
}

type TestFolder = test_folder::TestFolder<Program>;

/// Pit 2 of South ends in the store, and keeps the turn.
const START: &str = "0222\n2220\nS\n";

#[track_caller]
fn shows(run: Run, part: &str) -> Run {
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains(part), "no `{part}` in {}", run.stdout);
    run
}

/// Returns the sides that made the moves of a record.
fn movers(record: &str) -> Vec<String> {
    let lines = record.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let movers = lines.filter(|line| line["line"] == "move").map(|line| line["by"].to_string());
    movers.collect()
}

#[test]
fn games_are_recorded_and_replayed_with_their_extra_turns() {
    let folder = TestFolder::new();
    folder.run("play -q machine:depth=4 random --seed 1 --record game.jsonl").success();
    let movers = movers(&folder.read("game.jsonl"));
    assert!(movers.windows(2).any(|pair| pair[0] == pair[1]), "{movers:?}");
    shows(folder.run("replay game.jsonl"), "South wins by ");
    // A record in which the sides alternate contradicts the rules.
    let by = |side: &str| format!("\"by\":{side}");
    let twice = movers.windows(2).position(|pair| pair[0] == pair[1]).expect("an extra turn");
    let other = if movers[twice] == "\"first\"" { "\"second\"" } else { "\"first\"" };
    let record = folder.read("game.jsonl");
    let lines = record.lines().enumerate().map(|(line, text)| match line == twice + 2 {
        true => text.replace(&by(&movers[twice]), &by(other)),
        false => text.to_owned(),
    });
    folder.write("false.jsonl", lines.collect::<Vec<_>>().join("\n"));
    folder.run("replay false.jsonl").failure(2, "the other player is to move");
}

/// Plays a game between a program of its own and random moves, and returns the moves.
fn play_with(folder: &TestFolder, program: &str) -> String {
    let args = ["play", "-q", program, "random", "--depth", "3", "--seed", "2", "--rules", "4x3"];
    let args = args.into_iter().chain(["--record", "game.jsonl"]);
    Run::of(&mut folder.command(args)).success();
    let record = folder.read("game.jsonl");
    let movers = movers(&record);
    let first: Vec<_> =
        movers.windows(2).filter(|pair| *pair == ["\"first\"", "\"first\""]).collect();
    assert!(!first.is_empty(), "the program never moved twice: {movers:?}");
    shows(folder.run("replay game.jsonl --rules 4x3"), "Result: ");
    let moves = record.lines().filter(|line| line.contains("\"line\":\"move\""));
    let moves =
        moves.map(|line| serde_json::from_str::<Value>(line).expect("JSON")["move"].to_string());
    moves.collect()
}

/// Tests that a program that still has the turn is asked again, by files and by lines.
#[test]
fn programs_with_the_turn_are_asked_again() {
    let folder = TestFolder::new();
    let program = Program::PROGRAM;
    let by_files = format!("file:{program} one-move {{in}} {{out}} {{depth}} --rules 4x3");
    let by_lines = format!("line:{program} engine machine:depth={{depth}}");
    let here = play_with(&folder, "machine:depth=3");
    assert_eq!(play_with(&folder, &by_files), here);
    assert_eq!(play_with(&folder, &by_lines), here);
}

#[test]
fn one_move_leaves_the_turn_to_the_same_side() {
    let folder = TestFolder::new();
    folder.write("start.txt", START);
    shows(folder.run("one-move start.txt out.txt 1 --rules 3x2"), "South plays 2");
    assert_eq!(folder.read("out.txt").replace('\r', ""), "0222\n2031\nS\n");
    let run = folder
        .run_with("play human random --seed 1 --rules 3x2", "2\nundo\nmoves\n1\nundo\nquit\n");
    assert!(run.stdout.contains("moves taken back"), "{run:?}");
}

#[test]
fn positions_are_solved_and_explained() {
    let folder = TestFolder::new();
    folder.write("start.txt", START);
    // The limit on the length of the game is 234 plies, greater than any depth.
    let run = shows(folder.run("solve start.txt --verify --rules 3x2"), "South wins by 4");
    assert!(run.stdout.contains("Verified: "), "{}", run.stdout);
    shows(folder.run("analyze start.txt --exact --rules 3x2"), "exact");
    shows(
        folder.run("explain start.txt --depth 4 --order good --rules 3x2"),
        "Alpha-beta, 4 plies",
    );
    folder.run("explain start.txt --depth 4 --rules 3x2 --html tree.html").success();
    shows(folder.run("book build --plies 2 --out book --rules 3x2"), "positions in book");
    shows(folder.run("book verify book --rules 3x2 --sample 1"), "solved again");
    shows(folder.run("practice --seed 1 --questions 3"), "Solutions");
}

#[test]
fn matches_tournaments_and_timings_follow_the_side_to_move() {
    let folder = TestFolder::new();
    shows(folder.run("match machine:depth=4 random --games 6 --seed 1 --rules 4x3"), "6 games");
    let toml = "seed = 1\n\n[[player]]\nname = \"a\"\nplayer = \"random\"\n\n\
                [[player]]\nname = \"b\"\nplayer = \"machine:depth=3\"\n";
    folder.write("cup.toml", toml);
    assert_eq!(folder.run("tournament cup.toml --out cup --rules 4x3").code, Some(0));
    shows(folder.run("bench"), " nodes ");
    let calibrate = "calibrate --player machine:depth={depth} --positions 3 --depths 1..2 --runs 1";
    shows(folder.run(calibrate), "kalah");
}
