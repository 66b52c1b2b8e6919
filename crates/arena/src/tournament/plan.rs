//! The plan of a tournament: its players, format and openings, with the places of players that join after the
//! first games; and the error for a tournament that cannot be played.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plyground::Game;
use plyground::book::BookError;
use plyground_durable::work::{NoThread, WorkError};
use plyground_durable::{FileError, excerpt};
use plyground_host::player::PlayerSpec;
use plyground_host::referee::Interrupted;
use plyground_host::{HostedGame, HostedPosition, MoveText};
use plyground_sandbox::{ProcessLimits, SandboxLevel};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use thiserror::Error;

use super::growth::{begun, joins, name, players};
use super::store::{GameStore, PLAN, StoreError};
use crate::class_folder::AmongSubmissions;
use crate::matches::{TooFewOpenings, draw_openings};
use crate::programs::{UnfitSandbox, UntoldMoves, settle_level};
use crate::seat::UnfitPlayer;
use crate::second_try::FailedTwice;

/// The version of the numbering and seeding of games.
const VERSION: u32 = 2;

/// A plan: the players, the format, and the conditions. [`TournamentPlan::read`] reads one from a
/// file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TournamentPlan {
    /// The heading of the reports.
    pub name: String,
    /// The format, which determines the meetings.
    pub format: TournamentFormat,
    /// The seed for all chance in the games.
    pub seed: u64,
    /// The number of times that every opening of a meeting is played, each time once with either
    /// side.
    pub rounds: NonZeroU32,
    /// The openings of the games.
    pub openings: TournamentOpenings,
    /// The limits of programs. The wall-time limit for a move applies to all players.
    pub limits: ProcessLimits,
    /// The wall time for a move beyond that limit. Players are not told of this time.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "duration_text")]
    pub margin: Option<Duration>,
    /// If true, the output of a file exchange counts in spite of slips: the next player is missing or wrong, or the
    /// board is only printed.
    pub lenient: bool,
    /// The level of the sandboxes in which programs run, or `None` until it is
    /// [settled](TournamentPlan::settle_level).
    pub sandbox: Option<SandboxLevel>,
    /// The number of plies, the opening included, after which an unfinished game is a draw.
    pub ply_cap: u32,
    /// The memory for the transposition table of each engine player, in MiB.
    pub table: u64,
    /// The least number of points that a win by a fault of the opponent counts, in a game of
    /// points.
    pub forfeit_points: i32,
    /// The players; in a knockout, the strongest first.
    pub players: Vec<Contestant>,
    /// The folder of the class, in which each folder is a player.
    #[serde(skip)]
    pub class: Option<PathBuf>,
    /// The file of the plan.
    #[serde(skip)]
    pub file: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contestant {
    /// The name: one line, unique among the players.
    pub name: String,
    #[serde(serialize_with = "display")]
    pub player: PlayerSpec,
    /// The depth that a program is told to search.
    pub depth: Option<u32>,
    /// The number of the first pairing that the player plays in a Swiss tournament, from 1.
    #[serde(skip_serializing_if = "is_first")]
    pub joins: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_first(joins: &u32) -> bool {
    *joins == 1
}

/// The format of a tournament, which determines the meetings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "format", rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Each player meets each other player.
    RoundRobin,
    /// One player meets all others.
    Gauntlet {
        /// The index of that player.
        challenger: usize,
    },
    /// A player that loses a meeting is out.
    Knockout,
    /// In each pairing, each player meets another with similar results, and no two players meet
    /// twice.
    Swiss {
        /// The number of pairings.
        pairings: u32,
    },
}

impl TournamentFormat {
    /// Returns the name, as in the file.
    pub const fn name(self) -> &'static str {
        match self {
            TournamentFormat::RoundRobin => "round-robin",
            TournamentFormat::Gauntlet { .. } => "gauntlet",
            TournamentFormat::Knockout => "knockout",
            TournamentFormat::Swiss { .. } => "swiss",
        }
    }

    /// Returns true if the games depend on the results of earlier games.
    pub const fn unfolds(self) -> bool {
        matches!(self, TournamentFormat::Knockout | TournamentFormat::Swiss { .. })
    }
}

impl TournamentPlan {
    /// Returns the wall time for a move after which a player loses.
    pub(super) fn wall_limit(&self) -> Option<Duration> {
        Some(self.limits.wall?.saturating_add(self.margin.unwrap_or_default()))
    }

    /// Settles the level of the sandboxes, if there are programs to sandbox: the level in the plan,
    /// or else the greatest level of the system. All games of a tournament are played at one level.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not have the level.
    pub fn settle_level(&mut self) -> Result<(), UnfitSandbox> {
        self.sandbox = self.has_programs().then(|| settle_level(self.sandbox)).transpose()?;
        Ok(())
    }

    /// Returns true if external programs are among the players.
    pub fn has_programs(&self) -> bool {
        self.players.iter().any(|contestant| contestant.player.is_external())
    }

