//! Starter kits: folders of sources from which students begin. A template for each language has everything except the
//! board, which the game supplies.

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
    /// Advice about the kit to an instructor, a sentence each.
    pub notes: Vec<String>,
}

impl StarterKit {
    /// Returns a kit of these files.
    #[must_use]
    pub fn new(language: &'static str, about: &'static str, files: &[(&str, &str)]) -> StarterKit {
        let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()));
        StarterKit { language, about, files: files.collect(), notes: Vec::new() }
    }

    /// Adds the checks of the assignment, which `make check` runs.
    #[must_use]
    pub fn with_checks(mut self, text: String) -> StarterKit {
        self.files.push((CHECKS.to_owned(), text));
        self.files.sort();
        self.notes.retain(|note| note != NO_CHECKS);
        self
    }
}

/// A language with a template.
///
/// The template speaks the line protocol, exchanges files, plays with a human and chooses at random. The game supplies
/// the board, which knows the rules, and without which no file of the template compiles: therefore their names end in
/// `.in`. The board has these duties:
///
/// * It reads a state file, in which `/` may stand for line ends, and supplies the file of the start.
/// * It writes the position with the blanks and line ends of another file, the `layout`.
/// * It has the legal moves, tests a move, makes it, and names the side to move.
/// * It reads and writes a move as text, and draws itself for people.
///
/// `games/maxconnect4/starters/` has a board in each of the languages, with the names of these functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C99, with the board in `board.h` and `board.c`.
    C,
    /// C++17, with the board in `board.h` and `board.cpp`.
    Cpp,
    /// Java, with the board in `GameBoard.java`.
    Java,
    /// JavaScript for Node.js, with the board in `board.js`.
    JavaScript,
    /// Python, with the board in `board.py`.
    Python,
    /// Rust, with the board in `src/board.rs`.
    Rust,
}

struct Template {
    /// The name of the language on the command line.
    name: &'static str,
    /// The name of the language for people.
    title: &'static str,
    /// The tools that a kit needs.
    needs: &'static str,
    /// The command that starts the program in its folder.
    run: &'static str,
    /// The file to write in.
    yours: &'static str,
    /// The rule of the Makefile that builds, with the variables before it.
    build: &'static str,
    /// The command that removes what was built.
    clean: &'static str,
    files: &'static [(&'static str, &'static str)],
}

/// The files of all languages.
const SHARED: [(&str, &str); 2] = [
    ("README.md", include_str!("../starters/README.md.in")),
    ("Makefile", include_str!("../starters/Makefile.in")),
];

const C: Template = Template {
    name: "c",
    title: "C",
    needs: "a compiler for C99",
    run: "./@program@",
    yours: "player.c",
    build: "CFLAGS = -std=c99 -O2 -Wall -Wextra -pedantic\n\nall: @program@\n\n\
            @program@: $(wildcard *.c *.h)\n\t$(CC) $(CFLAGS) -o $@ $(wildcard *.c)",
    clean: "rm -f @program@",
    files: &[
        ("@program@.c", include_str!("../starters/c/program.c.in")),
        ("line.c", include_str!("../starters/c/line.c.in")),
        ("line.h", include_str!("../starters/c/line.h.in")),
        ("player.c", include_str!("../starters/c/player.c.in")),
        ("player.h", include_str!("../starters/c/player.h.in")),
    ],
};

const CPP: Template = Template {
    name: "cpp",
    title: "C++",
    needs: "a compiler for C++17",
    run: "./@program@",
    yours: "player.cpp",
    build: "CXXFLAGS = -std=c++17 -O2 -Wall -Wextra -pedantic\n\nall: @program@\n\n\
            @program@: $(wildcard *.cpp *.h)\n\t$(CXX) $(CXXFLAGS) -o $@ $(wildcard *.cpp)",
    clean: "rm -f @program@",
    files: &[
        ("@program@.cpp", include_str!("../starters/cpp/program.cpp.in")),
        ("line.cpp", include_str!("../starters/cpp/line.cpp.in")),
        ("line.h", include_str!("../starters/cpp/line.h.in")),
        ("player.cpp", include_str!("../starters/cpp/player.cpp.in")),
        ("player.h", include_str!("../starters/cpp/player.h.in")),
    ],
};

const JAVA: Template = Template {
    name: "java",
    title: "Java",
    needs: "a JDK 11 or newer",
    run: "java -cp build @program@",
    yours: "AiPlayer.java",
    build: "all: build/@program@.class\n\nbuild/@program@.class: $(wildcard *.java)\n\t\
            javac -Xlint:all -d build $^",
    clean: "rm -rf build",
    files: &[
        ("@program@.java", include_str!("../starters/java/program.java.in")),
        ("AiPlayer.java", include_str!("../starters/java/AiPlayer.java.in")),
        ("LineProtocol.java", include_str!("../starters/java/LineProtocol.java.in")),
    ],
};

const JAVASCRIPT: Template = Template {
    name: "javascript",
    title: "JavaScript",
    needs: "Node.js 14 or newer",
    run: "node @program@.js",
    yours: "player.js",
    build: "all:",
    clean: "rm -rf node_modules",
    files: &[
        ("@program@.js", include_str!("../starters/javascript/program.js.in")),
        ("line.js", include_str!("../starters/javascript/line.js.in")),
        ("player.js", include_str!("../starters/javascript/player.js.in")),
    ],
};

