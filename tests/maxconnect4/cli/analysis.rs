//! Analyze, perft and bench; and exact play: `perfect` in place of a depth, and analyze --exact.

use std::fs;

use serde_json::Value;

use super::{FULL, LAST_MOVE, TWELVE_PIECES, TestFolder, assert_golden, data};

/// Twelve cells are empty; player 1 is to move.
const TWELVE_LEFT: &str = "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n";

fn json(folder: &TestFolder, args: &str) -> (String, Value) {
    let stdout = folder.run(args).success().stdout;
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    let value = serde_json::from_str(&stdout).expect("JSON");
    (stdout, value)
}

/// Returns `true` if the keys stand in `text` in this order.
fn in_order(text: &str, keys: &[&str]) -> bool {
    let places: Option<Vec<usize>> =
        keys.iter().map(|key| text.find(&format!("\"{key}\":"))).collect();
    places.is_some_and(|places| places.is_sorted())
}

#[test]
fn json_before_anything_is_proven() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    let (text, value) = json(&folder, "analyze in.txt --depth 5 --json");
    let keys =
        ["game", "position", "side_to_move", "depth", "proven", "nodes", "cpu_seconds", "moves"];
    assert!(in_order(&text, &keys), "{text}");
    assert_eq!(value.as_object().map(serde_json::Map::len), Some(keys.len()));
    assert_eq!(value["game"], "maxconnect4");
    assert_eq!(value["position"], "0000000/0000000/0200000/0100002/0200111/1100222/1");
    assert_eq!(value["side_to_move"], "1");
    assert_eq!(value["depth"], 5);
    assert_eq!(value["proven"], false);
    assert!(value["nodes"].is_u64() && value["cpu_seconds"].is_f64());

    let moves = value["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 7);
    let score = |mv: &Value| mv["score"].as_i64().expect("a score");
    assert!(moves.is_sorted_by_key(|mv| -score(mv)), "not best first: {text}");
    assert!(in_order(&text, &["move", "score", "bound", "value", "pv"]), "{text}");
    for mv in moves {
        assert_eq!(mv.as_object().map(serde_json::Map::len), Some(6));
        assert_eq!(mv["proven"], mv["bound"] == "exact");
        assert_eq!(mv["pv"][0], mv["move"]);
        assert!(mv["move"].as_str().is_some_and(|text| "1234567".contains(text)));
    }
}

#[test]
fn json_of_proven_values() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_LEFT);
    let (_, value) = json(&folder, "analyze in.txt --depth 42 --json");
    assert_eq!(value["proven"], true);
    let moves = value["moves"].as_array().expect("moves");
    for mv in moves {
        let value = mv["value"].as_i64().expect("a value");
        assert_eq!(mv["score"].as_i64(), Some(100 * value));
    }
    let text = serde_json::to_string(&value["moves"]).expect("JSON");
    assert_golden("golden/analyze-exact.json", &format!("{text}\n"));
}

#[test]
fn values_are_final_margins_of_the_mover() {
    let folder = TestFolder::new();
    folder.write("in.txt", LAST_MOVE);
    let (_, value) = json(&folder, "analyze in.txt --depth 1 --json");
    assert_eq!(value["moves"].as_array().map(Vec::len), Some(1));
    assert_eq!(value["moves"][0]["value"], 0);
    assert_eq!(value["moves"][0]["pv"], serde_json::json!(["4"]));
}

#[test]
fn a_finished_game_has_no_moves() {
    let folder = TestFolder::new();
    folder.write("in.txt", FULL);
    let (_, value) = json(&folder, "analyze in.txt --json");
    assert_eq!(value["moves"], serde_json::json!([]));
    assert_eq!(value["proven"], true);
    let text = folder.run("analyze in.txt").success().stdout;
    assert!(text.ends_with("\nBOARD FULL\nPlayer 2 wins, 3 to 2.\n"), "{text}");
}

#[test]
fn the_table_for_people() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_LEFT);
    let text = folder.run("analyze in.txt --depth 42").success().stdout;
    let (table, counts) = text.trim_end().rsplit_once('\n').expect("lines");
    assert!(counts.contains(" nodes, "), "{counts}");
    assert_golden("golden/analyze.stdout", table);
}

#[test]
fn time_and_standard_input() {
    let folder = TestFolder::new();
    let run = folder.run_with("analyze - --time 10ms --json", TWELVE_LEFT).success();
    assert!(run.stdout.contains("0022100/1021100/"), "{}", run.stdout);
    let run = folder.run("analyze --depth 2").success();
    assert!(run.stdout.contains("\nPlayer 1 is to move.\n"), "{}", run.stdout);
}

