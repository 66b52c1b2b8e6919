//! The kits of Max-Connect4.

use std::fs;

use crate::starters::kit::{Kit, KitName};

const GAME: KitName =
    KitName { game: "maxconnect4", rules: None, language: "", tool: "", start: "./maxconnect4" };

/// The checks that do not ask for search and are quick.
const QUICK: [&str; 6] = [
    "the assignment's own files are read",
    "the file has the format of the input",
    "the lines end as in the input files",
    "the score is printed",
    "a full board is left alone",
    "no file is written for a full board",
];

const OTHERS: [&str; 8] = [
    "only legal moves are chosen",
    "the depth is the number of moves looked ahead",
    "points are seen two moves ahead",
    "points are seen four moves ahead",
    "the last six moves are seen",
    "the last eight moves are seen",
    "random play is beaten",
    "depth 5 takes a minute at most",
];

/// Whatever the lines end in, it is kept, as are blanks.
const LAYOUTS: [&str; 3] = [
    "0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n1120020\r\n1\r\n",
    "0000000\n0000000\n0000000\n0000000\n0000000\n1120020\n1",
    "0 0 0 0 0 0 0\r\n0000000\r\n0000000 \r\n0000000\r\n0000000\r\n1120020\r\n1",
];

const FULL: &str = "2121212\r\n2121212\r\n1212121\r\n1212121\r\n2121212\r\n2121212\r\n1\r\n";

/// A game as a referee tells of it, to be answered by a move at every fourth line.
fn told() -> String {
    let mut lines = "newgame maxconnect4 standard first\r\nisready\r\n".to_owned();
    let mut moves = String::new();
    for ply in 0..20 {
        lines += &format!("position startpos{moves}\r\ngo depth 2\r\n");
        moves += if ply == 0 { " moves" } else { "" };
        moves += &format!(" {}", ply % 7 + 1);
    }
    lines + "position startpos moves 4 9\nisready\nquit\nisready\n"
}

fn hold_to_assignment(kit: &Kit) {
    keeps_layout(kit);
    refuses(kit);
    plays_with_human(kit);
    repeats_chance(kit);
    kit.check(&QUICK, &OTHERS);
    if super::kit::is_nightly() {
        let run = kit.make(&["check"]);
        assert!(run.stdout.contains("\nok    only legal moves are chosen "), "{}", run.stdout);
    }
}

/// One digit becomes another, and so does the next player; all else stays.
fn keeps_layout(kit: &Kit) {
    let mut positions = Vec::new();
    for layout in LAYOUTS {
        kit.write("in.txt", layout);
        kit.run("one-move in.txt out.txt 3 --seed 5").success();
        let written = fs::read_to_string(kit.path("out.txt")).expect("a file");
        let changed: Vec<(char, char)> =
            layout.chars().zip(written.chars()).filter(|(before, after)| before != after).collect();
        assert_eq!(written.len(), layout.len(), "{:?}: {written:?}", kit.name);
        assert_eq!(changed, [('0', '1'), ('1', '2')], "{:?}: {written:?}", kit.name);
        positions.push(written.split_whitespace().collect::<String>());
        fs::remove_file(kit.path("out.txt")).expect("a file");
    }
    // It is the same position, and so the same move.
    positions.dedup();
    assert_eq!(positions.len(), 1, "{:?}: {positions:?}", kit.name);
    kit.write("in.txt", FULL);
    let run = kit.run("one-move in.txt out.txt 3").success();
    assert!(run.stdout.contains("Score: Player 1 = ") && run.stdout.contains("the game is over"));
    assert!(!kit.path("out.txt").exists(), "{:?}", kit.name);
}

/// A text that is no position is refused on standard error, and no file is written.
fn refuses(kit: &Kit) {
    for text in [&FULL.replace("2\r", "3\r"), &LAYOUTS[1].replace("\n1", "\n0")] {
        kit.write("in.txt", text);
        let run = kit.run("one-move in.txt out.txt 3");
        assert_ne!(run.code, Some(0), "{:?}: {text:?}", kit.name);
        assert!(run.stderr.starts_with("error: "), "{:?}: {}", kit.name, run.stderr);
        assert!(!kit.path("out.txt").exists(), "{:?}: {text:?}", kit.name);
    }
    assert_eq!(kit.run("two-moves").code, Some(2), "{:?}", kit.name);
}

/// A bad column is asked for again, and the end of the input is no fault.
fn plays_with_human(kit: &Kit) {
    let run = kit.run_with("interactive new.txt human-next 2 --seed 1", "9\nx\n\n4\n").success();
    let asked = run.stdout.matches("Player 1, your move: ").count();
    assert_eq!(asked, 5, "{:?}: {}", kit.name, run.stdout);
    for (file, next) in [("human.txt", "2\r\n"), ("computer.txt", "1\r\n")] {
        let text = fs::read_to_string(kit.path(file)).expect("a file");
        assert!(text.len() == 57 && text.ends_with(next), "{:?}: {text:?}", kit.name);
    }
}

/// The same seed gives the same moves, and another seed others.
fn repeats_chance(kit: &Kit) {
    let [first, again, other] = [1, 1, 2].map(|seed| {
        let run = kit.run_with(&format!("line --seed {seed}"), &told()).success();
        let answers: Vec<String> = run.stdout.lines().map(str::to_owned).collect();
        assert_eq!(answers.len(), 23, "{:?}: {answers:?}", kit.name);
        assert_eq!(answers[21..], ["illegal 9", "readyok"], "{:?}", kit.name);
        answers
    });
    assert_eq!(first, again, "{:?}", kit.name);
    assert_ne!(first, other, "{:?}", kit.name);
}

macro_rules! kits {
    ($($test:ident: $language:literal, $tool:literal, $start:literal;)*) => {
        $(
            #[test]
            #[ignore = "long"]
            fn $test() {
                let name = KitName { language: $language, tool: $tool, start: $start, ..GAME };
                Kit::build(name).iter().for_each(hold_to_assignment);
            }
        )*
    };
}

kits! {
    java_kit_passes: "java", "javac", "java -cp build maxconnect4";
    cpp_kit_passes: "cpp", "g++", "./maxconnect4";
    python_kit_passes: "python", "python3", "python3 maxconnect4.py";
    c_kit_passes: "c", "cc", "./maxconnect4";
    rust_kit_passes: "rust", "cargo", "./target/release/maxconnect4";
    javascript_kit_passes: "javascript", "node", "node maxconnect4.js";
}
