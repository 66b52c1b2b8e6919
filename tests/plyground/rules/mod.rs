//! Games whose rules are a program: Isolation in Python by every command; and here rules programs that crash,
//! lie and stall, each of which is named, and by which no player loses a game.

use std::process::Command as Process;

use crate::common::{self, Run, Tested};

mod isolation;

struct Plyground;

impl Tested for Plyground {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_plyground");
}

type TestFolder = common::TestFolder<Plyground>;

/// Returns a folder with the kit for rules in Python below it.
fn kit() -> TestFolder {
    let folder = TestFolder::new();
    folder.run("rules-kit --language python --out kit").success();
    folder
}

/// Runs a command for a game that is a program, with arguments separated by blanks.
fn run(folder: &TestFolder, game: &str, args: &str) -> Run {
    run_with(folder, game, args, "")
}

fn run_with(folder: &TestFolder, game: &str, args: &str, input: &str) -> Run {
    let mut command = folder.command(["--game", game]);
    Run::of(command.args(args.split_whitespace()).write_stdin(input))
}

/// Nim, and what can be wrong with it.
const NIM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/plyground/rules/broken.py");

fn nim(fault: &str) -> String {
    format!("python3 {NIM} {fault}")
}

/// The faults that any search meets, and a part of the line that names them.
const FAULTS: [(&str, &str); 10] = [
    ("crash", "has ended with exit code 3 when asked `expand "),
    ("exception", "says that it has failed: ValueError: no such square (nim.py, line 7)"),
    ("debug", "answers `rules 1`: expected the version, `rules 1`, found `asked ["),
    ("result", "expected a result: `-`, `1-0`, `0-1` or `1/2-1/2`, found `2-0`"),
    ("nowhere", "expected the side to move, `first` or `second`, found nothing in `3 nowhere`"),
    ("no-moves", "says that the game goes on, and gives no move in 0/"),
    ("pass", "lets the same side move again, after the move pass in 7/X"),
    ("twice", "gives the move 1 twice in 7/X"),
    ("left", "goes from `left 7` to 7, after the move 3 in 7/X"),
    ("changing", "contradicts itself: "),
];

#[test]
fn nim_itself_is_played_and_checked() {
    let folder = TestFolder::new();
    let played = run(&folder, &nim("fair"), "play -q machine:depth=7 random --seed 1").success();
    assert!(played.stdout.contains("Result: 1-0"), "{}", played.stdout);
    // A player that takes two matches moves again.
    for game in ["fair", "again"] {
        run(&folder, &nim(game), "rules-check").success();
    }
    run(&folder, &nim("again"), "play -q machine:depth=7 random --seed 1").success();
}

#[test]
fn faults_end_the_run_and_no_player_pays() {
    let folder = TestFolder::new();
    for (fault, part) in FAULTS {
        let args = "play -q machine:depth=6 machine:depth=6";
        let played = run(&folder, &nim(fault), args).failure(1, part);
        assert!(!played.stdout.contains("Result"), "{fault}: {}", played.stdout);
        assert!(played.stderr.starts_with("error: the rules program `python3 "), "{played:?}");
    }
}

#[test]
fn program_that_stalls_is_named() {
    let folder = TestFolder::new();
    let args = ["--game-time", "500ms", "--game", &nim("stall"), "play", "-q", "machine", "random"];
    let part = "has not answered `";
    Run::of(&mut folder.command(args)).failure(1, part).failure(1, "within 500ms");
}

#[test]
fn tournament_goes_on_when_the_rules_are_mended() {
    let folder = TestFolder::new();
    folder.write(
        "cup.toml",
        "seed = 1\nrounds = 1\n\n[[player]]\nname = \"a\"\nplayer = \"random\"\n\n\
         [[player]]\nname = \"b\"\nplayer = \"machine:depth=1\"\n",
    );
    let broken = run(&folder, &nim("crash"), "tournament cup.toml --out cup");
    broken.failure(1, "has ended with exit code 3");
    run(&folder, &nim("fair"), "tournament cup.toml --out cup").success();
    let standings = folder.read("cup/standings.csv");
    assert!(!standings.contains("crash"), "{standings}");
}

#[test]
fn check_finds_what_play_does_not_meet() {
    let folder = TestFolder::new();
    for (fault, part) in FAULTS.into_iter().chain([
        ("reading", "contradicts itself: 1/X is "),
        ("over", "says that the game is over, and gives moves in 0/"),
        ("one-side", "says that the first side is to move in every position of all games"),
    ]) {
        run(&folder, &nim(fault), "rules-check").failure(1, part);
    }
}

