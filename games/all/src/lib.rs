//! The list of all games. Programs, bindings and fuzz targets take their games from here, so that one more
//! line adds a game to all of them.

use network::Rules;
use plyground_host::SharedGame;

/// Returns all games, each with its usual rules.
#[must_use]
pub fn all() -> Vec<SharedGame> {
    vec![maxconnect4::game(), network::game(Rules::Berkeley)]
}

/// Returns the game of this name, with its usual rules.
#[must_use]
pub fn named(name: &str) -> Option<SharedGame> {
    all().into_iter().find(|game| game.name() == name)
}
