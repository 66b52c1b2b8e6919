//! Foresight by the rules alone: everything that any correct search of a given depth sees.

use plyground::{Game, Side};

/// The result that a position promises to a side, as far as a number of plies shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// The side loses, whatever it plays.
    Lost,
    /// The result is not certain, or a draw.
    Open,
    /// The side can win.
    Won,
}

impl Promise {
    const fn turned(self) -> Promise {
        match self {
            Promise::Lost => Promise::Won,
            Promise::Open => Promise::Open,
            Promise::Won => Promise::Lost,
        }
    }

    fn of(winner: Option<Side>, side: Side) -> Promise {
        match winner {
            Some(winner) if winner == side => Promise::Won,
            Some(_) => Promise::Lost,
            None => Promise::Open,
        }
    }
}

/// Returns the legal moves that promise the most within this many plies, and their promise. One ply is the
/// side's own move alone.
///
/// This is plain negamax over the winner, by nothing except the rules: it has no evaluation, no table and no
/// knowledge of the game's limits. A result beyond the plies is open, and so is a draw.
pub(crate) fn best_moves<G: Game>(position: &G, plies: u32) -> (Vec<G::Move>, Promise) {
    let side = position.side_to_move();
    let promises = position.legal_moves().map(|mv| {
        let next = position.after(mv);
        (mv, seen_by(side, &next, plies.saturating_sub(1), Promise::Won))
    });
    let promises: Vec<(G::Move, Promise)> = promises.collect();
    let best = promises.iter().map(|&(_, promise)| promise).max().unwrap_or(Promise::Lost);
    let moves = promises.into_iter().filter(|&(_, promise)| promise == best);
    (moves.map(|(mv, _)| mv).collect(), best)
}

fn seen_by<G: Game>(side: Side, position: &G, plies: u32, enough: Promise) -> Promise {
    let own =
        look(position, plies, if position.side_to_move() == side { enough } else { Promise::Won });
    if position.side_to_move() == side { own } else { own.turned() }
}

/// Returns the promise of `position` to the side to move. A promise above `enough` ends the search.
fn look<G: Game>(position: &G, plies: u32, enough: Promise) -> Promise {
    let side = position.side_to_move();
    if let Some(outcome) = position.outcome() {
        return Promise::of(outcome.winner(), side);
    }
    if plies == 0 {
        return Promise::Open;
    }
    let mut best = Promise::Lost;
    for mv in position.legal_moves() {
        let next = position.after(mv);
        best = best.max(seen_by(side, &next, plies - 1, Promise::Won));
        if best >= enough {
            break;
        }
    }
    best
}

/// Returns the legal moves, each with the margin in points of the side to move after this many plies of best
/// play, or `None` in a game without points. One ply is the side's own move alone.
///
/// A search whose evaluation is the score of the board finds these numbers.
pub(crate) fn margins<G: Game>(position: &G, plies: u32) -> Option<Vec<(G::Move, i32)>> {
    position.points()?;
    let value = |mv| -lead(&position.after(mv), plies.saturating_sub(1), -i32::MAX, i32::MAX);
    Some(position.legal_moves().map(|mv| (mv, value(mv))).collect())
}

/// Returns the margin in points of the side to move after this many plies, by alpha-beta.
fn lead<G: Game>(position: &G, plies: u32, mut alpha: i32, beta: i32) -> i32 {
    if plies == 0 || position.outcome().is_some() {
        let [first, second] = position.points().unwrap_or_default();
        return if position.side_to_move() == Side::First {
            first - second
        } else {
            second - first
        };
    }
    let mut best = -i32::MAX;
    for mv in position.legal_moves() {
        best = best.max(-lead(&position.after(mv), plies - 1, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::Promise;
    use crate::toy::toy;

    /// Returns the best moves after these moves, sorted, and their promise.
    fn best(moves: &str, plies: u32) -> (Vec<String>, Promise) {
        let mut position = toy().start();
        for mv in moves.split_whitespace() {
            position.play_text(mv).expect("a legal move");
        }
        let (moves, promise) = position.best_moves(plies);
        let mut names: Vec<_> = moves.iter().map(ToString::to_string).collect();
        names.sort();
        (names, promise)
    }

    #[test]
    fn win_is_seen_one_ply_ahead() {
        assert_eq!(best("1 4 2 5", 1), (vec!["3".to_owned()], Promise::Won));
    }

    #[test]
    fn threat_is_seen_two_plies_ahead() {
        assert_eq!(best("1 4 2", 1).0.len(), 6);
        assert_eq!(best("1 4 2", 2), (vec!["3".to_owned()], Promise::Open));
    }

    #[test]
    fn fork_is_seen_three_plies_ahead() {
        // X has lines from two opposite corners; O has taken a side.
        assert_eq!(best("1 2", 2).1, Promise::Open);
        assert_eq!(best("1 2 7 4", 3).1, Promise::Won);
    }

    #[test]
    fn perfect_play_is_open() {
        assert_eq!(best("", 9).1, Promise::Open);
        assert_eq!(best("", 9).0.len(), 9);
    }
}
