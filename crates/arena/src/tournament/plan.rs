//! What a tournament is to be.

use std::num::NonZeroU32;
use std::path::PathBuf;

use plyground_cage::ProcessLimits;
use plyground_host::HostedGame;
use plyground_host::player::PlayerSpec;
use serde::{Serialize, Serializer};

use super::openings::TournamentOpenings;

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
    /// Whether outputs of a file exchange count in which the next player is missing or wrong.
    pub lenient: bool,
    /// Whether programs are confined to a folder of their own, as far as the OS can do that.
    pub sandbox: bool,
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
}

impl TournamentFormat {
    /// The name, as in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TournamentFormat::RoundRobin => "round-robin",
            TournamentFormat::Gauntlet { .. } => "gauntlet",
            TournamentFormat::Knockout => "knockout",
        }
    }
}

impl TournamentPlan {
    /// The plan of a tournament of this game as text, by which a store knows whose games it has.
    pub(super) fn to_json(&self, game: &dyn HostedGame) -> String {
        let rules = game.rules();
        let whole = WholePlan { game: game.name(), rules: &rules, plan: self };
        // Strings, numbers and lists of these always have a JSON text.
        serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
    }
}

#[derive(Serialize)]
struct WholePlan<'a> {
    game: &'a str,
    rules: &'a str,
    #[serde(flatten)]
    plan: &'a TournamentPlan,
}

fn display<S: Serializer>(value: &impl ToString, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.to_string())
}
