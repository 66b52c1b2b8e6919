//! A class of submissions in the manner of real ones, from zips to grades and a ranking by the
//! documented commands, each with the grade that reading it by hand gives.

use serde_json::Value;

use super::{TestFolder, cpp, hand_in, has, line, prepare, run, source, zipped};

/// The points for the checks here: those that take many games or much searching are tried
/// elsewhere.
const POINTS: &str = "[points]\n\"only legal moves are chosen\" = 0\n\"random play is beaten\" = 0\n\
    \"the last eight moves are seen\" = 0\n\"depth 5 takes a minute at most\" = 0\n";

const READS: &str = "the assignment's own files are read";
const FORMAT: &str = "the file has the format of the input";
const ENDS: &str = "the lines end as in the input files";
const SCORE: &str = "the score is printed";
const FULL: &str = "a full board is left alone";
const NO_FILE: &str = "no file is written for a full board";
const DEPTH: &str = "the depth is the number of moves looked ahead";
const TWO: &str = "points are seen two moves ahead";
const FOUR: &str = "points are seen four moves ahead";
const SIX: &str = "the last six moves are seen";
/// The points for a program that searches as one player alone, whatever luck it has as the other.
const ONE_COLOR: f64 = 37.0;

const ALL: [&str; 10] = [READS, FORMAT, ENDS, SCORE, FULL, NO_FILE, DEPTH, TWO, FOUR, SIX];

/// The player, whatever the language.
const PLAYER: &str = "file:{start} one-move {in} {out} {depth}";

/// A change of a line of the submission in C++.
type Change = (&'static str, &'static str);

/// A submission in C++: its name, its mistakes, its points, what it loses points for, and why.
type Mistake = (&'static str, &'static [Change], f64, &'static [&'static str], &'static str);

