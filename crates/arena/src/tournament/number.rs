//! Which game of a tournament.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The number of a game: that of the meeting of two players, and that of the game in it, both
/// from 0. Which game a number stands for depends on the plan alone.
///
/// As text both are counted from 1: `0003-02`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameNumber {
    /// The number of the meeting.
    pub meeting: u32,
    /// The number of the game in the meeting.
    pub game: u32,
}

impl fmt::Display for GameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |number: u32| u64::from(number) + 1;
        write!(f, "{:04}-{:02}", counted(self.meeting), counted(self.game))
    }
}

/// The text is no number of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the number of a game, such as 0003-02")]
pub struct NotAGameNumber;

impl FromStr for GameNumber {
    type Err = NotAGameNumber;

    fn from_str(text: &str) -> Result<GameNumber, NotAGameNumber> {
        let index = |text: &str| text.parse::<u32>().ok()?.checked_sub(1);
        let numbers = text.split_once('-');
        let number = numbers
            .and_then(|(meeting, game)| {
                Some(GameNumber { meeting: index(meeting)?, game: index(game)? })
            })
            .ok_or(NotAGameNumber)?;
        // Only the one text that is written stands for a game, so no two files do.
        if number.to_string() == text { Ok(number) } else { Err(NotAGameNumber) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back() {
        for (meeting, game) in [(0, 0), (2, 1), (12_344, 199)] {
            let number = GameNumber { meeting, game };
            assert_eq!(number.to_string().parse(), Ok(number));
        }
        for bad in ["", "1-1", "0001", "0000-01", "0001-00", "0001-1", "+001-01", "0001-01x"] {
            assert_eq!(bad.parse::<GameNumber>(), Err(NotAGameNumber), "{bad}");
        }
    }
}
