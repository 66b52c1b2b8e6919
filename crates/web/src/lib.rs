//! One page on which people play and analyze any number of games.
//!
//! The page itself is in `page/`. It asks [`questions`] and shows the answers, which the [`server`] gives, or,
//! on a web host without a server, the engine that is compiled to WebAssembly.

pub mod questions;
#[cfg(feature = "server")]
pub mod server;

#[cfg(feature = "server")]
pub use questions::ServedGame;
#[cfg(feature = "server")]
pub use server::{
    Answers, Offer, ServedProgram, ServedPrograms, Server, ServerLimits, ServerNames,
};
