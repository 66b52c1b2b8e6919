//! The arguments, and the help about them.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use super::{PROGRAM, Run, TWELVE_PIECES, TestFolder};

#[test]
fn bad_arguments_are_refused_with_the_reason() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    for (args, reason) in [
        ("one-move in.txt out.txt 0", "expected a whole number from 1 to 42"),
        ("one-move in.txt out.txt -3", "expected a whole number from 1 to 42"),
        ("one-move in.txt out.txt deep", "expected a whole number from 1 to 42"),
        ("one-move in.txt out.txt", "<DEPTH>"),
        ("one-move in.txt", "<OUT>"),
        ("one-move in.txt out.txt 3 4", "unexpected argument '4'"),
        ("one-move in.txt out.txt 3 --time 1s", "cannot be used with"),
        ("one-move in.txt out.txt --time soon", "expected a time like 1s"),
        ("one-move in.txt out.txt 3 --table huge", "invalid value 'huge'"),
        ("interactive in.txt nobody-next 3", "computer-next"),
        ("interactive - human-next 3", "interactive reads the moves from standard input"),
        ("analyze in.txt --depth 43", "expected a whole number from 1 to 42"),
        ("analyze in.txt --depth 3 --time 1s", "cannot be used with"),
        ("perft in.txt 43", "expected a whole number from 0 to 42"),
        ("perft", "<DEPTH>"),
        ("perft -1", "expected a whole number from 0 to 42"),
        ("timing --depths 40..43", "depths from 1 to 42"),
        ("calibrate --player machine:depth={depth} --depths 43", "depths from 1 to 42"),
        ("timing --runs 0", "expected a whole number from 1 to 4294967295"),
        ("bench --table 65537", "expected a whole number from 0 to 65536"),
        ("bench --seed x", "expected a whole number from 0 to 18446744073709551615"),
        ("bench --threads -1", "expected a whole number from 1 to 1024"),
        ("match random random --games 0", "expected --before with --games 0"),
        ("match random random --jobs 1.5", "expected a whole number from 1 to"),
        ("match random random --ply-cap 0", "expected a whole number from 1 to 4294967295"),
        ("play random random --seed -1", "expected a whole number from 0 to"),
        ("play random random -t -1", "expected a time like 1s"),
        ("solve --table 0", "expected a whole number from 1 to 65536"),
        ("book build --plies many --out x", "expected a whole number from 0 to 200"),
        ("book verify --sample -1", "expected a whole number from 0 to"),
        ("timing --csv -", "-: expected a file"),
        ("play machine:depth=43 random", "expected a depth from 1 to 42, found 43"),
        ("play machine:depth=201 random", "expected a depth from 1 to 42, found 201"),
        ("engine machine:depth=201", "expected a depth from 1 to 42, found 201"),
        ("match machine:depth=201 random", "expected a depth from 1 to 42, found 201"),
        ("play java:subs/ann random", "maxconnect4 knows no Java classes"),
        ("play java: random", "after `java:`, expected a folder or a jar"),
        ("chess", "unrecognized subcommand 'chess'"),
        ("", "Usage: maxconnect4 <COMMAND>"),
    ] {
        let run = folder.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args}");
        assert!(run.stderr.contains(reason), "`{args}` says {}", run.stderr);
        let lines = run.stderr.lines().count();
        assert!(lines == 1 || args.is_empty(), "`{args}` says {}", run.stderr);
    }
    assert_eq!(folder.files(), ["in.txt"]);
}

#[test]
fn a_depth_beyond_the_last_move_is_the_full_depth() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    folder.run("one-move in.txt full.txt 42").success();
    for depth in ["43", "1000000000"] {
        folder.run(&format!("one-move in.txt out.txt {depth}")).success();
        assert_eq!(folder.read("out.txt"), folder.read("full.txt"), "{depth}");
    }
    folder.run("one-move in.txt out.txt 99999999999").failure(2, "from 1 to 42, or perfect");
}

