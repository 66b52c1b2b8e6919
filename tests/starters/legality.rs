//! The moves that a program of a kit takes for legal in Network, against the rules.

use network::{Move, Position, Rules, Square};
use plyground::Game;
use rand::prelude::*;

/// The number of positions that are asked about, and the last ply of their games.
const POSITIONS: u64 = 24;
const LAST_PLY: u64 = 60;

/// The moves of a random game up to some ply, and the position after them.
fn random_game(seed: u64) -> (Vec<Move>, Position) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut moves, mut position) = (Vec::new(), Position::new(Rules::Berkeley));
    for _ in 0..LAST_PLY * seed / POSITIONS {
        let goes_on = |mv: &Move| position.after(*mv).outcome().is_none();
        let Some(mv) = position.legal_moves().filter(goes_on).choose(&mut rng) else { break };
        position.play_unchecked(mv);
        moves.push(mv);
    }
    (moves, position)
}

/// Every add, and as many steps.
fn tried(seed: u64) -> Vec<Move> {
    let mut rng = StdRng::seed_from_u64(seed);
    let squares: Vec<Square> = Square::all().collect();
    let step = |rng: &mut StdRng| Move::Step {
        from: *squares.choose(rng).expect("squares"),
        to: *squares.choose(rng).expect("squares"),
    };
    let steps: Vec<Move> = (0..squares.len()).map(|_| step(&mut rng)).collect();
    squares.iter().map(|&to| Move::Add(to)).chain(steps).collect()
}

/// Returns the lines of a referee that asks which moves are legal, and the answers of a program
/// that knows.
pub fn questions() -> (String, Vec<String>) {
    let (mut said, mut answers) = ("newgame network berkeley first\n".to_owned(), Vec::new());
    for seed in 0..POSITIONS {
        let (moves, position) = random_game(seed);
        let before: String = moves.iter().map(|mv| format!(" {mv}")).collect();
        let likely = position.legal_moves().take(40).collect::<Vec<_>>();
        for mv in tried(seed).into_iter().chain(likely) {
            said += &format!("position startpos moves{before} {mv}\nisready\n");
            if position.check_legal(mv).is_err() {
                answers.push(format!("illegal {mv}"));
            }
            answers.push("readyok".to_owned());
        }
    }
    (said, answers)
}
