//! Solving whole boards.

use serde_json::Value;

use super::support::{FULL, TestFolder, assert_golden};

#[test]
fn small_boards() {
    let folder = TestFolder::new();
    let values = [
        ("4x4", 0),
        ("5x4", 0),
        ("4x5", 0),
        ("6x4", -1),
        ("4x6", 0),
        ("5x5", 0),
        ("7x4", -1),
        ("5x6", 0),
        ("6x5", 0),
    ];
    for (size, value) in values {
        let args = format!("solve --size {size} --table 32 --verify --json");
        let run = folder.run(&args).success();
        let solved: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(solved["value"], value, "{size}");
        assert_eq!(solved["proven"], true, "{size}");
        let moves = solved["moves"].as_array().expect("moves");
        assert_eq!(moves.len().to_string(), size[..1], "{size}");
        assert!(moves.iter().all(|mv| mv["value"].is_i64()), "{size}");
        let mirror = |mv: &Value| moves.len() + 1 - number(&mv["move"]);
        for mv in moves {
            let image = moves.iter().find(|other| number(&other["move"]) == mirror(mv));
            assert_eq!(image.map(|image| &image["value"]), Some(&mv["value"]), "{size}");
        }
        assert_eq!(moves.iter().filter_map(|mv| mv["value"].as_i64()).max(), Some(value), "{size}");
    }
}

#[test]
fn threads_find_the_same_values() {
    let folder = TestFolder::new();
    let values = |threads: u32| {
        let args = format!("solve --size 6x4 --table 32 --threads {threads} --json");
        let solved: Value =
            serde_json::from_str(&folder.run(&args).success().stdout).expect("JSON");
        let mut moves: Vec<(usize, Value)> = solved["moves"]
            .as_array()
            .expect("moves")
            .iter()
            .map(|mv| (number(&mv["move"]), mv["value"].clone()))
            .collect();
        moves.sort_by_key(|&(column, _)| column);
        (solved["value"].clone(), moves)
    };
    assert_eq!(values(2), values(1));
    assert_eq!(values(3), values(1));
}

fn number(text: &Value) -> usize {
    text.as_str().and_then(|text| text.parse().ok()).expect("a column")
}

#[test]
fn the_text_for_people() {
    let folder = TestFolder::new();
    let text = folder.run("solve --size 4x4 --verify").success().stdout;
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains(" nodes, ")).collect();
    assert_golden("golden/solve-4x4.stdout", &(lines.join("\n") + "\n"));
}

#[test]
fn a_position_from_a_file() {
    let folder = TestFolder::new();
    folder.write("in.txt", "0000\n0000\n0000\n2112\n1\n");
    let run = folder.run("solve in.txt --size 4x4 --verify").success();
    assert!(run.stdout.contains("With best play"), "{}", run.stdout);
    folder.run("solve in.txt").failure(2, "in.txt:1:5: expected a row of 7 cells");
}

#[test]
fn a_full_board_has_a_value_and_no_moves() {
    let folder = TestFolder::new();
    folder.write("full.txt", FULL);
    let run = folder.run("solve full.txt --json").success();
    let solved: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!((&solved["value"], &solved["moves"]), (&(-1).into(), &serde_json::json!([])));
}

#[test]
fn sizes_that_are_none_are_refused() {
    let folder = TestFolder::new();
    for size in ["3x4", "9x6", "7", "7x", "x", "7x6x5", "-7x6"] {
        let run = folder.run(&format!("solve --size={size}"));
        assert_eq!(run.code, Some(2), "{size}");
        assert!(run.stderr.contains("expected COLUMNSxROWS"), "{}", run.stderr);
    }
}

#[test]
fn arguments_out_of_range_are_refused() {
    let folder = TestFolder::new();
    for (args, part) in [
        ("solve --threads 0", "expected a whole number from 1 to 1024"),
        ("solve --threads x", "expected a whole number from 1 to 1024"),
        ("solve --table 0", "expected a whole number from 1 to 65536"),
        ("solve one two", "unexpected argument 'two'"),
        ("book", "Usage: maxconnect4 book"),
        ("book build --plies 3", "--out <FILE>"),
        ("book build --out x", "--plies <N>"),
        ("book build --plies 201 --out x", "expected a whole number from 0 to 200"),
        ("book build --plies 3 --out x --shard 4/3", "expected a share I/N"),
        ("book build --plies 3 --out x --jobs 0", "expected a whole number from 1 to 1024"),
        ("book merge --out x", "<BOOK>"),
        ("book verify --sample x", "--sample <N>"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(2), "{args}: {run:?}");
        assert!(run.stderr.contains(part), "{args}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{args}");
    }
    for (args, part) in [
        ("solve none.txt", "none.txt: cannot read the state file: "),
        ("book verify none.bin", "none.bin: cannot read the book: No such file"),
        ("book merge none.bin --out x.bin", "none.bin: cannot read the book: No such file"),
        ("book build --plies 3 --out no/x.bin", "no/x.bin: cannot write the file: "),
        ("book build --plies 3 --out x.bin --from none.txt", "none.txt: cannot read"),
        (
            "book --size 4x4 build --plies 3 --out x.bin --base none.bin",
            "none.bin: cannot read the book: No such file",
        ),
    ] {
        let run = folder.run(args);
        assert_eq!(run.stdout, "", "{args}");
        assert!(run.code == Some(1) || run.code == Some(2), "{args}: {run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{args}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{args}: {}", run.stderr);
    }
    assert!(folder.files().is_empty(), "nothing is left behind: {:?}", folder.files());
}

#[cfg(unix)]
#[test]
fn an_interruption_says_what_is_proven() {
    use std::io::Read;
    use std::process::{Command, Stdio};

    let folder = TestFolder::new();
    let mut solver = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
        .current_dir(folder.path("."))
        .args(["solve", "--size", "8x8", "--table", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    // Once there is something of the board, an interruption is listened for.
    let mut board = [0; 10];
    solver.stdout.as_mut().expect("a pipe").read_exact(&mut board).expect("a board");
    let pid = solver.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let output = solver.wait_with_output().expect("the program");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.starts_with("error: interrupted; proven: value "), "{stderr}");
}
