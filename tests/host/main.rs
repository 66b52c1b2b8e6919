//! The boundary, players, the referee and records.

mod boundary;
mod referee;
