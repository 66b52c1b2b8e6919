//! Checks of an engine that speaks the line protocol: the referee's side of some exchanges.

mod script;
mod talk;

use std::io;

use plyground_sandbox::SandboxPolicy;

use self::script::EXCHANGES;
use self::talk::Talk;
use crate::external::ProgramCommand;
use crate::game::SharedGame;

/// A question to an engine, and the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The name of the exchange.
    pub name: &'static str,
    /// The expected behavior of the engine, as one line.
    pub expected: &'static str,
    /// The behavior that was found instead, if it differs.
    pub found: Option<String>,
}

/// Checks that the program of a command keeps to the [line protocol](super), and reports every exchange to
/// `on_exchange`. The program is started anew for each.
///
/// # Errors
///
/// Returns an error if the system cannot run programs, which is not a fault of the engine.
pub fn check_engine(
    game: &SharedGame,
    command: ProgramCommand,
    policy: &SandboxPolicy,
    mut on_exchange: impl FnMut(&Exchange),
) -> io::Result<()> {
    let ProgramCommand { words, files } = command;
    let policy = &SandboxPolicy { named: files, ..policy.clone() };
    for (name, expected, exchange) in EXCHANGES {
        if policy.is_stopped() {
            return Ok(());
        }
        let talk = Talk::start(&words, policy)?;
        let found = exchange(game, talk).err();
        on_exchange(&Exchange { name, expected, found });
    }
    Ok(())
}
