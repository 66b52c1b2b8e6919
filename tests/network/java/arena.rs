//! Submissions graded, calibrated, and in tournaments; and our players in the programs of the courses.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use network::{Notation, Position, Rules};
use plyground::{Game, Outcome};

use super::{CLASSES, needs_jdk, network, ours, path_with_program, play, play_class, run, theirs};
use crate::common::Run;

/// Leaves only one check, of what the player takes for legal.
const POINTS: &str = "[points]\n\
    'illegal moves are refused' = 0\n\
    'only legal moves are chosen' = 0\n\
    'a win in one is taken' = 0\n\
    'a win in one comes before slower wins' = 0\n\
    'a loss in two is avoided' = 0\n\
    'depth 3 sees a win in three' = 0\n\
    'the depth is the number of plies searched' = 0\n\
    'random play is beaten' = 0\n\
    'a move takes five seconds at most' = 0\n";

fn submission(name: &str) -> String {
    format!("java:{}", theirs("submissions").join(name).display())
}

fn class(name: &str) -> String {
    format!("java:{}:player.{name}", CLASSES.display())
}

const LEGAL: &str = "legal moves are accepted";
const ILLEGAL: &str = "illegal moves are refused";
const DEPTH: &str = "the depth is the number of plies searched";

/// Grades this player by these checks of what it takes for legal.
fn judged(player: &str, checks: &[&str]) -> Run {
    let checks = checks.iter().flat_map(|check| ["--check", check]);
    let args = ["grade", "--player", player].into_iter().chain(checks);
    Run::of(&mut network(&args.collect::<Vec<_>>())).success()
}

/// Grades by these arguments and one check, which takes little time.
fn graded_quickly(args: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let points = folder.path().join("points.toml");
    fs::write(&points, POINTS).expect("the points");
    let points = points.to_string_lossy();
    let run = Run::of(&mut network(&[&["grade", "--points", &points], args].concat()));
    run.without_progress().success()
}

#[test]
#[ignore = "long"]
fn submission_is_asked_what_is_legal() {
    needs_jdk!();
    let text = judged(&submission("berkeley"), &[LEGAL, ILLEGAL]).stdout;
    assert!(text.contains("\nScore: 25 of 25\nIt ran in a sandbox of the level "), "{text}");
    assert!(text.ends_with("\nPositions: --seed 1\n"), "{text}");
    let text = judged(&class("Stubborn"), &[LEGAL]).stdout;
    assert!(text.contains("FAIL  legal moves are accepted "), "{text}");
    assert!(text.contains("; as a move of the opponent it was taken for illegal\n"), "{text}");
}

#[test]
#[ignore = "long"]
fn crash_is_no_opinion() {
    needs_jdk!();
    let text = judged(&class("Fragile"), &[LEGAL, ILLEGAL]).stdout;
    assert!(text.contains("ok    legal moves are accepted "), "{text}");
    assert!(text.contains("FAIL  illegal moves are refused "), "{text}");
    assert!(text.contains("it led to: crash, exit code 1: "), "{text}");
}

/// Slips of a board, each by the text that makes it of other text, and the number of rules that are kept.
const SLIPS: [(&str, &str, u32); 4] = [
    ("onBoard[color] < CHIPS;\n        if", "move.moveKind == Move.ADD;\n        if", 9),
    ("|| chips[move.x2][move.y2] != color", "|| chips[move.x2][move.y2] == EMPTY", 10),
    ("|| chips[move.x2][move.y2] != color", "|| chips[move.x2][move.y2] == 1 - color", 10),
    ("chips[x][y] != EMPTY", "chips[x][y] == color", 10),
];

/// The sources of the player of Berkeley.
const PLAYER: [&str; 2] = ["MachinePlayer.java", "Board.java"];

/// Copies these sources of the player of Berkeley into a submission. Returns the folder of their package.
fn hand_in(submission: &Path, files: &[&str]) -> PathBuf {
    let place = submission.join("player");
    fs::create_dir_all(&place).expect("a folder");
    for file in files {
        let from = theirs("submissions/berkeley/player").join(file);
        fs::copy(from, place.join(file)).expect("a source");
    }
    place
}

/// Hands in the player of Berkeley, with other text in its files.
fn hand_in_with(submission: &Path, before: &str, after: &str) {
    let place = hand_in(submission, &PLAYER);
    let mut slips = 0;
    for file in PLAYER {
        let source = fs::read_to_string(place.join(file)).expect("a source");
        slips += source.matches(before).count();
        fs::write(place.join(file), source.replace(before, after)).expect("a source");
    }
    assert_eq!(slips, 1, "{before}");
}

