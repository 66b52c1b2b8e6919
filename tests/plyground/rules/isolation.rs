//! Isolation in Python, by every command that a game has.

use std::fs;

use serde_json::json;

use super::*;
use crate::common::project;
use crate::common::served::Served;
use crate::plyground_class::{has, path};

const GAME: &str = "python3 kit/isolation.py";
/// The game on three by three squares, which can be solved.
const SMALL: &str = "python3 kit/isolation.py 3";

/// Black has two moves, one of which wins at once.
const ENDGAME: &str = "X..#.\n.###.\n##O#.\n.###.\n.....\nX\n";

fn endgame() -> TestFolder {
    let folder = kit();
    folder.write("end.txt", ENDGAME);
    folder
}

#[track_caller]
fn shows(folder: &TestFolder, game: &str, args: &str, part: &str) -> Run {
    let run = run(folder, game, args).success();
    assert!(run.stdout.contains(part), "no `{part}` in {}", run.stdout);
    run
}

#[test]
fn kits_are_listed_and_written() {
    let folder = TestFolder::new();
    assert!(
        folder.run("rules-kit").success().stdout.contains("python    a class with six methods")
    );
    folder.run("rules-kit --language python --out kit").success();
    folder.run("rules-kit --language python --out kit").failure(2, "kit");
    folder.run("rules-kit --language cobol --out other").failure(2, "found `cobol`");
}

#[test]
fn class_and_program_are_checked() {
    let folder = kit();
    for size in ["", "3"] {
        let mut check = Process::new("python3");
        check.arg(folder.path("kit/isolation.py")).args(size.split_whitespace()).arg("check");
        let output = check.output().expect("Python");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("no breach found"), "{output:?}");
    }
    shows(&folder, GAME, "rules-check --games 10", "10 games, 10 of them to the end");
}

/// Tests the numbers of sequences of moves that another implementation counts.
#[test]
fn moves_are_counted() {
    let folder = kit();
    for (game, depth, count) in [(SMALL, 6, 13_056), (GAME, 3, 7_080)] {
        shows(&folder, game, &format!("perft {depth}"), &format!("total: {count}\n"));
    }
    shows(&folder, GAME, "perft 2 --divide", "b3: 24\n");
}

#[test]
fn positions_are_read_moved_in_and_written() {
    let folder = endgame();
    let moved = shows(&folder, GAME, "one-move end.txt out.txt 3", "Black plays ");
    assert!(moved.stdout.contains("Isolation\n"), "{}", moved.stdout);
    assert!(folder.read("out.txt").ends_with("\nO\n"), "{}", folder.read("out.txt"));
    let said = run_with(&folder, GAME, "interactive none.txt human-next 2", "b3\n").success();
    assert!(said.stdout.contains("Black plays b3"), "{}", said.stdout);
    folder.write("bad.txt", "X.\n.O\nX\n");
    let why = "expected 5 rows of 5 cells, then the side to move";
    run(&folder, GAME, "one-move bad.txt out.txt 3").failure(2, why);
    run(&folder, GAME, "analyze no.txt").failure(2, "no.txt: cannot read the state file");
}

#[test]
fn games_are_played_recorded_and_replayed() {
    let folder = kit();
    let args = "play -q machine:depth=2 random --seed 1 --record game.jsonl";
    shows(&folder, GAME, args, "Result: ");
    shows(&folder, GAME, "replay game.jsonl", "Result: ");
    run(&folder, SMALL, "replay game.jsonl").failure(2, "5x5");
    let said = run_with(&folder, GAME, "play -q human random --seed 1", "z9\nb3\n");
    assert!(said.stdout.contains("a square such as b3"), "{said:?}");
    assert!(said.stdout.contains("Black plays b3"), "{said:?}");
}

#[test]
fn matches_and_tournaments_are_played() {
    let folder = kit();
    shows(&folder, GAME, "match machine:depth=2 random --games 4 --seed 1", "4 games");
    folder.write(
        "cup.toml",
        "seed = 1\n\n[[player]]\nname = \"a\"\nplayer = \"random\"\n\n\
         [[player]]\nname = \"b\"\nplayer = \"machine:depth=1\"\n",
    );
    run(&folder, GAME, "tournament cup.toml --out cup").success();
    assert!(folder.read("cup/standings.csv").contains("b,"));
}

