//! Tests of the program `research` as people run it. This file has the tests of forced wins.

mod openings;

use std::fs;

use network::strategy_check::{CheckedStrategy, check};

use crate::common::{self, Tested, project};

/// The program that is run.
const PROGRAM: &str = env!("CARGO_BIN_EXE_research");

/// A folder to run the program in.
type TestFolder = common::TestFolder<Research>;

/// The program `research`.
struct Research;

impl Tested for Research {
    const PROGRAM: &str = PROGRAM;
}

/// Returns a file of `inputs/network`, as an argument.
fn input(name: &str) -> String {
    project().join("inputs/network").join(name).display().to_string()
}

/// Returns the output of `solve` or `openings` without the line about nodes and time.
fn without_figures(text: &str) -> String {
    text.lines().filter(|line| !line.contains("nodes, ")).map(|line| format!("{line}\n")).collect()
}

#[cfg(unix)]
mod pages {
    use std::io;
    use std::path::Path;

    use super::PROGRAM;
    use crate::common::check_examples;
    use crate::markdown;

    #[test]
    fn every_command_has_examples_that_can_be_copied() {
        assert!(check_examples(Path::new(PROGRAM)) > 10);
    }

    #[test]
    fn examples_of_page_print_what_it_shows() -> io::Result<()> {
        let pages = markdown::pages()?;
        let page = pages.iter().find(|page| page.path == "research/README.md");
        let page = page.expect("the page of this package");
        assert!(page.examples().len() > 3, "{}", page.text);
        let programs = Path::new(PROGRAM).parent().expect("a folder");
        let faults = markdown::check(page, programs)?;
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        Ok(())
    }
}

/// Checks the strategy in a file of the folder.
#[track_caller]
fn accepted(folder: &TestFolder, file: &str) -> CheckedStrategy {
    check(&folder.read(file)).unwrap_or_else(|gap| panic!("{file}: {gap}"))
}

/// The position after 03 34 73 45, in which White wins by its eighth chip.
const PROVEN: &str =
    "........\n........\n........\nW......W\n...B....\n....B...\n........\n........\nW\n";

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("in.txt", PROVEN);
    folder
}

#[test]
fn no_network_by_the_last_chip_after_ten_plies() {
    let folder = TestFolder::new();
    let run =
        folder.run(&format!("solve {} --chips 10 --strategy out.txt", input("ten-plies.txt")));
    let run = run.success();
    let said = "White does not complete a network by chip 10:\n";
    assert!(run.stdout.starts_with(said), "{}", run.stdout);
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}

#[test]
fn a_refutation_names_the_reply() {
    let run = folder().run("solve in.txt --opening 52").success();
    let expected = "\
        White does not complete a network by chip 8 after 52 20:\n\
        ..B.....\n........\n.....W..\nW......W\n...B....\n....B...\n........\n........\nW\n\
        1 of 33 replies were proven won before\n";
    assert_eq!(without_figures(&run.stdout), expected);
}

#[test]
fn a_strategy_is_written_and_accepted() {
    let folder = folder();
    let run = folder.run("solve in.txt --opening 22 --strategy out.txt --csv out.csv").success();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "White wins by chip 8 with 22: proven for 33 replies");
    let answers = lines[2].strip_prefix("out.txt: ").expect("a line about the strategy");
    assert_eq!(folder.files(), ["in.txt", "out.csv", "out.txt"]);
    let rows = folder.read("out.csv");
    assert!(rows.starts_with("moves,chip,nodes\n22 10,8,"), "{rows}");
    assert_eq!(rows.lines().count(), 34);
    assert_eq!(answers, format!("{} answers", accepted(&folder, "out.txt").answers));
    // By the rules of USF the same position is as good for the same color.
    let run = folder.run("--rules usf solve in.txt --opening 22 --strategy usf.txt").success();
    assert_eq!(run.stdout.lines().next(), Some(lines[0]));
    accepted(&folder, "usf.txt");
}

#[test]
fn threads_prove_the_same() {
    let folder = folder();
    let run = folder.run("solve in.txt --opening 25 --strategy out.txt --threads 3").success();
    assert!(run.stdout.starts_with("White wins by chip 8 with 25: proven for 34 replies\n"));
    accepted(&folder, "out.txt");
}

