//! People who play at a terminal.

use super::{PROGRAM, TestFolder};
use crate::common::terminal::Terminal;

const LEFT: &str = "\x1b[D";
const UP: &str = "\x1b[A";
const BACKSPACE: &str = "\x7f";
const ENTER: &str = "\r";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

const PROMPT: &str = "Player 1, choose a column (1-7): ";

fn play(place: &TestFolder, args: &str, columns: u16) -> Terminal {
    Terminal::start(PROGRAM, &format!("play -q {args} --table 1"), &place.path(""), columns)
}

#[test]
fn line_is_edited_and_repeated() {
    let place = TestFolder::new();
    let mut terminal = play(&place, "human machine:depth=1 --seed 1", 80);
    terminal.wait_for(PROMPT);
    // The 4 is deleted, with the cursor behind it.
    terminal.press(&["45", LEFT, BACKSPACE, ENTER].concat());
    terminal.wait_for("move 1: Player 1, column 5");
    terminal.wait_for(PROMPT);
    terminal.press(&[UP, ENTER].concat());
    terminal.wait_for("move 3: Player 1, column 5");
    terminal.wait_for(PROMPT);
    terminal.press(&[UP, UP, BACKSPACE, "9", ENTER].concat());
    terminal.wait_for("found `9`");
    terminal.press(&["q", ENTER].concat());
    terminal.wait_for("Result: 0-1");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn interrupted_game_says_how_it_stands() {
    let place = TestFolder::new();
    let mut terminal = play(&place, "human random --seed 1", 80);
    terminal.wait_for(PROMPT);
    terminal.press(&["4", ENTER].concat());
    terminal.wait_for("move 2: Player 2, ");
    terminal.wait_for(PROMPT);
    terminal.press(CTRL_C);
    terminal.wait_for("interrupted; so far it is 0 to 0, and Player 1 is to move.");
    assert_eq!(terminal.end(), Some(130));

    // While the machine thinks, for longer than any test.
    let mut terminal = play(&place, "human machine:time=10h --seed 1 --no-book", 80);
    terminal.wait_for(PROMPT);
    terminal.press(&["4", ENTER].concat());
    terminal.wait_for("move 1: Player 1, column 4");
    terminal.wait_for("Score: Player 1 = 0, Player 2 = 0");
    terminal.press(CTRL_C);
    terminal.wait_for("interrupted; so far it is 0 to 0, and Player 2 is to move.");
    assert_eq!(terminal.end(), Some(130));
}

#[test]
fn end_of_the_input_ends_the_game() {
    let place = TestFolder::new();
    let mut terminal = play(&place, "human random --seed 1", 80);
    terminal.wait_for(PROMPT);
    terminal.press(CTRL_D);
    terminal.wait_for("Result: 0-1");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn nothing_is_wider_than_a_narrow_terminal() {
    let place = TestFolder::new();
    let mut terminal = play(&place, "human random --seed 1", 40);
    terminal.wait_for(PROMPT);
    terminal.press(&["help", ENTER].concat());
    let help = terminal.wait_for("this text\r\n");
    // The line that is edited has control sequences.
    let lines = help.lines().filter(|line| !line.contains('\x1b'));
    let longest = lines.map(|line| line.chars().count()).max();
    assert!(help.contains("resign") && longest <= Some(40), "{help}");
    terminal.wait_for(PROMPT);
    terminal.press(&["resign", ENTER].concat());
    terminal.wait_for("Result: 0-1");
    assert_eq!(terminal.end(), Some(0));
}
