//! Other people's programs as players: the commands that name them, and the exchange of files with them.
//!
//! Programs that stay alive for a game speak the [line protocol](crate::protocol).

mod command;
mod exchange;
mod file_player;
mod java_class;
mod java_program;
mod java_source;
mod not_ready;
mod output_file;
mod prepared;

pub use command::{CommandError, CommandLine, ProgramCommand};
pub use exchange::{Exchange, exchange};
pub use file_player::FilePlayer;
pub use java_class::check_class;
pub use java_program::{JavaProgram, NoJavaProgram};
pub use java_source::{java_package, java_public_class};
pub use not_ready::NotReady;
pub use output_file::move_in_output;
pub use prepared::{
    HandedIn, NOTHING_HANDED_IN, PreparedStatus, PreparedSubmission, is_plain_path,
};
