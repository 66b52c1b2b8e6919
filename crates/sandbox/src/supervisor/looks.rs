//! The looks at what the processes of a program occupy, hold and keep.

use crate::failure::ProcessEnd;
use crate::level::SandboxLevel;
use crate::supervisor::control::Usage;
use crate::supervisor::enclosure::Enclosure;
use crate::supervisor::tree::Tree;
use crate::system::processes::{Memory, are_stopped, descendants};

/// The number of looks that come with one at the folder, and at the things that processes hold.
const LOOKS_PER_CLOSE_LOOK: u32 = 5;
/// The number of close looks in a row at which a process may run a program that it may not read.
const MOST_UNREADABLE: u32 = 8;
/// The number of looks at a folder on a disk that come with one for which the program is stopped.
const CLOSE_LOOKS_PER_STOP: u32 = 10;

/// The looks at the processes of one program.
pub(crate) struct Looks<'c> {
    sandbox: &'c Enclosure,
    number: u32,
    /// The memory that processes held at the last close look and that is part of none, in bytes.
    held: u64,
    /// The number of the last close looks at which a process ran a program that it may not read.
    unreadable: u32,
}

impl<'c> Looks<'c> {
    /// Returns the looks at a program in a sandbox.
    pub(crate) fn new(sandbox: &'c Enclosure) -> Looks<'c> {
        Looks { sandbox, number: 0, held: 0, unreadable: 0 }
    }

    /// Takes the next look at processes that use this.
    pub(crate) fn take(&mut self, tree: &Tree, usage: Usage) -> Result<(), ProcessEnd> {
        self.number = self.number.wrapping_add(1);
        if self.number.is_multiple_of(LOOKS_PER_CLOSE_LOOK) {
            self.take_close(tree, usage, false)
        } else {
            self.check_memory(tree, usage)
        }
    }

    /// Checks the number of processes and what they occupy, what they hold that is part of none, and the folder.
    pub(crate) fn take_close(
        &mut self,
        tree: &Tree,
        usage: Usage,
        is_frozen: bool,
    ) -> Result<(), ProcessEnd> {
        self.check_memory(tree, usage)?;
        let held = self.sandbox.held(Tree::processes()).ok_or(ProcessEnd::Hidden)?;
        self.held = held.kernel;
        self.unreadable = if held.is_unreadable { self.unreadable + 1 } else { 0 };
        if self.unreadable == MOST_UNREADABLE {
            return Err(ProcessEnd::Unreadable);
        }
        if self.is_folder_full(tree, held.deleted, is_frozen) {
            return Err(ProcessEnd::OutputLimit);
        }
        Ok(())
    }

    /// Checks the number of processes, and what they occupy.
    fn check_memory(&self, tree: &Tree, usage: Usage) -> Result<(), ProcessEnd> {
        let plan = &self.sandbox.plan;
        if usage.processes > plan.processes {
            return Err(ProcessEnd::Processes);
        }
        let looker =
            self.sandbox.looker().map_err(|error| ProcessEnd::System(error.to_string()))?;
        match tree.memory(plan.memory, self.held, looker) {
            Memory::Fits => Ok(()),
            Memory::Exceeds => Err(ProcessEnd::MemoryLimit),
            Memory::Unknown => Err(ProcessEnd::Hidden),
        }
    }

    /// Returns whether the folder holds too much. A program can hide files from a look by moving them
    /// meanwhile. If it moves some, and once in a while in any case, it stands still for a second look.
    fn is_folder_full(&self, tree: &Tree, deleted: u64, is_frozen: bool) -> bool {
        let is_full = self.sandbox.is_folder_full(deleted);
        let is_certain = is_full.is_some() && fastrand::u32(..CLOSE_LOOKS_PER_STOP) > 0;
        let counts = self.sandbox.plan.level == SandboxLevel::User;
        let is_still = is_frozen || are_stopped(&descendants());
        if is_full == Some(true) || is_certain || is_still || !counts {
            return is_full == Some(true);
        }
        tree.freeze();
        let is_full = self.sandbox.is_folder_full(deleted);
        tree.resume();
        is_full == Some(true)
    }
}
