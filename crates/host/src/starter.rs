//! Starter kits: folders of sources from which students begin.

/// A folder of sources: a program that reads, writes and plays legal moves at random, with a marked place for
/// better play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StarterKit {
    /// The language as a command line names it: `cpp`.
    pub language: &'static str,
    /// The description of the kit, in a few words.
    pub about: &'static str,
    /// The names of its files below the folder, with `/` between the parts, and their contents.
    pub files: Vec<(String, String)>,
}

impl StarterKit {
    /// Returns a kit of these files.
    #[must_use]
    pub fn new(language: &'static str, about: &'static str, files: &[(&str, &str)]) -> StarterKit {
        let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()));
        StarterKit { language, about, files: files.collect() }
    }
}

/// The texts of a game from which [`PythonTexts::kit`] makes a kit in Python.
///
/// The template speaks the line protocol, exchanges files and chooses at random. The game gives the module
/// `board.py`, which knows the rules:
///
/// * `Board(text)` reads a state file, in which `/` may stand for line ends; `Board()` is the start.
/// * `board.to_text(layout)` writes it, with the blanks and line ends of the file `layout`; without one, in
///   any form.
/// * `board.legal_moves()`, `board.is_legal(move)`, `board.play(move)` and `board.undo(move)`.
/// * `board.to_move` and `str(board)`, for people.
/// * `parse_move(text)`, which returns `None` for a text that is no move, and `format_move(move)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PythonTexts {
    /// The name of the game, which is also that of the program.
    pub game: &'static str,
    /// The name of the rules.
    pub rules: &'static str,
    /// The name of the game for people.
    pub title: &'static str,
    /// The depth in plies of a search that is told none.
    pub depth: u32,
    /// The form of the player in `make check`: `line:$(PLAYER) line` for example.
    pub player: &'static str,
    /// If true, `make check` takes the checks from `checks.toml`, because the game comes without any.
    pub own_checks: bool,
    /// The module `board.py`, and files that take the place of others of the template.
    pub files: &'static [(&'static str, &'static str)],
}

/// The files of the template. That of the program gets the name of the game.
const PYTHON: [(&str, &str); 5] = [
    ("README.md", include_str!("../starters/python/README.md")),
    ("Makefile", include_str!("../starters/python/Makefile")),
    ("line.py", include_str!("../starters/python/line.py")),
    ("player.py", include_str!("../starters/python/player.py")),
    ("@game@.py", include_str!("../starters/python/program.py")),
];

impl PythonTexts {
    /// Makes the kit.
    #[must_use]
    pub fn kit(&self) -> StarterKit {
        let own = self.files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()));
        let mut files: Vec<(String, String)> = own.collect();
        for (name, text) in PYTHON {
            let name = self.filled(name);
            if files.iter().all(|(taken, _)| *taken != name) {
                files.push((name, self.filled(text)));
            }
        }
        files.sort();
        StarterKit { language: "python", about: "Python 3.8 or newer", files }
    }

    fn filled(&self, text: &str) -> String {
        let checks = if self.own_checks { "--checks checks.toml " } else { "" };
        text.replace("@game@", self.game)
            .replace("@rules@", self.rules)
            .replace("@title@", self.title)
            .replace("@depth@", &self.depth.to_string())
            .replace("@player@", self.player)
            .replace("@checks@", checks)
    }
}

/// Makes the files of a [`StarterKit`] from folders of the crate that names them: each folder with the names
/// of the files below it. The files keep their names in the kit.
#[macro_export]
macro_rules! starter_files {
    ($($folder:literal: [$($name:literal),* $(,)?]),* $(,)?) => {
        &[$($((
            $name,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder, "/", $name)),
        ),)*)*]
    };
}
