//! The implementation of the boundary for any game with an adapter: the only code above the engine that is
//! compiled for every game.

mod analyst;
mod batch;
mod judge;
mod position;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use plyground::perfect::Perfect;
use plyground::proof::{Finder, Tactics};
use plyground::{AlphaBeta, Game, Outcome, Score, Side};
use rand::rngs::StdRng;

use self::batch::TypedBatch;
use crate::adapter::{GameAdapter, Lesson, MoveOf};
use crate::engine::{EngineOptions, OtherGame};
use crate::game::{AdaptedGame, HostedBatch, HostedEngine, HostedGame, HostedPosition, SharedGame};
use crate::move_text::MoveText;
use crate::page::Layout;
use crate::state::{StateText, TextError};

pub use self::position::DEFAULT_TIME;

/// Returns the game behind text.
pub fn host<A: GameAdapter + HostedGame>(game: A) -> SharedGame {
    Arc::new(game)
}

impl<A: GameAdapter + HostedGame> AdaptedGame for A {
    fn name(&self) -> &'static str {
        self.game_name()
    }

    fn shared(&self) -> SharedGame {
        host(self.clone())
    }

    fn start(&self) -> HostedPosition {
        host_position(self, GameAdapter::start(self))
    }

    fn parse_state(&self, text: &StateText) -> Result<HostedPosition, TextError> {
        GameAdapter::parse_state(self, text).map(|position| host_position(self, position))
    }

    fn engine(&self, options: EngineOptions) -> Box<dyn HostedEngine> {
        Box::new(TypedEngine::new(self.clone(), options))
    }

    fn has_tactics(&self) -> bool {
        let (tactics, start) = (self.tactics(true), GameAdapter::start(self));
        Side::BOTH.iter().any(|&side| tactics.horizon(&start, side) > 0)
    }

    fn side_name(&self, side: Side) -> String {
        GameAdapter::side_name(self, side)
    }

    fn move_hint(&self) -> String {
        GameAdapter::move_hint(self)
    }

    fn read_move(&self, text: &str) -> Option<MoveText> {
        GameAdapter::read_move(self, text).map(|mv| MoveText::of(&mv))
    }

    fn layout(&self) -> Option<Layout> {
        let layout = GameAdapter::layout(self)?;
        layout.assert_complete();
        Some(layout)
    }

    fn lessons(&self) -> Vec<Lesson> {
        GameAdapter::lessons(self)
    }

    fn move_names(&self, mv: MoveText) -> Vec<String> {
        let names = typed::<A>(mv).map(|mv| GameAdapter::move_names(self, mv));
        names.unwrap_or_else(|| vec![mv.to_string()])
    }

    fn actions(&self) -> usize {
        GameAdapter::actions(self)
    }

    fn batch(&self, count: usize) -> Box<dyn HostedBatch> {
        Box::new(TypedBatch::of_starts(self, count))
    }

    fn random_batch(
        &self,
        count: usize,
        rng: &mut StdRng,
        stop: &AtomicBool,
    ) -> Option<Box<dyn HostedBatch>> {
        let batch = TypedBatch::of_random_games(self, count, rng, stop)?;
        Some(Box::new(batch))
    }

    fn score(&self, outcome: Outcome, side: Side, ply: u32) -> Score {
        outcome.score::<A::Game>(side, ply)
    }

    fn point(&self) -> i32 {
        A::Game::POINT
    }
}

/// A position of one typed game.
struct TypedPosition<A: GameAdapter> {
    game: A,
    position: A::Game,
}

/// Returns a typed position of `game`, behind text.
pub fn host_position<A: GameAdapter + HostedGame>(game: &A, position: A::Game) -> HostedPosition {
    HostedPosition(Arc::new(TypedPosition { game: game.clone(), position }))
}

/// Returns the typed move of a text, if the text is a move.
fn typed<A: GameAdapter>(mv: MoveText) -> Option<MoveOf<A>> {
    mv.as_str().parse().ok()
}

/// The engine of one typed game.
struct TypedEngine<A: GameAdapter> {
    game: A,
    perfect: Perfect<A::Evaluator, A::Tactics>,
    without_prepared: bool,
    /// The finder of forced wins for judgments, made at first use.
    finder: Option<Finder<A::Tactics>>,
}

impl<A: GameAdapter + HostedGame> TypedEngine<A> {
    fn new(game: A, options: EngineOptions) -> TypedEngine<A> {
        let EngineOptions { search, book, without_prepared } = options;
        let table_mib = search.table_mib;
        let perfect = Perfect::new(game.evaluator(), search, book)
            .with_tactics(game.tactics(!without_prepared), table_mib);
        TypedEngine { game, perfect, without_prepared, finder: None }
    }

    fn search_mut(&mut self) -> &mut AlphaBeta<A::Evaluator> {
        self.perfect.search_mut()
    }

    /// Returns the typed position, if it is one of this game by these rules.
    fn own<'p>(&self, position: &'p HostedPosition) -> Result<&'p A::Game, OtherGame> {
        let (found, expected) = (position.game(), self.game.rules());
        match position.typed() {
            Some(own) if found.rules() == expected => Ok(own),
            _ => Err(OtherGame {
                expected: format!("{} {expected}", self.game.name()),
                found: format!("{} {}", found.name(), found.rules()),
            }),
        }
    }
}
