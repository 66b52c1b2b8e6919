//! What a server shares, for the tests of this crate.

use std::time::Duration;

use plyground_page::Engines;
use plyground_page::testing::games;

use crate::App;
use crate::names::Names;
use crate::programs::{ProgramGames, ServedPrograms};
use crate::searches::Searches;
use crate::turns::Turns;

/// What a server shares that has a game of its own and one without a page.
pub(crate) fn app() -> App {
    let games = games();
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
