//! Engines held to the protocol, and tournaments of submissions that cannot all play.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use super::{PROGRAM, Run, TestFolder};
use crate::common::project;

fn check(engine: &str, more: &[&str]) -> Run {
    let args = ["engine-check", "--visible", PROGRAM, engine];
    let args = args.into_iter().chain(more.iter().copied());
    Run::of(&mut TestFolder::new().command(args))
}

/// The names of the exchanges that failed.
fn failed(run: &Run) -> Vec<&str> {
    let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("FAIL  "));
    lines.filter_map(|line| line.split(' ').next()).collect()
}

#[test]
#[ignore = "long"]
fn our_own_engines_speak_the_protocol() {
    for player in ["random", "machine:depth=2", "machine:perfect,time=10ms"] {
        let run = check(&format!("{PROGRAM} engine {player} --table 1"), &[]).success();
        assert!(run.stdout.ends_with("\n\n15 of 15 exchanges as expected\n"), "{}", run.stdout);
    }
}

#[test]
#[ignore = "long"]
fn what_an_engine_does_wrong_is_named() {
    for (hears, says, wrong) in [
        ("", "sed -u 's/^protocol 1/protocol 2/'", &["version"][..]),
        ("", "sed -u 's/^info error unknown.*/resign/'", &["unknown"]),
        (
            "sed -u -e 's/^newgame maxconnect4 [^ ]*/newgame maxconnect4 standard/'",
            "cat",
            &["other-rules"],
        ),
        // Without the moves it always chooses the same column, which is full in the end.
        ("sed -u -e 's/^\\(position startpos\\) moves.*/\\1/'", "cat", &["whole-game"]),
        (
            "",
            "sed -u 's/^readyok/readyok\\nreadyok/'",
            &["ready", "start", "moves", "replaced", "second", "new-game"],
        ),
    ] {
        let engine = format!("'{PROGRAM}' engine machine:depth=1 --table 1");
        let engine = match hears {
            "" => format!("sh -c \"{engine} | {says}\""),
            _ => format!("sh -c \"{hears} -e /^quit/q | {engine}\""),
        };
        let run = check(&engine.replace('\\', "\\\\"), &["--wall", "20s"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        let found = failed(&run);
        assert!(wrong.iter().all(|name| found.contains(name)), "{says}: {}", run.stdout);
        let said = format!("error: the engine failed in {} of 15 exchanges\n", found.len());
        assert_eq!(run.stderr, said);
        if wrong.len() == 1 {
            assert_eq!(found, wrong, "{says}: {}", run.stdout);
        }
    }
}

#[test]
#[ignore = "long"]
fn every_exchange_can_fail() {
    let all = 15;
    for says in ["sed -u 's/^readyok/illegal 1\\nreadyok/'", "sed -u 's/^readyok/what/'", "true"] {
        let engine = format!("sh -c \"'{PROGRAM}' engine random | {says}\"").replace('\\', "\\\\");
        let run = check(&engine, &["--wall", "300ms"]);
        let found = failed(&run);
        // One that says nothing to `protocol` may well be old.
        assert!(found.len() >= all - 2, "{says}: {}", run.stdout);
    }
    let moves = "sed -u 's/^bestmove .*/bestmove 9/'";
    let run = check(&format!("sh -c \"'{PROGRAM}' engine random | {moves}\""), &["--wall", "20s"]);
    assert!(run.stdout.contains("found `bestmove 9`: it is no move"), "{}", run.stdout);
    let run = check(&format!("sh -c \"'{PROGRAM}' engine random; exit 3\""), &["--wall", "20s"]);
    assert_eq!(failed(&run), ["whole-game"], "{}", run.stdout);
    assert!(run.stdout.contains("found after quit, crash, exit code 3"), "{}", run.stdout);
}

#[test]
#[ignore = "long"]
fn the_example_of_the_manual_speaks_the_protocol() {
    let manual = std::fs::read_to_string(project().join("docs/protocol.md")).expect("a manual");
    let (_, rest) = manual.split_once("```python\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let folder = TestFolder::new();
    folder.write("bob.py", example);
    let run = Run::of(&mut folder.command(["engine-check", "python3 bob.py"]));
    assert!(run.success().stdout.ends_with("15 of 15 exchanges as expected\n"));
}

#[test]
fn what_cannot_be_checked_is_refused() {
    check("no-such-program", &[]).failure(2, "there is no program `no-such-program`");
    let run = check("", &[]);
    assert!(run.code == Some(2) && run.stderr.contains("expected a command"), "{run:?}");
}

/// Makes a class of three, two of which cannot play, and a player of ours.
fn class() -> TestFolder {
    let folder = TestFolder::new();
    for name in ["ann", "bob", "carl"] {
        std::fs::create_dir_all(folder.path(&format!("subs/{name}"))).expect("a folder");
    }
    submit(&folder, "ann");
    folder.write("subs/bob/player", "");
    folder.write(
        "t.toml",
        "openings = { plies = 2, count = 1 }\n\
         [[player]]\nname = 'ours'\nplayer = 'machine:depth=1'\n\
         [class]\nfolder = 'subs'\nplayer = 'file:{folder}/player {in} {out}'\n",
    );
    folder
}

fn submit(folder: &TestFolder, name: &str) {
    let file = format!("subs/{name}/player");
    folder.write(&file, format!("#!/bin/sh\nexec '{PROGRAM}' one-move \"$@\" 1\n"));
    set_permissions(folder.path(&file), Permissions::from_mode(0o755)).expect("permission");
}

/// The lines of the table with this in them.
fn lines(text: &str, part: &str) -> Vec<String> {
    text.lines().filter(|line| line.contains(part)).map(str::to_owned).collect()
}

const BOB: &str = "bob     not played: `subs/bob/player` is not executable";
const CARL: &str = "carl    not played: there is no program `subs/carl/player`";

#[test]
fn who_cannot_be_started_is_listed_and_the_others_play() {
    let folder = class();
    let run = folder.run("tournament t.toml");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("ranked by matchups, 2 of 12 games"), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("\n    -  {BOB}\n    -  {CARL}\n")), "{}", run.stdout);
    assert_eq!(lines(&run.stderr, "warning: carl not played: there is no program").len(), 1);
    let standings = folder.read("t/standings.csv");
    assert!(standings.contains("\n,,bob,file:subs/bob/player {in} {out},0,"), "{standings}");
    assert!(standings.contains(",`subs/bob/player` is not executable,"), "{standings}");
    let page = folder.read("t/report.html");
    assert!(page.contains("\"not_played\":\"`subs/bob/player` is not executable\""));
    assert!(page.contains("{\"rank\":null,\"name\":\"bob\""));
}

#[test]
fn who_can_be_started_later_is_played_then() {
    let folder = class();
    folder.run("tournament t.toml");
    let games = std::fs::read_dir(folder.path("t/games")).expect("a folder");
    let games: Vec<_> = games.map(|game| game.expect("a game").path()).collect();
    let read = || games.iter().map(|game| std::fs::read_to_string(game).expect("a game"));
    let kept: String = read().collect();
    submit(&folder, "bob");
    let text = folder.run("tournament t.toml").stdout;
    assert!(text.contains("6 of 12 games"), "{text}");
    // Those against another that never moves are void.
    assert!(lines(&text, "bob")[0].contains("     2 "), "{text}");
    assert!(lines(&text, "carl")[0].contains(CARL), "{text}");
    submit(&folder, "carl");
    let run = folder.run("tournament t.toml");
    assert!(!(run.stdout + &run.stderr).contains("not played"));
    assert_eq!(read().collect::<String>(), kept, "a game was played twice");
    // A program that goes when all has been played is not missed.
    std::fs::remove_file(folder.path("subs/bob/player")).expect("a file");
    let run = folder.run("tournament t.toml").success();
    assert!(run.stdout.contains("ranked by matchups, 12 games"), "{}", run.stdout);
}

#[test]
fn shares_are_the_same_whoever_is_there() {
    let folder = class();
    folder.run("tournament t.toml --out part1 --shard 1/2");
    // The second computer has another state of the submissions.
    submit(&folder, "bob");
    folder.run("tournament t.toml --out part2 --shard 2/2");
    let merged = folder.run("tournament merge t.toml part1 part2 --out all").success();
    assert!(merged.stdout.contains("4 of 12 games"), "{}", merged.stdout);
    assert!(lines(&merged.stdout, "  bob ")[0].contains("is not executable"), "{}", merged.stdout);
    assert!(merged.stdout.contains(CARL), "{}", merged.stdout);
    submit(&folder, "carl");
    for share in ["1", "2"] {
        folder.run(&format!("tournament t.toml --out part{share} --shard {share}/2"));
    }
    let merged = folder.run("tournament merge t.toml part1 part2 --out all").success();
    assert!(merged.stdout.contains("ranked by matchups, 12 games"), "{}", merged.stdout);
    assert!(!merged.stdout.contains("not played"), "{}", merged.stdout);
}

#[test]
fn in_a_knockout_the_others_go_on() {
    let folder = class();
    folder.write("k.toml", format!("format = 'knockout'\n{}", folder.read("t.toml")));
    for _ in 0..2 {
        let run = folder.run("tournament k.toml");
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.stdout.contains("2 of 6 games"), "{}", run.stdout);
        assert!(run.stdout.contains(BOB) && run.stdout.contains(CARL), "{}", run.stdout);
        // Others have gone on in its place, so it is too late.
        submit(&folder, "bob");
    }
}