const PYTHON: Template = Template {
    name: "python",
    title: "Python",
    needs: "Python 3.8 or newer",
    run: "python3 @program@.py",
    yours: "player.py",
    build: "all:",
    clean: "rm -rf __pycache__",
    files: &[
        ("@program@.py", include_str!("../starters/python/program.py.in")),
        ("line.py", include_str!("../starters/python/line.py.in")),
        ("player.py", include_str!("../starters/python/player.py.in")),
    ],
};

const RUST: Template = Template {
    name: "rust",
    title: "Rust",
    needs: "Rust 1.80 or newer",
    run: "target/release/@program@",
    yours: "src/player.rs",
    build: "all:\n\tcargo build --release",
    clean: "cargo clean",
    files: &[
        ("Cargo.toml", include_str!("../starters/rust/Cargo.toml.in")),
        ("src/line.rs", include_str!("../starters/rust/src/line.rs.in")),
        ("src/main.rs", include_str!("../starters/rust/src/main.rs.in")),
        ("src/player.rs", include_str!("../starters/rust/src/player.rs.in")),
    ],
};

impl Language {
    fn template(self) -> Template {
        match self {
            Language::C => C,
            Language::Cpp => CPP,
            Language::Java => JAVA,
            Language::JavaScript => JAVASCRIPT,
            Language::Python => PYTHON,
            Language::Rust => RUST,
        }
    }
}

/// The texts of a game from which [`KitTexts::kit`] makes a kit in a [`Language`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KitTexts<'a> {
    /// The name of the game, which is also the name of the program.
    pub game: &'a str,
    /// The name of the rules.
    pub rules: &'a str,
    /// The option by which the program of the game plays by these rules: `--rules 6x6`. Empty if these rules need no
    /// option.
    pub options: &'a str,
    /// The name of the game for people.
    pub title: &'a str,
    /// The default depth of a search, in plies.
    pub depth: u32,
    /// If true, `make check` exchanges files with the player, as the assignment asks for. Otherwise it speaks the line
    /// protocol with the player.
    pub by_files: bool,
    /// If true, `make check` needs the file `checks.toml`, because the game comes without checks.
    pub own_checks: bool,
}

/// The note of a kit that needs checks, until it has them.
const NO_CHECKS: &str = "`make check` needs the checks of the assignment: --checks FILE puts them into the \
                         kit, and `grade new-checks` begins such a file.";

/// The rule of a Makefile for missing checks.
const MISSING: &str = "\nchecks.toml:\n\t@echo 'checks.toml is missing: it has the checks of the assignment, and \
                       the instructor gives it out' >&2; exit 1\n";

/// The file with the checks in a kit.
const CHECKS: &str = "checks.toml";

/// The programs that a kit names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Programs<'a> {
    /// The name of the program of the kit.
    pub(crate) player: &'a str,
    /// The command of the referee, as a Makefile has it.
    pub(crate) referee: &'a str,
    /// The names of the programs that may be the referee, for people.
    pub(crate) referees: &'a str,
}

impl KitTexts<'_> {
    /// Makes the kit with the board of the game: its files, with their names in the kit.
    #[must_use]
    pub fn kit(&self, language: Language, board: &[(&str, &str)]) -> StarterKit {
        let KitTexts { game, options, .. } = self;
        let either = format!("echo {game} || echo plyground {game}");
        let found = format!("$(shell command -v {game} >/dev/null 2>&1 && {either}) {options}");
        let programs = Programs {
            player: game,
            referee: found.trim_end(),
            referees: &format!("`{game}` (or `plyground`)"),
        };
        self.kit_with(language, board, programs)
    }

    /// Makes the kit with these programs.
    pub(crate) fn kit_with(
        &self,
        language: Language,
        board: &[(&str, &str)],
        programs: Programs<'_>,
    ) -> StarterKit {
        let template = language.template();
        let filled = |text: &str| self.filled(&template, text, programs);
        let own = board.iter().map(|&(name, text)| (name.to_owned(), text.to_owned()));
        let others = SHARED.iter().chain(template.files);
        let others = others.map(|(name, text)| (filled(name), filled(text)));
        let mut files: Vec<_> = own.chain(others).collect();
        files.sort();
        let notes = if self.own_checks { vec![NO_CHECKS.to_owned()] } else { Vec::new() };
        StarterKit { language: template.name, about: template.needs, files, notes }
    }

    fn filled(&self, template: &Template, text: &str, programs: Programs<'_>) -> String {
        let player = match self.by_files {
            true => "file:$(PLAYER) one-move {in} {out} {depth}",
            false => "line:$(PLAYER) line",
        };
        let [checks, checks_file, no_checks, in_file] = match self.own_checks {
            true => ["--checks checks.toml", " checks.toml", MISSING, " in `checks.toml`"],
            false => ["$(addprefix --checks ,$(wildcard checks.toml))", "", "", ""],
        };
        // The texts of the template come first, because they have other placeholders in them.
        text.replace("@build@", template.build)
            .replace("@clean@", template.clean)
            .replace("@run@", template.run)
            .replace("@needs@", template.needs)
            .replace("@yours@", template.yours)
            .replace("@language@", template.title)
            .replace("@referees@", programs.referees)
            .replace("@referee@", programs.referee)
            .replace("@player@", player)
            .replace("@checks@", checks)
            .replace("@checks_file@", checks_file)
            .replace("@no_checks@", no_checks)
            .replace("@in_file@", in_file)
            .replace("@program@", programs.player)
            .replace("@game@", self.game)
            .replace("@rules@", self.rules)
            .replace("@title@", self.title)
            .replace("@depth@", &self.depth.to_string())
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
