//! First moves, and the cost of the replies to them.

use std::collections::HashSet;

use super::{PROGRAM, TestFolder, input, without_figures};

/// A position with five chips of White and four of Black, which is nearly decided.
pub(super) const START: &str =
    "........\n..B.....\n........\nW..W...W\n...B....\n....BW..\n........\n...B....\nW\n";

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("in.txt", START);
    folder
}

#[test]
fn first_moves_that_win_and_those_that_are_refuted() {
    let run = folder().run("openings in.txt --chips 7 --first 32,22,12").success();
    let expected = "\
White wins by chip 7 with 2 of 3 first moves, not with 1

 First  By chip          Replies won         Nodes
 32     7                31 of 31                0
 22     not after 13     28 of 31                0
 12     7                0 of 0                  0

";
    assert_eq!(without_figures(&run.stdout), expected);
}

#[test]
fn the_least_chip_after_every_reply() {
    let folder = folder();
    let run = folder.run("openings in.txt --first 22 --least --csv out.csv").success();
    assert!(run.stdout.starts_with("White wins by chip 8 with 1 of 1 first moves, not with 0\n"));
    let (_, board) = run.stdout.split_once("\n\nThe chip").expect("a board");
    let expected = " that suffices after 22 and a reply on the square:
     0  1  2  3  4  5  6  7
  0  .  6  6  6  6  6  6  .
  1  .  6  .  6  6  6  6  .
  2  .  6  .  7  7  7  6  .
  3  .  8  .  .  .  8  6  .
  4  .  6  .  .  .  .  8  .
  5  .  6  .  .  .  .  6  .
  6  .  6  6  .  .  .  6  .
  7  .  6  6  .  6  6  6  .

";
    assert_eq!(without_figures(board), expected);
    let rows = folder.read("out.csv");
    assert!(rows.starts_with("first,reply,chip,result,second,refuted_by\n22,10,6,won,"), "{rows}");
    assert_eq!(rows.lines().count(), 32);
}

#[test]
fn refutations_are_written_with_the_replies() {
    let folder = folder();
    let args = "openings in.txt --first 22 --reply 13 --chips 7 --csv out.csv";
    let run = folder.run(args).success();
    assert!(run.stdout.contains("\n 22     not after 13     0 of 1 "), "{}", run.stdout);
    let rows = folder.read("out.csv");
    assert!(rows.lines().skip(1).all(|row| row.starts_with("22,13,7,not,")), "{rows}");
    assert!(rows.lines().count() > 20, "{rows}");
}

#[test]
fn work_that_was_cut_off_goes_on_with_any_question() {
    let folder = folder();
    let args = "openings in.txt --replies --journal journal";
    let whole = folder.run(args).success();
    let journal = folder.read("journal");
    let lines: Vec<&str> = journal.lines().collect();
    assert!(lines.len() > 20, "{journal}");
    // A kill leaves some whole lines, and a line that is cut off.
    let kept = lines[..lines.len() / 2].join("\n");
    folder.write("journal", format!("{kept}\n8 won 12"));
    let cut = lines.len() / 2 + 1;
    let rest = folder.run(args).warned(&format!("journal: line {cut} is cut off and not used; "));
    assert_eq!(values(&rest.stdout), values(&whole.stdout));
    let text = folder.read("journal");
    assert!(text.starts_with(&format!("{kept}\n")), "{text}");
    // Known facts are not found again, though they may lead to other work than before.
    let mut seen = HashSet::new();
    for line in text.lines().skip(1).filter(|line| !line.starts_with("closed ")) {
        let (line, _) = line.rsplit_once(' ').expect("a checksum");
        let (chip, found) = line.split_once(' ').expect("a chip");
        let moves: Vec<&str> = found.split(' ').skip(2).collect();
        assert!(seen.insert((chip, moves)), "{line}");
    }
    // All is known now.
    let again = folder.run(args).success();
    assert!(again.stdout.contains("\n0 nodes, "), "{}", again.stdout);
    folder.run("openings in.txt --first 22 --journal journal").success();
    // Another position is other work, and damage is not believed.
    folder
        .run("openings --first 22 --journal journal")
        .failure(2, "line 1 of the journal is of other");
}

