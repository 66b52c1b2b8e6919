//! Tests of the whole contract, and the reports of a breach.

use std::collections::HashSet;
use std::fmt;

use super::keys::{Collisions, Results, Seen, equal};
use super::reference::Solver;
use super::rules;
use super::sample::{Playout, Sample};
use crate::eval::Evaluator;
use crate::game::{Game, Side};
use crate::hints::SearchHints;

/// The coverage of a check. Small numbers mean that the check has shown little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Positions looked at closely, with repetitions.
    pub positions: usize,
    /// Different moves tried in each of these positions.
    pub moves: usize,
    /// Positions, among those looked at closely, in which [`SearchHints::forcing`] named a win or a threat.
    pub forced: usize,
    /// Positions whose exact result was compared with the bounds and the end-of-game key.
    pub solved: usize,
    /// Different keys compared.
    pub keys: usize,
}

/// Moves that play-outs add to those of the [`Sample`], at most.
const MOST_MOVES: usize = 10_000;
/// Positions from the end of every play-out that are solved, at most.
const SOLVED_PLIES: usize = 12;
/// The number of nodes for each of them.
const SOLVER_NODES: u64 = 2_000;
/// The depth of the solver in a game without [`Game::plies_left`].
const OPEN_PLIES: u32 = 3;
/// The comparison of keys ends when less than one position in this many is new.
const RARE: usize = 100;
/// Play-outs between two counts of new positions.
const BATCH: usize = 1_000;

/// Tests that a game and an evaluator for it keep the contract of [`Game`](crate::Game) and [`Evaluator`]:
/// every [`Rule`], on the positions of `sample`.
///
/// `bounds` and end-of-game keys are tested only where plain minimax finds the result, near the end of a
/// game: give starts near the end if games are long.
///
/// # Errors
///
/// Returns the first breach found, which names the rule, the position and the move.
///
/// ```
/// use plyground::Flat;
/// use plyground::testing::{Sample, TicTacToe, check_contract};
///
/// let sample = Sample::new([TicTacToe::default()], 1);
/// let coverage = check_contract(&sample, &Flat)?;
/// assert!(coverage.keys > 5_000);
/// # Ok::<(), plyground::testing::Breach>(())
/// ```
pub fn check_contract<G: SearchHints, E: Evaluator<G>>(
    sample: &Sample<G>,
    evaluator: &E,
) -> Result<Checked, Breach> {
    let Some(mut walks) = sample.walks() else { return Ok(Checked::default()) };
    let mut playouts = Vec::with_capacity(sample.playouts);
    for _ in 0..sample.playouts {
        playouts.push(walks.next()?);
    }
    let moves = candidates(sample, &playouts);
    let mut seen = Seen::new(evaluator);
    let mut results = Results::default();
    let mut coverage = Checked { moves: moves.len(), ..Checked::default() };
    for start in &sample.starts {
        rules::constants(start)?;
        seen.add(start)?;
    }
    for playout in &playouts {
        for position in &playout.positions {
            coverage.forced += usize::from(rules::position(position, &moves, evaluator)?);
            seen.add(position)?;
        }
        replay(playout)?;
        coverage.positions += playout.positions.len();
        coverage.solved += solve_end(playout, &mut results)?;
    }
    coverage.keys = compare_keys(sample, evaluator)?.max(seen.len());
    Ok(coverage)
}

/// Returns the moves to try: those of the sample, then those that occur.
fn candidates<G: SearchHints>(sample: &Sample<G>, playouts: &[Playout<G>]) -> Vec<G::Move> {
    let mut texts = HashSet::new();
    let occurring = playouts.iter().flat_map(|playout| playout.moves.iter()).take(MOST_MOVES);
    sample
        .moves
        .iter()
        .chain(occurring)
        .filter(|mv| texts.insert(mv.to_string()))
        .copied()
        .collect()
}

/// Plays the moves again from their texts.
fn replay<G: SearchHints>(playout: &Playout<G>) -> Result<(), Breach> {
    let Some(mut position) = playout.positions.first().cloned() else { return Ok(()) };
    for (mv, expected) in playout.moves.iter().zip(&playout.positions[1..]) {
        let read = mv.to_string().parse::<G::Move>().ok();
        let played = read.is_some_and(|mv| position.play(mv).is_ok());
        require(played, Rule::Notation, &position, || {
            format!("move {mv:?}, played in this position, cannot be played again as {mv}")
        })?;
        require(position == *expected, Rule::Play, expected, || {
            format!("move {mv} led here, and when played again to {position:?}")
        })?;
        equal(expected, &position)?;
    }
    Ok(())
}

