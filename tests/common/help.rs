//! The examples in the help of a program.

use std::path::Path;
use std::process::Command;

/// The width of a terminal: a line that it breaks cannot be copied from it.
const COLUMNS: usize = 80;

/// Asserts that every command of a program has examples in its help, that they can be copied, and
/// that the program takes their arguments. Returns the number of examples.
#[track_caller]
pub fn check_examples(program: &Path) -> usize {
    let folder = program.parent().expect("a folder");
    let name = program.file_name().and_then(|name| name.to_str()).expect("a name");
    let shell = |script: &str| {
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-c", script])
            .env("PATH", format!("{}:{path}", folder.display()))
            .output()
            .expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{script}: {stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let overview = shell(&format!("{name} help"));
    let commands = overview.split("Commands:\n").nth(1).expect("commands");
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let mut count = 0;
    for command in commands.filter_map(|line| line.strip_prefix("  ")) {
        // What has no name goes on about the command before.
        let command = command.split(' ').next().unwrap_or_default();
        if command.is_empty() || command == "help" {
            continue;
        }
        let help = shell(&format!("{name} {command} --help"));
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        assert!(examples.starts_with(&format!("  {name} {command}")), "{command}: {help}");
        let widest = examples.lines().map(str::len).max();
        assert!(widest.is_some_and(|width| width <= COLUMNS), "{examples}");
        for example in examples.trim_end().replace("\\\n", " ").lines() {
            // The help comes after all arguments have been read.
            shell(&format!("{example} --help"));
            count += 1;
        }
    }
    count
}
