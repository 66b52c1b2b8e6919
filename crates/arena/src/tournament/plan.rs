//! The plan of a tournament: its players, format and openings.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plyground::Game;
use plyground_durable::excerpt;
use plyground_host::player::PlayerSpec;
use plyground_host::{HostedGame, HostedPosition, MoveText};
use plyground_sandbox::{ProcessLimits, SandboxLevel};
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

use super::store::PLAN;
use crate::matches::{TooFewOpenings, draw_openings};
use crate::programs::{UnfitSandbox, settle_level};

/// The version of the numbers and seeds of games.
const VERSION: u32 = 2;

/// Who plays, against whom, and under what conditions. Read from a file by [`TournamentPlan::read`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TournamentPlan {
    /// The heading of the reports.
    pub name: String,
    /// Who meets whom.
    pub format: TournamentFormat,
    /// What chance in the games depends on.
    pub seed: u64,
    /// How often every opening of a meeting is played, each time once with either side.
    pub rounds: NonZeroU32,
    /// The moves that games begin with.
    pub openings: TournamentOpenings,
    /// What programs may use; its time for a move by the clock on the wall holds for all players.
    pub limits: ProcessLimits,
    /// The time for a move by the clock on the wall that players are not told of, beyond that limit.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "duration_text")]
    pub margin: Option<Duration>,
    /// Whether outputs of a file exchange count in which the next player is missing or wrong.
    pub lenient: bool,
    /// The level of the sandboxes in which programs run, or `None` if it is not settled yet: see
    /// [`settle_level`](TournamentPlan::settle_level).
    pub sandbox: Option<SandboxLevel>,
    /// A game is a draw when it is not over after this many plies, the opening included.
    pub ply_cap: u32,
    /// Memory for the transposition table of each of our own engines, in MiB.
    pub table: u64,
    /// In a game of points, the least that a win by a fault of the opponent counts.
    pub forfeit_points: i32,
    /// The players; in a knockout, the strongest first.
    pub players: Vec<Contestant>,
    /// The folder in which every folder is a player.
    #[serde(skip)]
    pub class: Option<PathBuf>,
    /// The file that it was read from.
    #[serde(skip)]
    pub file: PathBuf,
}

/// A player of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contestant {
    /// What it is called: one line, different from all others.
    pub name: String,
    /// What plays.
    #[serde(serialize_with = "display")]
    pub player: PlayerSpec,
    /// How many plies a program is told to look ahead.
    pub depth: Option<u32>,
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "format", rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Everybody meets everybody.
    RoundRobin,
    /// One player meets all others.
    Gauntlet {
        /// The index of that player.
        challenger: usize,
    },
    /// A player that loses a meeting is out.
    Knockout,
    /// In each pairing everybody meets somebody whose results are alike, and nobody the same twice.
    Swiss {
        /// How many pairings there are.
        pairings: u32,
    },
}

impl TournamentFormat {
    /// The name, as in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TournamentFormat::RoundRobin => "round-robin",
            TournamentFormat::Gauntlet { .. } => "gauntlet",
            TournamentFormat::Knockout => "knockout",
            TournamentFormat::Swiss { .. } => "swiss",
        }
    }

    /// Whether which games there are depends on how others end.
    #[must_use]
    pub const fn unfolds(self) -> bool {
        matches!(self, TournamentFormat::Knockout | TournamentFormat::Swiss { .. })
    }
}

impl TournamentPlan {
    /// The time for a move after which a player loses.
    pub(super) fn wall_limit(&self) -> Option<Duration> {
        Some(self.limits.wall?.saturating_add(self.margin.unwrap_or_default()))
    }

    /// Settles the level of the sandboxes, if there are programs to sandbox: the greatest of this system,
    /// unless the plan names one. All games of a tournament are played at one level.
    ///
    /// # Errors
    ///
    /// The level that the system lacks.
    pub fn settle_level(&mut self) -> Result<(), UnfitSandbox> {
        let has_programs = self.players.iter().any(|contestant| contestant.player.is_external());
        self.sandbox = has_programs.then(|| settle_level(self.sandbox)).transpose()?;
        Ok(())
    }

    /// Settles the level of the sandboxes as it is in a folder with games of this plan.
    pub fn settle_level_of(&mut self, folder: &Path) {
        /// What matters of a plan here.
        #[derive(Deserialize)]
        struct Settled {
            sandbox: Option<SandboxLevel>,
        }
        let text = fs::read(folder.join(PLAN)).unwrap_or_default();
        // A folder that has no such plan is refused when its games are taken in.
        if let Ok(Settled { sandbox }) = serde_json::from_slice(&text) {
            self.sandbox = sandbox;
        }
    }

    /// The plan of a tournament of this game as text, by which a store knows whose games it has.
    pub(super) fn to_json(&self, game: &dyn HostedGame) -> String {
        let rules = game.rules();
        let whole = WholePlan { version: VERSION, game: game.name(), rules: &rules, plan: self };
        // Strings, numbers and lists of these always have a JSON text.
        serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
    }
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

/// Where the openings of a tournament come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentOpenings {
    /// Games begin at the start.
    Empty,
    /// Random moves, drawn by the seed of the plan.
    Random {
        /// How many moves an opening has.
        plies: u32,
        /// How many openings there are.
        count: usize,
    },
    /// These moves: one opening to a line, its moves separated by blanks.
    Given {
        /// Each opening, with the number of its line in the file.
        lines: Vec<(usize, String)>,
    },
}

/// Why there are no such openings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningFault {
    /// There are fewer.
    #[error(transparent)]
    TooFew(#[from] TooFewOpenings),
    /// An opening of the file cannot be played.
    #[error("line {line} of the openings: {why}")]
    Line {
        /// The line of the file, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl TournamentOpenings {
    /// The openings in a file: a line each, without empty lines and what is behind a `#`.
    #[must_use]
    pub fn parse(text: &str) -> TournamentOpenings {
        let lines = (1..).zip(text.lines()).filter_map(|(number, line)| {
            let line = line.split('#').next().unwrap_or_default();
            let moves = line.split_whitespace().collect::<Vec<_>>().join(" ");
            (!moves.is_empty()).then_some((number, moves))
        });
        TournamentOpenings::Given { lines: lines.collect() }
    }

    /// How many openings there are.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            TournamentOpenings::Empty => 1,
            TournamentOpenings::Random { count, .. } => *count,
            TournamentOpenings::Given { lines } => lines.len(),
        }
    }
}

impl TournamentOpenings {
    /// The openings, each of which is legal from `start` and leaves the game open.
    ///
    /// # Errors
    ///
    /// When there are fewer, or when an opening of the file cannot be played.
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
                    play(start, moves).map_err(|why| OpeningFault::Line { line: *line, why })
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
                Err(OpeningFault::Line { line: found, why }) => {
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