const MISTAKES: [Mistake; 22] = [
    (
        "good",
        &[],
        58.0,
        &[],
        "CR LF always, as the course's sample code; alpha-beta as deep as asked",
    ),
    (
        "lf-writer",
        &[("LINE_END = \"\\r\\n\"", "LINE_END = \"\\n\"")],
        57.0,
        &[ENDS],
        "reads whatever there is, writes LF: the content is right",
    ),
    (
        "no-last-end",
        &[("LAST_END = LINE_END", "LAST_END = \"\"")],
        57.0,
        &[ENDS],
        "the last line has no end: the content is right",
    ),
    (
        "lf-reader",
        &[
            (
                "    fclose(file);\n    for (int i = 0",
                "    rewind(file);\n    \
        for (count = 0; (symbol = fgetc(file)) != EOF; count++) if (count % 8 == 7 && symbol != '\\n') abort();\n    \
        fclose(file);\n    for (int i = 0",
            ),
            ("LINE_END = \"\\r\\n\"", "LINE_END = \"\\n\""),
        ],
        55.0,
        &[READS],
        "takes every eighth byte for the end of a line: plays well when fed LF",
    ),
    (
        "own-names",
        &[("load(words[2])", "load(\"input.txt\")"), ("save(words[3])", "save(\"output.txt\")")],
        55.0,
        &[READS],
        "ignores the names of the files: plays well where they are those it knows",
    ),
    (
        "writes-full",
        &[("        printf(\"BOARD FULL\\n\");", "        save(words[3]);")],
        57.0,
        &[NO_FILE],
        "writes the full board unchanged",
    ),
    (
        "next-self",
        &[("    turn = 1 - turn;\n", "")],
        54.0,
        &[FORMAT],
        "does not switch the next player: costs the format, its moves and scores are right",
    ),
    (
        "blanks",
        &[("        fputs(LINE_END, file);", "        fprintf(file, \" %s\", LINE_END);")],
        54.0,
        &[FORMAT],
        "writes a blank behind every row: costs the format alone",
    ),
    (
        "empty-full",
        &[(
            "        printf(\"BOARD FULL\\n\");",
            "        fclose(fopen(words[3], \"w\")); printf(\"BOARD FULL\\n\");",
        )],
        58.0,
        &[],
        "leaves an empty file for a full board, as the course's sample code in Python",
    ),
    (
        "one-color",
        &[("choose(atoi(words[4]))", "turn ? at_random() : choose(atoi(words[4]))")],
        ONE_COLOR,
        &[DEPTH, TWO, FOUR, SIX],
        "searches as player 1 and moves at random as player 2: half of the 42 points for search",
    ),
    (
        "says-once",
        &[("    show();\n    turn = 1", "    turn = 1")],
        56.0,
        &[SCORE],
        "prints the score before the move, not after it: half the points",
    ),
    (
        "says-later",
        &[("before move:\\n\");\n    show();\n", "before move:\\n\");\n")],
        56.0,
        &[SCORE],
        "prints the score after the move, neither before it nor on a full board: half the points, once",
    ),
    (
        "own-score",
        &[
            (
                "printf(\"Score: Player 1 = %d, Player 2 = %d\\n\\n\", points(0), points(1))",
                "printf(\"Player Score: %d\\n\", points(turn))",
            ),
            ("cell(column, row))", "cell(column, row) == '0' ? ' ' : cell(column, row))"),
        ],
        54.0,
        &[SCORE],
        "prints one number as the score, with a board below: no digit of the board completes it",
    ),
    (
        "counts-up",
        &[(
            "    printf(\"Score: Player 1 = %d, Player 2 = %d\\n\\n\", points(0), points(1));",
            "    for (int i = 0; i < 70; i++) printf(\"%d \", i);",
        )],
        54.0,
        &[SCORE],
        "prints 0 to 69 in place of every score, also of a full board, which costs once",
    ),
    (
        "one-less",
        &[("choose(atoi(words[4]))", "choose(atoi(words[4]) - 1)")],
        53.0,
        &[DEPTH],
        "looks one move less ahead than told, else good",
    ),
    (
        "one-more",
        &[("choose(atoi(words[4]))", "choose(atoi(words[4]) + 1)")],
        53.0,
        &[DEPTH],
        "looks one move further than told, else good",
    ),
    (
        "starter",
        &[("choose(atoi(words[4]))", "at_random()")],
        16.0,
        &[DEPTH, TWO, FOUR, SIX],
        "moves at random, as the sample code: reads, writes and prints, and that is all",
    ),
    (
        "hangs",
        &[("        printf(\"BOARD FULL\\n\");", "        for (;;) ;")],
        54.0,
        &[FULL, NO_FILE],
        "looks for a free column of a full board for ever",
    ),
    (
        "asks-when-full",
        &[(
            "        printf(\"BOARD FULL\\n\");",
            "        int move; while (scanf(\"%d\", &move) != EOF) ;",
        )],
        54.0,
        &[FULL, NO_FILE],
        "asks for a move of a person when the board is full",
    ),
    (
        "waits-for-key",
        &[("        printf(\"BOARD FULL\\n\");", "        getchar();")],
        58.0,
        &[],
        "waits for a key when the board is full, as programs do that are started by a click",
    ),
    (
        "garbage",
        &[(
            "    load(words[2]);",
            "    FILE *f = fopen(words[3], \"w\"); fputs(\"usage\", f); return 0;",
        )],
        0.0,
        &ALL,
        "writes something else into the file, and prints nothing",
    ),
    (
        "crash",
        &[(
            "    load(words[2]);",
            "    fprintf(stderr, \"terrible error: no board\\n\"); abort();",
        )],
        0.0,
        &ALL,
        "aborts",
    ),
];

/// Submissions that cannot be started, or are written in another language: their points, and what
/// is said of them.
const OTHERS: [(&str, f64, &str); 10] = [
    ("java", 58.0, ""),
    ("leeann", 58.0, ""),
    ("script", 58.0, ""),
    ("table", 16.0, DEPTH),
    ("stale", 0.0, "not built, main.cpp:1:"),
    ("java-broken", 0.0, "not built, Main.java:1: error: "),
    ("syntax", 0.0, "not built, play.py:1: SyntaxError: "),
    ("report", 0.0, "no program, expected a source file"),
    ("escapes", 0.0, "not unpacked, it has a file outside of its folder"),
    ("library", 0.0, "no program, found files of Java"),
];

