//! USF's session.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::{TestFolder, assert_golden, is_result};

/// The game of the assignment's page, with its two refusals, and the move that wins it.
const PAGE: &str = "2\nA 4\nD 3\nB 5\nD 1\nA 6\nB 7\nB 1\nG 2\nA 3\nB 4\nD 2\nE 8\nH 6\n";

/// Twenty pieces; player 1 is to move one of theirs.
const ALL_PLACED: &str = "2\nF5\nE3\nH4\nD5\nH7\nF8\nF6\nF3\nF2\nB4\nC5\nD1\nA2\nB7\nC3\nE5\nD2\nC1\n\
                          G2\nB3\n";

fn session(input: &str) -> String {
    TestFolder::new().run_with("", input).success().stdout
}

#[test]
fn the_game_of_the_page() {
    let stdout = session(PAGE);
    assert_golden("usf-page.stdout", &stdout);
    assert!(stdout.contains("\nPlayer 1: Bad move!\nPosition would form clump\n"));
    assert!(stdout.contains("\nPlayer 2: Bad move!\nPosition in opponent goal\n"));
    assert!(stdout.contains("\nPlayer 1 wins!\nA4 B5 B7 G2 D2 H6\n"));
}

#[test]
fn positions_are_read_in_any_form() {
    let plain = PAGE.replace(' ', "");
    for input in [plain.clone(), plain.to_lowercase(), PAGE.replace('\n', " \r\n")] {
        assert_eq!(session(&input), session(PAGE));
    }
}

#[test]
fn two_sessions_in_one_input() {
    let one = session(PAGE);
    assert_eq!(session(&PAGE.repeat(2)), one.repeat(2));
    assert_eq!(session(&format!("{PAGE}\n\n{PAGE}\n \n")), one.repeat(2));
}

#[test]
fn the_end_of_input_ends_the_session() {
    let end = "\nEnd of input: the session ends here.\n";
    for input in ["", "2\n", "2\nA4\n", "1\n", "2\nA4\nA4\n"] {
        let stdout = session(input);
        assert!(stdout.ends_with(end), "{input:?}: {stdout}");
        assert!(!stdout.contains("wins"), "{stdout}");
    }
    assert_golden("usf-end.stdout", &session("3\n\nx\n2\nA4\n"));
}

#[test]
fn every_bad_place_has_its_reason() {
    let stdout = session("2\nA4\nI1\nA9\nA0\nH1\nB8\nD1\nA4\nA 4 B 5\n4A\n\nE8\nB5\nD4\nC6\n");
    assert_golden("usf-refusals.stdout", &stdout);
    for reason in [
        "Position is off the board",
        "Position in corner",
        "Position already occupied",
        "Cannot read a position in: A 4 B 5",
        "Cannot read a position in: 4A",
        "Position would form clump",
    ] {
        assert!(stdout.contains(&format!("Bad move!\n{reason}\n")), "{reason}: {stdout}");
    }
}

#[test]
fn every_bad_step_has_its_reason() {
    let steps = "A2\nC8 C7\nE3 E4\nA2 A2\nA2 A8\nA2 D8\nA2 D5\nA2 A9\nA2 D3\nA2 A3\nB4 B8\n";
    let stdout = session(&format!("{ALL_PLACED}{steps}"));
    let refusals = stdout.rsplit("B3").next().unwrap_or_default();
    let first = refusals.find("Player 1: Enter row and column position of piece").unwrap_or(0);
    assert_golden("usf-steps.stdout", &refusals[first..]);
    for reason in [
        "Cannot read a position in: A2",
        "No piece of yours there",
        "Piece must move to a different position",
        "Position in corner",
        "Position in opponent goal",
        "Position already occupied",
        "Position is off the board",
        "Position would form clump",
        "Move would create networks for both players",
    ] {
        assert!(stdout.contains(&format!("Bad move!\n{reason}\n")), "{reason}: {stdout}");
    }
}

#[test]
fn one_human_is_player_1_and_the_computer_answers() {
    let stdout = session("1\nD4\n");
    let answer = stdout.lines().find(|line| line.starts_with("Player 2: "));
    assert!(answer.is_some_and(|line| line.len() == "Player 2: D3".len()), "{stdout}");
    assert_eq!(stdout.matches("\nH:").count(), 3, "{stdout}");
    assert!(stdout.ends_with("\nEnd of input: the session ends here.\n"));
}

/// Reads what is shown of a game between computers until `boards` boards have been.
fn watch(boards: usize) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_network"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let write = child.stdin.as_mut().map(|stdin| std::io::Write::write_all(stdin, b"0\n"));
    assert!(matches!(write, Some(Ok(()))));
    let mut lines = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
        lines.push(line.expect("a line"));
        if lines.iter().filter(|line| line.starts_with("H:")).count() == boards {
            break;
        }
    }
    child.kill().expect("the program was still running");
    child.wait().expect("the program has ended");
    lines
}

#[test]
fn without_humans_the_board_is_shown_after_every_move() {
    let lines = watch(2);
    let moves: Vec<&String> = lines.iter().filter(|line| line.starts_with("Player ")).collect();
    assert_eq!(moves.len(), 2, "{lines:?}");
    assert!(moves[0].starts_with("Player 1: ") && moves[1].starts_with("Player 2: "));
}

#[test]
fn a_finished_game_ends_with_a_result() {
    assert!(is_result(session(PAGE).lines().last().unwrap_or_default()));
}
