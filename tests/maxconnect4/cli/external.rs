//! Other programs as players, and our own as theirs.

use std::fs;

use super::{PROGRAM, Run, TestFolder, assert_golden};

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
#[ignore = "long"]
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
            "file:sh -c 'echo > my.txt' {in} {out}",
            "",
            "Result: 0-1 (Player 1: no move, it wrote no output, but `my.txt`)",
        ),
        (
            "file:sh -c 'echo The board is full; echo; echo Bye' {in} {out}",
            "",
            "Result: 0-1 (Player 1: no move, it wrote no output; it printed at the end: The board is full / Bye)",
        ),
        (
            "file:sh -c 'sed 7s/1/2/ \"$0\" > \"$1\"' {in} {out}",
            "",
            "Result: 0-1 (Player 1: illegal move, its output is the position before the move, except for the next player)",
        ),
        (
            "file:cp {in} {out}",
            "",
            "Result: 0-1 (Player 1: illegal move, its output is the position before the move)",
        ),
        (
            "file:sh -c 'sed \"6s/0/2/; 7s/1/2/\" \"$0\" > \"$1\"' {in} {out}",
            "",
            "Result: 0-1 (Player 1: illegal move, its output has `2` where the move `1` puts `1`)",
        ),
    ] {
        let run = play(&folder, [player, "random"], options);
        assert_eq!((run.code, result(&run)), (Some(0), expected), "{player}: {}", run.stderr);
    }
}

/// A program whose answer is not heard, or is not an answer, reads what it has said.
#[cfg(unix)]
#[test]
#[ignore = "long"]
fn answers_that_do_not_count_are_quoted() {
    let folder = TestFolder::new();
    let late = "wall limit of 300ms exceeded";
    for (says, quoted, then) in [
        ("printf 'Your move? bestmove 4'", "`Your move? bestmove 4` has no line end: flush?", late),
        ("printf 'bestmove 4'; exit", "`bestmove 4` has no line end: flush?", "quit"),
        ("printf 'bestmove 4\\r'", "`bestmove 4` has no line end: flush?", late),
        (
            "echo 'Your move? bestmove 4'",
            "`Your move? bestmove 4` does not begin with `bestmove`",
            late,
        ),
        ("echo '> bestmove 4'", "`> bestmove 4` does not begin with `bestmove`", late),
        ("echo 'BestMove 4'", "`BestMove 4` does not begin with `bestmove`", late),
        ("kept=bestmove", "`bestmove 4` came only when its input had ended: flush?", late),
    ] {
        let script = format!(
            "while read -r word rest; do\ncase $word in\nisready) echo readyok;;\ngo) {says};;\n\
             esac\ndone\n[ \"$kept\" ] && echo $kept 4\n"
        );
        folder.write("says.sh", script);
        let run = play(&folder, ["line:sh says.sh", "random"], "--wall 300ms");
        let expected = format!("Result: 0-1 (Player 1: no move, {quoted} ({then}))");
        assert_eq!((run.code, result(&run)), (Some(0), &*expected), "{}", run.stderr);
    }
    let run = Run::of(&mut folder.command(["engine-check", "sh says.sh", "--wall", "300ms"]));
    let said = format!("`bestmove 4` came only when its input had ended: flush?, then {late}");
    assert!(run.stdout.contains(&said), "{}", run.stdout);
}

/// Other lines of a program do no harm, and a message about a wrong answer quotes it.
#[cfg(unix)]
#[test]
#[ignore = "long"]
fn programs_may_speak_as_they_are_used_to() {
    let folder = TestFolder::new();
    let heard = |says: &str| {
        let program = format!("'{PROGRAM}' engine random --seed 1 --table 1");
        let line = format!("line:sh -c \"{program} | sed -u '{}'\"", says.replace('\\', "\\\\"));
        let options = format!("--seed 2 --wall 20s --visible {PROGRAM}");
        let run = play(&folder, [&line, "random"], &options);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        result(&run).to_owned()
    };
    let plain = heard("s/x/x/");
    assert!(plain.contains("(board full, "), "{plain}");
    let noise = "x".repeat(5_000);
    for says in [
        "s/$/\\r/",
        "s/^bestmove \\(.\\).*/  bestmove   0\\1   /",
        "s/^bestmove \\(.\\).*/bestmove \\1 ponder 4/",
        "s/^bestmove \\(.\\).*/bestmove \\1 depth 99999999999999999999 score nan/",
        "s/^bestmove.*/info depth 1 score cp 1e400 pv 4\\n&/",
        "s/^bestmove.*/&\\ninfo depth 3 pv 4\\ndone/",
        "1s/^/MyEngine 1.0 by Ann\\n\\n/",
        &format!("s/^bestmove.*/{noise}\\n&/"),
    ] {
        assert_eq!(heard(says), plain, "{says}");
    }
    for (says, expected) in [
        ("s/^bestmove.*/bestmove (none)/", "illegal move, `(none)` is no move"),
        (
            "s/^bestmove.*/bestmove 8/",
            "illegal move, column 8 does not exist: the columns are 1 to 7",
        ),
        ("s/^bestmove.*/bestmove/", "illegal move, `` is no move"),
        ("s/^bestmove.*/resign/", "quit"),
    ] {
        assert_eq!(heard(says), format!("Result: 0-1 (Player 1: {expected})"), "{says}");
    }
    // The second answer comes before the next question.
    let twice = heard("s/^bestmove.*/&\\n&/");
    assert!(
        twice.contains("Player 1: illegal move, `") && twice.contains("before it was asked"),
        "{twice}"
    );
}