#[test]
#[ignore = "long"]
fn each_kind_of_illegal_move_is_tried() {
    needs_jdk!();
    for (before, after, kept) in SLIPS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        hand_in_with(folder.path(), before, after);
        let text = judged(&format!("java:{}", folder.path().display()), &[LEGAL, ILLEGAL]).stdout;
        assert!(text.contains("ok    legal moves are accepted "), "{after}: {text}");
        assert!(text.contains("); as an own move it was taken for legal"), "{text}");
        // It has the points of the other rules.
        assert!(text.contains(&format!("{kept} of 11 rules")), "{after}: {text}");
    }
}

/// A class cannot learn from the questions to its process which of them has points, and refusing all is no merit.
#[test]
#[ignore = "long"]
fn class_that_refuses_without_the_rules_earns_nothing() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [first, refuses] = ["first", "refuses"].map(|name| folder.path().join(name));
    // All moves are legal in the first game of a process, and none is in the others.
    let slip = "private static int games;\n    private final boolean isFirst = games++ == 0;\n    \
        private final Board board = new Board();";
    let place = hand_in(&first, &PLAYER);
    let source = fs::read_to_string(place.join(PLAYER[0])).expect("a source");
    let source = source.replace("private final Board board = new Board();", slip);
    let [own, theirs] = ["color", "1 - color"].map(|side| format!("return board.play({side}, m);"));
    let source = source.replace(&own, "board.play(color, m);\n        return isFirst;");
    let source = source.replace(&theirs, "board.play(1 - color, m);\n        return isFirst;");
    fs::write(place.join(PLAYER[0]), source).expect("a source");
    hand_in_with(&refuses, "return board.play(color, m);", "board.play(color, m);\nreturn false;");
    let [first, refuses] = [first, refuses].map(|path| format!("java:{}", path.display()));
    let text = judged(&first, &[ILLEGAL]).stdout;
    assert!(text.contains("Score: 0 of 15"), "{text}");
    let text = judged(&refuses, &[ILLEGAL]).stdout;
    assert!(text.contains("own moves: 0 of 11 rules; moves of the opponent: 11 of 11"), "{text}");
}

#[test]
#[ignore = "long"]
fn class_that_forgets_its_moves_is_marked() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [subs, out] = ["subs", "grades"].map(|name| folder.path().join(name));
    let forgets =
        "return board.moves(color).stream().anyMatch(it -> it.toString().equals(m.toString()));";
    hand_in_with(&subs.join("ann"), "return board.play(color, m);", forgets);
    // It keeps all moves, and checks those of its opponent not at all.
    let trusts = "board.play(1 - color, m);\n        return true;";
    hand_in_with(&subs.join("bob"), "return board.play(1 - color, m);", trusts);
    let [subs, out_text] = [&subs, &out].map(|path| path.to_string_lossy().into_owned());
    graded_quickly(&["--class", &subs, "--out", &out_text, "--player", "java:{folder}"]);
    let table = fs::read_to_string(out.join("grades.csv")).expect("the grades");
    let is_marked = |name| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.contains("does not keep the own moves that it is told")
    };
    assert_eq!(["ann", "bob"].map(is_marked), [true, false], "{table}");
}

/// An unfinished constructor or method costs its own points only.
#[test]
#[ignore = "long"]
fn class_that_moves_only_without_a_depth_is_told_none() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [later, unsure] = ["later", "unsure"].map(|name| folder.path().join(name));
    let throws = "throw new IllegalStateException(\"later\");";
    hand_in_with(&later, "System.out.println(\"depth \" + searchDepth);", throws);
    hand_in_with(&unsure, "return board.play(color, m);", "board.play(color, m);\nreturn false;");
    let [later, unsure] = [later, unsure].map(|path| format!("java:{}", path.display()));
    let text = judged(&later, &["only legal moves are chosen", DEPTH]).stdout;
    assert!(text.contains("ok    only legal moves are chosen "), "{text}");
    assert!(text.contains("it does not move if it is told a depth, so it is told none"), "{text}");
    assert!(!text.contains("The depth told is"), "{text}");
    let text = judged(&unsure, &[LEGAL, ILLEGAL]).stdout;
    for part in ["own moves: 0 of 6; moves of the opponent: 6 of 6", "Score: 12.5 of 25"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.contains("own moves: 0 of 11 rules; moves of the opponent: 11 of 11"), "{text}");
}

