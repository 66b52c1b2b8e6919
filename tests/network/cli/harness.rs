//! The commands that all games share.

use serde_json::Value;

use super::{TestFolder, assert_golden, input};

/// White to move wins with 75.
const WIN_IN_1: &str =
    "......../..B...B./...B.W../..W.W.BW/......B./W.W.BW../..B...../......../W\n";

/// White's step 31-71 gives both colors a network.
const DOUBLE: &str = "..B...../..WW..W./W.B.B.../WB..W.../..W.W.../.BW.BB.W/.B....../...B..B./W\n";

fn lines(state: &str) -> String {
    state.replace('/', "\n")
}

fn analysis(folder: &TestFolder, args: &str) -> Value {
    let run = folder.run(args).success();
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

#[test]
fn one_move_reads_and_writes_state_files() {
    let folder = TestFolder::new();
    for name in ["ten-plies", "steps"] {
        let run = folder.run(&format!("one-move {} {name}.txt 2", input(&format!("{name}.txt"))));
        assert_golden(&format!("one-move-{name}.stdout"), &run.success().stdout);
        assert_golden(&format!("one-move-{name}.txt"), &folder.read(&format!("{name}.txt")));
    }
}

#[test]
fn one_move_of_a_finished_game_says_so() {
    let folder = TestFolder::new();
    folder.write(
        "in.txt",
        lines(WIN_IN_1).replace("W.W.BW..\n", "W.W.BW.W\n").replace("\nW\n", "\nB\n"),
    );
    let run = folder.run("one-move in.txt out.txt 2").success();
    assert_golden("one-move-over.stdout", &run.stdout);
    assert_eq!(folder.files(), ["in.txt"]);
}

#[test]
fn faults_of_state_files_are_located() {
    let folder = TestFolder::new();
    let start = "........\n".repeat(8) + "W\n";
    for (state, part) in [
        (start.replacen('.', "W", 1), "in.txt:1:1: expected `.` in a corner, found a chip"),
        (start.replacen('.', "1", 1), "in.txt:1:1: expected `.`, `W` or `B`, found `1`"),
        (start.replace('W', "1"), "in.txt:9:1: expected the color to move, `W` or `B`, found `1`"),
        (start.replace("W\n", ""), "in.txt:8:9: expected the color to move"),
    ] {
        folder.write("in.txt", &state);
        folder.run("one-move in.txt out.txt 2").refusal(part);
        assert_eq!(folder.files(), ["in.txt"]);
    }
}

#[test]
fn chip_counts_that_do_not_fit_the_turn_are_doubtful() {
    let folder = TestFolder::new();
    folder.write("in.txt", &("........\n".repeat(8) + "B\n"));
    let run = folder.run("one-move in.txt out.txt 1");
    assert_eq!(run.code, Some(0));
    let doubt = "Black is to move and White began, but White has 0 chips and Black 0";
    assert_eq!(run.stderr, format!("warning: in.txt: {doubt}\n"));
    assert_eq!(folder.run("one-move in.txt out.txt 1 --rules usf").success().stderr, "");
}

#[test]
fn a_value_is_the_distance_to_the_end() {
    let folder = TestFolder::new();
    folder.write("in.txt", lines(WIN_IN_1));
    let found = analysis(&folder, "analyze in.txt --depth 3 --json");
    let best = &found["moves"][0];
    assert_eq!((best["move"].as_str(), best["value"].as_i64()), (Some("75"), Some(1)));
    // With a single ply nothing is known of the moves that do not win at once.
    let found = analysis(&folder, "analyze in.txt --depth 1 --json");
    let moves = found["moves"].as_array().cloned().unwrap_or_default();
    assert!(moves.iter().all(|line| line["value"] == 1 || line["value"].is_null()));
    assert!(moves.iter().any(|line| line["value"].is_null()));
    // Who completes both networks loses at once.
    folder.write("in.txt", lines(DOUBLE));
    let found = analysis(&folder, "analyze in.txt --depth 1 --json");
    let moves = found["moves"].as_array().cloned().unwrap_or_default();
    let double = moves.iter().find(|line| line["move"] == "31-71");
    assert_eq!(double.and_then(|line| line["value"].as_i64()), Some(-1));
}

#[test]
fn the_rules_decide_about_double_networks() {
    let folder = TestFolder::new();
    folder.write("in.txt", lines(DOUBLE));
    let names = |args: &str| {
        let found = analysis(&folder, args);
        let moves = found["moves"].as_array().cloned().unwrap_or_default();
        moves.iter().any(|line| line["move"] == "31-71")
    };
    assert!(names("analyze in.txt --depth 1 --json"));
    assert!(names("analyze in.txt --depth 1 --json --rules berkeley"));
    assert!(!names("analyze in.txt --depth 1 --json --rules usf"));
    assert!(!names("--rules usf analyze in.txt --depth 1 --json"));
}

#[test]
fn perft_counts_positions() {
    let folder = TestFolder::new();
    assert_eq!(folder.run("perft 3").success().last_line(), "total: 104904");
    let steps = folder.run(&format!("perft {} 1", input("steps.txt"))).success();
    assert!(steps.last_line().starts_with("total: "));
}

#[test]
fn the_start_has_a_move() {
    let folder = TestFolder::new();
    folder.run(&format!("one-move {} out.txt 1", input("start.txt"))).success();
    let state = folder.read("out.txt");
    assert_eq!((state.matches('W').count(), state.matches('B').count()), (1, 1));
    assert!(state.ends_with("\nB\n"), "{state}");
}

#[test]
fn interactive_plays_against_a_human() {
    let folder = TestFolder::new();
    let run = folder.run_with("interactive new.txt human-next 2", "10\n33\n").success();
    assert!(run.stdout.contains("\n10: 10 is in a goal of Black\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nWhite adds 33\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nBlack adds "), "{}", run.stdout);
    assert_eq!(folder.files(), ["computer.txt", "human.txt"]);
}

#[test]
fn the_bench_ends_with_nodes_and_speed() {
    let run = TestFolder::new().run("bench").success();
    let words: Vec<&str> = run.last_line().split(' ').collect();
    assert!(matches!(words[..], [nodes, "nodes", speed, "nps"]
        if nodes.parse::<u64>().is_ok() && speed.parse::<u64>().is_ok()));
}

#[test]
fn help_names_the_three_ways_to_run() {
    let run = TestFolder::new().run("--help").success();
    for part in ["network [OPTIONS] PLAYER1 PLAYER2", "one-move", "replay", "--rules"] {
        assert!(run.stdout.contains(part), "{part}");
    }
}