#[test]
fn a_class_that_was_not_compiled_is_nobody() {
    let folder = class();
    // Whatever is called so.
    folder.write("java", "#!/bin/sh\nexit 1\n");
    set_permissions(folder.path("java"), Permissions::from_mode(0o755)).expect("permission");
    folder.write("subs/ann/MaxConnect4.class", "");
    let plan = folder.read("t.toml");
    let java = "./java -cp {folder} maxconnect4 {in} {out}";
    folder.write("t.toml", plan.replace("{folder}/player {in} {out}", java));
    let mut command = folder.command(["tournament", "t.toml"]);
    let run = Run::of(command.env_remove("CLASSPATH").env_remove("JDK_JAVA_OPTIONS"));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(lines(&run.stdout, "  ann ")[0].ends_with("crash 2"), "{}", run.stdout);
    let place = std::fs::canonicalize(folder.path("subs/bob")).expect("a folder");
    let bob = "    -  bob     not played: there is no class `maxconnect4` in ";
    let bob = format!("{bob}{}", place.display());
    assert_eq!(lines(&run.stdout, "  bob "), [bob], "{}", run.stdout);
}

#[test]
fn if_nobody_can_play_there_is_no_tournament() {
    let folder = class();
    std::fs::remove_file(folder.path("subs/ann/player")).expect("a file");
    let run = folder.run("tournament t.toml");
    assert_eq!(run.code, Some(2), "{run:?}");
    let last = run.stderr.lines().last().unwrap_or_default();
    assert_eq!(last, "error: no game can be played: ann: there is no program `subs/ann/player`");
    assert_eq!(folder.files(), ["subs", "t.toml"]);
    submit(&folder, "ann");
    assert_eq!(folder.run("tournament t.toml").code, Some(0));
}

