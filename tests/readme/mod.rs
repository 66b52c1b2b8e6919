//! The pages in Markdown: the README, the manual in `docs/`, and those beside games and results.

mod comments;
#[cfg(unix)]
mod examples;
pub mod markdown;
// The command about the sandbox is there on Linux only.
#[cfg(target_os = "linux")]
mod options;
mod pages;
mod results;
#[cfg(unix)]
mod run;
