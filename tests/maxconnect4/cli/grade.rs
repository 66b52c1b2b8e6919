//! Programs held to the assignment.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::{PROGRAM, TestFolder, assert_golden};
use crate::common::browser::Browser;
use crate::common::is_progress;

/// Submits a folder with a script called `player`.
pub fn submit(place: &TestFolder, name: &str, script: &str) {
    let folder = format!("subs/{name}");
    fs::create_dir_all(place.path(&folder)).expect("a folder");
    let path = format!("{folder}/player");
    place.write(&path, format!("#!/bin/sh\n{script}\n"));
    let permissions = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.path(&path), permissions).expect("permissions");
}

/// Submits our own program.
pub fn submit_ours(place: &TestFolder, name: &str) {
    submit(place, name, &format!("exec {PROGRAM} one-move \"$@\""));
}

/// The player of a class of such folders.
pub const CLASS_PLAYER: &str = "file:{folder}/player {in} {out} {depth}";

/// Runs `grade` with a player that may have blanks in it. What it says of the kernel does not
/// matter.
#[track_caller]
pub fn grade(place: &TestFolder, player: &str, args: &str) -> String {
    let program = ["grade", "--visible", PROGRAM, "--player", player];
    let args = program.into_iter().chain(args.split_whitespace());
    let output = place.command(args).output().expect("the program");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let is_known = |line: &str| line.starts_with("warning: ") || is_progress(line);
    assert!(errors.lines().all(is_known), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The names of all checks.
pub const CHECKS: [&str; 14] = [
    "the assignment's own files are read",
    "the file has the format of the input",
    "the lines end as in the input files",
    "the score is printed",
    "a full board is left alone",
    "no file is written for a full board",
    "only legal moves are chosen",
    "the depth is the number of moves looked ahead",
    "points are seen two moves ahead",
    "points are seen four moves ahead",
    "the last six moves are seen",
    "the last eight moves are seen",
    "random play is beaten",
    "depth 5 takes a minute at most",
];

/// Writes the file with the points so that only these checks count, and those that are always made.
pub fn count_only(place: &TestFolder, names: &[&str]) {
    let zeros = CHECKS.iter().filter(|name| !names.contains(name));
    let zeros: String = zeros.map(|name| format!("\"{name}\" = 0\n")).collect();
    place.write("points.toml", format!("[points]\n{zeros}"));
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// An illegal move costs nothing in the checks of files, whenever it comes, but a program that moves for the other
/// player has misread its file.
#[test]
fn files_are_judged_apart_from_moves() {
    let folder = TestFolder::new();
    let tells = "last=$(tail -n 1 \"$1\")\n";
    // As player 1, it puts a piece above empty cells.
    let illegal = "case \"$last\" in 1*) sed '1s/^0/1/; $s/1/2/' \"$1\" > \"$2\"; exit;; esac\n";
    // It takes `1` and CR for player 2.
    let misread =
        "[ \"$last\" = 1 ] || { sed '$s/1/2/' \"$1\" > as2.txt; shift; set -- as2.txt \"$@\"; }\n";
    for (name, part) in [("illegal", illegal), ("misread", misread)] {
        submit(&folder, name, &format!("{tells}{part}exec {PROGRAM} one-move \"$@\""));
    }
    count_only(&folder, &CHECKS[..3]);
    let of = |name: &str| {
        let player = format!("file:subs/{name}/player {{in}} {{out}} {{depth}}");
        grade(&folder, &player, "--points points.toml --seed 1")
    };
    let text = of("illegal");
    assert!(text.contains("\nScore: 8 of 8\n"), "{text}");
    let text = of("misread");
    assert!(
        text.contains("the other checks use LF") && text.contains("\nScore: 5 of 8\n"),
        "{text}"
    );
}

#[test]
#[ignore = "long"]
fn our_own_program_has_all_points() {
    let place = TestFolder::new();
    let player = format!("file:{PROGRAM} one-move {{in}} {{out}} {{depth}}");
    let text = grade(&place, &player, "--json results.json");
    assert!(text.contains("\nScore: 100 of 100\nIt ran in a sandbox of the level "), "{text}");
    assert!(text.ends_with("\nPositions: --seed 1\n"), "{text}");
    for name in CHECKS {
        assert!(text.contains(&format!("ok    {name} ")), "{name}: {text}");
    }
    let reasons = text.matches("        asked: ").count();
    assert_eq!((reasons, text.matches("        assignment: \"").count()), (14, 14));
    let results = json(&place.read("results.json"));
    assert_eq!(results["score"], 100.0);
    let tests = results["tests"].as_array().expect("tests");
    assert!(tests.iter().all(|test| test["status"] == "passed"));
    let leaders = results["leaderboard"].as_array().expect("a leaderboard");
    assert_eq!((&leaders[0]["value"], &leaders[1]["order"]), (&1.0.into(), &"asc".into()));
}

/// A check of games gives a program that reads LF only its points, also where no check of the files comes first.
#[test]
fn line_ends_are_learned_without_a_check_of_them() {
    let place = TestFolder::new();
    let moves = format!("exec {PROGRAM} one-move \"$@\" --table 1");
    place.write("lf.sh", format!("grep -q \"$(printf '\\r')\" \"$1\" && exit 3\n{moves}\n"));
    let player = "file:sh lf.sh {in} {out} {depth}";
    let check = "[[check]]\nname = 'legal'\npoints = 6\nkind = 'faultless'\ndepth = 1\ngames = 2\n\
        asks = 'a'\nwhy = 'w'\nsentence = 's'\n";
    place.write("checks.toml", check);
    let text = grade(&place, player, "--checks checks.toml --seed 1");
    assert!(text.contains("\nScore: 6 of 6\n"), "{text}");
    let note = "\nThe program reads LF only: its files had LF in place of CR LF.\n";
    assert!(text.contains(note), "{text}");
}

/// A program that hardly ever moves may have one slip, which a person sees.
#[test]
fn program_that_hardly_moves_is_marked() {
    let place = TestFolder::new();
    let moves = format!("exec {PROGRAM} one-move \"$@\" --table 1");
    submit(&place, "shy", &format!("head -n 6 \"$1\" | grep -q '[12]' && exit 3\n{moves}"));
    submit(&place, "hasty", "tr 0 1 < \"$1\" > \"$2\"");
    let check = "[[check]]\nname = 'read'\npoints = 6\nkind = 'file-format'\ndepth = 1\nasks = 'a'\nwhy = 'w'\n\
        sentence = 's'\npositions = ['']\ndraw = { count = 10, after = [10, 12] }\n";
    place.write("checks.toml", check);
    let words = "--checks checks.toml --class subs --out grades --seed 1 --jobs 1";
    let text = grade(&place, CLASS_PLAYER, words);
    assert!(place.read("grades/grades.csv").contains(",moved only 1 of 11 times"), "{text}");
    let why = "it never moved, illegal move, no legal move leads to the position in its output, in which 42 cells differ, \
        as after several moves";
    assert!(text.contains(why), "{text}");
}

#[test]
fn wrong_score_costs_points_once() {
    let place = TestFolder::new();
    count_only(&place, &CHECKS[3..6]);
    // Player 2 has no points in some positions.
    let score = "s/Player 2 = [1-9]/Player 2 = 77/";
    // Illegal moves of one side, too, change nothing in that.
    for illegal in ["", "tail -n 1 $2 | grep -q 2 && sed -i '1 s/0/1/' $3; exit 0"] {
        let script = format!("{PROGRAM} \"$@\" --table 1 | sed '{score}'\n{illegal}\n");
        place.write("play.sh", script);
        let player = "file:sh play.sh one-move {in} {out} {depth}";
        let text = grade(&place, player, "--points points.toml --seed 1");
        let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!((lines("FAIL  the score is printed "), lines("FAIL")), (1, 1), "{text}");
        assert_eq!(lines("FAIL  the score is printed                 0 "), 0, "{text}");
    }
}

#[test]
fn program_that_never_moves_has_nothing_and_commas_cost_once() {
    let place = TestFolder::new();
    let graded = |script: &str| {
        place.write("play.sh", format!("{script}\n"));
        let player = "file:sh play.sh one-move {in} {out} {depth}";
        grade(&place, player, "--points points.toml --seed 1")
    };
    let lines = |text: &str, start: &str| text.lines().filter(|it| it.starts_with(start)).count();
    count_only(&place, &CHECKS[1..6]);
    for script in ["printf 'x\\r\\n' > $3", "sed '1 s/0/1/' $2 > $3", "sed '6 s/1/2/' $2 > $3"] {
        let text = graded(&format!("grep -q 0 $2 && {script}"));
        assert_eq!((lines(&text, "FAIL"), lines(&text, "ok ")), (5, 0), "{text}");
    }
    let text = graded(&format!("{PROGRAM} \"$@\"; sed -i 's/[0-9]/&,/g' $3; exit 0"));
    let format = "FAIL  the file has the format of the input";
    assert_eq!((lines(&text, "FAIL"), lines(&text, format)), (1, 1), "{text}");
    // The probe has no line of its own, and what it found counts.
    assert_eq!(text.matches("the assignment's own files are read").count(), 0, "{text}");
}

/// The words of the check of the interactive mode.
const INTERACTIVE: &str = "interactive mode plays a person to the end";

/// Counts these checks and that of the interactive mode.
fn count_interactive(place: &TestFolder, names: &[&str]) {
    count_only(place, names);
    let points = place.read("points.toml") + &format!("\"{INTERACTIVE}\" = 10\n");
    place.write("points.toml", points);
}

/// Grades a script, in which `PROGRAM` stands for our program with the arguments.
fn interactive(place: &TestFolder, script: &str) -> String {
    place.write("play.sh", script.replace("PROGRAM", &format!("{PROGRAM} \"$@\"")) + "\n");
    grade(place, "file:sh play.sh one-move {in} {out} {depth}", "--points points.toml --seed 1")
}

/// Checks the points of the interactive mode of a script, and a part of the finding about it.
#[track_caller]
fn assert_interactive(place: &TestFolder, script: &str, points: u32, found: &str) {
    let text = interactive(place, script);
    let summary = format!("FAIL  {INTERACTIVE}       {points} of  10");
    assert!(text.contains(&summary) && text.contains(found), "{script}: {text}");
    let is_typed = text.contains("        typed  ") && text.contains("; lines read: ");
    assert_eq!(is_typed, !found.contains("reads on"), "{script}: {text}");
}

#[test]
fn interactive_mode_is_played_to_the_end() {
    let place = TestFolder::new();
    let all = format!("ok    {INTERACTIVE}      10 of  10");
    count_interactive(&place, &[]);
    let text = interactive(&place, "PROGRAM");
    assert!(text.contains(&all), "{text}");
    // A program that plays both sides itself reads no line.
    assert_interactive(
        &place,
        "(for i in 1 2 3 4 5; do printf '3\\n4\\n5\\n6\\n'; done) | PROGRAM",
        0,
        "expected the move of the person, found a program that reads no line; and the positions after",
    );
    // The command does not say how such a program is started.
    let text = grade(&place, "file:sh play.sh {in} {out} {depth}", "--points points.toml --seed 1");
    assert!(text.contains(&format!("not counted: {INTERACTIVE}")), "{text}");
}

#[test]
#[ignore = "long"]
fn faults_of_the_interactive_mode_are_told() {
    let place = TestFolder::new();
    // A slip in the format of all files costs the points of its own check alone: here the next player is missing.
    count_interactive(&place, &CHECKS[1..2]);
    let text = interactive(&place, "PROGRAM; sed -i '$d' output.txt computer.txt human.txt");
    assert!(text.contains(&format!("ok    {INTERACTIVE}      10 of  10")), "{text}");
    count_interactive(&place, &[]);
    // The page of the assignment has both words.
    let text = interactive(&place, "case \"$*\" in *-next*) exit 3;; esac; PROGRAM");
    assert!(text.contains(&format!("ok    {INTERACTIVE}      10 of  10")), "{text}");
    for (script, points, found) in [
        // The numbers of colors are no part of the board.
        (
            "PROGRAM | sed 's/[0-9]/\x1b[31m&\x1b[0m/g'; rm -f human.txt",
            5,
            "        human.txt  not saved; it printed at the end: ",
        ),
        ("PROGRAM; cp $2 computer.txt", 5, "        computer.txt  "),
        // The next player is the person who has moved.
        (
            "PROGRAM; sed -i '$ y/12/21/' human.txt",
            5,
            "expected files in the format of the input, with the next player\n",
        ),
        ("PROGRAM > printed; rm -f human.txt", 0, "        human.txt  not saved\n"),
        // A board that is not the last may be one of many.
        (
            "PROGRAM; rm -f human.txt; tr 012 121 < $2 | head -n 6",
            0,
            "        human.txt  not saved; it printed at the end: ",
        ),
        ("[ $1 = one-move ] && exec PROGRAM; exit 3", 0, "        computer.txt  not saved\n"),
        (
            "PROGRAM; [ $1 = one-move ] || cat; echo at the end >&2",
            5,
            "found a program that reads on\n        standard error ends:\n          at the end\n",
        ),
    ] {
        assert_interactive(&place, script, points, found);
    }
}

#[test]
#[ignore = "long"]
fn what_is_wrong_is_shown() {
    let place = TestFolder::new();
    let text = grade(&place, "random", "");
    assert_golden("golden/grade-random.stdout", &text);
    count_only(&place, &CHECKS[..3]);
    // Only the next player changes.
    submit(&place, "lazy", "tr 12 21 < \"$1\" > \"$2\"; echo lazy today >&2");
    let text = grade(&place, "file:subs/lazy/player {in} {out}", "--points points.toml");
    assert!(text.contains("FAIL  the file has the format of the input  "), "{text}");
    assert!(text.contains("        written   0000000\\r\\n"), "{text}");
    assert!(text.contains("        standard error ends:\n          lazy today\n"), "{text}");
    assert!(text.contains("\nScore: 0 of 8\n"), "{text}");
}

/// A program that forgets to write the file loses the points of the files, and no others.
#[test]
fn program_that_only_prints_its_moves_is_judged_by_them() {
    let place = TestFolder::new();
    submit(&place, "prints", &format!("exec {PROGRAM} one-move \"$1\" /dev/null \"$3\""));
    count_only(&place, &[CHECKS[0], CHECKS[1], CHECKS[2], CHECKS[3], CHECKS[8]]);
    let text = grade(&place, "file:subs/prints/player {in} {out} {depth}", "--points points.toml");
    for (check, points) in
        [(0, " 0 of   3"), (1, " 0 of   4"), (2, " 0 of   1"), (3, " 4 of   4"), (8, "10 of  10")]
    {
        let line = text.lines().find(|line| line.contains(CHECKS[check])).expect("a line");
        assert!(line.contains(points), "{text}");
    }
    assert!(
        text.contains("0 of 4: no file is written, only printed; the other checks ignore this"),
        "{text}"
    );
}

#[test]
#[ignore = "long"]
fn a_class_is_graded_and_one_that_hangs_delays_nobody() {
    let place = TestFolder::new();
    submit_ours(&place, "good one");
    submit(&place, "hangs", "sleep 1000");
    submit(&place, "none", "echo lazy today >&2; exit 1");
    fs::create_dir(place.path("subs/empty")).expect("a folder");
    place.write("subs/README", "no submission");
    // Few checks, so that the time is plenty for who answers.
    count_only(&place, &CHECKS[..3]);
    let args = "--class subs --out grades --jobs 2 --total 8s --points points.toml";
    let text = grade(&place, CLASS_PLAYER, args);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 7, "{text}");
    assert!(lines[1].starts_with("empty "), "{text}");
    assert!(
        lines[4].ends_with("  all: it never moved, no file `next.txt` was written: lazy today"),
        "{text}"
    );
    let csv = place.read("grades/grades.csv");
    for name in ["empty", "good one", "hangs", "none"] {
        let results = json(&place.read(&format!("grades/{name}/results.json")));
        assert_eq!(results["score"] == 8.0, name == "good one", "{results}");
        let page = place.read(&format!("grades/{name}/page.html"));
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains(name), "{page}");
        assert!(
            csv.contains(&format!("\n{name},,{},8,", results["score"].as_f64().unwrap_or(9.0)))
        );
    }
    let hangs = place.read("grades/hangs/results.txt");
    assert!(hangs.contains("not done: the time for this submission is over"), "{hangs}");
    assert!(hangs.contains(" is over; of its 8 s, the check `"), "{hangs}");
}

#[test]
#[ignore = "long"]
fn students_see_their_games_reviewed() {
    let place = TestFolder::new();
    submit(&place, "ann", &format!("exec {PROGRAM} one-move \"$1\" \"$2\" 1"));
    submit(&place, "bob", "exit 1");
    count_only(&place, &[CHECKS[0], CHECKS[6]]);
    let args = "--class subs --out grades --points points.toml --review-games 2 --seed 2";
    grade(&place, CLASS_PLAYER, args);
    let page = place.read("grades/ann/page.html");
    let review = page.split("Its games against random moves, reviewed").nth(1).expect("a review");
    assert!(review.contains("the program: 2 games, 1 as the first player and 1 as the second"));
    assert!(review.contains("Lost in a game, in points: ") && review.contains("<svg"), "{review}");
    assert!(review.contains(" loses ") && review.contains("Better: "), "{review}");
    // A game without a move has nothing to be reviewed.
    assert!(!place.read("grades/bob/page.html").contains("<figcaption><pre>Ply"));
}

#[test]
fn program_that_hangs_again_and_again_is_asked_once_a_check() {
    let place = TestFolder::new();
    submit(&place, "hangs", "sleep 1000");
    count_only(&place, &[CHECKS[0], CHECKS[1], CHECKS[6]]);
    let text =
        grade(&place, "file:subs/hangs/player {in} {out}", "--wall 100ms --points points.toml");
    assert!(text.contains("\nScore: 0 of 13\n"), "{text}");
    let counts = ["wall limit of 100ms exceeded", "not asked: the program exceeded its time"]
        .map(|said| text.matches(said).count());
    // Three of four files, one file, one game; the rest of the questions is told once a check.
    assert_eq!(counts, [5, 3], "{text}");
}

#[test]
fn points_are_a_matter_of_taste() {
    let place = TestFolder::new();
    place.write(
        "points.toml",
        "[points]\n\"random play is beaten\" = 1\n\"the last six moves are seen\" = 0\n\
        \"the last eight moves are seen\" = 0\n\"depth 5 takes a minute at most\" = 0\n",
    );
    let text = grade(&place, "machine:depth={depth}", "--points points.toml");
    assert!(
        text.contains("random play is beaten                               1 of   1"),
        "{text}"
    );
    assert!(text.contains("\nScore: 37 of 37\n"), "{text}");
    place.write("points.toml", "[points]\nbeauty = 1\n");
    let run = place.run("grade --player random --points points.toml");
    run.failure(
        2,
        "points.toml:2:1: expected the name of a check, found `beauty`: the names are `the",
    );
}

/// A crash costs the points of other checks. A program that crashes in most positions, or ends without a file, has no
/// points of the format there.
#[test]
fn format_is_judged_by_the_files_that_are_written() {
    let place = TestFolder::new();
    let moves = format!("exec {PROGRAM} one-move \"$@\" --table 1");
    let zeros = "$(tr -cd 0 < \"$1\" | wc -c)";
    place.write("some.sh", format!("[ {zeros} -eq 42 ] && exit 3\n{moves}\n"));
    place.write("none.sh", "exit 3\n");
    place.write("blank.sh", "echo > \"$2\"\n");
    place.write("choosy.sh", format!("[ {zeros} -eq 42 ] || exit 0\n{moves}\n"));
    place.write("rare.sh", format!("[ {zeros} -eq 42 ] || exit 3\n{moves}\n"));
    let check = |name: &str| {
        format!(
            "[[check]]\nname = '{name}'\npoints = 4\nkind = '{name}'\ndepth = 1\nasks = 'a'\nwhy = 'w'\n\
             sentence = 's'\npositions = ['']\ndraw = {{ count = 2, after = [10, 20] }}\n"
        )
    };
    place.write("checks.toml", check("file-format") + &check("line-ends"));
    for (script, score, parts) in [
        ("some", "8 of 8", "2 of 2"),
        ("none", "0 of 8", "0 of 3"),
        ("blank", "0 of 8", "0 of 3"),
        ("choosy", "2.66 of 8", "1 of 3"),
        ("rare", "2.66 of 8", "1 of 3"),
    ] {
        let player = format!("file:sh {script}.sh {{in}} {{out}} {{depth}}");
        let text = grade(&place, &player, "--checks checks.toml --seed 1");
        assert!(text.contains(&format!("\nScore: {score}\n")), "{script}: {text}");
        assert_eq!(text.matches(parts).count(), 2, "{script}: {text}");
    }
}

#[test]
fn one_check_is_done_alone() {
    let place = TestFolder::new();
    let args = ["grade", "--player", "random", "--check", "only legal moves are chosen"];
    let output = place.command(args).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\nScore: 6 of 6\n"), "{text}");
    let run = place.run("grade --player random --check beauty");
    run.failure(2, "--check: expected the name of a check, found `beauty`: the names are `the");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = TestFolder::new();
    submit_ours(&place, "ann");
    place.write("roster.csv", "grade\n5\n");
    for (args, part) in [
        ("--player human", "human: expected a player other than a human"),
        ("--player robot", "player `robot`: expected human, random"),
        ("--player random:{folder}", "expected --class"),
        ("--player random --class none --out x", "expected {start} or {folder} in the player"),
        (
            "--player line:{folder}{dept} --class subs --out x",
            "{dept}`: expected {in}, {out}, {depth}, {start} or {folder}, found `{dept}`",
        ),
        ("--player java:{folder} --class subs --out x", "maxconnect4 knows no Java classes"),
        ("--player line:{folder} --class none --out x", "none: No such file"),
        ("--player line:{folder} --class subs --out x --only bob", "found `bob`"),
        ("--player line:{folder} --class subs --out x --roster roster.csv", "roster.csv:1: "),
    ] {
        place.run(&format!("grade {args}")).failure(2, part);
    }
    let run = place.run("grade --player random --class subs --out x --deadline soon");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("expected a time such as"), "{run:?}");
    let run = place.run("grade --player random --json no/results.json");
    run.failure(1, "no/results.json: cannot write");
    fs::create_dir(place.path("subs/history")).expect("a folder");
    let run = place.run("grade --player line:{folder} --class subs --out x");
    run.failure(2, "expected no submission of the name history");
}

