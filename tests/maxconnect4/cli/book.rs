//! Books: build, kill, resume, shard, merge, verify.

use std::fs;

use plyground_durable::sealed_line::seal;

use super::{Run, TestFolder};

#[test]
#[ignore = "long"]
fn a_whole_book_of_a_small_board() {
    let folder = TestFolder::new();
    let run = folder.run("book --size 4x4 build --plies 5 --out book.bin").success();
    assert!(run.stdout.ends_with(" positions in book.bin\n"), "{}", run.stdout);
    assert_eq!(folder.files(), ["book.bin"], "the journal is gone");
    let run = folder.run("book --size 4x4 verify book.bin --sample 50").success();
    assert!(run.stdout.contains("in order; 50 solved again"), "{}", run.stdout);
    folder.run("book verify book.bin").failure(1, "another start position");
}

#[test]
fn a_build_that_was_killed_goes_on() {
    let folder = TestFolder::new();
    let build = "book --size 4x4 build --plies 4 --out book.bin --jobs 2";
    folder.run("book --size 4x4 build --plies 4 --out whole.bin").success();
    // What a kill leaves: some whole lines, and one cut off. A wrong value in a line that is
    // there shows that it is not solved again.
    let key = key_of_the_start(&folder.path("whole.bin"));
    let work = format!("maxconnect4 {key:016x} 4 plies shard 1/1");
    let wrong = seal(&work, &format!("{key:016x} 700 12"), " ");
    folder.write("book.bin.journal", format!("{}\n{wrong}\n00000", seal("", &work, " ")));
    folder.run(build).warned("book.bin.journal: line 3 is cut off and not used; ");
    assert_eq!(folder.files(), ["book.bin", "whole.bin"]);
    let sizes =
        ["book.bin", "whole.bin"].map(|name| fs::metadata(folder.path(name)).map(|m| m.len()).ok());
    assert_eq!(sizes[0], sizes[1]);
    folder.run("book --size 4x4 verify book.bin").failure(1, "the value is +7.00, but");
    folder.run("book merge whole.bin book.bin --out both.bin").failure(2, "contradict each other");
}

fn key_of_the_start(book: &std::path::Path) -> u64 {
    let bytes = fs::read(book).expect("a book");
    u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes"))
}

#[test]
fn no_book_goes_beyond_the_end_of_the_game() {
    let folder = TestFolder::new();
    let run = folder.run("book --size 4x4 build --plies 17 --out book.bin");
    run.failure(2, "--plies 17: expected 16 at most, because no game is longer");
    assert!(folder.files().is_empty());
}

#[test]
fn the_journal_of_another_build_is_refused() {
    let folder = TestFolder::new();
    folder.write("book.bin.journal", "another build\n");
    let run = folder.run("book --size 4x4 build --plies 2 --out book.bin");
    run.failure(2, "line 1 of the journal is of other work: expected ");
}

#[test]
#[ignore = "long"]
fn values_of_all_positions_take_a_byte_each() {
    let folder = TestFolder::new();
    let build = "book --size 4x4 build --values --plies 5";
    folder.run(&format!("{build} --out values.bin")).success();
    folder.run("book --size 4x4 build --plies 5 --out whole.bin").success();
    let said =
        |name| folder.run(&format!("book --size 4x4 verify {name} --sample 30")).success().stdout;
    let [values, whole] = ["values.bin", "whole.bin"].map(said);
    assert_eq!(
        values.replace("values.bin", "whole.bin"),
        whole.replace(" positions,", " positions, all up to ply 5 among them,")
    );
    let sizes = ["values.bin", "whole.bin"]
        .map(|name| fs::metadata(folder.path(name)).expect("a book").len());
    assert!(sizes[0] * 10 < sizes[1], "{sizes:?}");
    // In shares, it is the same file.
    for shard in 1..=2 {
        folder.run(&format!("{build} --out part{shard}.bin --shard {shard}/2")).success();
    }
    let merge = "merge part1.bin part2.bin --out merged.bin";
    folder.run(&format!("book {merge}")).success();
    assert_ne!(bytes(&folder, "merged.bin"), bytes(&folder, "values.bin"), "for another board");
    folder.run(&format!("book --size 4x4 {merge}")).success();
    assert_eq!(bytes(&folder, "merged.bin"), bytes(&folder, "values.bin"));
    folder.run(&format!("{build} --repertoire --out other.bin")).failure(2, "cannot be used with");
}

