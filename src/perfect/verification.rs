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
/// It gives up after this many nodes.
const PLAIN_NODES: u64 = 3_000_000;
/// How many random positions to re-solve.
const RANDOM_POSITIONS: u64 = 40;

/// What is wrong with a solution, in one line.
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
        /// How many moves it has.
        plies: usize,
    },
    /// The principal variation does not lead to the value.
    OtherResult {
        /// The value that was claimed.
        claimed: Score,
        /// What the principal variation leads to.
        found: Score,
    },
    /// The two searches do not agree.
    OtherValue {
        /// The position.
        position: String,
        /// What the solver finds.
        claimed: Score,
        /// What the plain search finds.
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

/// Plays the principal variation of `line` out, and re-solves positions near the end of the game
/// by [`plain_value`]: those of the variation, and some at random. Returns how many it re-solved.
///
/// # Errors
///
/// The first thing that is wrong.
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

/// The positions of the principal variation.
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

/// Whether the plain search could settle the position, and if so, whether the other agrees.
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

/// The position `plies` pseudo-random moves after `start`, or earlier if the game ends.
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
