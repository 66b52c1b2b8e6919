//! Files that survive crashes, and values as people write them. This is the lowest layer: it knows neither
//! games nor the sandbox.
//!
//! * [`output`] writes files and folders whole or not at all; [`lock`] lets only one process at a time do so.
//! * [`journal`] keeps the results of a long run, and [`work`] shares a run among threads, and among processes
//!   by way of a folder; [`sealed_line`] detects changed lines.
//! * [`input`] reads files that people write, undoes the habits of their editors, and tells where a file in
//!   TOML is wrong.
//! * [`quantities`] reads and writes times, sizes and numbers: [`parse_duration`], [`parse_size`] and
//!   [`whole_number`].
//! * [`text`] reads and writes tables of spreadsheets; [`cut`], [`excerpt`], [`shorten`], [`one_line`], [`shown`] and
//!   [`shown_lines`] shorten strangers' text and make it safe to print.

pub mod input;
pub mod journal;
pub mod lock;
pub mod output;
pub mod quantities;
pub mod sealed_line;
pub mod text;
pub mod work;

pub use input::FileError;
pub use quantities::{grouped, parse_duration, parse_size, whole_number};
pub use sealed_line::fnv1a;
pub use text::{cut, excerpt, one_line, shorten, shown, shown_lines};
