//! A class that is graded again, and what students and instructors are told.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::grade::{CHECKS, CLASS_PLAYER, count_only, grade, json, submit, submit_ours};
use super::support::{PROGRAM, TestFolder};

#[test]
fn students_are_shown_what_the_points_file_says() {
    let folder = TestFolder::new();
    submit(&folder, "bob", "exit 1");
    count_only(&folder, &CHECKS[8..10]);
    let two = format!("\"{}\"", CHECKS[8]);
    let points = folder.read("points.toml");
    let args = "--class subs --points points.toml --seed 3 --out";
    for (out, settings, shown, there) in [
        ("as-it-is", String::new(), false, true),
        ("shown", format!("[expected]\n{two} = true\n"), true, true),
        ("hidden", format!("[visibility]\n{two} = 'hidden'\n"), false, false),
    ] {
        folder.write("points.toml", format!("{points}{settings}"));
        grade(&folder, CLASS_PLAYER, &format!("{args} {out}"));
        for file in ["results.txt", "results.json", "page.html"] {
            let text = folder.read(&format!("{out}/bob/{file}"));
            assert_eq!(text.contains("expected: "), shown, "{file}: {text}");
            let about = text.contains("In the middle of the game and at depth 2");
            assert_eq!(about, there, "{file}: {text}");
            assert!(!text.contains("--seed"), "{file}: {text}");
        }
        let text = folder.read(&format!("{out}/instructor/reports/bob.txt"));
        assert!(text.contains("expected: ") && text.ends_with("Positions: --seed 3\n"), "{text}");
        assert!(folder.read(&format!("{out}/instructor/answers.txt")).starts_with("--seed 3\n"));
    }
    let hidden = json(&folder.read("hidden/bob/results.json"));
    let tests = hidden["tests"].as_array().expect("tests");
    let two = tests.iter().find(|test| test["name"] == CHECKS[8]).expect("the hidden check");
    assert_eq!((&two["visibility"], &two["output"]), (&"hidden".into(), &"".into()));
}

#[test]
fn only_what_has_changed_is_graded_again_and_no_grade_is_lost() {
    let folder = TestFolder::new();
    submit_ours(&folder, "ann");
    submit(&folder, "bob", "exit 1");
    count_only(&folder, &CHECKS[..3]);
    let args = "--class subs --out grades --points points.toml";
    let run = |more: &str| grade(&folder, CLASS_PLAYER, &format!("{args} {more}"));
    assert!(run("").ends_with("\n2 graded now, 0 as before\n"));
    let seed = folder.read("grades/instructor/seed");
    assert!(run("").ends_with("\n0 graded now, 2 as before\n"));
    assert_eq!(folder.read("grades/instructor/seed"), seed, "the class has one secret seed");
    // Ann's new version is worse.
    submit(&folder, "ann", "exit 1");
    assert!(run("--only bob").ends_with("\n0 graded now, 2 as before\n"));
    let text = run("--only ann");
    assert!(text.ends_with("\n1 graded now, 1 as before\n"), "{text}");
    assert!(text.contains("\nann              0    8  (was 8) "), "{text}");
    assert!(folder.read("grades/history/ann/0001/results.txt").contains("Score: 8 of 8"));
    assert!(folder.read("grades/ann/results.txt").contains("Score: 0 of 8"));
    // What was graded once need not be again.
    submit_ours(&folder, "ann");
    assert!(run("").ends_with("\n0 graded now, 2 as before\n"));
    assert!(folder.read("grades/ann/results.txt").contains("Score: 8 of 8"));
    assert!(run("--again --only bob").ends_with("\n1 graded now, 1 as before\n"));
    // Other positions, and other limits, are other checks.
    assert!(run("--seed 4").ends_with("\n2 graded now, 0 as before\n"));
    assert!(run("--total 5m").ends_with("\n2 graded now, 0 as before\n"));
    assert_eq!(folder.read("grades/instructor/seed"), "4\n");
    let numbers = fs::read_dir(folder.path("grades/history/ann")).expect("a folder").count();
    assert_eq!(numbers, 5);
}

