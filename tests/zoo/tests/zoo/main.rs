//! Games against badly behaved players: every animal loses by its fault and leaves no process behind.
//! The attacks have a file of their own.

#![cfg(unix)]

#[cfg(target_os = "linux")]
mod attacks;
mod keeper;

use std::fs;
use std::net::TcpListener;
use std::process::Command;
use std::time::Duration;

use plyground::Game as _;
use plyground_host::Reason;
use plyground_sandbox::{ByteSize, ProcessLimits, SandboxLevel, SandboxPolicy};

use crate::keeper::{Game, LONG, Protocol, levels, marked, new_mark, strict, wait_until};

/// The time for a move of animals that do not answer.
const SHORT: Duration = Duration::from_secs(1);

/// Plays against the animal, and holds it to losing for this reason.
#[track_caller]
fn loses(protocol: Protocol, animal: &str, reason: &str) {
    // Whatever it does, it is the reason, and not the time.
    loses_with(strict(), protocol, animal, reason);
}

#[track_caller]
fn loses_with(policy: SandboxPolicy, protocol: Protocol, animal: &str, reason: &str) {
    let game = Game::treated(protocol, animal, &new_mark(), policy);
    let fault = game.fault().unwrap_or_else(|| panic!("{animal} should lose: {:?}", game.ending));
    assert!(fault.starts_with(reason), "{protocol:?} {animal}: expected {reason}, found {fault}");
    game.assert_nobody_left();
}

#[track_caller]
fn loses_either_way(animal: &str, reason: &str) {
    loses(Protocol::Line, animal, reason);
    loses(Protocol::File, animal, reason);
}

#[test]
fn who_does_not_answer_in_time() {
    for (animal, protocol) in [
        ("sleeps", Protocol::Line),
        ("sleeps", Protocol::File),
        ("stubborn", Protocol::Line),
        ("stubborn", Protocol::File),
        ("parent-of-stubborn", Protocol::Line),
        ("stops", Protocol::Line),
        ("stops", Protocol::File),
        ("detaches", Protocol::Line),
        ("detaches", Protocol::File),
        // Its silence is no fault, but then it does not end.
        ("closes-pipes", Protocol::File),
    ] {
        let limits = ProcessLimits { wall: Some(SHORT), ..strict().limits };
        loses_with(
            SandboxPolicy { limits, ..strict() },
            protocol,
            animal,
            "wall limit of 1s exceeded",
        );
    }
}

#[test]
fn who_computes_too_much() {
    loses_either_way("spins", "cpu limit of ");
    loses_either_way("works", "cpu limit of ");
    loses_either_way("works-secretly", "cpu limit of ");
}

#[test]
fn who_has_too_many_processes() {
    loses_either_way("forks", "crash, more than 8 processes");
    loses_either_way("breeds", "crash, more than 8 processes");
}

#[test]
fn who_prints_or_writes_too_much() {
    loses_either_way("floods", "output limit of ");
    loses_either_way("floods-lines", "output limit of ");
    loses_either_way("fills-file", "output limit of ");
    loses_either_way("fills-folder", "output limit of ");
    // The kernel goes up all folders for each new one, which takes more time than that of a move.
    let limits = ProcessLimits { cpu: None, wall: None, ..strict().limits };
    for protocol in [Protocol::Line, Protocol::File] {
        let patient = SandboxPolicy { limits: limits.clone(), ..strict() };
        loses_with(patient, protocol, "hides", "output limit of ");
    }
}

#[test]
fn who_occupies_too_much_memory() {
    loses_either_way("fills-memory", "memory limit of ");
    loses_either_way("fills-memory-together", "memory limit of ");
}

#[test]
fn who_ends() {
    loses_either_way("crashes", "crash, signal SIGABRT");
    loses_either_way("silent-with-code", "crash, exit code 3");
    loses(Protocol::Line, "silent", "quit");
    loses(Protocol::File, "silent", "no move, it wrote no output");
    loses(Protocol::Line, "leaves", "quit");
    loses(Protocol::File, "leaves", "no move, it wrote no output");
    loses(Protocol::Line, "resigns", "quit");
}

