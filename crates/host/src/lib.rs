//! A game behind text, as people, files, other programs and pages see it.
//!
//! Below this crate code is generic and typed; from here up it is not. [`host`] turns a game that implements
//! [`Program`] into a [`HostedGame`]. Its positions are [`HostedPosition`]s, its moves [`MoveText`]s, and its
//! searches [`HostedEngine`]s, so that one referee, one page and one command line serve every game.
//!
//! * [`player`] and [`referee`] play games, [`record`] keeps them.
//! * [`external`] and [`protocol`] run other people's programs.
//! * [`state`] reads and writes positions, [`page`] describes what a browser shows of them.

mod analysis;
mod bench;
mod bound;
mod crash_cause;
mod ending;
mod engine;
mod explanation;
pub mod external;
mod fault;
mod foresight;
mod game;
mod hosted;
mod instructions;
mod move_text;
pub mod page;
pub mod player;
mod position;
mod program;
pub mod protocol;
pub mod record;
pub mod referee;
mod seed;
mod starter;
pub mod state;
pub mod toy;

pub use analysis::{Analysis, AnalysisRequest, AnalyzedLine, ForcedWin, Stage};
pub use bench::bench;
pub use bound::{Bound, NotABound};
pub use ending::{Ending, Reason};
pub use engine::{
    ChosenMove, Constraints, EngineOptions, HostedEngine, MOST_PLIES_TO_SOLVE, MoveSource, Strength,
};
pub use explanation::{ExplainRequest, Explanation, Terms};
pub use fault::Fault;
pub use foresight::Promise;
pub use game::{HostedGame, SharedGame};
pub use hosted::{DEFAULT_TIME, host, host_position};
pub use instructions::instructions;
pub use move_text::{MoveText, MoveTooLong};
pub use position::{HostedPosition, Illegal};
pub use program::{Program, Variants};
pub use seed::any_seed;
pub use starter::StarterKit;
