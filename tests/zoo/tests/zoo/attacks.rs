//! Every known attack, at every level of this system, by root and by an ordinary user; and tournaments
//! under attack: of one player and the referee in every known way, by programs that cannot be started, and
//! by the loss of supervisors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use plyground_host::referee::Interrupted;
use plyground_sandbox::{
    AttackReport, BUILD, CHECK, SECRET_VARIABLE, SUPERVISE, SandboxLevel, SandboxPolicy,
    attack_names, availability, obstacle, tree_limits,
};

use crate::keeper::{Game, Protocol, levels, marked, new_mark, strict};

const ZOO: &str = env!("CARGO_BIN_EXE_zoo");

/// An ID that no user has.
const ORDINARY: u32 = 54_321;

/// By what limit a program loses that an attack does not get anywhere with, but that goes on.
const STOPPED: [(&str, &str); 5] = [
    ("memory", "stopped: memory limit of 128.0 MiB exceeded"),
    ("sockets", "stopped: memory limit of 128.0 MiB exceeded"),
    ("fork", "stopped: crash, more than 32 processes"),
    ("stop", "stopped: wall limit of 2s exceeded"),
    // A program that keeps itself from running is not taken for one that others do.
    ("crowd", "stopped: wall limit of 2s exceeded"),
];

/// The attacks that work without a sandbox.
const WORKS: [&str; 14] = [
    "read-rival",
    "list-rival",
    "lock-rival",
    "write-rival",
    "home",
    "environment",
    "engine",
    "see-processes",
    "kill-rival",
    "signal-referee",
    "tcp",
    "udp",
    "unix-socket",
    "pipes",
];

/// Runs all attacks, as this user if one is named. Returns their outcomes by their names.
fn attack(
    program: &Path,
    level: SandboxLevel,
    build: bool,
    user: Option<u32>,
) -> BTreeMap<String, String> {
    let mut command = Command::new(program);
    command.args([SUPERVISE, CHECK, level.name()]).args(build.then_some(BUILD));
    command.env(SECRET_VARIABLE, "secret");
    if let Some(user) = user {
        command.uid(user).gid(user).env("HOME", "/nonexistent");
    }
    let output = command.output().expect("the attacks");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{level} {build} {user:?}: {text}{errors}");
    let reports =
        text.lines().map(|line| -> AttackReport { serde_json::from_str(line).expect("a report") });
    reports.map(|report| (report.name, report.outcome.to_string())).collect()
}

/// No attack succeeds.
#[track_caller]
fn hold(program: &Path, level: SandboxLevel, build: bool, user: Option<u32>) {
    let outcomes = attack(program, level, build, user);
    let succeeded = outcomes.iter().filter(|(_, outcome)| outcome.starts_with("SUCCEEDED"));
    // Only these, because the end of a long log may be cut off.
    assert_eq!(succeeded.collect::<Vec<_>>(), [], "{level}, build: {build}, {user:?}");
    assert!(outcomes.len() > 80, "{outcomes:?}");
    for (attack, stopped) in STOPPED {
        assert_eq!(outcomes[attack], stopped, "{attack}: {level}, build: {build}, {user:?}");
    }
}

/// Returns whether every level is attacked both by players and by builds. Each of them is attacked in any case, at some
/// level.
fn is_nightly() -> bool {
    std::env::var_os("PLYGROUND_NIGHTLY").is_some()
}