/// A program that exchanges files finds those beside it by their names alone; marks of encodings do no harm.
#[cfg(unix)]
#[test]
#[ignore = "long"]
fn file_players_may_write_as_they_are_used_to() {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("sub")).expect("a folder");
    folder.write("sub/depth.txt", "1");
    let plays = |after: &str| {
        let moves =
            format!("'{PROGRAM}' one-move \"$1\" \"$TMPDIR/whole\" \"$(cat depth.txt)\" --table 1");
        folder.write("sub/play.sh", format!("{moves}\n{after}\n"));
        let options = format!("--seed 2 --visible {PROGRAM}");
        let run = play(&folder, ["file:sh sub/play.sh {in} {out}", "random"], &options);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        result(&run).to_owned()
    };
    let plain = plays("cp whole \"$2\"");
    assert!(plain.contains("(board full, "), "{plain}");
    for after in [
        "{ printf '\\357\\273\\277'; cat whole; } > \"$2\"",
        "{ printf '\\377\\376'; tr -d '\\r' < whole | sed 's/./&\\x00/g' | tr '\\n' '\\001' \
          | sed 's/\\x01/\\n\\x00/g'; } > \"$2\"",
        "{ cat whole; printf '\\032'; } > \"$2\"",
        "tr -d '\\r' < whole > \"$2\"; read -r line; exit 3",
    ] {
        assert_eq!(plays(after), plain, "{after}");
    }
    let missing = plays("head -n 6 whole > \"$2\"");
    let why = "illegal move, the next player is missing in its output";
    let remedy = "accepted with `lenient`, an option of matches and tournaments";
    assert_eq!(missing, format!("Result: 0-1 (Player 1: {why} ({remedy}))"));
}

/// Writes a program that makes moves in files with LF, and fails in this way at all others. Returns the player.
#[cfg(unix)]
fn lf_only(folder: &TestFolder, otherwise: &str) -> String {
    let moves = "\"$3\" one-move \"$1\" \"$2\" 1 --table 1";
    let fails = format!("echo 'found CR LF' >&2; {otherwise}; exit 3");
    let is_other = "grep -q \"$(printf '\\r')\" \"$1\"";
    folder.write("lf.sh", format!("if {is_other}; then {fails}; fi\n{moves}\n"));
    format!("file:sh lf.sh {{in}} {{out}} {PROGRAM}")
}

/// The time of the failed question is not the program's.
#[cfg(unix)]
#[test]
fn program_that_reads_lf_only_loses_nothing() {
    let folder = TestFolder::new();
    let player = lf_only(&folder, "sleep 2; tr 0 x < \"$1\" > \"$2\"");
    let options = "-r -t 60 --seed 1 --logs logs --record game.jsonl";
    let run = play(&folder, [&player, "random"], options);
    assert!(result(&run).contains("(board full, "), "{}", run.stdout);
    let warning = format!("warning: {player} reads LF only: its files had LF in place of CR LF\n");
    assert_eq!(run.stderr.matches(&warning).count(), 1, "{}", run.stderr);
    assert_eq!(folder.read("logs/0001-1.log"), "found CR LF\n");
    let second_game = folder.path("logs/0002-2.log");
    assert!(fs::read_to_string(second_game).unwrap_or_default().is_empty());
    let game = folder.read("game-1.jsonl");
    let wall = game.lines().nth(1).and_then(|line| line.split("\"wall_us\":").nth(1));
    let wall = wall.and_then(|rest| rest.split([',', '}']).next()?.parse::<u64>().ok());
    assert!(wall.is_some_and(|wall| wall < 2_000_000), "{game}");
    let replayed = folder.run("replay game-1.jsonl").success();
    assert!(replayed.stdout.contains("Result"), "{}", replayed.stdout);
}

