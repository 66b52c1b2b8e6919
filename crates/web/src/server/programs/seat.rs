//! One process of a program, which plays one side of one game of a client, and the views of the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use plyground::{Game, Side};
use plyground_arena::programs::ProgramOptions;
use plyground_arena::seat::{PlayerSetup, make_player};
use plyground_arena::stderr_log::StderrLog;
use plyground_host::player::{Answer, Player, PlayerSpec, ProposedMove, Turn};
use plyground_host::protocol::{InfoLines, ProgramInfo};
use plyground_host::{Ending, Fault, HostedPosition, MoveText};
use serde::Serialize;

use crate::questions::{MoveView, ReplayedGame, ScoreView, variation};
use crate::server::site::Refusal;
use crate::{lock, milliseconds};

/// The prefix of the name of a program among the players of the page.
const KIND: &str = "player:";

/// A program that the page requests: `player:NAME`, or `player:NAME,depth=N`. The operator of the server gives the
/// names; only the depth goes from the page into a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WantedProgram {
    pub(crate) name: String,
    /// The depth in plies to give to the program.
    pub(crate) depth: Option<u32>,
}

impl WantedProgram {
    /// Reads the name of a player on the page; returns `None` if the player is not a program.
    ///
    /// # Errors
    ///
    /// Returns an error if the depth is not a positive number.
    pub(crate) fn read(player: &str) -> Result<Option<WantedProgram>, Refusal> {
        let Some(rest) = player.strip_prefix(KIND) else { return Ok(None) };
        let Some((name, depth)) = rest.split_once(",depth=") else {
            return Ok(Some(WantedProgram { name: rest.to_owned(), depth: None }));
        };
        let depth = depth.parse().ok().filter(|&depth: &u32| depth > 0);
        let depth = depth.ok_or_else(|| Refusal::input("expected a depth of 1 or more"))?;
        Ok(Some(WantedProgram { name: name.to_owned(), depth: Some(depth) }))
    }
}

/// The player of a program; `None` before its first turn and after its end.
type Process = Option<Box<dyn Player + Send>>;

/// One process of a program and the line of play that the program knows. A game that does not continue this line needs
/// another seat and another process.
pub(crate) struct Seat {
    pub(crate) wanted: WantedProgram,
    spec: PlayerSpec,
    side: Side,
    /// The position in which the game began.
    start: HostedPosition,
    /// The flag that ends the process.
    stop: Arc<AtomicBool>,
    log: StderrLog,
    info: InfoLines,
    progress: Mutex<Progress>,
    process: Arc<tokio::sync::Mutex<Process>>,
}

/// The progress of the game of a seat.
struct Progress {
    /// The moves that the program knows.
    known: Vec<MoveText>,
    state: SeatState,
    /// The time of the last request to the program.
    asked: Instant,
    objection: Option<String>,
}

/// The process of a seat, locked for one request.
pub(crate) type HeldProcess = tokio::sync::OwnedMutexGuard<Process>;

impl Seat {
    /// Creates a seat in a game. The program is started at its first turn. `log` is the file for the standard error of
    /// the program, if there is one.
    pub(crate) fn new(
        wanted: WantedProgram,
        spec: PlayerSpec,
        replayed: &ReplayedGame,
        log: Option<std::path::PathBuf>,
    ) -> Seat {
        let progress = Progress {
            known: Vec::new(),
            state: SeatState::Waiting,
            asked: Instant::now(),
            objection: None,
        };
        Seat {
            wanted,
            spec,
            side: replayed.position.side_to_move(),
            start: replayed.position_at(0).unwrap_or(&replayed.position).clone(),
            stop: Arc::default(),
            log: StderrLog::new(log),
            info: InfoLines::default(),
            progress: Mutex::new(progress),
            process: Arc::default(),
        }
    }

    /// Returns true if the game has all the moves that the program knows, and perhaps more.
    pub(crate) fn continues_in(&self, replayed: &ReplayedGame) -> bool {
        self.progress().known.len() <= replayed.past.len() && self.is_in_line_with(replayed)
    }