#[test]
fn the_least_chip_of_every_reply() {
    let run = folder().run("solve in.txt --opening 22 --least --chips 9").success();
    let (text, board) = run.stdout.split_once("\n\n").expect("a board");
    assert!(text.starts_with("Replies: 33\nWhite wins by chip "), "{text}");
    // Black's earlier chips are on the board after every reply, so their squares have the worst chip.
    assert!(board.starts_with("The chip that suffices when a reply is on the square:\n"));
    assert!(board.contains("\n  3  .  "), "{board}");
    assert!(!board.contains('?'), "{board}");
}

#[test]
fn work_that_was_cut_off_goes_on() {
    let folder = folder();
    let args = "solve in.txt --opening 22 --strategy out.txt --journal journal";
    let whole = folder.run(args).success();
    let journal = folder.read("journal");
    assert_eq!(journal.lines().count(), 35);
    // A kill leaves some whole lines, and a line that is cut off.
    let kept: Vec<&str> = journal.lines().take(20).collect();
    folder.write("journal", format!("{}\n19 8 4", kept.join("\n")));
    let rest = folder.run(args).warned("journal: line 21 is cut off and not used; ");
    // Without the earlier proofs, the run may find other answers.
    assert_eq!(rest.stdout.lines().next(), whole.stdout.lines().next());
    assert_eq!(folder.read("journal").lines().take(20).collect::<Vec<_>>(), kept);
    assert_eq!(folder.read("journal").lines().count(), 35);
    accepted(&folder, "out.txt");
    // Other work is not mixed with it, and damage is not believed.
    let other = args.replace("22", "25");
    folder.run(&other).failure(2, "line 1 of the journal is of other work");
    folder.write("journal", journal.replacen("\n0 8 ", "\n99 8 ", 1));
    folder.run(args).warned("journal: line 2 is damaged and not used");
}

#[cfg(unix)]
#[test]
fn a_real_kill_loses_only_what_is_in_work() {
    use std::process::{Command, Stdio};

    let folder = TestFolder::new();
    // Without `--opening`, the opening is the opening of the solution.
    let args = ["solve", "--strategy", "out.txt", "--table", "64"];
    let start = || {
        Command::new(PROGRAM)
            .current_dir(folder.path("."))
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program")
    };
    let journal = folder.path("out.txt.journal");
    let lines = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let wait_for = |count: usize| {
        while lines() < count {
            std::thread::yield_now();
        }
    };
    let mut first = start();
    wait_for(3);
    first.kill().expect("it can be killed");
    first.wait().expect("the program");
    let text = fs::read_to_string(&journal).expect("a journal");
    let kept = &text[..=text.rfind('\n').expect("a line")];
    let second = start();
    wait_for(kept.lines().count() + 2);
    let pid = second.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let output = second.wait_with_output().expect("the program");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    // The first line is the title, and the last line says that the run has ended.
    let known = lines() - 2;
    let said = format!(
        "warning: out.txt.journal: it was not closed, so the last results may be missing\n\
         error: interrupted; {known} of 576 replies are solved: they are in out.txt.journal, \
         and the same command goes on from there\n"
    );
    assert_eq!(stderr, said);
    assert!(folder.read("out.txt.journal").starts_with(kept));
    assert_eq!(folder.files(), ["out.txt.journal"]);
}