/// A copy of the program that everybody may run, if this user can be another one.
fn copy_for_others() -> Option<(tempfile::TempDir, PathBuf)> {
    if !nix::unistd::Uid::effective().is_root() {
        // The other tests are those of an ordinary user then.
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permission");
    let zoo = folder.path().join("zoo");
    fs::copy(ZOO, &zoo).expect("a copy");
    Some((folder, zoo))
}

#[test]
fn no_attack_succeeds() {
    for level in levels().into_iter().filter(|&level| level > SandboxLevel::None) {
        for build in [false, true] {
            if build == (level == SandboxLevel::User) || is_nightly() {
                hold(Path::new(ZOO), level, build, None);
            }
        }
    }
}

#[test]
fn no_attack_of_ordinary_user_succeeds() {
    let Some((_folder, zoo)) = copy_for_others() else { return };
    if obstacle(SandboxLevel::Full, Some(Path::new(ZOO))).is_none() {
        hold(&zoo, SandboxLevel::Full, true, Some(ORDINARY));
        if is_nightly() {
            hold(&zoo, SandboxLevel::Full, false, Some(ORDINARY));
        }
    }
}

/// The test of the tests.
#[track_caller]
fn work(program: &Path, user: Option<u32>) {
    let outcomes = attack(program, SandboxLevel::None, false, user);
    let is_root = user.is_none() && nix::unistd::Uid::effective().is_root();
    // The kernel itself limits what the pipes of an ordinary user hold.
    for attack in WORKS.into_iter().filter(|&attack| is_root || attack != "pipes") {
        // A control group counts what pipes hold without a sandbox as well.
        let is_held = attack == "pipes" && tree_limits().memory;
        let expected =
            if is_held { "stopped: memory limit of 128.0 MiB exceeded" } else { "SUCCEEDED" };
        assert!(outcomes[attack].starts_with(expected), "{attack}");
    }
}

#[test]
#[ignore = "long"]
fn attacks_work_without_sandbox() {
    work(Path::new(ZOO), None);
}

#[test]
#[ignore = "long"]
fn attacks_of_ordinary_user_work_without_sandbox() {
    let Some((_folder, zoo)) = copy_for_others() else { return };
    work(&zoo, Some(ORDINARY));
}

const PROTOCOLS: [Protocol; 2] = [Protocol::Line, Protocol::File];

/// A supervisor that is started by these commands of a shell.
fn supervised(folder: &Path, commands: &str) -> SandboxPolicy {
    // Another file each time: the fork server of a file stays.
    let path = folder.join(format!("supervisor-{}", new_mark()));
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

/// The columns of `games.csv` that do not depend on the clock, from the first player's result to the
/// number of plies.
const RESULT: std::ops::Range<usize> = 3..7;
const REASON: usize = 8;

/// The faults by which the attackers that are stopped lose.
const FAULTS: [(&str, &str); 4] = [
    ("kill-all", "crash signal SIGKILL"),
    ("fork", "crash more than 32 processes"),
    ("memory", "memory limit of 128.0 MiB exceeded"),
    ("sockets", "memory limit of 128.0 MiB exceeded"),
];

/// The tournament: the rival meets one who behaves, and then each attacker, once with either side.
fn plan(mark: &str, attacks: &[&str]) -> String {
    let mut text = String::from(
        "format = \"gauntlet\"\nchallenger = \"rival\"\n\
         limits = { wall = \"30s\", memory = \"128MiB\", output = \"32MiB\", processes = 32 }\n",
    );
    let mut player = |name: &str, animal: &str, mark: &str| {
        let _ = write!(
            text,
            "[[player]]\nname = \"{name}\"\nplayer = \"line:{ZOO} {animal} {mark}\"\n"
        );
    };
    player("rival", "well", &format!("{mark}rival"));
    player("nobody", "well", &format!("{mark}nobody"));
    for attack in attacks {
        player(attack, &format!("attack-{attack}"), &format!("{mark}attacker"));
    }
    text
}

/// The rows of the table of games, the reason without its commas.
fn games(table: &str) -> Vec<Vec<String>> {
    let plain = |line: &str| {
        let mut parts = line.split('"');
        let head = parts.next().unwrap_or_default().to_owned();
        let Some(reason) = parts.next() else { return head };
        head + &reason.replace(',', "") + &parts.collect::<String>()
    };
    table.lines().skip(1).map(|line| plain(line).split(',').map(str::to_owned).collect()).collect()
}

#[test]
#[ignore = "long"]
fn result_is_that_of_games_in_peace() {
    let level = availability(Some(ZOO.as_ref())).level;
    assert!(level >= SandboxLevel::User, "this system has no sandbox to test");
    let attacks: Vec<&str> = attack_names(level).collect();
    let (folder, mark) = (tempfile::tempdir().expect("a folder"), new_mark());
    fs::write(folder.path().join("class.toml"), plan(&mark, &attacks)).expect("a plan");
    let output = Command::new(ZOO)
        .args(["tournament", "class.toml", "--jobs", "2"])
        .current_dir(folder.path())
        .output()
        .expect("a tournament");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let table = fs::read_to_string(folder.path().join("class/games.csv")).expect("a table");
    let games = games(&table);
    assert_eq!(games.len(), 2 * (attacks.len() + 1), "{table}");
    let (peace, attacked) = games.split_at(2);
    for (number, game) in attacked.iter().enumerate() {
        let rival = 1 + number % 2;
        let attacker = 3 - rival;
        // The attacker may be stopped for it; its rival never is.
        let is_stopped = game[REASON].starts_with(&format!("Player {attacker}: "));
        let is_as_in_peace = game[RESULT] == peace[number % 2][RESULT];
        assert!(is_stopped || is_as_in_peace, "{game:?}\nin peace {peace:?}\n{errors}");
    }
    for (attack, fault) in FAULTS {
        let has_fault = |game: &&Vec<String>| game[REASON] == format!("Player 2: {fault}");
        let found = attacked.iter().find(|game| game[2] == attack);
        assert!(found.as_ref().is_some_and(has_fault), "{attack}: {found:?}");
    }
    assert!(marked(&mark).is_empty(), "still alive: {:?}", marked(&mark));
}

/// Runs a tournament in a folder, and returns whether it came to its end.
fn run(folder: &Path, plan: &str) -> (bool, String) {
    let output = tournament(folder, plan).output().expect("a tournament");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn tournament(folder: &Path, plan: &str) -> Command {
    let mut command = Command::new(ZOO);
    command.args(["tournament", plan, "--jobs", "2"]).current_dir(folder);
    command
}

/// The rows of the table of games of a tournament in a folder.
fn table(folder: &Path, name: &str) -> Vec<Vec<String>> {
    games(&fs::read_to_string(folder.join(name).join("games.csv")).expect("a table"))
}

/// A program that cannot be started loses its games, and no others suffer from it.
#[test]
fn no_submission_stops_a_tournament() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let dots = "/.".repeat(200);
    for (name, script) in [
        ("folder", format!("#!/etc{dots}\nexec {ZOO} well x\n")),
        ("nowhere", "#!/no/such/interpreter\n".to_owned()),
        ("empty", String::new()),
        ("binary", "\u{7f}ELF\u{2}\u{1}\u{1}".to_owned()),
    ] {
        fs::create_dir(path(name)).expect("a folder");
        fs::write(path(name).join("player"), script).expect("a script");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(path(name).join("player"), mode).expect("permission");
    }
    fs::create_dir(path("link")).expect("a folder");
    symlink("/etc/passwd", path("link/other")).expect("a link");
    symlink(ZOO, path("link/player")).expect("a link");
    let mut plan = format!(
        "[[player]]\nname = 'ann'\nplayer = 'line:{ZOO} well x'\n\
         [[player]]\nname = 'bob'\nplayer = 'line:{ZOO} well y'\n"
    );
    for name in ["folder", "nowhere", "empty", "binary", "link"] {
        let _ = write!(plan, "[[player]]\nname = '{name}'\nplayer = 'line:{name}/player'\n");
    }
    fs::write(path("class.toml"), plan).expect("a plan");
    let (is_done, errors) = run(folder.path(), "class.toml");
    assert!(is_done, "{errors}");
    let games = table(folder.path(), "class");
    assert_eq!(games.len(), 42);
    for game in &games {
        let is_honest = |name: &str| ["ann", "bob"].contains(&name);
        let by_fault =
            game[REASON].contains("cannot be started") || game[REASON].contains("Player");
        assert!(is_honest(&game[1]) && is_honest(&game[2]) || by_fault, "{game:?}");
        let honest = [&game[1], &game[2]].iter().position(|name| is_honest(name));
        if let (Some(honest), true) = (honest, is_honest(&game[1]) != is_honest(&game[2])) {
            assert!(!game[REASON].starts_with(&format!("Player {}: ", honest + 1)), "{game:?}");
        }
    }
}

/// The supervisors that stem from a process. A child of a supervisor without children is left out: it
/// may be about to become a program.
fn supervisors(ancestor: u32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut pending = vec![(ancestor, false)];
    while let Some((pid, is_below_supervisor)) = pending.pop() {
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let is_supervisor = arguments.starts_with(b"plyground-supervisor");
        let mut has_children = false;
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for child in children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()) {
                has_children = true;
                pending.push((child, is_supervisor));
            }
        }
        if is_supervisor && (has_children || !is_below_supervisor) {
            found.extend(i32::try_from(pid));
        }
    }
    found
}