#[test]
fn if_nobody_could_play_the_next_knockout_begins_anew() {
    let folder = class();
    let plan = folder.read("t.toml").replace("'machine:depth=1'", "'file:./none {in} {out}'");
    folder.write("k.toml", format!("format = 'knockout'\n{plan}"));
    std::fs::remove_file(folder.path("subs/ann/player")).expect("a file");
    assert_eq!(folder.run("tournament k.toml").code, Some(2));
    for name in ["ann", "bob", "carl"] {
        submit(&folder, name);
    }
    // Another plan, by the way: the first had a slip in it.
    folder.write("k.toml", folder.read("k.toml").replace("file:./none {in} {out}", "random"));
    let run = folder.run("tournament k.toml");
    assert!(run.stdout.contains("knockout, ranked by matchups, 6 games"), "{run:?}");
}

#[test]
fn output_among_the_submissions_is_refused() {
    let folder = class();
    let refused = "expected a folder outside of subs, which has the submissions";
    let player = "{folder}/player {in} {out}";
    for out in ["subs", "subs/grades", "subs/ann/grades", "./subs/../subs/grades"] {
        let run = folder.run(&format!("tournament t.toml --out {out}"));
        run.failure(2, &format!("{out}: {refused}"));
        let args = ["--out", out];
        for args in [&args[..], &["--out", "grades", "--logs", out]] {
            let mut command = folder.command(["grade", "--class", "subs", "--player"]);
            let run = Run::of(command.arg(format!("file:{player}")).args(args));
            run.failure(2, &format!("{out}: {refused}"));
        }
    }
    assert_eq!(folder.files(), ["subs", "t.toml"]);
    assert_eq!(std::fs::read_dir(folder.path("subs")).expect("a folder").count(), 3);
}

