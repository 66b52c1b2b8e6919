//! The programs, run as people run them: their commands, their page in a browser, and the examples of
//! the documentation.
//!
//! Expected outputs are files; after a change that is meant to change them, run the tests once with
//! `UPDATE_GOLDEN=1` and look at the difference.

#[path = "../common/mod.rs"]
mod common;
// The first by name, and so by time: its longest test has a core to itself at the end otherwise.
#[path = "../docs/mod.rs"]
mod docs;
#[path = "../maxconnect4/cli/mod.rs"]
mod maxconnect4;
#[path = "../maxconnect4/serve/mod.rs"]
mod maxconnect4_page;
#[path = "../network/cli/mod.rs"]
mod network;
#[cfg(unix)]
#[path = "../network/java/mod.rs"]
mod network_java;
#[path = "../network/serve/mod.rs"]
mod network_page;
#[path = "../plyground/program.rs"]
mod plyground;
#[cfg(unix)]
#[path = "../plyground/class/mod.rs"]
mod plyground_class;
#[path = "../plyground/explain/mod.rs"]
mod plyground_explain;
#[cfg(unix)]
#[path = "../plyground/rules/mod.rs"]
mod plyground_rules;
#[cfg(unix)]
#[path = "../starters/mod.rs"]
mod starters;
mod values;
