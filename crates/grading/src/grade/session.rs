//! A grader, and its session with one player.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;
use std::time::Duration;

use plyground::search::Options;
use plyground::{Game, Side};
use plyground_arena::programs::ProgramOptions;
use plyground_arena::seat::{PlayerSetup, PlayerTemplate, make_player};
use plyground_arena::second_try::Gate;
use plyground_arena::stderr_log::StderrLog;
use plyground_host::external::{KnownLineEnds, NotReady};
use plyground_host::player::{Absent, Player, PlayerSpec, Turn};
use plyground_host::referee::PlayedGame;
use plyground_host::{EngineOptions, Fault, HostedPosition, Reason, SharedGame};
use plyground_sandbox::{Allowance, ProcessLimits, SandboxPolicy};

use super::draw::{DrawnCheck, Task};
use super::results::{Finding, Outcome};
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
    /// The time that the programs of a player may take in all its checks. Checks that are not done by
    /// then have failed.
    pub total: Duration,
    /// The gate that lets all checks through, many at a time or one alone.
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

/// The depth at which a class shows whether it moves if it is told a depth.
const USUAL_DEPTH: u32 = 2;

/// The mark of a player that is told no depth.
pub(super) const WITHOUT_DEPTH: &str = "does not move if it is told a depth, so it is told none";

/// The message when there is no time left.
pub(super) const NO_TIME: &str = "not done: the time for this submission is over";

/// The number of late answers in a row after which a program is asked only once in each check.
const PATIENCE: u32 = 3;

/// The message for a position in which a program that is late too often is not asked.
const TOO_SLOW: &str = "not asked: the program exceeded its time again and again";

/// The games that a player has played against random moves at one depth.
pub(super) struct RandomGames {
    /// The depth that the player is told.
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
    /// Returns true if the player has won. If the player fails at the last move of a game, and only
    /// one move is legal, the move counts as made, because another check takes points for the fault.
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
    /// The time of the session at the end of the last of these games.
    pub(super) kept: Duration,
    pub(super) stderr: StderrLog,
    /// The line ends of the files that the player reads.
    pub(super) line_ends: KnownLineEnds,
    /// The number of plies that is added to each depth that the player is told.
    pub(super) miscount: i32,
    /// If true, the player moves only if it is told no depth, so it is told none.
    pub(super) without_depth: bool,
    /// For each [`Role`](super::judging::Role), true if the player accepts one of the legal moves at least; `None` if
    /// it was not asked.
    pub(super) accepts: [Option<bool>; 2],
    /// If true, the files that the player writes are not in the format of the input.
    pub(super) slips_in_format: bool,
    /// If true, the player moves, but does not print the right scores before its moves.
    pub(super) omits_score: bool,
    /// The side as which the player sees nothing, if known so far.
    pub(super) blind: Option<Side>,
    /// The things that a person should look at.
    pub(super) marks: Vec<String>,
    /// The reason why the OS could not run the player's program, if it could not.
    pub(super) trouble: OnceCell<String>,
    /// The number of late answers in a row.
    late: Cell<u32>,
    /// If true, the player was lost at least once when it was told of the moves that lead to a position.
    pub(super) lost_early: Cell<bool>,
    /// If true, the player keeps moves of its opponent, but no own moves that it is told.
    pub(super) forgets: bool,
    /// The number of legal moves that the player has made, and the number of moves that it was asked for.
    pub(super) moves: Cell<[u32; 2]>,
}