#[test]
#[ignore = "long"]
fn class_is_graded_whatever_its_folders_are_called() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [subs, out] = ["subs", "grades"].map(|name| folder.path().join(name));
    hand_in(&subs.join("an na"), &PLAYER);
    hand_in(&subs.join("bob"), &PLAYER[1..]);
    let [subs, out] = [subs, out].map(|path| path.to_string_lossy().into_owned());
    let args = ["--class", &subs, "--out", &out, "--player", "java:{folder}"];
    let text = graded_quickly(&args).stdout;
    assert!(text.contains("\nan na           10   10\n"), "{text}");
    // There is nothing to play in it, which must not spare it the checks.
    assert!(
        text.contains("\nbob              0   10  all: it cannot be started, expected the class ")
    );
}

/// Returns the folder of a class of a player, without the files of the course, with other text in these files.
fn prepared_class(folder: &Path, others: &[(&str, &str)]) -> Run {
    let place = hand_in(&folder.join("zips/ann"), &PLAYER);
    for (name, text) in others {
        fs::write(place.join(name), text).expect("a source");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_plyground"));
    command.current_dir(folder).args(["submissions", "prepare", "zips", "--out", "subs"]);
    Run::of(command.args(["--program", "network"])).success()
}

#[test]
fn classes_of_the_course_may_be_missing() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = prepared_class(folder.path(), &[]);
    assert!(run.stdout.contains("ready (java:)"), "{}", run.stdout);
    let player = folder.path().join("subs/ann/program/player");
    assert!(!player.join("Move.java").exists() && !player.join("Player.java").exists());
    let run = prepared_class(
        folder.path(),
        &[("Board.java", "package player;\nimport list.Deque;\nclass Board {}\n")],
    );
    let why = "not built: player/Board.java:2: error: package list does not exist";
    assert!(run.stdout.contains(why), "{}", run.stdout);
    // A source may declare the class of another name, which is then no second time there.
    let own =
        fs::read_to_string(theirs("submissions/berkeley/player/Board.java")).expect("a source");
    let own = own + "\nclass Move {\n  int moveKind, x1, y1, x2, y2;\n  Move(int x, int y) {}\n}\n";
    let run = prepared_class(folder.path(), &[("Board.java", &own)]);
    assert!(!run.stdout.contains("duplicate class"), "{}", run.stdout);
}

#[test]
fn move_without_a_constructor_of_the_course_is_named() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = "package player;\npublic class Move {}\n";
    let machine = "package player;\npublic class MachinePlayer extends Player {\n\
        public MachinePlayer(int color) {}\n public Move chooseMove() { return null; }\n\
        public boolean opponentMove(Move m) { return true; }\n\
        public boolean forceMove(Move m) { return true; }\n}\n";
    let board = "package player;\nclass Board {}\n";
    let files = [("Move.java", own), ("MachinePlayer.java", machine), ("Board.java", board)];
    prepared_class(folder.path(), &files);
    let player = format!("java:{}", folder.path().join("subs/ann/program").display());
    let run = Run::of(&mut network(&["play", "-q", &player, "random", "--seed", "1"]));
    let cause =
        "crash, exit code 1: its class player.Move lacks the course's constructor Move(int, int))";
    assert!(run.stdout.contains(cause), "{}", run.stdout);
}

/// Some put the packages of the course into one of their own.
#[test]
fn classes_of_the_course_may_be_in_another_package() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = "package pj2.player;\npublic class Move {\n\
        public final static int QUIT = 0, ADD = 1, STEP = 2;\n public int moveKind, x1, y1, x2, y2;\n\
        public Move() { moveKind = QUIT; }\n\
        public Move(int x, int y) { moveKind = ADD; x1 = x; y1 = y; }\n\
        public Move(int x, int y, int a, int b) { this(x, y); moveKind = STEP; x2 = a; y2 = b; }\n}\n";
    let player = "package pj2.player;\npublic abstract class Player {\n\
        public abstract Move chooseMove();\n public abstract boolean opponentMove(Move m);\n}\n";
    let machine = "package pj2.player;\npublic class MachinePlayer extends Player {\n\
        private int seen = 0;\n public MachinePlayer(int color) {}\n\
        public Move chooseMove() { return seen == 1 ? new Move() : new Move(3, 4); }\n\
        public boolean opponentMove(Move m) { seen = m.moveKind; return true; }\n\
        public boolean forceMove(Move m) { return true; }\n}\n";
    let files = [("Move.java", own), ("MachinePlayer.java", machine), ("Player.java", player)];
    prepared_class(folder.path(), &files);
    let player = format!("java:{}", folder.path().join("subs/ann/program").display());
    let run = Run::of(&mut network(&["play", "-q", "random", &player, "--seed", "1"]));
    assert!(run.stdout.contains("(Black: quit)"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn submission_is_calibrated() {
    needs_jdk!();
    let player = submission("berkeley");
    let args = ["calibrate", "--player", &player, "--depths", "1..2", "--runs", "1"];
    let run = Run::of(&mut network(&[&args[..], &["--positions", "1", "--limit", "1m"]].concat()));
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 3), "{}", run.stdout);
    assert_eq!(run.stderr, "depth 2 is the greatest that was within 1m\n");
}

