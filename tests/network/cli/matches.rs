//! Two players compared by many games.

use super::{TestFolder, assert_golden};

#[test]
fn the_text_for_people() {
    let run = TestFolder::new().run("match random random --games 20 --seed 1 --jobs 2").success();
    assert_golden("match.stdout", &run.stdout);
}

#[test]
fn the_rules_of_usf_are_those_of_the_games() {
    let folder = TestFolder::new();
    let args = "match machine:depth=2 random --games 2 --rules usf --table 1 --record games";
    folder.run(args).success();
    let header = folder.read("games/0001-1.jsonl");
    let header = header.lines().next().unwrap_or_default();
    assert!(header.contains("\"rules\":\"usf\""), "{header}");
    folder.run("replay games/0001-2.jsonl").success();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = TestFolder::new();
    folder
        .run("match random human")
        .refusal("human: a match is for players that need nobody at the keyboard");
    let plies = "match random random --openings 200";
    folder.run(plies).refusal("openings of 200 plies leave none of 200");
}
