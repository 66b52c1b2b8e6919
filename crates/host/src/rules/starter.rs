//! The starter kit of a game whose rules are a class in Python: the rules themselves, and the template.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::program::RulesProgram;
use crate::game::HostedGame;
use crate::starter::{KitTexts, Language, Programs, StarterKit};

/// The board of the kit, which asks the class.
const BOARD: &str = include_str!("../../starters/rules/board.py");

/// The program that leaves out of the rules what students do not get.
const FOR_STUDENTS: &str = include_str!("../../starters/rules/for_students.py");

/// The file of the class of all rules, which lies beside those of a game.
const RULES: &str = "rules.py";

/// The depth in plies of a search that is told none.
const DEPTH: u32 = 4;

/// The words of a command that starts rules in Python.
struct PythonCommand {
    words: Vec<String>,
    /// The index of the word that names the file of the rules.
    at: usize,
}

impl PythonCommand {
    /// Returns the words of a command, if they name a file in Python with `rules.py` beside it.
    fn of(program: &RulesProgram) -> Option<PythonCommand> {
        let words = shlex::split(program.command())?;
        let is_file = |word: &String| {
            let path = Path::new(word);
            word.ends_with(".py") && path.is_file() && path.with_file_name(RULES).is_file()
        };
        let at = words.iter().position(is_file)?;
        Some(PythonCommand { words, at })
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(&self.words[self.at])
    }

    /// Returns the files of the rules by their names, without the judgment of the instructor.
    fn files(&self) -> Option<BTreeMap<String, String>> {
        let interpreter = &self.words[..self.at];
        let (program, options) = match interpreter {
            [] => ("python3", interpreter),
            [program, options @ ..] => (program.as_str(), options),
        };
        let mut command = Command::new(program);
        command.args(options).args(["-c", FOR_STUDENTS]).arg(self.path()).stdin(Stdio::null());
        let output = command.stderr(Stdio::inherit()).output().ok()?;
        serde_json::from_slice(&output.stdout).ok().filter(|_| output.status.success())
    }
}

/// Returns true if there is a kit: the command names a file in Python with `rules.py` beside it.
pub(super) fn has_kit(program: &RulesProgram) -> bool {
    PythonCommand::of(program).is_some()
}

/// Makes the kit from the files of the rules. Returns `None` if the rules are not in Python, or not beside `rules.py`.
pub(super) fn python_kit(program: &RulesProgram) -> Option<StarterKit> {
    let command = PythonCommand::of(program)?;
    let path = command.path();
    let file = path.file_name()?.to_str()?;
    let (mut files, class) = (command.files()?, fs::read_to_string(path.with_file_name(RULES)));
    let PythonCommand { words, at } = command;
    let mut arguments = words[at..].to_vec();
    file.clone_into(&mut arguments[0]);
    let quoted = arguments.iter().map(|word| serde_json::Value::from(word.as_str()).to_string());
    let board = BOARD
        .replace("@rules_file@", file)
        .replace("@arguments@", &quoted.collect::<Vec<_>>().join(", "));
    let start = shlex::try_join(words[..at].iter().chain(&arguments).map(String::as_str)).ok()?;
    let start = shlex::try_quote(&start).ok()?.replace('$', "$$");
    let (game, rules, title) = (program.game_name(), program.rules(), program.title());
    let texts = KitTexts {
        game,
        rules: &rules,
        options: "",
        title: &title,
        depth: DEPTH,
        by_files: false,
        own_checks: true,
    };
    let programs = Programs {
        player: if file == format!("{game}.py") { "play" } else { game },
        referee: &format!("plyground --game {start}"),
        referees: "`plyground`",
    };
    let own = fs::read_to_string(&path).ok()?;
    let is_shorter = files.get(file).is_some_and(|text| *text != own);
    files.insert(RULES.to_owned(), class.ok()?);
    files.insert("board.py".to_owned(), board);
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut kit = texts.kit_with(Language::Python, &files, programs);
    if is_shorter {
        kit.notes
            .push(format!("{file} is without `score` and what is marked `# not for students`."));
    }
    let is_plain = kit.files.windows(2).all(|pair| pair[0].0 != pair[1].0);
    is_plain.then_some(kit)
}