#[test]
fn second_run_at_the_same_time_is_refused() {
    let folder = TestFolder::new();
    submit_ours(&folder, "ann");
    fs::create_dir(folder.path("grades")).expect("a folder");
    let lock = File::create(folder.path("grades/.lock")).expect("a file");
    lock.lock().expect("the lock");
    let run = folder.run("grade --player line:{folder}/player --class subs --out grades");
    run.failure(1, "grades: another run of `grade` writes into this folder");
}

#[test]
fn run_that_is_killed_goes_on_to_the_same_grades() {
    let folder = TestFolder::new();
    for name in ["ann", "bob", "carl", "dora", "emil", "fay"] {
        submit_ours(&folder, name);
    }
    submit(&folder, "bob", "exit 1");
    count_only(&folder, &CHECKS[..3]);
    let args = ["--class", "subs", "--seed", "2", "--points", "points.toml", "--out"];
    let table = |out: &str| folder.read(&format!("{out}/grades.csv"));
    grade(&folder, CLASS_PLAYER, &format!("{} whole", args.join(" ")));
    for kill in 0..10 {
        let mut command = Command::new(PROGRAM);
        command.current_dir(folder.path(""));
        command.args(["grade", "--visible", PROGRAM, "--player", CLASS_PLAYER]);
        command.args(args).arg("killed").stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = command.spawn().expect("the program");
        // Sooner or later: whatever it is at, what follows holds.
        thread::sleep(Duration::from_millis(100 + 150 * kill));
        running.kill().expect("a kill");
        running.wait().expect("an end");
    }
    grade(&folder, CLASS_PLAYER, &format!("{} killed", args.join(" ")));
    assert_eq!(table("killed"), table("whole"));
    for name in ["ann", "bob", "fay"] {
        let file = |out: &str| folder.read(&format!("{out}/{name}/results.txt"));
        assert_eq!(file("killed"), file("whole"), "{name}");
        let history = folder.path(&format!("killed/history/{name}"));
        assert_eq!(fs::read_dir(history).expect("a folder").count(), 1, "{name}");
    }
}

#[test]
fn lateness_and_students_are_in_the_tables() {
    let folder = TestFolder::new();
    submit_ours(&folder, "ann");
    submit(&folder, "=bob", "exit 1");
    count_only(&folder, &CHECKS[..3]);
    folder.write(
        "roster.csv",
        "submission,name,id,sis_id,login,section,email,submitted\n\
        ann,\"=HYPERLINK(\"\"x\"\")\",12,s12,alee,001,ann@school.edu,2026-11-21T02:30:00Z\n",
    );
    let args = "--class subs --out grades --points points.toml --roster roster.csv --seed 2 \
        --deadline 2026-11-21T00:00:00Z --title Homework";
    // Bob's time is that of the file.
    let bob = File::options().write(true).open(folder.path("subs/=bob/player")).expect("a file");
    let early = std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    bob.set_modified(early).expect("a time");
    drop(bob);
    let text = grade(&folder, CLASS_PLAYER, args);
    assert!(text.contains("(2h 30m late)"), "{text}");
    let csv = folder.read("grades/grades.csv");
    assert!(csv.contains("\nann,8,8,2026-11-21T02:30:00Z,2h 30m,3,4,1\n"), "{csv}");
    assert!(csv.contains("\n'=bob,0,8,2023-11-14T22:13:20Z,,0,0,0\n"), "{csv}");
    let canvas = folder.read("grades/canvas.csv");
    assert!(canvas.starts_with(
        "Student,ID,SIS User ID,SIS Login ID,Section,Homework\n    Points Possible,,,,,8\n"
    ));
    assert!(canvas.contains("\n\"'=HYPERLINK(\"\"x\"\")\",12,s12,alee,001,8\n"), "{canvas}");
    let moodle = folder.read("grades/moodle.csv");
    assert!(moodle.contains("\nann@school.edu,12,"), "{moodle}");
    assert!(folder.read("grades/class.html").contains("2h 30m"));
}