#[test]
fn perft_of_the_empty_board() {
    let folder = TestFolder::new();
    let counts = [1, 7, 49, 343, 2401, 16_807, 117_649, 823_536];
    for (depth, count) in counts.into_iter().enumerate() {
        let run = folder.run(&format!("perft {depth}")).success();
        assert_eq!(run.stdout, format!("total: {count}\n"));
    }
}

#[test]
fn perft_divided() {
    let folder = TestFolder::new();
    // Column 1 is full, and column 4 has one cell left.
    folder.write("in.txt", "1000000\n2001000\n1002000\n2001000\n1002000\n2001000\n2\n");
    let run = folder.run("perft in.txt 2 --divide").success();
    let lines = "2: 6\n3: 6\n4: 5\n5: 6\n6: 6\n7: 6\ntotal: 35\n";
    assert_eq!(run.stdout, lines);
    assert_eq!(folder.run("perft in.txt 2").success().stdout, "total: 35\n");
    folder.write("full.txt", FULL);
    let run = folder.run("perft full.txt 1 --divide").success();
    assert_eq!(run.stdout, "total: 0\n");
}

/// The signature of the search: a change that is only about speed must not move it.
#[test]
fn the_node_count_of_the_bench() {
    let folder = TestFolder::new();
    let stdout = folder.run("bench").success().stdout;
    let last = stdout.lines().last().expect("a last line");
    let words: Vec<&str> = last.split(' ').collect();
    let [nodes, "nodes", speed, "nps"] = words[..] else {
        panic!("not NODES nodes NPS nps: {last}")
    };
    assert!(speed.parse::<u64>().is_ok(), "{last}");
    assert_golden("golden/bench-nodes.txt", &format!("{nodes}\n"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_analysis_shows_what_is_found() {
    use std::io::Read;
    use std::process::{Command, Stdio};

    for args in ["--time 1h", "--time 1h --exact --no-book", "--exact --no-book", "--depth 42"] {
        let mut analysis = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
            .arg("analyze")
            .args(args.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        // Once there is something of the board, an interruption is listened for.
        let mut board = [0; 10];
        analysis.stdout.as_mut().expect("a pipe").read_exact(&mut board).expect("a board");
        let pid = analysis.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
        let output = analysis.wait_with_output().expect("the program");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{args}: {stderr}");
        assert!(stderr.starts_with("error: interrupted; "), "{args}: {stderr}");
    }
}

#[test]
#[ignore = "long"]
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

/// A position with so many empty cells at most is solved at once.
const MOST_EMPTY: usize = 22;
/// Of the known positions, every so many are tried.
const STRIDE: usize = 6;

/// The known positions with few empty cells: state file, value, values of the columns.
fn known() -> Vec<(String, i32, Vec<Option<i32>>)> {
    let text = fs::read_to_string(data("data/exact.txt")).expect("exact.txt");
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let columns = fields[2].split(',').map(|value| value.parse().ok()).collect();
        (fields[0].replace('/', "\n") + "\n", fields[1].parse().expect("a value"), columns)
    });
    rows.filter(|(state, ..)| state.matches('0').count() <= MOST_EMPTY).step_by(STRIDE).collect()
}

/// The number after `text`.
fn number_after(output: &str, text: &str) -> i32 {
    let (_, rest) = output.split_once(text).unwrap_or_else(|| panic!("no `{text}` in {output}"));
    let digits = rest.split_whitespace().next().expect("a number");
    digits.parse().unwrap_or_else(|_| panic!("no number after `{text}` in {output}"))
}

fn warnings_aside(stderr: &str) -> String {
    stderr.lines().filter(|line| !line.starts_with("warning: ")).collect()
}

#[test]
#[ignore = "long"]
fn perfect_moves_keep_the_known_value() {
    let known = known();
    assert!(known.len() > 10, "{}", known.len());
    for (state, value, columns) in known {
        let folder = TestFolder::new();
        folder.write("in.txt", &state);
        let run = folder.run("one-move in.txt out.txt perfect");
        assert_eq!(run.code, Some(0), "{run:?}");
        let expected = format!("perfect: exact search, final value {value}");
        assert_eq!(warnings_aside(&run.stderr), expected, "{state}");
        let column = number_after(&run.stdout, ", column ");
        assert_eq!(columns[column as usize - 1], Some(value), "{state}");
    }
}

#[test]
fn time_that_is_enough_changes_nothing() {
    let (state, value, _) = known().pop().expect("a position");
    let folder = TestFolder::new();
    folder.write("in.txt", &state);
    let run = folder.run("one-move in.txt out.txt perfect --time 1h --no-book");
    let expected = format!("perfect: exact search, final value {value}");
    assert_eq!(warnings_aside(&run.stderr), expected);
}

#[test]
fn without_time_a_depth_is_named() {
    let folder = TestFolder::new();
    folder.write("in.txt", "0000000\n".repeat(6) + "1\n");
    let run = folder.run("one-move in.txt out.txt perfect --time 1ms --no-book");
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.starts_with("perfect: depth "), "{}", run.stderr);
    assert!(run.stderr.contains(" (time), "), "{}", run.stderr);
    assert!(run.stderr.ends_with(" (estimate)\n"), "{}", run.stderr);
    assert!(folder.read("out.txt").ends_with("\n2\n"));
}

#[test]
fn a_game_against_a_human() {
    let (state, ..) = known().pop().expect("a position");
    let folder = TestFolder::new();
    folder.write("in.txt", &state);
    let run = folder.run_with("interactive in.txt computer-next perfect", "");
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("perfect: exact search"), "{}", run.stderr);
    assert!(run.stdout.contains("End of input"), "{}", run.stdout);
}

