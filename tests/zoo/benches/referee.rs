//! The cost and the precision of supervision: `cargo bench -p zoo`, or a part of it:
//! `cargo bench -p zoo --bench referee -- bubblewrap`.
//!
//! Times are those of this computer as it is now; run it on one that does nothing else. The referee and
//! the programs share a core, as tournaments and grades with several jobs have it; they would spend
//! most of a short move waking another core.

#![cfg_attr(not(unix), allow(unused))]

#[cfg(unix)]
#[path = "../tests/zoo/keeper.rs"]
mod keeper;

#[cfg(unix)]
fn main() {
    let parts: [(&str, fn()); 6] = [
        ("sandboxes", bench::overhead_of_sandboxes),
        ("bubblewrap", bench::start_beside_bubblewrap),
        ("lines", bench::overhead_of_lines),
        ("files", bench::overhead_of_files),
        ("cpu", bench::cpu_time),
        ("limits", bench::time_to_lose),
    ];
    // Cargo adds `--bench`.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    bench::stay_on_one_core();
    for (name, measure) in parts {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            measure();
        }
    }
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod bench {
    use std::fs;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use plyground_sandbox::{
        Launch, ProcessEnd, ProcessLimits, Sandbox, SandboxLevel, SandboxPolicy, tree_limits,
    };

    use crate::keeper::{Game, Protocol, levels, new_mark, strict};

    const ZOO: &str = env!("CARGO_BIN_EXE_zoo");
    const GAMES: usize = 10;

    fn summary(mut times: Vec<Duration>) -> String {
        times.sort();
        let at = |share: usize| times[(times.len() - 1) * share / 100];
        let (median, late, most) = (at(50), at(95), at(100));
        format!("median {median:.3?}, 95 % below {late:.3?}, greatest {most:.3?}")
    }

    /// Returns the holders of the limits of a game: a control group, where there are any, and the
    /// supervisor.
    fn holders() -> impl Iterator<Item = (bool, &'static str)> {
        let all = [(true, "control group"), (false, "accounting")];
        let has_groups = tree_limits().groups.is_some();
        all.into_iter().filter(move |&(in_group, _)| has_groups || !in_group)
    }

    fn play(protocol: Protocol, level: SandboxLevel, control_groups: bool) -> Game {
        let policy = SandboxPolicy { level, control_groups, ..strict() };
        Game::treated(protocol, "well", &new_mark(), policy)
    }

    /// Keeps this process, and all that it starts, on one core, if the OS has means for it.
    pub fn stay_on_one_core() {
        #[cfg(target_os = "linux")]
        {
            use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
            use nix::unistd::Pid;

            let this = Pid::from_raw(0);
            let allowed = sched_getaffinity(this).expect("the cores of this process");
            let first = (0..CpuSet::count()).find(|&core| allowed.is_set(core) == Ok(true));
            let mut own = CpuSet::new();
            own.set(first.expect("a core")).expect("a set of one core");
            sched_setaffinity(this, &own).expect("one core");
        }
    }

    /// Measures the cost of a sandbox, once a game: its first move has the start of the sandbox and
    /// the program.
    pub fn overhead_of_sandboxes() {
        for level in levels() {
            for (in_group, holder) in holders() {
                let first = |_| play(Protocol::Line, level, in_group).moves[0].wall;
                let first = (0..4 * GAMES).map(first);
                println!("a first move, {level:<8} {holder:<13} {}", summary(first.collect()));
            }
        }
    }

    /// Starts `true`, waits for it and cleans up, in turn in a sandbox and in one of bubblewrap, if that is
    /// there.
    pub fn start_beside_bubblewrap() {
        let words = ["true".to_owned()];
        let start_sandbox = |level| {
            let policy = SandboxPolicy { level, ..strict() };
            let started = Instant::now();
            let launch = Launch::new(words.to_vec(), None);
            let ended = Sandbox::run_once(launch, &policy, Duration::from_secs(60));
            assert_eq!(ended.expect("a sandbox").0, ProcessEnd::Exit(0));
            started.elapsed()
        };
        let start_bubblewrap = || {
            let mut command = Command::new("bwrap");
            command.args(["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]);
            for folder in ["/usr", "/bin", "/lib", "/lib64", "/etc"] {
                command.args(["--ro-bind-try", folder, folder]);
            }
            command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "true"]);
            let started = Instant::now();
            command.status().ok().filter(std::process::ExitStatus::success)?;
            Some(started.elapsed())
        };
        let levels = levels().into_iter().filter(|&level| level > SandboxLevel::None);
        for level in levels {
            let pairs = (0..10 * GAMES).map(|_| Some((start_sandbox(level), start_bubblewrap()?)));
            let Some(pairs) = pairs.collect::<Option<Vec<_>>>() else {
                println!("there is no bwrap");
                return;
            };
            let mut ratios: Vec<f64> =
                pairs.iter().map(|(ours, its)| ours.div_duration_f64(*its)).collect();
            ratios.sort_by(f64::total_cmp);
            let (ours, its) = pairs.into_iter().unzip();
            println!("a start of true, {level:<8} {}", summary(ours));
            println!("a start of true, bwrap    {}", summary(its));
            println!("ratio of the two: median {:.2}", ratios[ratios.len() / 2]);
        }
    }

    fn times_of_game(protocol: Protocol, level: SandboxLevel, in_group: bool) -> Vec<Duration> {
        // The first move of a program that stays includes its start.
        let moves = play(protocol, level, in_group).moves.into_iter().step_by(2).skip(1);
        moves.map(|played| played.wall).collect()
    }

    pub fn overhead_of_lines() {
        for level in levels() {
            for (in_group, holder) in holders() {
                let times = |_| times_of_game(Protocol::Line, level, in_group);
                let times = (0..GAMES).flat_map(times).collect();
                println!("a move by lines, {level:<8} {holder:<13} {}", summary(times));
            }
        }
    }

    /// Next to each other are moves in a sandbox and starts of the same program with the same file in none,
    /// so that both have the computer in the same state.
    pub fn overhead_of_files() {
        // In memory, as the folder in a sandbox is.
        let place = Some("/dev/shm").filter(|place| fs::metadata(place).is_ok());
        let folder = place.map_or_else(tempfile::tempdir, tempfile::tempdir_in).expect("a folder");
        let [input, output] = ["input.txt", "output.txt"].map(|name| folder.path().join(name));
        fs::write(&input, maxconnect4::game().start().state()).expect("an input");
        let start = || {
            let started = Instant::now();
            let mut command = Command::new(ZOO);
            command.args(["well", "no-mark"]).args([&input, &output]);
            let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
            assert!(status.expect("the program").success());
            started.elapsed()
        };
        for (level, (in_group, holder)) in
            levels().into_iter().flat_map(|level| holders().map(move |holder| (level, holder)))
        {
            let (mut moves, mut starts) = (Vec::new(), Vec::new());
            for _ in 0..4 * GAMES {
                moves.extend(times_of_game(Protocol::File, level, in_group));
                starts.extend((0..GAMES).map(|_| start()));
            }
            println!("a move by files, {level:<8} {holder:<13} {}", summary(moves));
            println!("a start outside                         {}", summary(starts));
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
                let started = Instant::now();
                let game = Game::treated(protocol, animal, &new_mark(), policy);
                let time = started.elapsed().as_secs_f64();
                game.assert_nobody_left();
                let fault = game.fault().unwrap_or_else(|| "none".to_owned());
                println!("{animal:<22} {protocol:?} {time:>6.3} s  {fault}");
            }
        }
    }
}
