//! Warnings about a run that goes on nevertheless.

use std::fmt::Display;
use std::io::{self, Write};

use plyground_durable::shown;

/// Says on standard error what is doubtful, as one line: it may repeat a stranger's text.
pub fn warn(what: &(impl Display + ?Sized)) {
    // If standard error is closed, nobody wants to be warned.
    let _ = writeln!(io::stderr(), "warning: {}", shown(&what.to_string()));
}
