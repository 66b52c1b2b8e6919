//! One page on which people play and analyze any number of games.
//!
//! The page itself is in `page/`. It asks [`questions`] and shows the answers. The [`server`] answers or, on a web
//! host without this server, the engine in WebAssembly.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(feature = "server")]
pub mod server;

pub mod questions {
    //! The questions of the page for playing and analyzing, and the answers.
    //!
    //! The page is the same for every game: it shows data from [`plyground_host::page`] and knows no rules. Every
    //! question carries a whole game, and the answer depends on nothing else. Questions and answers are JSON; a server
    //! and the engine in WebAssembly give the same answers.
    //!
    //! * [`About`] describes a game, [`View`] a position; [`PastedText`] opens files and [`GameToSave`] saves them.
    //! * [`ExplainQuery`] asks for a search step by step; [`review`] finds the mistakes of a game.
    //! * [`choose`] makes the move of a player, [`analyze`] finds the values of moves. Both search with one
    //!   of the [`Engines`], within the time and the number of threads that the caller allows.

    mod analysis;
    mod choice;
    mod games;
    #[cfg(test)]
    pub(crate) mod testing;
    mod view;

    pub use analysis::{
        AnalysisQuery, AnalysisView, Effort, ExplainQuery, ReviewQuery, ReviewView, SearchView,
        Searching, analyze, review, variation,
    };
    pub use choice::{ChoiceQuery, ChoiceView, Chooser, Engines, LeasedEngine, Thinking, choose};
    pub use games::{
        GameLine, GameToSave, Games, Opened, PastedText, RecordText, Refused, ReplayedGame,
        ServedGame,
    };
    pub use view::{
        About, AboutQuery, MoveView, PositionQuery, ProgramName, ScoreView, View, empty_boards,
    };
}

#[cfg(feature = "server")]
pub use questions::ServedGame;
#[cfg(feature = "server")]
pub use server::{
    Answers, BoardPage, Offer, ServedProgram, ServedPrograms, Server, ServerLimits, ServerNames,
};

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Locks a mutex. A lock poisoned by a panic is still good, because no thread leaves the data half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
