//! Matches: two players compared by many games, and how sure one can be of the result.
//!
//! Games come in pairs. Both games of a pair begin with the same opening, and the players swap
//! sides between them, so that an opening that favors a side favors neither player. What counts in
//! the statistics is the pair: its two games are not independent of each other, but pairs are. The
//! points of a pair, from 0 to 2 in steps of a half, have five values, hence the name
//! [`Pentanomial`].

mod elo;
mod opening;
mod pair;
mod pentanomial;
mod run;
mod sprt;
mod stoppable;
mod tally;

pub use elo::{elo_of, expected_score, signed};
pub use opening::{TooFewOpenings, draw_openings};
pub use pair::{Entrant, EntrantResult, GamePair};
pub(crate) use pentanomial::TWO_SIDED_95;
pub use pentanomial::{Interval, Pentanomial};
pub use run::{MatchConditions, MatchVerdict, play, play_pair};
pub use sprt::{NotATest, Sprt, SprtState};
pub(crate) use stoppable::Stoppable;
pub use tally::{GameCounts, MatchTally, PairMargins};
