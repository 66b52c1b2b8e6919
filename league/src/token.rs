//! Tokens: secrets of 128 bits. The league keeps their hashes alone.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// The number of random bytes of a token.
const BYTES: usize = 16;

/// A secret that its owner alone knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// The hash of a token. A token of 128 random bits needs no slow hash: it cannot be guessed.
pub type TokenHash = [u8; 32];

impl Token {
    /// Draws a token.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no random numbers.
    pub fn draw() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Token(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Reads a token as somebody sent it.
    #[must_use]
    pub fn read(text: &str) -> Option<Token> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).ok()?;
        (bytes.len() == BYTES).then(|| Token(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Returns the token as text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns the hash, which alone is stored. It is looked up by an index, so the time of a look-up says
    /// nothing about the token.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

/// Shows no secret.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_read_as_it_was_drawn() {
        let token = Token::draw().expect("random numbers");
        assert_eq!(Token::read(token.text()), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "Token(..)");
        assert_ne!(token, Token::draw().expect("random numbers"));
        for text in ["", "short", "../../etc/passwd", "A", &token.text()[1..]] {
            assert_eq!(Token::read(text), None, "{text}");
        }
    }
}