/// Tests that tasks share the games of a tournament, each with the rules program of its own.
#[cfg(target_os = "linux")]
#[test]
fn class_is_prepared_and_its_tournament_shared() {
    let folder = kit();
    folder.write(
        "cup.toml",
        "seed = 1\nrounds = 1\n\n[[player]]\nname = \"a\"\nplayer = \"random\"\n\n\
         [[player]]\nname = \"b\"\nplayer = \"machine:depth=1\"\n",
    );
    let args = "cluster run --jobs 2 tournament cup.toml --out cup";
    assert_eq!(run(&folder, GAME, args).code, Some(0));
    assert!(folder.read("cup/standings.csv").contains("b,"));
    fs::create_dir_all(folder.path("zips/ann")).expect("a folder");
    folder.write("zips/ann/run.sh", "#!/bin/sh\nexec python3 play.py \"$@\"\n");
    let table = run(&folder, GAME, "submissions prepare zips --out subs");
    assert!(table.stdout.contains("1 of 1 ready"), "{table:?}");
}

/// Tests the kit that is made of the class, as a student begins with it.
#[cfg(target_os = "linux")]
#[test]
fn starter_kit_is_made_of_the_class() {
    let folder = kit();
    let args = "starter --language python --out player";
    let listed = run(&folder, SMALL, args).success().stdout;
    assert!(listed.contains("player/rules.py") && listed.contains("player/play.py"), "{listed}");
    let line = "newgame isolation 3x3 first\nposition startpos moves b2 z9\nposition startpos moves b2\n\
                go depth 1\nquit\n";
    let mut player = assert_cmd::Command::new("python3");
    player.current_dir(folder.path("player")).args(["play.py", "line", "--seed", "1"]);
    let said = Run::of(player.write_stdin(line)).success().stdout;
    assert!(said.starts_with("illegal z9\nbestmove "), "{said}");
    // A file keeps its blanks and line ends.
    folder.write("player/in.txt", "X . .\r\n...\r\n. .O\r\nX\r\n");
    let mut player = assert_cmd::Command::new("python3");
    player
        .current_dir(folder.path("player"))
        .args(["play.py", "one-move", "in.txt", "out.txt", "1"]);
    Run::of(&mut player).success();
    let written = folder.read("player/out.txt");
    assert!(written.starts_with("# ") && written.ends_with("\r\nO\r\n"), "{written:?}");
    let path = path().expect("Python");
    let visible = folder.path("player").display().to_string();
    let player = format!("line:python3 {visible}/play.py line");
    let command = ["--game", SMALL, "play", "-q", &player, "random", "--visible", &visible];
    let played =
        Run::of(folder.command(command).args(["--seed", "1"]).env("PATH", &path)).success();
    assert!(played.stdout.contains("(by the rules)"), "{}", played.stdout);
}

const CHECKS: &str = "\
[[check]]
name = \"moves are legal\"
points = 1
kind = \"faultless\"
depth = 1
games = 2
asks = \"a\"
why = \"w\"
sentence = \"s\"

[[check]]
name = \"a secret\"
points = 1
kind = \"faultless\"
depth = 1
games = 2
visibility = \"hidden\"
asks = \"a\"
why = \"w\"
sentence = \"s\"
";

#[test]
fn kit_keeps_the_judgment_and_hidden_checks_back() {
    let folder = kit();
    let source = folder.read("kit/isolation.py");
    let marked = "\n# not for students\nWEIGHT = 10\n# for students\n\n\nclass Isolation";
    let source = source.replace("\n\nclass Isolation", marked);
    folder.write("kit/isolation.py", source);
    folder.write("checks.toml", CHECKS);
    let starter = "starter --language python --out";
    let bare = shows(&folder, SMALL, &format!("{starter} bare"), "`make check` needs the checks");
    assert!(bare.stdout.contains("isolation.py has no `score` and "), "{}", bare.stdout);
    let rules = folder.read("bare/isolation.py");
    assert!(rules.contains("def plies_left(self, state):"), "{rules}");
    assert!(!rules.contains("score") && !rules.contains("WEIGHT"), "{rules}");
    let with_checks = format!("{starter} player --checks checks.toml");
    let listed = shows(&folder, SMALL, &with_checks, "1 checks of checks.toml are left out");
    assert!(!listed.stdout.contains("needs the checks"), "{}", listed.stdout);
    let checks = folder.read("player/checks.toml");
    assert!(checks.contains("moves are legal") && !checks.contains("secret"), "{checks}");
    folder.write("checks.toml", CHECKS.replace("legal\"\npoints", "legal\"\nbogus = 1\npoints"));
    run(&folder, SMALL, &format!("{starter} other --checks checks.toml"))
        .failure(2, "checks.toml:3:1: ");
    if has(&["make"]) {
        let mut make = assert_cmd::Command::new("make");
        let made = Run::of(make.current_dir(folder.path("bare")).args(["check", "REFEREE=true"]));
        assert_eq!(made.code, Some(2), "{made:?}");
        assert!(made.stderr.starts_with("checks.toml is missing: "), "{made:?}");
    }
}

