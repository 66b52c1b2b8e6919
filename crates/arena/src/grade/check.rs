//! What a game asks of a player, as data.

use std::time::Duration;

use plyground_cage::parse_duration;
use serde::Deserialize;
use thiserror::Error;

/// One requirement of an assignment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Check {
    /// What it is called: different from all others.
    pub name: String,
    /// What it is worth.
    pub points: f64,
    /// What is done.
    #[serde(flatten)]
    pub kind: CheckKind,
}

/// What is done to see whether a requirement is met. Positions are given by the moves that lead
/// to them, separated by blanks. A depth is what is put in the place of `{depth}` in the player.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CheckKind {
    /// The player makes one of the moves that are best as far as so many plies show. The points
    /// are shared out among the positions.
    Sees {
        /// How many plies it is told to look ahead.
        depth: u32,
        /// How many plies it takes to see which moves are best.
        plies: u32,
        /// The positions.
        positions: Vec<String>,
    },
    /// The player says of legal moves that they are legal, as its own and as its opponent's.
    AcceptsLegal {
        /// The positions.
        positions: Vec<String>,
    },
    /// The player says of illegal moves that they are illegal, as its own and as its opponent's.
    RefusesIllegal {
        /// The positions.
        positions: Vec<String>,
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
    /// The player wins its games against random moves.
    BeatsRandom {
        /// How many plies it is told to look ahead.
        depth: u32,
        /// How many games it plays, half of them with either side.
        games: u32,
        /// The part of the games that it has to win for all points, from 0 to 1. With less it
        /// has points in proportion.
        share: f64,
    },
    /// The player moves within this time by the clock on the wall. The points are shared out
    /// among the positions.
    Time {
        /// How many plies it is told to look ahead; without it, what it chooses itself.
        depth: Option<u32>,
        /// The time.
        #[serde(deserialize_with = "time")]
        limit: Duration,
        /// The positions.
        positions: Vec<String>,
    },
    /// The file that the player writes is the one that it read, with one move made and not a byte
    /// changed besides, whatever its line ends. For programs that exchange files.
    FileFormat {
        /// How many plies it is told to look ahead.
        depth: u32,
        /// The positions.
        positions: Vec<String>,
    },
    /// The points of both sides before the move are among the numbers that the player prints. For
    /// programs that exchange files.
    PrintsScore {
        /// How many plies it is told to look ahead.
        depth: u32,
        /// The positions.
        positions: Vec<String>,
    },
    /// In a position that is over the player prints the points of both sides, ends by itself and
    /// writes no file. For programs that exchange files.
    StopsWhenOver {
        /// How many plies it is told to look ahead.
        depth: u32,
        /// The positions.
        positions: Vec<String>,
    },
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
/// When the text is not one of checks, or two have the same name.
pub fn parse_checks(text: &str) -> Result<Vec<Check>, NotChecks> {
    let file: File = toml::from_str(text)
        .map_err(|error| NotChecks(error.message().lines().collect::<Vec<_>>().join(" ")))?;
    for (index, check) in file.check.iter().enumerate() {
        if file.check[..index].iter().any(|other| other.name == check.name) {
            return Err(NotChecks(format!("two checks are called `{}`", check.name)));
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
        let text = "[[check]]\nname = 'a'\npoints = 10\nkind = 'time'\nlimit = '5s'\n\
            positions = ['', '1 2']\n[[check]]\nname = 'b'\npoints = 2.5\nkind = 'beats-random'\n\
            depth = 2\ngames = 10\nshare = 0.9\n";
        let checks = parse_checks(text).expect("checks");
        assert_eq!(checks.len(), 2);
        let CheckKind::Time { depth, limit, positions } = &checks[0].kind else {
            panic!("{checks:?}");
        };
        assert_eq!((*depth, *limit, positions.len()), (None, Duration::from_secs(5), 2));
        assert!(parse_checks(&text.replace("'b'", "'a'")).is_err());
        assert!(parse_checks(&text.replace("'5s'", "'soon'")).is_err());
        assert!(parse_checks(&text.replace("beats-random", "beats-all")).is_err());
    }
}
