//! Players for the games of a run, created from a template or a name.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use plyground::perfect::Unlimited;
use plyground_durable::excerpt;
use plyground_host::external::{
    FilePlayer, KnownLineEnds, NoJavaClasses, NotReady, ProgramCommand,
};
use plyground_host::player::{
    Absent, EnginePlayer, OnMove, Player, PlayerSpec, Random, UnknownPlayer,
};
use plyground_host::protocol::{InfoLines, LinePlayer};
use plyground_host::{EngineOptions, HostedGame, SharedGame, Strength};
use plyground_sandbox::SandboxPolicy;
use thiserror::Error;

use crate::class_folder::SubmissionFolder;

/// The setup of a player of any kind.
#[derive(Default)]
pub struct PlayerSetup<'a> {
    /// The options of an engine.
    pub engine: EngineOptions,
    /// The sandbox policy of an external program. Its flag also makes an engine move at once,
    /// unless the engine plays perfectly.
    pub policy: SandboxPolicy,
    /// If true, the next player in a program's output may be missing or wrong, or the board only printed.
    pub lenient: bool,
    /// The line ends of the files that a program reads. Setups for several games of the program share them.
    pub line_ends: KnownLineEnds,
    /// The depth that a program is told to search.
    pub depth: Option<u32>,
    /// The part of the time for a move that is reserved for slow starts. Players are told only of
    /// the rest.
    pub margin: Duration,
    /// The seed of a random player.
    pub seed: u64,
    /// The function that is called with every move that an engine makes.
    pub on_move: Option<OnMove<'a>>,
    /// The place in which the `info ...` lines of a program are collected, if wanted.
    pub info: Option<InfoLines>,
}

/// Creates a player for one game. A human, who would need a console, is replaced by an absent
/// player, which loses.
pub fn make_player<'a>(
    game: &SharedGame,
    spec: &PlayerSpec,
    setup: PlayerSetup<'a>,
) -> Box<dyn Player + Send + 'a> {
    let PlayerSetup { engine, policy, lenient, line_ends, depth, margin, seed, on_move, info } =
        setup;
    let line_player = |command: ProgramCommand, allows_take_back| {
        let mut player = LinePlayer::new(command, depth, policy.clone());
        (player.margin, player.info) = (margin, info);
        player.allows_take_back = allows_take_back;
        Box::new(player)
    };
    match spec {
        PlayerSpec::Human => {
            Box::new(Absent::new(NotReady::Program("a human cannot play here".to_owned())))
        }
        PlayerSpec::Random => Box::new(Random::new(seed)),
        PlayerSpec::Machine(strength) => {
            let mut player = EnginePlayer::new(game.engine(engine), *strength);
            (player.stop, player.margin, player.on_move) = (policy.stop, margin, on_move);
            Box::new(player)
        }
        PlayerSpec::File(command) => {
            let mut player = FilePlayer::new(command.program(depth), policy, lenient);
            player.line_ends = line_ends;
            Box::new(player)
        }
        PlayerSpec::Line(command) => line_player(command.program(depth), true),
        PlayerSpec::Java(java) => match game.java_command(java, depth, &policy) {
            Ok(command) => line_player(command, game.java_is_told_all()),
            Err(why) => Box::new(Absent::new(why)),
        },
    }
}

/// The error for a depth that the game does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a depth from 1 to {most}, found {depth}")]
pub struct UnfitDepth {
    most: u32,
    depth: u32,
}

