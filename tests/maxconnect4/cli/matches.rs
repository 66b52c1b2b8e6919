//! Two players compared by many games, two processes at the same work, and reviews of recorded games.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{PROGRAM, Run, TestFolder, assert_golden};
use crate::common::{Pipe, Race, race};

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn the_text_for_people() {
    let args = "match random random --games 19 --seed 1 --openings 6 --table 1";
    let run = TestFolder::new().run(args).success();
    assert_golden("golden/match.stdout", &run.stdout);
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let place = TestFolder::new();
    let run = |jobs: u32, test: &str| {
        let args = "match machine:depth=2 random --games 60 --seed 3 --table 1 --json --csv";
        let run = place.run(&format!("{args} pairs.csv --jobs {jobs} {test}")).success();
        (run.stdout, place.read("pairs.csv"))
    };
    for test in ["", "--sprt 0,200"] {
        let one = run(1, test);
        assert_eq!(one, run(2, test), "{test}");
        assert_eq!(one, run(5, test), "{test}");
    }
}

#[test]
fn a_test_ends_as_soon_as_it_is_sure() {
    let place = TestFolder::new();
    let args = "match machine:depth=3 random --games 1000 --seed 1 --table 1 --sprt=0,100";
    let result = json(&place.run(&format!("{args} --json")).success());
    assert!(result["games"].as_u64() < Some(200), "{result}");
    assert_eq!(result["sprt"]["accepted"], 100.0);
    let text = place.run(args).success().stdout;
    assert!(text.contains("At most 1000 games"), "{text}");
    assert!(text.ends_with(", 100 accepted\n"), "{text}");
}

#[test]
fn pairs_of_an_earlier_run_count() {
    let place = TestFolder::new();
    let args = "match machine:depth=3 random --seed 1 --table 1 --json --sprt 0,100,alpha=0.01";
    let whole = json(&place.run(&format!("{args} --games 40")).success());
    let counts = whole["pairs_by_points"].as_array().expect("counts");
    let counts: Vec<_> = counts.iter().map(Value::to_string).collect();
    let before = format!("--before {}", counts.join(","));
    // Nothing is played, and all that is known of the pairs is said again.
    let again = json(&place.run(&format!("{args} --games 0 {before}")).success());
    assert_eq!(again["games"], 0);
    for key in ["score", "elo", "normalized_elo", "superiority", "sprt"] {
        assert_eq!(again[key], whole[key], "{key}");
    }
    // A test that is decided plays no more.
    let decided = "match machine:depth=3 random --seed 2 --table 1 --sprt 0,100";
    let text = place.run(&format!("{decided} --before 0,1,2,10,50")).success().stdout;
    assert!(
        text.contains("Pairs by A's points, with 63 of an earlier run: 0: 0, 0.5: 1"),
        "{text}"
    );
    assert!(text.ends_with(", 100 accepted\n") && !text.contains("A's score"), "{text}");
    let model = "match random random --games 0 --before 13,37,50,25,3 --openings 0";
    let text = place.run(&format!("{model} --sprt 0,4,beta=0.1,model=normalized")).success().stdout;
    let line =
        "\nSequential test of normalized Elo 0 against 4: LLR -0.55 (-2.25 to +2.89), undecided\n";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("\nNormalized Elo: -64 (95 %: "), "{text}");
}