/// Solves the last positions of a play-out, as far back as possible, and all positions that follow from
/// them. Returns the number of positions solved.
fn solve_end<G: SearchHints>(playout: &Playout<G>, results: &mut Results) -> Result<usize, Breach> {
    let mut solved = 0;
    for position in playout.positions.iter().rev().take(SOLVED_PLIES) {
        let plies = position.plies_left().unwrap_or(OPEN_PLIES);
        let mut solver = Solver::new(SOLVER_NODES, |position: &G, score| {
            solved += 1;
            results.add(position, score)
        });
        let result = solver.solve(position, plies)?;
        if result.is_none() && position.plies_left().is_some() {
            break;
        }
    }
    Ok(solved)
}

/// Compares keys until there are as many as wanted, or new ones become rare.
fn compare_keys<G: SearchHints>(
    sample: &Sample<G>,
    evaluator: &impl Evaluator<G>,
) -> Result<usize, Breach> {
    let mut collisions = Collisions::default();
    let Some(mut walks) = sample.walks() else { return Ok(0) };
    while collisions.len() < sample.keys {
        let (before, mut visited) = (collisions.len(), 0);
        for _ in 0..BATCH {
            let playout = walks.next()?;
            visited += playout.positions.len();
            for position in &playout.positions {
                collisions.add(position, evaluator)?;
            }
            if collisions.len() >= sample.keys {
                break;
            }
        }
        if (collisions.len() - before) * RARE < visited {
            break;
        }
    }
    Ok(collisions.len())
}

/// A part of the contract of [`Game`] and [`Evaluator`](crate::Evaluator).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// `NAME` is a lower-case word, and `MOVE_CODES` is from 1 to 2^16 - 1, and `POINT` from
    /// 1 to 28,999.
    Constants,
    /// A game that is not over has a legal move, and one that is over has none.
    Moves,
    /// `legal_moves` yields exactly the moves that `check_legal` accepts, each once, in an order
    /// that depends on the position alone.
    Generator,
    /// `play` refuses an illegal move, leaves the position as it was, and gives the move and the reason on
    /// one line.
    Refusal,
    /// After a move the other side is to move; `play`, `after` and `play_unchecked` agree.
    Play,
    /// `Display` and `FromStr` of moves are inverse; legal moves have different texts.
    Notation,
    /// Move codes are below `MOVE_CODES` and differ.
    MoveCode,
    /// `canonical_code` is its own inverse, and below `MOVE_CODES`.
    CanonicalCode,
    /// Equal positions have equal keys, and agree in everything else.
    EqualPositions,
    /// Positions that share `key` are alike except for the margin so far; they have the same `plies_left`
    /// too.
    Key,
    /// Positions that share `end_of_game_key` have the same result except for the margin so far.
    EndOfGameKey,
    /// Bounds are whole points in order, or open.
    Bounds,
    /// Bounds hold for the result of best play.
    BoundsHold,
    /// A pass is legal only when it is the only move.
    Pass,
    /// Points and margins agree, and no margin is too great for a score.
    Points,
    /// `plies_left` is never exceeded, and shrinks with every move.
    PliesLeft,
    /// The answer of `forcing` is true, and `forcing` only adds to `replies`. The second half of
    /// [`Forcing::Quiet`](crate::Forcing::Quiet), about the opponent's moves if it were their turn, cannot
    /// be tested with the moves of a game.
    Forcing,
    /// Evaluations and move orders are within their limits, and the same each time.
    Evaluation,
}

/// A breach of the contract by a game: the rule and the position.
#[derive(Clone, PartialEq, Eq)]
pub struct Breach {
    /// The name of the game.
    pub game: &'static str,
    /// The broken rule.
    pub rule: Rule,
    /// The position of the breach, with the side to move, as text.
    pub position: String,
    /// The finding: the move if there is one, the expected result and the actual one.
    pub found: String,
}

impl Breach {
    pub(super) fn new<G: Game>(rule: Rule, position: &G, found: String) -> Breach {
        Breach { game: G::NAME, rule, position: describe(position), found }
    }
}

/// Returns the text of the position for a person, with the side to move.
pub(super) fn describe<G: Game>(position: &G) -> String {
    let side = match position.side_to_move() {
        Side::First => "first",
        Side::Second => "second",
    };
    format!("{position}\n({side} side to move)")
}

/// Returns `Ok` if `holds`, otherwise the breach of `rule` in `position`.
#[inline]
pub(super) fn require<G: Game>(
    holds: bool,
    rule: Rule,
    position: &G,
    found: impl FnOnce() -> String,
) -> Result<(), Breach> {
    if holds { Ok(()) } else { Err(Breach::new(rule, position, found())) }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Breach { game, rule, position, found } = self;
        write!(f, "{game} breaks the contract, rule {rule:?}: {found}\nin the position\n{position}")
    }
}

/// Writes the same text as `Display`, since a test that returns or unwraps the error shows `Debug`.
impl fmt::Debug for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Breach {}
