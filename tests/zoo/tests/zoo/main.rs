//! Games against badly behaved players: what they lose by, what they may do, and what they leave behind.

#![cfg(unix)]

#[cfg(target_os = "linux")]
mod attacks;
mod faults;
mod keeper;
#[cfg(target_os = "linux")]
mod tournament;
