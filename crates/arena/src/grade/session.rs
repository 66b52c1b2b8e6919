//! Holds a player to the checks.

use std::cell::OnceCell;
use std::time::Duration;

use plyground::Game;
use plyground::search::Options;
use plyground_cage::SandboxPolicy;
use plyground_host::Fault;
use plyground_host::external::NotReady;
use plyground_host::player::{Absent, Player, Turn};
use plyground_host::referee::Interrupted;
use plyground_host::{Ending, EngineOptions, HostedPosition, MoveText};

use super::alarm::Alarm;
use super::check::CheckKind;
use super::expect::best_moves;
use super::games::RandomGames;
use super::grader::{Examinee, Grader};
use super::results::{CheckResult, GradeResults};
use crate::seat::{PlayerSetup, make_player};
use crate::timing::set_up;

/// Every failure is told, but no more of them than these.
const MOST_FAILURES: usize = 5;

/// Of the legal moves of a position, so many are asked about.
const MOST_ASKED: usize = 3;

/// Memory for the transposition table of one of our own engines in MiB.
const TABLE: usize = 16;

/// What is said when there is no time left.
pub(super) const NO_TIME: &str = "not done: the time for this submission is over";

/// What a check has found.
pub(super) enum CheckVerdict {
    /// The part of the points earned, from 0 to 1, and what there is to say.
    Graded(f64, String),
    /// The check is not for such players.
    Skipped,
}

/// Counts what went well, and keeps what is to be said.
#[derive(Default)]
pub(super) struct Shares {
    good: usize,
    all: usize,
    failures: Vec<String>,
}

impl Shares {
    pub(super) fn add(&mut self, result: Result<(), String>) {
        self.all += 1;
        match result {
            Ok(()) => self.good += 1,
            Err(why) => self.failures.push(why),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.all
    }

    pub(super) fn verdict(self) -> CheckVerdict {
        let Shares { good, all, mut failures } = self;
        let more = failures.len().saturating_sub(MOST_FAILURES);
        failures.truncate(MOST_FAILURES);
        if more > 0 {
            failures.push(format!("and {more} more"));
        }
        failures.insert(0, format!("{good} of {all}"));
        CheckVerdict::Graded(good as f64 / all.max(1) as f64, failures.join("\n"))
    }
}

/// What is said of the checks that are not for such players.
pub(super) fn not_counted(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        names => format!("Not for players of this kind, and not counted: {}", names.join(", ")),
    }
}

/// The grading of one player.
pub(super) struct Session<'a> {
    pub(super) grader: &'a Grader,
    pub(super) examinee: &'a Examinee,
    /// Raised when the time for the whole is over, whatever is left to do.
    pub(super) alarm: Alarm,
    pub(super) games: Vec<RandomGames>,
    /// Why the OS could not run the player's program, if that happened.
    trouble: OnceCell<String>,
}

