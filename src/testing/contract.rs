//! Tests of the whole contract.

use std::collections::HashSet;

use super::breach::{Breach, Rule, require};
use super::keys::{Collisions, Results, Seen, equal};
use super::reference::Solver;
use super::rules;
use super::sample::{Playout, Sample};
use crate::eval::Evaluator;
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
