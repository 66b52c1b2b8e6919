//! What is proven of Network: strategies, the tables of results/, and the solved opening.

mod distances;
mod forced;
mod openings;
#[path = "../network/samples.rs"]
mod samples;
mod solution;
