//! The program `maxconnect4`, run as people run it. Here are one-move mode and games with people.
//!
//! Expected outputs are files; after a change of the search that is meant to change them, run the
//! tests once with `UPDATE_GOLDEN=1` and look at the difference.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::common::{self, Tested, assert_same_as_file, project};

mod analysis;
mod book;
mod cluster;
mod external;
#[cfg(unix)]
pub mod grade;
mod inputs;
mod matches;
mod submissions;
#[cfg(target_os = "linux")]
mod terminal;
mod timing;
mod tournament;

pub use crate::common::Run;

/// The program that is run.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_maxconnect4");

/// A folder to run it in.
pub type TestFolder = common::TestFolder<MaxConnect4>;

/// The program `maxconnect4`.
pub struct MaxConnect4;

impl Tested for MaxConnect4 {
    const PROGRAM: &str = PROGRAM;
}

/// The input of the assignment with twelve pieces, with LF as line ends.
pub const TWELVE_PIECES: &str = "0000000\n0000000\n0200000\n0100002\n0200111\n1100222\n1\n";

/// A board with a single empty cell, in column 4; player 2 is to move.
pub const LAST_MOVE: &str = "2220222\n1111111\n2222222\n1111111\n2222222\n1111111\n2\n";

/// The same board after the last move.
pub const AFTER_LAST_MOVE: &str = "2222222\n1111111\n2222222\n1111111\n2222222\n1111111\n1\n";

/// A full board on which player 2 has more points, 3 to 2.
pub const FULL: &str = "2122111\n2111212\n2212112\n2112221\n1122222\n1121121\n1\n";

/// A file of `inputs/maxconnect4`.
pub fn input(name: &str) -> PathBuf {
    project().join("inputs/maxconnect4").join(name)
}

/// A file of `tests/maxconnect4`.
pub fn data(name: &str) -> PathBuf {
    project().join("tests/maxconnect4").join(name)
}

/// Compares with a file of `tests/maxconnect4`, or writes it if `UPDATE_GOLDEN` is set.
#[track_caller]
pub fn assert_golden(name: &str, actual: &str) {
    assert_same_as_file(Path::new(&data(name)), actual);
}

fn golden(input_name: &str, depth: &str, golden_name: &str) {
    let folder = TestFolder::new();
    let file = input(input_name);
    let args = ["one-move".as_ref(), file.as_os_str(), "out.txt".as_ref(), depth.as_ref()];
    let run = Run::of(&mut folder.command(args)).success();
    assert_golden(&format!("golden/{golden_name}.stdout"), &run.stdout);
    assert_golden(&format!("golden/{golden_name}.txt"), &folder.read("out.txt"));
    assert_eq!(folder.files(), ["out.txt"]);
}

#[test]
fn both_inputs_of_the_assignment() {
    golden("input1.txt", "7", "one-move-input1");
    golden("input2.txt", "7", "one-move-input2");
}

#[test]
fn one_empty_cell() {
    let folder = TestFolder::new();
    folder.write("in.txt", LAST_MOVE);
    let run = folder.run("one-move in.txt out.txt 42");
    assert!(run.stdout.contains("\nmove 42: Player 2, column 4\n"), "{}", run.stdout);
    assert_eq!(folder.read("out.txt"), AFTER_LAST_MOVE);
}

#[test]
fn a_full_board_is_shown_and_nothing_written() {
    let folder = TestFolder::new();
    folder.write("full.txt", FULL);
    let run = folder.run("one-move full.txt out.txt 3").success();
    assert_golden("golden/one-move-full.stdout", &run.stdout);
    assert_eq!(folder.files(), ["full.txt"]);
}

#[test]
fn the_output_may_be_the_input() {
    let folder = TestFolder::new();
    folder.write("state.txt", TWELVE_PIECES);
    folder.run("one-move state.txt state.txt 2").success();
    assert!(folder.read("state.txt").ends_with("\n2\n"));
    assert_eq!(folder.files(), ["state.txt"]);
}

#[test]
fn a_whole_game_move_by_move() {
    let folder = TestFolder::new();
    folder.write("state.txt", "0000000\n".repeat(6) + "1\n");
    for number in 1..=42 {
        let run = folder.run("one-move state.txt state.txt 1").success();
        let player = 2 - number % 2;
        assert!(run.stdout.contains(&format!("\nmove {number}: Player {player}, column ")));
    }
    let run = folder.run("one-move state.txt state.txt 1").success();
    assert!(run.stdout.ends_with("\nBOARD FULL\nGame over!\n\n"), "{}", run.stdout);
}

