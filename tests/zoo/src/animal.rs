//! Ways to misbehave, attacks among them.

use std::io::{self, BufRead, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{self, Command, ExitCode};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use maxconnect4::{Column, Position, Size, format_state, parse_state};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::time::TimeValLike;
use nix::unistd::{ForkResult, fork};
use plyground::Game;
use plyground_host::external::FilePlayer;
use plyground_host::player::{Player, Random};
use plyground_host::protocol::LinePlayer;
use plyground_host::referee::{Conduct, Silent, play};
use plyground_host::state::StateText;
use plyground_sandbox::SandboxPolicy;

use crate::animal;

/// Longer than any test waits.
const LONG: Duration = Duration::from_secs(600);
/// More than any test lets anybody have.
const MANY: usize = 100;
const MEBIBYTE: usize = 1 << 20;
/// The environment variable with the number of one's ancestors.
const GENERATION: &str = "ZOO_GENERATION";
const GENERATIONS: u32 = 8;
/// The times that one animal waits before it moves: at each, two clocks of the kernel may go apart.
const NAPS: usize = 3000;
const NAP: Duration = Duration::from_micros(200);
/// The number of programs that one animal starts in every turn.
const STARTS: usize = 20;
/// The CPU time that one animal uses before it moves.
const BURNT: Duration = Duration::from_millis(300);

/// Does what an animal does before it says that it is ready.
pub fn before_ready(animal: &str) {
    match animal {
        "early" => println!("bestmove 4"),
        "rejects" => println!("illegal that"),
        _ => {}
    }
}

/// Does what an animal does when it is to move.
pub fn misbehave(animal: &str, turn: &Turn) {
    #[cfg(target_os = "linux")]
    if let Some(attack) = animal.strip_prefix("attack-") {
        if turn.is_first_of_mover() {
            attacker::attack(attack, &turn.mark);
        }
        return turn.play_well();
    }
    match animal {
        "well" | "rejects" | "early" => turn.play_well(),
        "sleeps" => thread::sleep(LONG),
        "stops" => {
            let _ = nix::sys::signal::raise(Signal::SIGSTOP);
        }
        "parent-of-stubborn" => {
            let _children = [spawn("stubborn", turn)];
            thread::sleep(LONG);
        }
        "stubborn" => {
            let _ = ctrlc::set_handler(|| {});
            thread::sleep(LONG);
        }
        "detaches" | "leaves" => detach(animal, turn),
        "detached" => {
            let _ = nix::unistd::setsid();
            thread::sleep(LONG);
        }
        "moves-and-leaves" => {
            let _children = [spawn("detached", turn)];
            turn.play_well();
        }
        "dozes" => {
            if turn.is_first() {
                (0..NAPS).for_each(|_| thread::sleep(NAP));
            }
            turn.play_well();
        }
        "employs" => {
            // Until a child runs its own program, it has the memory of its parent.
            static OWN: OnceLock<Vec<u8>> = OnceLock::new();
            OWN.get_or_init(|| vec![1; 40 * MEBIBYTE]);
            for _ in 0..STARTS {
                let _ = spawn("silent", turn).wait();
            }
            turn.play_well();
        }
        "silent" | "silent-with-code" => process::exit(if animal == "silent" { 0 } else { 3 }),
        "code-after-move" => {
            turn.play_well();
            process::exit(1);
        }
        "crashes" => process::abort(),
        "rebels" => {
            let _ = nix::sys::signal::kill(nix::unistd::getppid(), Signal::SIGKILL);
            turn.play_well();
        }
        _ => work_too_much(animal, turn),
    }
}

fn work_too_much(animal: &str, turn: &Turn) {
    match animal {
        "spins" => spin(LONG),
        "burns" => {
            burn();
            turn.play_well();
        }
        "burns-once" => {
            if turn.is_first() {
                burn();
            }
            turn.play_well();
        }
        "works" => {
            // Processes that come and go, and whose time belongs to the tree alone.
            while spawn("burns-alone", turn).wait().is_ok() {}
        }
        "works-secretly" => {
            // The kernel forgets the time of children that no parent waits for.
            // SAFETY: no function is called when the signal comes.
            let _ = unsafe { signal(Signal::SIGCHLD, SigHandler::SigIgn) };
            loop {
                let _ = spawn("burns-alone", turn).wait();
            }
        }
        "burns-alone" => spin(Duration::from_millis(100)),
        "forks" => {
            let _children: Vec<_> = (0..MANY).map(|_| spawn("sleeps", turn)).collect();
            thread::sleep(LONG);
        }
        "breeds" => breed(turn),
        _ => produce_too_much(animal, turn),
    }
}

fn produce_too_much(animal: &str, turn: &Turn) {
    match animal {
        "floods" => loop {
            if io::stdout().write_all(&[b'y'; 4096]).is_err() {
                process::exit(0);
            }
        },
        "floods-lines" => loop {
            println!("readyok");
        },
        "floods-without-lines" => {
            // As many as are let pass, and then no more.
            let _ = io::stdout().write_all(&[0; 512 * 1024]);
            let _ = io::stdout().flush();
            turn.play_well();
        }
        "complains-forever" => while io::stderr().write_all(&[b'!'; 4096]).is_ok() {},
        "complains" => {
            let _ = io::stderr().write_all(&vec![b'!'; 3 * MEBIBYTE]);
            turn.play_well();
        }
        "fills-memory" => {
            let mut hoard: Vec<Vec<u8>> = Vec::new();
            loop {
                hoard.push(vec![1; MEBIBYTE]);
            }
        }
        "fills-memory-together" => {
            let _children: Vec<_> = (0..4).map(|_| spawn("hoards", turn)).collect();
            thread::sleep(LONG);
        }
        "hoards" => {
            // Otherwise, an optimized program needs no memory.
            let hoard = std::hint::black_box(vec![1; 24 * MEBIBYTE]);
            thread::sleep(LONG);
            drop(hoard);
        }
        "fills-file" => fill_file(),
        "fills-folder" => {
            for number in 0.. {
                let _ = fs::write(folder().join(number.to_string()), [0; 10_000]);
            }
        }
        "hides" => hide(),
        _ => misuse_the_output(animal, turn),
    }
}

/// Puts something that is no output file in the place of the output file.
fn misuse_the_output(animal: &str, turn: &Turn) {
    let Channel::File { output, .. } = &turn.channel else {
        return break_the_rules(animal, turn);
    };
    let _ = match animal {
        "pipe-as-output" => Command::new("mkfifo").arg(output).status().map(drop),
        "folder-as-output" => fs::create_dir(output),
        // The mark is the path of a file with a good answer in it, but not its own.
        "link-as-output" => std::os::unix::fs::symlink(&turn.mark, output),
        "device-as-output" => std::os::unix::fs::symlink("/dev/zero", output),
        "nuls-as-output" => fs::write(output, vec![0; MEBIBYTE / 2]),
        "bytes-as-output" => fs::write(output, b"\xff\xfe0000000\n\x80"),
        // A gigabyte that takes no room on the disk.
        "huge-output" => fs::File::create(output).and_then(|file| file.set_len(1 << 30)),
        _ => return break_the_rules(animal, turn),
    };
}

fn break_the_rules(animal: &str, turn: &Turn) {
    match animal {
        "garbage" => {
            turn.write("what is this?");
            println!("bestmove \u{1F992}");
        }
        "garbles" => {
            println!("hello\nbestmovee 3\n");
            let _ = io::stdout().write_all(b"\xff\xfe\n");
            turn.play_well();
        }
        "illegal" => {
            let position = turn.position;
            let text = format_state(&position).replacen('0', "1", 1);
            turn.write(&text);
            println!("bestmove 9");
        }
        "twice" => move_twice(turn),
        "edits-input" => {
            let after = turn.some_move().map(|mv| turn.position.after(mv));
            if let (Channel::File { input, .. }, Some(after)) = (&turn.channel, after) {
                let _ = fs::write(input, format_state(&after));
            }
        }
        "deletes-folder" => {
            turn.play_well();
            let _ = fs::remove_dir_all(folder());
        }
        "rewrites-output" => rewrite_output(turn),
        "closes-pipes" => {
            for descriptor in 0..3 {
                let _ = nix::unistd::close(descriptor);
            }
            thread::sleep(LONG);
        }
        "escapes" => escape(turn),
        "resigns" => println!("resign"),
        _ => process::exit(2),
    }
}

/// The only folder in which it should write.
fn folder() -> PathBuf {
    env::temp_dir()
}

/// Another animal with the same mark.
fn spawn(animal: &str, turn: &Turn) -> process::Child {
    let mut command = Command::new(env::current_exe().unwrap_or_default());
    command.args(["child", animal, &turn.mark]);
    command.spawn().unwrap_or_else(|_| process::exit(4))
}

fn spin(time: Duration) {
    let started = Instant::now();
    while started.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Uses as much CPU time as [`BURNT`].
fn burn() {
    let used = || {
        getrusage(UsageWho::RUSAGE_SELF).map_or(LONG, |usage| {
            let micros = (usage.user_time() + usage.system_time()).num_microseconds();
            Duration::from_micros(micros.unsigned_abs())
        })
    };
    let before = used();
    while used() < before + BURNT {}
}

/// Two children for every process, each in a session of its own, as fast as they can; but not
/// without end, lest a failing test take the computer with it.
fn breed(turn: &Turn) {
    let generation: u32 = env::var(GENERATION).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let _ = nix::unistd::setsid();
    if generation < GENERATIONS {
        for _ in 0..2 {
            let mut command = Command::new(env::current_exe().unwrap_or_default());
            command.args(["child", "breeds", &turn.mark]);
            let _ = command.env(GENERATION, (generation + 1).to_string()).spawn();
        }
    }
    thread::sleep(LONG);
}

/// Leaves processes behind that do not belong to it any more.
fn detach(animal: &str, turn: &Turn) {
    let _children: Vec<_> = (0..3).map(|_| spawn("detached", turn)).collect();
    if animal == "leaves" {
        process::exit(0);
    }
    thread::sleep(LONG);
}

/// Makes folders in each other, so deep that no path leads to the last.
fn hide() {
    let _ = env::set_current_dir(folder());
    for _ in 0..MANY * MANY {
        if fs::create_dir("x").and_then(|()| env::set_current_dir("x")).is_err() {
            process::exit(9);
        }
    }
    thread::sleep(LONG);
}

/// Moves, and leaves a process behind that puts one good answer after the other in place of the
/// output, as long as it lives.
fn rewrite_output(turn: &Turn) {
    let Channel::File { output, .. } = &turn.channel else { return turn.play_well() };
    turn.play_well();
    let other = output.with_extension("other");
    // SAFETY: this process has no other threads.
    let Ok(ForkResult::Child) = (unsafe { fork() }) else { return };
    let _ = nix::unistd::setsid();
    let answers = turn.position.legal_moves().map(|mv| format_state(&turn.position.after(mv)));
    for answer in answers.collect::<Vec<_>>().iter().cycle() {
        let _ = fs::write(&other, answer).and_then(|()| fs::rename(&other, output));
    }
}

fn fill_file() {
    let Ok(mut file) = fs::File::create(folder().join("big")) else { process::exit(5) };
    while file.write_all(&[0; 4096]).is_ok() {}
    process::exit(6);
}

fn move_twice(turn: &Turn) {
    let Some(mv) = turn.some_move() else { return };
    let mut position = turn.position.after(mv);
    match &turn.channel {
        Channel::Line => println!("bestmove {mv}\nbestmove {mv}"),
        Channel::File { .. } => {
            let again = position.legal_moves().next();
            position = again.map_or(position, |mv| position.after(mv));
            turn.write(&format_state(&position));
        }
    }
}

/// Plays only if it can neither write outside of its folder nor open a connection, to where the
/// mark says.
fn escape(turn: &Turn) {
    let mut targets = turn.mark.split(',');
    let file = targets.next().is_some_and(|path| fs::write(path, "free").is_ok());
    let connection = targets.next().is_some_and(|address| TcpStream::connect(address).is_ok());
    let inside = fs::write(folder().join("inside"), "").and_then(|()| fs::write("/dev/null", "x"));
    if file || connection || inside.is_err() {
        process::exit(if inside.is_err() { 8 } else { 7 });
    }
    turn.play_well();
}

/// The ways in which the animal can answer.
pub enum Channel {
    /// By a line.
    Line,
    /// By a file.
    File { input: PathBuf, output: PathBuf },
}

/// The turn of an animal.
pub struct Turn {
    pub channel: Channel,
    pub position: Position,
    /// The mark of its processes.
    pub mark: String,
}

impl Turn {
    /// The first move that there is.
    pub fn some_move(&self) -> Option<Column> {
        self.position.legal_moves().next()
    }

    /// Returns `true` if the game begins.
    pub fn is_first(&self) -> bool {
        self.position == Position::empty(Size::STANDARD)
    }

    /// Returns `true` if no move was made, or only one by the opponent.
    pub fn is_first_of_mover(&self) -> bool {
        let left = |position: Position| position.plies_left().unwrap_or(0);
        left(self.position) + 1 >= left(Position::empty(Size::STANDARD))
    }

    /// Plays as it should.
    pub fn play_well(&self) {
        if let Some(mv) = self.some_move() {
            self.answer(&self.position.after(mv), &format!("bestmove {mv}"));
        }
    }

    /// Answers with a position or a line, whichever is wanted.
    pub fn answer(&self, position: &Position, line: &str) {
        match &self.channel {
            Channel::Line => println!("{line}"),
            Channel::File { .. } => self.write(&format_state(position)),
        }
    }

    /// Writes the output file.
    pub fn write(&self, text: &str) {
        if let Channel::File { output, .. } = &self.channel {
            let _ = fs::write(output, text);
        }
    }
}

/// Speaks the line protocol.
pub fn converse(animal: &str, mark: &str) -> ExitCode {
    let mut position = Position::empty(Size::STANDARD);
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["isready"] => {
                animal::before_ready(animal);
                println!("readyok");
            }
            ["position", "startpos", ref rest @ ..] => {
                position = Position::empty(Size::STANDARD);
                for mv in rest.iter().filter_map(|word| word.parse().ok()) {
                    let _ = position.play(mv);
                }
            }
            ["go", ..] => {
                let turn = Turn { channel: Channel::Line, position, mark: mark.to_owned() };
                animal::misbehave(animal, &turn);
            }
            ["quit"] => break,
            _ => {}
        }
    }
    ExitCode::SUCCESS
}