#[test]
fn rules_are_told_in_words() {
    let folder = kit();
    let help = "help\na1-b2\nz9\nb3\n";
    let said = run_with(&folder, GAME, "play -q human random --seed 1", help).stdout;
    assert!(said.contains("The aim\nWho cannot move has lost."), "{said}");
    assert!(said.contains("\nA turn\nBlack moves first, and "), "{said}");
    let part = "a1-b2 is not legal: expected a square such as b3; a1 is legal\n";
    assert!(said.contains(part) && said.contains("z9 is not legal; a1 is\n"), "{said}");
}

#[test]
fn state_files_are_printed() {
    let folder = kit();
    let start = shows(&folder, SMALL, "state", "").stdout;
    assert_eq!(start, "...\n...\n...\nX\n");
    folder.write("start.txt", start);
    run(&folder, SMALL, "one-move start.txt after.txt 1").success();
    assert!(folder.read("after.txt").ends_with("\nO\n"));
    let after = Run::of(&mut folder.command(["--game", SMALL, "state", "a1 b2"])).success().stdout;
    assert_eq!(after, "X..\n.O.\n...\nX\n");
}

#[test]
fn help_is_that_of_the_game() {
    let folder = kit();
    for args in ["help", "--help", "-h"] {
        let help = shows(&folder, GAME, args, "rules-check").stdout;
        assert!(help.starts_with("Plays and analyzes isolation"), "{help}");
    }
}

/// The review of a class costs little where the rules are a program, and is no part of a grade.
#[cfg(target_os = "linux")]
#[test]
fn class_is_graded_and_reviewed() {
    let folder = kit();
    folder.write("checks.toml", CHECKS.replace("\"hidden\"", "\"visible\""));
    fs::create_dir(folder.path("zips")).expect("a folder");
    run(&folder, SMALL, "starter --language python --out zips/ann").success();
    run(&folder, SMALL, "submissions prepare zips --out subs --program play").success();
    let path = path().expect("Python");
    let grade = |reviews: &str| {
        let player = ["--player", "line:{start} line --seed 1", "--checks", "checks.toml"];
        let class = ["--class", "subs", "--out", "grades", "--review-games", reviews];
        let mut command = folder.command(["--game", SMALL, "grade"]);
        let run = Run::of(command.args(player).args(class).env("PATH", &path));
        assert_eq!(run.code, Some(0), "{run:?}");
        run
    };
    let graded = grade("2");
    assert!(graded.stderr.contains("and the review of 2 games of each"), "{graded:?}");
    assert!(graded.stderr.contains("1 of 1: ann 2 of 2, reviewed; "), "{graded:?}");
    assert!(folder.read("grades/ann/page.html").contains("reviewed"));
    let again = grade("0");
    assert!(again.stdout.contains("0 graded now, 1 as before"), "{again:?}");
}

#[test]
fn positions_are_analyzed_and_solved() {
    let folder = endgame();
    shows(&folder, GAME, "analyze end.txt --depth 4", "win in ");
    shows(&folder, GAME, "analyze --depth 2", "estimate");
    // Another implementation has found the same.
    shows(&folder, SMALL, "solve", "With best play Black wins in 9 plies.");
    shows(&folder, SMALL, "book build --plies 2 --out book", "positions in book");
    shows(&folder, SMALL, "book verify book --sample 1", "solved again");
    let perfect = run(&folder, SMALL, "play -q machine:perfect random --seed 1");
    assert!(perfect.stdout.contains("Result: 1-0"), "{perfect:?}");
    shows(&folder, SMALL, "bench", " nodes ");
    shows(&folder, SMALL, "timing --depths 1..3 --runs 1", "alphabeta");
    shows(&folder, SMALL, "timing --depths 1..3 --runs 1 --search minimax", "minimax");
    let args = "calibrate --player machine:depth={depth} --depths 1..2 --runs 1";
    let calibrated = run(&folder, SMALL, args);
    assert!(calibrated.stdout.contains("isolation,machine:depth=2"), "{calibrated:?}");
}