impl<'a> Session<'a> {
    pub(super) fn new(grader: &'a Grader, examinee: &'a Examinee) -> Session<'a> {
        let logs = grader.programs.logs.as_ref();
        Session {
            grader,
            examinee,
            allowance: Arc::new(Allowance::new(grader.total)),
            games: Vec::new(),
            stderr: StderrLog::new(logs.map(|folder| folder.join(&examinee.log))),
            line_ends: KnownLineEnds::default(),
            miscount: 0,
            without_depth: false,
            accepts: [None; 2],
            slips_in_format: false,
            omits_score: false,
            blind: None,
            marks: Vec::new(),
            trouble: OnceCell::new(),
            late: Cell::new(0),
            lost_early: Cell::new(false),
            forgets: false,
            kept: Duration::ZERO,
            moves: Cell::new([0; 2]),
        }
    }

    /// Adds a mark, once: a check that is made again gives the same mark again.
    pub(super) fn mark(&mut self, mark: String) {
        self.marks.retain(|it| *it != mark);
        self.marks.push(mark);
    }

    /// Makes the same check in every position.
    pub(super) fn each(
        &self,
        tasks: &[Task],
        mut check: impl FnMut(&Self, &Task) -> Outcome,
    ) -> Shares {
        self.each_asked(tasks, |session, task, unasked| {
            Some(match unasked {
                Some(why) => Err(Finding::of_no_position(why).into()),
                None => check(session, task),
            })
        })
    }

    /// Makes a check in each position like [`Session::each`]. `check` has the reason not to ask a player that is late
    /// again and again, and returns `None` for a position that is no part of the check.
    pub(super) fn each_asked(
        &self,
        tasks: &[Task],
        mut check: impl FnMut(&Self, &Task, Option<&str>) -> Option<Outcome>,
    ) -> Shares {
        let mut shares = Shares::default();
        let over = || Err(Finding::of_no_position(NO_TIME).into());
        for (index, task) in tasks.iter().enumerate() {
            if self.trouble.get().is_some() {
                break;
            }
            if self.allowance.is_over() {
                shares.add(over());
                continue;
            }
            let result = check(self, task, self.why_unasked(index));
            // An answer that was cut short says nothing about the player.
            let result = if self.allowance.is_over() { Some(over()) } else { result };
            result.into_iter().for_each(|result| shares.add(result));
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

    pub(super) fn heed_time(&self, fault: Option<&Fault>) {
        let is_late = fault.is_some_and(Fault::is_late);
        self.late.set(if is_late { self.late.get() + 1 } else { 0 });
    }

    /// Counts a move that the player was asked for.
    pub(super) fn heed_move(&self, is_made: bool) {
        let [made, asked] = self.moves.get();
        self.moves.set([made + u32::from(is_made), asked + 1]);
    }

    /// Records a fault of the OS, and returns the fault.
    pub(super) fn heed(&self, fault: Fault) -> Fault {
        if let Fault::System { why } = &fault {
            // Only the first fault is kept, because one reason is enough to repeat the check.
            let _ = self.trouble.set(why.clone());
        }
        fault
    }

    /// Returns the finding about a position. `depth` is the depth that was told, if the player can be
    /// told a depth. `said` is the whole text, such as `expected a legal move, found ...`.
    pub(super) fn finding(
        &self,
        position: &HostedPosition,
        depth: Option<u32>,
        said: String,
    ) -> Finding {
        let player = &self.examinee.player;
        // The line protocol and the classes of Java name the depth without a placeholder.
        let is_told = player.has_depth()
            || matches!(player.at(None), Ok(PlayerSpec::Line(_) | PlayerSpec::Java(_)));
        let told = depth.filter(|_| is_told && !self.without_depth);
        Finding { told, ..Finding::at(position, said) }
    }

    /// Returns the finding about a fault in a position in which the player was told `depth`.
    pub(super) fn fault_in(&self, task: &Task, depth: Option<u32>, fault: Fault) -> Finding {
        let fault = self.heed(fault);
        self.finding_of(&task.position, depth, &fault, self.stderr.end())
    }

    pub(super) fn finding_of(
        &self,
        position: &HostedPosition,
        depth: Option<u32>,
        fault: &Fault,
        stderr: String,
    ) -> Finding {
        let said = match fault {
            Fault::Quit => format!("{fault}: it ended, or gave up, in place of a move"),
            _ => fault.to_string(),
        };
        Finding { stderr, ..self.finding(position, depth, said) }
    }

    /// Returns the sandbox policy for a program, and forgets earlier standard error.
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

    /// Creates a player for one game. A player that accepts a depth is told to look `depth` plies
    /// ahead. Only the player `random` has the `seed`: programs and engines have none.
    pub(super) fn seat(&self, depth: Option<u32>, seed: u64) -> Box<dyn Player> {
        self.seat_held(depth, seed, self.policy())
    }

    /// Finds out whether a class of Java moves only if it is told no depth, because its constructor with a depth is
    /// unfinished. That costs the points of the depth, and not those of every move.
    pub(super) fn heed_depth(&mut self) {
        let is_class = matches!(self.examinee.player.at(None), Ok(PlayerSpec::Java(_)));
        if !is_class || self.grader.checks.iter().all(|drawn| drawn.check.keys.depth.is_none()) {
            return;
        }
        let position = self.grader.game.start();
        let moves = |depth| {
            let mut player = self.seat(depth, self.grader.seed);
            let turn = Turn::new(&position, self.grader.programs.limits.wall);
            let answer = player.choose_move(&turn).and_then(|answer| answer.legal_move(&position));
            answer.map_err(|fault| self.heed(fault))
        };
        // A slow player is slow without a depth, too.
        let fails = moves(Some(USUAL_DEPTH)).is_err_and(|fault| !fault.is_late());
        self.without_depth = fails && moves(None).is_ok();
        if self.without_depth {
            self.mark(WITHOUT_DEPTH.to_owned());
        }
    }

    /// Creates a player for one game, with this sandbox policy if it is an external program.
    pub(super) fn seat_held(
        &self,
        depth: Option<u32>,
        seed: u64,
        policy: SandboxPolicy,
    ) -> Box<dyn Player> {
        let depth = depth.filter(|_| !self.without_depth);
        let spec = match self.examinee.player.at(depth) {
            Ok(spec) => spec,
            Err(error) => return Box::new(Absent::new(NotReady::Program(error.to_string()))),
        };
        let search = Options { table_mib: TABLE, ..Options::default() };
        let setup = PlayerSetup {
            engine: EngineOptions { search, book: None, without_prepared: true },
            policy,
            // A slip costs points only in the check of the format.
            lenient: true,
            line_ends: self.line_ends.clone(),
            depth,
            seed,
            ..PlayerSetup::default()
        };
        make_player(&self.grader.game, &spec, setup)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use plyground_host::toy::toy;

    use super::*;

    /// Returns a grader without checks, whose time is over.
    pub(in crate::grade) fn grader() -> Grader {
        Grader {
            game: toy(),
            checks: Vec::new(),
            programs: ProgramOptions::default(),
            seed: 1,
            total: Duration::ZERO,
            gate: Arc::default(),
            reviewed: 0,
        }
    }

    #[test]
    fn word_quit_is_explained() {
        let (grader, toy) = (grader(), toy().start());
        let examinee = Examinee { player: "line:program".into(), log: String::new() };
        let session = Session::new(&grader, &examinee);
        let said = |fault| session.finding_of(&toy, None, &fault, String::new()).said;
        assert_eq!(said(Fault::Quit), "quit: it ended, or gave up, in place of a move");
        assert_eq!(said(Fault::NoMove), "no move");
    }
}
