//! The messages that tell people of a fault.

use std::fmt::Display;

/// The longest message in characters: the names of the checks of a game are in one of them.
const LONGEST: usize = 1_000;

/// A fault is told in one line of limited length, in which nothing steers a terminal.
pub(crate) fn assert_told(fault: &impl Display) {
    let text = fault.to_string();
    assert!(!text.is_empty());
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert!(text.chars().count() <= LONGEST, "{} characters: {text}", text.chars().count());
}