/// Exchanges files.
pub fn exchange(animal: &str, mark: &str, input: &str, output: &str) -> ExitCode {
    let text = fs::read_to_string(input).unwrap_or_default();
    let Ok(position) = parse_state(&StateText::new(text), Size::STANDARD) else {
        return ExitCode::from(2);
    };
    let channel = Channel::File { input: input.into(), output: output.into() };
    animal::misbehave(animal, &Turn { channel, position, mark: mark.to_owned() });
    ExitCode::SUCCESS
}

/// Misbehaves at once, as another animal wants.
pub fn grow_up(animal: &str, mark: &str) -> ExitCode {
    let position = Position::empty(Size::STANDARD);
    animal::misbehave(animal, &Turn { channel: Channel::Line, position, mark: mark.to_owned() });
    ExitCode::SUCCESS
}

/// Plays a game against an animal, which exchanges files or speaks the line protocol.
pub fn referee(level: &str, animal: &str, mark: &str, with_files: bool) -> ExitCode {
    let (Ok(program), Ok(level)) = (std::env::current_exe(), level.parse()) else {
        return ExitCode::FAILURE;
    };
    let policy = SandboxPolicy { level, ..SandboxPolicy::default() };
    let mut words = [&program.to_string_lossy(), animal, mark].map(str::to_owned).to_vec();
    let mut player: Box<dyn Player> = if with_files {
        words.extend(["{in}", "{out}"].map(str::to_owned));
        Box::new(FilePlayer::new(words, policy, false))
    } else {
        Box::new(LinePlayer::new(words, None, policy))
    };
    let players: [&mut dyn Player; 2] = [&mut *player, &mut Random::new(1)];
    match play(&maxconnect4::game().start(), players, &Conduct::default(), &mut Silent) {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(target_os = "linux")]
mod attacker {
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
}
