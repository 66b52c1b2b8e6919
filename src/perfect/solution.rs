//! Solving a position: the values of the position and of every move, and their verification.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::forced_play::plain_value;
use crate::book::{Book, value_after};
use crate::clock::Instant;
use crate::game::Turn;
use crate::hints::{Evaluator, SearchHints};
use crate::score::{Bounds, Score};
use crate::search::{
    AlphaBeta, Limits, Line, MAX_DEPTH, Report, Search, SearchContext, greatest_first,
};
use crate::table::mix;
use crate::value::Value;

/// The error that the rules set no limit to the length of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlimited;

impl fmt::Display for Unlimited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("perfect play is for games whose rules end them after some number of moves")
    }
}

impl Error for Unlimited {}

/// Returns the number of plies to look ahead from `position` to see the end of the game: the greatest number
/// that can still be played, and [`MAX_DEPTH`] at most. If a loose limit is greater, the search may still
/// notice that all lines end sooner; otherwise it proves nothing.
///
/// # Errors
///
/// Returns an error if the number is unlimited, or greater than [`MAX_DEPTH`] in a game that never
/// [ends early](SearchHints::MAY_END_EARLY).
pub fn plies_to_end<G: SearchHints>(position: &G) -> Result<u32, Unlimited> {
    let plies = position.plies_left().ok_or(Unlimited)?;
    if plies <= MAX_DEPTH || G::MAY_END_EARLY { Ok(plies.min(MAX_DEPTH)) } else { Err(Unlimited) }
}

/// The task of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task<M> {
    /// The value of the position.
    Position,
    /// The value of this move.
    Move(M),
}

/// A step of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a, M> {
    /// The solver begins a task.
    Begin(Task<M>),
    /// The solver has proven the value of the move that this line begins with. The first such line is the
    /// best.
    Proven(&'a Line<M>),
}

/// The facts proven about a position, not necessarily all of them.
#[derive(Clone, Debug)]
pub struct Solution<M> {
    /// The best line, once its value is exact.
    pub best: Option<Line<M>>,
    /// The moves whose values are exact, best first; among equals, the move of `best` first.
    pub lines: Vec<Line<M>>,
    /// Limits on the value of the position.
    pub bounds: Bounds,
    /// If true, the value of the position and of every move is proven.
    pub complete: bool,
    /// Positions visited.
    pub nodes: u64,
    /// CPU time of this process.
    pub cpu: Duration,
}

/// The inputs of a solver besides the position.
#[derive(Clone, Debug, Default)]
pub struct Aids {
    /// The context of the searches.
    pub context: SearchContext,
    /// The time at which to end the work.
    pub give_up_at: Option<Instant>,
    /// Values that are known already. Lines from the book consist of one move.
    pub book: Option<Book>,
}

/// Finds the value of `position`, then the value of every move, each from the book or by a search to the
/// end, until it is stopped. `on_step` is called at every step. Returns `None` if the game is over.
///
/// # Errors
///
/// Returns an error if nothing limits the length of the game.
///
/// ```
/// use plyground::perfect::{Aids, Step, solve};
/// use plyground::search::Options;
/// use plyground::testing::TicTacToe;
/// use plyground::{AlphaBeta, Flat, Score};
///
/// let mut search = AlphaBeta::new(Flat, Options { table_mib: 1, ..Options::default() });
/// let mut proven = 0;
/// let solution = solve(&mut search, &TicTacToe::default(), &Aids::default(), &mut |step| {
///     proven += u32::from(matches!(step, Step::Proven(_)));
/// });
/// let solution = solution?.ok_or("over")?;
/// assert_eq!((proven, solution.lines.len(), solution.complete), (9, 9, true));
/// assert_eq!(solution.bounds.exact(), Some(Score::ZERO));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<G: SearchHints, E: Evaluator<G>>(
    search: &mut AlphaBeta<E>,
    position: &G,
    aids: &Aids,
    on_step: &mut dyn FnMut(Step<'_, G::Move>),
) -> Result<Option<Solution<G::Move>>, Unlimited> {
    let plies = plies_to_end(position)?;
    if position.outcome().is_some() {
        return Ok(None);
    }
    let (nodes, cpu) = (0, Duration::ZERO);
    let mut solver = Solver { search, position, plies, aids, on_step, nodes, cpu };
    let mut solution = Solution {
        best: None,
        lines: Vec::new(),
        bounds: position.bounds(),
        complete: false,
        nodes,
        cpu,
    };
    match solver.best() {
        Some(best) => {
            solution.bounds = Bounds::only(best.score());
            (solver.on_step)(Step::Proven(&best));
            solution.best = Some(best.clone());
            solution.lines.push(best);
            solution.complete = solver.every_move(&mut solution.lines);
        }
        None => {
            if let Some(root) = aids.context.monitor.root() {
                solution.bounds = root.proven;
            }
        }
    }
    Ok(Some(Solution { nodes: solver.nodes, cpu: solver.cpu, ..solution }))
}

