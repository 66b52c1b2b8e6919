//! The arguments, and the help about them.

use super::support::{Run, TWELVE_PIECES, TestFolder};

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
