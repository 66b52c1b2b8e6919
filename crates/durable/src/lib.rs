//! Files that survive, and values as people write them: the ground floor, which knows no game and no
//! sandbox.
//!
//! * [`output`] and [`new_folder`] write files and folders whole or not at all; [`lock`] lets one
//!   process at a time do so.
//! * [`journal`] keeps the results of a long run, and [`work`] shares a run among processes by way of a
//!   folder; [`sealed_line`] tells whether a line is as it was written. [`pool`] shares work among
//!   threads.
//! * [`input`] reads files of people, [`plain_text`] undoes the habits of their editors, and
//!   [`toml_file`] says where such a file is wrong. [`csv_text`] writes tables for spreadsheets.
//! * [`parse_duration`], [`parse_size`] and [`whole_number`] read values; [`excerpt()`], [`shorten`] and
//!   [`one_line`] repeat text in messages.

mod checksum;
pub mod csv_text;
mod excerpt;
pub mod input;
pub mod journal;
pub mod lock;
pub mod new_folder;
pub mod output;
pub mod plain_text;
pub mod pool;
pub mod sealed_line;
pub mod toml_file;
pub mod values;
pub mod work;

pub use checksum::fnv1a;
pub use excerpt::{excerpt, one_line, shorten};
pub use values::{parse_duration, parse_size, whole_number};
