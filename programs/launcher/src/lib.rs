//! The builds of the programs in a package, and their places.

mod level;

pub use level::{Level, levels};

/// The folder of the builds, each in the folder of its level, relative to the parent of the folder of a
/// program.
pub const BUILDS: &str = "lib/plyground";

/// The name of a build, which contains all programs.
pub const BUILD: &str = "plyground";
