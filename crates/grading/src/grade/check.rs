//! The checks of a game, which are data.

use std::time::Duration;

use plyground_durable::parse_duration;
use serde::{Deserialize, Serialize};

/// One requirement of an assignment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Check {
    /// The name, which is unique among the checks.
    pub name: String,
    /// The number of points that the check is worth.
    pub points: f64,
    /// The readers who may see the result.
    #[serde(default)]
    pub visibility: Visibility,
    /// If true, students see the moves that were expected of their players.
    #[serde(default)]
    pub expected: bool,
    /// The name of another check: this check earns nothing unless that one earns half of its
    /// points.
    pub needs: Option<String>,
    /// The description of the requirement, for people.
    pub asks: String,
    /// The reason for the requirement.
    pub why: String,
    /// The sentence of the assignment that states the requirement.
    pub sentence: String,
    /// The positions in which the check is always made. Each is given by the moves that lead to it,
    /// separated by blanks.
    #[serde(default)]
    pub positions: Vec<String>,
    /// The rule by which further positions are drawn.
    pub draw: Option<DrawRule>,
    /// The kind of check.
    #[serde(flatten)]
    pub kind: CheckKind,
}

/// A rule for drawing positions: random games are played, and the positions that fit are kept.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DrawRule {
    /// The number of positions.
    pub count: usize,
    /// The least and the greatest number of random moves that lead to a position. In a check about
    /// positions in which the game is over, games are played to the end.
    #[serde(default)]
    pub after: [u32; 2],
    /// The least number of legal moves.
    #[serde(default)]
    pub moves: usize,
    /// The greatest number of right moves, in a check that has right moves.
    pub right: Option<usize>,
    /// If true, the right moves show only with all the plies of the check. With one ply less, a
    /// search misses them; it evaluates by the score of the board, or by the engine's evaluation in
    /// a game without points. With [`gap`](DrawRule::gap), a search with two plies less has another
    /// best move.
    #[serde(default)]
    pub needed: bool,
    /// If true, half of the positions, with each side to move in half of those, take one ply more,
    /// and the player is told one more: a player may see at even depths only, or at odd ones.
    #[serde(default)]
    pub further: bool,
    /// The least number of points by which all other moves are worse than the right moves, within
    /// the plies of the check. Without it, the right moves are those with the best prospect of
    /// winning.
    pub gap: Option<u32>,
    /// The least number of points by which the other moves are worse at the end of the game, too,
    /// with best play. It protects players whose evaluation foresees more than points.
    #[serde(default)]
    pub final_gap: u32,
    /// The least number of points of each side. If given, the sides must have different numbers of
    /// points.
    pub points: Option<i32>,
    /// The greatest difference between the points of the two sides.
    pub lead: Option<u32>,
}

/// The readers who may see the result of a check. The names are those of Gradescope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// The students who handed the submission in, at once.
    #[default]
    Visible,
    /// The same students, after the due date.
    AfterDueDate,
    /// The same students, after the grades are published.
    AfterPublished,
    /// Only the instructor.
    Hidden,
}

/// The test that shows whether the player meets a requirement. It is made in every position of the
/// check. A `depth` replaces the placeholder `{depth}` in the player.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CheckKind {
    /// The player makes one of the best moves, as seen by a search of `plies` plies. The points
    /// begin above the number of right moves that luck alone gives.
    Sees {
        /// The depth that the player is told to search.
        depth: u32,
        /// The number of plies that it takes to see which moves are best.
        plies: u32,
        /// The number of right moves that earns all points; by default, the number of positions.
        enough: Option<usize>,
    },
    /// The player finds the best moves when it is told to look `plies` plies ahead, and it neither
    /// needs one ply more nor succeeds with one ply less. Each side to move is worth half. All
    /// other checks correct the depth by the miscount that is found here, so a miscount costs the
    /// points of this check only.
    CountsDepth {
        /// The number of plies that it takes to see which moves are best.
        plies: u32,
    },
    /// The player accepts legal moves, both as its own and as its opponent's.
    AcceptsLegal,
    /// The player refuses illegal moves, both as its own and as its opponent's.
    RefusesIllegal {
        /// The moves to try in the positions in which they are illegal.
        moves: Vec<String>,
    },
    /// The player loses no game by a fault: all its moves are legal and in time.
    Faultless {
        /// The depth that the player is told to search.
        depth: u32,
        /// The number of games against random moves. The player has each side in half of them.
        games: u32,
    },
    /// The player wins its games against random moves. Games are played until the points are
    /// certain.
    BeatsRandom {
        /// The depth that the player is told to search.
        depth: u32,
        /// The greatest number of games. The player has each side in half of them.
        games: u32,
        /// The part of the games won, from 0 to 1, above which the points begin.
        from: f64,
        /// The part of the games won that earns all points.
        share: f64,
    },
    /// The player moves within the time limit, measured in CPU time or wall time, whichever is
    /// less. Each position is worth the same part of the points.
    Time {
        /// The depth that the player is told to search; without it, the player chooses its own
        /// depth.
        depth: Option<u32>,
        /// The time limit.
        #[serde(deserialize_with = "time")]
        limit: Duration,
    },
    /// The player reads files with the line ends of the assignment's own files. If it fails and
    /// reads files with LF instead, all other checks use LF. This kind and all that follow are for
    /// programs that exchange files.
    ReadsFiles {
        /// The depth that the player is told to search.
        depth: u32,
    },
    /// The file that the player writes is the file that it read with one move made. Its line ends
    /// do not matter.
    FileFormat {
        /// The depth that the player is told to search.
        depth: u32,
    },
    /// The file that the player writes has the line ends of the assignment's own files, or of the
    /// file that the player read.
    LineEnds {
        /// The depth that the player is told to search.
        depth: u32,
    },
    /// The player prints the points of both sides before the move and again after it.
    PrintsScore {
        /// The depth that the player is told to search.
        depth: u32,
    },
    /// In a position in which the game is over, the player prints the points of both sides and
    /// exits. If it writes a file, the file has the position that the player read.
    StopsWhenOver {
        /// The depth that the player is told to search.
        depth: u32,
    },
    /// In a position in which the game is over, the player writes no file.
    WritesNothingWhenOver {
        /// The depth that the player is told to search.
        depth: u32,
    },
}