/// A program that fails with LF too loses by its fault with CR LF; one that has made a move gets no second question.
#[cfg(unix)]
#[test]
fn second_question_is_for_programs_that_have_not_moved() {
    let folder = TestFolder::new();
    let lost = |program: &str, options: &str| {
        folder.write("play.sh", format!("echo asked >&2\n{program}\n"));
        let options = format!("{options} --seed 1 --logs logs --visible {PROGRAM}");
        let run = play(&folder, ["file:sh play.sh {in} {out}", "random"], &options);
        assert!(!run.stderr.contains("reads LF"), "{}", run.stderr);
        let log = folder.read("logs/0001-1.log");
        fs::remove_dir_all(folder.path("logs")).expect("logs");
        (result(&run).to_owned(), log.matches("asked").count())
    };
    let (ending, asked) = lost("grep -q \"$(printf '\\r')\" \"$1\" && exit 3; exit 4", "");
    assert!(ending.starts_with("Result: 0-1 (Player 1: crash, exit code 3"), "{ending}");
    assert_eq!(asked, 1);
    let moves = format!("'{PROGRAM}' one-move \"$1\" \"$2\" 1 --table 1");
    let once = format!("head -n 6 \"$1\" | grep -q 1 && rm \"$1\"\n{moves}");
    let (ending, asked) = lost(&once, "");
    assert!(ending.starts_with("Result: 0-1 (Player 1: crash, exit code 2"), "{ending}");
    assert_eq!(asked, 2);
    let (ending, asked) = lost("while :; do :; done", "--cpu 0.2");
    assert_eq!(ending, "Result: 0-1 (Player 1: cpu limit of 200ms exceeded)");
    assert_eq!(asked, 1);
}

/// The line ends are known in all games of a match, and in all of a tournament.
#[cfg(unix)]
#[test]
fn line_ends_are_learned_once_in_a_run() {
    let folder = TestFolder::new();
    let player = lf_only(&folder, "true");
    let asked = |logs: &str| {
        let files = fs::read_dir(folder.path(logs)).expect("logs");
        let texts = files.map(|file| fs::read_to_string(file.expect("a file").path()));
        texts.map(|text| text.expect("a log").matches("found CR LF").count()).sum::<usize>()
    };
    let options = "--games 4 --jobs 1 --table 1 --logs logs".split_whitespace();
    let words = ["match", &player, "random"].into_iter().chain(options);
    let run = Run::of(&mut folder.command(words));
    assert!(run.stdout.contains("4 games") && !run.stdout.contains("crash"), "{}", run.stdout);
    assert_eq!(run.stderr.matches("reads LF only").count(), 1, "{}", run.stderr);
    assert_eq!(asked("logs"), 1);
    let plan = format!(
        "openings = {{ count = 2, plies = 2 }}\ntable = 1\n\
         [[player]]\nname = 'lf'\nplayer = '{player}'\n[[player]]\nplayer = 'random'\n"
    );
    folder.write("t.toml", &plan);
    let run = folder.run("tournament t.toml --jobs 1");
    let warning = "warning: lf reads LF only: its files had LF in place of CR LF\n";
    assert_eq!((run.code, &*run.stderr), (Some(0), warning));
    assert!(!run.stdout.contains("crash"), "{}", run.stdout);
    assert_eq!(asked("t/logs"), 1);
}

