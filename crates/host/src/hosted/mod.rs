//! The implementation of the boundary for any game with an adapter, and of many games that are played together:
//! the only code above the engine that is compiled for every game.

mod analyst;
mod judge;
mod position;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plyground::perfect::Perfect;
use plyground::proof::{Finder, Tactics};
use plyground::{AlphaBeta, Game, Outcome, Score, SearchHints, Side};
use rand::rngs::StdRng;

use crate::adapter::{GameAdapter, Lesson, MoveOf, MoveText};
use crate::engine::{EngineOptions, IllegalAction, OtherGame, StepOptions, StepResults};
use crate::game::{AdaptedGame, HostedBatch, HostedEngine, HostedGame, HostedPosition, SharedGame};
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
        has_horizon(&self.tactics(true), &GameAdapter::start(self))
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
        let start = GameAdapter::start(self);
        Box::new(TypedBatch::new(self, vec![start; count], vec![0; count]))
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

struct TypedPosition<A: GameAdapter> {
    game: A,
    position: A::Game,
}

/// Returns a typed position of `game`, behind text.
pub fn host_position<A: GameAdapter + HostedGame>(game: &A, position: A::Game) -> HostedPosition {
    HostedPosition(Arc::new(TypedPosition { game: game.clone(), position }))
}

fn typed<A: GameAdapter>(mv: MoveText) -> Option<MoveOf<A>> {
    mv.as_str().parse().ok()
}

/// Returns true if the tactics can find a forced win of either side.
fn has_horizon<G: SearchHints>(tactics: &impl Tactics<G>, position: &G) -> bool {
    Side::BOTH.iter().any(|&side| tactics.horizon(position, side) > 0)
}

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

/// The number of positions drawn between two checks of the flag that stops the drawing.
const BETWEEN_LOOKS: usize = 4096;

struct TypedBatch<A: GameAdapter> {
    game: A,
    start: A::Game,
    positions: Vec<A::Game>,
    plies: Vec<u16>,
    /// The moves of a step; `None` for a game that is over.
    moves: Vec<Option<MoveOf<A>>>,
    cells: usize,
    actions: usize,
}

impl<A: GameAdapter + HostedGame> TypedBatch<A> {
    fn new(game: &A, positions: Vec<A::Game>, plies: Vec<u16>) -> TypedBatch<A> {
        let cells = GameAdapter::layout(game).map_or(0, |layout| layout.cells());
        let actions = GameAdapter::actions(game);
        let (start, game, moves) = (GameAdapter::start(game), game.clone(), Vec::new());
        TypedBatch { game, start, positions, plies, moves, cells, actions }
    }

    /// Returns `count` positions of random games, or `None` if `stop` is raised.
    fn of_random_games(
        game: &A,
        count: usize,
        rng: &mut StdRng,
        stop: &AtomicBool,
    ) -> Option<TypedBatch<A>> {
        let (mut positions, mut plies) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let start = GameAdapter::start(game);
        let (mut position, mut ply) = (start.clone(), 0_u16);
        while positions.len() < count {
            if positions.len() % BETWEEN_LOOKS == 0 && stop.load(Ordering::Relaxed) {
                return None;
            }
            positions.push(position.clone());
            plies.push(ply);
            match game.random_move(&position, rng) {
                Some(mv) => (position, ply) = (position.after(mv), ply.saturating_add(1)),
                // The start of a game may be its end.
                None => (position, ply) = (start.clone(), 0),
            }
            if position.outcome().is_some() {
                (position, ply) = (start.clone(), 0);
            }
        }
        Some(TypedBatch::new(game, positions, plies))
    }

    /// Reads the moves of a step.
    fn read(&mut self, actions: &[i64], most_plies: Option<u16>) -> Result<(), IllegalAction> {
        let most_plies = most_plies.unwrap_or(u16::MAX);
        let TypedBatch { game, positions, plies, moves, .. } = self;
        let typed = |index: usize, action: i64| {
            let position = &positions[index];
            let found = usize::try_from(action).ok();
            let found = found.and_then(|action| game.move_of_action(position, action));
            let is_over = || plies[index] >= most_plies || position.outcome().is_some();
            match found {
                Some(mv) if plies[index] < most_plies => Ok(Some(mv)),
                _ if is_over() => Ok(None),
                _ => Err(IllegalAction { index, action }),
            }
        };
        moves.clear();
        for (index, &action) in actions.iter().enumerate() {
            moves.push(typed(index, action)?);
        }
        Ok(())
    }
}

impl<A: GameAdapter + HostedGame> HostedBatch for TypedBatch<A> {
    fn size(&self) -> usize {
        self.positions.len()
    }

    fn position(&self, index: usize) -> HostedPosition {
        host_position(&self.game, self.positions[index].clone())
    }

    fn plies(&self) -> &[u16] {
        &self.plies
    }

    fn reset(&mut self) {
        self.positions.fill(self.start.clone());
        self.plies.fill(0);
    }

    fn step(
        &mut self,
        actions: &[i64],
        options: StepOptions,
        results: StepResults<'_>,
    ) -> Result<(), IllegalAction> {
        self.read(actions, options.most_plies)?;
        let StepResults { rewards, terminated, truncated } = results;
        let most_plies = options.most_plies.unwrap_or(u16::MAX);
        rewards.fill(0.0);
        for (index, mv) in self.moves.iter().enumerate() {
            let (position, ply) = (&mut self.positions[index], &mut self.plies[index]);
            if let Some(mv) = *mv {
                position.play_unchecked(mv);
                *ply = ply.saturating_add(1);
            }
            let outcome = position.outcome();
            terminated[index] = outcome.is_some();
            truncated[index] = outcome.is_none() && *ply >= most_plies;
            if mv.is_some()
                && let Some(winner) = outcome.and_then(Outcome::winner)
            {
                rewards[2 * index + winner.index()] = 1.0;
                rewards[2 * index + winner.other().index()] = -1.0;
            }
            if options.resets && (terminated[index] || truncated[index]) {
                (*position, *ply) = (self.start.clone(), 0);
            }
        }
        Ok(())
    }

    fn write_random_actions(&self, rng: &mut StdRng, actions: &mut [i64]) {
        for (position, action) in self.positions.iter().zip(actions) {
            let mv = self.game.random_move(position, rng);
            let number = mv.and_then(|mv| GameAdapter::action(&self.game, position, mv));
            *action = number.map_or(0, |number| number as i64);
        }
    }

    fn write_planes(&self, planes: &mut [u8]) {
        planes.fill(0);
        for (position, planes) in self.positions.iter().zip(planes.chunks_exact_mut(2 * self.cells))
        {
            let (own, others) = planes.split_at_mut(self.cells);
            self.game.write_planes(position, own, others);
        }
    }

    fn write_mask(&self, mask: &mut [i8]) {
        for (position, mask) in self.positions.iter().zip(mask.chunks_exact_mut(self.actions)) {
            write_mask(&self.game, position, mask);
        }
    }

    fn write_turns(&self, turns: &mut [u8]) {
        for (position, turn) in self.positions.iter().zip(turns) {
            *turn = u8::from(position.side_to_move() == Side::Second);
        }
    }
}

/// Writes 1 to the numbers of the legal moves, and 0 to all others.
fn write_mask<A: GameAdapter>(game: &A, position: &A::Game, mask: &mut [i8]) {
    mask.fill(0);
    for mv in position.legal_moves() {
        if let Some(action) = game.action(position, mv) {
            mask[action] = 1;
        }
    }
}