    /// Returns true if the game and the moves that the program knows agree as far as both go.
    pub(crate) fn is_in_line_with(&self, replayed: &ReplayedGame) -> bool {
        let begins = replayed.position_at(0).is_some_and(|start| is_same(start, &self.start));
        let moves = replayed.past.iter().map(|(_, mv)| mv);
        begins && self.progress().known.iter().zip(moves).all(|(known, mv)| known == mv)
    }

    /// Returns true if the program has a process, or will have one at its first turn.
    pub(crate) fn is_alive(&self) -> bool {
        self.progress().state != SeatState::Ended
    }

    pub(crate) fn is_thinking(&self) -> bool {
        self.progress().state == SeatState::Thinking
    }

    /// Returns the time since the last request to the program.
    pub(crate) fn idle(&self) -> Duration {
        self.progress().asked.elapsed()
    }

    pub(crate) fn view(&self) -> SeatView {
        let (errors, info) = (self.log.end(), self.info.text());
        let Progress { state, objection, .. } = &*self.progress();
        let (state, objection) = (*state, objection.clone());
        SeatView { name: self.wanted.name.clone(), state, errors, info, objection }
    }

    /// Waits until no other request uses the process, and locks the process.
    pub(crate) async fn hold(&self) -> HeldProcess {
        Arc::clone(&self.process).lock_owned().await
    }

    /// Ends the process soon, regardless of its state, without waiting for its exit.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.progress().state = SeatState::Ended;
    }

    /// Ends the process, and waits for its exit. The method blocks, so a thread that serves connections must not call
    /// it.
    pub(crate) fn end(&self) {
        self.stop();
        *self.process.blocking_lock() = None;
    }

    /// Returns the move of the program in the last position of a game that [continues](Seat::continues_in) the known
    /// line, or the fault by which the program loses. A fault ends the process.
    ///
    /// # Errors
    ///
    /// Returns an error if the seat has been stopped, or if the system and not the program is at fault.
    pub(crate) fn choose(
        &self,
        held: &mut HeldProcess,
        replayed: &ReplayedGame,
        options: &ProgramOptions,
    ) -> Result<TurnView, Fault> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Fault::Quit);
        }
        self.progress().state = SeatState::Thinking;
        let player = match &mut **held {
            Some(player) => player,
            none => none.insert(self.player(replayed, options)),
        };
        let position = &replayed.position;
        let told = self.tell(player.as_mut(), replayed);
        let (started, cpu) = (Instant::now(), player.cpu_time());
        let chosen =
            told.and_then(|()| legal(player.choose_move(&Turn::new(position, None))?, position));
        let times = [started.elapsed(), player.cpu_time().saturating_sub(cpu)];
        let mut progress = self.progress();
        progress.asked = Instant::now();
        match &chosen {
            Ok(chosen) => {
                progress.known.push(chosen.mv);
                // Another request may have ended the program in the meantime.
                if progress.state == SeatState::Thinking {
                    progress.state = SeatState::Waiting;
                }
            }
            Err(_) => progress.state = SeatState::Ended,
        }
        drop(progress);
        if chosen.is_err() {
            // After the exit of the process, the log has all of its output.
            **held = None;
        }
        match chosen {
            Err(fault @ Fault::System { .. }) => Err(fault),
            chosen => Ok(TurnView::new(position, chosen, &self.info.said(), times)),
        }
    }

    /// Tells the program the end of a game that continues the known line, and ends the program.
    pub(crate) fn finish(&self, held: &mut HeldProcess, replayed: &ReplayedGame, ending: &Ending) {
        if let Some(mut player) = held.take()
            && self.tell(player.as_mut(), replayed).is_ok()
        {
            player.game_over(ending);
        }
        self.progress().state = SeatState::Ended;
    }

    fn player(&self, replayed: &ReplayedGame, options: &ProgramOptions) -> Box<dyn Player + Send> {
        let mut policy = options.policy(None, Some(Arc::clone(&self.stop)), "");
        policy.log = self.log.path().map(Into::into);
        let setup = PlayerSetup {
            policy,
            lenient: options.lenient,
            depth: self.wanted.depth,
            info: Some(self.info.clone()),
            ..PlayerSetup::default()
        };
        make_player(&replayed.position.game(), &self.spec, setup)
    }

    /// Tells the program the moves after the known line.
    fn tell(&self, player: &mut dyn Player, replayed: &ReplayedGame) -> Result<(), Fault> {
        let known = self.progress().known.len();
        for (before, mv) in replayed.past.iter().skip(known) {
            let agrees = if before.side_to_move() == self.side {
                player.force_move(before, *mv)
            } else {
                player.opponent_move(before, *mv)
            };
            if let Some(fault) = player.lost() {
                return Err(fault.clone());
            }
            let mut progress = self.progress();
            progress.known.push(*mv);
            progress.objection = if agrees { None } else { Some(mv.to_string()) };
        }
        Ok(())
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }
}

