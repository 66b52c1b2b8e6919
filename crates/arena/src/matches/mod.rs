//! Matches: two players compared by many games.
//!
//! Games come in pairs. Both games of a pair begin with the same opening, and the players swap
//! sides between them, so that an opening that favors a side favors neither player. What counts in
//! the [statistics](crate::statistics) is the pair.

mod opening;
mod pair;
mod run;
mod stoppable;
mod tally;

pub use opening::{TooFewOpenings, draw_openings};
pub use pair::{Entrant, EntrantResult, GamePair};
pub use run::{MatchConditions, MatchVerdict, play, play_pair};
pub(crate) use stoppable::Stoppable;
pub use tally::{GameCounts, MatchTally, PairMargins};