/// A program that takes 3 s to start loses by a limit of 200 ms, long before it could say its last words, and
/// with a margin does not; it is told of the limit alone.
#[cfg(unix)]
#[test]
#[ignore = "long"]
fn margin_is_for_slow_starts() {
    let folder = TestFolder::new();
    folder.write(
        "slow.sh",
        "sleep 3\nwhile read -r word name number; do\ncase $word in\nisready) echo readyok;;\n\
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
    play(&folder, [&deep, "random"], "").failure(2, "expected a depth for `{depth}` in the player");
    for (player, part) in [
        ("file:player", "after `file:`, expected {in} and {out} in the command"),
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

#[track_caller]
fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

#[test]
fn a_game_without_thought() {
    let run = TestFolder::new().run("play random random Ann --seed 1").success();
    assert_golden("golden/play-random-random.stdout", &run.stdout);
}

#[test]
fn a_machine_beats_random() {
    let run = TestFolder::new().run("play machine random --depth 3 --seed 1").success();
    assert!(last_line(&run).starts_with("Result: 1-0 (board full, "), "{}", last_line(&run));
    let of_machine = |line: &&str| line.starts_with("move 1: ") && line.ends_with(", depth 3)");
    assert_eq!(run.stdout.lines().filter(of_machine).count(), 1, "{}", run.stdout);
}

#[test]
fn two_humans_may_err_and_ask() {
    let script = "help\nmoves\n0\n8\nx\n4\n4\n4\n4\n4\n4\n4\n3\nundo\nquit\n";
    let run = TestFolder::new().run_with("play human human Ann Bob", script).success();
    assert_golden("golden/play-humans.stdout", &run.stdout);
    assert_eq!(last_line(&run), "Result: 1-0 (Player 2: quit)");
}

#[test]
fn a_human_takes_moves_back_from_a_machine() {
    let script = "4\nundo\n3\nquit\n";
    let run = TestFolder::new().run_with("play human machine:depth=2", script).success();
    assert!(run.stdout.contains("\nmoves taken back\n"));
    assert_eq!(run.stdout.matches("\nmove 1: Player 1, column ").count(), 2);
    assert_eq!(last_line(&run), "Result: 0-1 (Player 1: quit)");
}

#[test]
#[ignore = "long"]
fn every_combination_of_players_ends_with_a_result() {
    for first in ["human", "machine:depth=1", "random"] {
        for second in ["human", "machine:depth=1", "random"] {
            let run = TestFolder::new().run_with(&format!("play -q {first} {second}"), "4\n");
            let run = run.success();
            assert!(last_line(&run).starts_with("Result: "), "{first} {second}: {}", run.stdout);
        }
    }
}

#[test]
fn a_match_is_a_game_each_way_and_perhaps_a_third() {
    let run = TestFolder::new().run("play -r machine:depth=3 random Ann Bob --seed 1").success();
    let results = run.stdout.lines().filter(|line| line.starts_with("Result: ")).count();
    assert_eq!(results, 2);
    assert!(run.stdout.contains("\nPlayer 2: Ann (machine:depth=3)\n"));
    assert!(run.stdout.contains("\nMatch: Ann 2, Bob 0\nResult: 0-1 ("), "{}", run.stdout);
}

#[test]
fn who_exceeds_the_time_loses() {
    let run = TestFolder::new().run("play -t 0.02 machine:depth=42 random --no-book").success();
    assert_eq!(last_line(&run), "Result: 0-1 (Player 1: wall limit of 20ms exceeded)");
}

#[test]
fn a_perfect_player_says_where_its_moves_are_from() {
    let folder = TestFolder::new();
    let args = "play -q machine:perfect,time=1ms random --seed 1 --record game.jsonl --no-book";
    let run = folder.run(args);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("Player 1: machine:perfect,time=1ms\n"), "{}", run.stdout);
    assert!(last_line(&run).starts_with("Result: "), "{}", run.stdout);
    let said: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(said.len(), 21, "a line for each of its moves: {}", run.stderr);
    assert!(said.iter().all(|line| line.starts_with("perfect: ")), "{}", run.stderr);
    assert!(said[0].starts_with("perfect: depth "), "{}", run.stderr);
    folder.run("replay game.jsonl").success();
    let args = "play -q random machine:perfect,time=1ms --seed 1 --quiet --no-book";
    let run = folder.run(args).success();
    assert!(run.stdout.contains("\nPlayer 2: machine:perfect,time=1ms\n"), "{}", run.stdout);
}

#[test]
fn a_saved_game_is_replayed() {
    let folder = TestFolder::new();
    let played = folder.run("play random random --seed 5 --record game.jsonl").success();
    let replayed = folder.run("replay game.jsonl").success();
    assert_eq!(last_line(&replayed), last_line(&played));
    let untimed = replayed.stdout.split_inclusive('\n');
    let untimed: String = untimed.filter(|line| !line.starts_with("thought for ")).collect();
    assert_eq!(untimed, played.stdout);

    let record = folder.read("game.jsonl").replacen("\"ply\":42", "\"ply\":41", 1);
    folder.write("game.jsonl", record);
    let run = folder.run("replay game.jsonl");
    assert_eq!(run.stdout, "");
    run.failure(2, "game.jsonl:43: expected ply 42, found 41");
}

#[test]
fn bad_arguments_are_refused() {
    let folder = TestFolder::new();
    folder
        .run("play random machine:depth=43")
        .failure(2, "machine:depth=43: expected a depth from 1 to 42");
    folder
        .run("play random random --book none.book")
        .failure(2, "none.book: cannot read the book: No such file");
    for (args, part) in [
        ("play random", "PLAYER2"),
        ("play random robot", "expected human, random, machine"),
        ("play random machine:perfect,", "machine:perfect,time=TIME"),
        ("play random machine:perfect,time=0", "expected a time greater than zero"),
        ("play random random --threads 0", "expected a whole number from 1 to 1024"),
        ("play random random --depth 43", "expected a whole number from 1 to 42"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(2), "{args}");
        assert!(run.stderr.contains(part), "{args}: {}", run.stderr);
    }
}