/// Plays a tournament of this submission and a random player. Returns the run and the games.
fn tournament(submission: &str, head: &str, rules: &str) -> (Run, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [file, out] = ["t.toml", "t"].map(|name| folder.path().join(name));
    let players = format!(
        "[[player]]\nname = 'Ann'\nplayer = '{submission}'\ndepth = 2\n\
         [[player]]\nplayer = 'machine:depth=1'\n"
    );
    fs::write(&file, format!("{head}\n{players}")).expect("a plan");
    let [file, out_text] = [&file, &out].map(|path| path.to_string_lossy().into_owned());
    let run = Run::of(&mut network(&["tournament", &file, "--out", &out_text, "--rules", rules]));
    (run, fs::read_to_string(out.join("games.csv")).unwrap_or_default())
}

#[test]
#[ignore = "long"]
fn submissions_play_tournaments() {
    needs_jdk!();
    let openings = "openings = { plies = 2, count = 2 }";
    let (run, games) = tournament(&submission("berkeley"), openings, "berkeley");
    run.success();
    assert_eq!(games.lines().count(), 5, "{games}");
    assert!(!games.contains("crash"), "{games}");
    let (run, games) = tournament(&submission("usf"), "format = 'knockout'", "usf");
    run.success();
    assert!(!games.contains("crash"), "{games}");
}

/// The folder of a class in which Ann's player compiles and Bob's does not.
fn class_with_an_error(folder: &Path) -> String {
    let subs = folder.join("subs");
    for name in ["ann", "bob"] {
        hand_in(&subs.join(name), &PLAYER);
    }
    let source = subs.join("bob/player/MachinePlayer.java");
    let text = fs::read_to_string(&source).expect("a source");
    fs::write(&source, format!("oops\n{text}")).expect("a source");
    subs.to_string_lossy().into_owned()
}

#[test]
fn uncompilable_submission_is_listed_and_the_others_play() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let subs = class_with_an_error(folder.path());
    let [file, out] = ["t.toml", "t"].map(|name| folder.path().join(name));
    let class = format!("class = {{ folder = '{subs}', player = 'java:{{folder}}' }}\n");
    let ours = "[[player]]\nname = 'ours'\nplayer = 'random'\n";
    fs::write(&file, format!("{class}{ours}")).expect("a plan");
    let [file, out] = [file, out].map(|path| path.to_string_lossy().into_owned());
    let run = Run::of(&mut network(&["tournament", &file, "--out", &out]));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("2 of 6 games"), "{}", run.stdout);
    let why = "not played: it does not compile, ";
    let row = run.stdout.lines().find(|line| line.starts_with("    -  bob"));
    let row = row.unwrap_or_default();
    assert!(row.contains(why) && row.contains("MachinePlayer.java:1: error: "), "{}", run.stdout);
    assert!(!row.contains(&subs), "the place of the folder says nothing to a student: {row}");
    assert!(run.stderr.contains(&format!("warning: bob {why}")), "{}", run.stderr);
}

#[test]
#[ignore = "long"]
fn uncompilable_submission_has_no_points_and_is_told_why() {
    needs_jdk!();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let subs = class_with_an_error(folder.path());
    let out = folder.path().join("grades");
    let out_text = out.to_string_lossy();
    let args = ["--class", &subs, "--out", &out_text, "--player", "java:{folder}"];
    let text = graded_quickly(&args).stdout;
    let row = "\nbob              0   10  all: it cannot be started, it does not compile, ";
    assert!(text.contains(row), "{text}");
    let text = fs::read_to_string(out.join("bob/results.json")).expect("results");
    assert!(text.contains("\"output\": \"It cannot be started: it does not compile, "), "{text}");
    assert!(!text.contains("not_started"), "Gradescope knows no such field: {text}");
    // In an autograder the student is to read it as well; at a terminal it is an error.
    let json = folder.path().join("results.json");
    let [player, json_text] = [format!("java:{subs}/bob"), json.to_string_lossy().into_owned()];
    let run = graded_quickly(&["--player", &player, "--json", &json_text]);
    let end = "error: class, interface, enum, or record expected\nPositions: --seed 1\n";
    assert!(run.stdout.ends_with(end), "{run:?}");
    assert!(fs::read_to_string(&json).expect("results").contains("\"score\": 0.0"));
    let run = Run::of(&mut network(&["grade", "--player", &player]));
    run.failure(2, "it does not compile, ");
}

