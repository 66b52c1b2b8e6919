//! The arguments and the help about them; files that are no state files, and files as strange editors leave
//! them, positions in place of files, and dialogues.
//!
//! Every file `malformed/NAME.txt` is refused with the message in `malformed/NAME.stderr`.

use std::fs;
#[cfg(target_os = "linux")]
use std::fs::OpenOptions;
use std::io::Write;
#[cfg(unix)]
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{
    AFTER_LAST_MOVE as AFTER, LAST_MOVE, PROGRAM, Run, TWELVE_PIECES, TestFolder, assert_golden,
    data,
};
#[cfg(unix)]
use crate::common::check_examples;

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
        ("play random random --memory 0", "expected a size greater than zero"),
        ("grade --player random --output 0MiB", "expected a size greater than zero"),
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
    assert!(check_examples(Path::new(PROGRAM)) > 35);
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_the_system_refuses_is_a_failed_run() {
    let folder = TestFolder::new();
    for args in [&["perft", "2"][..], &["play", "--help"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let output = Command::new(PROGRAM)
            .current_dir(folder.path("."))
            .args(args)
            .stdout(full)
            .output()
            .expect("the program");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(output.stderr.starts_with(b"error: "), "{args:?}");
    }
}

#[test]
fn the_size_of_a_board_may_come_before_and_after_what_to_do_with_a_book() {
    let folder = TestFolder::new();
    folder.run("book --size 4x4 build --plies 1 --out before").success();
    folder.run("book build --size 4x4 --plies 1 --out after").success();
    let read = |name| fs::read(folder.path(name)).expect("a book");
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

/// The names of the malformed files, without their extension.
fn names() -> Vec<String> {
    let entries = fs::read_dir(data("malformed")).expect("the folder of malformed files");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".txt").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// Returns `true` if `message` is `error: FILE:LINE:COLUMN: expected ..., found ...` on one line.
fn is_well_formed(message: &str, file: &str) -> bool {
    let Some(rest) = message.strip_prefix(&format!("error: {file}:")) else { return false };
    let mut parts = rest.splitn(3, ':');
    let mut is_number =
        || parts.next().is_some_and(|part| part.parse::<usize>().is_ok_and(|n| n > 0));
    is_number()
        && is_number()
        && parts
            .next()
            .is_some_and(|text| text.starts_with(" expected ") && text.contains(", found "))
        && message.ends_with('\n')
        && message.lines().count() == 1
        && !message.trim_end().chars().any(char::is_control)
}

#[test]
fn every_file_is_refused_in_every_mode() {
    let names = names();
    assert!(names.len() >= 40, "only {} malformed files", names.len());
    for name in names {
        let file = format!("{name}.txt");
        let folder = TestFolder::new();
        fs::copy(data("malformed").join(&file), folder.path(&file)).expect("a copy");
        let modes = [
            format!("one-move {file} out.txt 3"),
            format!("interactive {file} computer-next 3"),
            format!("analyze {file} --depth 3"),
            format!("perft {file} 1"),
        ];
        for mode in modes {
            let run = folder.run(&mode);
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{mode}");
            assert_golden(&format!("malformed/{name}.stderr"), &run.stderr);
            assert!(is_well_formed(&run.stderr, &file), "{}", run.stderr);
            assert_eq!(folder.files(), [file.as_str()], "{mode}");
        }
    }
}

#[test]
fn an_existing_output_file_is_left_alone() {
    let folder = TestFolder::new();
    folder.write("in.txt", "nonsense");
    folder.write("out.txt", "precious");
    folder.run("one-move in.txt out.txt 3").failure(2, "in.txt:1:1: expected 0, 1 or 2, found `n`");
    assert_eq!(folder.read("out.txt"), "precious");
}

#[test]
fn missing_and_unreadable_files() {
    let folder = TestFolder::new();
    for mode in ["one-move none.txt out.txt 3", "analyze none.txt", "perft none.txt 3"] {
        folder.run(mode).failure(2, "none.txt: cannot read the state file: ");
    }
    fs::create_dir(folder.path("folder")).expect("a folder");
    for mode in ["one-move folder out.txt 3", "interactive folder human-next 3"] {
        folder.run(mode).failure(2, "folder: cannot read the state file: ");
    }
    assert_eq!(folder.files(), ["folder"]);
}

#[test]
fn endless_and_huge_files() {
    let folder = TestFolder::new();
    folder.write("huge.txt", TWELVE_PIECES.to_owned() + &"\n".repeat(1 << 20));
    folder
        .run("one-move huge.txt out.txt 3")
        .failure(2, "huge.txt: expected a state file, found more");
    #[cfg(unix)]
    folder.run("one-move /dev/zero out.txt 3").failure(2, "/dev/zero: expected a state file");
    assert_eq!(folder.files(), ["huge.txt"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    fs::create_dir(folder.path("folder")).expect("a folder");
    for output in ["none/out.txt", "folder", "in.txt/out.txt"] {
        let run = folder.run(&format!("one-move in.txt {output} 3"));
        run.failure(1, &format!("{output}: cannot write the file: "));
    }
    assert_eq!(folder.files(), ["folder", "in.txt"]);
    assert_eq!(folder.read("in.txt"), TWELVE_PIECES);
}

/// The text in UTF-16 after a byte order mark.
fn in_utf_16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(bytes_of).collect()
}

/// A state file in which an empty line comes before the player.
fn with_empty_line(state: &str) -> String {
    let (rows, player) = state.trim_end().rsplit_once('\n').expect("a player");
    format!("{rows}\n\n{player}\n")
}

#[test]
fn files_of_strange_editors_are_read_and_written_plainly() {
    let crlf = |state: &str, end: &str| state.replace('\n', end);
    let marked = format!("\u{feff}{LAST_MOVE}");
    let cases: [(&str, Vec<u8>, String); 9] = [
        ("CR CR LF", crlf(LAST_MOVE, "\r\r\n").into(), crlf(AFTER, "\r\n")),
        ("BOM", marked.into(), AFTER.to_owned()),
        ("UTF-16 LE", in_utf_16(LAST_MOVE, u16::to_le_bytes), AFTER.to_owned()),
        ("UTF-16 BE", in_utf_16(LAST_MOVE, u16::to_be_bytes), AFTER.to_owned()),
        ("Ctrl-Z", format!("{LAST_MOVE}\u{1a}").into(), AFTER.to_owned()),
        ("NUL", format!("{LAST_MOVE}\0\0\0").into(), AFTER.to_owned()),
        ("an empty line", with_empty_line(LAST_MOVE).into(), with_empty_line(AFTER)),
        ("empty lines at the end", format!("{LAST_MOVE}\n\n").into(), AFTER.to_owned()),
        ("one line", LAST_MOVE.trim_end().replace('\n', "/").into(), {
            AFTER.trim_end().replace('\n', "/")
        }),
    ];
    for (name, before, after) in cases {
        let folder = TestFolder::new();
        folder.write("\u{dc}bung 3 (Kopie).txt", before);
        let args = ["one-move", "\u{dc}bung 3 (Kopie).txt", "out.txt", "1"];
        super::Run::of(&mut folder.command(args)).success();
        assert_eq!(folder.read("out.txt"), after, "{name}");
    }
}

#[test]
fn missing_player_is_told_by_the_pieces() {
    let folder = TestFolder::new();
    let rows = TWELVE_PIECES.trim_end_matches("1\n");
    folder.write("twelve.txt", rows);
    let run = folder.run("one-move twelve.txt out.txt 1");
    let run =
        run.warned("twelve.txt: the next player is missing; by the pieces, Player 1 is to move");
    assert!(run.stdout.contains("move 13: Player 1"), "{}", run.stdout);
    let written = folder.read("out.txt");
    assert_eq!((written.lines().count(), written.ends_with("\n2\n")), (7, true), "{written}");
    // Player 1 has one piece more.
    folder.write("one.txt", "0000000\r\n".repeat(5) + "0001000");
    folder.run("one-move one.txt out.txt 1").warned("by the pieces, Player 2 is to move");
    assert!(folder.read("out.txt").ends_with("\r\n1"), "{:?}", folder.read("out.txt"));
}

#[test]
fn moves_and_lines_are_positions_where_no_file_has_their_name() {
    let folder = TestFolder::new();
    let line = "0000000/0000000/0000000/0000000/0002200/0001100/1";
    let board_of = |name: &str| {
        let text = folder.run(&format!("analyze {name} --depth 1")).success().stdout;
        text.lines().filter(|line| line.contains('|')).collect::<String>()
    };
    folder.write("file.txt", line.replace('/', "\n"));
    let of_file = board_of("file.txt");
    assert!(of_file.contains("| 0 0 0 2 2 0 0 |"), "{of_file}");
    for name in ["4455", "4,4,5,5", line] {
        assert_eq!(board_of(name), of_file, "{name}");
    }
    let full = "move 7, 4, is illegal: column 4 is full";
    let bad_row = "0000000/0000000/0000000/0000000/0000000/000x000/1";
    for (name, fault) in [
        ("4444444", format!("4444444: no such file; read as moves, {full}")),
        ("44x", "44x: cannot read the state file: ".to_owned()),
        ("1.txt", "1.txt: cannot read the state file: ".to_owned()),
        ("a/b.txt", "a/b.txt: cannot read the state file: ".to_owned()),
        (bad_row, format!("{bad_row}: 6:4: expected 0, 1 or 2, found `x`")),
    ] {
        folder.run(&format!("perft {name} 3")).failure(2, &fault);
    }
    folder.write("4455", TWELVE_PIECES);
    assert_ne!(board_of("4455"), of_file);
    folder.run("one-move 44 out.txt 1").failure(2, "44: cannot read the state file: ");
}

#[test]
fn dialogues_of_strange_editors_are_heard() {
    let folder = TestFolder::new();
    let said = "isready\nisready\nquit\n";
    let plain = folder.run_with("engine random", said).success().stdout;
    assert_eq!(plain, "readyok\nreadyok\n");
    let marked = format!("\u{feff}{}\u{1a}", said.replace('\n', "\r\r\n"));
    for said in
        [marked.into(), in_utf_16(said, u16::to_le_bytes), in_utf_16(said, u16::to_be_bytes)]
    {
        let run = super::Run::of(folder.command(["engine", "random"]).write_stdin(said));
        assert_eq!(run.success().stdout, plain);
    }
    let endless = "x".repeat(1 << 20);
    folder.run_with("engine random", &endless).failure(1, "expected lines of at most 65536 bytes");
}

#[test]
fn engine_hears_quit_and_the_end_while_it_thinks() {
    // A minute of thinking, and perfect play without a book, which never stops by itself so soon.
    for player in ["machine:time=60s", "machine:depth=42", "machine:perfect"] {
        for end in ["quit\n", ""] {
            let mut engine = Command::new(PROGRAM)
                .args(["engine", player, "--no-book", "--table", "1"])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .expect("the program");
            let mut input = engine.stdin.take().expect("a pipe");
            input.write_all(b"position startpos\ngo\n").expect("a listener");
            std::thread::sleep(Duration::from_millis(300));
            assert!(engine.try_wait().expect("a child").is_none(), "{player} thinks");
            let asked = Instant::now();
            input.write_all(end.as_bytes()).expect("a listener");
            // Only the end of the input is to be heard by one, and not by the other.
            let input = if end.is_empty() {
                drop(input);
                None
            } else {
                Some(input)
            };
            let status = engine.wait().expect("a child");
            assert!(status.success(), "{player}");
            // 50 ms on a machine with time for it, and a minute if nothing were heard.
            assert!(asked.elapsed() < Duration::from_secs(20), "{player}: {:?}", asked.elapsed());
            drop(input);
        }
    }
}

#[test]
fn moves_that_were_asked_for_before_quit_are_made() {
    let said = "position startpos\ngo depth 3\nposition startpos moves 4\ngo depth 2\nquit\n";
    let run = TestFolder::new().run_with("engine --no-book", said).success();
    let moves: Vec<_> = run.stdout.lines().collect();
    // The first is not the last thing that is asked, so that it has all its time.
    let [first, last] = moves[..] else { panic!("{moves:?}") };
    assert!(first.contains(" depth 3 ") && last.starts_with("bestmove "), "{moves:?}");
}

#[test]
fn player_of_a_depth_moves_in_time() {
    let mut engine = Command::new(PROGRAM)
        .args(["engine", "machine:depth=42", "--no-book", "--table", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut input = engine.stdin.take().expect("a pipe");
    input.write_all(b"position startpos\ngo wall 50\n").expect("a listener");
    std::thread::sleep(Duration::from_secs(1));
    drop(input);
    let output = engine.wait_with_output().expect("a child");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("bestmove "), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_told_of_the_target() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    // A process that may write no file at all finds the disk full.
    let script = format!("ulimit -f 0; trap '' XFSZ; exec '{PROGRAM}' one-move in.txt out.txt 1");
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path(".")).output();
    let output = output.expect("a shell");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.starts_with("error: out.txt: cannot write the file: "), "{stderr}");
    assert!(!stderr.contains(".tmp") && stderr.lines().count() == 1, "{stderr}");
    assert_eq!((output.status.code(), folder.files()), (Some(1), vec!["in.txt".to_owned()]));
}