#[test]
fn a_build_of_values_that_was_killed_goes_on() {
    let folder = TestFolder::new();
    let build = "book --size 4x4 build --values --plies 4 --out book.bin";
    folder.run("book --size 4x4 build --values --plies 4 --out whole.bin").success();
    let key = key_of_the_start(&folder.path("whole.bin"));
    let work = format!("maxconnect4 {key:016x} 4 plies values shard 1/1");
    // The values of all positions are in a share of the whole, and in a journal that ends in the middle.
    folder.run(&build.replace("book.bin", "part.bin --shard 1/2")).success();
    let title = seal("", &work, " ");
    let known: Vec<String> = values(&folder, "part.bin")
        .iter()
        .map(|entry| {
            let key = u64::from_le_bytes(entry[..8].try_into().expect("eight bytes"));
            let value = i16::from_le_bytes(entry[8..10].try_into().expect("two bytes"));
            seal(&work, &format!("{key:016x} {value} -"), " ")
        })
        .collect();
    folder.write("book.bin.journal", format!("{title}\n{}\n0000", known.join("\n")));
    folder.run(build).warned("is cut off and not used; ");
    assert_eq!(bytes(&folder, "book.bin"), bytes(&folder, "whole.bin"));
    // A wrong value in the journal is believed, so nothing in it is solved again.
    let wrong = seal(&work, &format!("{} 700 -", &known[0][..16]), " ");
    folder.write("book.bin.journal", format!("{title}\n{wrong}\n"));
    folder.run(build).warned("it was not closed");
    assert_ne!(bytes(&folder, "book.bin"), bytes(&folder, "whole.bin"));
    folder.run("book merge whole.bin book.bin --out both.bin").failure(2, "contradict each other");
}

#[test]
fn perfect_play_goes_by_the_values_of_all_moves() {
    let folder = TestFolder::new();
    folder.write("in.txt", "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n");
    folder.run("book build --from in.txt --values --plies 3 --out book.bin").success();
    folder.run("book verify book.bin --from in.txt --sample 9").success();
    for (options, said) in [
        ("perfect --book book.bin", "perfect: book, final value 0\n"),
        ("12 --book book.bin", "depth 12: book, final value 0\n"),
        ("perfect --no-book", "perfect: exact search, final value 0\n"),
    ] {
        let run = folder.run(&format!("one-move in.txt out.txt {options}"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), said), "{options}");
    }
    let exact =
        |options: &str| folder.run(&format!("analyze in.txt --exact {options}")).success().stdout;
    let values = |text: String| text.lines().filter(|it| it.contains("margin")).collect::<String>();
    assert_eq!(values(exact("--book book.bin")), values(exact("--no-book")));
}

#[test]
#[ignore = "long"]
fn shards_make_up_the_whole() {
    let folder = TestFolder::new();
    let build = "book --size 4x4 build --plies 5";
    folder.run(&format!("{build} --out whole.bin")).success();
    for shard in 1..=3 {
        folder.run(&format!("{build} --out part{shard}.bin --shard {shard}/3")).success();
    }
    folder.run("book merge part1.bin part2.bin part3.bin --out merged.bin").success();
    folder.run("book --size 4x4 verify merged.bin").success();
    let values = |name| values(&folder, name);
    assert_eq!(values("merged.bin"), values("whole.bin"));
}

fn bytes(folder: &TestFolder, name: &str) -> Vec<u8> {
    fs::read(folder.path(name)).expect("a book")
}

/// The keys and values of a book. Which of equal moves is best may depend on what was searched
/// before.
fn values(folder: &TestFolder, name: &str) -> Vec<Vec<u8>> {
    let bytes = fs::read(folder.path(name)).expect("a book");
    let entries = u32::from_le_bytes(bytes[24..28].try_into().expect("four bytes"));
    bytes[36..].chunks(12).take(entries as usize).map(|entry| entry[..10].to_vec()).collect()
}

#[test]
#[ignore = "long"]
fn a_repertoire_has_every_position_that_its_moves_lead_to() {
    let folder = TestFolder::new();
    folder.run("book --size 5x4 build --plies 5 --repertoire --out book.bin").success();
    folder.run("book --size 5x4 verify book.bin --sample 10").success();
    folder.run("book --size 5x4 build --plies 5 --out whole.bin").success();
    let sizes =
        ["book.bin", "whole.bin"].map(|name| fs::metadata(folder.path(name)).map(|m| m.len()).ok());
    assert!(sizes[0] < sizes[1], "{sizes:?}");
}

#[test]
fn a_book_from_a_late_position() {
    let folder = TestFolder::new();
    folder.write("in.txt", "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n");
    folder.run("book build --from in.txt --plies 3 --out book.bin").success();
    folder.run("book verify book.bin --from in.txt --sample 9").success();
}

