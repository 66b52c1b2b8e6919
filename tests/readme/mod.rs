//! The README and the pages of the documentation.

#[cfg(unix)]
mod examples;
pub mod markdown;
mod pages;
