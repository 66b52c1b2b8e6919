//! Completions of the command lines, for the shells that support them.

use clap::Command;
use clap_complete::{Generator, Shell};
use plyground_host::SharedGame;
use programs::GameCommands;

use crate::tree::Tree;

/// The shells, and the folders in which they look for the completions of programs.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions"),
    (Shell::Fish, "share/fish/vendor_completions.d"),
    (Shell::Zsh, "share/zsh/vendor-completions"),
];

/// Returns the command lines of the programs.
pub fn commands() -> Vec<Command> {
    let of_game = |game: SharedGame| (GameCommands::of(&*game).command)(&game, game.name());
    games::all().into_iter().map(of_game).chain([programs::all::command()]).collect()
}

/// Adds the completions of every program for every shell.
pub fn add(tree: &mut Tree) {
    for (shell, folder) in SHELLS {
        for mut command in commands() {
            let name = command.get_name().to_owned();
            // Bash looks for the bare name of the program.
            let file = if shell == Shell::Bash { name.clone() } else { shell.file_name(&name) };
            let mut bytes = Vec::new();
            clap_complete::generate(shell, &mut command, name, &mut bytes);
            tree.add(format!("{folder}/{file}"), bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_completed_in_every_shell() {
        let mut tree = Tree::default();
        add(&mut tree);
        assert_eq!(tree.files().count(), SHELLS.len() * commands().len());
        for (path, file) in tree.files() {
            let text = String::from_utf8_lossy(&file.bytes);
            assert!(text.contains("analyze") && text.contains("depth"), "{path}");
        }
    }
}
