//! `maxconnect4 timing`, end to end: killed and resumed, refused, printed and drawn.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use plyground_durable::sealed_line::seal;

use super::{PROGRAM, TestFolder};

const HEADER: &str = "game,position,search,depth,runs,nodes,cpu_seconds_min,cpu_seconds_median,\
                      cpu_seconds_max,nodes_per_second,best_move,score,proven,checksum";
const EMPTY_BOARD: &str = "0000000/0000000/0000000/0000000/0000000/0000000/1";

/// No test waits longer, unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(120);

fn timing(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("timing").args(arguments).stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> io::Result<Output> {
    timing(arguments).output()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Starts a table that would take hours, and waits until the file has this many lines.
fn start_and_wait(csv: &Path, lines: usize) -> io::Result<Child> {
    start_and_wait_for(&mut timing(&[]), csv, lines)
}

/// The same by a command that still needs its arguments.
fn start_and_wait_for(command: &mut Command, csv: &Path, lines: usize) -> io::Result<Child> {
    let csv_word = csv.to_string_lossy();
    let arguments =
        ["--search", "minimax", "--runs", "1", "--max-cpu", "10h", "--csv", csv_word.as_ref()];
    let child = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if fs::read_to_string(csv).is_ok_and(|text| text.lines().count() >= lines) {
            return Ok(child);
        }
        thread::sleep(Duration::from_millis(2));
    }
    stop(child)?;
    Err(io::Error::new(io::ErrorKind::TimedOut, "the rows did not come"))
}

/// Kills a child the hard way (SIGKILL).
fn stop(mut child: Child) -> io::Result<()> {
    child.kill()?;
    child.wait().map(drop)
}

/// The rows that a killed run left, each line whole.
fn rows_left(csv: &Path) -> io::Result<Vec<String>> {
    let text = fs::read_to_string(csv)?;
    assert!(text.ends_with('\n'), "the last line is torn: {text}");
    let mut lines = text.lines().map(str::to_owned);
    assert_eq!(lines.next().as_deref(), Some(HEADER));
    let rows: Vec<_> = lines.collect();
    for (row, depth) in rows.iter().zip(1..) {
        let start = format!("maxconnect4,{EMPTY_BOARD},minimax,{depth},1,");
        assert!(row.starts_with(&start), "{row}");
        assert_eq!(row.split(',').count(), HEADER.split(',').count(), "{row}");
    }
    Ok(rows)
}

/// Resumes to one depth more than there are rows, and expects the old rows untouched.
fn resume(csv: &Path, rows: &[String]) -> io::Result<()> {
    let depths = format!("1..{}", rows.len() + 1);
    let csv_word = csv.to_string_lossy();
    let arguments =
        ["--search", "minimax", "--runs", "1", "--depths", &depths, "--csv", csv_word.as_ref()];
    let output = output(&arguments)?;
    assert!(output.status.success(), "{output:?}");
    let resumed = rows_left(csv)?;
    assert_eq!(resumed[..rows.len()], *rows);
    assert_eq!(resumed.len(), rows.len() + 1);
    Ok(())
}

#[test]
fn a_killed_run_resumes() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let csv = folder.path().join("table.csv");
    stop(start_and_wait(&csv, 6)?)?;
    let rows = rows_left(&csv)?;
    assert!(rows.len() >= 5);
    resume(&csv, &rows)
}

#[test]
fn a_torn_last_line_is_measured_again() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let csv = folder.path().join("table.csv");
    stop(start_and_wait(&csv, 4)?)?;
    let rows = rows_left(&csv)?;
    let (torn, whole) = rows.split_last().expect("the run has left rows");
    let half = &torn[..torn.len() / 2];
    fs::write(&csv, format!("{HEADER}\n{}\n{half}", whole.join("\n")))?;
    resume(&csv, whole)
}

/// Also if SIGINT was ignored when it was started, as in whatever a shell starts in the background.
#[cfg(unix)]
#[test]
fn an_interrupted_run_resumes() -> io::Result<()> {
    for signal in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir()?;
        let csv = folder.path().join("table.csv");
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' INT; exec \"$@\"", "sh", PROGRAM, "timing"]);
        let child = start_and_wait_for(shell.stdin(Stdio::null()), &csv, 4)?;
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status()?.success());
        let output = end_of(child)?;
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let rows = rows_left(&csv)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let next =
            format!("error: interrupted; the same command goes on with depth {}\n", rows.len() + 1);
        assert_eq!(said, next);
        resume(&csv, &rows)?;
    }
    Ok(())
}

