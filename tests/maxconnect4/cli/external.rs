//! Other programs as players, and our own as theirs.

use std::fs;

use super::support::{Run, TestFolder};

const PROGRAM: &str = env!("CARGO_BIN_EXE_maxconnect4");

fn play(folder: &TestFolder, players: [&str; 2], options: &str) -> Run {
    let args = ["play", "-q", "--table", "1"].into_iter().chain(options.split_whitespace());
    Run::of(&mut folder.command(args.chain(players)))
}

/// The moves and the result of a game, without the names of the players.
fn moves(run: &Run) -> Vec<&str> {
    run.stdout
        .lines()
        .filter(|line| line.starts_with("move ") || line.starts_with("Result"))
        .collect()
}

fn result(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

/// The page about the protocols, and how the player in it begins.
const PAGE: &str = include_str!("../../../docs/protocol.md");
const PYTHON: &str = "```python\n";

#[test]
fn the_player_on_the_page_about_the_protocol_plays_a_whole_game() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        println!("not tested: there is no python3");
        return;
    }
    let folder = TestFolder::new();
    let player = PAGE.split(PYTHON).nth(1).and_then(|rest| rest.split("```").next());
    folder.write("player.py", player.expect("a player"));
    let run = play(&folder, ["line:python3 player.py", "random"], "--seed 1");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(result(&run).contains("(board full, "), "{}", result(&run));
}

