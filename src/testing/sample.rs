//! Random positions, and toy games made by chance.

use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

use super::{Breach, Rule, require};
use crate::game::{Game, Side};
use crate::hints::{Evaluator, Forcing, SearchHints};
use crate::score::Score;
use crate::table::mix;

/// The number of play-outs that are looked at closely, unless the sample says otherwise.
const PLAYOUTS: usize = 200;
/// The number of keys that are compared, unless the sample says otherwise.
const KEYS: usize = 100_000;
/// The number of plies after which play-outs of games that need not end are cut off.
const MOST_PLIES: usize = 200;

/// The positions that [`check_contract`](super::check_contract) looks at.
#[derive(Clone, Debug)]
pub struct Sample<G: Game> {
    pub(super) starts: Vec<G>,
    pub(super) moves: Vec<G::Move>,
    pub(super) playouts: usize,
    pub(super) keys: usize,
    pub(super) seed: u64,
}

impl<G: Game> Sample<G> {
    /// Makes a sample of positions on random ways from `starts`: 200 play-outs looked at closely, and
    /// 100,000 different keys compared, or as many as there are. The same seed gives the same positions.
    pub fn new(starts: impl IntoIterator<Item = G>, seed: u64) -> Sample<G> {
        let starts = starts.into_iter().collect();
        Sample { starts, moves: Vec::new(), playouts: PLAYOUTS, keys: KEYS, seed }
    }

    /// Adds moves that are to be tried in every position, legal or not: preferably all moves that a player
    /// could think of. Without them, the moves that occur in the play-outs are tried.
    #[must_use]
    pub fn with_moves(mut self, moves: impl IntoIterator<Item = G::Move>) -> Sample<G> {
        self.moves.extend(moves);
        self
    }

    /// Sets the number of play-outs that are looked at closely.
    #[must_use]
    pub fn with_playouts(self, playouts: usize) -> Sample<G> {
        Sample { playouts, ..self }
    }

    /// Sets the number of different keys to compare.
    #[must_use]
    pub fn with_keys(self, keys: usize) -> Sample<G> {
        Sample { keys, ..self }
    }

    /// Returns a source of random play-outs without end; `None` if there is no start.
    pub(super) fn walks(&self) -> Option<Walks<'_, G>> {
        let rng = StdRng::seed_from_u64(self.seed);
        (!self.starts.is_empty()).then_some(Walks { starts: &self.starts, rng })
    }
}

/// A source of random play-outs.
pub(super) struct Walks<'a, G> {
    starts: &'a [G],
    rng: StdRng,
}

/// One play-out: the positions, the start first, and the moves between them.
pub(super) struct Playout<G: Game> {
    pub(super) positions: Vec<G>,
    pub(super) moves: Vec<G::Move>,
}

impl<G: Game> Walks<'_, G> {
    pub(super) fn next(&mut self) -> Result<Playout<G>, Breach> {
        let mut position = self.starts[self.rng.random_range(0..self.starts.len())].clone();
        let mut playout = Playout { positions: vec![position.clone()], moves: Vec::new() };
        while position.outcome().is_none() && playout.moves.len() < MOST_PLIES {
            let mv = position.legal_moves().choose(&mut self.rng);
            require(mv.is_some(), Rule::Moves, &position, || "no move, but no outcome".to_owned())?;
            let Some(mv) = mv else { break };
            position.play_unchecked(mv);
            playout.positions.push(position.clone());
            playout.moves.push(mv);
        }
        Ok(playout)
    }
}

/// Returns the position after `plies` random moves from `start`, or at the end of the game if that comes
/// sooner. The same seed gives the same position.
///
/// ```
/// use plyground::Game;
/// use plyground::testing::{TicTacToe, random_position};
///
/// let position = random_position(&TicTacToe::default(), 3, 1);
/// assert_eq!(position.plies_left(), Some(6));
/// assert_eq!(position, random_position(&TicTacToe::default(), 3, 1));
/// ```
#[must_use]
pub fn random_position<G: Game>(start: &G, plies: u32, seed: u64) -> G {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut position = start.clone();
    for _ in 0..plies {
        if position.outcome().is_some() {
            break;
        }
        let Some(mv) = position.legal_moves().choose(&mut rng) else { break };
        position.play_unchecked(mv);
    }
    position
}

