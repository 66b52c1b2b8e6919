//! A move of any game as text.

use std::fmt::{self, Debug};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A move of any game in its canonical notation: at most [`MoveText::MOST_BYTES`] bytes of UTF-8.
///
/// A text need not be a move, or a legal one; that depends on the position.
/// [`PositionInfo::parse_move`](crate::PositionInfo::parse_move) and
/// [`Game::check_legal`](plyground::Game::check_legal) decide it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveText {
    /// The text, followed by zeros.
    bytes: [u8; MoveText::MOST_BYTES],
    length: u8,
}

/// The error of a text that is longer than any move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a move of at most {} bytes", MoveText::MOST_BYTES)]
pub struct MoveTooLong;

impl MoveText {
    /// The length of the longest text, in bytes.
    pub const MOST_BYTES: usize = 23;

    /// Returns the text of `mv`. A text that is too long is cut off, and is then not a move of its game.
    pub fn of(mv: &impl fmt::Display) -> MoveText {
        let mut text = MoveText { bytes: [0; MoveText::MOST_BYTES], length: 0 };
        // Writing stops when the bytes are full.
        let _ = fmt::write(&mut text, format_args!("{mv}"));
        text
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Write for MoveText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let start = usize::from(self.length);
        let end = start + text.len();
        self.bytes.get_mut(start..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = u8::try_from(end).map_err(|_| fmt::Error)?;
        Ok(())
    }
}

impl FromStr for MoveText {
    type Err = MoveTooLong;

    fn from_str(text: &str) -> Result<MoveText, MoveTooLong> {
        if text.len() > MoveText::MOST_BYTES { Err(MoveTooLong) } else { Ok(MoveText::of(&text)) }
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for MoveText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MoveText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<MoveText, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_kept_as_it_was() -> Result<(), MoveTooLong> {
        for text in ["", "4", "34-56", "ÄÖ", "abcdefghijklmnopqrstuvw"] {
            assert_eq!(text.parse::<MoveText>()?.to_string(), text);
        }
        Ok(())
    }

    #[test]
    fn longer_texts_are_refused() {
        assert_eq!("x".repeat(24).parse::<MoveText>(), Err(MoveTooLong));
    }
}