/// A solution under way.
struct Solver<'a, G: SearchHints, E> {
    search: &'a mut AlphaBeta<E>,
    position: &'a G,
    plies: u32,
    aids: &'a Aids,
    on_step: &'a mut dyn FnMut(Step<'_, G::Move>),
    nodes: u64,
    cpu: Duration,
}

impl<G: SearchHints, E: Evaluator<G>> Solver<'_, G, E> {
    /// Returns the proven report of a search of `position`, which must not be over; `None` if the search
    /// was stopped.
    fn search(
        &mut self,
        position: &G,
        plies: u32,
        guess: Option<Score>,
    ) -> Option<Report<G::Move>> {
        let limits = Limits {
            context: self.aids.context.clone(),
            guess,
            give_up_at: self.aids.give_up_at,
            ..Limits::depth(plies)
        };
        self.aids.context.monitor.forget_root();
        let report = self.search.best(position, &limits)?;
        self.nodes += report.nodes;
        self.cpu += report.cpu;
        Some(report).filter(Report::proven)
    }

    /// Returns the best line; `None` if the search was stopped.
    fn best(&mut self) -> Option<Line<G::Move>> {
        let (position, book) = (self.position, self.aids.book.as_ref());
        let by_values = |book: &Book| {
            let (moves, score) = book.best_moves(position)?;
            Some((*moves.first()?, score))
        };
        let known = book.and_then(|book| book.best_move(position).or_else(|| by_values(book)));
        if let Some((mv, score)) = known {
            return Some(Line { value: Value::Exact(score), pv: vec![mv] });
        }
        (self.on_step)(Step::Begin(Task::Position));
        let guess = book.and_then(|book| book.value(position));
        self.search(position, self.plies, guess).map(|report| report.best().clone())
    }

    /// Returns the line that begins with `mv`, in a position worth `value`; `None` if the search was
    /// stopped.
    fn line(&mut self, mv: G::Move, value: Score) -> Option<Line<G::Move>> {
        let next = self.position.after(mv);
        if let Some(score) = value_after(self.aids.book.as_ref(), self.position, &next) {
            return Some(Line { value: Value::Exact(score), pv: vec![mv] });
        }
        (self.on_step)(Step::Begin(Task::Move(mv)));
        // No move is worth more than the position.
        let turn = Turn::between(self.position, &next);
        let report = self.search(&next, self.plies - 1, Some(turn.across(value)))?;
        let pv = [mv].into_iter().chain(report.best().pv.iter().copied());
        Some(Line { value: report.value.before_move(turn), pv: pv.collect() })
    }

    /// Adds the lines of the other moves to `lines`, which begins with the best. Returns true if
    /// all moves were proven.
    fn every_move(&mut self, lines: &mut Vec<Line<G::Move>>) -> bool {
        let value = lines.first().map_or(Score::ZERO, Line::score);
        for mv in self.position.legal_moves() {
            if lines.iter().any(|line| line.first_move() == mv) {
                continue;
            }
            let Some(line) = self.line(mv, value) else { return false };
            (self.on_step)(Step::Proven(&line));
            lines.push(line);
            greatest_first(lines, |line| line.score().get());
        }
        true
    }
}

/// The greatest number of plies left at which the plain search is used.
const PLAIN_PLIES: u32 = 12;
/// The number of nodes after which the plain search gives up.
const PLAIN_NODES: u64 = 3_000_000;
/// The same limit where the limit on the length of the game is too loose to tell whether the end is near.
const FEW_PLAIN_NODES: u64 = 30_000;
/// The number of random positions to solve again.
const RANDOM_POSITIONS: u64 = 40;

