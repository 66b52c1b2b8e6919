//! Positions with the results of their games.

use crate::forcing::Forcing;
use crate::game::{Game, Side};
use crate::referee::PlayedGame;

/// A position, and how the game went on to end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<const N: usize> {
    /// How often each term of the evaluation occurs, as the side to move sees it.
    pub terms: [i32; N],
    /// The result for the side to move: 0, 1/2 or 1.
    pub result: f64,
}

impl<const N: usize> Sample<N> {
    /// The evaluation by these weights.
    pub(super) fn value(&self, weights: &[f64; N]) -> f64 {
        self.terms.iter().zip(weights).map(|(&term, weight)| f64::from(term) * weight).sum()
    }
}

/// The quiet positions of a game between players that search, with its result: those after the
/// opening in which the mover saw no forced end, and nobody threatens to win at once.
///
/// Elsewhere a search would look further, and so the evaluation has nothing to learn from them.
pub fn quiet_samples<G: Game, const N: usize>(
    game: &PlayedGame<G>,
    terms: impl Fn(&G) -> [i32; N],
) -> Vec<Sample<N>> {
    let (mut position, mut samples) = (game.start.clone(), Vec::new());
    for played in &game.moves {
        let is_decided = played.score.is_some_and(|score| score.plies_to_end().is_some());
        if !played.forced && !is_decided && is_quiet(&position) {
            let result = result(game.ending.winner, position.side_to_move());
            samples.push(Sample { terms: terms(&position), result });
        }
        position.play_unchecked(played.mv);
    }
    samples
}

/// Whether nobody could win with the next move, as far as the game tells.
fn is_quiet<G: Game>(position: &G) -> bool {
    matches!(position.forcing(&mut Vec::new()), Forcing::Unknown | Forcing::Quiet)
}

fn result(winner: Option<Side>, side: Side) -> f64 {
    match winner {
        Some(winner) if winner == side => 1.0,
        Some(_) => 0.0,
        None => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Machine, Player, Strength};
    use crate::referee::{Conduct, Silent, play};
    use crate::search::Options;
    use crate::testing::TicTacToe;
    use crate::{Flat, Score};

    /// A game between machines that see `depth` plies, after an opening of one ply.
    fn game(depth: u32) -> PlayedGame<TicTacToe> {
        let options = Options { table_mib: 1, ..Options::default() };
        let machine = |depth| Machine::new(Flat, Strength::Depth(depth), options.clone());
        let (mut first, mut second) = (machine(depth), machine(1));
        let players: [&mut dyn Player<TicTacToe>; 2] = [&mut first, &mut second];
        let opening = vec!["5".parse().expect("a move")];
        let conduct = Conduct { opening, ..Conduct::default() };
        play(&TicTacToe::default(), players, &conduct, &mut Silent).expect("a game")
    }

    #[test]
    fn samples_are_after_the_opening_and_before_a_forced_end() {
        let game = game(3);
        let samples = quiet_samples(&game, |_| [1]);
        let is_forced_end = |score: Score| score.plies_to_end().is_some();
        let undecided = game
            .moves
            .iter()
            .filter(|played| !played.forced && !played.score.is_some_and(is_forced_end));
        assert_eq!(samples.len(), undecided.count());
        assert!(!samples.is_empty() && samples.len() < game.moves.len());
    }

    #[test]
    fn results_are_those_of_the_side_to_move() {
        assert_eq!(result(Some(Side::First), Side::First), 1.0);
        assert_eq!(result(Some(Side::First), Side::Second), 0.0);
        assert_eq!(result(None, Side::Second), 0.5);
    }
}
