//! Holds a player to the checks.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::check::{Check, Kind};
use super::expect::best_moves;
use super::results::{Leader, Results, Test};
use crate::calibrate::set_up;
use crate::external::Exchange;
use crate::game::{Game, Side};
use crate::player::{Fault, Player, Random, Turn};
use crate::referee::{Conduct, Ending, Interrupted, PLY_CAP, PlayedGame, Reason, Silent, play};

/// Every failure is told, but no more of them than these.
const MOST_FAILURES: usize = 5;

/// Of the legal moves of a position, so many are asked about.
const MOST_ASKED: usize = 3;

/// Somebody who is graded.
pub trait Candidate<G: Game> {
    /// A player for one game, told to look so many plies ahead if it can be told. `chance` seeds
    /// what is random about it.
    fn seat(&self, depth: Option<u32>, chance: u64) -> Box<dyn Player<G> + '_>;

    /// Whether it is a program that exchanges files.
    fn exchanges_files(&self) -> bool;

    /// What comes of one run of such a program on a state file with this text.
    ///
    /// # Errors
    ///
    /// When it does not end by itself; also if it is no such program.
    fn exchange(&self, depth: u32, input: &str) -> Result<Exchange, Fault>;
}

/// The game in which a candidate is graded.
pub struct Subject<'a, G: Game> {
    /// The position before the first move.
    pub start: G,
    /// A position as a person looks at it.
    pub show: &'a dyn Fn(&G) -> String,
    /// The lines of the state file of a position, with LF between them.
    pub state: &'a dyn Fn(&G) -> String,
    /// What chance in games depends on.
    pub seed: u64,
    /// The time for a move by the clock on the wall.
    pub wall: Option<Duration>,
    /// Raised when the time for the whole is over, whatever is left to do. Players should watch
    /// it, too.
    pub late: &'a AtomicBool,
}

/// What a check has found.
enum Verdict {
    /// The part of the points earned, from 0 to 1, and what there is to say.
    Graded(f64, String),
    /// The check is not for such players.
    Skipped,
}

/// Makes every check, and counts the points. A check that is not for such a player does not
/// count.
///
/// # Errors
///
/// When the system cannot run the player's program: that says nothing of the player.
pub fn grade<G: Game>(
    subject: &Subject<'_, G>,
    candidate: &dyn Candidate<G>,
    checks: &[Check],
) -> Result<Results, Interrupted> {
    let mut session = Session { subject, candidate, games: Vec::new(), trouble: OnceCell::new() };
    let (mut tests, mut skipped) = (Vec::new(), Vec::new());
    for check in checks {
        let verdict = session.make(&check.kind);
        if let Some(why) = session.trouble.take() {
            return Err(Interrupted::System { why });
        }
        match verdict {
            Verdict::Graded(share, output) => {
                tests.push(Test::new(&check.name, check.points, share, output));
            }
            Verdict::Skipped => skipped.push(check.name.as_str()),
        }
    }
    Ok(Results::new(tests, not_counted(&skipped), session.leaderboard()))
}

/// What is said of the checks that are not for such players.
pub(super) fn not_counted(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        names => format!("Not for players of this kind, and not counted: {}", names.join(", ")),
    }
}

/// The games that a candidate has played against random moves, for a depth.
struct Games<G: Game> {
    depth: u32,
    played: Vec<(Side, PlayedGame<G>)>,
}

/// The grading of one candidate.
pub(super) struct Session<'a, G: Game> {
    pub(super) subject: &'a Subject<'a, G>,
    pub(super) candidate: &'a dyn Candidate<G>,
    games: Vec<Games<G>>,
    /// Why the system could not run the candidate's program, if that happened.
    trouble: OnceCell<String>,
}

/// What is said when there is no time left.
const NO_TIME: &str = "not done: the time for this submission is over";

/// Counts what went well, and keeps what is to be said.
#[derive(Default)]
struct Tally {
    good: usize,
    all: usize,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, result: Result<(), String>) {
        self.all += 1;
        match result {
            Ok(()) => self.good += 1,
            Err(why) => self.failures.push(why),
        }
    }

    fn verdict(self) -> Verdict {
        let Tally { good, all, mut failures } = self;
        let more = failures.len().saturating_sub(MOST_FAILURES);
        failures.truncate(MOST_FAILURES);
        if more > 0 {
            failures.push(format!("and {more} more"));
        }
        failures.insert(0, format!("{good} of {all}"));
        Verdict::Graded(good as f64 / all.max(1) as f64, failures.join("\n"))
    }
}

