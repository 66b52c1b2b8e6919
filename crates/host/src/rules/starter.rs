//! The starter kit of a game whose rules are a class in Python: the rules themselves, and the template.

use std::fs;
use std::path::Path;

use super::program::RulesProgram;
use crate::game::HostedGame;
use crate::starter::{KitTexts, Language, Programs, StarterKit};

/// The board of the kit, which asks the class.
const BOARD: &str = include_str!("../../starters/rules/board.py");

/// The file of the class of all rules, which lies beside those of a game.
const RULES: &str = "rules.py";

/// The depth in plies of a search that is told none.
const DEPTH: u32 = 4;

/// Makes the kit from the files of the rules. Returns `None` if the command names no file in Python with
/// `rules.py` beside it.
pub(super) fn python_kit(program: &RulesProgram) -> Option<StarterKit> {
    let words = shlex::split(program.command())?;
    let at = words.iter().position(|word| word.ends_with(".py") && Path::new(word).is_file())?;
    let path = Path::new(&words[at]);
    let file = path.file_name()?.to_str()?;
    let (own, class) = (fs::read_to_string(path), fs::read_to_string(path.with_file_name(RULES)));
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
    let files = [(file, &*own.ok()?), (RULES, &*class.ok()?), ("board.py", &*board)];
    let kit = texts.kit_with(Language::Python, &files, programs);
    let is_plain = kit.files.windows(2).all(|pair| pair[0].0 != pair[1].0);
    is_plain.then_some(kit)
}
