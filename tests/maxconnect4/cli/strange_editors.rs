//! Files as strange editors leave them, positions in place of files, and dialogues.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{AFTER_LAST_MOVE as AFTER, LAST_MOVE, PROGRAM, TWELVE_PIECES, TestFolder};

/// The text in UTF-16 after a byte order mark.
fn in_utf_16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(bytes_of).collect()
}

/// A state file in which an empty line comes before the player.
fn with_empty_line(state: &str) -> String {
    let (rows, player) = state.trim_end().rsplit_once('\n').expect("a player");
    format!("{rows}\n\n{player}\n")
}

#[test]
fn files_of_strange_editors_are_read_and_written_plainly() {
    let crlf = |state: &str, end: &str| state.replace('\n', end);
    let marked = format!("\u{feff}{LAST_MOVE}");
    let cases: [(&str, Vec<u8>, String); 9] = [
        ("CR CR LF", crlf(LAST_MOVE, "\r\r\n").into(), crlf(AFTER, "\r\n")),
        ("BOM", marked.into(), AFTER.to_owned()),
        ("UTF-16 LE", in_utf_16(LAST_MOVE, u16::to_le_bytes), AFTER.to_owned()),
        ("UTF-16 BE", in_utf_16(LAST_MOVE, u16::to_be_bytes), AFTER.to_owned()),
        ("Ctrl-Z", format!("{LAST_MOVE}\u{1a}").into(), AFTER.to_owned()),
        ("NUL", format!("{LAST_MOVE}\0\0\0").into(), AFTER.to_owned()),
        ("an empty line", with_empty_line(LAST_MOVE).into(), with_empty_line(AFTER)),
        ("empty lines at the end", format!("{LAST_MOVE}\n\n").into(), AFTER.to_owned()),
        ("one line", LAST_MOVE.trim_end().replace('\n', "/").into(), {
            AFTER.trim_end().replace('\n', "/")
        }),
    ];
    for (name, before, after) in cases {
        let folder = TestFolder::new();
        folder.write("\u{dc}bung 3 (Kopie).txt", before);
        let args = ["one-move", "\u{dc}bung 3 (Kopie).txt", "out.txt", "1"];
        super::Run::of(&mut folder.command(args)).success();
        assert_eq!(folder.read("out.txt"), after, "{name}");
    }
}

#[test]
fn missing_player_is_told_by_the_pieces() {
    let folder = TestFolder::new();
    let rows = TWELVE_PIECES.trim_end_matches("1\n");
    folder.write("twelve.txt", rows);
    let run = folder.run("one-move twelve.txt out.txt 1");
    let run =
        run.warned("twelve.txt: the next player is missing; by the pieces, Player 1 is to move");
    assert!(run.stdout.contains("move 13: Player 1"), "{}", run.stdout);
    let written = folder.read("out.txt");
    assert_eq!((written.lines().count(), written.ends_with("\n2\n")), (7, true), "{written}");
    // Player 1 has one piece more.
    folder.write("one.txt", "0000000\r\n".repeat(5) + "0001000");
    folder.run("one-move one.txt out.txt 1").warned("by the pieces, Player 2 is to move");
    assert!(folder.read("out.txt").ends_with("\r\n1"), "{:?}", folder.read("out.txt"));
}

#[test]
fn moves_and_lines_are_positions_where_no_file_has_their_name() {
    let folder = TestFolder::new();
    let line = "0000000/0000000/0000000/0000000/0002200/0001100/1";
    let board_of = |name: &str| {
        let text = folder.run(&format!("analyze {name} --depth 1")).success().stdout;
        text.lines().filter(|line| line.contains('|')).collect::<String>()
    };
    folder.write("file.txt", line.replace('/', "\n"));
    let of_file = board_of("file.txt");
    assert!(of_file.contains("| 0 0 0 2 2 0 0 |"), "{of_file}");
    for name in ["4455", "4,4,5,5", line] {
        assert_eq!(board_of(name), of_file, "{name}");
    }
    let full = "move 7, 4, is illegal: column 4 is full";
    let bad_row = "0000000/0000000/0000000/0000000/0000000/000x000/1";
    for (name, fault) in [
        ("4444444", format!("4444444: there is no such file, and as moves, {full}")),
        ("44x", "44x: cannot read the state file: ".to_owned()),
        ("1.txt", "1.txt: cannot read the state file: ".to_owned()),
        ("a/b.txt", "a/b.txt: cannot read the state file: ".to_owned()),
        (bad_row, format!("{bad_row}: 6:4: expected 0, 1 or 2, found `x`")),
    ] {
        folder.run(&format!("perft {name} 3")).failure(2, &fault);
    }
    folder.write("4455", TWELVE_PIECES);
    assert_ne!(board_of("4455"), of_file);
    folder.run("one-move 44 out.txt 1").failure(2, "44: cannot read the state file: ");
}

