//! `perfect` in place of a depth, and analyze --exact.

use std::fs;

use serde_json::Value;

use super::{TWELVE_PIECES, TestFolder, assert_golden, data};

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
fn the_exact_margin_of_every_column() {
    for (state, value, columns) in known().into_iter().step_by(4) {
        let folder = TestFolder::new();
        folder.write("in.txt", &state);
        let run = folder.run("analyze in.txt --exact");
        assert_eq!(run.code, Some(0), "{run:?}");
        let line = run.stdout.lines().find(|line| line.starts_with("Final margin")).expect("line");
        let cells: Vec<&str> = line["Final margin".len()..].split_whitespace().collect();
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
    let said = "\nThe time was too short for everything. What is proven: value ";
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
    assert_eq!(analyze("--time 1h"), analyze(""));
    let margins =
        |text: String| text.lines().find(|line| line.contains("margin")).map(String::from);
    assert_eq!(margins(analyze("--threads 2")), margins(analyze("")));
}