#[test]
fn searches_are_explained_and_practiced() {
    let folder = endgame();
    shows(&folder, GAME, "explain end.txt --depth 2", "Alpha-beta, 2 plies");
    run(&folder, GAME, "explain end.txt --depth 2 --html tree.html").success();
    assert!(folder.read("tree.html").contains("\"boards\":true"));
    shows(&folder, "python3 kit/isolation.py 4", "practice --seed 1 --questions 3", "Solutions");
}

#[test]
fn line_protocol_is_spoken() {
    let folder = kit();
    let said =
        "newgame isolation 5x5 first\nisready\nposition startpos moves b3\ngo depth 2\nquit\n";
    let run = run_with(&folder, GAME, "engine machine", said).success();
    assert!(run.stdout.contains("readyok\nbestmove "), "{}", run.stdout);
}

/// The conversation in the manual.
#[test]
fn program_answers_as_the_manual_shows() {
    let manual = project().join("docs/rules-protocol.md");
    let manual = fs::read_to_string(manual).expect("the manual");
    let talk = manual.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    let talk = talk.expect("a conversation");
    let questions: Vec<&str> = talk.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    let folder = kit();
    let mut program = assert_cmd::Command::new("python3");
    program.arg(folder.path("kit/isolation.py")).arg("3");
    let answers = Run::of(program.write_stdin(questions.join("\n") + "\n")).success().stdout;
    let mut said = answers.lines();
    for line in talk.lines().filter_map(|line| line.strip_prefix("< ")) {
        assert!(said.any(|answer| answer == line), "no `{line}` in its place in\n{answers}");
    }
}

/// Isolation in C++ and in Java plays by the same rules as in Python.
#[test]
#[ignore = "long"]
fn other_languages_have_the_same_rules() {
    let folder = TestFolder::new();
    for (language, compiler, compile, game) in [
        ("cpp", "g++", "g++ -std=c++17 -O1 cpp/isolation.cpp -o cpp/isolation", "cpp/isolation"),
        ("java", "javac", "javac java/Isolation.java java/Rules.java", "java -cp java Isolation"),
    ] {
        folder.run(&format!("rules-kit --language {language} --out {language}")).success();
        if !has(&[compiler]) {
            continue;
        }
        let mut words = compile.split(' ');
        let mut compiler = Process::new(words.next().unwrap_or_default());
        let status = compiler.args(words).current_dir(folder.path("")).status();
        assert!(status.expect("a compiler").success(), "{language}");
        shows(&folder, game, "perft 3", "total: 7080\n");
        shows(&folder, game, "rules-check --games 5", "no breach found");
        shows(&folder, game, "play -q machine:depth=2 random --seed 1", "Result: ");
        folder.write("bad.txt", "X.\n.O\nX\n");
        run(&folder, game, "analyze bad.txt").failure(2, "expected 5 rows of 5 cells");
        refuses_strange_texts(&folder, game);
    }
    refuses_strange_texts(&kit(), GAME);
}

/// Tests that a kit says of every text that it is no position, and goes on.
fn refuses_strange_texts(folder: &TestFolder, game: &str) {
    const TEXTS: [&str; 7] = ["\u{3000}", "", " ", "\u{feff}", "a\u{2028}b", "\u{1c}", "X X"];
    let mut words = game.split(' ');
    let name = words.next().unwrap_or_default();
    let own = folder.path(name);
    let mut program = assert_cmd::Command::new(if own.is_file() { own } else { name.into() });
    let questions: String = TEXTS.iter().map(|text| format!("read {text}\n")).collect();
    let program = program.args(words).current_dir(folder.path(""));
    let answers = Run::of(program.write_stdin(questions + "quit\n")).success().stdout;
    let refused = answers.lines().filter(|answer| answer.starts_with("illegal ")).count();
    assert_eq!((refused, answers.lines().count()), (TEXTS.len(), TEXTS.len()), "{game}: {answers}");
}

/// The output of a player is a stranger's text: it costs the player the game, and no more.
#[cfg(target_os = "linux")]
#[test]
fn no_output_of_a_player_ends_the_run() {
    let folder = kit();
    let path = path().expect("Python");
    for text in [r"\ufeff\ufeff\ufeff\u3000", r"\ufeff\u2028", "X"] {
        let write = format!("import sys; open(sys.argv[2], 'w', encoding='utf-8').write('{text}')");
        folder.write("kit/file.py", write);
        let kit = folder.path("kit").display().to_string();
        let file = format!("file:python3 {kit}/file.py {{in}} {{out}}");
        let command = ["--game", GAME, "play", "-q", &file, "random", "--visible", &kit];
        let played = Run::of(folder.command(command).env("PATH", &path)).success();
        assert!(played.stdout.contains("Result: 0-1"), "{text}: {played:?}");
    }
}