#[test]
fn perfect_play_goes_by_the_book() {
    let folder = TestFolder::new();
    folder.write("in.txt", "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n");
    folder.run("book build --from in.txt --plies 1 --out book.bin").success();
    for (options, source) in [
        ("--book book.bin", "perfect: book, final value 0\n"),
        ("--book book.bin --time 1ms", "perfect: book, final value 0\n"),
        ("", "perfect: exact search, final value 0\n"),
        ("--no-book", "perfect: exact search, final value 0\n"),
    ] {
        let run = folder.run(&format!("one-move in.txt out.txt perfect {options}"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), source), "{options}");
    }
    folder.write("bad.bin", "nonsense");
    folder.run("one-move in.txt bad.txt perfect --book bad.bin").failure(2, "not a book");
    assert_eq!(folder.files(), ["bad.bin", "book.bin", "in.txt", "out.txt"]);
}

#[test]
fn damaged_books_are_refused() {
    let folder = TestFolder::new();
    folder.run("book --size 4x4 build --plies 2 --out book.bin").success();
    let bytes = fs::read(folder.path("book.bin")).expect("a book");
    let refused = |bytes: &[u8], why: &str| {
        folder.write("bad.bin", bytes);
        Run::failure(folder.run("book --size 4x4 verify bad.bin"), 2, why);
        folder.run("book merge bad.bin --out other.bin").failure(2, why);
    };
    let mut damaged = bytes.clone();
    damaged[40] ^= 4;
    refused(&damaged, "the book is damaged");
    refused(&bytes[..bytes.len() - 1], "the book is cut off");
    refused(b"", "not a book");
    refused(b"plybook2 and more", "the book is cut off");
    refused(
        b"plybook1 and more",
        "a book of another version: expected `plybook2` at its beginning",
    );
    folder.run("book merge none.bin --out other.bin").failure(2, "none.bin: ");
    #[cfg(unix)]
    folder.run("book verify /dev/zero").failure(2, "not a book");
}

