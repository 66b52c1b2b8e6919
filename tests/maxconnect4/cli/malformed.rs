//! Files that are no state files.
//!
//! Every file `malformed/NAME.txt` is refused with the message in `malformed/NAME.stderr`.

use std::fs;

use super::{TWELVE_PIECES, TestFolder, assert_golden, data};

/// The names of the malformed files, without their extension.
fn names() -> Vec<String> {
    let entries = fs::read_dir(data("malformed")).expect("the folder of malformed files");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".txt").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// Returns `true` if `message` is `error: FILE:LINE:COLUMN: expected ..., found ...` on one line.
fn is_well_formed(message: &str, file: &str) -> bool {
    let Some(rest) = message.strip_prefix(&format!("error: {file}:")) else { return false };
    let mut parts = rest.splitn(3, ':');
    let mut is_number =
        || parts.next().is_some_and(|part| part.parse::<usize>().is_ok_and(|n| n > 0));
    is_number()
        && is_number()
        && parts
            .next()
            .is_some_and(|text| text.starts_with(" expected ") && text.contains(", found "))
        && message.ends_with('\n')
        && message.lines().count() == 1
        && !message.trim_end().chars().any(char::is_control)
}

#[test]
fn every_file_is_refused_in_every_mode() {
    let names = names();
    assert!(names.len() >= 40, "only {} malformed files", names.len());
    for name in names {
        let file = format!("{name}.txt");
        let folder = TestFolder::new();
        fs::copy(data("malformed").join(&file), folder.path(&file)).expect("a copy");
        let modes = [
            format!("one-move {file} out.txt 3"),
            format!("interactive {file} computer-next 3"),
            format!("analyze {file} --depth 3"),
            format!("perft {file} 1"),
        ];
        for mode in modes {
            let run = folder.run(&mode);
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{mode}");
            assert_golden(&format!("malformed/{name}.stderr"), &run.stderr);
            assert!(is_well_formed(&run.stderr, &file), "{}", run.stderr);
            assert_eq!(folder.files(), [file.as_str()], "{mode}");
        }
    }
}

#[test]
fn an_existing_output_file_is_left_alone() {
    let folder = TestFolder::new();
    folder.write("in.txt", "nonsense");
    folder.write("out.txt", "precious");
    folder.run("one-move in.txt out.txt 3").failure(2, "in.txt:1:1: expected 0, 1 or 2, found `n`");
    assert_eq!(folder.read("out.txt"), "precious");
}

#[test]
fn missing_and_unreadable_files() {
    let folder = TestFolder::new();
    for mode in ["one-move none.txt out.txt 3", "analyze none.txt", "perft none.txt 3"] {
        folder.run(mode).failure(2, "none.txt: cannot read the state file: ");
    }
    fs::create_dir(folder.path("folder")).expect("a folder");
    for mode in ["one-move folder out.txt 3", "interactive folder human-next 3"] {
        folder.run(mode).failure(2, "folder: cannot read the state file: ");
    }
    assert_eq!(folder.files(), ["folder"]);
}

#[test]
fn endless_and_huge_files() {
    let folder = TestFolder::new();
    folder.write("huge.txt", TWELVE_PIECES.to_owned() + &"\n".repeat(1 << 20));
    folder
        .run("one-move huge.txt out.txt 3")
        .failure(2, "huge.txt: expected a state file, found more");
    #[cfg(unix)]
    folder.run("one-move /dev/zero out.txt 3").failure(2, "/dev/zero: expected a state file");
    assert_eq!(folder.files(), ["huge.txt"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = TestFolder::new();
    folder.write("in.txt", TWELVE_PIECES);
    fs::create_dir(folder.path("folder")).expect("a folder");
    for output in ["none/out.txt", "folder", "in.txt/out.txt"] {
        let run = folder.run(&format!("one-move in.txt {output} 3"));
        run.failure(1, &format!("{output}: cannot write the file: "));
    }
    assert_eq!(folder.files(), ["folder", "in.txt"]);
    assert_eq!(folder.read("in.txt"), TWELVE_PIECES);
}