#[test]
fn pairs_in_json_and_csv() {
    let place = TestFolder::new();
    let args = "match machine:depth=2 machine:depth=1 --games 30 --seed 2 --table 1";
    let result = json(&place.run(&format!("{args} --json --csv pairs.csv")).success());
    let pairs = result["pairs"].as_array().expect("pairs");
    assert_eq!((pairs.len(), &result["games"]), (15, &30.into()));
    let sum = |key: &str| -> f64 {
        let pairs = pairs.iter().flat_map(|pair| pair[key].as_array().expect("two"));
        pairs.filter_map(Value::as_f64).sum()
    };
    let [won, drawn] = ["won", "drawn"].map(|key| result[key].as_f64().expect("a number"));
    assert_eq!(sum("points"), won + drawn / 2.0);
    let mean = result["margin"]["mean"].as_f64().expect("a mean");
    assert!((sum("margins") / 15.0 - mean).abs() < 1e-9);
    let openings: Vec<_> = pairs.iter().map(|pair| pair["opening"].to_string()).collect();
    assert!((1..15).all(|index| !openings[..index].contains(&openings[index])));

    let csv = place.read("pairs.csv");
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 16);
    assert!(
        lines.iter().all(|line| line.starts_with("pair,") || line.matches('"').count() == 4),
        "{csv}"
    );
    assert!(lines[1].starts_with(&format!("1,{},", openings[0].trim_matches('"'))), "{csv}");
}

#[test]
fn perfect_players_lose_no_pair() {
    let place = TestFolder::new();
    for ties in ["", ",ties=first"] {
        let args = "random --openings 24 --games 10 --seed 5 --table 1 --jobs 2 --json";
        let result = json(&place.run(&format!("match machine:perfect{ties} {args}")).success());
        assert_eq!(result["a"], format!("machine:perfect{ties}"));
        assert_eq!(result["negative_pairs"], 0, "{result}");
    }
}

#[test]
fn saved_games_are_replayed() {
    let place = TestFolder::new();
    let args = "match machine:depth=1 random --games 4 --seed 1 --table 1 --record a/games";
    place.run(args).success();
    let folder = fs::read_dir(place.path("a/games")).expect("a folder");
    let mut names: Vec<_> = folder.map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["0001-1.jsonl", "0001-2.jsonl", "0002-1.jsonl", "0002-2.jsonl"]);
    let shorter = "match machine:depth=1 random --games 2 --seed 1 --table 1 --record a/games";
    place.run(shorter).warned("a/games: has 2 records of an earlier match");
    let replay = |name: &str| place.run(&format!("replay a/games/{name}")).success().stdout;
    let [one, other] = ["0001-1.jsonl", "0001-2.jsonl"].map(replay);
    assert!(one.starts_with("Player 1: machine:depth=1\nPlayer 2: random\n"), "{one}");
    assert!(other.starts_with("Player 1: random\nPlayer 2: machine:depth=1\n"), "{other}");
    let opening = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.ends_with("  (given)")).map(str::to_owned).collect()
    };
    assert_eq!(opening(&one).len(), 4);
    assert_eq!(opening(&one), opening(&other));
}