#[test]
fn time_in_place_of_depth() {
    let folder = TestFolder::new();
    folder.write("in.txt", LAST_MOVE);
    folder.run("one-move in.txt out.txt --time 20ms").success();
    assert_eq!(folder.read("out.txt"), AFTER_LAST_MOVE);
}

#[test]
fn the_same_seed_makes_the_same_move() {
    let folder = TestFolder::new();
    let moves = |seed: &str| {
        let file = input("input1.txt");
        let args = ["one-move".as_ref(), file.as_os_str(), "out.txt".as_ref(), "4".as_ref()];
        let run = Run::of(folder.command(args).args(["--seed", seed, "--table", "1"]));
        run.success().stdout
    };
    assert_eq!(moves("7"), moves("7"));
}

#[test]
fn piece_counts_that_contradict_the_next_player_are_warned_of() {
    let folder = TestFolder::new();
    let second_is_next = TWELVE_PIECES.replace("\n1\n", "\n2\n");
    folder.write("in.txt", second_is_next);
    let run = folder.run("one-move in.txt out.txt 1");
    assert_eq!(run.code, Some(0));
    assert_eq!(
        run.stderr,
        "warning: in.txt: player 2 is next, but player 1 has 6 pieces and player 2 has 6 pieces\n"
    );
    assert!(run.stdout.contains("move 13: Player 2, column "));
    assert!(folder.read("out.txt").ends_with("\n1\n"));
}

#[test]
fn a_position_from_standard_input() {
    let folder = TestFolder::new();
    folder.run_with("one-move - out.txt 1", TWELVE_PIECES).success();
    assert!(folder.read("out.txt").ends_with("\n2\n"));
}

#[cfg(unix)]
mod devices {
    use std::fs::{self, File, OpenOptions};
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn standard_output_gets_the_state_after_the_text() {
        let folder = TestFolder::new();
        folder.write("in.txt", LAST_MOVE);
        let run = folder.run("one-move in.txt /dev/stdout 1").success();
        folder.run("one-move in.txt out.txt 1").success();
        assert!(run.stdout.starts_with("\nMaxConnect-4 game\n"));
        assert!(run.stdout.ends_with(&format!("\n\n{}", folder.read("out.txt"))), "{}", run.stdout);
    }

    #[test]
    fn a_file_that_standard_output_goes_to_keeps_all_of_it() {
        let folder = TestFolder::new();
        folder.write("in.txt", LAST_MOVE);
        for output in ["/dev/stdout", "/dev/stderr", "/dev/fd/1"] {
            let log = File::create(folder.path("log.txt")).expect("a log");
            let append = OpenOptions::new().append(true).open(folder.path("log.txt"));
            let status = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
                .current_dir(folder.path("."))
                .args(["one-move", "in.txt", output, "1"])
                .stdout(log)
                .stderr(append.expect("a log"))
                .status();
            assert!(status.expect("the program").success());
            let log = folder.read("log.txt");
            assert!(log.starts_with("\nMaxConnect-4 game\n"), "{log}");
            assert!(log.ends_with(&format!("\n\n{AFTER_LAST_MOVE}")), "{log}");
        }
    }

    #[test]
    fn the_null_device_stays_a_device() {
        let folder = TestFolder::new();
        folder.write("in.txt", LAST_MOVE);
        folder.run("one-move in.txt /dev/null 1").success();
        assert!(!fs::metadata("/dev/null").expect("the null device").is_file());
    }

    #[test]
    fn others_may_read_the_output() {
        let folder = TestFolder::new();
        folder.write("in.txt", LAST_MOVE);
        folder.run("one-move in.txt out.txt 1").success();
        let mode = |name| fs::metadata(folder.path(name)).expect(name).permissions().mode();
        assert_eq!(mode("out.txt"), mode("in.txt"));
    }

    #[test]
    fn a_closed_pipe_does_not_keep_the_move_from_being_made() {
        let folder = TestFolder::new();
        folder.write("in.txt", LAST_MOVE);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
            .current_dir(folder.path("."))
            .args(["one-move", "in.txt", "out.txt", "1"])
            .stdout(Stdio::from(writer))
            .stderr(Stdio::piped())
            .output()
            .expect("the program");
        assert!(output.status.success());
        assert!(output.stderr.is_empty());
        assert_eq!(folder.read("out.txt"), AFTER_LAST_MOVE);
    }
}

const EMPTY: &str = "0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n1\r\n";

/// Four cells are empty, two in column 2 and two in column 6; player 1 is to move.
const FOUR_LEFT: &str = "2011102\n1021201\n1222112\n2112221\n1221112\n2112221\n1\n";

