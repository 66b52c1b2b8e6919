//! What supervision costs and how exact it is: `cargo bench -p zoo`.
//!
//! Times are those of this computer as it is now; run it on one that does nothing else.

#![cfg_attr(not(unix), allow(unused))]

#[cfg(unix)]
#[path = "../tests/zoo/keeper.rs"]
mod keeper;

#[cfg(unix)]
fn main() {
    bench::overhead_of_cages();
    bench::overhead_of_lines();
    bench::overhead_of_files();
    bench::cpu_time();
    bench::time_to_lose();
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod bench {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use plyground_cage::{CageLevel, ProcessLimits, SandboxPolicy};

    use crate::keeper::{Game, Protocol, levels, new_mark, strict};

    const ZOO: &str = env!("CARGO_BIN_EXE_zoo");
    const GAMES: usize = 10;

    fn summary(mut times: Vec<Duration>) -> String {
        times.sort();
        let at = |share: usize| times[(times.len() - 1) * share / 100];
        let (median, late, most) = (at(50), at(95), at(100));
        format!("median {median:.3?}, 95 % below {late:.3?}, greatest {most:.3?}")
    }

    fn play(protocol: Protocol, level: CageLevel) -> Game {
        let policy = SandboxPolicy { level, ..strict() };
        Game::treated(protocol, "well", &new_mark(), policy)
    }

    /// What a cage costs, once a game: its first move has the start of the cage and the program.
    pub fn overhead_of_cages() {
        for level in levels() {
            let first = (0..4 * GAMES).map(|_| play(Protocol::Line, level).moves[0].wall);
            println!("a first move, {level:<8} {}", summary(first.collect()));
        }
    }

    fn times_of_moves(protocol: Protocol, level: CageLevel) -> Vec<Duration> {
        let games = (0..GAMES).map(|_| play(protocol, level));
        let moves = games.flat_map(|game| {
            // The first move of a program that stays includes its start.
            game.moves.into_iter().step_by(2).skip(1).map(|played| played.wall)
        });
        moves.collect()
    }

    pub fn overhead_of_lines() {
        for level in levels() {
            let times = times_of_moves(Protocol::Line, level);
            println!("a move by lines, {level:<8} {}", summary(times));
        }
    }

    pub fn overhead_of_files() {
        let starts = (0..20 * GAMES).map(|_| {
            let started = Instant::now();
            let mut command = Command::new(ZOO);
            let status = command.args(["child", "silent", "x"]).stdin(Stdio::null()).status();
            status.expect("the program");
            started.elapsed()
        });
        println!("a process start           {}", summary(starts.collect()));
        for level in levels() {
            let times = times_of_moves(Protocol::File, level);
            println!("a move by files, {level:<8} {}", summary(times));
        }
    }

    pub fn cpu_time() {
        for protocol in [Protocol::Line, Protocol::File] {
            let reported = (0..GAMES).map(|_| {
                let limits = ProcessLimits { cpu: None, ..strict().limits };
                let policy = SandboxPolicy { limits, ..strict() };
                Game::treated(protocol, "burns-once", &new_mark(), policy).moves[0].cpu
            });
            println!("0.300 s of CPU, {protocol:?}: {}", summary(reported.collect()));
        }
    }

    pub fn time_to_lose() {
        let limit = Duration::from_secs(1);
        let limits = ProcessLimits { cpu: Some(limit), wall: Some(limit), ..strict().limits };
        for animal in [
            "sleeps",
            "stubborn",
            "spins",
            "works",
            "forks",
            "breeds",
            "detaches",
            "leaves",
            "floods",
            "floods-lines",
            "fills-memory",
            "fills-memory-together",
            "fills-file",
            "fills-folder",
            "garbage",
            "illegal",
            "twice",
            "edits-input",
            "deletes-folder",
            "closes-pipes",
            "crashes",
            "silent",
            "silent-with-code",
            "resigns",
            "early",
        ] {
            for protocol in [Protocol::Line, Protocol::File] {
                let policy = SandboxPolicy { limits: limits.clone(), ..strict() };
                let game = Game::treated(protocol, animal, &new_mark(), policy);
                game.assert_nobody_left();
                let fault = game.fault().unwrap_or_else(|| "none".to_owned());
                println!("{animal:<22} {protocol:?} {:>6.3} s  {fault}", game.time.as_secs_f64());
            }
        }
    }
}
