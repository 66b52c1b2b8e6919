//! The launcher in a folder like that of a package, with a shell in the place of the programs.

#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::process::Command;
use std::{fs, io};

/// The levels that the launcher must find whatever the processor is.
const LEVELS: [&str; 2] = ["x86-64-v2", std::env::consts::ARCH];

#[test]
fn build_has_name_arguments_and_exit_code() -> io::Result<()> {
    let root = tempfile::tempdir()?;
    let bin = root.path().join("bin");
    fs::create_dir(&bin)?;
    fs::copy(env!("CARGO_BIN_EXE_plyground-launcher"), bin.join("network"))?;
    // A link from elsewhere, by another name, finds the same.
    let link = root.path().join("n");
    symlink(bin.join("network"), &link)?;
    let run = |words: &[&str]| Command::new(&link).args(words).output();

    let output = run(&[])?;
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error: expected the folder"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");

    for level in LEVELS {
        let folder = root.path().join("lib/plyground").join(level);
        fs::create_dir_all(&folder)?;
        symlink("/bin/sh", folder.join("plyground"))?;
    }
    // A shell that is given no name has that by which it was started.
    let output = run(&["-c", "echo $0; exit 7"])?;
    assert_eq!(String::from_utf8_lossy(&output.stdout), "network\n");
    assert_eq!(output.status.code(), Some(7));
    let output = run(&["-c", "echo $0 $1", "with", "a  blank"])?;
    assert_eq!(String::from_utf8_lossy(&output.stdout), "with a blank\n");
    Ok(())
}
