//! The launcher that a person starts as an installed program: it becomes the build of the program that suits
//! the processor.
//!
//! A package has this file under the name of every program, as `bin/maxconnect4` and so on, and one build of
//! all programs for each level of instructions, as `lib/plyground/x86-64-v3/plyground` and so on. The folder
//! `lib` is beside `bin`, or beside the file itself. A build acts as the program by whose name it is started.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use plyground_launcher::{BUILD, BUILDS, Level, levels};

fn main() -> ExitCode {
    let fault = match env::current_exe() {
        Ok(own) => match build(&own, &levels()) {
            Ok(build) => return become_build(&build, own.file_stem().unwrap_or_default()),
            Err(fault) => fault,
        },
        Err(error) => format!("cannot find the folder of this program: {error}"),
    };
    fail(&fault)
}

/// Returns the best existing build that the processor can run.
fn build(own: &Path, levels: &[Level]) -> Result<PathBuf, String> {
    let root = own.ancestors().skip(1).take(2).find(|root| root.join(BUILDS).is_dir());
    let folder = root.or(own.parent()).unwrap_or(Path::new("/")).join(BUILDS);
    let path = |level: &Level| {
        folder.join(level.name).join(BUILD).with_extension(env::consts::EXE_EXTENSION)
    };
    let mut there = levels.iter().filter(|level| path(level).is_file()).peekable();
    if there.peek().is_none() {
        let folder: PathBuf = folder.components().collect();
        return Err(format!(
            "expected the folder {}: unpack the whole archive, and leave this program in its place",
            folder.display()
        ));
    }
    let lowest = there.clone().last().map_or("", |level| level.name);
    there.find(|level| level.is_supported).map(path).ok_or_else(|| {
        format!(
            "this processor lacks instructions of {lowest}, which most since 2013 have: build the \
             programs on this computer, with Rust"
        )
    })
}

/// Runs a build under the name of a program, with the arguments of this process, in its place.
#[cfg(unix)]
fn become_build(build: &Path, name: &OsStr) -> ExitCode {
    use std::os::unix::process::CommandExt;
    let error = Command::new(build).arg0(name).args(env::args_os().skip(1)).exec();
    fail(&format!("{}: {error}", build.display()))
}

/// Runs a build with the arguments of this process, and ends with its exit code.
#[cfg(not(unix))]
fn become_build(build: &Path, name: &OsStr) -> ExitCode {
    let name = (name != BUILD).then_some(name);
    // Ctrl-C is for the build, which this process outlives. The error does not matter, because
    // without a console there is no Ctrl-C.
    let _ = ctrlc::set_handler(|| ());
    match Command::new(build).args(name).args(env::args_os().skip(1)).status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1).into(),
        Err(error) => fail(&format!("{}: {error}", build.display())),
    }
}

fn fail(fault: &str) -> ExitCode {
    eprintln!("error: {fault}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use std::{fs, io};

    use super::*;

    const NAMES: [&str; 3] = ["best", "good", "fair"];

    /// Returns the level that is chosen if the builds `there` exist and the levels `supported` are supported.
    fn chosen(there: &[&str], supported: &[&str]) -> io::Result<Result<String, String>> {
        let root = tempfile::tempdir()?;
        for name in there {
            let folder = root.path().join(BUILDS).join(name);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("{BUILD}{}", env::consts::EXE_SUFFIX)), "")?;
        }
        let levels = NAMES.map(|name| {
            let is_supported = supported.contains(&name);
            Level { name, flags: &[], is_supported }
        });
        let level = |build: PathBuf| {
            let name = build.parent().and_then(Path::file_name).unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        let found = build(&root.path().join("bin/network"), &levels).map(level);
        // A package of Windows has its commands beside that folder.
        let beside = build(&root.path().join("network"), &levels).map(level);
        assert_eq!(beside.ok(), found.clone().ok());
        Ok(found)
    }

    #[test]
    fn best_build_that_is_there_and_supported_is_chosen() -> io::Result<()> {
        assert_eq!(chosen(&NAMES, &NAMES)?, Ok("best".to_owned()));
        assert_eq!(chosen(&NAMES, &["good", "fair"])?, Ok("good".to_owned()));
        assert_eq!(chosen(&["best", "fair"], &["good", "fair"])?, Ok("fair".to_owned()));
        Ok(())
    }

    #[test]
    fn processor_that_is_too_old_is_told_what_it_lacks() -> io::Result<()> {
        let fault = chosen(&["best", "good"], &["fair"])?.unwrap_err();
        assert!(fault.contains("lacks instructions of good"), "{fault}");
        let fault = chosen(&[], &NAMES)?.unwrap_err();
        assert!(fault.contains("expected the folder"), "{fault}");
        Ok(())
    }

    #[test]
    fn levels_include_those_below() {
        let supported: Vec<bool> = levels().iter().map(|level| level.is_supported).collect();
        assert!(supported.is_sorted(), "{supported:?}");
        assert!(!supported.is_empty());
    }
}
