//! The playing of a game, on this machine or another.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use plyground::Game;
use plyground::search::Options;
use plyground_arena::class_folder::SubmissionFolder;
use plyground_arena::programs::ProgramOptions;
use plyground_arena::seat::{PlayerSetup, PlayerTemplate, make_player};
use plyground_arena::second_try::Gate;
use plyground_arena::stderr_log::StderrLog;
use plyground_host::external::PreparedSubmission;
use plyground_host::player::{Player, PlayerSpec};
use plyground_host::record::{GameRecord, PlayerRecord};
use plyground_host::referee::{Conduct, Event, Interrupted, Observer, PLY_CAP, PlayedGame, play};
use plyground_host::{EngineOptions, MoveText, Reason, SharedGame};
use plyground_sandbox::{ProcessLimits, SandboxLevel};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::store::NewResult;

/// A game to be played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// The number of the game.
    pub game: i64,
    /// The nonce of the lease, which the result must carry.
    pub lease: String,
    /// The name of the game that is played.
    pub of: String,
    /// The name of its rules.
    pub rules: String,
    /// The moves of the opening.
    pub opening: Vec<String>,
    /// The seed of all random choices in the game.
    pub seed: i64,
    /// The limits of programs.
    pub limits: ProcessLimits,
    /// The level of sandboxes; `None` for the highest level that the machine has.
    pub sandbox: Option<SandboxLevel>,
    /// The players, the one that moves first at the front.
    pub seats: [SeatOrder; 2],
}

/// A player of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeatOrder {
    /// The name in the record.
    pub name: String,
    /// The hash of the upload; `None` for a built-in player.
    pub content: Option<String>,
    /// The player as text, with placeholders for an uploaded program.
    pub player: String,
    /// The depth that is given to the player.
    pub depth: Option<u32>,
}

impl SeatOrder {
    /// Returns the name of the player in the record: the hash of the program, or the text of a built-in player.
    #[must_use]
    pub fn signature(&self) -> &str {
        self.content.as_deref().unwrap_or(&self.player)
    }

    /// Returns the player. `place` returns the folder of a prepared program for the hash of its upload.
    fn spec(&self, place: &dyn Fn(&str) -> PathBuf) -> Result<PlayerSpec, String> {
        let template = PlayerTemplate::from(self.player.as_str());
        let Some(content) = &self.content else {
            return template.at(self.depth).map_err(|error| error.to_string());
        };
        let folder = submission(&place(content), &self.name)?;
        template.of_submission(&folder).at(self.depth).map_err(|error| error.to_string())
    }
}

/// Returns the prepared submission in this folder.
///
/// # Errors
///
/// Returns an error if the submission is not prepared.
pub fn submission(path: &Path, name: &str) -> Result<SubmissionFolder, String> {
    let prepared = PreparedSubmission::read(path).map_err(|error| error.to_string())?;
    let prepared = prepared.ok_or_else(|| format!("{}: it is not prepared", path.display()))?;
    let path = path.to_str().ok_or("expected a path in UTF-8")?.to_owned();
    Ok(SubmissionFolder { name: name.to_owned(), path, prepared: Some(prepared) })
}

/// The result of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of the game.
    pub game: i64,
    /// The nonce of the lease.
    pub lease: String,
    /// The record.
    pub record: String,
    /// The last parts of the standard error of both programs, if one of the programs lost by a fault.
    pub stderr: [String; 2],
}

impl Outcome {
    /// Checks the result against the rules of the game and the assignment.
    ///
    /// # Errors
    ///
    /// Returns the reason if the result is not proved.
    pub(crate) fn judged(
        &self,
        assignment: &Assignment,
        game: &SharedGame,
        worker: &str,
    ) -> Result<NewResult, String> {
        let record = GameRecord::parse(&self.record).map_err(|error| error.to_string())?;
        let header = &record.header;
        if header.game != assignment.of || header.rules != assignment.rules {
            return Err("it is of another game".to_owned());
        }
        for (player, seat) in [&header.first, &header.second].into_iter().zip(&assignment.seats) {
            if player.name != seat.name || player.player != seat.signature() {
                return Err(format!("expected {} as {}", seat.name, seat.signature()));
            }
        }
        let start = game.start();
        if header.start != start.state_word() {
            return Err("it begins from another position".to_owned());
        }
        let played = record.check_from(&start).map_err(|error| error.to_string())?;
        let forced = played.moves.iter().take_while(|it| it.forced).map(|it| it.mv.to_string());
        if !forced.eq(assignment.opening.iter().cloned()) {
            return Err("it has another opening".to_owned());
        }
        // A record is consistent with a cap of any number of plies, but the referee of a league has one.
        if let Reason::PlyCap { plies } = played.ending.reason
            && plies != PLY_CAP
        {
            return Err(format!("it is a draw after {plies} plies: expected {PLY_CAP}"));
        }
        let reason = played
            .ending
            .reason
            .words(|| played.ending.words(&played.position), |side| game.side_name(side));
        Ok(NewResult {
            winner: played.ending.winner,
            result: played.ending.result(),
            reason,
            fault: played.ending.reason.fault().map(|(side, _)| side),
            fault_word: played.ending.reason.fault().map(|(_, fault)| fault.word()),
            again: played.again.clone(),
            plies: played.moves.len(),
            record: self.record.clone(),
            stderr: self.stderr.clone().map(|text| text.chars().take(4_000).collect()),
            worker: worker.to_owned(),
        })
    }
}

