//! A tournament in which everybody attacks one player and the referee, in every known way.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use plyground_sandbox::{SandboxLevel, attack_names, availability};

use crate::keeper::{marked, new_mark};

const ZOO: &str = env!("CARGO_BIN_EXE_zoo");

/// The columns of `games.csv` that do not depend on the clock, from the first player's result to the
/// number of plies.
const RESULT: std::ops::Range<usize> = 3..7;
const REASON: usize = 8;

/// What attackers lose by that are stopped.
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
        // Whoever attacks may be stopped for it; the rival never is.
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