#[test]
fn a_game_with_bad_columns_from_either_side() {
    for (next, script) in [
        ("computer-next", "0\n8\nx\n\n3\n2\n6\n2\n6\n"),
        ("human-next", "9\n-1\nseven\n4\n 6 \n2\n6\n2\n"),
    ] {
        let folder = TestFolder::new();
        folder.write("in.txt", FOUR_LEFT);
        let run = folder.run_with(&format!("interactive in.txt {next} 4"), script).success();
        assert_golden(&format!("golden/interactive-{next}.stdout"), &run.stdout);
        for file in ["computer", "human"] {
            let state = folder.read(&format!("{file}.txt"));
            assert_golden(&format!("golden/interactive-{next}-{file}.txt"), &state);
        }
        assert_eq!(folder.files(), ["computer.txt", "human.txt", "in.txt"]);
        assert_eq!(folder.read("in.txt"), FOUR_LEFT);
    }
}

#[test]
fn first_means_next() {
    for (next, first) in [("computer-next", "computer-first"), ("human-next", "human-first")] {
        let outputs = [next, first].map(|next| {
            let folder = TestFolder::new();
            folder.run_with(&format!("interactive new.txt {next} 2"), "4\n4\n").success().stdout
        });
        assert_eq!(outputs[0], outputs[1]);
    }
}

#[test]
fn a_missing_file_is_an_empty_board() {
    let folder = TestFolder::new();
    let run = folder.run_with("interactive new.txt human-next 2", "3\n").success();
    assert!(run.stdout.contains("\nmove 1: Player 1, column 3\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nmove 2: Player 2, column "), "{}", run.stdout);
    assert!(run.stdout.ends_with("\nEnd of input: the game ends here.\n"), "{}", run.stdout);
    let human = EMPTY.replace("0000000\r\n1", "0010000\r\n2");
    assert_eq!(folder.read("human.txt"), human);
    let computer = folder.read("computer.txt");
    assert_eq!(computer.len(), EMPTY.len());
    assert!(computer.ends_with("\r\n1\r\n"), "{computer}");
    assert_eq!(folder.files(), ["computer.txt", "human.txt"]);
}

#[test]
fn the_end_of_input_ends_the_game_politely() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    let run = folder.run_with("interactive in.txt human-next 2", "").success();
    assert!(run.stdout.ends_with("\nEnd of input: the game ends here.\n"), "{}", run.stdout);
    assert_eq!(folder.files(), ["in.txt"]);

    // The last line has no line end, and yet it is a move.
    let run = folder.run_with("interactive in.txt human-next 2", "4").success();
    assert!(run.stdout.contains("\nmove 13: Player 1, column 4\n"), "{}", run.stdout);
    assert!(folder.read("human.txt").ends_with("\n1101222\n2\n"));
    assert!(folder.read("computer.txt").ends_with("\n1\n"));
}

#[test]
fn a_full_board_ends_at_once() {
    for next in ["computer-next", "human-next"] {
        let folder = TestFolder::new();
        folder.write("in.txt", FULL);
        let run = folder.run(&format!("interactive in.txt {next} 2")).success();
        assert_golden("golden/interactive-full.stdout", &run.stdout);
        assert_eq!(folder.files(), ["in.txt"]);
    }
}

#[test]
fn the_last_cell_names_the_winner() {
    for (next, file) in [("computer-next", "computer.txt"), ("human-next", "human.txt")] {
        let folder = TestFolder::new();
        folder.write("in.txt", LAST_MOVE);
        let run = folder.run_with(&format!("interactive in.txt {next} 9"), "4\n").success();
        assert!(
            run.stdout.ends_with("BOARD FULL\nGame over!\nIt is a tie, 12 to 12.\n"),
            "{}",
            run.stdout
        );
        assert_eq!(folder.files(), [file, "in.txt"]);
    }
}

#[test]
fn whole_games_by_trying_every_column() {
    let script = "1\n2\n3\n4\n5\n6\n7\n".repeat(30);
    for next in ["computer-next", "human-next"] {
        let folder = TestFolder::new();
        let run = folder.run_with(&format!("interactive new.txt {next} 2"), &script).success();
        assert_eq!(run.stdout.matches("\nmove ").count(), 42);
        assert!(run.stdout.contains("is full\n"));
        assert!(run.stdout.contains("\nBOARD FULL\nGame over!\n"), "{}", run.stdout);
        let last = if next == "computer-next" { "human.txt" } else { "computer.txt" };
        assert!(!folder.read(last).contains('0'));
    }
}

