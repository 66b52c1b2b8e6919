//! Who does which piece.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use super::error::WorkError;
use super::names::{file_names, split_generation};

/// The files that say who does which piece. A claim is never taken back: whoever takes the place of a
/// holder that has ended makes the claim of the next generation.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    folder: PathBuf,
}

impl Claims {
    pub(super) fn new(folder: PathBuf) -> Claims {
        Claims { folder }
    }

    /// Claims a piece for a task; `false` if another has this claim.
    pub(super) fn take(&self, piece: &str, generation: u32, task: &str) -> Result<bool, WorkError> {
        let path = self.file(piece, generation);
        match File::create_new(&path) {
            Ok(mut file) => {
                // Who finds the file without a name in it waits as if for a task that is dead.
                file.write_all(task.as_bytes()).map_err(WorkError::at(&path))?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(WorkError::Io { path, source }),
        }
    }

    /// The last generation of the claims on each piece that has any.
    pub(super) fn all(&self) -> Result<HashMap<String, u32>, WorkError> {
        let mut last: HashMap<String, u32> = HashMap::new();
        for name in file_names(&self.folder)? {
            if let Some((piece, generation)) = split_generation(&name) {
                let known = last.entry(piece).or_default();
                *known = generation.max(*known);
            }
        }
        Ok(last)
    }

    /// The name of the task that has a claim; empty if it has not written it yet.
    pub(super) fn holder(&self, piece: &str, generation: u32) -> String {
        fs::read_to_string(self.file(piece, generation)).unwrap_or_default()
    }

    fn file(&self, piece: &str, generation: u32) -> PathBuf {
        self.folder.join(format!("{piece}.{generation}"))
    }
}
