//! What each program adds to the commands that all games share.
//!
//! The program of a game is a binary of a few lines, so that [`all`] can have the commands of all.

pub mod all;
pub mod network;
