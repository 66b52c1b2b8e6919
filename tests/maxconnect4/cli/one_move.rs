//! One-move mode.

use super::support::{
    AFTER_LAST_MOVE, FULL, LAST_MOVE, Run, TWELVE_PIECES, TestFolder, assert_golden, input,
};

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
