//! Isolation in Python, C++ and Java: the models of a game whose rules are a program.

use plyground_host::{StarterKit, starter_files};

/// Returns the kits: for each language the file that speaks the protocol of rules programs, and Isolation,
/// as the beginning of a new game.
#[must_use]
pub fn kits() -> Vec<StarterKit> {
    vec![
        StarterKit::new(
            "python",
            "a class with six methods",
            starter_files! {
                "python": ["README.md", "isolation.py"],
                "../../bindings/python/python/plyground": ["rules.py"],
            },
        ),
        StarterKit::new(
            "cpp",
            "a class with six methods, for C++17",
            starter_files! { "cpp": ["README.md", "isolation.cpp", "rules.hpp"] },
        ),
        StarterKit::new(
            "java",
            "a class with six methods, for Java 11",
            starter_files! { "java": ["README.md", "Isolation.java", "Rules.java"] },
        ),
    ]
}
