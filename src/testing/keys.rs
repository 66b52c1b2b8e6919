//! The rules of the contract that concern pairs of positions: keys and their promises.

use std::collections::HashMap;

use super::{Breach, Rule, describe, require};
use crate::game::{Side, Turn};
use crate::hints::{Evaluator, SearchHints};
use crate::score::{Bounds, Score};
use crate::search::greatest_first;
use crate::table::mix;

/// Returns the score less the margin so far, which a forced win or loss does not include.
fn less_margin<G: SearchHints>(score: Score, margin: i32) -> Score {
    if score.plies_to_end().is_some() { score } else { score - margin * G::POINT }
}

/// The traits that positions with the same key must share, apart from the positions after their moves.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Traits {
    /// Result of a finished game.
    result: Option<Score>,
    plies_left: Option<u32>,
    bounds: Bounds,
    evaluation: Option<Score>,
    /// The canonical codes of the legal moves, in order.
    codes: Vec<usize>,
}

impl Traits {
    fn of<G: SearchHints>(position: &G, evaluator: &impl Evaluator<G>) -> Traits {
        let margin = position.margin();
        let Bounds { lower, upper } = position.closest_bounds();
        let bounds = Bounds {
            lower: less_margin::<G>(lower, margin),
            upper: less_margin::<G>(upper, margin),
        };
        let plies_left = position.plies_left();
        let result =
            position.outcome().map(|outcome| outcome.score::<G>(position.side_to_move(), 0));
        if let Some(result) = result {
            let result = Some(less_margin::<G>(result, margin));
            return Traits { result, plies_left, bounds, evaluation: None, codes: Vec::new() };
        }
        let evaluation = Some(less_margin::<G>(evaluator.evaluate(position), margin));
        let canonical = |mv| position.canonical_code(position.move_code(mv));
        let mut codes: Vec<usize> = position.legal_moves().map(canonical).collect();
        codes.sort_unstable();
        Traits { result, plies_left, bounds, evaluation, codes }
    }

    fn hash(&self) -> u64 {
        let score = |score: Option<Score>| score.map_or(u64::MAX, |score| score.get() as u64);
        let Bounds { lower, upper } = self.bounds;
        let parts = [
            score(self.result),
            self.plies_left.map_or(u64::MAX, u64::from),
            score(Some(lower)),
            score(Some(upper)),
            score(self.evaluation),
        ];
        parts.into_iter().chain(self.codes.iter().map(|&code| code as u64)).fold(0, mix)
    }
}

/// Positions seen, to be compared with later ones that equal them or share their key.
pub(super) struct Seen<'a, G, E> {
    evaluator: &'a E,
    by_key: HashMap<u64, G>,
    by_text: HashMap<(String, Side), G>,
}

impl<'a, G: SearchHints, E: Evaluator<G>> Seen<'a, G, E> {
    pub(super) fn new(evaluator: &'a E) -> Self {
        Seen { evaluator, by_key: HashMap::new(), by_text: HashMap::new() }
    }

    /// Returns the number of different keys seen.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    pub(super) fn add(&mut self, position: &G) -> Result<(), Breach> {
        let text = (position.to_string(), position.side_to_move());
        match self.by_text.get(&text) {
            Some(earlier) if earlier == position => equal(earlier, position)?,
            Some(_) => {}
            None => drop(self.by_text.insert(text, position.clone())),
        }
        match self.by_key.get(&position.key()) {
            Some(earlier) if earlier != position => self.alike(earlier, position)?,
            Some(_) => {}
            None => drop(self.by_key.insert(position.key(), position.clone())),
        }
        Ok(())
    }

    /// Checks two positions with the same key: all facts that a search of one more ply reads must be the
    /// same.
    fn alike(&self, earlier: &G, position: &G) -> Result<(), Breach> {
        let [before, now] = [earlier, position].map(|p| Traits::of(p, self.evaluator));
        require(before == now, Rule::Key, position, || shared(earlier, &before, &now))?;
        if position.outcome().is_some() {
            return Ok(());
        }
        let [before, now] = [earlier, position].map(|p| self.children(p));
        require(before == now, Rule::Key, position, || shared(earlier, &before, &now))
    }

    /// Returns the canonical code of each move, with the traits of the position after it, the turn unless the
    /// game is over then, and the margin that the move gains.
    fn children(&self, position: &G) -> Vec<(usize, Traits, Option<Turn>, i32)> {
        let mut children: Vec<_> = position
            .legal_moves()
            .map(|mv| {
                let next = position.after(mv);
                let turn = Turn::between(position, &next);
                let gain = turn.across(next.margin()) - position.margin();
                let code = position.canonical_code(position.move_code(mv));
                let turn = next.outcome().is_none().then_some(turn);
                (code, Traits::of(&next, self.evaluator), turn, gain)
            })
            .collect();
        greatest_first(&mut children, |(code, ..)| *code as i32);
        children
    }
}

