//! The texts of `/proc`.

use std::path::Path;
use std::{fs, io};

/// Returns the text of a file that tells of a process or thread.
///
/// The process chooses its own name, which is in many of them and may be no UTF-8. A reader that insists on
/// UTF-8 would not see the process.
pub(crate) fn text_of(file: impl AsRef<Path>) -> io::Result<String> {
    fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
