//! `new-game`: a package for a game of one's own, outside of this repository.
//!
//! Its sources are those of `examples/mygame`, which the tests of the workspace compile and run.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use plyground_cli::Failure;
use plyground_durable::output::write_new_folder;

/// The names of the game in the sources: that of the package, and that of the type.
const NAMES: [&str; 2] = ["mygame", "MyGame"];

/// The manifest, with `{engine}`, `{cli}` and `{host}` for the folders of the packages.
const MANIFEST: &str = include_str!("new_game/Cargo.toml.in");

/// The other files.
const FILES: [(&str, &str); 9] = [
    (".cargo/config.toml", include_str!("new_game/config.toml")),
    (".gitignore", "/target\n"),
    ("README.md", include_str!("new_game/README.md")),
    ("src/adapter.rs", include_str!("../../examples/mygame/src/adapter.rs")),
    ("src/lib.rs", include_str!("../../examples/mygame/src/lib.rs")),
    ("src/main.rs", include_str!("../../examples/mygame/src/main.rs")),
    ("src/rules.rs", include_str!("../../examples/mygame/src/rules.rs")),
    ("starters/python/board.py", include_str!("../../examples/mygame/starters/python/board.py")),
    ("tests/contract.rs", include_str!("../../examples/mygame/tests/contract.rs")),
];

/// The words of Rust, and names of packages that a game builds on.
const TAKEN: &str = "abstract as async await become box break const continue crate do dyn else enum extern \
    false final fn for gen if impl in let loop macro match mod move mut plyground pub ref \
    return self static struct super test trait true type use while";

/// The arguments of `new-game`.
#[derive(Clone, Debug, Args)]
pub struct NewGameArgs {
    /// The name of the game: lower-case letters and digits, with a letter first
    #[arg(value_name = "NAME", value_parser = game_name)]
    pub name: String,

    /// The folder with the sources of Plyground, on which the package builds
    #[arg(long, value_name = "FOLDER")]
    pub source: PathBuf,

    /// The folder for the package, which must be empty or not there yet; without it, NAME
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

fn game_name(text: &str) -> Result<String, String> {
    let is_plain = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !is_plain {
        return Err("expected lower-case letters and digits, with a letter first".to_owned());
    }
    if TAKEN.split(' ').any(|taken| taken == text) {
        return Err("expected another name, for Rust or Plyground uses this one".to_owned());
    }
    Ok(text.to_owned())
}

/// Writes the package.
///
/// # Errors
///
/// Returns an error if the sources of Plyground are not where they should be, or the folder cannot be
/// written.
pub fn new_game(args: &NewGameArgs) -> Result<(), Failure> {
    let source = absolute(&args.source)?;
    let folders = [source.clone(), source.join("crates/cli"), source.join("crates/host")];
    if let Some(folder) = folders.iter().find(|folder| !folder.join("Cargo.toml").is_file()) {
        let fault = "expected --source with the sources of Plyground";
        return Err(Failure::Usage(format!("{fault}: there is no {}", folder.display())));
    }
    let type_name = args.name[..1].to_uppercase() + &args.name[1..];
    let named = |text: &str| text.replace(NAMES[1], &type_name).replace(NAMES[0], &args.name);
    let [engine, cli, host] = folders.map(|folder| toml_text(&folder));
    let manifest = named(MANIFEST)
        .replace("{engine}", &engine)
        .replace("{cli}", &cli)
        .replace("{host}", &host);
    let texts: Vec<_> = FILES.iter().map(|(name, text)| (*name, named(text))).collect();
    let mut files = vec![("Cargo.toml", manifest.as_str())];
    files.extend(texts.iter().map(|(name, text)| (*name, text.as_str())));
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    write_new_folder(&out, &files)?;
    let mut stdout = io::stdout().lock();
    let out = out.display();
    writeln!(
        stdout,
        "{out}: a game of three in a row; README.md has the commands, and src/rules.rs is yours"
    )?;
    Ok(stdout.flush()?)
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// Returns a path as a text in TOML.
fn toml_text(path: &Path) -> String {
    toml::Value::from(path.to_string_lossy().into_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_packages() {
        for (name, is_right) in [
            ("konane", true),
            ("y4", true),
            ("4y", false),
            ("Konane", false),
            ("a-b", false),
            ("fn", false),
        ] {
            assert_eq!(game_name(name).is_ok(), is_right, "{name}");
        }
    }
}