/// Returns the output of a child that should end soon; kills it if it does not.
#[cfg(unix)]
fn end_of(mut child: Child) -> io::Result<Output> {
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            stop(child)?;
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the child did not end"));
        }
        thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output()
}

#[test]
fn a_file_of_something_else_is_refused() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let csv = folder.path().join("table.csv");
    let csv_word = csv.to_string_lossy();
    let other = "network,x/W,alphabeta,1,1,8,0.000001,0.000001,0.000001,1,34,0,false";
    let other = format!("{HEADER}\n{}\n", seal("runtime", other, ","));
    for text in ["my notes", "name,mark\nAda,1\n", &other] {
        fs::write(&csv, text)?;
        let output = output(&["--depths", "1", "--csv", &csv_word])?;
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains("table.csv: "), "{message}");
        assert_eq!(fs::read_to_string(&csv)?, text);
    }
    Ok(())
}

#[test]
fn rows_are_printed_as_csv_and_as_a_table() -> io::Result<()> {
    let piped = output(&["--depths", "1..3", "--runs", "2"])?;
    assert!(piped.status.success() && piped.stderr.is_empty(), "{piped:?}");
    let text = stdout(&piped);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), (HEADER, 4));
    assert!(lines[3].starts_with(&format!("maxconnect4,{EMPTY_BOARD},alphabeta,3,2,")), "{text}");

    let folder = tempfile::tempdir()?;
    let csv = folder.path().join("table.csv");
    let aligned = output(&["--max-cpu", "1ns", "--csv", &csv.to_string_lossy()])?;
    assert!(stdout(&aligned).ends_with("\ndepth 1 is the first over 1ns\n"), "{aligned:?}");
    assert_eq!(fs::read_to_string(&csv)?.lines().count(), 2, "the depth over the limit is there");
    Ok(())
}

#[test]
fn both_searches_are_in_one_picture() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let [csv, svg] = ["table.csv", "table.svg"].map(|name| folder.path().join(name));
    let [csv_word, svg_word] = [&csv, &svg].map(|path| path.to_string_lossy().into_owned());
    for (search, points) in [("minimax", 4), ("alphabeta", 8)] {
        let arguments =
            ["--depths", "..4", "--search", search, "--csv", &csv_word, "--plot", &svg_word];
        assert!(output(&arguments)?.status.success());
        let picture = fs::read_to_string(&svg)?;
        assert_eq!(picture.matches("<circle").count(), points);
        assert!(picture.contains(search));
    }
    Ok(())
}

#[test]
fn several_positions_have_tables_of_their_own() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let run = |words: &str| {
        let words = words.split(' ').chain(["--depths", "1", "--runs", "1", "--table", "1"]);
        timing(&words.collect::<Vec<_>>()).current_dir(folder.path()).output()
    };
    let board = |cell| format!("{}{cell}\n1\n", "0000000\n".repeat(5) + "000000");
    fs::write(folder.path().join("a.txt"), board("0"))?;
    fs::write(folder.path().join("b.txt"), board("1").replace("\n1\n", "\n2\n"))?;
    fs::create_dir(folder.path().join("x"))?;
    fs::write(folder.path().join("x/a.txt"), board("0"))?;
    let both = run("a.txt b.txt")?;
    assert!(both.status.success(), "{}", String::from_utf8_lossy(&both.stderr));
    let text = stdout(&both);
    assert_eq!(text.lines().filter(|line| *line == HEADER).count(), 1, "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(run("a.txt b.txt --csv {name}.csv --plot {name}.svg")?.status.success());
    for name in ["a.csv", "b.csv", "a.svg", "b.svg"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    let refusal = |words: &str| -> io::Result<String> {
        let output = run(words)?;
        assert_eq!(output.status.code(), Some(2), "{words}");
        Ok(String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (words, part) in [
        ("a.txt b.txt --csv t.csv", "--csv: expected {name} in the name"),
        ("a.txt b.txt --plot t.svg", "--plot: expected {name} in the name"),
        ("a.txt x/a.txt --csv {name}.csv", "x/a.txt: expected files of different names"),
        ("a.txt -", "-: expected a file, because there are several"),
        ("a.txt no.txt", "no.txt: "),
    ] {
        let said = refusal(words)?;
        assert!(said.contains(part) && said.lines().count() == 1, "{said}");
    }
    Ok(())
}

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
        ("--player machine:depth=3", "expected {depth} in the player"),
        ("--player robot:{depth}", "player `robot:{depth}`: expected human"),
    ] {
        folder.run(&format!("calibrate {args}")).failure(2, part);
    }
    let run = folder.run("calibrate --player machine:depth={depth} --csv no/t.csv");
    run.failure(1, "no/t.csv: cannot write");
}
