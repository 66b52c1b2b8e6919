//! Games against animals, and a look at what they leave behind.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use plyground_host::external::FilePlayer;
use plyground_host::player::{Player, Random};
use plyground_host::protocol::LinePlayer;
use plyground_host::referee::{self, Conduct, Event, Interrupted, Observer, PlayedMove};
use plyground_host::{Ending, Reason};
use plyground_sandbox::{
    ByteSize, ProcessLimits, SandboxLevel, SandboxPolicy, availability, obstacle,
};

const ZOO: &str = env!("CARGO_BIN_EXE_zoo");

/// The time for a move: no program needs so much, on a busy computer either.
pub const LONG: Duration = Duration::from_secs(30);

/// The protocol by which an animal is talked to.
#[derive(Clone, Copy, Debug)]
pub enum Protocol {
    Line,
    File,
}

/// A game that an animal has played.
#[derive(Debug)]
#[allow(dead_code, reason = "not every test looks at everything")]
pub struct Game {
    pub ending: Ending,
    pub moves: Vec<PlayedMove>,
    /// The number of legal moves that were taken for illegal.
    pub rejections: usize,
    mark: String,
}

/// The levels of sandboxes that this system has, the greatest first. Without a sandbox there is always one.
#[allow(dead_code, reason = "not every test needs all")]
pub fn levels() -> Vec<SandboxLevel> {
    let all = [SandboxLevel::Full, SandboxLevel::User, SandboxLevel::None];
    all.into_iter().filter(|&level| obstacle(level, Some(Path::new(ZOO))).is_none()).collect()
}

/// Returns the treatment of animals: strict, in the best sandbox that this system has.
pub fn strict() -> SandboxPolicy {
    let limits = ProcessLimits {
        cpu: Some(Duration::from_secs(1)),
        wall: Some(LONG),
        memory: ByteSize::mib(64),
        output: ByteSize::mib(1),
        processes: 8,
        ..ProcessLimits::default()
    };
    let level = availability(Some(Path::new(ZOO))).level;
    SandboxPolicy { limits, level, supervisor: Some(ZOO.into()), ..SandboxPolicy::default() }
}

/// A word that no other process has among its arguments.
pub fn new_mark() -> String {
    static MARKS: AtomicU32 = AtomicU32::new(0);
    format!("mark-{}-{}-", std::process::id(), MARKS.fetch_add(1, Ordering::Relaxed))
}

#[allow(dead_code, reason = "not every test needs all")]
impl Game {
    /// The animal plays first, against a random player.
    pub fn against(protocol: Protocol, animal: &str) -> Game {
        Game::treated(protocol, animal, &new_mark(), strict())
    }

    /// The same, with this mark.
    pub fn treated(protocol: Protocol, animal: &str, mark: &str, policy: SandboxPolicy) -> Game {
        let words = [ZOO, animal, mark].map(str::to_owned).to_vec();
        Game::of(protocol, words, mark, policy)
    }

    /// A game of a program with these arguments. It is played again if the computer was too busy, as a
    /// referee does.
    pub fn of(protocol: Protocol, words: Vec<String>, mark: &str, policy: SandboxPolicy) -> Game {
        /// The number of games on a computer that other tests keep busy.
        const GAMES: usize = 20;
        let play = || Game::try_of(protocol, words.clone(), mark, policy.clone());
        let is_played = |game: &Result<Game, _>| !matches!(game, Err(Interrupted::System { .. }));
        let mut games = std::iter::repeat_with(play).take(GAMES);
        games.find(is_played).expect("a computer that is less busy").expect("a game")
    }

    /// The same, if nothing interrupts it.
    pub fn try_of(
        protocol: Protocol,
        mut words: Vec<String>,
        mark: &str,
        policy: SandboxPolicy,
    ) -> Result<Game, Interrupted> {
        let mut animal: Box<dyn Player> = match protocol {
            Protocol::Line => Box::new(LinePlayer::new(words, None, policy)),
            Protocol::File => {
                words.extend(["{in}", "{out}"].map(str::to_owned));
                Box::new(FilePlayer::new(words, policy, false))
            }
        };
        let mut watcher = Watcher::default();
        let players: [&mut dyn Player; 2] = [&mut *animal, &mut Random::new(1)];
        let played =
            referee::play(&maxconnect4::game().start(), players, &Conduct::default(), &mut watcher);
        drop(animal);
        let played = played?;
        Ok(Game {
            ending: played.ending,
            moves: played.moves,
            rejections: watcher.0,
            mark: mark.to_owned(),
        })
    }

    /// The reason for which the animal lost, if it did by its own fault.
    pub fn fault(&self) -> Option<String> {
        match &self.ending.reason {
            Reason::Forfeit { by, fault } => {
                assert_eq!(by.index(), 0, "the random player has no faults");
                Some(fault.to_string())
            }
            _ => None,
        }
    }

    /// Fails if a process of the animal is alive.
    #[track_caller]
    pub fn assert_nobody_left(&self) {
        let left = marked(&self.mark);
        assert!(left.is_empty(), "still alive: {left:?}");
    }
}

/// The processes that have the mark among their arguments, except this one.
pub fn marked(mark: &str) -> Vec<String> {
    // Elsewhere than on Linux nothing is known of other processes.
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let own = std::process::id().to_string();
    let ids = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_marked = |id: &String| {
        let arguments = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&arguments).contains(mark)
    };
    ids.filter(|id| *id != own && is_marked(id)).collect()
}

/// Waits until `done`, but not forever.
#[allow(dead_code, reason = "not every test waits")]
#[track_caller]
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if done() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("waited in vain until {what}");
}

/// Counts rejections.
#[derive(Default)]
struct Watcher(usize);

impl Observer for Watcher {
    fn observe(&mut self, event: &Event<'_>) -> std::io::Result<()> {
        self.0 += usize::from(matches!(event, Event::Rejected { .. }));
        Ok(())
    }
}