/// A request that the rules program cannot answer is refused, and the others are answered.
#[test]
fn server_outlasts_faults() {
    const BROKEN: &str = "\
from isolation import Isolation
from rules import main

class Broken(Isolation):
    def outcome(self, state):
        return None

    def read(self, text):
        return {}[text] if text.startswith('XO') else Isolation.read(self, text)

main(Broken(2))
";
    let folder = kit();
    folder.write("kit/broken.py", BROKEN);
    let game = format!("python3 {}", folder.path("kit/broken.py").display());
    let mut command = Process::new(Plyground::PROGRAM);
    let served = Served::of(command.args(["--game", &game]), "");
    let open = |text: &str| served.post("/api/open", &json!({ "rules": "2x2", "text": text }));
    let position = |moves: &[&str]| {
        let game = json!({ "rules": "2x2", "start": "../../X", "moves": moves });
        served.post("/api/position", &json!({ "game": game }))
    };
    for _ in 0..2 {
        assert_eq!(position(&["a1", "b1", "a2"]).status, 200);
        for text in ["\u{3000}", "XO/../X", "\u{feff}\u{feff}\u{3000}", "X#/#O/X"] {
            let answer = open(text);
            assert_eq!(answer.status, 200, "{text:?}: {answer:?}");
            assert!(!answer.error().is_empty());
        }
        let answer = position(&["a1", "b1", "a2", "b2"]);
        assert_eq!(answer.status, 503, "{answer:?}");
        assert!(answer.body.contains("gives no move in ##/XO/X"), "{answer:?}");
    }
}

/// A player in Python that plays by the same class.
const PLAYER: &str = "\
import sys
from isolation import Isolation

rules = Isolation()
for line in sys.stdin:
    words = line.split()
    if words[0] == 'isready':
        print('readyok', flush=True)
    elif words[0] == 'position':
        state = rules.start() if words[1] == 'startpos' else rules.read(words[1])
        for move in words[3:]:
            state = rules.play(state, move)
    elif words[0] == 'go':
        print('bestmove', rules.moves(state)[0], flush=True)
    elif words[0] == 'quit':
        break
";

/// A player that exchanges files with the referee, by the same class.
const FILE_PLAYER: &str = "\
import sys
from isolation import Isolation

rules = Isolation()
state = rules.read('/'.join(open(sys.argv[1]).read().split()))
after = rules.play(state, rules.moves(state)[0])
open(sys.argv[2], 'w').write(after.replace('/', '\\n') + '\\n')
";

#[cfg(target_os = "linux")]
#[test]
#[ignore = "long"]
fn programs_of_others_play_too() {
    let folder = kit();
    folder.write("kit/player.py", PLAYER);
    folder.write("kit/file.py", FILE_PLAYER);
    let kit = folder.path("kit").display().to_string();
    let line = format!("line:python3 {kit}/player.py");
    let file = format!("file:python3 {kit}/file.py {{in}} {{out}}");
    let options = ["--visible", &kit, "--seed", "1"];
    let command = ["--game", GAME, "play", "-q", &line, &file];
    let path = path().expect("Python");
    let played = Run::of(folder.command(command).args(options).env("PATH", &path)).success();
    assert!(played.stdout.contains("(by the rules)"), "{}", played.stdout);
    let command = ["--game", GAME, "engine-check", &line["line:".len()..], "--visible", &kit];
    let checked = Run::of(folder.command(command).env("PATH", path));
    assert!(checked.stdout.contains("exchanges as expected"), "{checked:?}");
}

#[test]
fn page_is_served() {
    let folder = kit();
    let game = format!("python3 {}", folder.path("kit/isolation.py").display());
    let mut command = Process::new(Plyground::PROGRAM);
    let served = Served::of(command.args(["--game", &game]), "");
    let about = served.get("/api/game").json();
    assert_eq!((&about["name"], &about["rules"]), (&json!("isolation"), &json!("5x5")));
    assert_eq!(about["layout"]["columns"], 5);
    let mut line = about["start"].clone();
    line["moves"] = json!(["b3", "c3", "a3"]);
    let view = served.position(&line);
    assert_eq!((&view["side"], &view["cells"][12]), (&json!(1), &json!("second")));
    // The square that a piece has left.
    assert_eq!(view["grounds"][11], "dead");
    let body = json!({ "client": "a", "game": line, "player": "machine:depth=2" });
    assert!(served.post("/api/choice", &body).json()["move"].is_string());
}
