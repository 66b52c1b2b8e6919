//! `starter`: a folder with which students begin.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use plyground_durable::new_folder::{NewFolderError, write_new_folder};
use plyground_host::{HostedGame, SharedGame, StarterKit};

use super::failure::Failure;

/// The arguments of `starter`.
#[derive(Clone, Debug, Args)]
pub struct StarterArgs {
    /// The language of the kit; without it, all kits are listed
    #[arg(long, value_name = "LANGUAGE", requires = "out")]
    pub language: Option<String>,

    /// The folder for the kit, which must be empty or not there yet
    #[arg(long, value_name = "FOLDER", requires = "language")]
    pub out: Option<PathBuf>,
}

/// Lists the kits of these games, or writes one of the first game, by its rules, into a folder.
///
/// # Errors
///
/// Returns an error if there is no such kit, or the folder cannot be written.
pub fn starter(games: &[SharedGame], args: &StarterArgs) -> Result<(), Failure> {
    match (&args.language, &args.out, games) {
        (Some(language), Some(out), [game, ..]) => write_kit(&find(&**game, language)?, out),
        _ => list(games),
    }
}

/// Writes a kit into a folder, and lists its files.
///
/// # Errors
///
/// Returns an error if the folder is not empty, or cannot be written.
pub fn write_kit(kit: &StarterKit, out: &Path) -> Result<(), Failure> {
    let contents: Vec<_> =
        kit.files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    write_new_folder(out, &contents)?;
    let files = kit.files.iter().map(|(name, _)| format!("  {}\n", out.join(name).display()));
    let files: String = files.collect();
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{files}README.md says what is needed, and which file is yours to write in.")?;
    Ok(stdout.flush()?)
}

fn find(game: &dyn HostedGame, language: &str) -> Result<StarterKit, Failure> {
    let kits = game.starters();
    kits.iter().find(|kit| kit.language == language).cloned().ok_or_else(|| {
        let languages: Vec<&str> = kits.iter().map(|kit| kit.language).collect();
        let expected = match &languages[..] {
            [] => "there is no starter kit".to_owned(),
            languages => format!("expected --language with one of {}", languages.join(", ")),
        };
        let (name, rules) = (game.name(), game.rules());
        Failure::Usage(format!("{name} by the rules {rules}: {expected}, found `{language}`"))
    })
}

/// One line for every kit, whatever the rules.
fn list(games: &[SharedGame]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{:<13}{:<10}{:<12}", "game", "rules", "language")?;
    for game in games {
        let others = game.rule_sets();
        for game in others.iter().filter_map(|rules| game.with_rules(rules)) {
            for StarterKit { language, about, .. } in game.starters() {
                writeln!(out, "{:<13}{:<10}{language:<12}{about}", game.name(), game.rules())?;
            }
        }
    }
    Ok(out.flush()?)
}

impl From<NewFolderError> for Failure {
    fn from(error: NewFolderError) -> Failure {
        match error {
            NewFolderError::Taken(_) => Failure::Usage(error.to_string()),
            NewFolderError::Write(error) => error.into(),
        }
    }
}