/// Hands in the whole class, as students do: each in another way.
fn hand_in_class(place: &TestFolder, answers: &str) {
    const MAKEFILE: &str = "all: maxconnect4\nmaxconnect4: maxconnect4.cpp\n\tg++ -O2 -o $@ $<\n";
    for (index, (name, changes, ..)) in MISTAKES.iter().enumerate() {
        let code = cpp(changes);
        let folder = ["", "submission/programming2/", "hw2/"][index % 3];
        let [code_name, makefile] =
            ["maxconnect4.cpp", "Makefile"].map(|file| format!("{folder}{file}"));
        let mut files = vec![(code_name.as_str(), code.as_str())];
        // Some hand in the files of their own trials, too, which may have any names.
        let trials = ["input.txt", "output.txt", "position.txt", "next.txt", "human.txt"]
            .map(|file| format!("{folder}{file}"));
        if index % 2 == 0 {
            files.push((&makefile, MAKEFILE));
            files.extend(trials.iter().map(|name| (name.as_str(), "of a trial\n")));
        }
        hand_in(place, &format!("{name}.zip"), zipped(&files));
    }
    let [java, board] = ["maxconnect4.java", "Board.java"].map(source);
    let files = [("p/src/a/player/maxconnect4.java", &java), ("p/src/a/player/Board.java", &board)];
    hand_in(place, "java.zip", zipped(&files));
    hand_in(place, "leeann_LATE_12_345_maxconnect4.py", source("maxconnect4.py"));
    let run = "#!/bin/sh\nexec python3 code/main.py \"$@\"\n";
    let files = [("x/run.sh", run), ("x/code/main.py", &source("maxconnect4.py"))];
    hand_in(place, "script.zip", zipped(&files));
    let table = cpp(&[("choose(atoi(words[4]))", "from_table() < 0 ? at_random() : from_table()")]);
    hand_in(place, "table.zip", zipped(&[("maxconnect4.cpp", &*table), ("answers.txt", answers)]));
    let broken = "int main() { retrun 0; }\n";
    hand_in(place, "stale.zip", zipped(&[("main.cpp", broken), ("maxconnect4", "\x7fELF")]));
    hand_in(place, "java-broken.zip", zipped(&[("Main.java", "class Main { static void main( }")]));
    hand_in(place, "syntax.zip", zipped(&[("play.py", "def (:\n")]));
    hand_in(place, "report.zip", zipped(&[("report.pdf", "%PDF")]));
    hand_in(place, "escapes.tar", escaping_tar());
    hand_in(place, "library.zip", zipped(&[("Board.java", "class Board {}")]));
}

/// A tar with a file that would be written outside.
fn escaping_tar() -> Vec<u8> {
    let mut header = [0; 512];
    header[..12].copy_from_slice(b"../escape.py");
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(b"00000000000");
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
    header[154] = 0;
    [&header[..], &[0; 1024]].concat()
}

/// The answers to the positions of a seed, as the instructor's report of one submission has them.
fn answers(place: &TestFolder, seed: &str) -> String {
    std::fs::create_dir_all(place.path("one/nobody")).expect("a folder");
    let words = [
        "maxconnect4",
        "grade",
        "--class",
        "one",
        "--out",
        "answers",
        "--points",
        "points.toml",
        "--player",
        "file:{folder}/no {in} {out}",
        "--seed",
        seed,
    ];
    run(place, &words);
    let mut answers = String::new();
    for line in place.read("answers/instructor/answers.txt").lines() {
        let line = line.trim().strip_prefix("after ").and_then(|line| line.split_once(": "));
        let Some((moves, right)) = line else { continue };
        let (mut heights, mut board) = ([0; 7], [[b'0'; 7]; 6]);
        for (ply, column) in moves.split(' ').enumerate() {
            let column = column.parse::<usize>().expect("a column") - 1;
            board[5 - heights[column]][column] = b"12"[ply % 2];
            heights[column] += 1;
        }
        let board = String::from_utf8(board.concat()).expect("digits");
        answers += &format!("{board} {}\n", right.split(' ').next().expect("a move"));
    }
    assert_eq!(answers.lines().count(), 48, "{answers}");
    answers
}

fn results(place: &TestFolder, name: &str) -> Value {
    serde_json::from_str(&place.read(&format!("grades/{name}/results.json"))).expect("JSON")
}

/// The checks that have failed.
fn failed(results: &Value) -> Vec<&str> {
    let tests = results["tests"].as_array().expect("tests").iter();
    tests
        .filter(|test| test["status"] == "failed" && test["max_score"] != 0.0)
        .map(|test| test["name"].as_str().expect("a name"))
        .collect()
}

