//! What a game asks of a player, as data.

use std::time::Duration;

use plyground_durable::parse_duration;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::draw_rule::DrawRule;

/// One requirement of an assignment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Check {
    /// What it is called: different from all others.
    pub name: String,
    /// What it is worth.
    pub points: f64,
    /// Who may see how it went.
    #[serde(default)]
    pub visibility: Visibility,
    /// Whether students are shown the moves that were expected of their players.
    #[serde(default)]
    pub expected: bool,
    /// The name of a check without half of whose points this one has none.
    pub needs: Option<String>,
    /// What is asked of the player, for people.
    pub asks: String,
    /// Why that is asked.
    pub why: String,
    /// The sentence of the assignment that asks for it.
    pub sentence: String,
    /// Positions in which the check is always made, given by the moves that lead to them,
    /// separated by blanks.
    #[serde(default)]
    pub positions: Vec<String>,
    /// How further positions are drawn.
    pub draw: Option<DrawRule>,
    /// What is done.
    #[serde(flatten)]
    pub kind: CheckKind,
}

/// Who may see how a check went. The names are those of Gradescope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// All whose submission it is.
    #[default]
    Visible,
    /// They too, once nobody can hand in any more.
    AfterDueDate,
    /// They too, once the grades are published.
    AfterPublished,
    /// The instructor alone.
    Hidden,
}

/// What is done to see whether a requirement is met, in every position of the check. A depth is
/// what is put in the place of `{depth}` in the player.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CheckKind {
    /// The player makes one of the moves that are best as far as so many plies show. The points
    /// begin above what luck alone gives.
    Sees {
        /// How many plies it is told to look ahead.
        depth: u32,
        /// How many plies it takes to see which moves are best.
        plies: u32,
        /// The number of right moves that earns all points: that of the positions, if it is not given.
        enough: Option<usize>,
    },
    /// The player sees what so many plies show when it is told that many, and neither needs to be
    /// told one more nor sees it when told one less. Each side to move is worth half. What is found
    /// here is what all other checks go by, so that the miscount costs the points of this check and
    /// no others.
    CountsDepth {
        /// How many plies it takes to see which moves are best.
        plies: u32,
    },
    /// The player says of legal moves that they are legal, as its own and as its opponent's.
    AcceptsLegal,
    /// The player says of illegal moves that they are illegal, as its own and as its opponent's.
    RefusesIllegal {
        /// Moves that are tried, where they are illegal.
        moves: Vec<String>,
    },
    /// The player loses no game by a fault: it makes only legal moves, and in time.
    Faultless {
        /// How many plies it is told to look ahead.
        depth: u32,
        /// How many games it plays against random moves, half of them with either side.
        games: u32,
    },
    /// The player wins its games against random moves. It plays until the points are certain.
    BeatsRandom {
        /// How many plies it is told to look ahead.
        depth: u32,
        /// The greatest number of games, half of them with either side.
        games: u32,
        /// The part of the games, from 0 to 1, above which the points begin.
        from: f64,
        /// The part of the games that it has to win for all points.
        share: f64,
    },
    /// The player moves within this time, of the processor or by the clock on the wall, whichever is
    /// less. The points are shared out among the positions.
    Time {
        /// How many plies it is told to look ahead; without it, what it chooses itself.
        depth: Option<u32>,
        /// The time.
        #[serde(deserialize_with = "time")]
        limit: Duration,
    },
    /// The player reads files with the line ends of the assignment's own. A player that does not
    /// and that reads LF is given LF by all other checks. For programs that exchange files, as all
    /// kinds that follow.
    ReadsFiles {
        /// How many plies it is told to look ahead.
        depth: u32,
    },
    /// The file that the player writes is the one that it read with one move made, but for its
    /// line ends.
    FileFormat {
        /// How many plies it is told to look ahead.
        depth: u32,
    },
    /// The line ends of the file that the player writes are those of the assignment's own files,
    /// or of the file that it read.
    LineEnds {
        /// How many plies it is told to look ahead.
        depth: u32,
    },
    /// The player prints the points of both sides before the move, and again after it.
    PrintsScore {
        /// How many plies it is told to look ahead.
        depth: u32,
    },
    /// In a position that is over the player prints the points of both sides and ends by itself. A
    /// file that it writes is the one that it read.
    StopsWhenOver {
        /// How many plies it is told to look ahead.
        depth: u32,
    },
    /// In a position that is over the player writes no file.
    WritesNothingWhenOver {
        /// How many plies it is told to look ahead.
        depth: u32,
    },
}

