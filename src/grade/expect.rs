//! What a player must see.

use crate::game::{Game, Side};

/// What a position promises to a side, as far as a number of plies shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prospect {
    /// The side loses, whatever it does.
    Lost,
    /// Nothing is certain, or it is a draw.
    Open,
    /// The side can win.
    Won,
}

impl Prospect {
    const fn turned(self) -> Prospect {
        match self {
            Prospect::Lost => Prospect::Won,
            Prospect::Open => Prospect::Open,
            Prospect::Won => Prospect::Lost,
        }
    }

    fn of(winner: Option<Side>, side: Side) -> Prospect {
        match winner {
            Some(winner) if winner == side => Prospect::Won,
            Some(_) => Prospect::Lost,
            None => Prospect::Open,
        }
    }
}

/// The legal moves that promise most within so many plies, 1 for the own move alone, and what they
/// promise.
///
/// This is plain negamax over who wins, with nothing but the rules: no evaluation, no limits that
/// the game knows, no table. So it shows what any correct search of that depth sees, and no more.
/// Beyond the plies everything is open, and so is a draw.
pub fn best_moves<G: Game>(position: &G, plies: u32) -> (Vec<G::Move>, Prospect) {
    let side = position.side_to_move();
    let promises = position.legal_moves().map(|mv| {
        let next = position.after(mv);
        (mv, seen_by(side, &next, plies.saturating_sub(1), Prospect::Won))
    });
    let promises: Vec<(G::Move, Prospect)> = promises.collect();
    let best = promises.iter().map(|&(_, promise)| promise).max().unwrap_or(Prospect::Lost);
    let moves = promises.into_iter().filter(|&(_, promise)| promise == best);
    (moves.map(|(mv, _)| mv).collect(), best)
}

fn seen_by<G: Game>(side: Side, position: &G, plies: u32, enough: Prospect) -> Prospect {
    let own =
        look(position, plies, if position.side_to_move() == side { enough } else { Prospect::Won });
    if position.side_to_move() == side { own } else { own.turned() }
}

/// What `position` promises to the side to move. More than `enough` is of no use.
fn look<G: Game>(position: &G, plies: u32, enough: Prospect) -> Prospect {
    let side = position.side_to_move();
    if let Some(outcome) = position.outcome() {
        return Prospect::of(outcome.winner(), side);
    }
    if plies == 0 {
        return Prospect::Open;
    }
    let mut best = Prospect::Lost;
    for mv in position.legal_moves() {
        let next = position.after(mv);
        best = best.max(seen_by(side, &next, plies - 1, Prospect::Won));
        if best >= enough {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TicTacToe;

    /// The best moves after these, sorted, and what they promise.
    fn best(moves: &str, plies: u32) -> (Vec<String>, Prospect) {
        let mut position = TicTacToe::default();
        for mv in moves.split_whitespace() {
            position.play(mv.parse().expect("a move")).expect("a legal move");
        }
        let (moves, prospect) = best_moves(&position, plies);
        let mut names: Vec<_> = moves.iter().map(ToString::to_string).collect();
        names.sort();
        (names, prospect)
    }

    #[test]
    fn a_win_is_seen_one_ply_ahead() {
        assert_eq!(best("1 4 2 5", 1), (vec!["3".to_owned()], Prospect::Won));
    }

    #[test]
    fn a_threat_is_seen_two_plies_ahead() {
        assert_eq!(best("1 4 2", 1).0.len(), 6);
        assert_eq!(best("1 4 2", 2), (vec!["3".to_owned()], Prospect::Open));
    }

    #[test]
    fn a_fork_is_seen_three_plies_ahead() {
        // X has two opposite corners' worth of lines; O took a side.
        assert_eq!(best("1 2", 2).1, Prospect::Open);
        assert_eq!(best("1 2 7 4", 3).1, Prospect::Won);
    }

    #[test]
    fn perfect_play_is_open() {
        assert_eq!(best("", 9).1, Prospect::Open);
        assert_eq!(best("", 9).0.len(), 9);
    }
}