#[test]
fn who_exceeds_the_time_loses() {
    let args = "match machine:depth=42 random --games 2 --seed 1 --table 1 --time-limit 0.01";
    let text = TestFolder::new().run(args).success().stdout;
    assert!(text.contains("\nLost by a fault: 2 games (A: wall limit 2)\n"), "{text}");
    assert!(text.contains("Elo of A against B: -inf (95 %: at most +113)"), "{text}");
    assert!(!text.contains("Margin"), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = TestFolder::new();
    place.write("file", "");
    for (args, part) in [
        ("human random", "human: a match takes no human player"),
        ("machine:depth=43 random", "machine:depth=43: expected a depth from 1 to 42, found 43"),
        ("random random --openings 42", "expected openings of fewer than 42 plies"),
        (
            "random random --openings 10 --ply-cap 10",
            "openings of 10 plies leave none of the 10 moves of a game",
        ),
        (
            "random random --openings 1 --games 20",
            "expected 10 different openings of 1 ply, found only 4",
        ),
    ] {
        place.run(&format!("match {args}")).failure(2, part);
    }
    place.run("match random random --csv no/pairs.csv").failure(1, "no/pairs.csv: cannot write");
    place.run("match random random --record file").failure(1, "file: cannot write");
    for (args, part) in [
        ("random", "<B>"),
        ("random robot", "expected human, random, machine"),
        ("random random --games 0", "expected --before with --games 0"),
        ("random random --games 1000001", "expected a whole number from 0 to 1000000"),
        ("random random --before 1,2,3", "expected the numbers of pairs with 0, 0.5, 1, 1.5 and 2"),
        ("random random --jobs 0", "--jobs"),
        ("random random --openings 43", "expected a whole number from 0 to 42"),
        ("random random --sprt 20,10", "expected two Elo differences"),
        ("random random --sprt=-5", "expected two Elo differences"),
        ("random random --time-limit 0", "expected a time"),
    ] {
        let run = place.run(&format!("match {args}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args}");
        assert!(run.stderr.contains(part), "{args}: {}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_shows_the_score_so_far() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let place = TestFolder::new();
    let mut program = Command::new(PROGRAM)
        .current_dir(place.path("."))
        .args("match machine:depth=42 random --seed 1 --openings 0 --table 1".split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    // Once there is a line, an interruption is listened for.
    let mut stdout = BufReader::new(program.stdout.take().expect("a pipe"));
    let mut text = String::new();
    stdout.read_line(&mut text).expect("a line");
    let pid = program.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    stdout.read_to_string(&mut text).expect("text");
    let output = program.wait_with_output().expect("the program");
    assert_eq!(output.status.code(), Some(130), "{text}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, "error: interrupted; 0 of 50 pairs played\n");
    assert_eq!(text.lines().count(), 3, "{text}");
}

const ROUNDS: usize = 20;

fn command(place: &TestFolder, args: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(place.path(".")).args(args.split(' '));
    command
}

#[test]
fn one_of_two_builds_the_book() {
    let place = TestFolder::new();
    let args = "book --size 4x4 build --plies 3 --out";
    place.run(&format!("{args} alone.bin")).success();
    let alone = std::fs::read(place.path("alone.bin")).expect("a book");
    let pipe = Pipe::new(place.path("pipe"));
    for _ in 0..ROUNDS {
        let build = || command(&place, &format!("{args} pipe"));
        let (race, pipe) = race(build, || pipe.open());
        race.assert_refused("pipe.journal");
        assert_eq!(pipe.written(), alone);
        assert_eq!(place.files(), ["alone.bin", "pipe"], "the journal is gone");
    }
}

#[test]
fn one_of_two_measures() {
    let place = TestFolder::new();
    let args = "timing --depths 1..3 --runs 1 --csv";
    place.run(&format!("{args} alone.csv")).success();
    let pipe = Pipe::new(place.path("pipe.svg"));
    for round in 0..ROUNDS {
        let csv = format!("t{round}.csv");
        let timing = || command(&place, &format!("{args} {csv} --plot pipe.svg"));
        let (race, _) = race(timing, || pipe.open());
        race.assert_refused(&csv);
        assert_eq!(without_times(&place.read(&csv)), without_times(&place.read("alone.csv")));
        std::fs::remove_file(place.path(&csv)).expect("the table");
        assert_eq!(place.files(), ["alone.csv", "pipe.svg"]);
    }
}

/// The columns of a runtime table that are the same in every run.
fn without_times(csv: &str) -> Vec<Vec<String>> {
    let fields = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    csv.lines().map(|line| [&fields(line)[..6], &fields(line)[10..13]].concat()).collect()
}

#[test]
#[ignore = "long"]
fn one_of_two_plays_the_tournament() {
    let place = TestFolder::new();
    let script = format!(
        "while [ ! -e go ]; do sleep 0.01; done\nexec '{PROGRAM}' one-move \"$1\" \"$2\" 1\n"
    );
    place.write("wait.sh", script);
    let plan = "format = 'gauntlet'\nchallenger = 'random'\nsandbox = 'none'\nopenings = { plies = 36 }\n\
                [[player]]\nplayer = 'random'\n[[player]]\nplayer = 'file:sh wait.sh {in} {out}'\n";
    place.write("t.toml", plan);
    place.write("go", "");
    place.run("tournament t.toml --out alone").success();
    let files = place.files();
    for round in 0..ROUNDS {
        std::fs::remove_file(place.path("go")).expect("the file of the round before");
        let folder = format!("t{round}");
        let tournament = || command(&place, &format!("tournament t.toml --out {folder}"));
        let (race, ()) = race(tournament, || place.write("go", ""));
        race.assert_refused(&folder);
        let [found, expected] = [&*folder, "alone"].map(|folder| results(&place, folder));
        assert_eq!(found, expected);
        std::fs::remove_dir_all(place.path(&folder)).expect("the folder");
        assert_eq!(place.files(), files);
    }
}

/// The moves of the games, and the names of all files beside.
fn results(place: &TestFolder, folder: &str) -> (Vec<String>, Vec<String>) {
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(place.path(folder)).expect("a folder");
        let names = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let games = format!("{folder}/games");
    let moves = |name: &String| -> String {
        let text = place.read(&format!("{games}/{name}"));
        let moves = text.lines().filter_map(|line| line.split_once(r#""move":"#));
        moves.map(|(_, rest)| rest.split(',').next().unwrap_or_default()).collect()
    };
    (names(&games).iter().map(moves).collect(), names(folder))
}

/// A process that is refused harms nothing: neither before the other has anything, nor after.
#[test]
fn the_refused_one_harms_nothing() {
    let place = TestFolder::new();
    let pipe = Pipe::new(place.path("pipe"));
    let build = "book --size 4x4 build --plies 2 --out pipe";
    let (Race { winner, .. }, written) = race(
        || command(&place, build),
        || {
            let before = place.read("pipe.journal");
            for _ in 0..3 {
                let again = place.run(build);
                again.failure(1, "pipe.journal: another process is at work on it");
            }
            assert!(place.read("pipe.journal").starts_with(&before));
            pipe.open()
        },
    );
    assert!(winner.status.success() && !written.written().is_empty());
}

/// Plays a game with many mistakes, and returns the arguments that name its record.
fn play_badly(place: &TestFolder, seed: u32, names: &str) {
    let args = format!("play random random {names} -q --seed {seed} --table 1");
    place.run(&format!("{args} --record games/{seed}.jsonl")).success();
}

fn folder_with_games() -> TestFolder {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("games")).expect("a folder");
    play_badly(&place, 1, "ann bob");
    play_badly(&place, 2, "carl ann");
    place
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns the loss of a side, all of it known.
fn lost(game: &Value, side: &str) -> i64 {
    let moves = game["moves"].as_array().expect("moves").iter();
    moves
        .filter(|made| made["side"] == side)
        .map(|made| made["loss"].as_i64().expect("a loss"))
        .sum()
}

#[test]
fn losses_of_a_whole_game_explain_its_result() {
    let place = folder_with_games();
    let games = lines(&place.run("review games/1.jsonl --json").success().stdout);
    let [game] = &games[..] else { panic!("{games:?}") };
    let margin = game["final_margin"].as_i64().expect("a margin");
    assert_eq!((game["start_value"].as_i64(), game["exact"].as_bool()), (Some(0), Some(true)));
    assert_eq!(lost(game, "second") - lost(game, "first"), margin);
}

#[test]
#[ignore = "long"]
fn several_games_end_with_the_programs_and_one_player_is_shown_alone() {
    let place = folder_with_games();
    let all = lines(&place.run("review games --json --jobs 2 --nodes 1000").success().stdout);
    assert_eq!(all.len(), 3);
    let programs = all[2]["programs"].as_array().expect("programs");
    let names: Vec<_> = programs.iter().map(|program| &program["name"]).collect();
    assert_eq!(names, ["ann", "bob", "carl"]);
    assert_eq!(programs[0]["games"], serde_json::json!([1, 1]));
    let carl = place.run("review games --player carl --nodes 1000").success().stdout;
    assert!(
        carl.contains("carl - ann") && !carl.contains("bob") && !carl.contains(", ann: "),
        "{carl}"
    );
    place.run("review games --player dan").failure(2, "in these games: ann, bob, carl");
    place.run("review games --csv all.csv --html all.html --nodes 1000").success();
    assert_eq!(place.read("all.csv").lines().count(), 1 + 84);
    assert!(place.read("all.html").contains("<h2>carl</h2>"));
}

#[test]
fn journal_has_the_games_that_are_done() {
    let place = folder_with_games();
    let first =
        place.run("review games/1.jsonl --json --nodes 1000 --journal done").success().stdout;
    let both = place.run("review games --json --nodes 1000 --journal done").success().stdout;
    assert_eq!(both.lines().next(), first.lines().next());
    // What is in the journal is not reviewed again: a word changed there, with its checksum, would show.
    assert_eq!(
        place.read("done").lines().filter(|line| line.contains("\"line\":\"game\"")).count(),
        2
    );
    assert_eq!(place.run("review games --json --nodes 1000 --journal done").success().stdout, both);
    assert_eq!(place.run("review games --json --nodes 1000").success().stdout, both);
    place.run("review games --nodes 5 --journal done").failure(2, "other work");
}

#[test]
fn what_is_no_record_is_named_by_its_place() {
    let place = folder_with_games();
    place.write("games/3.jsonl", "{\"line\":\"move\"}\n");
    place.run("review games").failure(2, "games/3.jsonl:1: ");
    std::fs::create_dir(place.path("empty")).expect("a folder");
    let _pipe = Pipe::new(place.path("empty/4.jsonl"));
    let none = "expected a recorded game, or files *.jsonl with some, found none";
    place.run("review empty").failure(2, none);
    place.write("zeros", "\0".repeat(9));
    place.run("review zeros").failure(2, none);
}

#[test]
#[ignore = "long"]
fn tournament_reports_what_each_player_lost() {
    let place = TestFolder::new();
    let plan = "name = 'Autumn'\nseed = 3\ntable = 1\nopenings = { plies = 2, count = 1 }\n\
        [[player]]\nname = 'Ann'\nplayer = 'random'\n[[player]]\nname = 'Bob'\nplayer = 'random'\n";
    place.write("t.toml", plan);
    let run = place.run("tournament t.toml --review").success();
    assert!(run.stdout.ends_with("Review: t/review.html\n"), "{}", run.stdout);
    let report: Value = serde_json::from_str(&place.read("t/result.json")).expect("JSON");
    let players = report["players"].as_array().expect("players");
    for player in players {
        let first = player["review"][0].as_str().expect("a line");
        assert!(first.ends_with("2 games, 1 as the first player and 1 as the second"), "{first}");
    }
    assert!(place.read("t/review.html").contains("<h2>Ann</h2>"));
    let again = place.run("tournament t.toml --review").success();
    assert_eq!(again.stdout, run.stdout);
    // A review of the folder finds the same games.
    let all = lines(&place.run("review t --json").success().stdout);
    assert_eq!(all.len(), 3);
}

#[test]
fn drills_ask_about_the_mistakes_of_a_player() {
    let place = folder_with_games();
    let reviews = place.run("review games --json --nodes 100000").success().stdout;
    place.write("reviews", &reviews);
    let drills = place.run("practice --from reviews --player ann --seed 1 --questions 3").success();
    assert_eq!(drills.stdout.matches("Which move is best").count(), 3, "{}", drills.stdout);
    assert_eq!(drills.stdout.matches(": ann played ").count(), 3, "{}", drills.stdout);
    place.write("other", "{}\nno JSON\n");
    place.run("practice --from other").failure(2, "other:2: expected the output of review --json");
    place.run("practice --from reviews --player dan").failure(2, "no mistake in these games");
}