/// The error in a solution. Its text is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// The principal variation cannot be played.
    Illegal {
        /// The number of the move, from 1.
        ply: usize,
        /// The move.
        mv: String,
    },
    /// The principal variation ends before the game does.
    TooShort {
        /// The number of moves of the variation.
        plies: usize,
    },
    /// The principal variation does not lead to the value.
    OtherResult {
        /// The value that was claimed.
        claimed: Score,
        /// The score that the principal variation leads to.
        found: Score,
    },
    /// The two searches do not agree.
    OtherValue {
        /// The position.
        position: String,
        /// The score that the solver finds.
        claimed: Score,
        /// The score that the plain search finds.
        plain: Score,
    },
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refutation::Illegal { ply, mv } => {
                write!(f, "move {ply} of the principal variation, {mv}, is illegal")
            }
            Refutation::TooShort { plies } => {
                write!(f, "the principal variation ends before the game, after {plies} moves")
            }
            Refutation::OtherResult { claimed, found } => {
                write!(f, "the principal variation leads to {found}, not to {claimed}")
            }
            Refutation::OtherValue { position, claimed, plain } => {
                let position = position.replace('\n', "/");
                write!(f, "a plain search finds {plain}, the solver {claimed}, in {position}")
            }
        }
    }
}

impl Error for Refutation {}

/// Plays the principal variation of `line` out, and solves positions near the end of the game again with
/// [`plain_value`]: positions of the variation, and random positions. Returns the number of positions solved
/// again.
///
/// # Errors
///
/// Returns the first error found.
pub fn verify<G: SearchHints, E: Evaluator<G>>(
    search: &mut AlphaBeta<E>,
    position: &G,
    line: &Line<G::Move>,
) -> Result<usize, Refutation> {
    let mut on_the_way = play_out(position, line)?;
    let left = plies_to_end(position).unwrap_or_default();
    on_the_way.extend((0..RANDOM_POSITIONS).map(|seed| {
        // Games may be far shorter than a loose limit.
        let (_, played) = random_position(position, left, seed);
        random_position(position, played.saturating_sub(PLAIN_PLIES), seed).0
    }));
    let mut resolved = 0;
    for position in on_the_way {
        resolved += usize::from(resolve(search, &position)?);
    }
    Ok(resolved)
}

/// Returns the positions of the principal variation.
fn play_out<G: SearchHints>(position: &G, line: &Line<G::Move>) -> Result<Vec<G>, Refutation> {
    let mut now = position.clone();
    let mut positions = vec![now.clone()];
    for (index, &mv) in line.pv.iter().enumerate() {
        let illegal = |_| Refutation::Illegal { ply: index + 1, mv: mv.to_string() };
        now.play(mv).map_err(illegal)?;
        positions.push(now.clone());
    }
    let plies = line.pv.len();
    let outcome = now.outcome().ok_or(Refutation::TooShort { plies })?;
    let found = outcome.score::<G>(position.side_to_move(), plies as u32);
    if found == line.score() {
        Ok(positions)
    } else {
        Err(Refutation::OtherResult { claimed: line.score(), found })
    }
}

/// Returns true if the plain search solved the position and the other search agrees. Returns false if the
/// position is too far from the end for the plain search, and an error if the two searches disagree.
fn resolve<G: SearchHints, E: Evaluator<G>>(
    search: &mut AlphaBeta<E>,
    position: &G,
) -> Result<bool, Refutation> {
    let is_loose = position.plies_left().is_some_and(|left| left > MAX_DEPTH);
    let nodes = if is_loose { FEW_PLAIN_NODES } else { PLAIN_NODES };
    let Ok(left) = plies_to_end(position) else { return Ok(false) };
    if left > PLAIN_PLIES && !is_loose {
        return Ok(false);
    }
    let Ok(plain) = plain_value(position, nodes) else { return Ok(false) };
    let Some(report) = search.best(position, &Limits::depth(left)) else { return Ok(false) };
    if report.score() == plain {
        return Ok(true);
    }
    let (position, claimed) = (position.to_string(), report.score());
    Err(Refutation::OtherValue { position, claimed, plain })
}

/// Returns the position `plies` pseudo-random moves after `start`, or earlier if the game ends, and the
/// number of moves played.
fn random_position<G: SearchHints>(start: &G, plies: u32, seed: u64) -> (G, u32) {
    let mut position = start.clone();
    for ply in 0..plies {
        let count = position.legal_moves().count() as u64;
        let Some(index) = mix(seed, u64::from(ply)).checked_rem(count) else {
            return (position, ply);
        };
        let mv = position.legal_moves().nth(index as usize);
        mv.into_iter().for_each(|mv| position.play_unchecked(mv));
    }
    (position, plies)
}