/// A run of the program that is killed as soon as its journal has an entry.
#[cfg(unix)]
#[test]
fn a_real_kill_loses_only_what_is_in_work() {
    use std::process::{Command, Stdio};

    let folder = TestFolder::new();
    let args = ["book", "--size", "5x5", "build", "--plies", "2", "--out", "book.bin"];
    let mut build = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
        .current_dir(folder.path("."))
        .args(args)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program");
    let journal = folder.path("book.bin.journal");
    let entries = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    // The first line says what build it is.
    while entries() < 3 && build.try_wait().expect("the program").is_none() {
        std::thread::yield_now();
    }
    build.kill().expect("it can be killed");
    build.wait().expect("the program");
    assert_eq!(folder.files(), ["book.bin.journal"], "killed before the end");
    let kept = folder.read("book.bin.journal");
    let run = Run::of(&mut folder.command(args)).warned("it was not closed");
    assert_eq!(folder.files(), ["book.bin"]);
    assert!(run.stdout.ends_with(" positions in book.bin\n"), "{}", run.stdout);
    let book = values(&folder, "book.bin");
    for line in kept.lines().skip(1).take(2) {
        let key = u64::from_str_radix(&line[..16], 16).expect("a key");
        assert!(book.iter().any(|entry| entry[..8] == key.to_le_bytes()), "{line}");
    }
    folder.run("book --size 5x5 verify book.bin --sample 20").success();
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_says_how_to_go_on() {
    assert_eq!(interrupted(&[]).files(), ["book.bin.journal"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_may_leave_a_book() {
    let folder = interrupted(&["--partial"]);
    assert_eq!(folder.files(), ["book.bin", "book.bin.journal"]);
    let run = folder.run("book --size 8x8 verify book.bin").success();
    assert_eq!(run.stdout, "book.bin: 0 positions, in order; 0 solved again\n");
}

/// The folder of a build that was interrupted before it had solved a position.
#[cfg(unix)]
fn interrupted(partial: &[&str]) -> TestFolder {
    use std::process::{Command, Stdio};

    let folder = TestFolder::new();
    let build = Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
        .current_dir(folder.path("."))
        .args(["book", "--size", "8x8", "build", "--plies", "3", "--out", "book.bin"])
        .args(partial)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    // Once there is a first line in the journal, an interruption is listened for, or soon after.
    let journal = folder.path("book.bin.journal");
    while fs::read_to_string(&journal).map_or(0, |text| text.len()) == 0 {
        std::thread::yield_now();
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    let pid = build.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let output = build.wait_with_output().expect("the program");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let said = "error: interrupted; 0 positions are in book.bin.journal; the same command goes on";
    assert!(stderr.starts_with(said), "{stderr}");
    folder
}

#[test]
fn a_base_is_not_solved_again() {
    let folder = TestFolder::new();
    let build = "book --size 4x4 build --repertoire";
    folder.run(&format!("{build} --plies 2 --out base.bin")).success();
    let go_on = format!("{build} --plies 4 --base base.bin --out book.bin");
    folder.run(&go_on).success();
    folder.run("book --size 4x4 verify book.bin --sample 30").success();
    let base = values(&folder, "base.bin");
    let book = values(&folder, "book.bin");
    assert!(base.len() < book.len() && base.iter().all(|entry| book.contains(entry)));
    folder
        .run("book --size 5x4 build --plies 2 --base base.bin --out other.bin")
        .failure(2, "base.bin: the book is for another start position");
}

#[test]
fn rounds_of_shards_make_up_a_repertoire() {
    let folder = TestFolder::new();
    let build = "book --size 4x4 build --repertoire --plies 4";
    let run = folder.run(&format!("{build} --shard 2/2 --out second.bin")).success();
    assert!(run.stdout.contains("for other shards, with the positions"), "{}", run.stdout);
    let mut base = String::new();
    // Ply by ply, in each of which one side or the other is on move.
    for round in 0..5 {
        for shard in 1..=2 {
            let out = format!("part{shard}.bin");
            folder.run(&format!("{build} --shard {shard}/2 --out {out} {base}")).success();
        }
        folder.run(&format!("book merge part1.bin part2.bin --out round{round}.bin")).success();
        base = format!("--base round{round}.bin");
    }
    let run = folder.run(&format!("{build} {base} --out whole.bin")).success();
    assert!(!run.stdout.contains("other shards"), "{}", run.stdout);
    assert_eq!(values(&folder, "round4.bin"), values(&folder, "whole.bin"), "all was known");
    folder.run("book --size 4x4 verify whole.bin --sample 20").success();
}

#[test]
fn books_of_other_boards_are_refused_by_players() {
    let folder = TestFolder::new();
    folder.run("book --size 4x4 build --plies 1 --out small.bin").success();
    folder.write("in.txt", "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n");
    for args in [
        "one-move in.txt out.txt perfect --book small.bin",
        "one-move in.txt out.txt 42 --book small.bin",
        "interactive in.txt computer-next perfect --book small.bin",
        "analyze in.txt --exact --book small.bin",
        "play random machine:perfect --book small.bin",
    ] {
        folder.run(args).failure(2, "small.bin: the book is for another start position");
    }
    folder.run("book --size 5x4 verify").failure(2, "there is no book for this board; name one");
}

#[test]
fn a_depth_that_reaches_the_end_goes_by_the_book() {
    let folder = TestFolder::new();
    let start = "0000000\n".repeat(6) + "1\n";
    folder.write("in.txt", &start);
    let said = "depth 42: book, final value 0\n";
    let run = folder.run("one-move in.txt out.txt 42");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), said));
    let run = folder.run_with("interactive in.txt computer-next 42", "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), said));
    assert_eq!(folder.run("one-move in.txt out.txt 42 --quiet").success().stderr, "");
    // Not by the book: a lesser depth, or a position that it does not have.
    folder.run("one-move in.txt out.txt 5").success();
    folder.write("late.txt", "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n");
    folder.run("one-move late.txt out.txt 42").success();
    // With a book of the late position, and without.
    folder.run("book build --from late.txt --plies 0 --out late.bin").success();
    let run = folder.run("one-move late.txt out.txt 12 --book late.bin");
    assert_eq!(run.stderr, "depth 12: book, final value 0\n");
    folder.run("one-move late.txt out.txt 11 --book late.bin").success();
    folder.run("one-move late.txt out.txt 12 --no-book").success();
    let run = folder.run("one-move in.txt out.txt perfect");
    assert_eq!(run.stderr, "perfect: book, final value 0\n");
    let run = folder.run_with("play -q machine:depth=42 human", "").success();
    assert!(run.stdout.contains("move 1: Player 1, column 4  (0.00, depth 42)"), "{}", run.stdout);
}

#[test]
#[ignore = "long"]
fn perfect_players_begin_by_the_book() {
    let folder = TestFolder::new();
    let run = folder.run_with("play -q machine:perfect human", "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "perfect: book, final value 0\n"));
    assert!(run.stdout.contains("move 1: Player 1, column 4  (0.00)\n"), "{}", run.stdout);
    for (column, value) in [(1, 1), (2, 1), (3, 0), (4, 0), (5, 0), (6, 1), (7, 1)] {
        let run = folder.run_with("play -q human machine:perfect", &format!("{column}\n"));
        let said = format!("perfect: book, final value {value}\n");
        assert_eq!((run.code, run.stderr), (Some(0), said), "{column}");
    }
}

#[test]
#[ignore = "long"]
fn the_book_of_the_program_is_in_order() {
    let run = TestFolder::new().run("book verify --sample 0").success();
    assert!(run.stdout.starts_with("the program's own book: "), "{}", run.stdout);
}