/// The error for a player that the game does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnfitPlayer {
    /// The player needs a person at the keyboard.
    #[error("human: expected a player other than a human")]
    Human,
    /// The game has no perfect play from the start.
    #[error(transparent)]
    Unlimited(#[from] Unlimited),
    /// No class of Java plays the game.
    #[error(transparent)]
    Java(#[from] NoJavaClasses),
    /// The player looks further ahead than the game allows.
    #[error("{0}: {1}")]
    Depth(PlayerSpec, UnfitDepth),
}

/// Checks that the game has a depth.
pub fn check_depth(game: &dyn HostedGame, depth: u32) -> Result<(), UnfitDepth> {
    let most = game.max_depth();
    if (1..=most).contains(&depth) { Ok(()) } else { Err(UnfitDepth { most, depth }) }
}

/// Checks that the game has a player.
///
/// # Errors
///
/// Returns the reason why the game does not have the player.
pub fn check_player(game: &dyn HostedGame, spec: &PlayerSpec) -> Result<(), UnfitPlayer> {
    match *spec {
        PlayerSpec::Machine(Strength::Depth(depth)) => {
            check_depth(game, depth).map_err(|error| UnfitPlayer::Depth(spec.clone(), error))
        }
        PlayerSpec::Machine(Strength::Perfect { .. })
            if !game.is_solvable() && !game.has_tactics() =>
        {
            Err(Unlimited.into())
        }
        PlayerSpec::Java(_) if !game.has_java_players() => {
            Err(NoJavaClasses(game.name().to_owned()).into())
        }
        _ => Ok(()),
    }
}

/// Checks that the game has a player and that no person has to play it.
pub fn check_unattended(game: &dyn HostedGame, spec: &PlayerSpec) -> Result<(), UnfitPlayer> {
    match spec {
        PlayerSpec::Human => Err(UnfitPlayer::Human),
        _ => check_player(game, spec),
    }
}

/// The placeholder for the number of plies that the player looks ahead.
const DEPTH: &str = "{depth}";

/// The placeholder for the folder of a submission.
const FOLDER: &str = "{folder}";

/// The placeholder for the words that start a submission.
const START: &str = "{start}";

/// All placeholders that a text may have.
const PLACEHOLDERS: [&str; 5] = ["{in}", "{out}", DEPTH, START, FOLDER];

/// The depth for a player that must be told a depth when any depth will do.
const UNSAID_DEPTH: u32 = 2;

/// A [`PlayerSpec`] as text with placeholders: `{depth}` for the number of plies to look ahead,
/// `{folder}` for the folder of a submission, and `{start}` for the words that start a prepared
/// submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerTemplate {
    /// The text as it was given.
    given: String,
    /// The text with some placeholders filled in.
    text: String,
    /// The folder with the files of the submission, if the player is one.
    folder: Option<String>,
}

/// The error for a text that names no player at any depth.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("player `{}`: {error}", excerpt(text))]
pub struct NotAPlayer {
    text: String,
    error: UnknownPlayer,
}

impl PlayerTemplate {
    /// Returns true if the text has a placeholder for the depth.
    pub fn has_depth(&self) -> bool {
        self.text.contains(DEPTH)
    }

    /// Returns true if the text has a placeholder for the folder.
    pub fn has_folder(&self) -> bool {
        self.text.contains(FOLDER)
    }

    /// Returns true if the text has a placeholder for the words that start a prepared submission.
    pub fn has_start(&self) -> bool {
        self.text.contains(START)
    }

    /// Returns the template with the depth filled in.
    pub fn with_depth(&self, depth: u32) -> PlayerTemplate {
        let text = self.text.replace(DEPTH, &depth.to_string());
        PlayerTemplate { text, ..self.clone() }
    }

    /// Returns the template with the folder of a submission and the words that start it filled in.
    pub fn of_submission(&self, submission: &SubmissionFolder) -> PlayerTemplate {
        // Blanks matter in a command only.
        let is_java = self.text.starts_with("java:");
        let files = submission.files();
        let files = if is_java { files } else { quoted(&files) };
        // A command identifies a prepared submission by its folder.
        let start = quoted(&format!("{{start:{}}}", submission.path));
        let text = self.text.replace(FOLDER, &files).replace(START, &start);
        PlayerTemplate { text, folder: Some(submission.files()), ..self.clone() }
    }

    /// Returns the folder with the files of the submission, if the player is one.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref().map(Path::new)
    }

    /// Returns the player that looks `depth` plies ahead, or a small number of plies if `depth` is
    /// `None`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text names no player, as [`PlayerTemplate::parse`] does.
    pub fn at(&self, depth: Option<u32>) -> Result<PlayerSpec, NotAPlayer> {
        let filled = self.with_depth(depth.unwrap_or(UNSAID_DEPTH));
        filled.parse().map_err(|error| NotAPlayer { text: self.text.clone(), error })
    }

    /// Returns the player that the text names as it stands.
    ///
    /// # Errors
    ///
    /// Returns an error if the text names no player, or has a placeholder that is not known: a slip would reach the
    /// program as a word of its command.
    pub fn parse(&self) -> Result<PlayerSpec, UnknownPlayer> {
        match unknown_placeholder(&self.given) {
            Some(found) => Err(UnknownPlayer::Placeholder(found.to_owned())),
            None => self.text.parse(),
        }
    }
}

