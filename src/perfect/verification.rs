//! Checks of a solution that share no code with the search that found it.

use std::error::Error;
use std::fmt;

use super::plain::plain_value;
use super::plies_to_end;
use crate::eval::Evaluator;
use crate::hints::SearchHints;
use crate::random::mix;
use crate::score::Score;
use crate::search::{AlphaBeta, Limits, Line, Search};

/// The plain search is used on positions with at most this many plies left.
const PLAIN_PLIES: u32 = 12;
/// The plain search gives up after this many nodes.
const PLAIN_NODES: u64 = 3_000_000;
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
/// [`plain_value`]: those of the variation, and some at random. Returns the number of positions solved
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
    on_the_way.extend(
        (0..RANDOM_POSITIONS)
            .map(|seed| random_position(position, left.saturating_sub(PLAIN_PLIES), seed)),
    );
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
    let Some(left) = position.plies_left().filter(|&left| left <= PLAIN_PLIES) else {
        return Ok(false);
    };
    let Ok(plain) = plain_value(position, PLAIN_NODES) else { return Ok(false) };
    let Some(report) = search.best(position, &Limits::depth(left)) else { return Ok(false) };
    if report.score() == plain {
        return Ok(true);
    }
    let (position, claimed) = (position.to_string(), report.score());
    Err(Refutation::OtherValue { position, claimed, plain })
}

/// Returns the position `plies` pseudo-random moves after `start`, or earlier if the game ends.
fn random_position<G: SearchHints>(start: &G, plies: u32, seed: u64) -> G {
    let mut position = start.clone();
    for ply in 0..plies {
        let count = position.legal_moves().count() as u64;
        let Some(index) = mix(seed, u64::from(ply)).checked_rem(count) else { break };
        let Some(mv) = position.legal_moves().nth(index as usize) else { break };
        position.play_unchecked(mv);
    }
    position
}
