//! Which builds of the programs a package has, and where.

mod level;

pub use level::{Level, levels};

/// Where the builds are, each in the folder of its level, from the folder above that of a program.
pub const BUILDS: &str = "lib/plyground";

/// The name of a build, which has all programs in it.
pub const BUILD: &str = "plyground";