#[test]
fn options_unknown_to_a_computer_player_are_refused() {
    needs_jdk!();
    let (run, _) = tournament(&submission("usf"), "openings = { plies = 2, count = 1 }", "usf");
    run.failure(2, "cannot be told of moves that it did not choose: leave out `openings`");
    let usf = submission("usf");
    let run = |args: &[&str]| Run::of(&mut network(&[args, &["--rules", "usf"]].concat()));
    run(&["match", &usf, "random"]).failure(2, "add `--openings 0`");
    run(&["calibrate", "--player", &usf]).failure(2, "expected {depth} in the player");
}

/// Holds the game of a class against the random player to its last line.
#[track_caller]
fn assert_result(class: &str, options: &str, result: &str) {
    let run = play_class(class, &format!("{{}} random --seed 1{options}"));
    let last = run.stdout.lines().last().unwrap_or_default();
    assert_eq!((run.code, last), (Some(0), result), "{class}: {}", run.stderr);
}

#[track_caller]
fn assert_fault(class: &str, options: &str, fault: &str) {
    assert_result(class, options, &format!("Result: 0-1 (White: {fault})"));
}

/// The end of the game of two random players.
const NETWORK: &str = "Result: 0-1 (network of Black 50-23-33-35-55-37)";

#[test]
#[ignore = "long"]
fn berkeley_player_plays_to_the_end() {
    needs_jdk!();
    assert_result("MachinePlayer", "", NETWORK);
    let run = play("berkeley", "machine {} --depth 2 --seed 1");
    assert!(run.stdout.contains("\nResult: 1-0 (network of White "), "{}", run.stdout);
}

#[test]
fn usf_player_plays_either_side() {
    needs_jdk!();
    let run = play("usf", "machine {} --depth 2 --rules usf");
    assert!(run.stdout.contains("\nResult: 1-0 (network of Black "), "{}", run.stdout);
    let run = play("usf:testComputerPlayer", "{} machine --depth 2 --rules usf");
    assert!(run.stdout.contains("\nResult: 0-1 (network of White "), "{}", run.stdout);
}

#[test]
fn steps_are_told_and_made() {
    needs_jdk!();
    // Two random players who see no networks need steps, more often than not, if nobody wins.
    let steps = (1..=10).any(|seed| {
        let run = play("berkeley", &format!("{{}} random --seed {seed}"));
        assert!(!run.stdout.contains("rejected"), "{}", run.stdout);
        let fault = run.stdout.lines().last().filter(|line| !line.contains("network of"));
        assert_eq!(fault, None, "seed {seed}: {}", run.stderr);
        run.stdout.contains("White steps ") && run.stdout.contains("Black steps ")
    });
    assert!(steps, "no game in which the submission steps");
}

#[test]
fn opening_is_given_to_the_player() {
    needs_jdk!();
    let player = "java:tests/network/java/submissions/berkeley";
    let mut command = network(&["match", player, "random", "--games", "2", "--seed", "1"]);
    let run = Run::of(&mut command).success();
    assert!(!run.stdout.contains("fault"), "{}", run.stdout);
}

#[test]
#[ignore = "long"]
fn printed_text_is_no_part_of_the_protocol() {
    needs_jdk!();
    assert_result("Chatty", "", NETWORK);
}

