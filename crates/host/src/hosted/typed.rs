//! A typed position and a typed engine, behind the boundary.

use std::sync::Arc;

use plyground::AlphaBeta;
use plyground::perfect::Perfect;
use plyground::proof::Finder;

use crate::adapter::{GameAdapter, MoveOf};
use crate::engine::{EngineOptions, OtherGame};
use crate::game::{HostedGame, HostedPosition};
use crate::move_text::MoveText;

/// A position of one typed game.
pub(super) struct TypedPosition<A: GameAdapter> {
    pub(super) game: A,
    pub(super) position: A::Game,
}

/// Returns a typed position of `game`, behind text.
pub fn host_position<A: GameAdapter + HostedGame>(game: &A, position: A::Game) -> HostedPosition {
    HostedPosition(Arc::new(TypedPosition { game: game.clone(), position }))
}

/// Returns the typed move of a text, if the text is a move.
pub(super) fn typed<A: GameAdapter>(mv: MoveText) -> Option<MoveOf<A>> {
    mv.as_str().parse().ok()
}

/// The engine of one typed game.
pub(super) struct TypedEngine<A: GameAdapter> {
    pub(super) game: A,
    pub(super) perfect: Perfect<A::Evaluator, A::Tactics>,
    pub(super) without_prepared: bool,
    /// The finder of forced wins for judgments, made at first use.
    pub(super) finder: Option<Finder<A::Tactics>>,
}

impl<A: GameAdapter + HostedGame> TypedEngine<A> {
    pub(super) fn new(game: A, options: EngineOptions) -> TypedEngine<A> {
        let EngineOptions { search, book, without_prepared } = options;
        let table_mib = search.table_mib;
        let perfect = Perfect::new(game.evaluator(), search, book)
            .with_tactics(game.tactics(!without_prepared), table_mib);
        TypedEngine { game, perfect, without_prepared, finder: None }
    }

    pub(super) fn search_mut(&mut self) -> &mut AlphaBeta<A::Evaluator> {
        self.perfect.search_mut()
    }

    /// Returns the typed position, if it is one of this game by these rules.
    pub(super) fn own<'p>(&self, position: &'p HostedPosition) -> Result<&'p A::Game, OtherGame> {
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
