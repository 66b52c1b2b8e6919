//! Players as text with places that are filled in later.

use std::fmt;

use plyground_durable::excerpt;
use plyground_host::player::{PlayerSpec, UnknownPlayer};
use thiserror::Error;

use crate::submissions::SubmissionFolder;

/// Stands for how many plies the player is to look ahead.
const DEPTH: &str = "{depth}";

/// Stands for the folder of a submission.
const FOLDER: &str = "{folder}";

/// Stands for the words that start a submission.
const START: &str = "{start}";

/// How many plies a player is to look ahead that must be told and is free to choose.
const UNSAID_DEPTH: u32 = 2;

/// A [`PlayerSpec`] as text, with `{depth}` where it is told how many plies to look ahead, and
/// `{folder}` where the folder of a submission stands, or `{start}` where the words stand that start
/// one that was prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerTemplate(String);

/// The text names no player, whatever is filled in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("player `{}`: {error}", excerpt(text))]
pub struct NotAPlayer {
    text: String,
    error: UnknownPlayer,
}

impl PlayerTemplate {
    /// Whether the depth has a place.
    #[must_use]
    pub fn has_depth(&self) -> bool {
        self.0.contains(DEPTH)
    }

    /// Whether the folder has a place.
    #[must_use]
    pub fn has_folder(&self) -> bool {
        self.0.contains(FOLDER)
    }

    /// Whether the words that start a prepared submission have a place.
    #[must_use]
    pub fn has_start(&self) -> bool {
        self.0.contains(START)
    }

    /// The same with this depth in its place.
    #[must_use]
    pub fn with_depth(&self, depth: u32) -> PlayerTemplate {
        PlayerTemplate(self.0.replace(DEPTH, &depth.to_string()))
    }

    /// The same for a submission, with its folder, and what starts it, in their places.
    #[must_use]
    pub fn of_submission(&self, submission: &SubmissionFolder) -> PlayerTemplate {
        // Only in a command do blanks matter.
        let is_java = self.0.starts_with("java:");
        let files = submission.files();
        let files = if is_java { files } else { quoted(&files) };
        // A command knows a prepared submission by its folder.
        let start = quoted(&format!("{{start:{}}}", submission.path));
        PlayerTemplate(self.0.replace(FOLDER, &files).replace(START, &start))
    }

    /// The player that looks `depth` plies ahead, or about as many as it likes.
    ///
    /// # Errors
    ///
    /// When there is no such player.
    pub fn at(&self, depth: Option<u32>) -> Result<PlayerSpec, NotAPlayer> {
        let filled = self.with_depth(depth.unwrap_or(UNSAID_DEPTH));
        filled.parse().map_err(|error| NotAPlayer { text: self.0.clone(), error })
    }

    /// The player of this text as it stands.
    ///
    /// # Errors
    ///
    /// When there is no such player.
    pub fn parse(&self) -> Result<PlayerSpec, UnknownPlayer> {
        self.0.parse()
    }
}

impl From<&str> for PlayerTemplate {
    fn from(text: &str) -> PlayerTemplate {
        PlayerTemplate(text.to_owned())
    }
}

impl fmt::Display for PlayerTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The path as one word of a command.
fn quoted(path: &str) -> String {
    // Only a zero byte cannot be quoted, and no path has one.
    shlex::try_quote(path).map_or_else(|_| path.to_owned(), |word| word.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_one_word_of_a_command() {
        let fill = |text: &str, folder: &str| {
            let (name, path) = ("ann".to_owned(), folder.to_owned());
            let submission = SubmissionFolder { name, path, prepared: None };
            PlayerTemplate::from(text).of_submission(&submission).0
        };
        let filled = fill("file:{folder}/play {in} {out}", "my subs/o'neil");
        let words = shlex::split(&filled["file:".len()..]);
        assert_eq!(words.unwrap_or_default(), ["my subs/o'neil/play", "{in}", "{out}"]);
        assert_eq!(fill("java:{folder}", "my subs/ann"), "java:my subs/ann");
        let filled = fill("line:{start} {depth}", "my subs/o'neil");
        let words = shlex::split(&filled["line:".len()..]);
        assert_eq!(words.unwrap_or_default(), ["{start:my subs/o'neil}", "{depth}"]);
        assert!(filled.parse::<PlayerSpec>().is_ok(), "{filled}");
    }

    #[test]
    fn depth_is_filled_in() {
        let template = PlayerTemplate::from("machine:depth={depth}");
        let text = |depth| template.at(depth).map(|spec| spec.to_string());
        assert_eq!(text(Some(7)), Ok("machine:depth=7".to_owned()));
        assert_eq!(text(None), Ok("machine:depth=2".to_owned()));
        let error = PlayerTemplate::from("robot {depth}").at(None).expect_err("no player");
        assert!(error.to_string().starts_with("player `robot {depth}`: expected human"), "{error}");
    }
}
