//! Players, the referee and records.

mod referee;