impl CheckKind {
    /// Returns the name of the kind, as a file has it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            CheckKind::Sees { .. } => "sees",
            CheckKind::CountsDepth { .. } => "counts-depth",
            CheckKind::AcceptsLegal => "accepts-legal",
            CheckKind::RefusesIllegal { .. } => "refuses-illegal",
            CheckKind::Faultless { .. } => "faultless",
            CheckKind::BeatsRandom { .. } => "beats-random",
            CheckKind::Time { .. } => "time",
            CheckKind::ReadsFiles { .. } => "reads-files",
            CheckKind::FileFormat { .. } => "file-format",
            CheckKind::LineEnds { .. } => "line-ends",
            CheckKind::PrintsScore { .. } => "prints-score",
            CheckKind::StopsWhenOver { .. } => "stops-when-over",
            CheckKind::WritesNothingWhenOver { .. } => "writes-nothing-when-over",
        }
    }

    /// Returns true if the check is made in whole games, not in positions.
    pub(super) fn plays_games(&self) -> bool {
        matches!(self, CheckKind::Faultless { .. } | CheckKind::BeatsRandom { .. })
    }

    /// Returns true if the check determines how all other checks treat the player. Such a check is
    /// made even if it is worth nothing.
    #[must_use]
    pub fn is_probe(&self) -> bool {
        matches!(self, CheckKind::ReadsFiles { .. } | CheckKind::CountsDepth { .. })
    }

    /// Returns the place of the check in the order in which checks are made: those of least number
    /// come first. A slow player thus has its points for all that takes no search before its time
    /// is over, and those for single moves before it plays whole games. Probes come before what
    /// they determine; the games that must be won come last, because a player that is blind as one
    /// side is judged only by those of the other side.
    pub(super) fn turn(&self) -> u8 {
        match self {
            CheckKind::ReadsFiles { .. } => 0,
            kind if kind.is_about_opinions() => 0,
            CheckKind::CountsDepth { .. } => 1,
            CheckKind::Faultless { .. } => 3,
            CheckKind::BeatsRandom { .. } => 4,
            _ => 2,
        }
    }

    /// Returns true if the result depends on how the player counts the depth.
    #[must_use]
    pub fn asks_for_search(&self) -> bool {
        matches!(
            self,
            CheckKind::Sees { .. } | CheckKind::BeatsRandom { .. } | CheckKind::Time { .. }
        )
    }

    /// Returns true if the check is only for programs that exchange files.
    #[must_use]
    pub fn is_about_files(&self) -> bool {
        matches!(
            self,
            CheckKind::ReadsFiles { .. }
                | CheckKind::FileFormat { .. }
                | CheckKind::LineEnds { .. }
                | CheckKind::PrintsScore { .. }
                | CheckKind::StopsWhenOver { .. }
                | CheckKind::WritesNothingWhenOver { .. }
        )
    }

    /// Returns true if the check is only for players that judge moves.
    #[must_use]
    pub fn is_about_opinions(&self) -> bool {
        matches!(self, CheckKind::AcceptsLegal | CheckKind::RefusesIllegal { .. })
    }

    /// Returns true if the game is over in all positions of the check.
    pub(super) fn is_about_ends(&self) -> bool {
        matches!(self, CheckKind::StopsWhenOver { .. } | CheckKind::WritesNothingWhenOver { .. })
    }

    /// Returns the number of plies that it takes to see the right moves, if the check has right
    /// moves.
    #[must_use]
    pub fn plies(&self) -> Option<u32> {
        match self {
            CheckKind::Sees { plies, .. } | CheckKind::CountsDepth { plies } => Some(*plies),
            _ => None,
        }
    }
}

fn time<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    parse_duration(&text).map_err(serde::de::Error::custom)
}
