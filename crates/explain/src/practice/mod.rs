//! Questions about searches, drawn from a seed, with their answers.

mod best_move;
mod html;
mod sketch;
mod text;
mod tree_question;
mod tree_svg;

use plyground::{Game, testing::random_position};
use plyground_host::{HostedGame, HostedPosition};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub use best_move::BestMoveQuestion;
pub use html::{page, sheet};
pub use sketch::{Sketch, SketchNode};
pub use text::text;
pub use tree_question::TreeQuestion;

/// The number of positions drawn for a question before another kind of question is tried.
const TRIES: u32 = 3_000;

/// Every third question is about the best move.
const BEST_MOVE_EVERY: u32 = 3;

/// A question.
#[derive(Clone, Debug)]
pub enum Question {
    /// A question about a small tree.
    Tree(TreeQuestion),
    /// A question about the best move of a position.
    BestMove(BestMoveQuestion),
}

/// Questions about one game.
#[derive(Clone, Debug)]
pub struct Practice {
    /// The title of the game.
    pub title: String,
    /// The seed of the questions: the same seed gives the same questions.
    pub seed: u64,
    /// The questions.
    pub questions: Vec<Question>,
}

impl Practice {
    /// Draws `count` questions, or fewer if the game has no positions for them: for example, if its
    /// evaluation finds all positions even.
    #[must_use]
    pub fn draw(game: &dyn HostedGame, seed: u64, count: u32) -> Practice {
        let mut rng = StdRng::seed_from_u64(seed);
        let draw = |number: u32| {
            let about_best = number % BEST_MOVE_EVERY == BEST_MOVE_EVERY - 1;
            let mut best = || best_move::draw(game, &mut rng, TRIES).map(Question::BestMove);
            let found = if about_best { best() } else { None };
            found.or_else(|| tree_question::draw(game, &mut rng, TRIES).map(Question::Tree))
        };
        let questions = (0..count).map_while(draw).collect();
        Practice { title: game.title(), seed, questions }
    }
}

/// Returns a position after a random number of random moves in this range; `None` if the game is over there.
fn random_start(
    game: &dyn HostedGame,
    (least, most): (u32, u32),
    rng: &mut StdRng,
) -> Option<HostedPosition> {
    let plies = rng.random_range(least..=most.max(least));
    let position = random_position(&game.start(), plies, rng.random());
    position.outcome().is_none().then_some(position)
}

impl Question {
    /// Returns the position that the question is about.
    #[must_use]
    pub fn position(&self) -> &HostedPosition {
        match self {
            Question::Tree(question) => &question.sketch.position,
            Question::BestMove(question) => &question.position,
        }
    }
}
