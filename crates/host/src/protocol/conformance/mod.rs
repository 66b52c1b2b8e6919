//! What every engine must do that speaks the line protocol: a referee's side of some exchanges.

mod script;
mod talk;

use std::io;

use plyground_sandbox::SandboxPolicy;

use self::script::EXCHANGES;
use self::talk::Talk;
use crate::external::ProgramCommand;
use crate::game::SharedGame;

/// Something that an engine was asked, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The name.
    pub name: &'static str,
    /// What the engine should do, as one line.
    pub expected: &'static str,
    /// What it did instead, if it did not.
    pub found: Option<String>,
}

/// Holds the program of a command to the [line protocol](super), and tells `on_exchange` of every
/// exchange. It is started anew for each.
///
/// # Errors
///
/// When the system cannot run programs. Those are not to blame for it.
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