impl CheckKind {
    /// Whether it finds out how the player is to be treated by all other checks, and so is made
    /// even if it is worth nothing.
    #[must_use]
    pub fn is_probe(&self) -> bool {
        matches!(self, CheckKind::ReadsFiles { .. } | CheckKind::CountsDepth { .. })
    }

    /// Whether it matters to it how the player counts the depth.
    #[must_use]
    pub fn asks_for_search(&self) -> bool {
        matches!(
            self,
            CheckKind::Sees { .. } | CheckKind::BeatsRandom { .. } | CheckKind::Time { .. }
        )
    }

    /// Whether it is for programs that exchange files alone.
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

    /// Whether it is for players that say what they think of a move alone.
    #[must_use]
    pub fn is_about_opinions(&self) -> bool {
        matches!(self, CheckKind::AcceptsLegal | CheckKind::RefusesIllegal { .. })
    }

    /// Whether its positions are ones in which the game is over.
    pub(super) fn is_about_ends(&self) -> bool {
        matches!(self, CheckKind::StopsWhenOver { .. } | CheckKind::WritesNothingWhenOver { .. })
    }

    /// How many plies it takes to see which moves are right, where some are.
    #[must_use]
    pub fn plies(&self) -> Option<u32> {
        match self {
            CheckKind::Sees { plies, .. } | CheckKind::CountsDepth { plies } => Some(*plies),
            _ => None,
        }
    }
}

/// Why a text is not one of checks, as one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotChecks(pub String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    check: Vec<Check>,
}

/// Reads the checks of a game: none in an empty text.
///
/// # Errors
///
/// When the text is not one of checks, two have the same name, or one needs another that is not
/// there.
pub fn parse_checks(text: &str) -> Result<Vec<Check>, NotChecks> {
    let file: File = toml::from_str(text)
        .map_err(|error| NotChecks(error.message().lines().collect::<Vec<_>>().join(" ")))?;
    for (index, check) in file.check.iter().enumerate() {
        if file.check[..index].iter().any(|other| other.name == check.name) {
            return Err(NotChecks(format!("two checks are called `{}`", check.name)));
        }
        if let Some(needed) = &check.needs
            && !file.check.iter().any(|other| other.name == *needed)
        {
            return Err(NotChecks(format!("`{}` needs `{needed}`: no such check", check.name)));
        }
    }
    Ok(file.check)
}

fn time<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    parse_duration(&text).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_text_has_no_checks() {
        assert_eq!(parse_checks(""), Ok(Vec::new()));
        assert!(parse_checks("[[chek]]\n").is_err());
    }

    #[test]
    fn checks_are_read() {
        let reasons = "asks = 'a'\nwhy = 'w'\nsentence = 's'\n";
        let text = format!(
            "[[check]]\nname = 'a'\npoints = 10\nkind = 'time'\nlimit = '5s'\n\
            positions = ['', '1 2']\nneeds = 'b'\n{reasons}\
            [[check]]\nname = 'b'\npoints = 2.5\nkind = 'beats-random'\n\
            depth = 2\ngames = 10\nfrom = 0.5\nshare = 0.9\nvisibility = 'hidden'\n{reasons}"
        );
        let checks = parse_checks(&text).expect("checks");
        assert_eq!(checks.len(), 2);
        let CheckKind::Time { depth, limit } = &checks[0].kind else {
            panic!("{checks:?}");
        };
        assert_eq!((*depth, *limit), (None, Duration::from_secs(5)));
        assert_eq!(checks[0].positions.len(), 2);
        let seen = [checks[0].visibility, checks[1].visibility];
        assert_eq!(seen, [Visibility::Visible, Visibility::Hidden]);
        for (from, to) in [
            ("needs = 'b'", "needs = 'c'"),
            ("'b'\npoints", "'a'\npoints"),
            ("'5s'", "'soon'"),
            ("beats-random", "beats-all"),
            ("why = 'w'\n", ""),
        ] {
            assert!(parse_checks(&text.replace(from, to)).is_err(), "{from}");
        }
    }
}
