//! Reviews of recorded games.

use serde_json::Value;

use super::TestFolder;

/// Plays a game with many mistakes, and returns the arguments that name its record.
fn play(place: &TestFolder, seed: u32, names: &str) {
    let args = format!("play random random {names} -q --seed {seed} --table 1");
    place.run(&format!("{args} --record games/{seed}.jsonl")).success();
}

fn folder() -> TestFolder {
    let place = TestFolder::new();
    std::fs::create_dir(place.path("games")).expect("a folder");
    play(&place, 1, "ann bob");
    play(&place, 2, "carl ann");
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
    let place = folder();
    let games = lines(&place.run("review games/1.jsonl --json").success().stdout);
    let [game] = &games[..] else { panic!("{games:?}") };
    let margin = game["final_margin"].as_i64().expect("a margin");
    assert_eq!((game["start_value"].as_i64(), game["exact"].as_bool()), (Some(0), Some(true)));
    assert_eq!(lost(game, "second") - lost(game, "first"), margin);
}

#[test]
#[ignore = "long"]
fn several_games_end_with_the_programs_and_one_player_is_shown_alone() {
    let place = folder();
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
    let place = folder();
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
    let place = folder();
    place.write("games/3.jsonl", "{\"line\":\"move\"}\n");
    place.run("review games").failure(2, "games/3.jsonl:1: ");
    std::fs::create_dir(place.path("empty")).expect("a folder");
    place.run("review empty").failure(2, "expected files *.jsonl");
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
    let place = folder();
    let reviews = place.run("review games --json --nodes 100000").success().stdout;
    place.write("reviews", &reviews);
    let drills = place.run("practice --from reviews --player ann --seed 1 --questions 3").success();
    assert_eq!(drills.stdout.matches("Which move is best").count(), 3, "{}", drills.stdout);
    assert_eq!(drills.stdout.matches(": ann played ").count(), 3, "{}", drills.stdout);
    place.write("other", "{}\nno JSON\n");
    place.run("practice --from other").failure(2, "other:2: expected the output of review --json");
    place.run("practice --from reviews --player dan").failure(2, "no mistake in these games");
}