/// Checks the game's answer about forcing in `position`, which is open and has these legal moves. Returns
/// true if the answer is a win or a threat.
pub(super) fn forcing<G: SearchHints>(position: &G, legal: &[G::Move]) -> Result<bool, Breach> {
    let mut replies = Vec::new();
    let found = position.forcing(&mut replies);
    adds_to_what_there_is(position, legal, (found, &replies))?;
    let side = position.side_to_move();
    let win = legal.iter().find(|&&mv| wins_with(position, mv, side));
    match found {
        Forcing::Unknown => {}
        Forcing::Win(mv) => {
            let holds = legal.contains(&mv) && wins_with(position, mv, side);
            require(holds, Rule::Forcing, position, || {
                format!("move {mv} is said to win at once, and does not")
            })?;
        }
        Forcing::Quiet | Forcing::Threatened => {
            require(win.is_none(), Rule::Forcing, position, || {
                let win = win.map(G::Move::to_string).unwrap_or_default();
                format!("forcing is {found:?}, but move {win} wins at once")
            })?;
        }
    }
    if found == Forcing::Threatened {
        threatened(position, legal, &replies)?;
    } else {
        require(replies.is_empty(), Rule::Forcing, position, || {
            format!("forcing is {found:?}, but has replies: {replies:?}")
        })?;
    }
    Ok(matches!(found, Forcing::Win(_) | Forcing::Threatened))
}

/// Checks that the game answers the same when asked again, and leaves the earlier entries in the list of
/// replies alone.
fn adds_to_what_there_is<G: SearchHints>(
    position: &G,
    legal: &[G::Move],
    (found, replies): (Forcing<G::Move>, &[G::Move]),
) -> Result<(), Breach> {
    let earlier: Vec<G::Move> = legal.iter().rev().copied().collect();
    let mut all = earlier.clone();
    let again = position.clone().forcing(&mut all);
    let expected = [&earlier, replies].concat();
    require(again == found && all == expected, Rule::Forcing, position, || {
        format!(
            "forcing is {found:?} with replies {replies:?}, and then {again:?}, after which \
             {earlier:?} have become {all:?}"
        )
    })
}

/// Checks that every move that may help is among the replies, and that some move does not end the game.
fn threatened<G: SearchHints>(
    position: &G,
    legal: &[G::Move],
    replies: &[G::Move],
) -> Result<(), Breach> {
    let mut rest = legal.iter();
    let is_in_order = replies.iter().all(|reply| rest.any(|mv| mv == reply));
    require(is_in_order, Rule::Forcing, position, || {
        format!("the replies are not legal moves in their order: {replies:?}")
    })?;
    let goes_on = legal.iter().any(|&mv| position.after(mv).outcome().is_none());
    require(goes_on, Rule::Forcing, position, || {
        "threatened, but every move ends the game".to_owned()
    })?;
    legal.iter().filter(|mv| !replies.contains(mv)).try_for_each(|&mv| {
        require(loses_soon(position, mv), Rule::Forcing, position, || {
            format!("move {mv} is not among the replies {replies:?}, and does not lose at once")
        })
    })
}

/// Returns true if the opponent has won after `mv`, or wins with the next move.
fn loses_soon<G: SearchHints>(position: &G, mv: G::Move) -> bool {
    let (next, opponent) = (position.after(mv), position.side_to_move().other());
    match next.outcome() {
        Some(outcome) => outcome.winner() == Some(opponent),
        None => {
            next.side_to_move() == opponent
                && next.legal_moves().any(|reply| wins_with(&next, reply, opponent))
        }
    }
}

fn wins_with<G: SearchHints>(position: &G, mv: G::Move, side: Side) -> bool {
    position.after(mv).outcome().and_then(|outcome| outcome.winner()) == Some(side)
}

/// The amplitude of the noise in the order of moves, on the scale of [`Evaluator::order`].
const ORDER_AMPLITUDE: i32 = 5_000;

/// An evaluator that adds noise to the margin so far, the same noise for the same key.
///
/// Sensible evaluations hide faults of a search, because a wrong value is then often nearly right, and a
/// wrong move nearly as good. Noise reveals these faults. A small amplitude gives many ties.
///
/// ```
/// use plyground::Evaluator;
/// use plyground::testing::{HashNoise, TicTacToe};
///
/// let noise = HashNoise { seed: 1, amplitude: 50 };
/// let score = noise.evaluate(&TicTacToe::default()).get();
/// assert!((-50..=50).contains(&score));
/// assert_eq!(score, noise.evaluate(&TicTacToe::default()).get());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HashNoise {
    /// The seed; different seeds give independent noise.
    pub seed: u64,
    /// The noise is between minus and plus this, in hundredths of a point; not negative.
    pub amplitude: i32,
}

impl HashNoise {
    fn noise(self, key: u64, amplitude: i32) -> i32 {
        let width = 2 * i64::from(amplitude) + 1;
        let within = mix(self.seed, key) % width.unsigned_abs().max(1);
        (within as i64 - i64::from(amplitude)) as i32
    }
}

impl<G: SearchHints> Evaluator<G> for HashNoise {
    fn evaluate(&self, position: &G) -> Score {
        let noise = self.noise(position.key(), self.amplitude);
        Score::estimate(position.margin() * G::POINT + noise)
    }

    fn order(&self, _: &G, _: G::Move, next: &G) -> i32 {
        self.noise(!next.key(), ORDER_AMPLITUDE)
    }
}