#[cfg(unix)]
#[test]
fn our_players_play_the_same_as_programs() {
    let folder = TestFolder::new();
    // A program is always told how long it may think.
    let inside = play(&folder, ["machine:depth=3", "machine:depth=2"], "-t 60").success();
    let engine = format!("line:{PROGRAM} engine machine:depth=3 --table 1");
    let by_lines = play(&folder, [&engine, "machine:depth=2"], "-t 60");
    assert_eq!(moves(&by_lines), moves(&inside), "{}", by_lines.stderr);
    let told = format!("line:{PROGRAM} engine --table 1");
    let told = play(&folder, [&told, "machine:depth=2"], "-t 60 --depth 3");
    assert_eq!(moves(&told), moves(&inside), "{}", told.stderr);
    let inside = play(&folder, ["machine:depth=3", "machine:depth=2"], "").success();
    let one_move = format!("file:{PROGRAM} one-move {{in}} {{out}} {{depth}} --no-book --table 1");
    let by_files = play(&folder, [&one_move, "machine:depth=2"], "--depth 3");
    let without_scores = |run: &Run| -> Vec<String> {
        let lines = moves(run).into_iter().map(|line| line.split("  (").next().unwrap_or(line));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(without_scores(&by_files), without_scores(&inside), "{}", by_files.stderr);
}

#[cfg(unix)]
#[test]
fn programs_play_matches() {
    let folder = TestFolder::new();
    let engine = format!("line:{PROGRAM} engine random --seed 1");
    let args = ["match", &engine, "random", "--games", "4", "--seed", "1", "--jobs", "2"];
    let run = Run::of(&mut folder.command(args));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("\n4 games "), "{}", run.stdout);
    assert!(!run.stdout.contains("Lost by a fault"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn faults_are_in_the_result() {
    let folder = TestFolder::new();
    for (player, options, expected) in [
        ("line:sleep 1000", "--wall 200ms", "Result: 0-1 (Player 1: wall limit of 200ms exceeded)"),
        ("line:sleep 1000", "-t 0.2", "Result: 0-1 (Player 1: wall limit of 200ms exceeded)"),
        (
            "line:sh -c 'while :; do :; done'",
            "--cpu 0.2",
            "Result: 0-1 (Player 1: cpu limit of 200ms exceeded)",
        ),
        ("line:false", "", "Result: 0-1 (Player 1: crash, exit code 1)"),
        ("line:true", "", "Result: 0-1 (Player 1: quit)"),
        ("file:true {in} {out}", "", "Result: 0-1 (Player 1: no move, it wrote no output)"),
        (
            "file:cp {in} {out}",
            "",
            "Result: 0-1 (Player 1: illegal move, its output is the position before the move)",
        ),
    ] {
        let run = play(&folder, [player, "random"], options);
        assert_eq!((run.code, result(&run)), (Some(0), expected), "{player}: {}", run.stderr);
    }
}

/// A program that does not end its line, or keeps it in a buffer of its own, is told so.
#[cfg(unix)]
#[test]
fn line_without_an_end_is_quoted() {
    let folder = TestFolder::new();
    folder.write(
        "prompt.sh",
        "while read -r word rest; do\ncase $word in\nisready) echo readyok;;\n\
         go) printf 'Your move? bestmove 4';;\nesac\ndone\n",
    );
    let run = play(&folder, ["line:sh prompt.sh", "random"], "--wall 300ms");
    let expected = "Result: 0-1 (Player 1: no move, `Your move? bestmove 4` has no line end: flush? \
                    (wall limit of 300ms exceeded))";
    assert_eq!((run.code, result(&run)), (Some(0), expected), "{}", run.stderr);
    let run = Run::of(&mut folder.command(["engine-check", "sh prompt.sh", "--wall", "300ms"]));
    let said = "`Your move? bestmove 4` has no line end: flush?, then wall limit of 300ms exceeded";
    assert!(run.stdout.contains(said), "{}", run.stdout);
}

/// A program that takes 300 ms to start loses by a limit of 200 ms, and with a margin does not; it is told of
/// the limit alone.
#[cfg(unix)]
#[test]
fn margin_is_for_slow_starts() {
    let folder = TestFolder::new();
    folder.write(
        "slow.sh",
        "sleep 0.3\nwhile read -r word name number; do\ncase $word in\nisready) echo readyok;;\n\
         go) echo \"bestmove $name-$number\";;\nesac\ndone\n",
    );
    let play = |options| play(&folder, ["line:sh slow.sh", "random"], options);
    let run = play("-t 0.2");
    let expected = "Result: 0-1 (Player 1: wall limit of 200ms exceeded)";
    assert_eq!(result(&run), expected, "{}", run.stderr);
    let run = play("-t 0.2 --margin 20s");
    let expected = "Result: 0-1 (Player 1: illegal move, `wall-200` is no move)";
    assert_eq!(result(&run), expected, "{}", run.stderr);
    let run = play("--margin 50ms");
    assert!(run.code == Some(2) && run.stderr.contains("--time-limit"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn the_next_player_may_be_missing_for_the_lenient() {
    let folder = TestFolder::new();
    let script = format!(
        r#"file:sh -c '{PROGRAM} one-move "$1" "$TMPDIR/whole" 1; head -n 6 "$TMPDIR/whole" > "$2"' sh {{in}} {{out}}"#
    );
    let visible = format!("--visible {PROGRAM}");
    let strict = play(&folder, [&script, "random"], &visible);
    let why = "illegal move, the next player is missing in its output";
    assert!(result(&strict).contains(why), "{}", strict.stdout);
    let lenient = play(&folder, [&script, "random"], &format!("--lenient {visible}"));
    assert!(result(&lenient).contains("(board full, "), "{}", lenient.stdout);
}

#[cfg(unix)]
#[test]
fn what_a_program_complains_of_is_kept() {
    let folder = TestFolder::new();
    let run = play(&folder, ["line:sh -c 'echo help >&2'", "random"], "--logs a/logs");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(folder.read("a/logs/0001-1.log"), "help\n");
    assert!(fs::metadata(folder.path("a/logs/0001-2.log")).is_err());
}

#[test]
fn what_is_no_program_is_refused() {
    let folder = TestFolder::new();
    for (player, part) in [
        ("line:/no/such/program", "there is no program `/no/such/program`"),
        ("line:no-such-program-here -x", "there is no program `no-such-program-here`"),
    ] {
        play(&folder, [player, "random"], "").failure(2, part);
    }
    let deep = format!("file:{PROGRAM} one-move {{in}} {{out}} {{depth}}");
    play(&folder, [&deep, "random"], "").failure(2, "expected a depth, for `{depth}` is in it");
    for (player, part) in [
        ("file:player", "after `file:`, expected a command with {in} and {out} in it"),
        ("line:", "after `line:`, expected a command"),
        ("line:'player", "after `line:`, expected a closing quote"),
    ] {
        let run = play(&folder, [player, "random"], "");
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    folder.run("engine human").failure(2, "expected a machine or random");
}

#[cfg(unix)]
#[test]
fn nobody_loses_for_what_is_wrong_with_the_system() {
    let folder = TestFolder::new();
    let mut command = folder.command(["play", "-q", "random", "line:cat"]);
    let run = Run::of(command.env("TMPDIR", folder.path("none")));
    run.failure(1, "none: cannot make the folders of external programs: No such file");
}

#[test]
fn an_engine_answers() {
    let said = "newgame maxconnect4 standard\nisready\n\
        position 2220222/1111111/2222222/1111111/2222222/1111111/2\ngo wall 1000\n\
        position startpos moves 4 9\nquit\n";
    let answers = TestFolder::new().run_with("engine machine:depth=1", said).success().stdout;
    let answers: Vec<_> = answers.lines().collect();
    // It may have heard `quit` before it had thought.
    assert!(
        matches!(answers[..], ["readyok", mv, "illegal 9 is no move"] if mv.starts_with("bestmove 4 ")),
        "{answers:?}"
    );
}
