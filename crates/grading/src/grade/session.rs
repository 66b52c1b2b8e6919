//! A grader, and its session with one player.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::time::Duration;

use plyground::search::Options;
use plyground::{Game, Side};
use plyground_arena::alone::Gate;
use plyground_arena::programs::{ProgramOptions, StderrLog};
use plyground_arena::seat::{PlayerSetup, PlayerTemplate, make_player};
use plyground_host::external::NotReady;
use plyground_host::player::{Absent, Player};
use plyground_host::referee::PlayedGame;
use plyground_host::state::LineEnds;
use plyground_host::{EngineOptions, Fault, Reason, SharedGame};
use plyground_sandbox::{Allowance, ProcessLimits, SandboxPolicy};

use super::draw::{DrawnCheck, Task};
use super::results::Finding;
use super::verdict::Shares;

/// A grader, with its checks and limits.
#[derive(Clone, Debug)]
pub struct Grader {
    /// The game, which is played from its start.
    pub game: SharedGame,
    /// The checks to make.
    pub checks: Vec<DrawnCheck>,
    /// The options for external programs. The wall-time limit for a move applies to all players.
    pub programs: ProgramOptions,
    /// The seed for all chance in games.
    pub seed: u64,
    /// The time that the programs of a player may take in all its checks. Whatever is not done by then
    /// has failed.
    pub total: Duration,
    /// The gate through which all checks go, many at a time or one alone.
    pub gate: Arc<Gate>,
    /// The number of games against random moves to review; 0 for none.
    pub reviewed: usize,
}

/// A player to grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examinee {
    /// The player, which may have a placeholder for the depth.
    pub player: PlayerTemplate,
    /// The name of the player's log.
    pub log: String,
}

/// The memory for the transposition table of an engine player, in MiB.
const TABLE: usize = 16;

/// The message when there is no time left.
pub(super) const NO_TIME: &str = "not done: the time for this submission is over";

/// The number of late answers in a row after which a program is asked only once in each check.
const PATIENCE: u32 = 3;

/// The message for a position in which such a program is not asked.
pub(super) const TOO_SLOW: &str = "not asked: the program exceeded its time again and again";

/// The games that a player has played against random moves at one depth.
pub(super) struct RandomGames {
    pub(super) depth: u32,
    pub(super) played: Vec<ExaminedGame>,
}

/// A game that a player has played against random moves.
pub(super) struct ExaminedGame {
    /// The player's side.
    pub(super) side: Side,
    pub(super) game: PlayedGame,
    /// The end of the program's standard error, if the player lost by a fault.
    pub(super) stderr: String,
}

impl ExaminedGame {
    /// Returns true if the player has won. A fault at the last move of a game, where there is only one
    /// move, decides nothing: it costs its own points elsewhere, so the move counts as made.
    pub(super) fn is_won(&self) -> bool {
        let position = &self.game.position;
        let mut moves = position.legal_moves();
        let (only, others) = (moves.next(), moves.next());
        let last = only.filter(|_| others.is_none() && self.fault().is_some());
        let outcome = last.and_then(|mv| position.after(mv).outcome());
        let winner = outcome.map_or(self.game.ending.winner, |outcome| outcome.winner());
        winner == Some(self.side)
    }

    /// Returns the fault by which the player lost, if it lost by one.
    pub(super) fn fault(&self) -> Option<&Fault> {
        match &self.game.ending.reason {
            Reason::Forfeit { by, fault } if *by == self.side => Some(fault),
            _ => None,
        }
    }
}

/// The grading of one player.
pub(super) struct Session<'a> {
    pub(super) grader: &'a Grader,
    pub(super) examinee: &'a Examinee,
    /// The time for the whole session.
    pub(super) allowance: Arc<Allowance>,
    pub(super) games: Vec<RandomGames>,
    pub(super) stderr: StderrLog,
    /// The line ends of the files that the player reads.
    pub(super) line_ends: LineEnds,
    /// The number of plies that is added to each depth that the player is told.
    pub(super) miscount: i32,
    /// True if the player moves, but has printed the score nowhere.
    pub(super) prints_no_score: bool,
    /// The side as which the player sees nothing, if known so far.
    pub(super) blind: Option<Side>,
    /// The things that a person should look at.
    pub(super) marks: Vec<String>,
    /// The reason why the OS could not run the player's program, if it could not.
    pub(super) trouble: OnceCell<String>,
    /// The number of late answers in a row.
    late: Cell<u32>,
}

