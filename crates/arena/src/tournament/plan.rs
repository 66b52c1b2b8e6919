//! What a tournament is to be.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plyground_host::HostedGame;
use plyground_host::player::PlayerSpec;
use plyground_sandbox::{ProcessLimits, SandboxLevel};
use serde::{Deserialize, Serialize, Serializer};

use super::openings::TournamentOpenings;
use super::store::PLAN;
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
