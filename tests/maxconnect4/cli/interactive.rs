//! Interactive mode.

use super::support::{FULL, LAST_MOVE, TWELVE_PIECES, TestFolder, assert_golden};

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
    let run = super::support::Run::of(command.write_stdin(b"\xff\x1b[2J\x00\n4\r\n".to_vec()));
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