/// A hundred games while supervisors are killed at random have the results of games in peace.
#[test]
fn lost_supervisors_cost_nobody() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    const GAMES_PER_LOSS: usize = 5;
    let folder = tempfile::tempdir().expect("a folder");
    let mut plan = "openings = { plies = 2 }\n".to_owned();
    for number in 0..11 {
        let _ =
            write!(plan, "[[player]]\nname = 'p{number}'\nplayer = 'line:{ZOO} well {number}'\n");
    }
    for name in ["peace", "war"] {
        fs::write(folder.path().join(format!("{name}.toml")), &plan).expect("a plan");
    }
    let (is_done, errors) = run(folder.path(), "peace.toml");
    assert!(is_done, "{errors}");
    let mut killed = 0_usize;
    // A game that loses its supervisor twice ends the run, which goes on where it was.
    let is_done = (0..50).any(|_| {
        let mut command = tournament(folder.path(), "war.toml");
        let mut run = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("a run");
        loop {
            if let Some(status) = run.try_wait().expect("a status") {
                break status.success();
            }
            // By games that are done, and not by the clock, so that a slow computer finishes as well.
            let done = fs::read_dir(folder.path().join("war/games")).map_or(0, Iterator::count);
            if done / GAMES_PER_LOSS >= killed {
                let found = supervisors(run.id());
                if let Some(&pid) = found.get(killed % found.len().max(1)) {
                    killed += usize::from(kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok());
                }
            }
            thread::sleep(Duration::from_millis(5));
        }
    });
    assert!(is_done && killed > 5, "{killed} supervisors were killed");
    let results = |name: &str| -> BTreeSet<Vec<String>> {
        table(folder.path(), name).iter().map(|game| game[..=REASON].to_vec()).collect()
    };
    let without_times = |name: &str| -> Vec<Vec<String>> {
        results(name).into_iter().map(|game| [&game[1..3], &game[RESULT]].concat()).collect()
    };
    let mut peace = without_times("peace");
    let mut war = without_times("war");
    peace.sort();
    war.sort();
    assert_eq!(peace.len(), 110);
    let others: Vec<_> = results("war").difference(&results("peace")).cloned().collect();
    assert_eq!(war, peace, "{killed} supervisors were killed: {others:?}");
}
