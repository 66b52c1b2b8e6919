//! The engine: searches against plain minimax, proofs, exact play and the contract of games.

mod contract;
mod forced;
mod perfect;
mod proof;
mod search;
mod trace;
mod values;
