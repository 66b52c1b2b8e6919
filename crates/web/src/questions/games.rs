//! The games of a page, and refusals of a question.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use plyground::book::Book;
use plyground_durable::{excerpt, shorten};
use plyground_host::SharedGame;

/// A game on the page.
#[derive(Clone, Debug)]
pub struct ServedGame {
    /// The game, under the rules that a new visitor of the page finds.
    pub game: SharedGame,
    /// The book for these rules, if there is one.
    pub book: Option<Book>,
}

/// The games of a page.
#[derive(Debug)]
pub struct Games {
    games: Vec<Arc<ServedGame>>,
    has_values: bool,
}

impl Games {
    /// Creates the games of a page; a new visitor finds the first. Without `has_values`, the page does not
    /// show the values of moves, and has no books.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no game, or if one of them has no page.
    pub fn new(mut games: Vec<ServedGame>, has_values: bool) -> Result<Games, Refused> {
        if games.is_empty() {
            return Err(Refused::new("there is no game to serve"));
        }
        if let Some(served) = games.iter().find(|served| served.game.layout().is_none()) {
            return Err(Refused::new(format!("{} has no page", served.game.name())));
        }
        if !has_values {
            games.iter_mut().for_each(|served| served.book = None);
        }
        Ok(Games { games: games.into_iter().map(Arc::new).collect(), has_values })
    }

    /// Creates the games of a page without a check, for tests.
    #[cfg(test)]
    pub(crate) fn of_any(games: Vec<ServedGame>) -> Games {
        Games { games: games.into_iter().map(Arc::new).collect(), has_values: true }
    }

    /// Returns true if the page shows the values of moves.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.has_values
    }

    /// Returns an iterator over the games.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ServedGame>> {
        self.games.iter()
    }

    /// Returns the number of games.
    #[must_use]
    pub fn count(&self) -> usize {
        self.games.len()
    }

    /// Returns the game of this name, or the first game if there is no name.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no game of this name.
    pub fn get(&self, name: Option<&str>) -> Result<&Arc<ServedGame>, Refused> {
        let Some(name) = name else { return Ok(&self.games[0]) };
        let found = self.games.iter().find(|served| served.game.name() == name);
        found.ok_or_else(|| Refused::new(format!("there is no game called `{}`", excerpt(name))))
    }
}

/// Returns the game under the rules of this name.
pub(crate) fn with_rules(served: &ServedGame, rules: &str) -> Result<SharedGame, Refused> {
    served
        .game
        .with_rules(rules)
        .ok_or_else(|| Refused::new(format!("there are no rules called `{}`", excerpt(rules))))
}

/// The reason why a question has no answer: one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl Refused {
    /// Creates a refusal for this reason, which is shortened if it is long.
    pub fn new(why: impl Into<String>) -> Refused {
        Refused(shorten(&why.into()).into_owned())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Refused {}