#[test]
fn who_does_not_play_by_the_rules() {
    loses_either_way("garbage", "illegal move, ");
    loses_either_way("illegal", "illegal move, ");
    loses_either_way("twice", "illegal move, ");
    loses(Protocol::Line, "early", "illegal move, `4` before it was asked");
}

#[test]
fn who_does_not_keep_to_their_files() {
    loses(Protocol::File, "edits-input", "no move, it wrote no output");
    loses(Protocol::File, "deletes-folder", "no move, it wrote no output");
    loses(Protocol::Line, "closes-pipes", "no move, it closed its output");
}

#[test]
fn whose_output_is_no_file() {
    for animal in ["pipe-as-output", "folder-as-output", "device-as-output"] {
        loses(Protocol::File, animal, "no move, it wrote no output");
    }
    let answer = tempfile::NamedTempFile::new().expect("a file");
    let after = maxconnect4::game().start().after("1".parse().expect("a column"));
    std::fs::write(&answer, after.state()).expect("the answer");
    let mark = answer.path().to_string_lossy().into_owned();
    let game = Game::treated(Protocol::File, "link-as-output", &mark, strict());
    assert_eq!(game.fault().as_deref(), Some("no move, it wrote no output"));
}

#[test]
fn whose_output_is_no_position() {
    loses(Protocol::File, "nuls-as-output", "no move, it wrote no output");
    loses(Protocol::File, "bytes-as-output", "illegal move, its output is no position");
    loses(Protocol::File, "huge-output", "output limit of ");
}

#[test]
fn who_complains_without_end() {
    let limits = ProcessLimits { wall: Some(SHORT), cpu: None, ..strict().limits };
    for protocol in [Protocol::Line, Protocol::File] {
        let policy = SandboxPolicy { limits: limits.clone(), ..strict() };
        loses_with(policy, protocol, "complains-forever", "wall limit of 1s exceeded");
    }
}

#[test]
fn who_begins_a_line_and_does_not_end_it() {
    // What it prints next is part of that line, and so is its move.
    let limits = ProcessLimits { wall: Some(SHORT), ..strict().limits };
    let policy = SandboxPolicy { limits, ..strict() };
    loses_with(policy, Protocol::Line, "floods-without-lines", "wall limit of 1s exceeded");
}

#[test]
fn there_is_no_such_program() {
    let game = Game::of(Protocol::Line, vec!["/nowhere/at/all".to_owned()], "/nowhere", strict());
    assert_eq!(
        game.fault().as_deref(),
        Some("crash, cannot be started: No such file or directory (os error 2)")
    );
}

const PROTOCOLS: [Protocol; 2] = [Protocol::Line, Protocol::File];

/// Plays against the animal, and holds it to playing on to the end.
#[track_caller]
fn plays_on(protocol: Protocol, animal: &str, policy: SandboxPolicy) -> Game {
    let game = Game::treated(protocol, animal, &new_mark(), policy);
    assert_eq!(game.ending.reason, Reason::Rules, "{protocol:?} {animal}");
    game.assert_nobody_left();
    game
}

#[test]
fn who_plays_well_plays_on() {
    for protocol in PROTOCOLS {
        let game = plays_on(protocol, "well", strict());
        assert_eq!(game.moves.len(), 42);
        assert_eq!(game.rejections, 0);
    }
}

/// More than half of the memory is occupied, and counts once.
#[test]
fn who_starts_others_is_not_charged_for_their_start() {
    for control_groups in [true, false] {
        plays_on(Protocol::Line, "employs", SandboxPolicy { control_groups, ..strict() });
    }
}

#[test]
fn who_waits_often_hides_nothing() {
    for control_groups in [true, false] {
        // Its waits take CPU time, and more on a busy computer.
        let limits = ProcessLimits { cpu: Some(LONG), ..strict().limits };
        let policy = SandboxPolicy { limits, control_groups, ..strict() };
        plays_on(Protocol::Line, "dozes", policy);
    }
}

#[test]
fn exit_codes_prints_and_processes_left_behind_do_not_matter() {
    plays_on(Protocol::File, "code-after-move", strict());
    plays_on(Protocol::Line, "garbles", strict());
    for protocol in PROTOCOLS {
        plays_on(
            protocol,
            "moves-and-leaves",
            SandboxPolicy {
                limits: ProcessLimits { processes: 64, ..strict().limits },
                ..strict()
            },
        );
    }
}