    /// Settles the level of the sandboxes as the level in a folder with games of this plan.
    pub fn settle_level_of(&mut self, folder: &Path) {
        // A folder without such a plan is refused when its games are taken in.
        if let Some(level) = stored_plan(folder).remove("sandbox")
            && let Ok(level) = serde_json::from_value(level)
        {
            self.sandbox = level;
        }
    }

    /// Returns the plan for this game as text. A store identifies its tournament by this text.
    pub(super) fn to_json(&self, game: &dyn HostedGame) -> String {
        let rules = game.rules();
        let whole = WholePlan { version: VERSION, game: game.name(), rules: &rules, plan: self };
        // Strings, numbers and lists of these always have a JSON text.
        serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
    }
}

/// Returns the plan in a folder with games, which is empty in a folder without a plan.
fn stored_plan(folder: &Path) -> Map<String, Value> {
    let text = fs::read(folder.join(PLAN)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

#[derive(Serialize)]
struct WholePlan<'a> {
    version: u32,
    game: &'a str,
    rules: &'a str,
    #[serde(flatten)]
    plan: &'a TournamentPlan,
}

fn duration_text<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&humantime::format_duration(time.unwrap_or_default()))
}

fn display<S: Serializer>(value: &impl ToString, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.to_string())
}

/// The source of the openings of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentOpenings {
    /// Games begin at the start.
    Empty,
    /// Random moves, drawn by the seed of the plan.
    Random {
        /// The number of moves in an opening.
        plies: u32,
        /// The number of openings.
        count: usize,
    },
    /// The openings of a file, one in each line, with moves separated by blanks.
    Given {
        /// Each opening, with the number of its line in the file.
        lines: Vec<(usize, String)>,
    },
}

/// The error for openings that cannot be drawn or played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningFault {
    /// There are too few openings.
    #[error(transparent)]
    TooFew(#[from] TooFewOpenings),
    /// An opening of the file cannot be played.
    #[error("line {0} of the openings: {1}")]
    Line(usize, String),
}

impl TournamentOpenings {
    /// Reads the openings in a file: one in each line, without empty lines and text after a `#`.
    pub fn parse(text: &str) -> TournamentOpenings {
        let lines = (1..).zip(text.lines()).filter_map(|(number, line)| {
            let line = line.split('#').next().unwrap_or_default();
            let moves = line.split_whitespace().collect::<Vec<_>>().join(" ");
            (!moves.is_empty()).then_some((number, moves))
        });
        TournamentOpenings::Given { lines: lines.collect() }
    }

    /// Returns the number of openings.
    pub fn count(&self) -> usize {
        match self {
            TournamentOpenings::Empty => 1,
            TournamentOpenings::Random { count, .. } => *count,
            TournamentOpenings::Given { lines } => lines.len(),
        }
    }

    /// Draws the openings. Each is legal from `start` and does not end the game.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too few openings, or if an opening of the file cannot be
    /// played.
    pub fn draw(
        &self,
        start: &HostedPosition,
        seed: u64,
    ) -> Result<Vec<Vec<MoveText>>, OpeningFault> {
        match self {
            TournamentOpenings::Empty => Ok(vec![Vec::new()]),
            TournamentOpenings::Random { plies, count } => {
                Ok(draw_openings(start, *plies, *count, seed)?)
            }
            TournamentOpenings::Given { lines } => {
                let played = lines.iter().map(|(line, moves)| {
                    play(start, moves).map_err(|why| OpeningFault::Line(*line, why))
                });
                played.collect()
            }
        }
    }
}

fn play(start: &HostedPosition, text: &str) -> Result<Vec<MoveText>, String> {
    let (mut position, mut moves) = (start.clone(), Vec::new());
    for word in text.split_whitespace() {
        let mv = position.parse_move(word);
        let mv = mv.ok_or_else(|| format!("`{}` is no move", excerpt(word)))?;
        position.play(mv).map_err(|illegal| format!("illegal move: {illegal}"))?;
        moves.push(mv);
    }
    if position.is_over() { Err("the game is over".to_owned()) } else { Ok(moves) }
}

