//! Games between two players, and their records.

use super::support::{Run, TestFolder, assert_golden};

#[track_caller]
fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

#[test]
fn a_game_without_thought() {
    let run = TestFolder::new().run("play random random Ann --seed 1").success();
    assert_golden("golden/play-random-random.stdout", &run.stdout);
}

#[test]
fn a_machine_beats_random() {
    let run = TestFolder::new().run("play machine random --depth 3 --seed 1").success();
    assert!(last_line(&run).starts_with("Result: 1-0 (board full, "), "{}", last_line(&run));
    let of_machine = |line: &&str| line.starts_with("move 1: ") && line.ends_with(", depth 3)");
    assert_eq!(run.stdout.lines().filter(of_machine).count(), 1, "{}", run.stdout);
}

#[test]
fn two_humans_may_err_and_ask() {
    let script = "help\nmoves\n0\n8\nx\n4\n4\n4\n4\n4\n4\n4\n3\nundo\nquit\n";
    let run = TestFolder::new().run_with("play human human Ann Bob", script).success();
    assert_golden("golden/play-humans.stdout", &run.stdout);
    assert_eq!(last_line(&run), "Result: 1-0 (Player 2: quit)");
}

#[test]
fn a_human_takes_moves_back_from_a_machine() {
    let script = "4\nundo\n3\nquit\n";
    let run = TestFolder::new().run_with("play human machine:depth=2", script).success();
    assert!(run.stdout.contains("\nmoves taken back\n"));
    assert_eq!(run.stdout.matches("\nmove 1: Player 1, column ").count(), 2);
    assert_eq!(last_line(&run), "Result: 0-1 (Player 1: quit)");
}

#[test]
fn every_combination_of_players_ends_with_a_result() {
    for first in ["human", "machine:depth=1", "random"] {
        for second in ["human", "machine:depth=1", "random"] {
            let run = TestFolder::new().run_with(&format!("play -q {first} {second}"), "4\n");
            let run = run.success();
            assert!(last_line(&run).starts_with("Result: "), "{first} {second}: {}", run.stdout);
        }
    }
}

#[test]
fn a_match_is_a_game_each_way_and_perhaps_a_third() {
    let run = TestFolder::new().run("play -r machine:depth=3 random Ann Bob --seed 1").success();
    let results = run.stdout.lines().filter(|line| line.starts_with("Result: ")).count();
    assert_eq!(results, 2);
    assert!(run.stdout.contains("\nPlayer 2: Ann (machine:depth=3)\n"));
    assert!(run.stdout.contains("\nMatch: Ann 2, Bob 0\nResult: 0-1 ("), "{}", run.stdout);
}

#[test]
fn who_exceeds_the_time_loses() {
    let run = TestFolder::new().run("play -t 0.02 machine:depth=42 random --no-book").success();
    assert_eq!(last_line(&run), "Result: 0-1 (Player 1: wall limit of 20ms exceeded)");
}

#[test]
fn a_perfect_player_says_where_its_moves_are_from() {
    let folder = TestFolder::new();
    let args = "play -q machine:perfect,time=1ms random --seed 1 --record game.jsonl --no-book";
    let run = folder.run(args);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("Player 1: machine:perfect,time=1ms\n"), "{}", run.stdout);
    assert!(last_line(&run).starts_with("Result: "), "{}", run.stdout);
    let said: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(said.len(), 21, "a line for each of its moves: {}", run.stderr);
    assert!(said.iter().all(|line| line.starts_with("perfect: ")), "{}", run.stderr);
    assert!(said[0].starts_with("perfect: depth "), "{}", run.stderr);
    folder.run("replay game.jsonl").success();
    let args = "play -q random machine:perfect,time=1ms --seed 1 --quiet --no-book";
    let run = folder.run(args).success();
    assert!(run.stdout.contains("\nPlayer 2: machine:perfect,time=1ms\n"), "{}", run.stdout);
}

#[test]
fn a_saved_game_is_replayed() {
    let folder = TestFolder::new();
    let played = folder.run("play random random --seed 5 --record game.jsonl").success();
    let replayed = folder.run("replay game.jsonl").success();
    assert_eq!(last_line(&replayed), last_line(&played));
    let untimed = replayed.stdout.split_inclusive('\n');
    let untimed: String = untimed.filter(|line| !line.starts_with("thought for ")).collect();
    assert_eq!(untimed, played.stdout);

    let record = folder.read("game.jsonl").replacen("\"ply\":42", "\"ply\":41", 1);
    folder.write("game.jsonl", record);
    let run = folder.run("replay game.jsonl");
    assert_eq!(run.stdout, "");
    run.failure(2, "game.jsonl:43: expected ply 42, found 41");
}

#[test]
fn bad_arguments_are_refused() {
    let folder = TestFolder::new();
    folder
        .run("play random machine:depth=43")
        .failure(2, "machine:depth=43: expected a depth from 1 to 42");
    folder
        .run("play random random --book none.book")
        .failure(2, "none.book: cannot read the book: No such file");
    for (args, part) in [
        ("play random", "PLAYER2"),
        ("play random robot", "expected human, random, machine"),
        ("play random machine:perfect,", "machine:perfect,time=TIME"),
        ("play random machine:perfect,time=0", "expected a time greater than nothing"),
        ("play random random --threads 0", "expected a whole number from 1 to 1024"),
        ("play random random --depth 43", "expected a whole number from 1 to 42"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(2), "{args}");
        assert!(run.stderr.contains(part), "{args}: {}", run.stderr);
    }
}
