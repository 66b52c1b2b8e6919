//! Isolation in Python, C++ and Java: the models of a game whose rules are a program.

use plyground_host::{StarterKit, starter_files};

/// The kits: for each language the file that speaks the protocol of rules programs, and Isolation, from which
/// a game of one's own begins.
pub const KITS: &[StarterKit] = &[
    StarterKit {
        language: "python",
        about: "a class with six methods",
        files: starter_files! {
            "python": ["README.md", "isolation.py"],
            "../../bindings/python/python/plyground": ["rules.py"],
        },
    },
    StarterKit {
        language: "cpp",
        about: "a class with six methods, for C++17",
        files: starter_files! { "cpp": ["README.md", "isolation.cpp", "rules.hpp"] },
    },
    StarterKit {
        language: "java",
        about: "a class with six methods, for Java 11",
        files: starter_files! { "java": ["README.md", "Isolation.java", "Rules.java"] },
    },
];
