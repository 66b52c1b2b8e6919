//! Weights by self-play.

use serde_json::Value;

use super::support::{TestFolder, assert_golden};

/// Few games, soon played.
const SMALL: &str = "tune --games 60 --depth 2 --epochs 100 --seed 1 --judge 10";

#[test]
fn the_text_for_people() {
    let run = TestFolder::new().run(SMALL).success();
    assert_golden("tune.stdout", &run.stdout);
}

#[test]
fn the_same_seed_finds_the_same_however_many_games_are_played_at_a_time() {
    let folder = TestFolder::new();
    let one = folder.run(&format!("{SMALL} --json --out one.json")).success();
    let three = folder.run(&format!("{SMALL} --json --jobs 3")).success();
    assert_eq!(one.stdout, three.stdout);
    assert_eq!(one.stdout, folder.read("one.json"));
    let other = folder.run(&format!("{} --json", SMALL.replace("--seed 1", "--seed 2")));
    assert_ne!(one.stdout, other.success().stdout);
}

#[test]
fn the_line_of_json() {
    let run = TestFolder::new().run(&format!("--rules usf {SMALL} --json")).success();
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((&report["rules"], &report["games"]), (&"usf".into(), &60.into()));
    assert_eq!(report["weights"]["before"]["goal"], 80);
    assert_eq!(report["weights"]["before"]["block"], report["weights"]["after"]["block"]);
    assert_ne!(report["weights"]["before"], report["weights"]["after"]);
    let loss = &report["log_loss"];
    assert!(loss["after"].as_f64() < loss["before"].as_f64(), "{loss}");
    let pairs = report["match"]["pairs_by_points"].as_array().expect("five numbers");
    assert_eq!(pairs.iter().filter_map(Value::as_u64).sum::<u64>(), 10);
}

#[test]
fn without_a_match_nothing_is_judged() {
    let args = SMALL.replace("--judge 10", "--judge 0");
    let run = TestFolder::new().run(&args).success();
    assert!(run.last_line().starts_with("held out "), "{}", run.stdout);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = TestFolder::new();
    let openings = "expected 1000 different openings of 1 ply, found only ";
    folder.run("tune --openings 1").refusal(openings);
    folder.run("tune --games 2 --out none/out.json").failure(1, "none/out.json: cannot write");
    for bad in ["--games 0", "--depth 0", "--depth 201", "--openings 200", "--jobs 0"] {
        assert_eq!(folder.run(&format!("tune {bad}")).code, Some(2), "{bad}");
    }
    let none = "the evaluation says nothing about the results of ";
    let run = folder.run("tune --games 2 --openings 30 --judge 0").failure(1, none);
    assert!(run.stderr.ends_with(" positions; try more --games\n"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn an_interruption_shows_what_is_found_by_then() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let games = "tune --games 1000000 --depth 2 --seed 1";
    let mut tune = Command::new(env!("CARGO_BIN_EXE_network"))
        .args(games.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut stdout = BufReader::new(tune.stdout.take().expect("a pipe"));
    // Once there is a line, an interruption is listened for.
    let mut text = String::new();
    stdout.read_line(&mut text).expect("a line");
    let kill = Command::new("kill").args(["-INT", &tune.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    stdout.read_to_string(&mut text).expect("text");
    let mut stderr = String::new();
    tune.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    assert_eq!(tune.wait().expect("an end").code(), Some(130), "{stderr}");
    assert!(stderr.starts_with("error: interrupted; "), "{stderr}");
    assert!(stderr.ends_with(" of 1000000 games of self-play played\n"), "{stderr}");
    // However few the games are: either nothing more, or all that they tell.
    assert!(text.lines().count() == 1 || text.contains("\nlog loss"), "{text}");
}
