//! The player that makes the best move there is.

use std::fmt;
use std::time::Duration;

use super::machine::SHARE_OF_LIMIT;
use super::{Answer, Choice, Fault, Player, Turn};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::perfect::{self, Perfect, Source};
use crate::proof::{NoTactics, Tactics};

/// Who is told of every move, and where it is from.
type Listener<'a, M> = Box<dyn FnMut(&perfect::Choice<M>) + 'a>;

/// A player that makes the move that [`Perfect`] finds. For games that end after a limited number
/// of moves, or that it knows the tactics of; in others it has no move.
pub struct PerfectPlayer<'a, G: Game, E, T = NoTactics> {
    perfect: Perfect<E, T>,
    time: Option<Duration>,
    listener: Listener<'a, G::Move>,
}

impl<'a, G: Game, E, T> PerfectPlayer<'a, G, E, T> {
    /// A player that thinks for `time` about a move at most, or as long as it takes; `listener`
    /// hears of every move.
    pub fn new(
        perfect: Perfect<E, T>,
        time: Option<Duration>,
        listener: impl FnMut(&perfect::Choice<G::Move>) + 'a,
    ) -> PerfectPlayer<'a, G, E, T> {
        PerfectPlayer { perfect, time, listener: Box::new(listener) }
    }
}

impl<G: Game, E: fmt::Debug, T: fmt::Debug> fmt::Debug for PerfectPlayer<'_, G, E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { perfect, time, .. } = self;
        f.debug_struct("PerfectPlayer")
            .field("perfect", perfect)
            .field("time", time)
            .finish_non_exhaustive()
    }
}

impl<G: Game, E: Evaluator<G>, T: Tactics<G>> Player<G> for PerfectPlayer<'_, G, E, T> {
    fn choose_move(&mut self, turn: &Turn<'_, G>) -> Result<Answer<G::Move>, Fault> {
        let share = turn.limit.map(|limit| limit.mul_f64(SHARE_OF_LIMIT));
        let time = self.time.into_iter().chain(share).min();
        let choice = self.perfect.choose(turn.position, time).ok().flatten();
        let choice = choice.ok_or(Fault::NoMove)?;
        (self.listener)(&choice);
        let depth = match choice.source {
            Source::Book | Source::Exact | Source::Proof => None,
            Source::Depth(depth) => Some(depth),
        };
        Ok(Answer::Move(Choice { mv: choice.mv, score: Some(choice.score), depth }))
    }

    fn allows_take_back(&self) -> bool {
        true
    }
}