#[test]
fn dialogues_of_strange_editors_are_heard() {
    let folder = TestFolder::new();
    let said = "isready\nisready\nquit\n";
    let plain = folder.run_with("engine random", said).success().stdout;
    assert_eq!(plain, "readyok\nreadyok\n");
    let marked = format!("\u{feff}{}\u{1a}", said.replace('\n', "\r\r\n"));
    for said in
        [marked.into(), in_utf_16(said, u16::to_le_bytes), in_utf_16(said, u16::to_be_bytes)]
    {
        let run = super::Run::of(folder.command(["engine", "random"]).write_stdin(said));
        assert_eq!(run.success().stdout, plain);
    }
    let endless = "x".repeat(1 << 20);
    folder.run_with("engine random", &endless).failure(1, "expected lines of at most 65536 bytes");
}

#[test]
fn engine_hears_quit_and_the_end_while_it_thinks() {
    // A minute of thinking, and perfect play without a book, which never stops by itself so soon.
    for player in ["machine:time=60s", "machine:depth=42", "machine:perfect"] {
        for end in ["quit\n", ""] {
            let mut engine = Command::new(PROGRAM)
                .args(["engine", player, "--no-book", "--table", "1"])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .expect("the program");
            let mut input = engine.stdin.take().expect("a pipe");
            input.write_all(b"position startpos\ngo\n").expect("a listener");
            std::thread::sleep(Duration::from_millis(300));
            assert!(engine.try_wait().expect("a child").is_none(), "{player} thinks");
            let asked = Instant::now();
            input.write_all(end.as_bytes()).expect("a listener");
            // Only the end of the input is to be heard by one, and not by the other.
            let input = if end.is_empty() {
                drop(input);
                None
            } else {
                Some(input)
            };
            let status = engine.wait().expect("a child");
            assert!(status.success(), "{player}");
            // 50 ms on a machine with time for it.
            assert!(asked.elapsed() < Duration::from_secs(2), "{player}: {:?}", asked.elapsed());
            drop(input);
        }
    }
}

#[test]
fn moves_that_were_asked_for_before_quit_are_made() {
    let said = "position startpos\ngo depth 3\nposition startpos moves 4\ngo depth 2\nquit\n";
    let run = TestFolder::new().run_with("engine --no-book", said).success();
    let moves: Vec<_> = run.stdout.lines().collect();
    // The first is not the last thing that is asked, so that it has all its time.
    let [first, last] = moves[..] else { panic!("{moves:?}") };
    assert!(first.contains(" depth 3 ") && last.starts_with("bestmove "), "{moves:?}");
}

#[test]
fn player_of_a_depth_moves_in_time() {
    let mut engine = Command::new(PROGRAM)
        .args(["engine", "machine:depth=42", "--no-book", "--table", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut input = engine.stdin.take().expect("a pipe");
    input.write_all(b"position startpos\ngo wall 50\n").expect("a listener");
    std::thread::sleep(Duration::from_secs(1));
    drop(input);
    let output = engine.wait_with_output().expect("a child");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("bestmove "), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_told_of_the_target() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    // A process that may write no file at all finds the disk full.
    let script = format!("ulimit -f 0; trap '' XFSZ; exec '{PROGRAM}' one-move in.txt out.txt 1");
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path(".")).output();
    let output = output.expect("a shell");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.starts_with("error: out.txt: cannot write the file: "), "{stderr}");
    assert!(!stderr.contains(".tmp") && stderr.lines().count() == 1, "{stderr}");
    assert_eq!((output.status.code(), folder.files()), (Some(1), vec!["in.txt".to_owned()]));
}
