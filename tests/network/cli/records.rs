//! Saving games, and replaying them.

use super::{TestFolder, assert_golden, is_result};

#[test]
fn a_saved_game_is_replayed() {
    let folder = TestFolder::new();
    let played =
        folder.run("machine:depth=2 random Ann Bob --seed 1 --record game.jsonl").success();
    assert_eq!(folder.files(), ["game.jsonl"]);
    let replayed = folder.run("replay game.jsonl").success();
    assert_eq!(replayed.last_line(), played.last_line());
    // What a replay shows beside the game are the times.
    let untimed: String = replayed
        .stdout
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("thought for "))
        .collect();
    assert_eq!(untimed, played.stdout);
}

#[test]
fn the_rules_are_those_of_the_record() {
    let folder = TestFolder::new();
    let args = "random random --rules usf --seed 2 --record game.jsonl";
    let played = folder.run(args).success();
    let replayed = folder.run("replay game.jsonl").success();
    assert_eq!(replayed.last_line(), played.last_line());
    assert!(folder.read("game.jsonl").contains("\"rules\":\"usf\""));
}

#[test]
fn the_games_of_a_match_are_numbered() {
    let folder = TestFolder::new();
    folder.run("-r machine:depth=2 random --seed 3 --record game.jsonl").success();
    assert_eq!(folder.files(), ["game-1.jsonl", "game-2.jsonl"]);
    for file in folder.files() {
        assert!(is_result(folder.run(&format!("replay {file}")).success().last_line()));
    }
}

#[test]
fn a_record_is_json_lines() {
    let folder = TestFolder::new();
    folder.run_with("human human --record game.jsonl", "33\n44\nquit\n").success();
    let record = folder.read("game.jsonl");
    let timeless: Vec<String> = record.lines().map(without_times).collect();
    assert_golden("record.jsonl", &(timeless.join("\n") + "\n"));
}

/// A line with all its times set to 0.
fn without_times(line: &str) -> String {
    let mut text = line.to_owned();
    for name in ["\"cpu_us\":", "\"wall_us\":", "\"first_cpu_us\":", "\"second_cpu_us\":"] {
        if let Some((before, after)) = text.split_once(name) {
            let after = after.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
            text = format!("{before}{name}0{after}");
        }
    }
    text
}

#[test]
fn bad_records_are_refused_in_one_line() {
    let folder = TestFolder::new();
    folder.run("random random --seed 1 --ply-cap 9 --record game.jsonl").success();
    let record = folder.read("game.jsonl");
    let lines: Vec<&str> = record.split_inclusive('\n').collect();
    let swapped = [&lines[..1], &[lines[2], lines[1]], &lines[3..]].concat().concat();
    for (text, part) in [
        (String::new(), "bad.jsonl:1: expected a game, found the end of the file"),
        ("nonsense\n".to_owned(), "bad.jsonl:1: not a line of a game record"),
        (lines[..5].concat(), "bad.jsonl:6: expected a move or the ending, found the end"),
        (lines[..5].concat() + lines[10], "the ending does not follow from the moves"),
        (swapped, "bad.jsonl:2: expected ply 1, found 2"),
        (record.replace("\"network\"", "\"chess\""), "bad.jsonl:1: expected a game of network"),
        (record.replace("berkeley", "harvard"), "there are no rules called `harvard`"),
        (record.replace("/W\"", "/X\""), "in the first position, 9:1: expected the color to move"),
        (record.replace("1/2-1/2", "1-0"), "expected the result 1/2-1/2, found 1-0"),
        (record.clone() + &record, "expected nothing after the ending"),
    ] {
        folder.write("bad.jsonl", &text);
        let run = folder.run("replay bad.jsonl");
        assert_eq!(run.stdout, "", "{part}");
        run.refusal(part);
    }
    folder.run("replay none.jsonl").refusal("none.jsonl: cannot read the game");
    folder.write("endless.jsonl", "\n".repeat(17 << 20));
    folder.run("replay endless.jsonl").refusal("endless.jsonl: expected a recorded game");
}

#[test]
fn a_game_that_cannot_be_saved_is_not_begun() {
    let folder = TestFolder::new();
    let run = folder.run("random random --record none/game.jsonl");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.stderr.contains("none/game.jsonl"), "{}", run.stderr);
}
