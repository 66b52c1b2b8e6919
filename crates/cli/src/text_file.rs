//! The text of a file that a command is given.

use std::path::Path;

use plyground_durable::input::read_text;

use super::failure::Failure;

/// A file that a command reads: its names in messages, and its greatest length.
#[derive(Clone, Copy, Debug)]
pub struct TextFile<'a> {
    /// The contents that are expected: `a recorded game`.
    pub expected: &'a str,
    /// The thing that is read from the file: `the game`.
    pub what: &'a str,
    /// More bytes than these are not what is expected; a device without end need not be read to
    /// know it.
    pub most: u64,
}

impl TextFile<'_> {
    /// The text of the file, or of standard input if it is called `-`.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] when it cannot be read, is too long, or is not in UTF-8.
    pub fn read(&self, path: &Path) -> Result<String, Failure> {
        let TextFile { expected, what, most } = self;
        let failure = |fault: String| Failure::Usage(format!("{}: {fault}", path.display()));
        read_text(path, *most)
            .map_err(|error| failure(format!("cannot read {what}: {error}")))?
            .ok_or_else(|| failure(format!("expected {expected}, found more than {most} bytes")))
    }
}