/// A class in Python whose rules break one promise, and a part of what its check says.
const CLASSES: [(&str, &str); 22] = [
    ("def outcome(self, state): return None", "there is no move, and outcome is None"),
    (
        "def outcome(self, state): return 'won'",
        "outcome returns 'won' (of type str): expected None while the game goes on, then 0 or 1",
    ),
    ("def outcome(self, state): return True", "outcome returns True (of type bool): expected None"),
    ("def outcome(self, state): return [1]", "outcome returns [1] (of type list): expected None"),
    ("def outcome(self, state): return -1", "outcome returns -1 (of type int): expected None"),
    ("def moves(self, state): return [(1, 2)]", "moves has (1, 2) (of type tuple) in it"),
    ("def moves(self, state): return None", "moves returns None: expected a list of words"),
    (
        "def play(self, state, move): return list(super().play(state, move))",
        "(of type list): expected a str, with the rows joined by `/`, after the move a1 in",
    ),
    ("def play(self, state, move): super().play(state, move)", "play returns None: expected"),
    ("def play(self, state, move): return {}[move]", "/X: KeyError: 'a1' ("),
    (
        "def play(self, state, move): return super().play(state, move)[:-1] + state[-1]",
        "Black is to move in every state of all 50 games: expected the turn to change",
    ),
    ("symbols = 'VH'", "is `X`: expected the symbol of the side to move, `V` or `H`; set symbols"),
    ("name = 'My Game'", "name is 'My Game' (of type str): expected small letters and digits"),
    (
        "def text(self, state): return super().text(state).replace('/', '', 1)",
        "board is 5 columns, 5 rows, and the rows of the text have [10, 5, 5, 5, 1] cells",
    ),
    ("lessons = 'none'", "lessons is 'none' (of type str): expected headings and texts"),
    ("def points(self, state): return 3", "points returns 3 (of type int): expected two whole"),
    ("def score(self, state): return 0.5", "score returns 0.5 (of type float): expected a whole"),
    ("def moves(self, state): return super().moves(state) * 2", "a move is there twice"),
    ("def read(self, text): return super().read(text[:-1] + 'X')", "read gives another state"),
    (
        "def play(self, state, move): return super().play(state, chance.choice(self.moves(state)))",
        "leads elsewhere when played again",
    ),
    ("def plies_left(self, state): return 30", "plies_left goes from 30 to 30"),
    (
        "def moves(self, state): return super().moves(state)[:: chance.choice((1, -1))]",
        "moves differs",
    ),
];

#[test]
#[ignore = "long"]
fn check_of_a_class_finds_broken_promises() {
    let folder = kit();
    for (method, part) in CLASSES {
        let source = format!(
            "import random\nfrom rules import main\nfrom isolation import Isolation\n\n\
             chance = random.Random(1)\n\n\
             class Broken(Isolation):\n    {method}\n\nmain(Broken())\n"
        );
        folder.write("kit/broken.py", source);
        let broken = folder.path("kit/broken.py");
        let output = Process::new("python3").arg(broken).arg("check").output().expect("Python");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{method}: {said}");
        assert!(said.contains(part) && said.lines().count() == 1, "{method}: {said}");
    }
}

/// The same faults when the rules are played, not checked.
#[test]
fn wrong_types_of_a_class_are_named_in_play() {
    let folder = kit();
    for (method, part) in [
        ("symbols = 'VH'", "expected the symbol of the side to move, `V` or `H`; set symbols"),
        ("def outcome(self, state): return 'won'", "outcome returns 'won' (of type str): expected"),
        ("def moves(self, state): return [(1, 2)]", "moves has (1, 2) (of type tuple) in it"),
        ("def play(self, state, move): return [state]", "text returns ["),
        ("def play(self, state, move): pass", "play returns None: expected the state after"),
        ("def points(self, state): return 3", "points returns 3 (of type int): expected two"),
    ] {
        let source = format!(
            "from rules import main\nfrom isolation import Isolation\n\n\
             class Broken(Isolation):\n    {method}\n\nmain(Broken())\n"
        );
        folder.write("kit/broken.py", source);
        let played = run(&folder, "python3 kit/broken.py", "play -q random random --seed 1");
        played.failure(1, part);
    }
}

/// A state that is a list, which `play` changes in place.
const IN_PLACE: &str = "\
from rules import Rules, main

class Fill(Rules):
    name = 'fill'

    def start(self):
        return ['.', '.', '.', 'X']

    def moves(self, state):
        return [str(at) for at in range(3) if state[at] == '.']

    def play(self, state, move):
        state[int(move)] = state[3]
        state[3] = 'O' if state[3] == 'X' else 'X'
        return state

    def outcome(self, state):
        return None if '.' in state else 0

    def text(self, state):
        return ''.join(state[:3]) + '/' + state[3]

    def read(self, text):
        return list(text.replace('/', ''))

main(Fill())
";

#[test]
fn states_that_change_are_named() {
    let folder = kit();
    let check = || {
        let mut check = Process::new("python3");
        let output = check.arg(folder.path("kit/fill.py")).arg("check").output().expect("Python");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    folder.write("kit/fill.py", IN_PLACE);
    let expected = "play changes the state that it is given, with the move 0: expected another \
                    state; change a copy, in the state .../X";
    assert_eq!(check(), format!("fill breaks a rule of rules: {expected}\n"));
    folder.write(
        "kit/fill.py",
        IN_PLACE.replace("        state[int", "        state = state[:]\n        state[int"),
    );
    assert_eq!(check(), "50 games of 3 to 3 moves, 200 states: no breach found\n");
}

#[test]
fn exception_in_a_class_is_named_with_its_line() {
    let folder = kit();
    let source = folder.read("kit/isolation.py");
    folder.write("kit/isolation.py", source.replace("if at < 0:", "if at < self.nothing:"));
    let played = run(&folder, "python3 kit/isolation.py", "play -q random random --seed 1");
    played
        .failure(1, "says that it has failed: AttributeError: ")
        .failure(1, "isolation.py, line ");
}

#[test]
fn prints_of_a_class_are_no_answers() {
    let folder = kit();
    let source = folder.read("kit/isolation.py");
    let with_print = "def play(self, state, move):\n        print(move)\n";
    folder.write("kit/isolation.py", source.replace("def play(self, state, move):\n", with_print));
    let counted = run(&folder, "python3 kit/isolation.py", "perft 2");
    assert_eq!((counted.code, counted.stdout.as_str()), (Some(0), "total: 600\n"));
    assert!(counted.stderr.contains("b3\n"), "{}", counted.stderr);
}

#[test]
fn faults_of_the_option_are_told() {
    let folder = TestFolder::new();
    folder.run("--game").failure(2, "a value is required for '--game <COMMAND>'");
    folder.run("--game true").failure(1, "the rules program `true` has ended with exit code 0");
    folder.run("--game /no/such play human machine").failure(1, "cannot be started");
}
