//! Proofs that many processes share, and two processes that prove the same at the same time.

#[cfg(unix)]
use std::process::Command;
use std::{fs, thread};

#[cfg(unix)]
use super::PROGRAM;
use super::{TestFolder, accepted, without_figures};
#[cfg(unix)]
use crate::common::run::{Pipe, race};

/// After 03 34 73 45: White wins by its eighth chip.
const PROVEN: &str =
    "........\n........\n........\nW......W\n...B....\n....B...\n........\n........\nW\n";

/// Five chips of White, four of Black: the game is as good as decided.
const LATE: &str =
    "........\n..B.....\n........\nW..W...W\n...B....\n....BW..\n........\n...B....\nW\n";

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("in.txt", PROVEN);
    folder.write("late.txt", LATE);
    folder
}

/// A table of replies without the last column, the positions visited: each piece begins with an empty
/// table.
fn replies(text: &str) -> Vec<String> {
    let row = |line: &str| line.rsplit_once(',').map(|(row, _)| row.to_owned());
    text.lines().map(|line| row(line).expect("columns")).collect()
}

/// Returns what `openings` says without the last column of its table, the positions visited.
fn firsts(text: &str) -> Vec<String> {
    let cut = |line: &str| {
        let is_row = line.ends_with("Nodes") || line.contains(" of ") && line.starts_with(' ');
        let row = if is_row { line.rsplit_once(' ').map_or(line, |(row, _)| row) } else { line };
        row.trim_end().to_owned()
    };
    without_figures(text).lines().map(cut).collect()
}

#[test]
fn shared_proof_is_that_of_one_process() {
    let folder = folder();
    let solve = "solve in.txt --opening 22 --table 16";
    let plain = folder.run(&format!("{solve} --csv one.csv")).success();
    let shared = format!("{solve} --csv all.csv --strategy all.txt");
    folder.run(&format!("cluster slurm --dry-run --patience 5s {shared}")).success();
    let status = folder.run("cluster status all.txt.work --look 10ms").success().stdout;
    assert!(status.starts_with("0 of 33 pieces done, "), "{status}");
    let merge = folder.run("cluster merge all.txt.work");
    assert_eq!((merge.code, merge.stdout.as_str()), (Some(1), ""), "a part proves nothing");
    assert!(merge.stderr.contains("33 of 33 pieces are not done"), "{}", merge.stderr);
    thread::scope(|scope| {
        let all = [0; 3].map(|_| scope.spawn(|| folder.run("cluster work all.txt.work")));
        all.into_iter().for_each(|one| drop(one.join().expect("no panic").success()));
    });
    // A result that was damaged since is done again; until then there is no proof.
    let results = folder.path("all.txt.work/results");
    let piece = fs::read_dir(&results).expect("results").next().expect("one").expect("one").path();
    fs::write(&piece, "x").expect("a file");
    let merge = folder.run("cluster merge all.txt.work");
    assert_eq!((merge.code, merge.stdout.as_str()), (Some(1), ""));
    assert!(merge.stderr.contains("1 of 33 pieces are not done"), "{}", merge.stderr);
    let run = folder.run(&format!("cluster run --patience 5s {shared}")).success();
    assert!(run.stdout.starts_with(&without_figures(&plain.stdout)), "{}", run.stdout);
    assert_eq!(replies(&folder.read("all.csv")), replies(&folder.read("one.csv")));
    assert_eq!(fs::read_dir(&results).expect("results").flatten().count(), 33 + 1);
    accepted(&folder, "all.txt");
    // Every distribution of the work gives the same: two pieces at a time here, in a new folder.
    let again =
        format!("cluster run --jobs 2 --work again {solve} --csv two.csv --strategy two.txt");
    folder.run(&again).success();
    assert_eq!(folder.read("two.csv"), folder.read("all.csv"));
    assert_eq!(folder.read("two.txt"), folder.read("all.txt"));
}

#[test]
fn shared_refutation_is_the_first() {
    let folder = folder();
    for (rules, opening) in [("berkeley", "52"), ("usf", "52")] {
        let solve = format!("--rules {rules} solve in.txt --opening {opening} --table 1 --csv");
        let plain = folder.run(&format!("{solve} one.csv")).success();
        assert!(plain.stdout.contains(" does not complete a network "), "{}", plain.stdout);
        let run = format!("cluster run --jobs 2 --work {rules} {solve} {rules}.csv");
        let shared = folder.run(&run).success();
        assert_eq!(without_figures(&shared.stdout), without_figures(&plain.stdout));
        assert_eq!(
            replies(&folder.read(&format!("{rules}.csv"))),
            replies(&folder.read("one.csv"))
        );
        // What comes after it is needless.
        let done = folder.run(&format!("cluster status {rules} --look 10ms")).success().stdout;
        assert!(done.starts_with("2 of 2 pieces done, "), "{done}");
    }
}

#[test]
fn least_chips_are_shared() {
    let folder = folder();
    let solve = "solve in.txt --opening 22 --least --chips 9 --table 1";
    let plain = folder.run(solve).success();
    let shared = folder.run(&format!("cluster run {solve}")).success();
    assert_eq!(without_figures(&shared.stdout), without_figures(&plain.stdout));
}

