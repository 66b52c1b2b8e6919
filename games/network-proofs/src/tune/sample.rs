//! Positions with the results of their games.

use network::{Position, TERMS, terms};
use plyground::{Forcing, Game, SearchHints, Side, Value};
use plyground_host::referee::PlayedGame;

/// A position, and the result of its game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample<const N: usize> {
    /// The count of each term of the evaluation, as the side to move sees it.
    pub(super) terms: [i32; N],
    /// The result for the side to move: 0, 1/2 or 1.
    pub(super) result: f64,
}

impl<const N: usize> Sample<N> {
    /// Returns the evaluation by these weights.
    pub(super) fn value(&self, weights: &[f64; N]) -> f64 {
        self.terms.iter().zip(weights).map(|(&term, weight)| f64::from(term) * weight).sum()
    }
}

/// Returns the quiet positions of a game of Network between players that search, with its result: those
/// after the opening in which the side to move saw no forced end, and no side threatens to win at once.
///
/// In other positions a search would look further, so the evaluation has nothing to learn from them.
pub(super) fn quiet_samples(game: &PlayedGame) -> Vec<Sample<TERMS>> {
    let (mut position, mut samples) = (game.start.clone(), Vec::new());
    for played in &game.moves {
        let is_decided = played.value.is_some_and(is_end);
        let quiet = position.typed().filter(|&typed| is_quiet(typed));
        if let (Some(quiet), false) = (quiet, played.forced || is_decided) {
            let result = result(game.ending.winner, position.side_to_move());
            samples.push(Sample { terms: terms(quiet), result });
        }
        position.play_unchecked(played.mv);
    }
    samples
}

/// Returns true if the side to move saw a forced end.
fn is_end(value: Value) -> bool {
    value.score().plies_to_end().is_some()
}

/// Returns true if neither side could win with the next move, as far as the game tells.
fn is_quiet(position: &Position) -> bool {
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
    use network::{Rules, game};
    use plyground::search::Options;
    use plyground_host::player::{EnginePlayer, Player};
    use plyground_host::referee::{Conduct, Silent, play};
    use plyground_host::{EngineOptions, Strength};

    use super::*;

    #[test]
    fn samples_come_after_the_opening_and_before_a_forced_end() {
        let network = game(Rules::Berkeley);
        let search = Options { table_mib: 1, ..Options::default() };
        let options = EngineOptions { search, ..EngineOptions::default() };
        let player =
            |depth| EnginePlayer::new(network.engine(options.clone()), Strength::Depth(depth));
        let opening = ["33", "44"].map(|mv| mv.parse().expect("a move")).to_vec();
        let conduct = Conduct { opening, ..Conduct::default() };
        let (mut first, mut second) = (player(3), player(1));
        let players: [&mut dyn Player; 2] = [&mut first, &mut second];
        let game = play(&network.start(), players, &conduct, &mut Silent).expect("a game");
        let samples = quiet_samples(&game);
        let decided = game.moves.iter().filter(|played| played.value.is_some_and(is_end));
        let most = game.moves.len() - conduct.opening.len() - decided.count();
        assert!(!samples.is_empty() && samples.len() <= most, "{} of {most}", samples.len());
    }

    #[test]
    fn results_are_those_of_the_side_to_move() {
        assert_eq!(result(Some(Side::First), Side::First), 1.0);
        assert_eq!(result(Some(Side::First), Side::Second), 0.0);
        assert_eq!(result(None, Side::Second), 0.5);
    }
}