#[test]
#[ignore = "long"]
fn students_are_shown_what_the_points_file_says() {
    let folder = TestFolder::new();
    submit(&folder, "bob", "exit 1");
    count_only(&folder, &CHECKS[8..10]);
    let two = format!("\"{}\"", CHECKS[8]);
    let points = folder.read("points.toml");
    let args = "--class subs --points points.toml --seed 3 --out";
    for (out, settings, shown, there) in [
        ("as-it-is", String::new(), false, true),
        ("shown", format!("[expected]\n{two} = true\n"), true, true),
        ("hidden", format!("[visibility]\n{two} = 'hidden'\n"), false, false),
    ] {
        folder.write("points.toml", format!("{points}{settings}"));
        grade(&folder, CLASS_PLAYER, &format!("{args} {out}"));
        for file in ["results.txt", "results.json", "page.html"] {
            let text = folder.read(&format!("{out}/bob/{file}"));
            assert_eq!(text.contains("expected: "), shown, "{file}: {text}");
            let about = text.contains("In the middle of the game and at depth 2");
            assert_eq!(about, there, "{file}: {text}");
            assert!(!text.contains("--seed"), "{file}: {text}");
        }
        let text = folder.read(&format!("{out}/instructor/reports/bob.txt"));
        assert!(text.contains("expected: ") && text.ends_with("Positions: --seed 3\n"), "{text}");
        assert!(folder.read(&format!("{out}/instructor/answers.txt")).starts_with("--seed 3\n"));
    }
    let hidden = json(&folder.read("hidden/bob/results.json"));
    let tests = hidden["tests"].as_array().expect("tests");
    let two = tests.iter().find(|test| test["name"] == CHECKS[8]).expect("the hidden check");
    assert_eq!((&two["visibility"], &two["output"]), (&"hidden".into(), &"".into()));
}

