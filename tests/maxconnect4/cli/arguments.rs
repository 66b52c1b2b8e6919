//! The arguments, and the help about them.

use crate::support::{Sandbox, TWELVE_PIECES};

#[test]
fn bad_arguments_are_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("in.txt", TWELVE_PIECES);
    for (args, reason) in [
        ("one-move in.txt out.txt 0", "expected a whole number from 1 to 42"),
        ("one-move in.txt out.txt 43", "expected a whole number from 1 to 42"),
        ("one-move in.txt out.txt -3", "expected a whole number from 1 to 42"),
        ("one-move in.txt out.txt deep", "expected a whole number from 1 to 42"),
        ("one-move in.txt out.txt", "<DEPTH>"),
        ("one-move in.txt", "<OUT>"),
        ("one-move in.txt out.txt 3 4", "unexpected argument '4'"),
        ("one-move in.txt out.txt 3 --time 1s", "cannot be used with"),
        ("one-move in.txt out.txt --time soon", "expected a time like 1s"),
        ("one-move in.txt out.txt 3 --table huge", "invalid value 'huge'"),
        ("interactive in.txt nobody-next 3", "computer-next"),
        ("interactive - human-next 3", "interactive reads the moves from standard input"),
        ("analyze in.txt --depth 43", "expected a whole number from 1 to 42"),
        ("analyze in.txt --depth 3 --time 1s", "cannot be used with"),
        ("perft in.txt 43", "expected a whole number from 0 to 42"),
        ("perft", "<DEPTH>"),
        ("play java:subs/ann random", "maxconnect4 knows no Java classes"),
        ("play java: random", "after `java:`, expected a folder or a jar"),
        ("chess", "unrecognized subcommand 'chess'"),
        ("", "Usage: maxconnect4 <COMMAND>"),
    ] {
        let run = sandbox.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args}");
        assert!(run.stderr.contains(reason), "`{args}` says {}", run.stderr);
    }
    assert_eq!(sandbox.files(), ["in.txt"]);
}

#[test]
fn every_command_has_examples() {
    let sandbox = Sandbox::new();
    for command in
        ["one-move", "interactive", "play", "replay", "analyze", "perft", "bench", "solve", "book"]
    {
        let help = sandbox.run(&format!("{command} --help")).success().stdout;
        assert!(help.contains(&format!("Examples:\n  maxconnect4 {command}")), "{help}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_the_system_refuses_is_a_failed_run() {
    let sandbox = Sandbox::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_maxconnect4"))
        .current_dir(sandbox.path("."))
        .args(["perft", "2"])
        .stdout(full)
        .output()
        .expect("the program");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.starts_with(b"error: "));
}
