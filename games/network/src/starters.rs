//! The starter kits for students.

use plyground_host::{StarterKit, starter_files};

/// The kits for Berkeley's rules.
pub(crate) const BERKELEY: &[StarterKit] = &[
    StarterKit {
        language: "java",
        about: "player.MachinePlayer of CS 61B",
        files: starter_files!(
            "starters/berkeley": [
                "README.md", "Makefile", "player/Board.java", "player/MachinePlayer.java",
            ],
            "java/given": ["player/Move.java", "player/Player.java"],
        ),
    },
    StarterKit {
        language: "python",
        about: "Python 3.8 or newer",
        files: starter_files!("starters/python": [
            "README.md", "Makefile", "board.py", "line.py", "network.py", "player.py",
        ]),
    },
    StarterKit {
        language: "cpp",
        about: "C++17",
        files: starter_files!("starters/cpp": [
            "README.md", "Makefile", "board.cpp", "board.h", "line.cpp", "line.h", "network.cpp",
            "player.cpp", "player.h",
        ]),
    },
];

/// The kit for USF's rules.
pub(crate) const USF: &[StarterKit] = &[StarterKit {
    language: "java",
    about: "ComputerPlayer and Network of CS 245",
    files: starter_files!(
        "starters/usf": [
            "README.md", "Makefile", "Board.java", "ComputerPlayer.java", "HumanPlayer.java",
            "Network.java",
        ],
        "java/given": ["Move.java", "Player.java"],
    ),
}];
