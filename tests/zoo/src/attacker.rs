//! Attacks on the other player and on the referee, in the middle of a game.

use std::env;
use std::fs;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use plyground_sandbox::{ATTACK, AttackTargets, SUPERVISE};

/// The time to wait for an attack. An attack that takes longer goes on during the game.
const PATIENCE: Duration = Duration::from_millis(150);
/// The attacks that end the attacker, however long that takes on a slow computer.
const FATAL: [&str; 4] = ["kill-all", "fork", "memory", "sockets"];
const PAUSE: Duration = Duration::from_millis(5);
/// More than any program of the tournament may occupy, in bytes.
const MEMORY: u64 = 400 << 20;

/// Carries out an attack in a process of its own, on whatever can be found.
pub fn attack(name: &str, mark: &str) {
    let Ok(targets) = serde_json::to_string(&targets(mark)) else { process::exit(2) };
    let mut command = Command::new(env::current_exe().unwrap_or_default());
    command.args([SUPERVISE, ATTACK, name, &targets]).stdout(Stdio::null());
    let Ok(mut child) = command.spawn() else { return };
    let (started, is_fatal) = (Instant::now(), FATAL.contains(&name));
    while matches!(child.try_wait(), Ok(None)) && (is_fatal || started.elapsed() < PATIENCE) {
        thread::sleep(PAUSE);
    }
}

/// The processes and places that an attacker would guess.
fn targets(mark: &str) -> AttackTargets {
    let rival_mark = mark.replace("attacker", "rival");
    let home = env::var_os("HOME").unwrap_or_else(|| "/root".into());
    AttackTargets {
        rival_folder: "..".into(),
        rival: process_with(&rival_mark).unwrap_or(1),
        mark: mark.to_owned(),
        rival_mark,
        referee: process_with("tournament").unwrap_or(1),
        home: home.into(),
        port: 22,
        socket: "/run/dbus/system_bus_socket".into(),
        abstract_socket: "dbus".to_owned(),
        engine: env::current_exe().unwrap_or_default(),
        memory: MEMORY,
    }
}

/// A process with a word among its arguments, if any can be seen.
fn process_with(word: &str) -> Option<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(|pid: &i32| {
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&arguments).split('\0').any(|argument| argument == word)
    })
}
