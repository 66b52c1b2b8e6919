//! The implementation of the boundary for any game with an adapter: the only code above the engine that is
//! compiled for every game.

mod analyst;
mod batch;
mod judge;
mod position;
mod typed;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use plyground::proof::Tactics;
use plyground::{Game, Outcome, Score, Side};
use rand::rngs::StdRng;

use self::batch::TypedBatch;
use self::typed::{TypedEngine, typed};
use crate::adapter::{GameAdapter, Lesson};
use crate::engine::EngineOptions;
use crate::game::{AdaptedGame, HostedBatch, HostedEngine, HostedGame, HostedPosition, SharedGame};
use crate::move_text::MoveText;
use crate::page::Layout;
use crate::state::{StateText, TextError};

pub use self::position::DEFAULT_TIME;
pub use self::typed::host_position;

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