#[test]
fn no_error_repeats_more_than_a_line_of_the_input() {
    let folder = TestFolder::new();
    let long = "x".repeat(100_000);
    folder.write("long.txt", &long);
    folder.write("long.jsonl", format!("{{\"line\":\"{long}\"}}\n"));
    folder.write("long.toml", format!("player = [{{ player = \"{long}\" }}]\n{long} = 1\n"));
    for args in [
        vec!["one-move", &long, "out.txt", "3"],
        vec!["one-move", "long.txt", "out.txt", "3"],
        vec!["one-move", "in.txt", "out.txt", &long],
        vec!["play", &long, "random"],
        vec!["play", &format!("line:{long}"), "random"],
        vec!["play", "random", "random", &format!("--{long}")],
        vec!["match", "random", "random", "--games", &long],
        vec!["calibrate", "--player", &long],
        vec!["replay", "long.jsonl"],
        vec!["replay", &long],
        vec!["tournament", "long.toml"],
        vec!["book", "merge", "long.txt", "--out", "out.bin"],
        vec!["timing", "--csv", "long.txt"],
        vec!["engine-check", &long],
        vec![&long],
    ] {
        let run = Run::of(&mut folder.command(&args)).failure(2, "");
        assert!(run.stderr.chars().count() < 500, "{}", run.stderr);
    }
}

#[test]
fn options_about_programs_and_places_are_read_as_all_others() {
    let folder = TestFolder::new();
    let player = "calibrate --player machine:depth={depth}";
    for (args, reason) in [
        ("play random random --memory x", "expected a size like 512MiB or 2GiB"),
        ("play random random --memory 0", "expected a size greater than nothing"),
        ("grade --player random --output 0MiB", "expected a size greater than nothing"),
        ("grade --player random --processes 0", "expected a whole number from 1 to 4294967295"),
        ("grade --player random --seed x", "expected a whole number from 0 to"),
        ("grade --player random --jobs x", "expected a whole number from 1 to"),
        ("serve --port 65536", "expected a whole number from 0 to 65535"),
        ("serve --clients x", "expected a whole number from 1 to 10000"),
        (&format!("{player} --positions x"), "expected a whole number from 0 to 10000"),
        (&format!("{player} --seed x"), "expected a whole number from 0 to"),
        (&format!("{player} --runs 0"), "expected a whole number from 1 to 4294967295"),
        ("tournament t.toml --jobs 0", "expected a whole number from 1 to"),
    ] {
        let run = folder.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args}");
        assert!(run.stderr.contains(reason), "`{args}` says {}", run.stderr);
    }
    let help = folder.run("play --help").success().stdout;
    assert!(help.contains(" 2GiB]") && help.contains(" 64MiB]"), "{help}");
}

#[cfg(unix)]
#[test]
fn every_command_has_examples_that_can_be_copied() {
    assert!(
        crate::common::help::check_examples(std::path::Path::new(env!(
            "CARGO_BIN_EXE_maxconnect4"
        ))) > 35
    );
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_the_system_refuses_is_a_failed_run() {
    let folder = TestFolder::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
        .current_dir(folder.path("."))
        .args(["perft", "2"])
        .stdout(full)
        .output()
        .expect("the program");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.starts_with(b"error: "));
}

#[test]
fn the_size_of_a_board_may_come_before_and_after_what_to_do_with_a_book() {
    let folder = TestFolder::new();
    folder.run("book --size 4x4 build --plies 1 --out before").success();
    folder.run("book build --size 4x4 --plies 1 --out after").success();
    let read = |name| std::fs::read(folder.path(name)).expect("a book");
    assert_eq!(read("before"), read("after"));
}

#[test]
fn a_dash_is_standard_input_and_standard_output() {
    let folder = TestFolder::new();
    let run = folder.run_with("one-move - - 3", TWELVE_PIECES).success();
    assert!(run.stdout.ends_with("\n0000000\n0000000\n0200000\n0100002\n0200111\n1101222\n2\n"));
    let played = "play -q random random --seed 1 --record game.jsonl";
    folder.run(played).success();
    let from_file = folder.run("replay game.jsonl").success().stdout;
    let from_input = folder.run_with("replay -", &folder.read("game.jsonl")).success().stdout;
    assert_eq!(from_input, from_file);
    let refused = folder.run_with("replay -", "hello");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.starts_with("error: -:1: "), "{}", refused.stderr);
    assert_eq!(folder.files(), ["game.jsonl"]);
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
    grade().failure(2, "subs: expected names of folders without {depth} in them");
    folder.run("tournament t.toml").failure(2, "expected names of folders without {depth}");
    assert_eq!(folder.files(), ["subs", "t.toml"]);
}

/// However many files the referee may open: who plays well does not lose for want of them.
#[test]
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