fn shared<G: SearchHints, T: std::fmt::Debug>(earlier: &G, before: &T, now: &T) -> String {
    format!("shares its key with\n{}\nbut has\n{now:?}\nin place of\n{before:?}", describe(earlier))
}

/// Checks that equal positions agree in everything.
pub(super) fn equal<G: SearchHints>(earlier: &G, position: &G) -> Result<(), Breach> {
    let facts = |p: &G| {
        let moves: Vec<G::Move> = p.legal_moves().collect();
        let codes: Vec<usize> = moves.iter().map(|&mv| p.move_code(mv)).collect();
        let keys = (p.key(), p.end_of_game_key());
        (
            keys,
            p.side_to_move(),
            p.outcome(),
            p.margin(),
            p.closest_bounds(),
            p.plies_left(),
            moves,
            codes,
        )
    };
    let (before, now) = (facts(earlier), facts(position));
    require(before == now, Rule::EqualPositions, position, || {
        format!("two equal positions differ: {before:?} and {now:?}")
    })
}

/// A large set of keys, each with a hash of the traits of the first position that had it. A later position
/// with the same key and other traits is a collision.
#[derive(Debug, Default)]
pub(super) struct Collisions {
    traits: HashMap<u64, u64>,
}

impl Collisions {
    /// Returns the number of different keys seen.
    pub(super) fn len(&self) -> usize {
        self.traits.len()
    }

    pub(super) fn add<G: SearchHints>(
        &mut self,
        position: &G,
        evaluator: &impl Evaluator<G>,
    ) -> Result<(), Breach> {
        let traits = Traits::of(position, evaluator);
        let hash = traits.hash();
        let first = *self.traits.entry(position.key()).or_insert(hash);
        require(first == hash, Rule::Key, position, || {
            format!("shares its key with an earlier position that is not like it: {traits:?}")
        })
    }
}

/// End-of-game keys with the results that they stand for.
#[derive(Debug, Default)]
pub(super) struct Results {
    solved: HashMap<u64, (Score, String)>,
}

impl Results {
    /// Adds a position with `score`, the result of best play, and checks its bounds and its
    /// end-of-game key.
    pub(super) fn add<G: SearchHints>(&mut self, position: &G, score: Score) -> Result<(), Breach> {
        let Bounds { lower, upper } = position.bounds();
        require((lower..=upper).contains(&score), Rule::BoundsHold, position, || {
            format!("the result is {score}, the bounds are {lower} to {upper}")
        })?;
        closer_bounds_hold(position, score)?;
        let rest = less_margin::<G>(score, position.margin());
        let (first, text) = self
            .solved
            .entry(position.end_of_game_key())
            .or_insert_with(|| (rest, describe(position)));
        require(*first == rest, Rule::EndOfGameKey, position, || {
            format!(
                "worth {rest} beside the margin so far, but shares its end-of-game key with a position \
                 worth {first}:\n{text}"
            )
        })
    }
}

/// Checks the closer bounds in the windows on both sides of the result, where every wrong answer shows.
fn closer_bounds_hold<G: SearchHints>(position: &G, score: Score) -> Result<(), Breach> {
    for (alpha, beta) in [(score - 1, score), (score, score + 1)] {
        let Some(Bounds { lower, upper }) = position.closer_bounds(alpha, beta) else { continue };
        require((lower..=upper).contains(&score), Rule::BoundsHold, position, || {
            format!("the result is {score}, the closer bounds are {lower} to {upper}")
        })?;
    }
    Ok(())
}
