//! Players do not lose by what the system refuses to the referee.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::keeper::{Game, Protocol, new_mark, strict};
use plyground_host::referee::Interrupted;
use plyground_sandbox::SandboxPolicy;

const ZOO: &str = env!("CARGO_BIN_EXE_zoo");
const PROTOCOLS: [Protocol; 2] = [Protocol::Line, Protocol::File];

/// A supervisor that is started by these commands of a shell.
fn supervised(folder: &Path, commands: &str) -> SandboxPolicy {
    let path = folder.join("supervisor");
    fs::write(&path, format!("#!/bin/sh\n{commands}\n")).expect("a script");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("permission");
    SandboxPolicy { supervisor: Some(path), hosts: Some(true), ..strict() }
}

/// Plays a game of an animal that plays well, and returns how it ends.
fn play(protocol: Protocol, policy: SandboxPolicy) -> Result<(), Interrupted> {
    let mark = new_mark();
    let words = [ZOO, "well", &mark].map(str::to_owned).to_vec();
    let game = Game::try_of(protocol, words, &mark, policy)?;
    assert_eq!(game.fault(), None);
    game.assert_nobody_left();
    Ok(())
}

/// One test, for a script is not started while another thread starts something: that might have
/// the file open for a moment.
#[test]
fn nobody_loses_by_what_is_not_their_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    without_a_supervisor_there_is_no_game(folder.path());
    who_plays_well_does_not_lose_for_want_of_files(folder.path());
}

fn without_a_supervisor_there_is_no_game(folder: &Path) {
    for protocol in PROTOCOLS {
        let nowhere = SandboxPolicy {
            supervisor: Some("/nowhere/at/all".into()),
            hosts: Some(true),
            ..strict()
        };
        for policy in [nowhere, supervised(folder, "exit 1")] {
            let result = play(protocol, policy);
            assert!(matches!(result, Err(Interrupted::System { .. })), "{protocol:?}: {result:?}");
        }
    }
}

/// However many files there may be opened, a program that can play is not the one that loses.
fn who_plays_well_does_not_lose_for_want_of_files(folder: &Path) {
    for protocol in PROTOCOLS {
        let results: Vec<_> = (3..100)
            .step_by(4)
            .map(|files| {
                let commands = format!("ulimit -n {files}\nexec '{ZOO}' \"$@\"");
                play(protocol, supervised(folder, &commands))
            })
            .collect();
        assert!(results[0].is_err(), "{results:?}");
        assert!(results[results.len() - 1].is_ok(), "{results:?}");
    }
}