/// The number of failures of a machine in a row, over all of its games at a time.
#[derive(Debug, Default)]
pub(crate) struct Failures(AtomicU32);

impl Failures {
    /// The pause after the first failure, and the longest pause.
    const PAUSES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(600)];

    /// Forgets the failures, because the machine has played a game.
    pub(crate) fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Counts a failure, and returns the number of failures in a row and the pause after this one. Each pause is twice
    /// as long as the one before, so that a machine that fails at every game makes few games void.
    pub(crate) fn add(&self) -> (u32, Duration) {
        let [first, longest] = Failures::PAUSES;
        let before = self.0.fetch_add(1, Ordering::Relaxed);
        (before + 1, first.saturating_mul(1 << before.min(16)).min(longest))
    }
}

/// Waits for some time, or until `stop` is set.
pub(crate) fn rest(stop: &AtomicBool, pause: Duration) {
    const STEP: Duration = Duration::from_millis(200);
    let mut left = pause;
    while !left.is_zero() && !stop.load(Ordering::Relaxed) {
        let step = left.min(STEP);
        thread::sleep(step);
        left -= step;
    }
}

/// The memory for the transposition table of a built-in player, in MiB.
const TABLE: usize = 16;

/// The reason why a game is not played.
#[derive(Debug, Error)]
pub enum NotPlayed {
    /// This machine cannot start the program in a seat. Other games are not affected.
    #[error("{why}")]
    Seat {
        /// The index of the seat.
        seat: usize,
        /// The reason, in one line.
        why: String,
    },
    /// This machine failed, or the game was stopped. The text is one line.
    #[error("{0}")]
    Machine(String),
}

impl NotPlayed {
    /// Returns the seat whose program this machine cannot start, if that is the reason.
    #[must_use]
    pub fn seat(&self) -> Option<usize> {
        if let NotPlayed::Seat { seat, .. } = self { Some(*seat) } else { None }
    }
}

impl From<Interrupted> for NotPlayed {
    fn from(why: Interrupted) -> NotPlayed {
        NotPlayed::Machine(why.to_string())
    }
}

/// A place where games are played.
pub struct Table {
    /// The game, under the rules of the league.
    pub game: SharedGame,
    /// The gate of all games on this machine.
    pub gate: Arc<Gate>,
    /// The flag that ends games.
    pub stop: Arc<AtomicBool>,
}

/// An observer that calls a function with the moves so far after each move.
struct Watching<'a> {
    moves: Vec<MoveText>,
    show: &'a mut dyn FnMut(&[MoveText]),
}

impl Observer for Watching<'_> {
    fn observe(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Moved { played, .. } = event {
            self.moves.push(played.mv);
            (self.show)(&self.moves);
        }
        Ok(())
    }
}

impl Table {
    /// Plays a game, and shows the moves so far after each move. If the computer fails at the game, the game is played
    /// once more, alone, and the moves begin again.
    ///
    /// # Errors
    ///
    /// Returns an error if a program cannot be started here, if the computer failed twice, or if the game was stopped.
    pub fn play(
        &self,
        order: &Assignment,
        place: &dyn Fn(&str) -> PathBuf,
        show: &mut dyn FnMut(&[MoveText]),
    ) -> Result<Outcome, NotPlayed> {
        let logs = [StderrLog::new(None), StderrLog::new(None)];
        let system = |why: String| Interrupted::System { why };
        let sandbox = order.sandbox;
        let programs = ProgramOptions { sandbox, ..ProgramOptions::default() };
        let spec = |seat: usize| {
            let spec = order.seats[seat].spec(place).and_then(|spec| {
                let ready = spec.command().map_or(Ok(()), |command| programs.check_start(command));
                ready.map(|()| spec).map_err(|why| why.to_string())
            });
            let name = &order.seats[seat].name;
            spec.map_err(|why| NotPlayed::Seat { seat, why: format!("{name}: {why}") })
        };
        let specs = [spec(0)?, spec(1)?];
        let played = self.gate.through(|again| {
            let game = self.play_once(order, &specs, &logs, show)?;
            Ok(PlayedGame { again: again.map(str::to_owned), ..game })
        })?;
        if self.stop.load(Ordering::Relaxed) {
            return Err(system("the server stops".to_owned()).into());
        }
        let player = |seat: &SeatOrder| PlayerRecord {
            name: seat.name.clone(),
            player: seat.signature().to_owned(),
        };
        let record = GameRecord::of(&played, order.seats.each_ref().map(player));
        let record = record.to_text().map_err(|error| system(error.to_string()))?;
        let is_fault = played.ending.reason.fault().is_some();
        let stderr = logs.each_ref().map(|log| if is_fault { log.end() } else { String::new() });
        Ok(Outcome { game: order.game, lease: order.lease.clone(), record, stderr })
    }

