//! A game behind text, as people, files, other programs and pages see it.
//!
//! Below this crate code is generic and typed; from here up it is not. [`host`] turns a game that implements
//! [`GameAdapter`] into a [`HostedGame`]. Its positions are [`HostedPosition`]s, its moves [`MoveText`]s, and its
//! searches [`HostedEngine`]s, so that one referee, one page and one command line serve every game.
//!
//! * [`player`] and [`referee`] play games, [`record`] keeps them.
//! * [`external`] and [`protocol`] run other people's programs; [`rules`] makes a game of a program.
//! * [`state`] reads and writes positions, [`page`] describes what a browser shows of them.

mod adapter;
mod analysis;
mod bench;
mod ending;
mod engine;
pub mod external;
mod fault;
mod game;
mod hosted;
mod move_text;
pub mod page;
pub mod player;
mod position;
pub mod protocol;
pub mod record;
pub mod referee;
pub mod rules;
mod starter;
pub mod state;
pub mod toy;

pub use adapter::{GameAdapter, MoveOf, Text, default_text};
pub use analysis::{
    Analysis, AnalysisRequest, AnalyzedLine, Bound, ForcedWin, NotABound, Promise, Stage,
};
pub use bench::{bench, instructions};
pub use ending::{Ending, Reason};
pub use engine::{
    ChosenMove, Constraints, EngineError, EngineOptions, ExplainRequest, MOST_PLIES_TO_SOLVE,
    MoveSource, OtherGame, Strength, Terms, any_seed,
};
pub use fault::Fault;
pub use game::{
    AdaptedGame, Explanation, HostedEngine, HostedGame, HostedPosition, Illegal, PositionInfo,
    SharedGame, Variants,
};
pub use hosted::{DEFAULT_TIME, host, host_position};
pub use move_text::{MoveText, MoveTooLong};
pub use starter::{PythonTexts, StarterKit};
