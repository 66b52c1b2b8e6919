//! The games of a page.

use std::sync::Arc;

use plyground::book::Book;
use plyground_host::{SharedGame, excerpt};

use crate::refused::Refused;

/// A game on the page.
#[derive(Clone, Debug)]
pub struct ServedGame {
    /// The game, by the rules that a new visitor of the page finds.
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
    /// These games, the first of which a new visitor finds. Without `has_values` nobody learns what
    /// moves are worth, and there are no books.
    ///
    /// # Errors
    ///
    /// When there is no game, or one of them has no page.
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

    /// Any games, for tests.
    #[cfg(test)]
    pub(crate) fn of_any(games: Vec<ServedGame>) -> Games {
        Games { games: games.into_iter().map(Arc::new).collect(), has_values: true }
    }

    /// Whether the page says what moves are worth.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.has_values
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ServedGame>> {
        self.games.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.games.len()
    }

    /// The game of this name; the first one if there is no name.
    ///
    /// # Errors
    ///
    /// When there is none of this name.
    pub fn get(&self, name: Option<&str>) -> Result<&Arc<ServedGame>, Refused> {
        let Some(name) = name else { return Ok(&self.games[0]) };
        let found = self.games.iter().find(|served| served.game.name() == name);
        found.ok_or_else(|| Refused::new(format!("there is no game called `{}`", excerpt(name))))
    }
}

/// The game with the rules of this name.
pub(crate) fn with_rules(served: &ServedGame, rules: &str) -> Result<SharedGame, Refused> {
    served
        .game
        .with_rules(rules)
        .ok_or_else(|| Refused::new(format!("there are no rules called `{}`", excerpt(rules))))
}