#[test]
fn chips_that_nobody_has_are_refused() {
    for chips in ["0", "11", "x"] {
        let run = TestFolder::new().run(&format!("solve --chips {chips}"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains("expected a whole number from 1 to 10"), "{run:?}");
    }
}

#[test]
fn second_moves_that_openings_found_make_a_strategy() {
    let folder = folder();
    folder.run("openings in.txt --first 22 --csv seconds.csv").success();
    let args = "solve in.txt --opening 22 --seconds seconds.csv --strategy out.txt";
    let run = folder.run(args).success();
    // There are more replies than without, because each reply to the first move has several replies to the
    // second.
    let count =
        run.stdout.strip_prefix("White wins by chip 8 with 22: proven for ").expect("a win");
    let count: usize = count.split(' ').next().and_then(|count| count.parse().ok()).expect("count");
    assert!(count > 300, "{}", run.stdout);
    accepted(&folder, "out.txt");
    // A reply that the table does not have is proven without a second move.
    let rows = folder.read("seconds.csv");
    let some: Vec<&str> = rows.lines().take(5).collect();
    folder.write("seconds.csv", some.join("\n"));
    folder.run(args).success();
    accepted(&folder, "out.txt");
}

#[test]
fn second_moves_that_cannot_be_played_are_refused() {
    let folder = folder();
    let header = "first,reply,chip,result,second,refuted_by\n";
    let args = "solve in.txt --opening 22 --seconds seconds.csv";
    for (rows, said) in [
        ("22,10,8,won,23,\n22,x,8,won,23,\n", "seconds.csv:3:4: expected a move, found `x`"),
        (
            "22,10,8,won,22,\n",
            "seconds.csv: move 22 of the opening cannot be played on in .B....../",
        ),
        ("32,10,8,won,23,\n", "seconds.csv: expected a second move after 22, found none"),
        ("22,10,9,won,23,\n", "seconds.csv: expected a second move after 22, found none"),
    ] {
        folder.write("seconds.csv", format!("{header}{rows}"));
        folder.run(args).failure(2, said);
    }
    let said = "--seconds: expected an opening of one move";
    folder.run("solve --opening 22,23 --seconds seconds.csv").failure(2, said);
    folder
        .run("solve --opening 22 --seconds none.csv")
        .failure(2, "none.csv: cannot read the table");
    assert_eq!(folder.files(), ["in.txt", "seconds.csv"]);
}

mod cluster {
    //! Proofs that many processes share, and two processes that prove the same at the same time.

    #[cfg(unix)]
    use std::process::Command;
    use std::{fs, thread};

    #[cfg(unix)]
    use super::PROGRAM;
    use super::openings::START as LATE;
    use super::{TestFolder, accepted, without_figures};
    #[cfg(unix)]
    use crate::common::{Pipe, race};

    /// Returns a folder with the two positions.
    fn folder() -> TestFolder {
        let folder = super::folder();
        folder.write("late.txt", LATE);
        folder
    }

    /// Returns a table of replies without the last column, the positions visited, because each piece begins
    /// with an empty table.
    fn replies(text: &str) -> Vec<String> {
        let row = |line: &str| line.rsplit_once(',').map(|(row, _)| row.to_owned());
        text.lines().map(|line| row(line).expect("columns")).collect()
    }

    /// Returns what `openings` says without the last column of its table, the positions visited.
    fn firsts(text: &str) -> Vec<String> {
        let cut = |line: &str| {
            let is_row = line.ends_with("Nodes") || line.contains(" of ") && line.starts_with(' ');
            let row =
                if is_row { line.rsplit_once(' ').map_or(line, |(row, _)| row) } else { line };
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
        let piece =
            fs::read_dir(&results).expect("results").next().expect("one").expect("one").path();
        fs::write(&piece, "x").expect("a file");
        let merge = folder.run("cluster merge all.txt.work");
        assert_eq!((merge.code, merge.stdout.as_str()), (Some(1), ""));
        assert!(merge.stderr.contains("1 of 33 pieces are not done"), "{}", merge.stderr);
        let run = folder.run(&format!("cluster run --patience 5s {shared}")).success();
        assert!(run.stdout.starts_with(&without_figures(&plain.stdout)), "{}", run.stdout);
        assert_eq!(replies(&folder.read("all.csv")), replies(&folder.read("one.csv")));
        assert_eq!(fs::read_dir(&results).expect("results").flatten().count(), 33 + 1);
        accepted(&folder, "all.txt");
        // Every distribution of the work gives the same results: two pieces at a time here, in a new folder.
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
            // The pieces after the refutation are not needed.
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

    /// Returns the first moves of a table of `openings`, each with true if it wins.
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
            let status =
                folder.run(&format!("cluster status w{number} --look 10ms")).success().stdout;
            assert!(status.starts_with(&format!("{pieces} of {pieces} pieces done, ")), "{status}");
            let merged = folder.run(&format!("cluster merge w{number}")).success();
            assert_eq!(merged.stdout, shared.stdout, "as often as one likes");
        }
        // By first moves, only the verdicts agree: a process that has all first moves tries the replies that
        // refuted others, so another reply may refute a first move.
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
                "expected solve or openings as the command to share, found `cluster`",
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

    /// Runs a command with `--csv pipe` in two processes with the same `journal`, and compares the result
    /// with an undisturbed run. In the end, the file `kept` is the same too.
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
}