    fn play_once(
        &self,
        order: &Assignment,
        specs: &[PlayerSpec; 2],
        logs: &[StderrLog; 2],
        show: &mut dyn FnMut(&[MoveText]),
    ) -> Result<PlayedGame, Interrupted> {
        let start = self.game.start();
        let mut position = start.clone();
        let mut opening = Vec::new();
        for text in &order.opening {
            let illegal = || Interrupted::Opening { why: format!("`{text}`") };
            let mv = position.parse_move(text).ok_or_else(illegal)?;
            position.play(mv).map_err(|_| illegal())?;
            opening.push(mv);
        }
        let wall_limit = order.limits.wall;
        let conduct = Conduct { wall_limit, ply_cap: PLY_CAP, opening };
        let mut rng = StdRng::seed_from_u64(order.seed.unsigned_abs());
        let [mut first, mut second] = [0, 1].map(|side| {
            self.seat(order, &specs[side], &logs[side], order.seats[side].depth, rng.random())
        });
        let mut watching = Watching { moves: Vec::new(), show };
        play(&start, [&mut *first, &mut *second], &conduct, &mut watching)
    }

    fn seat(
        &self,
        order: &Assignment,
        spec: &PlayerSpec,
        log: &StderrLog,
        depth: Option<u32>,
        seed: u64,
    ) -> Box<dyn Player + Send + '_> {
        log.forget();
        let (limits, sandbox) = (order.limits.clone(), order.sandbox);
        let programs = ProgramOptions { limits, sandbox, ..ProgramOptions::default() };
        let mut policy = programs.policy(None, Some(Arc::clone(&self.stop)), "log");
        policy.log = log.path().map(Path::to_owned);
        let search = Options { table_mib: TABLE, ..Options::default() };
        let book = self.game.book().ok().flatten();
        let setup = PlayerSetup {
            engine: EngineOptions { search, book, ..EngineOptions::default() },
            policy,
            depth,
            seed,
            ..PlayerSetup::default()
        };
        make_player(&self.game, spec, setup)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn pause_of_a_machine_grows_until_the_machine_plays() {
        let failures = Failures::default();
        let pauses: Vec<u64> = (0..4).map(|_| failures.add().1.as_secs()).collect();
        assert_eq!(pauses, [2, 4, 8, 16]);
        for _ in 0..100 {
            failures.add();
        }
        assert_eq!(failures.add(), (105, Duration::from_secs(600)));
        failures.forget();
        assert_eq!(failures.add(), (1, Duration::from_secs(2)));
    }

    #[test]
    fn missing_language_is_the_fault_of_the_machine() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let facts = "source = 'x'\nkey = 'k'\nstatus = 'ready'\nstart = 'python1 play.py'\n";
        fs::write(folder.path().join("plyground.toml"), facts)?;
        fs::create_dir(PreparedSubmission::program(folder.path()))?;
        let game = games::named("maxconnect4").ok_or("no game")?;
        let seat = |name: &str, content: Option<&str>, player: &str| SeatOrder {
            name: name.to_owned(),
            content: content.map(str::to_owned),
            player: player.to_owned(),
            depth: None,
        };
        let [uploaded, ours] =
            [seat("version 7", Some("c"), "line:{start}"), seat("version 1", None, "random")];
        for (seats, at) in [([uploaded.clone(), ours.clone()], 0), ([ours, uploaded], 1)] {
            let order = Assignment {
                game: 1,
                lease: String::new(),
                of: game.name().to_owned(),
                rules: game.rules(),
                opening: Vec::new(),
                seed: 1,
                limits: ProcessLimits::default(),
                sandbox: Some(SandboxLevel::None),
                seats,
            };
            let table = Table { game: game.clone(), gate: Arc::default(), stop: Arc::default() };
            let place = |_: &str| folder.path().to_owned();
            let why = table.play(&order, &place, &mut |_| ()).expect_err("a missing language");
            assert!(matches!(why, NotPlayed::Seat { seat, .. } if seat == at), "{why}");
            let why = why.to_string();
            assert!(why.contains("version 7: this system lacks `python1`, needed for "), "{why}");
        }
        Ok(())
    }
}