#[test]
#[ignore = "long"]
fn only_what_has_changed_is_graded_again_and_no_grade_is_lost() {
    let folder = TestFolder::new();
    submit_ours(&folder, "ann");
    submit(&folder, "bob", "exit 1");
    count_only(&folder, &CHECKS[..3]);
    let args = "--class subs --out grades --points points.toml";
    let run = |more: &str| grade(&folder, CLASS_PLAYER, &format!("{args} {more}"));
    assert!(run("").ends_with("\n2 graded now, 0 as before\n"));
    let seed = folder.read("grades/instructor/seed");
    assert!(run("").ends_with("\n0 graded now, 2 as before\n"));
    assert_eq!(folder.read("grades/instructor/seed"), seed, "the class has one secret seed");
    // Ann's new version is worse.
    submit(&folder, "ann", "exit 1");
    assert!(run("--only bob").ends_with("\n0 graded now, 2 as before\n"));
    let text = run("--only ann");
    assert!(text.ends_with("\n1 graded now, 1 as before\n"), "{text}");
    assert!(text.contains("\nann              0    8  (was 8) "), "{text}");
    assert!(folder.read("grades/history/ann/0001/results.txt").contains("Score: 8 of 8"));
    assert!(folder.read("grades/ann/results.txt").contains("Score: 0 of 8"));
    // What was graded once need not be again.
    submit_ours(&folder, "ann");
    assert!(run("").ends_with("\n0 graded now, 2 as before\n"));
    assert!(folder.read("grades/ann/results.txt").contains("Score: 8 of 8"));
    // Other points need no other games.
    let points = folder.read("points.toml");
    folder.write("points.toml", format!("{points}\"{}\" = 6\n", CHECKS[0]));
    assert!(run("").ends_with("\n0 graded now, 2 as before\n"));
    assert!(folder.read("grades/ann/results.txt").contains("Score: 11 of 11"));
    assert!(folder.read("grades/bob/results.txt").contains("Score: 0 of 11"));
    folder.write("points.toml", points);
    assert!(run("").ends_with("\n0 graded now, 2 as before\n"));
    assert!(folder.read("grades/ann/results.txt").contains("Score: 8 of 8"));
    assert!(run("--again --only bob").ends_with("\n1 graded now, 1 as before\n"));
    // Other positions, and other limits, are other checks.
    assert!(run("--seed 4").ends_with("\n2 graded now, 0 as before\n"));
    assert!(run("--total 5m").ends_with("\n2 graded now, 0 as before\n"));
    assert_eq!(folder.read("grades/instructor/seed"), "4\n");
    let numbers = fs::read_dir(folder.path("grades/history/ann")).expect("a folder").count();
    assert_eq!(numbers, 7);
}