/// Checks what the pages tell students.
fn check_pages(place: &TestFolder) {
    for (name, part) in [
        ("crash", "crash, signal SIGABRT: terrible error: no board"),
        ("next-self", "the next player in its output is itself; the other checks ignore this"),
        ("lf-reader", "files with CR LF are read, 4 with LF; the other checks use LF"),
        ("one-less", "it looks one move less ahead than it is told"),
        ("one-more", "it looks one move further ahead than it is told"),
        ("hangs", "cpu limit of 3s exceeded"),
        ("one-color", "as player 2, which over all checks is no more than luck and earns nothing"),
        ("stale", "The build:"),
        ("stale", "was not declared"),
    ] {
        for file in ["results.txt", "page.html"] {
            let text = place.read(&format!("grades/{name}/{file}"));
            let is_heading = part == "The build:" && text.contains("The build");
            assert!(text.contains(part) || is_heading, "{name}: {part}\n{text}");
        }
    }
    let starter = place.read("grades/starter/page.html");
    assert!(starter.contains("<svg") && starter.contains("played: "), "{starter}");
}

#[test]
#[ignore = "long"]
fn zips_become_the_grades_that_reading_them_gives() {
    if !has(&["g++", "make", "javac", "python3"]) {
        return;
    }
    let place = TestFolder::new();
    place.write("points.toml", POINTS);
    let answers = answers(&place, "1");
    hand_in_class(&place, &answers);
    let table = prepare(&place, &[]);
    assert!(table.contains("\n32 prepared now, 0 as before; 26 of 32 ready\n"), "{table}");
    let grade = |more: &[&str]| {
        let words = [
            "maxconnect4",
            "grade",
            "--class",
            "subs",
            "--points",
            "points.toml",
            "--player",
            PLAYER,
            "--jobs",
            "2",
            "--cpu",
            "3s",
            "--total",
            "9m",
        ];
        run(&place, &[&words[..], more].concat())
    };
    let text = grade(&["--out", "grades", "--seed", "7"]);
    for (name, _, points, lost, why) in MISTAKES {
        let results = results(&place, name);
        assert_eq!(failed(&results), lost, "{name}: {why}\n{text}");
        assert_eq!(results["score"], points, "{name}: {why}");
    }
    for (name, points, part) in OTHERS {
        let line = line(&text, name);
        assert!(line.contains(&format!(" {points}   58  ")) || part.is_empty(), "{line}");
        assert!(line.contains(part), "{line}");
        assert_eq!(results(&place, name)["score"], points, "{line}");
    }
    check_pages(&place);
    // The positions of a seed that everybody knows are known to the table.
    let known = grade(&["--out", "known", "--seed", "1", "--only", "table", "--only", "one-color"]);
    assert!(line(&known, "one-color").contains(&format!("  {ONE_COLOR}   58  ")), "{known}");
    assert!(line(&known, "table").ends_with("    58   58"), "{known}");
}

#[test]
fn zips_become_a_ranking() {
    if !has(&["g++", "make"]) {
        return;
    }
    let place = TestFolder::new();
    for (name, changes, ..) in MISTAKES {
        if ["good", "starter", "crash", "garbage"].contains(&name) {
            hand_in(&place, &format!("{name}.zip"), zipped(&[("a.cpp", cpp(changes))]));
        }
    }
    hand_in(&place, "broken.zip", zipped(&[("a.cpp", "int main() { retrun 0; }\n")]));
    prepare(&place, &[]);
    place.write(
        "class.toml",
        format!("class = {{ folder = \"subs\", player = \"{PLAYER}\", depth = 2 }}\n"),
    );
    let words = ["maxconnect4", "tournament", "class.toml"];
    let table = run_with_warnings(&place, &words);
    let places: Vec<Vec<&str>> = table
        .lines()
        .skip_while(|line| !line.starts_with("place"))
        .skip(1)
        .take(5)
        .map(|line| line.split_whitespace().take(2).collect())
        .collect();
    assert_eq!(places[..2], [["1", "good"], ["2", "starter"]], "{table}");
    let mut dead: Vec<&str> = places[2..4].iter().map(|place| place[1]).collect();
    dead.sort_unstable();
    assert_eq!(dead, ["crash", "garbage"], "{table}");
    assert_eq!(places[4], ["-", "broken"], "{table}");
    assert!(table.contains("broken   not played: not built, a.cpp:1:"), "{table}");
    assert!(table.contains("\n2 games between players that never made a legal move: "), "{table}");
    let games = place.read("class/games.csv");
    assert!(games.contains("crash, signal SIGABRT: terrible error: no board"), "{games}");
}

/// A tournament warns of those that do not play.
fn run_with_warnings(place: &TestFolder, words: &[&str]) -> String {
    let table = run(place, words);
    assert!(table.contains("Report: class/report.html"), "{table}");
    table
}