#[test]
#[ignore = "long"]
fn the_exact_margin_of_every_column() {
    for (state, value, columns) in known().into_iter().step_by(4) {
        let folder = TestFolder::new();
        folder.write("in.txt", &state);
        let run = folder.run("analyze in.txt --exact");
        assert_eq!(run.code, Some(0), "{run:?}");
        let line = run.stdout.lines().find(|line| line.starts_with("Final margin")).expect("line");
        let cells: Vec<&str> =
            line["Final margin of player 1".len()..].split_whitespace().collect();
        let expected: Vec<String> = columns
            .iter()
            .map(|column| match column {
                None => "full".to_owned(),
                Some(0) if value == 0 => "0*".to_owned(),
                Some(0) => "0".to_owned(),
                Some(own) if *own == value => format!("{own:+}*"),
                Some(own) => format!("{own:+}"),
            })
            .collect();
        assert_eq!(cells, expected, "{state}");
    }
}

#[test]
fn the_layout_of_the_exact_analysis() {
    let folder = TestFolder::new();
    folder.write("in.txt", "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n");
    let text = folder.run("analyze in.txt --exact").success().stdout;
    let (table, _) = text.trim_end().rsplit_once('\n').expect("lines");
    assert_golden("golden/analyze-exact.stdout", table);
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    for args in [
        "analyze in.txt --exact --depth 3",
        "analyze in.txt --exact --book in.txt --no-book",
        "one-move in.txt out.txt 42 --book in.txt --no-book",
        "play random machine:perfect --book in.txt --no-book",
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(2), "{args}");
        assert!(run.stderr.contains("cannot be used with"), "{}", run.stderr);
    }
}

#[test]
fn exact_within_a_time_says_what_is_not() {
    let folder = TestFolder::new();
    folder.write("in.txt", "0000000\n".repeat(6) + "1\n");
    let run = folder.run("analyze in.txt --exact --time 20ms --no-book").success();
    let said = "\nThe time was too short to prove every value; proven: value ";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    assert!(run.stdout.contains("  estimate  "), "{}", run.stdout);
    assert!(!run.stdout.contains("Final margin"), "{}", run.stdout);
    let run = folder.run("analyze in.txt --exact --time 20ms --no-book --json").success();
    let analysis: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(analysis["proven"], false);
    assert_eq!(analysis["moves"].as_array().map(Vec::len), Some(7));
}

#[test]
fn exact_within_time_enough_is_the_same() {
    let (state, ..) = known().pop().expect("a position");
    let folder = TestFolder::new();
    folder.write("in.txt", &state);
    let analyze = |args: &str| {
        let run = folder.run(&format!("analyze in.txt --exact {args}"));
        let text = run.stdout.trim_end();
        text.rsplit_once('\n').map(|(table, _)| table.to_owned()).expect("lines")
    };
    let plain = analyze("");
    assert_eq!(analyze("--time 1h"), plain);
    let margins = |text: &str| text.lines().find(|line| line.contains("margin")).map(String::from);
    assert_eq!(margins(&analyze("--threads 2")), margins(&plain));
}
