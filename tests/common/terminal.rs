//! A program at a pseudo terminal, as a person has it before them.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nix::pty::{Winsize, openpty};

/// Nothing waits longer, unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program at a terminal of its own; it is killed when dropped.
pub struct Terminal {
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// The output that no [`Terminal::wait_for`] has looked at.
    new: String,
    process: Child,
}

impl Terminal {
    /// Starts a program in `folder` at a terminal of this many columns, with arguments separated by blanks.
    pub fn start(program: &str, args: &str, folder: &Path, columns: u16) -> Terminal {
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
    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal");
    }

    /// Waits until the program has written this, after what was waited for before. Returns what is before it.
    #[track_caller]
    pub fn wait_for(&mut self, part: &str) -> String {
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
    pub fn end(mut self) -> Option<i32> {
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