#[test]
fn a_change_of_one_character_is_named_and_not_believed() {
    let folder = folder();
    let args = "openings in.txt --first 01,16,66 --replies --journal journal";
    let whole = folder.run(args).success();
    let journal = folder.read("journal");
    let lines: Vec<&str> = journal.lines().collect();
    assert!(lines.len() > 20, "{journal}");
    for (index, line) in lines.iter().enumerate() {
        // The change is in the word of the result, if the line has one.
        let at = line.find("won").or(line.find("not")).unwrap_or(0);
        let changed = format!("{}x{}", &line[..at], &line[at + 1..]);
        let mut changed_lines = lines.clone();
        changed_lines[index] = &changed;
        folder.write("journal", changed_lines.join("\n") + "\n");
        let said = format!("warning: journal: line {} is damaged and not used", index + 1);
        let run = folder.run(args).warned(&said);
        assert_eq!(values(&run.stdout), values(&whole.stdout), "{changed}");
    }
    // This change makes every position look won.
    folder.write("journal", journal.replace(" not ", " won "));
    let run = folder.run(args).warned("are damaged and not used");
    assert_eq!(values(&run.stdout), values(&whole.stdout));
}

/// Returns the lines about first moves, without the positions visited.
fn values(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.contains(" of "));
    lines.map(|line| line.chars().take(34).collect()).collect()
}

#[test]
fn a_refutation_that_is_known_is_not_looked_for_again() {
    let folder = folder();
    let args = "openings in.txt --first 22 --chips 7 --journal journal";
    folder.run(&format!("{args} --reply 13")).success();
    // Other replies look as good, but 13 settles the matter.
    let run = folder.run(args).success();
    assert!(run.stdout.contains("\n 22     not after 13 "), "{}", run.stdout);
    assert!(run.stdout.contains("\n0 nodes, "), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn an_interruption_says_what_is_settled() {
    use std::fs;
    use std::process::{Command, Stdio};

    let folder = TestFolder::new();
    let journal = folder.path("journal");
    let program = Command::new(PROGRAM)
        .current_dir(folder.path("."))
        .args(["openings", "--first", "03,33", "--journal", "journal", "--table", "64"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 2 {
        std::thread::yield_now();
    }
    let pid = program.id().to_string();
    // Twice at once, as `timeout` does it.
    assert!(Command::new("kill").args(["-INT", &pid, &pid]).status().expect("kill").success());
    let output = program.wait_with_output().expect("the program");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let said = "error: interrupted; 0 of 2 are settled: the results are in journal, and the same \
                command goes on\n";
    assert_eq!((output.status.code(), &*stderr), (Some(130), said));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let heading = "White wins by chip 8 with 0 of 2 first moves, not with 0; 2 are open\n";
    assert!(stdout.starts_with(heading), "{stdout}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_search() {
    let folder = folder();
    // No user can make files there, not even the administrator.
    for place in ["--csv /proc/rows.csv --journal journal", "--csv journal/rows.csv"] {
        let run = folder.run(&format!("openings in.txt --first 22 {place}"));
        assert_eq!(run.stdout, "");
        run.failure(1, "rows.csv: cannot write the file: ");
        assert_eq!(folder.files(), ["in.txt"], "nothing was begun");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_journal() {
    let run = folder().run("openings in.txt --first 22 --journal /dev/full");
    run.failure(1, "/dev/full: cannot use the journal: expected a file");
}

#[test]
fn a_first_move_that_is_none_is_refused() {
    folder().run("openings in.txt --first 03").failure(2, "03");
}

#[test]
fn replies_that_cannot_be_played_are_refused() {
    let folder = folder();
    let args = "openings in.txt --first 22";
    for (replies, said) in
        [("01", "01 is in a goal of White"), ("22,10", "there is a chip of White on 22")]
    {
        folder.run(&format!("{args} --reply {replies}")).failure(2, said);
    }
    // A reply that one of the first moves takes is played after the others.
    folder.run("openings in.txt --first 22,12 --chips 6 --reply 12").success();
}

#[test]
fn a_chip_that_is_on_the_board_is_no_question() {
    let folder = folder();
    let said = "--chips: expected a chip in hand of White, 5 to 10, found 4";
    for command in ["openings", "solve"] {
        folder.run(&format!("{command} in.txt --chips 4")).failure(2, said);
        let steps = input("steps.txt");
        folder.run(&format!("{command} {steps}")).failure(2, "has no chips in hand");
        let journal = format!("{command} in.txt --journal nowhere/journal");
        folder.run(&journal).failure(1, "nowhere/journal: cannot write the file");
    }
    assert_eq!(folder.files(), ["in.txt"]);
}
