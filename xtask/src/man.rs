//! The man pages, from the command lines of the programs.

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;

use crate::completions::commands;
use crate::tree::Tree;

const FOLDER: &str = "share/man/man1";

/// Adds a page for every command of every program.
pub fn add_pages(tree: &mut Tree, version: &str) -> Result<()> {
    let commands = commands();
    let names: Vec<String> = commands.iter().map(|command| command.get_name().to_owned()).collect();
    for command in commands {
        let mut command = command.version(version.to_owned()).disable_help_subcommand(true);
        command.build();
        add(tree, &command, version, &names)?;
    }
    Ok(())
}

/// Adds the page of a command and the pages of its subcommands. A subcommand that is also a program of its
/// own has its pages under the name of the program.
fn add(tree: &mut Tree, command: &Command, version: &str, programs: &[String]) -> Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let other = inner.get_name();
        if programs.iter().any(|program| program == other) {
            tree.add(format!("{FOLDER}/{name}-{other}.1"), format!(".so man1/{other}.1\n"));
        } else {
            add(tree, inner, version, programs)?;
        }
    }
    let page = Man::new(command.clone()).source(format!("Plyground {version}"));
    let mut bytes = Vec::new();
    page.manual("Plyground").render(&mut bytes)?;
    tree.add(format!("{FOLDER}/{name}.1"), bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() -> Result<()> {
        let mut tree = Tree::default();
        add_pages(&mut tree, "1.2.3")?;
        let pages: Vec<&str> = tree.files().map(|(path, _)| path).collect();
        for name in [
            "network",
            "network-verify-solution",
            "maxconnect4-grade-gradescope",
            "plyground-serve",
        ] {
            assert!(pages.contains(&&*format!("{FOLDER}/{name}.1")), "{name}");
        }
        for (path, file) in tree.files() {
            let text = String::from_utf8(file.bytes.clone())?;
            assert!(
                text.contains(".SH SYNOPSIS") || text.starts_with(".so man1/"),
                "{path}: {text}"
            );
            // The processor that this test was built for is not that of the reader.
            assert!(!text.contains("x86-64-v"), "{path}");
        }
        Ok(())
    }
}