#[test]
fn second_run_at_the_same_time_is_refused() {
    let folder = TestFolder::new();
    submit_ours(&folder, "ann");
    fs::create_dir(folder.path("grades")).expect("a folder");
    let lock = File::create(folder.path("grades/.lock")).expect("a file");
    lock.lock().expect("the lock");
    let run = folder.run("grade --player line:{folder}/player --class subs --out grades");
    run.failure(1, "grades: another run of `grade` writes into this folder");
}

#[test]
#[ignore = "long"]
fn run_that_is_killed_goes_on_to_the_same_grades() {
    let folder = TestFolder::new();
    for name in ["ann", "bob", "carl", "dora", "emil", "fay"] {
        submit_ours(&folder, name);
    }
    submit(&folder, "bob", "exit 1");
    count_only(&folder, &CHECKS[..3]);
    let args = ["--class", "subs", "--seed", "2", "--points", "points.toml", "--out"];
    let table = |out: &str| folder.read(&format!("{out}/grades.csv"));
    grade(&folder, CLASS_PLAYER, &format!("{} whole", args.join(" ")));
    for kill in 0..10 {
        let mut command = Command::new(PROGRAM);
        command.current_dir(folder.path(""));
        command.args(["grade", "--visible", PROGRAM, "--player", CLASS_PLAYER]);
        command.args(args).arg("killed").stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = command.spawn().expect("the program");
        // Sooner or later: whatever it is at, what follows holds.
        thread::sleep(Duration::from_millis(100 + 150 * kill));
        running.kill().expect("a kill");
        running.wait().expect("an end");
    }
    grade(&folder, CLASS_PLAYER, &format!("{} killed", args.join(" ")));
    assert_eq!(table("killed"), table("whole"));
    for name in ["ann", "bob", "fay"] {
        let file = |out: &str| folder.read(&format!("{out}/{name}/results.txt"));
        assert_eq!(file("killed"), file("whole"), "{name}");
        let history = folder.path(&format!("killed/history/{name}"));
        assert_eq!(fs::read_dir(history).expect("a folder").count(), 1, "{name}");
    }
}