/// The output is read when all its processes are dead: it is one of the answers, and whole.
#[test]
fn output_is_not_read_while_it_changes() {
    plays_on(Protocol::File, "rewrites-output", strict());
}

#[test]
fn legal_moves_may_be_rejected() {
    let game = plays_on(Protocol::Line, "rejects", strict());
    assert_eq!(game.rejections, 21);
}

#[test]
fn standard_error_is_kept_as_far_as_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    for protocol in PROTOCOLS {
        let log = folder.path().join(format!("{protocol:?}"));
        plays_on(protocol, "complains", SandboxPolicy { log: Some(log.clone()), ..strict() });
        let kept = fs::metadata(log).expect("a log").len();
        assert_eq!(ByteSize(kept), ByteSize::mib(1));
    }
}

#[test]
fn cpu_time_is_measured() {
    let limits = ProcessLimits { cpu: None, ..strict().limits };
    for protocol in PROTOCOLS {
        let game =
            plays_on(protocol, "burns-once", SandboxPolicy { limits: limits.clone(), ..strict() });
        let cpu = game.moves[0].cpu;
        assert!(cpu >= Duration::from_millis(295) && cpu < Duration::from_millis(600), "{cpu:?}");
    }
}

#[test]
fn the_game_as_a_whole_has_limits_too() {
    for protocol in PROTOCOLS {
        let game_cpu = Some(Duration::from_secs(1));
        let limits = ProcessLimits { cpu: None, game_cpu, ..strict().limits };
        let policy = SandboxPolicy { limits, ..strict() };
        let game = Game::treated(protocol, "burns", &new_mark(), policy);
        assert_eq!(game.fault().as_deref(), Some("cpu limit of 1s exceeded"), "{protocol:?}");
        assert!(game.moves.len() >= 2, "{:?}", game.moves);
    }
}

#[test]
fn nobody_gets_out_of_their_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let target = folder.path().join("target");
    let mark = format!("{},{address}", target.display());
    for protocol in PROTOCOLS {
        for level in levels() {
            let game =
                Game::treated(protocol, "escapes", &mark, SandboxPolicy { level, ..strict() });
            if level == SandboxLevel::None {
                assert_eq!(game.fault().as_deref(), Some("crash, exit code 7"));
                fs::remove_file(&target).expect("a file");
            } else {
                assert_eq!(game.ending.reason, Reason::Rules, "{level}");
                assert!(!target.exists());
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_program_in_a_sandbox_ends_its_supervisor() {
    for protocol in PROTOCOLS {
        for level in levels().into_iter().filter(|&level| level > SandboxLevel::None) {
            let mark = new_mark();
            let policy = SandboxPolicy { level, ..strict() };
            let game = Game::treated(protocol, "rebels", &mark, policy);
            assert_eq!(game.fault(), None, "{level}");
            wait_until("it is gone", || marked(&mark).is_empty());
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn processes_do_not_outlive_a_referee_that_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    // The referee has no limits that these exceed soon.
    let games = [
        ("referee", "detaches"),
        ("referee", "fills-memory-together"),
        ("referee", "sleeps"),
        ("referee-of-files", "detaches"),
        ("referee-of-files", "sleeps"),
    ];
    for (level, (referee, animal)) in
        levels().into_iter().flat_map(|level| games.map(|game| (level, game)))
    {
        let mark = new_mark();
        let mut referee = Command::new(env!("CARGO_BIN_EXE_zoo"))
            .args([referee, level.name(), animal, &mark])
            .env("TMPDIR", folder.path())
            .spawn()
            .expect("a referee");
        let processes = if animal == "sleeps" { 2 } else { 5 };
        wait_until("they are all there", || marked(&mark).len() >= processes);
        referee.kill().expect("a signal");
        referee.wait().expect("an end");
        wait_until("they are all gone", || marked(&mark).is_empty());
        let is_empty = || fs::read_dir(folder.path()).is_ok_and(|mut files| files.next().is_none());
        wait_until("their folder is gone", is_empty);
    }
}
