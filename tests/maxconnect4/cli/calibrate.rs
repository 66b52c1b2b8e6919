//! The greatest depth within a time.

use super::support::TestFolder;

#[test]
fn a_table_by_depth() {
    let folder = TestFolder::new();
    let args = "--player machine:depth={depth} --limit 1h --depths 1..3 --positions 2 --seed 1";
    let text = folder.run(&format!("calibrate {args} --csv t.csv --plot t.svg")).success().stdout;
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "maxconnect4 machine:depth={depth}");
    assert_eq!(lines[1], "CPU time of one move, from the start and 2 positions drawn by seed 1");
    assert!(lines[3].starts_with("depth positions"), "{text}");
    assert!(lines[6].starts_with("    3         3 "), "{text}");
    assert_eq!(lines[8], "depth 3 is the greatest that was within 1h");
    let csv = folder.read("t.csv");
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.contains("\nmaxconnect4,machine:depth=2,2,3,3,0."), "{csv}");
    assert_eq!(folder.read("t.svg").matches("<circle").count(), 6);
    let run = folder.run(&format!("calibrate {args}"));
    assert_eq!(run.stdout.lines().next(), csv.lines().next());
    assert_eq!(run.stderr, "depth 3 is the greatest that was within 1h\n");
}

#[test]
fn the_first_depth_over_the_limit_ends_it() {
    let folder = TestFolder::new();
    let args = "--player machine:depth={depth} --limit 1ns --runs 1 --csv t.csv";
    let text = folder.run(&format!("calibrate {args}")).success().stdout;
    assert!(text.ends_with("\nno depth was within 1ns; depth 1 was not\n"), "{text}");
    assert_eq!(folder.read("t.csv").lines().count(), 2);
}

#[test]
fn faults_end_it_too() {
    let folder = TestFolder::new();
    let args = ["calibrate", "--player", "file:cp {in} {out} {depth}", "--csv", "t.csv"];
    let output = folder.command(args).output().expect("the program");
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("error: the player lost by a fault: "), "{errors}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = TestFolder::new();
    for (args, part) in [
        ("--player machine:depth=3", "expected a player with {depth} in it"),
        ("--player robot:{depth}", "player `robot:{depth}`: expected human"),
    ] {
        folder.run(&format!("calibrate {args}")).failure(2, part);
    }
    let run = folder.run("calibrate --player machine:depth={depth} --csv no/t.csv");
    run.failure(1, "no/t.csv: cannot write");
}