#[test]
fn interruption_says_how_to_go_on() {
    let folder = TestFolder::new();
    submit(&folder, "ann", "exit 1");
    submit(&folder, "bob", "sleep 1000");
    count_only(&folder, &CHECKS[..1]);
    let grade = ["grade", "--player", CLASS_PLAYER, "--class", "subs", "--points", "points.toml"];
    let running = Command::new(PROGRAM)
        .current_dir(folder.path("."))
        .args(grade)
        .args(["--wall", "1000s", "--out", "grades"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    while !folder.path("grades/grades.csv").exists() {
        thread::sleep(Duration::from_millis(20));
    }
    let pid = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let output = running.wait_with_output().expect("the program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    let so_far = "interrupted; 1 of 2 submissions are graded; the same command goes on\n";
    assert!(said.ends_with(so_far), "{said}");
}

#[test]
fn lateness_and_students_are_in_the_tables() {
    let folder = TestFolder::new();
    submit_ours(&folder, "ann");
    submit(&folder, "+bob", "exit 1");
    count_only(&folder, &CHECKS[..3]);
    folder.write(
        "roster.csv",
        "submission,name,id,sis_id,login,section,email,submitted\n\
        ann,\"=HYPERLINK(\"\"x\"\")\",12,s12,alee,001,ann@school.edu,2026-11-21T02:30:00Z\n\
        ,Zoe Ott,13,,zoe,001,,\n",
    );
    let args = "--class subs --out grades --points points.toml --roster roster.csv --seed 2 \
        --deadline 2026-11-21T00:00:00Z --title Homework";
    // Bob's time is that of the file.
    let bob = File::options().write(true).open(folder.path("subs/+bob/player")).expect("a file");
    let early = std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    bob.set_modified(early).expect("a time");
    drop(bob);
    let text = grade(&folder, CLASS_PLAYER, args);
    assert!(text.contains("(2h 30m late)"), "{text}");
    // A row without a submission is nothing that was graded before.
    assert!(text.ends_with("\n2 graded now, 0 as before\n"), "{text}");
    let csv = folder.read("grades/grades.csv");
    assert!(
        csv.contains("\nann,\"'=HYPERLINK(\"\"x\"\")\",8,8,2026-11-21T02:30:00Z,2h 30m,3,4,1,\n"),
        "{csv}"
    );
    assert!(
        csv.contains(
            "\n'+bob,,0,8,2023-11-14T22:13:20Z,,0,0,0,never moved: no file `next.txt` was written\n"
        ),
        "{csv}"
    );
    let canvas = folder.read("grades/canvas.csv");
    assert!(canvas.starts_with(
        "Student,ID,SIS User ID,SIS Login ID,Section,Homework\n    Points Possible,,,,,8\n"
    ));
    assert!(canvas.contains("\n\"'=HYPERLINK(\"\"x\"\")\",12,s12,alee,001,8\n"), "{canvas}");
    let moodle = folder.read("grades/moodle.csv");
    assert!(moodle.contains("\n,ann@school.edu,s12,"), "{moodle}");
    assert!(folder.read("grades/class.html").contains("2h 30m"));
    folder.write("points.csv", "login,points,comment\nalee,1.5,good\n");
    let text = grade(&folder, CLASS_PLAYER, &format!("{args} --manual points.csv"));
    assert!(text.ends_with("\n0 graded now, 2 as before\n"), "{text}");
    let csv = folder.read("grades/grades.csv");
    assert!(csv.contains(",2h 30m,1.5,good,9.5,3,4,1,\n"), "{csv}");
}

/// The times in a zip of Canvas are those of the download.
#[test]
fn nobody_is_late_by_the_time_of_a_download() {
    let folder = TestFolder::new();
    let script = format!("#!/bin/sh\nexec {PROGRAM} one-move \"$@\"\n");
    for name in ["leeann_12_345_run.sh", "rayobob_LATE_13_346_run.sh"] {
        fs::create_dir_all(folder.path("zips")).expect("a folder");
        folder.write(&format!("zips/{name}"), &script);
    }
    let prepare = ["submissions", "prepare", "zips", "--out", "subs"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyground"));
    let output = command.current_dir(folder.path("")).args(prepare).output().expect("plyground");
    assert!(output.status.success(), "{output:?}");
    count_only(&folder, &CHECKS[..1]);
    let player = "file:{start} {in} {out} {depth}";
    let args = "--class subs --out grades --points points.toml --seed 2 --late 10%-a-day \
        --deadline 2020-11-21T00:00:00Z";
    let program = ["grade", "--visible", PROGRAM, "--player", player];
    let args = program.into_iter().chain(args.split_whitespace());
    let args = args.map(|word| word.replace("10%-a-day", "10% a day"));
    let output = folder.command(args.collect::<Vec<_>>()).output().expect("the program");
    let errors = String::from_utf8_lossy(&output.stderr);
    let warning = "warning: 2 of the submissions have no time of their own, leeann and others: \
        --deadline and --late take nothing off for them; the platform marks as late rayobob; a \
        --roster with a column `submitted` gives the times\n";
    assert!(errors.contains(warning), "{errors}");
    let csv = folder.read("grades/grades.csv");
    let row = |name: &str| csv.lines().find(|line| line.starts_with(name)).expect(name);
    let (ann, bob) = (row("leeann"), row("rayobob"));
    let cells = |row: &str| row.split(',').skip(2).take(6).map(str::to_owned).collect::<Vec<_>>();
    let (ann, bob) = (cells(ann), cells(bob));
    assert_eq!(ann[2..5], ["", "", "0"], "{csv}");
    assert_eq!(bob[2..5], ["", "an unknown time", "0"], "{csv}");
    assert_eq!(bob[0], bob[5], "{csv}");
}

const TOURNAMENT: &str = "openings = { plies = 2 }\n\
    player = [{ name = \"Ann Smith-Wallenberg-Montgomery\", player = \"machine:depth=1\" }, \
    { player = \"machine:depth=2\" }, { player = \"random\" }]\n";

/// The script that returns what is beyond the sides of the page, or cut off there, of the table of
/// standings.
const OUTSIDE: &str = "const whole = document.documentElement; \
    if (whole.scrollWidth > whole.clientWidth) return ['the page']; \
    return Array.from(document.querySelectorAll('#standings td, #standings tbody th')) \
        .filter((cell) => cell.textContent && cell.getBoundingClientRect().right > whole.clientWidth) \
        .map((cell) => cell.textContent)";

#[test]
#[ignore = "long"]
fn report_is_whole_on_every_screen() {
    let Some(browser) = Browser::start(1280, 900) else { return };
    let folder = TestFolder::new();
    folder.write("t.toml", TOURNAMENT);
    folder.run("tournament t.toml").success();
    browser.load_other(&format!("file://{}", folder.path("t/report.html").display()));
    for (width, dark) in [(1280, false), (768, true), (360, false)] {
        browser.set_width(width, 640);
        browser.set_dark(dark);
        browser.wait("return drawnAt === document.querySelector('#elo').clientWidth");
        assert_eq!(browser.run(OUTSIDE).as_array().map(Vec::len), Some(0), "{width}");
        assert_eq!(browser.barriers(), Vec::<String>::new(), "{width}");
    }
    // Where the heads are out of sight, each cell says what it is.
    let label = "const cell = document.querySelector('#standings td:nth-child(3)'); \
        return getComputedStyle(cell, '::before').content";
    assert_eq!(browser.text(label), "\"Games\"");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
