//! Questions about the best move of a position: the move that wins in three plies, or the move that leads to
//! the most points.

use plyground::search::{Limits, Options, Scope};
use plyground::{Game, Score, Value};
use plyground_host::{EngineOptions, HostedEngine, HostedGame, HostedPosition, MoveText};
use rand::rngs::StdRng;

use super::random_start;

/// The distance of the win in a question, in plies.
const WIN_PLIES: u32 = 3;

/// The greatest number of moves that are right.
const MOST_RIGHT: usize = 2;

/// The least and the greatest number of plies left in a question about points.
const END_PLIES: (u32, u32) = (5, 8);

/// The least and the greatest number of plies before the position of a question, in a game that does not know
/// how many plies are left.
const MIDDLE_PLIES: (u32, u32) = (8, 40);

/// A position with a best move.
#[derive(Clone, Debug)]
pub struct BestMoveQuestion {
    /// The position.
    pub position: HostedPosition,
    /// The moves that are right.
    pub right: Vec<MoveText>,
    /// The value of these moves.
    pub value: Score,
    /// A line of play that begins with the first of them.
    pub line: Vec<MoveText>,
}

/// Draws a question; `None` if none is found in `tries` tries.
pub(super) fn draw(
    game: &dyn HostedGame,
    rng: &mut StdRng,
    tries: u32,
) -> Option<BestMoveQuestion> {
    let search = Options { table_mib: 1, ..Options::default() };
    let mut engine = game.engine(EngineOptions { search, ..EngineOptions::default() });
    let start = game.start();
    let plies = match start.plies_left() {
        Some(left) if start.points().is_some() => {
            (left - END_PLIES.1.min(left), left - END_PLIES.0.min(left))
        }
        Some(left) => (1, left.saturating_sub(WIN_PLIES)),
        None => MIDDLE_PLIES,
    };
    (0..tries).find_map(|_| {
        let position = random_start(game, plies, rng)?;
        BestMoveQuestion::new(position, &mut *engine)
    })
}

impl BestMoveQuestion {
    fn new(position: HostedPosition, engine: &mut dyn HostedEngine) -> Option<BestMoveQuestion> {
        let depth = match position.points() {
            Some(_) => position.plies_left()?,
            None => WIN_PLIES,
        };
        let limits = Limits::depth(depth);
        let report = engine.search(&position, &limits, Scope::EveryMove, &mut |_| ())?;
        let best = report.lines.first()?;
        let Value::Exact(value) = best.value else { return None };
        if position.points().is_none() && value != Score::win_in(WIN_PLIES) {
            return None;
        }
        let right = report.lines.iter().take_while(|line| line.score() == value);
        let right: Vec<_> = right.map(|line| line.first_move()).collect();
        let is_fair = right.len() <= MOST_RIGHT && right.len() + 1 < report.lines.len();
        is_fair.then(|| BestMoveQuestion { position, right, value, line: best.pv.clone() })
    }

    /// Returns the question in words.
    #[must_use]
    pub fn asks(&self) -> String {
        let turn = self.position.turn();
        match self.position.points() {
            Some(_) => format!("{turn} Which move is best, if both play their best to the end?"),
            None => format!("{turn} Which move wins by force in {WIN_PLIES} plies?"),
        }
    }

    /// Returns the answer in words.
    #[must_use]
    pub fn answer(&self) -> String {
        let game = self.position.game();
        let right: Vec<_> = self.right.iter().map(ToString::to_string).collect();
        let line: Vec<_> = self.line.iter().map(ToString::to_string).collect();
        let value = match self.position.points() {
            Some(_) => self.position.verdict(game.value(self.value)),
            None => format!("{}.", game.show(Value::Exact(self.value))),
        };
        format!("{}: {value} For example: {}", right.join(" or "), line.join(", "))
    }
}
