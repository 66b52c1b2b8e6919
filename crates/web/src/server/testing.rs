//! The shared state of a server, for the tests of this crate.

use std::time::Duration;

use crate::questions::{Engines, Games, ServedGame};
use crate::server::app::App;
use crate::server::programs::{ProgramGames, ServedPrograms};
use crate::server::searches::{Names, Searches};
use crate::server::turns::Turns;

/// A position with four empty cells, so that a search ends at once. Player 1 can win by two fours in column 5
/// and by one four in column 4, and ties in column 1.
pub(crate) const ENDGAME: &str = "0210022/1222011/1222121/2111122/1221211/2111122/1";

/// Returns the game of the server.
pub(crate) fn served() -> ServedGame {
    ServedGame { game: maxconnect4::game(), book: None }
}

/// Returns the shared state of a server.
pub(crate) fn app() -> App {
    let games = Games::new(vec![served()], true).expect("a game with a page");
    App {
        engines: Engines::new(games.count(), 2),
        games,
        turns: Turns::new(std::num::NonZeroUsize::MIN),
        searches: Searches::new(1, 1),
        names: Names::default(),
        programs: ProgramGames::new(ServedPrograms::default()),
        request_time: Duration::from_secs(1),
        search_time: Duration::from_secs(1),
    }
}