impl<'a> Session<'a> {
    /// The time for the player begins to run.
    pub(super) fn new(grader: &'a Grader, examinee: &'a Examinee) -> Session<'a> {
        let alarm = Alarm::after(grader.total);
        Session { grader, examinee, alarm, games: Vec::new(), trouble: OnceCell::new() }
    }

    /// Makes every check, and counts the points.
    pub(super) fn make_all(mut self) -> Result<GradeResults, Interrupted> {
        let (mut tests, mut skipped, grader) = (Vec::new(), Vec::new(), self.grader);
        for check in &grader.checks {
            let verdict = self.make(&check.kind);
            if let Some(why) = self.trouble.take() {
                return Err(Interrupted::System { why });
            }
            match verdict {
                CheckVerdict::Graded(share, output) => {
                    tests.push(CheckResult::new(&check.name, check.points, share, output));
                }
                CheckVerdict::Skipped => skipped.push(check.name.as_str()),
            }
        }
        Ok(GradeResults::new(tests, not_counted(&skipped), self.leaderboard()))
    }

    fn make(&mut self, kind: &CheckKind) -> CheckVerdict {
        match kind {
            CheckKind::Sees { depth, plies, positions } => {
                self.each(positions, |session, moves| session.sees(moves, *depth, *plies))
            }
            CheckKind::Time { depth, limit, positions } => {
                self.each(positions, |session, moves| session.in_time(moves, *depth, *limit))
            }
            CheckKind::AcceptsLegal { positions } if self.has_opinions() => {
                self.each(positions, |session, moves| session.accepts_legal(moves))
            }
            CheckKind::RefusesIllegal { positions, moves: tried } if self.has_opinions() => {
                self.each(positions, |session, moves| session.refuses_illegal(moves, tried))
            }
            CheckKind::AcceptsLegal { .. } | CheckKind::RefusesIllegal { .. } => {
                CheckVerdict::Skipped
            }
            CheckKind::Faultless { depth, games } => self.faultless(*depth, *games),
            CheckKind::BeatsRandom { depth, games, share } => {
                self.beats_random(*depth, *games, *share)
            }
            CheckKind::FileFormat { .. }
            | CheckKind::PrintsScore { .. }
            | CheckKind::StopsWhenOver { .. }
                if !self.exchanges_files() =>
            {
                CheckVerdict::Skipped
            }
            CheckKind::FileFormat { depth, positions } => {
                self.each(positions, |session, moves| session.keeps_format(moves, *depth))
            }
            CheckKind::PrintsScore { depth, positions } => {
                self.each(positions, |session, moves| session.prints_score(moves, *depth))
            }
            CheckKind::StopsWhenOver { depth, positions } => {
                self.each(positions, |session, moves| session.stops_when_over(moves, *depth))
            }
        }
    }

    /// Does the same in every position, and shares the points out.
    fn each(
        &self,
        positions: &[String],
        check: impl Fn(&Self, &[MoveText]) -> Result<(), String>,
    ) -> CheckVerdict {
        let mut shares = Shares::default();
        for text in positions {
            if self.alarm.is_over() {
                shares.add(Err(NO_TIME.to_owned()));
                continue;
            }
            if self.trouble.get().is_some() {
                break;
            }
            let result = match self.read(text) {
                Ok(moves) => check(self, &moves),
                // A fault of the checks and not of the player.
                Err(why) => Err(format!("the check is wrong: {why}")),
            };
            // An answer that was cut short says nothing of the player.
            shares.add(if self.alarm.is_over() { Err(NO_TIME.to_owned()) } else { result });
        }
        shares.verdict()
    }

    /// Takes notice of a fault that is nobody's; the fault.
    pub(super) fn heed(&self, fault: Fault) -> Fault {
        if let Fault::System { why } = &fault {
            // The first is as good as any other.
            let _ = self.trouble.set(why.clone());
        }
        fault
    }

    fn read(&self, text: &str) -> Result<Vec<MoveText>, String> {
        let mut position = self.grader.game.start();
        let moves = text.split_whitespace().map(|word| position.play_text(word));
        moves.collect::<Result<_, _>>().map_err(|illegal| illegal.to_string())
    }

    /// The position after these moves.
    pub(super) fn position(&self, moves: &[MoveText]) -> HostedPosition {
        moves.iter().fold(self.grader.game.start(), |position, &mv| position.after(mv))
    }

    /// How a program is held.
    pub(super) fn policy(&self) -> SandboxPolicy {
        self.grader.programs.policy(None, Some(self.alarm.flag()), &self.examinee.log)
    }

    /// A player for one game, told to look so many plies ahead if it can be told. `seed` is for
    /// what is random about it.
    pub(super) fn seat(&self, depth: Option<u32>, seed: u64) -> Box<dyn Player> {
        let spec = match self.examinee.player.at(depth) {
            Ok(spec) => spec,
            Err(error) => return Box::new(Absent::new(NotReady::Program(error.to_string()))),
        };
        let search = Options { table_mib: TABLE, ..Options::default() };
        let setup = PlayerSetup {
            engine: EngineOptions { search, book: None, without_prepared: true },
            policy: self.policy(),
            lenient: self.grader.programs.lenient,
            depth,
            seed,
            on_move: None,
        };
        make_player(&self.grader.game, &spec, setup)
    }

    fn has_opinions(&self) -> bool {
        self.seat(None, 0).judges_moves()
    }

    /// What the player does after these moves, and the time that it takes.
    fn ask(
        &self,
        moves: &[MoveText],
        depth: Option<u32>,
    ) -> (HostedPosition, Result<MoveText, Fault>, Duration) {
        let mut player = self.seat(depth, self.grader.seed);
        let position = set_up(&self.grader.game.start(), moves, &mut *player);
        let turn = Turn::new(&position, self.grader.programs.limits.wall);
        let answer = player.choose_move(&turn);
        let wall = turn.started.elapsed();
        player.game_over(&Ending::ply_cap(u32::try_from(moves.len()).unwrap_or(u32::MAX)));
        let mv = answer.and_then(|answer| answer.legal_move(&position));
        (position, mv.map_err(|fault| self.heed(fault)), wall)
    }

    fn sees(&self, moves: &[MoveText], depth: u32, plies: u32) -> Result<(), String> {
        let (position, answer, _) = self.ask(moves, Some(depth));
        let (best, _) = best_moves(&position, plies);
        let found = match answer {
            Ok(mv) if best.contains(&mv) => return Ok(()),
            Ok(mv) => format!("chosen: {mv}"),
            Err(fault) => fault.to_string(),
        };
        let names: Vec<_> = best.iter().map(MoveText::as_str).collect();
        Err(format!("{}expected: {}; {found}\n", position.board(), names.join(" or ")))
    }

    fn in_time(
        &self,
        moves: &[MoveText],
        depth: Option<u32>,
        limit: Duration,
    ) -> Result<(), String> {
        let (position, answer, wall) = self.ask(moves, depth);
        match answer {
            Err(fault) => Err(format!("{}{fault}\n", position.board())),
            Ok(_) if wall > limit => {
                let (board, limit) = (position.board(), humantime::format_duration(limit));
                Err(format!("{board}expected a move in {limit}: {:.2} s\n", wall.as_secs_f64()))
            }
            Ok(_) => Ok(()),
        }
    }

    /// Tells two players of the last of these moves, the one who made it and the one who did not.
    /// What each thinks of it, unless it lost when it heard of that move or of one before.
    fn opinions(&self, moves: &[MoveText], mv: MoveText) -> [Result<bool, Fault>; 2] {
        let start = self.grader.game.start();
        let mut mover = self.seat(None, self.grader.seed);
        let position = set_up(&start, moves, &mut *mover);
        let own = mover.force_move(&position, mv);
        let mut opponent = self.seat(None, self.grader.seed);
        let mut before = start;
        for &mv in moves {
            // The sides are those of the opponent of whoever is to move in the end.
            if before.side_to_move() == position.side_to_move() {
                opponent.opponent_move(&before, mv);
            } else {
                opponent.force_move(&before, mv);
            }
            before.play_unchecked(mv);
        }
        let other = opponent.opponent_move(&position, mv);
        [(own, mover), (other, opponent)].map(|(opinion, player)| match player.lost() {
            None => Ok(opinion),
            Some(fault) => Err(self.heed(fault.clone())),
        })
    }

    fn accepts_legal(&self, moves: &[MoveText]) -> Result<(), String> {
        let position = self.position(moves);
        let legal: Vec<MoveText> = position.legal_moves().collect();
        // A few of them: each takes two players.
        for &mv in legal.iter().step_by(legal.len().div_ceil(MOST_ASKED).max(1)) {
            self.opinion(&position, moves, mv, true)?;
        }
        Ok(())
    }

    fn refuses_illegal(&self, moves: &[MoveText], tried: &[String]) -> Result<(), String> {
        let position = self.position(moves);
        for mv in tried.iter().filter_map(|text| position.parse_move(text)) {
            if position.check_legal(mv).is_err() {
                self.opinion(&position, moves, mv, false)?;
            }
        }
        Ok(())
    }

    fn opinion(
        &self,
        position: &HostedPosition,
        moves: &[MoveText],
        mv: MoveText,
        is_legal: bool,
    ) -> Result<(), String> {
        let opinions = self.opinions(moves, mv);
        let names = ["an own move", "a move of the opponent"];
        let wrong = names.iter().zip(opinions).find(|(_, opinion)| *opinion != Ok(is_legal));
        let Some((name, opinion)) = wrong else { return Ok(()) };
        let (truth, said) = if is_legal { ("legal", "illegal") } else { ("illegal", "legal") };
        let found = match opinion {
            Ok(_) => format!("it was taken for {said}"),
            Err(fault) => format!("it led to: {fault}"),
        };
        Err(format!("{}{mv} is {truth}; as {name} {found}\n", position.board()))
    }
}
