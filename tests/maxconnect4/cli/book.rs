//! Books: build, kill, resume, shard, merge, verify.

use std::fs;

use crate::support::{Run, Sandbox};

#[test]
fn a_whole_book_of_a_small_board() {
    let sandbox = Sandbox::new();
    let run = sandbox.run("book --size 4x4 build --plies 5 --out book.bin").success();
    assert!(run.stdout.ends_with(" positions in book.bin\n"), "{}", run.stdout);
    assert_eq!(sandbox.files(), ["book.bin"], "the journal is gone");
    let run = sandbox.run("book --size 4x4 verify book.bin --sample 50").success();
    assert!(run.stdout.contains("in order; 50 solved again"), "{}", run.stdout);
    sandbox.run("book verify book.bin").failure(1, "another start position");
}

#[test]
fn a_build_that_was_killed_goes_on() {
    let sandbox = Sandbox::new();
    let build = "book --size 4x4 build --plies 4 --out book.bin --threads 2";
    sandbox.run("book --size 4x4 build --plies 4 --out whole.bin").success();
    // What a kill leaves: some whole lines, and one cut off. A wrong value in a line that is
    // there shows that it is not solved again.
    let key = key_of_the_start(&sandbox.path("whole.bin"));
    let line = format!("maxconnect4 {key:016x} 4 plies shard 1/1\n{key:016x} 700 12\n00000");
    sandbox.write("book.bin.journal", line);
    sandbox.run(build).success();
    assert_eq!(sandbox.files(), ["book.bin", "whole.bin"]);
    let sizes = ["book.bin", "whole.bin"]
        .map(|name| fs::metadata(sandbox.path(name)).map(|m| m.len()).ok());
    assert_eq!(sizes[0], sizes[1]);
    sandbox.run("book --size 4x4 verify book.bin").failure(1, "the value is +7.00, but");
    sandbox.run("book merge whole.bin book.bin --out both.bin").failure(2, "contradict each other");
}

fn key_of_the_start(book: &std::path::Path) -> u64 {
    let bytes = fs::read(book).expect("a book");
    u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes"))
}

#[test]
fn the_journal_of_another_build_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("book.bin.journal", "another build\n");
    let run = sandbox.run("book --size 4x4 build --plies 2 --out book.bin");
    run.failure(2, "the journal is of another build, `another build`");
}

#[test]
fn shards_make_up_the_whole() {
    let sandbox = Sandbox::new();
    let build = "book --size 4x4 build --plies 5";
    sandbox.run(&format!("{build} --out whole.bin")).success();
    for shard in 1..=3 {
        sandbox.run(&format!("{build} --out part{shard}.bin --shard {shard}/3")).success();
    }
    sandbox.run("book merge part1.bin part2.bin part3.bin --out merged.bin").success();
    sandbox.run("book --size 4x4 verify merged.bin").success();
    let values = |name| values(&sandbox, name);
    assert_eq!(values("merged.bin"), values("whole.bin"));
}

/// The keys and values of a book. Which of equal moves is best may depend on what was searched
/// before.
fn values(sandbox: &Sandbox, name: &str) -> Vec<Vec<u8>> {
    let bytes = fs::read(sandbox.path(name)).expect("a book");
    bytes[24..].chunks(12).map(|entry| entry[..10].to_vec()).collect()
}

#[test]
fn a_repertoire_has_every_position_that_its_moves_lead_to() {
    let sandbox = Sandbox::new();
    sandbox.run("book --size 5x4 build --plies 6 --repertoire --out book.bin").success();
    sandbox.run("book --size 5x4 verify book.bin --sample 10").success();
    sandbox.run("book --size 5x4 build --plies 6 --out whole.bin").success();
    let sizes = ["book.bin", "whole.bin"]
        .map(|name| fs::metadata(sandbox.path(name)).map(|m| m.len()).ok());
    assert!(sizes[0] < sizes[1], "{sizes:?}");
}

#[test]
fn a_book_from_a_late_position() {
    let sandbox = Sandbox::new();
    sandbox.write("in.txt", "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n");
    sandbox.run("book build --from in.txt --plies 3 --out book.bin").success();
    sandbox.run("book verify book.bin --from in.txt --sample 9").success();
}

#[test]
fn perfect_play_goes_by_the_book() {
    let sandbox = Sandbox::new();
    sandbox.write("in.txt", "0022100\n1021100\n1222200\n1111102\n2222202\n1111102\n1\n");
    sandbox.run("book build --from in.txt --plies 1 --out book.bin").success();
    for (options, source) in [
        ("--book book.bin", "perfect: book, final value 0\n"),
        ("--book book.bin --time 1ms", "perfect: book, final value 0\n"),
        ("", "perfect: exact search, final value 0\n"),
        ("--no-book", "perfect: exact search, final value 0\n"),
    ] {
        let run = sandbox.run(&format!("one-move in.txt out.txt perfect {options}"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), source), "{options}");
    }
    sandbox.write("bad.bin", "nonsense");
    sandbox.run("one-move in.txt bad.txt perfect --book bad.bin").failure(2, "not a book");
    assert_eq!(sandbox.files(), ["bad.bin", "book.bin", "in.txt", "out.txt"]);
}

#[test]
fn damaged_books_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.run("book --size 4x4 build --plies 2 --out book.bin").success();
    let bytes = fs::read(sandbox.path("book.bin")).expect("a book");
    let refused = |bytes: &[u8], why: &str| {
        sandbox.write("bad.bin", bytes);
        Run::failure(sandbox.run("book --size 4x4 verify bad.bin"), 2, why);
        sandbox.run("book merge bad.bin --out other.bin").failure(2, why);
    };
    let mut damaged = bytes.clone();
    damaged[40] ^= 4;
    refused(&damaged, "the book is damaged");
    refused(&bytes[..bytes.len() - 1], "the book is cut off");
    refused(b"", "not a book");
    refused(b"plybook2 and more", "not a book");
    sandbox.run("book merge none.bin --out other.bin").failure(2, "none.bin: ");
}
