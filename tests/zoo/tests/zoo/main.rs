//! Games against badly behaved players: what they lose by, what they may do, and what they leave behind.

#![cfg(unix)]

mod faults;
mod harmless;
mod keeper;
mod system;