/// Returns true if two positions are equal, with the same game and the same rules.
fn is_same(one: &HostedPosition, other: &HostedPosition) -> bool {
    let (game, others) = (one.game(), other.game());
    (game.name(), game.rules()) == (others.name(), others.rules())
        && one.state_word() == other.state_word()
}

/// Returns the move of an answer, if it is legal.
fn legal(answer: Answer, position: &HostedPosition) -> Result<ProposedMove, Fault> {
    answer.legal_move(position)?;
    match answer {
        Answer::Move(chosen) => Ok(chosen),
        Answer::TakeBack => Err(Fault::NoMove),
    }
}

/// A program that plays a side.
#[derive(Debug, Serialize)]
pub(crate) struct SeatView {
    pub(crate) name: String,
    pub(crate) state: SeatState,
    /// The last part of the standard error of the program.
    pub(crate) errors: String,
    /// The last `info ...` lines of the program, without the word `info`.
    pub(crate) info: String,
    /// The last legal move to which the program objected as illegal.
    pub(crate) objection: Option<String>,
}

/// The state of the process of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SeatState {
    /// It is the program's turn.
    Thinking,
    /// It is not the program's turn.
    Waiting,
    /// The process has ended.
    Ended,
}

/// The result of the turn of a program.
#[derive(Debug, Serialize)]
pub(crate) struct TurnView {
    /// The move, if the program has made one.
    #[serde(flatten)]
    mv: Option<MoveView>,
    /// The value of the move according to the program.
    score: Option<ScoreView>,
    /// The depth in plies according to the program.
    depth: Option<u32>,
    /// The number of positions visited according to the program.
    nodes: Option<u64>,
    /// The principal variation according to the program, up to the first illegal move.
    pv: Vec<MoveView>,
    /// The fault by which the program loses, if there is one.
    fault: Option<String>,
    /// The wall-clock time of the turn, in milliseconds.
    wall_ms: u64,
    /// The CPU time of the turn in milliseconds.
    cpu_ms: u64,
}

impl TurnView {
    pub(crate) fn new(
        position: &HostedPosition,
        chosen: Result<ProposedMove, Fault>,
        said: &ProgramInfo,
        [wall, cpu]: [Duration; 2],
    ) -> TurnView {
        let (chosen, fault) = match chosen {
            Ok(chosen) => (Some(chosen), None),
            Err(fault) => (None, Some(fault.to_string())),
        };
        // A value sent with the move takes precedence over one sent before.
        let value = chosen.and_then(|chosen| chosen.value).or(said.value);
        let score =
            value.map(|value| ScoreView::new(&*position.game(), position.side_to_move(), value));
        TurnView {
            mv: chosen.map(|chosen| MoveView::new(position, chosen.mv)),
            score,
            depth: chosen.and_then(|chosen| chosen.depth).or(said.depth),
            nodes: said.nodes,
            pv: variation(position, &said.pv),
            fault,
            wall_ms: milliseconds(wall),
            cpu_ms: milliseconds(cpu),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_depth_are_read() {
        let read = |text: &str| WantedProgram::read(text).map_err(drop);
        let wanted = |name: &str, depth| Ok(Some(WantedProgram { name: name.to_owned(), depth }));
        assert_eq!(read("player:bob"), wanted("bob", None));
        assert_eq!(read("player:bob,depth=5"), wanted("bob", Some(5)));
        for other in ["human", "machine:depth=2", "line:cat", "bob"] {
            assert_eq!(read(other), Ok(None), "{other}");
        }
        for wrong in ["player:bob,depth=0", "player:bob,depth=x", "player:bob,depth=-1"] {
            assert_eq!(read(wrong), Err(()), "{wrong}");
        }
    }
}
