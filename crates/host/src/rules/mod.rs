//! Games whose rules are a program of any language.
//!
//! A [`RulesProgram`] is started once, and answers a line protocol: what a position is, which moves it has,
//! and where they lead. The manual describes the protocol on its page about rules programs. Its positions are
//! texts of its own, and [`host`](crate::host) makes a game of it like any other.
//!
//! The program is the user's own code and trusted as such: it runs in no sandbox. All that it says is checked
//! nevertheless, so that a mistake in it is named where it happens and costs no player a game.
//!
//! * `process` talks to the program in lines, `message` reads them.
//! * `program` asks it and checks the answers, `memory` remembers them, `position` plays by it, `adapter` gives the
//!   texts and the kit.

mod adapter;
mod check;
mod memory;
mod message;
mod position;
mod process;
mod program;

pub use check::Checked;
pub use message::VERSION;
pub use position::{RulesMove, RulesPosition};
pub use process::RulesFault;
pub use program::{GiveUp, RulesProgram, take_fault};
