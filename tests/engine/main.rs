//! The engine: searches against plain minimax, proofs, exact play and the contract of games.

mod claims;
mod contract;
mod extra_turns;
mod forced;
mod hurry;
mod intervals;
mod perfect;
mod proof;
mod search;
mod textbook;
mod trace;
mod values;