impl From<&str> for PlayerTemplate {
    fn from(text: &str) -> PlayerTemplate {
        PlayerTemplate { given: text.to_owned(), text: text.to_owned(), folder: None }
    }
}

impl fmt::Display for PlayerTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// Returns the first word in braces that has the form of a placeholder and is not one of [`PLACEHOLDERS`]. A shell has
/// `$` before its braces.
fn unknown_placeholder(text: &str) -> Option<&str> {
    text.match_indices('{').find_map(|(start, _)| {
        let length = text[start..].find('}')? + 1;
        let found = &text[start..start + length];
        let inside = &found[1..length - 1];
        let is_name = inside.chars().all(|c| c.is_ascii_alphabetic() || c == '_' || c == ' ')
            && !inside.trim().is_empty();
        let is_of_shell = text[..start].ends_with('$');
        (is_name && !is_of_shell && !PLACEHOLDERS.contains(&found)).then_some(found)
    })
}

fn quoted(path: &str) -> String {
    // Only a zero byte cannot be quoted, and paths do not contain one.
    shlex::try_quote(path).map_or_else(|_| path.to_owned(), |word| word.into_owned())
}

#[cfg(test)]
mod tests {
    use plyground_host::Fault;
    use plyground_host::player::{Turn, UnknownPlayer};
    use plyground_host::toy::toy;

    use super::*;

    #[test]
    fn players_without_programs_move() -> Result<(), UnknownPlayer> {
        let game = toy();
        for name in ["random", "machine", "machine:depth=2", "machine:perfect"] {
            let spec = name.parse()?;
            assert_eq!(check_unattended(&*game, &spec), Ok(()));
            let mut told = 0;
            let on_move: OnMove<'_> = Box::new(|_| told += 1);
            let setup = PlayerSetup { on_move: Some(on_move), ..PlayerSetup::default() };
            let mut player = make_player(&game, &spec, setup);
            assert!(player.choose_move(&Turn::new(&game.start(), None)).is_ok());
            drop(player);
            assert_eq!(told, i32::from(name != "random"), "{name}");
        }
        Ok(())
    }

    #[test]
    fn unfit_players_are_refused() -> Result<(), UnknownPlayer> {
        let game = toy();
        for (name, why) in [
            ("human", "human: expected a player other than"),
            ("machine:depth=10", "machine:depth=10: expected a depth from 1 to 9, found 10"),
        ] {
            let error = check_unattended(&*game, &name.parse()?).expect_err(name).to_string();
            assert!(error.starts_with(why), "{error}");
        }
        let mut human = make_player(&game, &PlayerSpec::Human, PlayerSetup::default());
        let answer = human.choose_move(&Turn::new(&game.start(), None));
        assert!(matches!(answer, Err(Fault::Died { .. })));
        Ok(())
    }

    #[test]
    fn folder_is_one_word_of_a_command() {
        let fill = |text: &str, folder: &str| {
            let (name, path) = ("ann".to_owned(), folder.to_owned());
            let submission = SubmissionFolder { name, path, prepared: None };
            PlayerTemplate::from(text).of_submission(&submission).text
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
        for (text, unknown) in [
            ("line:a {dept}", Some("{dept}")),
            ("line:a {Depth}", Some("{Depth}")),
            ("line:a { in_file }", Some("{ in_file }")),
            ("line:a {} {7} ${home} {start:b}", None),
        ] {
            let template = PlayerTemplate::from(text);
            let found = UnknownPlayer::Placeholder(unknown.unwrap_or_default().to_owned());
            assert_eq!(
                template.at(None).err().map(|it| it.error),
                unknown.map(|_| found),
                "{text}"
            );
        }
        let error = PlayerTemplate::from("robot {depth}").at(None).expect_err("no player");
        assert!(error.to_string().starts_with("player `robot {depth}`: expected human"), "{error}");
    }
}