#[test]
fn names_of_submissions_that_stand_for_something_else_are_refused() {
    let folder = class();
    let grade = || {
        let mut command = folder.command(["grade", "--class", "subs", "--out", "grades"]);
        Run::of(command.args(["--player", "file:{folder}/player {in} {out} {depth}"]))
    };
    std::fs::create_dir(folder.path("subs/grades.csv")).expect("a folder");
    grade().failure(2, "subs: expected no submission of the name grades.csv");
    std::fs::create_dir(folder.path("subs/{depth}")).expect("a folder");
    grade().failure(
        2,
        "subs: expected names of folders without `=`, `:`, `{` and `}`, found `{depth}`",
    );
    folder.run("tournament t.toml").failure(2, "found `{depth}`: `plyground submissions prepare`");
    std::fs::remove_dir(folder.path("subs/{depth}")).expect("the folder");
    std::fs::create_dir(folder.path("subs/x:..")).expect("a folder");
    folder.run("tournament t.toml").failure(2, "found `x:..`");
    assert_eq!(folder.files(), ["subs", "t.toml"]);
}

/// However many files the referee may open: who plays well does not lose for want of them.
#[test]
#[ignore = "long"]
fn want_of_files_ends_the_run_and_the_next_goes_on() {
    let folder = TestFolder::new();
    // A program that needs fewer of them than the referee does.
    let player = format!("file:\"{PROGRAM}\" one-move {{in}} {{out}} 1");
    folder.write(
        "t.toml",
        format!("[[player]]\nplayer = 'random'\n[[player]]\nname = 'ann'\nplayer = '{player}'\n"),
    );
    let mut failed = 0;
    for files in (4..24).step_by(2) {
        let script = format!("ulimit -n {files}\nexec '{PROGRAM}' tournament t.toml");
        let mut command = std::process::Command::new("sh");
        let output = command.args(["-c", &script]).current_dir(folder.path(".")).output();
        let output = output.expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let said = "error: the system cannot run a program now: ";
        if stderr.lines().last().is_some_and(|line| line.starts_with(said)) {
            assert_eq!(output.status.code(), Some(1), "{stderr}");
            failed += 1;
        }
    }
    assert!(failed > 0);
    want_of_files_costs_no_points(&folder);
    let run = folder.run("tournament t.toml").success();
    assert!(run.stdout.contains("ranked by matchups, 2 games"), "{}", run.stdout);
    assert!(!run.stdout.contains("crash"), "{}", run.stdout);
}

fn want_of_files_costs_no_points(folder: &TestFolder) {
    folder.write("points.toml", "[points]\n\"random play is beaten\" = 0\n");
    let player = format!("file:\"{PROGRAM}\" one-move {{in}} {{out}} {{depth}}");
    let grade = "grade --wall 60s --points points.toml --player \"$0\"";
    let codes = [6, 14, 96].map(|files| {
        let script = format!("ulimit -n {files}\nexec '{PROGRAM}' {grade}");
        let mut command = std::process::Command::new("sh");
        let output = command.args(["-c", &script, &player]).current_dir(folder.path(".")).output();
        let output = output.expect("a shell");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(!stdout.contains("FAIL"), "{files}: {stdout}");
        output.status.code()
    });
    assert_eq!((codes[0], codes[2]), (Some(1), Some(0)));
}