/// The first moves of a table of `openings`, and whether each wins.
fn verdicts(text: &str) -> Vec<(&str, bool)> {
    let rows = text.lines().filter(|line| line.contains(" of ") && line.starts_with(' '));
    rows.map(|row| (row[..6].trim(), !row.contains("not after"))).collect()
}

#[test]
fn shared_openings_are_those_of_one_process() {
    let folder = folder();
    for (number, (options, pieces)) in [
        ("--chips 8 --first 14", 1),
        ("--chips 8 --first 22,14 --replies", 4),
        ("--chips 9 --first 22,14,12 --least", 4),
    ]
    .into_iter()
    .enumerate()
    {
        let openings = format!("openings late.txt {options} --table 16 --csv");
        let plain = folder.run(&format!("{openings} one.csv")).success();
        let run = format!("cluster run --jobs 2 --work w{number} {openings} all.csv");
        let shared = folder.run(&run).success();
        assert_eq!(firsts(&shared.stdout), firsts(&plain.stdout));
        assert_eq!(folder.read("all.csv"), folder.read("one.csv"));
        let status = folder.run(&format!("cluster status w{number} --look 10ms")).success().stdout;
        assert!(status.starts_with(&format!("{pieces} of {pieces} pieces done, ")), "{status}");
        let merged = folder.run(&format!("cluster merge w{number}")).success();
        assert_eq!(merged.stdout, shared.stdout, "as often as one likes");
    }
    // By first moves: which reply refutes one may be another, for a process that has all of them tries
    // what has refuted others.
    let openings = "openings late.txt --chips 8 --table 16";
    let plain = folder.run(openings).success().stdout;
    let shared = folder.run(&format!("cluster run --jobs 2 {openings}")).success().stdout;
    assert_eq!(verdicts(&shared), verdicts(&plain));
    assert_eq!(verdicts(&plain).iter().filter(|(_, wins)| *wins).count(), 29);
    assert_eq!(shared.lines().next(), plain.lines().next());
}

#[test]
fn openings_that_are_not_done_are_open() {
    let folder = folder();
    let share = "cluster slurm --dry-run --work w openings late.txt --chips 8 --first 22,14";
    folder.run(share).success();
    let run = folder.run("cluster merge w");
    assert_eq!(run.code, Some(1), "{run:?}");
    let said = "White wins by chip 8 with 0 of 2 first moves, not with 0; 2 are open\n";
    assert!(run.stdout.starts_with(said), "{}", run.stdout);
    folder.run("cluster work w").success();
    let run = folder.run("cluster merge w").success();
    assert!(run.stdout.contains("\n 14     not after "), "{}", run.stdout);
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let folder = folder();
    for (command, part) in [
        ("solve in.txt --opening 22 --threads 2", "without --threads and --journal"),
        ("solve in.txt --opening 22 --journal j", "without --threads and --journal"),
        ("solve -", "expected solve of a file"),
        ("openings --journal j", "without --threads and --journal"),
        ("openings late.txt --first 30", "30"),
        (
            "cluster status x",
            "expected solve or openings, whose work can be shared, found `cluster`",
        ),
        ("match random random", "unrecognized subcommand 'match'"),
    ] {
        folder.run(&format!("cluster run {command}")).failure(2, part);
    }
    folder.run("cluster slurm --dry-run --work w solve in.txt --opening 22").success();
    let other = "cluster slurm --dry-run --work w solve in.txt --opening 25";
    folder.run(other).failure(2, "w: holds other work: line 2 ");
}

#[cfg(unix)]
const ROUNDS: usize = 20;

/// Runs a command with `--csv pipe` by two processes, the journal of which is in `journal`, and
/// compares with what it does undisturbed. The file `kept` is in the end as it was after that.
#[cfg(unix)]
fn together(args: &str, journal: &str, kept: &str) {
    let folder = TestFolder::new();
    folder.write("in.txt", LATE);
    let alone = folder.run(&format!("{args} --csv alone.csv")).success();
    let (rows, expected) = (folder.read("alone.csv"), folder.read(kept));
    let pipe = Pipe::new(folder.path("pipe"));
    let command = || {
        let mut command = Command::new(PROGRAM);
        command.current_dir(folder.path(".")).args(args.split(' ')).args(["--csv", "pipe"]);
        command
    };
    for _ in 0..ROUNDS {
        std::fs::remove_file(folder.path(kept)).expect("a file of the round before");
        let (race, pipe) = race(command, || pipe.open());
        race.assert_refused(journal);
        let stdout = String::from_utf8_lossy(&race.winner.stdout);
        assert_eq!(without_figures(&stdout), without_figures(&alone.stdout));
        assert_eq!(String::from_utf8_lossy(&pipe.written()), rows);
        assert_eq!(folder.read(kept), expected);
        assert_eq!(folder.files(), ["alone.csv", "in.txt", kept, "pipe"]);
    }
}

#[cfg(unix)]
#[test]
fn one_of_two_finds_out_about_openings() {
    let args = "openings in.txt --chips 7 --first 22 --journal journal --threads 1";
    together(args, "journal", "journal");
}

#[cfg(unix)]
#[test]
fn one_of_two_solves() {
    let args = "solve in.txt --opening 22 --least --journal journal --threads 1";
    together(args, "journal", "journal");
}

#[cfg(unix)]
#[test]
fn one_of_two_writes_the_strategy() {
    let args = "solve in.txt --opening 22 --strategy out.txt --threads 1";
    together(args, "out.txt.journal", "out.txt");
}
