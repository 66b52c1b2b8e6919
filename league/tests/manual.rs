//! The manual's page about leagues: its commands and options are those of the program.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use clap::Command;

/// The heading of the part that is made from the program.
const HEADING: &str = "## Commands and options\n";

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/league.md")
}

/// Returns the commands with their options.
fn reference(command: &Command) -> String {
    let mut text = HEADING.to_owned();
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = write!(text, "\n`{}`: {about}.\n\n| | |\n| --- | --- |\n", inner.get_name());
        for arg in inner.get_arguments().filter(|arg| arg.get_id() != "help") {
            let takes_value = arg.get_action().takes_values();
            let value = arg.get_value_names().filter(|_| takes_value);
            let value = value.and_then(|names| names.first()).map(|name| name.to_string());
            let name = match (arg.get_long(), value) {
                (Some(long), Some(value)) => format!("--{long} {value}"),
                (Some(long), None) => format!("--{long}"),
                (None, value) => value.unwrap_or_default(),
            };
            let defaults = arg.get_default_values().iter().filter(|_| takes_value);
            let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
            let default = match &defaults[..] {
                [] => String::new(),
                _ => format!(" (`{}` by default)", defaults.join(" ")),
            };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "| `{name}` | {help}{default} |");
        }
    }
    text
}

#[test]
fn manual_has_the_commands_and_options() {
    let mut command = league::commands::command();
    command.build();
    let text = fs::read_to_string(page()).expect("a page");
    let (before, _) = text.split_once(HEADING).expect("a heading");
    let expected = format!("{before}{}", reference(&command));
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(page(), expected).expect("a file");
        return;
    }
    assert!(text == expected, "UPDATE_GOLDEN=1 cargo test -p league manual");
}

#[test]
fn settings_of_the_manual_are_those_of_a_new_league() {
    let text = fs::read_to_string(page()).expect("a page");
    for line in league::config::TEMPLATE.lines() {
        let Some((key, _)) = line.trim_start_matches("# ").split_once(" = ") else { continue };
        assert!(text.contains(&format!("`{key}`")), "`{key}` is not on the page");
    }
}
