//! People who play at a pseudo terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nix::pty::{Winsize, openpty};

use super::{PROGRAM, TestFolder};

/// Nothing waits longer, unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program at a terminal of its own; it is killed when dropped.
struct Terminal {
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// The output that no [`Terminal::wait_for`] has looked at.
    new: String,
    process: Child,
}

impl Terminal {
    /// Starts a program in `folder` at a terminal of this many columns, with arguments separated by blanks.
    fn start(program: &str, args: &str, folder: &Path, columns: u16) -> Terminal {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let ends = openpty(&size, None).expect("a pseudo terminal");
        let end = |of: &OwnedFd| of.try_clone().expect("a descriptor");
        // The program leads a session whose terminal is its input, so that Ctrl-C is for the program.
        let process = Command::new("setsid")
            .args(["--ctty", "--wait", program])
            .args(args.split_whitespace())
            .current_dir(folder)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .stdin(Stdio::from(end(&ends.slave)))
            .stdout(Stdio::from(end(&ends.slave)))
            .stderr(Stdio::from(ends.slave))
            .spawn()
            .expect("setsid");
        let (sender, screen) = channel();
        let mut output = File::from(end(&ends.master));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // A terminal that no program has any more is an error to read.
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let _ = sender.send(bytes[..count].to_vec());
            }
        });
        Terminal { keyboard: ends.master.into(), screen, new: String::new(), process }
    }

    /// Types keys, which are characters and control sequences.
    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal");
    }

    /// Waits until the program has written this, after what was waited for before. Returns what is before it.
    #[track_caller]
    fn wait_for(&mut self, part: &str) -> String {
        loop {
            if let Some(at) = self.new.find(part) {
                let rest = self.new.split_off(at + part.len());
                return std::mem::replace(&mut self.new, rest);
            }
            let more = self.screen.recv_timeout(PATIENCE);
            let more = more.unwrap_or_else(|_| panic!("waited for `{part}`: {}", self.new));
            self.new += &String::from_utf8_lossy(&more);
        }
    }

    /// Waits until the program has ended, and returns its exit code.
    fn end(mut self) -> Option<i32> {
        self.process.wait().expect("its end").code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

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
    // Without -q, a question follows a game whose input has not ended.
    for quits in ["-q ", ""] {
        let args = format!("play {quits}human random --seed 1 --table 1");
        let mut terminal = Terminal::start(PROGRAM, &args, &place.path(""), 80);
        terminal.wait_for(PROMPT);
        terminal.press(CTRL_D);
        terminal.wait_for("Result: 0-1");
        assert_eq!(terminal.end(), Some(0));
    }
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