/// The error for a tournament that cannot be played or stored, as one line.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// The folder for the games is among the submissions.
    #[error(transparent)]
    AmongSubmissions(#[from] AmongSubmissions),
    /// The plan does not fit the game.
    #[error("{}: {}", .0.display(), .1)]
    Plan(PathBuf, Box<TournamentError>),
    /// The game does not have the player of this name.
    #[error("{}{}", label(.0, .1), .1)]
    Player(String, UnfitPlayer),
    /// A player comes after the last pairing of a Swiss tournament.
    #[error("`{name}` comes after the last pairing: expected `pairings` of at least {pairings}")]
    TooLate {
        /// The name of the player.
        name: String,
        /// The least number of pairings that include the player.
        pairings: u32,
    },
    /// The openings cannot be drawn or played.
    #[error(transparent)]
    Opening(#[from] OpeningFault),
    /// A player cannot be told of the openings.
    #[error(transparent)]
    UntoldMoves(#[from] UntoldMoves),
    /// The game's own book is damaged.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The games cannot be stored, or the stored games cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No game has two players that can be started.
    #[error("no game can be played: {name}: {why}")]
    NoGame {
        /// The name of a player that cannot be started.
        name: String,
        /// The reason.
        why: String,
    },
    /// The OS lacks something that a player's program needs to start.
    #[error("{0}")]
    NotReady(String),
    /// A game was interrupted, without a fault of its players.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Some games were left out, without a fault of their players. All other games that can be
    /// played are played.
    #[error(transparent)]
    FailedTwice(#[from] FailedTwice),
    /// The results of other processes cannot be used.
    #[error(transparent)]
    Shared(#[from] Box<WorkError>),
    /// The OS has no more threads.
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

/// Returns the name of a player as the beginning of an error that does not name it.
fn label(name: &str, why: &UnfitPlayer) -> String {
    let label = format!("{name}: ");
    if why.to_string().starts_with(&label) { String::new() } else { label }
}

impl From<FileError> for TournamentError {
    fn from(error: FileError) -> TournamentError {
        TournamentError::Store(error.into())
    }
}

impl TournamentError {
    /// Returns true if the plan, the players or the files are at fault, and not the run.
    pub fn is_bad_input(&self) -> bool {
        match self {
            TournamentError::NotReady(_)
            | TournamentError::NoThread(_)
            | TournamentError::FailedTwice(_)
            | TournamentError::Shared(_) => false,
            TournamentError::Plan(_, why) => why.is_bad_input(),
            TournamentError::Interrupted(why) => matches!(why, Interrupted::Opening { .. }),
            TournamentError::Store(why) => {
                !matches!(why, StoreError::Write(_) | StoreError::Lock(_))
            }
            _ => true,
        }
    }
}

impl TournamentPlan {
    /// Fits the plan to the games in a folder, if there are any. Players that joined later are moved
    /// to the end, except in a knockout, whose meetings depend on the order. In a Swiss tournament, a
    /// late player joins in the first pairing that has not begun, unless the file names a pairing.
    ///
    /// # Errors
    ///
    /// Returns an error for a player that comes after the last pairing.
    pub fn continue_from(&mut self, folder: &Path) -> Result<(), TournamentError> {
        // A folder without such a plan is refused when it is opened.
        let found = stored_plan(folder);
        let played = GameStore::unopened(folder).numbers().unwrap_or_default();
        if played.is_empty() || self.format == TournamentFormat::Knockout {
            return Ok(());
        }
        let known: BTreeMap<&str, (usize, u32)> =
            (0..).zip(players(&found)).map(|(place, it)| (name(it), (place, joins(it)))).collect();
        if let TournamentFormat::Swiss { pairings } = self.format {
            let next = begun(&found, &played) + 1;
            for player in self.players.iter_mut().filter(|player| player.joins == 1) {
                player.joins = known.get(&*player.name).map_or(next, |(_, joins)| *joins);
                if player.joins > pairings {
                    let (name, pairings) = (player.name.clone(), player.joins);
                    return Err(TournamentError::TooLate { name, pairings });
                }
            }
        }
        self.sort_players(|player| known.get(player).map_or(known.len(), |(place, _)| *place));
        Ok(())
    }

    fn sort_players(&mut self, place: impl Fn(&str) -> usize) {
        let challenger = match self.format {
            TournamentFormat::Gauntlet { challenger } => {
                Some(self.players[challenger].name.clone())
            }
            _ => None,
        };
        self.players.sort_by_key(|player| place(&player.name));
        let is_challenger = |name: &String| challenger.as_ref() == Some(name);
        if let Some(challenger) = self.players.iter().position(|it| is_challenger(&it.name)) {
            self.format = TournamentFormat::Gauntlet { challenger };
        }
    }
}

#[cfg(test)]
mod tests {
    use plyground_host::toy::toy;

    use super::*;

    fn given(text: &str) -> Result<usize, OpeningFault> {
        let openings = TournamentOpenings::parse(text);
        let drawn = openings.draw(&toy().start(), 1)?;
        assert_eq!(drawn.len(), openings.count());
        Ok(drawn.iter().map(Vec::len).sum())
    }

    #[test]
    fn file_has_an_opening_to_a_line() {
        assert_eq!(given("5 1 # the middle\n\n# nothing\n 9   8 7\n"), Ok(5));
    }

    #[test]
    fn opening_that_cannot_be_played_is_named_by_its_line() {
        for (text, line, part) in [
            ("5 1\n5 5\n", 2, "illegal move: "),
            ("\nx\n", 2, "`x` is no move"),
            ("1 4 2 5 3", 1, "the game is over"),
        ] {
            match given(text) {
                Err(OpeningFault::Line(found, why)) => {
                    assert_eq!(found, line, "{text}");
                    assert!(why.contains(part), "{why}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn random_openings_are_those_of_a_match() {
        let random = TournamentOpenings::Random { plies: 3, count: 4 };
        let start = toy().start();
        assert_eq!(random.draw(&start, 7).ok(), draw_openings(&start, 3, 4, 7).ok());
        assert_eq!(TournamentOpenings::Empty.draw(&start, 7), Ok(vec![vec![]]));
    }
}