#[test]
fn input_of_any_bytes_is_refused_on_one_line() {
    let folder = TestFolder::new();
    let mut command = folder.command(["interactive", "new.txt", "human-next", "2"]);
    let run = Run::of(command.write_stdin(b"\xff\x1b[2J\x00\n4\r\n".to_vec()));
    let run = run.success();
    assert!(!run.stdout.contains('\x1b'));
    assert!(run.stdout.contains("expected a column from 1 to 7, found `"), "{}", run.stdout);
    assert!(run.stdout.contains("\nmove 1: Player 1, column 4\n"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_game_quietly() {
    use std::process::{Command, Stdio};
    let folder = TestFolder::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
        .current_dir(folder.path("."))
        .args(["interactive", "new.txt", "computer-next", "2"])
        .stdin(Stdio::null())
        .stdout(Stdio::from(writer))
        .stderr(Stdio::piped())
        .output()
        .expect("the program");
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn after_move(state: &str) -> String {
    let folder = TestFolder::new();
    folder.write("in.txt", state);
    folder.run("one-move in.txt out.txt 1").success();
    folder.read("out.txt")
}

#[test]
fn every_line_end_with_and_without_the_last() {
    for line_end in ["\n", "\r\n", "\r"] {
        let [before, after] =
            [LAST_MOVE, AFTER_LAST_MOVE].map(|state| state.replace('\n', line_end));
        assert_eq!(after_move(&before), after);
        let strip = |text: &str| text.strip_suffix(line_end).expect("a final line end").to_owned();
        assert_eq!(after_move(&strip(&before)), strip(&after));
    }
}

#[test]
fn mixed_line_ends() {
    let mix =
        |state: &str| state.replacen('\n', "\r\n", 3).replacen("2\n1111111\n", "2\n1111111\r", 1);
    assert_eq!(after_move(&mix(LAST_MOVE)), mix(AFTER_LAST_MOVE));
}

#[test]
fn blanks_and_tabs() {
    let spread = |top: &str| format!("{top}\r\n 1\t1 1111 1\r\n");
    let rest = LAST_MOVE.lines().skip(2).collect::<Vec<_>>().join("\n");
    let before = format!("{}{rest} ", spread("2 2 2\t0 2 2 2  "));
    let after = format!("{}{rest} ", spread("2 2 2\t2 2 2 2  ")).replace("\n2 ", "\n1 ");
    assert_eq!(after_move(&before), after);
}

#[test]
fn empty_lines_at_the_end_are_left_out() {
    for (more, line_end) in
        [("\n\n", "\n"), ("\r\n \t\r\n", "\r\n"), ("\r\r\r", "\r"), (" \n", "\n")]
    {
        let with_end = |state: &str, end: &str| {
            state.replace('\n', line_end).trim_end_matches(line_end).to_owned() + end
        };
        let end = if more == " \n" { " \n" } else { line_end };
        assert_eq!(
            after_move(&with_end(LAST_MOVE, more)),
            with_end(AFTER_LAST_MOVE, end),
            "{more:?}"
        );
    }
}

#[test]
fn empty_lines_at_the_start() {
    assert_eq!(after_move(&format!("\n \n{LAST_MOVE}")), format!("\n \n{AFTER_LAST_MOVE}"));
}

proptest! {
    // The cases are the same in every run.
    #![proptest_config(Config {
        cases: 256,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    })]

    /// Whatever is wrong with a file, it is refused with a place in the file and on one line, and
    /// whatever is accepted can be written and read again.
    #[test]
    fn damaged_files_are_refused_or_understood(
        places in prop::collection::vec(0..70_usize, 0..4),
        characters in prop::collection::vec(prop::sample::select(
            vec!['0', '1', '2', '3', ' ', '\t', '\n', '\r', 'x', '\0', '\u{e9}']), 4),
        delete in any::<bool>(),
    ) {
        let mut text: Vec<char> = TWELVE_PIECES.chars().collect();
        for (place, &character) in places.into_iter().zip(&characters) {
            let place = place.min(text.len());
            if delete && place < text.len() {
                text.remove(place);
            } else {
                text.insert(place, character);
            }
        }
        let text = plyground_host::state::StateText::new(text.into_iter().collect());
        let size = maxconnect4::Size::STANDARD;
        match maxconnect4::parse_state(&text, size) {
            Ok(position) => {
                let written = text.with_symbols(&maxconnect4::format_state(&position));
                let written = plyground_host::state::StateText::new(written);
                prop_assert_eq!(maxconnect4::parse_state(&written, size), Ok(position));
            }
            Err(fault) => {
                prop_assert!(fault.line >= 1 && fault.column >= 1);
                prop_assert_eq!(fault.to_string().lines().count(), 1);
            }
        }
    }
}
