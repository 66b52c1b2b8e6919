//! The tables of runtimes that a timing resumes from.

use plyground_arena::timing::RuntimeTable;

use crate::told::assert_told;

/// A table that is read is written so that it is read as the same, with nothing lost.
pub fn run(bytes: &[u8]) {
    let read = match RuntimeTable::read_csv(bytes) {
        Ok(read) => read,
        Err(fault) => return assert_told(&fault),
    };
    let text = read.table.to_csv();
    assert_eq!(RuntimeTable::from_csv(text.as_bytes()).ok().as_ref(), Some(&read.table));
    assert!(read.damaged.is_sorted());
}
