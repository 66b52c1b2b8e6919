//! The starter kits for students.

use plyground_host::{StarterKit, starter_files};

/// The kits, all for the board of the assignment.
pub(crate) const KITS: &[StarterKit] = &[
    StarterKit {
        language: "java",
        about: "the classes of the course's sample code",
        files: starter_files!("starters/java": [
            "README.md", "Makefile", "AiPlayer.java", "GameBoard.java", "LineProtocol.java",
            "maxconnect4.java",
        ]),
    },
    StarterKit {
        language: "cpp",
        about: "C++17",
        files: starter_files!("starters/cpp": [
            "README.md", "Makefile", "board.cpp", "board.h", "line.cpp", "line.h",
            "maxconnect4.cpp", "player.cpp", "player.h",
        ]),
    },
    StarterKit {
        language: "python",
        about: "Python 3.8 or newer",
        files: starter_files!("starters/python": [
            "README.md", "Makefile", "board.py", "line.py", "maxconnect4.py", "player.py",
        ]),
    },
    StarterKit {
        language: "c",
        about: "C99",
        files: starter_files!("starters/c": [
            "README.md", "Makefile", "board.c", "board.h", "line.c", "line.h", "maxconnect4.c",
            "player.c", "player.h",
        ]),
    },
    StarterKit {
        language: "rust",
        about: "Rust 1.80 or newer",
        files: starter_files!("starters/rust": [
            "README.md", "Makefile", "Cargo.toml", "src/board.rs", "src/line.rs", "src/main.rs",
            "src/player.rs",
        ]),
    },
    StarterKit {
        language: "javascript",
        about: "Node.js 14 or newer",
        files: starter_files!("starters/javascript": [
            "README.md", "Makefile", "board.js", "line.js", "maxconnect4.js", "player.js",
        ]),
    },
];