impl<G: Game> Session<'_, G> {
    fn make(&mut self, kind: &Kind) -> Verdict {
        match kind {
            Kind::Sees { depth, plies, positions } => {
                self.each(positions, |session, moves| session.sees(moves, *depth, *plies))
            }
            Kind::Time { depth, limit, positions } => {
                self.each(positions, |session, moves| session.in_time(moves, *depth, *limit))
            }
            Kind::AcceptsLegal { positions } if self.has_opinions() => {
                self.each(positions, |session, moves| session.accepts_legal(moves))
            }
            Kind::RefusesIllegal { positions, moves: tried } if self.has_opinions() => {
                self.each(positions, |session, moves| session.refuses_illegal(moves, tried))
            }
            Kind::AcceptsLegal { .. } | Kind::RefusesIllegal { .. } => Verdict::Skipped,
            Kind::Faultless { depth, games } => self.faultless(*depth, *games),
            Kind::BeatsRandom { depth, games, share } => self.beats_random(*depth, *games, *share),
            Kind::FileFormat { depth, positions } if self.candidate.exchanges_files() => {
                self.each(positions, |session, moves| session.keeps_format(moves, *depth))
            }
            Kind::PrintsScore { depth, positions } if self.candidate.exchanges_files() => {
                self.each(positions, |session, moves| session.prints_score(moves, *depth))
            }
            Kind::StopsWhenOver { depth, positions } if self.candidate.exchanges_files() => {
                self.each(positions, |session, moves| session.stops_when_over(moves, *depth))
            }
            Kind::FileFormat { .. } | Kind::PrintsScore { .. } | Kind::StopsWhenOver { .. } => {
                Verdict::Skipped
            }
        }
    }

    /// Does the same in every position, and shares the points out.
    fn each(
        &self,
        positions: &[String],
        check: impl Fn(&Self, &[G::Move]) -> Result<(), String>,
    ) -> Verdict {
        let mut tally = Tally::default();
        for text in positions {
            if self.is_late() {
                tally.add(Err(NO_TIME.to_owned()));
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
            tally.add(if self.is_late() { Err(NO_TIME.to_owned()) } else { result });
        }
        tally.verdict()
    }

    /// Takes notice of a fault that is nobody's; the fault.
    pub(super) fn heed(&self, fault: Fault) -> Fault {
        if let Fault::System { why } = &fault {
            // The first is as good as any other.
            let _ = self.trouble.set(why.clone());
        }
        fault
    }

    fn is_late(&self) -> bool {
        self.subject.late.load(Ordering::Relaxed)
    }

    fn read(&self, text: &str) -> Result<Vec<G::Move>, String> {
        let mut position = self.subject.start.clone();
        let mut moves = Vec::new();
        for word in text.split_whitespace() {
            let mv = word.parse::<G::Move>().map_err(|_| format!("`{word}` is no move"))?;
            position.play(mv).map_err(|illegal| illegal.to_string())?;
            moves.push(mv);
        }
        Ok(moves)
    }

    fn has_opinions(&self) -> bool {
        self.candidate.seat(None, 0).judges_moves()
    }

    /// What the player does after these moves, and the time that it takes.
    fn ask(&self, moves: &[G::Move], depth: Option<u32>) -> (G, Result<G::Move, Fault>, Duration) {
        let mut player = self.candidate.seat(depth, self.subject.seed);
        let position = set_up(&self.subject.start, moves, &mut *player);
        let turn = Turn::new(&position, self.subject.wall);
        let answer = player.choose_move(&turn);
        let wall = turn.started.elapsed();
        player.game_over(&Ending::ply_cap(u32::try_from(moves.len()).unwrap_or(u32::MAX)));
        let mv = answer.and_then(|answer| answer.legal_move(&position));
        (position, mv.map_err(|fault| self.heed(fault)), wall)
    }

    fn sees(&self, moves: &[G::Move], depth: u32, plies: u32) -> Result<(), String> {
        let (position, answer, _) = self.ask(moves, Some(depth));
        let (best, _) = best_moves(&position, plies);
        match answer {
            Ok(mv) if best.contains(&mv) => Ok(()),
            Ok(mv) => Err(self.failure(&position, &best, &format!("chosen: {mv}"))),
            Err(fault) => Err(self.failure(&position, &best, &fault.to_string())),
        }
    }

    fn failure(&self, position: &G, expected: &[G::Move], found: &str) -> String {
        let names: Vec<_> = expected.iter().map(ToString::to_string).collect();
        let board = (self.subject.show)(position);
        format!("{board}expected: {}; {found}\n", names.join(" or "))
    }

    fn in_time(
        &self,
        moves: &[G::Move],
        depth: Option<u32>,
        limit: Duration,
    ) -> Result<(), String> {
        let (position, answer, wall) = self.ask(moves, depth);
        let board = || (self.subject.show)(&position);
        match answer {
            Err(fault) => Err(format!("{}{fault}\n", board())),
            Ok(_) if wall > limit => {
                let limit = humantime::format_duration(limit);
                Err(format!("{}expected a move in {limit}: {:.2} s\n", board(), wall.as_secs_f64()))
            }
            Ok(_) => Ok(()),
        }
    }

    /// Tells two players of the last of these moves, the one who made it and the one who did not.
    /// What each thinks of it, unless it lost when it heard of that move or of one before.
    fn opinions(&self, moves: &[G::Move], mv: G::Move) -> [Result<bool, Fault>; 2] {
        let start = &self.subject.start;
        let mut mover = self.candidate.seat(None, self.subject.seed);
        let position = set_up(start, moves, &mut *mover);
        let own = mover.force_move(&position, mv);
        let mut opponent = self.candidate.seat(None, self.subject.seed);
        let mut before = start.clone();
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

    fn accepts_legal(&self, moves: &[G::Move]) -> Result<(), String> {
        let start = self.subject.start.clone();
        let position = moves.iter().fold(start, |position, &mv| position.after(mv));
        let legal: Vec<G::Move> = position.legal_moves().collect();
        // A few of them: each takes two players.
        for &mv in legal.iter().step_by(legal.len().div_ceil(MOST_ASKED).max(1)) {
            self.opinion(&position, moves, mv, true)?;
        }
        Ok(())
    }

    fn refuses_illegal(&self, moves: &[G::Move], tried: &[String]) -> Result<(), String> {
        let start = self.subject.start.clone();
        let position = moves.iter().fold(start, |position, &mv| position.after(mv));
        for text in tried {
            let Ok(mv) = text.parse::<G::Move>() else { continue };
            if position.check_legal(mv).is_err() {
                self.opinion(&position, moves, mv, false)?;
            }
        }
        Ok(())
    }

    fn opinion(
        &self,
        position: &G,
        moves: &[G::Move],
        mv: G::Move,
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
        let board = (self.subject.show)(position);
        Err(format!("{board}{mv} is {truth}; as {name} {found}\n"))
    }

    /// Games against random moves, half of them with either side.
    fn games(&mut self, depth: u32, count: u32) -> &[(Side, PlayedGame<G>)] {
        let place = self.games.iter().position(|games| games.depth == depth);
        let place = place.unwrap_or_else(|| {
            self.games.push(Games { depth, played: Vec::new() });
            self.games.len() - 1
        });
        while self.games[place].played.len() < count as usize && !self.is_late() {
            let number = self.games[place].played.len() as u64;
            match self.play(depth, number) {
                Ok(game) if !self.is_late() => self.games[place].played.push(game),
                Ok(_) => {}
                Err(Interrupted::System { why }) => {
                    self.heed(Fault::System { why });
                    break;
                }
                // No opening is illegal that there is not, and nobody observes.
                Err(Interrupted::Observer(_) | Interrupted::Opening { .. }) => break,
            }
        }
        let played = &self.games[place].played;
        &played[..played.len().min(count as usize)]
    }

    fn play(&self, depth: u32, number: u64) -> Result<(Side, PlayedGame<G>), Interrupted> {
        let mut rng = StdRng::seed_from_u64(self.subject.seed ^ number);
        let side = Side::BOTH[(number % 2) as usize];
        let mut player = self.candidate.seat(Some(depth), rng.random());
        let mut random = Random::new(rng.random());
        let players: [&mut dyn Player<G>; 2] = match side {
            Side::First => [&mut *player, &mut random],
            Side::Second => [&mut random, &mut *player],
        };
        let wall_limit = self.subject.wall;
        let conduct = Conduct { wall_limit, ply_cap: PLY_CAP, opening: Vec::new() };
        let game = play(&self.subject.start, players, &conduct, &mut Silent)?;
        Ok((side, game))
    }

    fn faultless(&mut self, depth: u32, count: u32) -> Verdict {
        let show = self.subject.show;
        let mut tally = Tally::default();
        for (side, game) in self.games(depth, count) {
            tally.add(match &game.ending.reason {
                Reason::Forfeit { by, fault } if by == side => {
                    Err(format!("{}{fault}\n", show(&game.position)))
                }
                _ => Ok(()),
            });
        }
        (tally.all..count as usize).for_each(|_| tally.add(Err(NO_TIME.to_owned())));
        tally.verdict()
    }

    fn beats_random(&mut self, depth: u32, count: u32, share: f64) -> Verdict {
        let games = self.games(depth, count);
        let won = games.iter().filter(|(side, game)| game.ending.winner == Some(*side)).count();
        let part = won as f64 / f64::from(count.max(1));
        let needed = (share * f64::from(count)).ceil();
        let output = format!("{won} of {count} games won, {needed} needed for all points");
        Verdict::Graded(if share > 0.0 { part / share } else { 1.0 }, output)
    }

    /// The games won against random moves, and the CPU time of a move, over all games.
    fn leaderboard(&self) -> Vec<Leader> {
        let games = || self.games.iter().flat_map(|games| &games.played);
        let (mut cpu, mut moves) = (Duration::ZERO, 0_u32);
        for (side, game) in games() {
            let first = usize::from(game.start.side_to_move() != *side);
            for played in game.moves.iter().skip(first).step_by(2) {
                cpu += played.cpu;
                moves += 1;
            }
        }
        let count = games().count();
        if count == 0 || moves == 0 {
            return Vec::new();
        }
        let won = games().filter(|(side, game)| game.ending.winner == Some(*side)).count();
        let share = won as f64 / count as f64;
        vec![
            Leader { name: "Games won against random", value: share, order: None },
            Leader {
                name: "CPU seconds a move",
                value: cpu.as_secs_f64() / f64::from(moves),
                order: Some("asc"),
            },
        ]
    }
}