#[test]
fn depth_is_given_to_the_constructor() {
    needs_jdk!();
    let logs = tempfile::tempdir().expect("a temporary folder");
    let folder = logs.path().display();
    let run = play("berkeley", &format!("{{}} random --seed 1 --depth 3 --logs {folder}"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut files = std::fs::read_dir(logs.path()).expect("the folder");
    let log = files.next().expect("a log").expect("a log").path();
    assert_eq!(std::fs::read_to_string(log).expect("a log"), "depth 3\n");
}

#[test]
#[ignore = "long"]
fn player_that_throws_or_exits_crashes() {
    needs_jdk!();
    let cause = "java.lang.IllegalStateException: no idea";
    assert_fault("Throwing", "", &format!("crash, exit code 1: {cause}"));
    assert_fault("Exiting", "", "crash, exit code 3: the player ended the program");
}

#[test]
#[ignore = "long"]
fn moves_that_are_none_are_illegal() {
    needs_jdk!();
    assert_fault("Illegal", "", "illegal move, 00: 00 is a corner, which is not in play");
    assert_fault("OffBoard", "", "illegal move, `(12,-3)` is no move");
    assert_fault("Speechless", "", "illegal move, `null` is no move");
    assert_fault("Quitting", "", "quit");
}

#[test]
#[ignore = "long"]
fn player_over_a_limit_loses() {
    needs_jdk!();
    assert_fault("Hanging", " --wall 2s", "wall limit of 2s exceeded");
    assert_fault("Spinning", " --cpu 1s", "cpu limit of 1s exceeded");
    assert_fault("Hungry", " --memory 256MiB", "memory limit of 256.0 MiB exceeded");
}

#[test]
#[ignore = "long"]
fn garbage_is_no_memory() {
    needs_jdk!();
    assert_result("Wasteful", " --memory 256MiB", NETWORK);
}

#[test]
#[ignore = "long"]
fn rejected_move_is_reported_and_stands() {
    needs_jdk!();
    let run = play_class("Stubborn", "{} random --seed 1");
    assert!(run.stdout.contains("White takes "), "{}", run.stdout);
    assert!(run.stdout.ends_with(&format!("{NETWORK}\n")), "{}", run.stdout);
}

#[test]
#[ignore = "long"]
fn class_of_the_other_course_is_told_apart() {
    needs_jdk!();
    play("usf", "{} random").failure(2, "found only testComputerPlayer: add `--rules usf`");
    let found = "found only player.MachinePlayer: add `--rules berkeley`";
    play("berkeley", "{} random --rules usf").failure(2, found);
    let run = play_class("Chatty", "{} random --rules usf");
    let cause =
        "Result: 0-1 (Black: crash, exit code 1: java.lang.IllegalStateException: the class";
    assert!(run.stdout.contains(cause), "{}", run.stdout);
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_network");

/// Returns what the program of a course prints: the moves of a game between two players of ours,
/// whose program is found by a property or, without one, by `PATH`.
fn moves_of_course(class: &str, properties: &[String]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let roots = std::env::join_paths([ours().join("engine"), ours().join("given")]);
    run("javac", |javac| {
        javac.arg("-d").arg(folder.path()).arg("-sourcepath").arg(roots.expect("folders"));
        javac.arg(theirs("course").join(format!("{class}.java")));
    })
    .success();
    let game = run("java", |java| {
        java.args(properties).arg("-cp").arg(folder.path()).arg(class);
        if properties.len() < 2 {
            java.env("PATH", path_with_program());
        }
    });
    game.success().stdout.lines().map(str::to_owned).collect()
}

/// Plays the moves, and how the game ends.
fn outcome(rules: Rules, notation: Notation, moves: &[String]) -> Option<Outcome> {
    let mut position = Position::new(rules);
    for text in moves {
        let mv = notation.parse_move(text).unwrap_or_else(|error| panic!("{error}"));
        position.play(mv).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    position.outcome()
}

#[test]
#[ignore = "long"]
fn machine_player_of_ours_plays_in_berkeleys_program() {
    needs_jdk!();
    let moves = moves_of_course("BerkeleyCourse", &[]);
    assert!(outcome(Rules::Berkeley, Notation::Berkeley, &moves).is_some(), "{moves:?}");
}

#[test]
fn computer_player_of_ours_plays_in_usfs_program() {
    needs_jdk!();
    let program = format!("-Dnetwork.program={}", PROGRAM);
    let player = "-Dnetwork.player=machine:depth=2".to_owned();
    let moves = moves_of_course("UsfCourse", &[program, player]);
    assert!(outcome(Rules::Usf, Notation::Usf, &moves).is_some(), "{moves:?}");
}

#[test]
fn our_own_classes_are_submissions_too() {
    needs_jdk!();
    let engine = "../../../../games/network/java/engine";
    let run = play(engine, &format!("{{}} random --depth 2 --seed 1 --visible {PROGRAM}"));
    assert!(run.stdout.contains("\nResult: 1-0 (network of White "), "{}", run.stdout);
}
