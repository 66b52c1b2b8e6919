//! Other people's programs as players: the commands that name them, and the exchange of files with them.
//!
//! Programs that stay alive for a game speak the [line protocol](crate::protocol).

mod command;
mod file_player;
mod java;
mod prepared;

pub use command::{CommandError, CommandLine, Exchange, NotReady, ProgramCommand, exchange};
pub use file_player::{FilePlayer, move_in_output};
pub use java::{JavaProgram, NoJavaProgram, check_class, java_package, java_public_class};
pub use prepared::{
    HandedIn, NOTHING_HANDED_IN, PreparedStatus, PreparedSubmission, is_plain_path,
};