impl<'a> Session<'a> {
    /// Begins a session.
    pub(super) fn new(grader: &'a Grader, examinee: &'a Examinee) -> Session<'a> {
        let logs = grader.programs.logs.as_ref();
        Session {
            grader,
            examinee,
            allowance: Arc::new(Allowance::new(grader.total)),
            games: Vec::new(),
            stderr: StderrLog::new(logs.map(|folder| folder.join(&examinee.log))),
            line_ends: LineEnds::CrLf,
            miscount: 0,
            prints_no_score: false,
            blind: None,
            marks: Vec::new(),
            trouble: OnceCell::new(),
            late: Cell::new(0),
        }
    }

    /// Makes the same check in every position.
    pub(super) fn each(
        &self,
        tasks: &[Task],
        mut check: impl FnMut(&Self, &Task) -> Result<(), Box<Finding>>,
    ) -> Shares {
        let mut shares = Shares::default();
        for (index, task) in tasks.iter().enumerate() {
            if self.trouble.get().is_some() {
                break;
            }
            if let Some(why) = self.why_unasked(index) {
                shares.add(Err(Finding::of_no_position(why.to_owned()).boxed()));
                continue;
            }
            let result = check(self, task);
            // An answer that was cut short says nothing about the player.
            let is_cut = self.allowance.is_over();
            let cut = || Err(Finding::of_no_position(NO_TIME.to_owned()).boxed());
            shares.add(if is_cut { cut() } else { result });
        }
        shares
    }

    /// Returns the reason not to ask the player again, if any. `asked` is the number of questions so
    /// far in this check.
    pub(super) fn why_unasked(&self, asked: usize) -> Option<&'static str> {
        if self.allowance.is_over() {
            return Some(NO_TIME);
        }
        (asked > 0 && self.late.get() >= PATIENCE).then_some(TOO_SLOW)
    }

    /// Counts late answers in a row.
    pub(super) fn heed_time(&self, fault: Option<&Fault>) {
        let is_late = matches!(fault, Some(Fault::WallLimit { .. } | Fault::CpuLimit { .. }));
        self.late.set(if is_late { self.late.get() + 1 } else { 0 });
    }

    /// Records a fault of the OS, and returns the fault.
    pub(super) fn heed(&self, fault: Fault) -> Fault {
        if let Fault::System { why } = &fault {
            // The first fault is as good as any other.
            let _ = self.trouble.set(why.clone());
        }
        fault
    }

    /// Returns the finding about a fault in a position.
    pub(super) fn fault_in(&self, task: &Task, fault: Fault) -> Finding {
        let fault = self.heed(fault);
        let stderr = self.stderr.end();
        Finding { stderr, ..Finding::at(&task.position, fault.to_string()) }
    }

    /// Returns the sandbox policy for a program. Earlier standard error is forgotten.
    pub(super) fn policy(&self) -> SandboxPolicy {
        self.stderr.forget();
        let policy = self.grader.programs.policy(None, None, &self.examinee.log);
        let log = self.stderr.path().map(ToOwned::to_owned);
        SandboxPolicy { allowance: Some(Arc::clone(&self.allowance)), log, ..policy }
    }

    /// Returns the sandbox policy for a program that must move within `limit`. The wall-time limit
    /// only ends programs that hang.
    pub(super) fn policy_for(&self, limit: Duration) -> SandboxPolicy {
        let policy = self.policy();
        let ProcessLimits { cpu, wall, .. } = policy.limits;
        let cpu = cpu.into_iter().chain([limit * 2]).min();
        let wall = wall.into_iter().chain([limit * 5]).max();
        SandboxPolicy { limits: ProcessLimits { cpu, wall, ..policy.limits.clone() }, ..policy }
    }

    /// Returns the depth to tell the player so that it looks `depth` plies ahead.
    pub(super) fn told(&self, depth: u32) -> u32 {
        depth.saturating_add_signed(self.miscount).max(1)
    }

    /// Creates a player for one game. It is told to look `depth` plies ahead if it can be told;
    /// `seed` is for its random choices.
    pub(super) fn seat(&self, depth: Option<u32>, seed: u64) -> Box<dyn Player> {
        self.seat_held(depth, seed, self.policy())
    }

    /// Creates a player for one game, with this sandbox policy if it is an external program.
    pub(super) fn seat_held(
        &self,
        depth: Option<u32>,
        seed: u64,
        policy: SandboxPolicy,
    ) -> Box<dyn Player> {
        let spec = match self.examinee.player.at(depth) {
            Ok(spec) => spec,
            Err(error) => return Box::new(Absent::new(NotReady::Program(error.to_string()))),
        };
        let search = Options { table_mib: TABLE, ..Options::default() };
        let setup = PlayerSetup {
            engine: EngineOptions { search, book: None, without_prepared: true },
            policy,
            // A slip costs only the points of the format.
            lenient: true,
            line_ends: self.line_ends,
            depth,
            seed,
            ..PlayerSetup::default()
        };
        make_player(&self.grader.game, &spec, setup)
    }
}

#[cfg(test)]
mod tests {
    use plyground_host::Ending;
    use plyground_host::toy::toy;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    /// A program that does not write the last move of a game loses points for legal moves, once.
    #[test]
    fn fault_at_the_only_last_move_decides_no_game() {
        let mut seen = [false; 2];
        for seed in 0..1000 {
            let start = toy().start();
            let mut rng = StdRng::seed_from_u64(seed);
            let (moves, end) = start.after_random_moves(&mut rng, usize::MAX);
            let before = moves.iter().rev().skip(1).rev();
            let position = before.fold(start.clone(), |position, &mv| position.after(mv));
            let side = position.side_to_move();
            let is_last = position.legal_moves().count() == 1;
            let ending = Ending {
                winner: Some(side.other()),
                reason: Reason::Forfeit { by: side, fault: Fault::NoMove },
            };
            let cpu = [Duration::ZERO; 2];
            let game = PlayedGame { start, moves: Vec::new(), position, ending, cpu, again: None };
            let played = ExaminedGame { side, game, stderr: String::new() };
            let wins = end.outcome().and_then(plyground::Outcome::winner) == Some(side);
            assert_eq!(played.is_won(), is_last && wins, "{end:?}");
            seen[usize::from(played.is_won())] = true;
        }
        assert_eq!(seen, [true; 2]);
    }
}
