#![doc = include_str!("PROTOCOL.md")]

#[cfg(unix)]
mod confine;
mod engine;
mod exchange;
mod file_player;
mod folder;
#[cfg(unix)]
mod folder_size;
#[cfg_attr(not(unix), path = "no_host.rs")]
mod host;
mod java_class;
mod limits;
mod line_player;
mod message;
mod meter;
mod output_file;
#[cfg(unix)]
mod process;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), path = "no_process_table.rs")]
mod process_table;
mod protocol;
#[cfg(unix)]
mod relay;
mod sandbox;
mod size;
#[cfg(unix)]
mod streams;
#[cfg_attr(not(unix), path = "no_supervisor.rs")]
mod supervisor;
mod system;
mod texts;
#[cfg(test)]
mod toy;
mod treatment;
#[cfg(unix)]
mod tree;

pub use bytesize::ByteSize;
pub use engine::serve;
pub use exchange::{Exchange, exchange};
pub use file_player::FilePlayer;
pub use java_class::check_class;
pub use limits::{DEFAULT_WALL, ProcessLimits};
pub use line_player::LinePlayer;
pub use sandbox::{Confinement, confinement};
pub use supervisor::supervise;
pub use system::is_exhausted;
pub use texts::Texts;
pub use treatment::Treatment;

/// The argument by which a program is told to supervise another.
pub const SUPERVISE: &str = "supervise";

/// The option behind [`SUPERVISE`] by which a program is told to become the other.
pub const CONFINE: &str = "--confine";
