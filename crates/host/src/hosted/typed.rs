//! A typed game, its moves and its engine, behind the boundary.

use std::fmt;
use std::sync::Arc;

use plyground::perfect::Perfect;
use plyground::{AlphaBeta, Game};

use crate::engine::EngineOptions;
use crate::move_text::MoveText;
use crate::program::Program;

pub(super) type MoveOf<P> = <<P as Program>::Game as Game>::Move;

/// A typed game behind text.
pub(super) struct Hosted<P>(pub(super) Arc<P>);

impl<P> Clone for Hosted<P> {
    fn clone(&self) -> Hosted<P> {
        Hosted(Arc::clone(&self.0))
    }
}

impl<P: Program> fmt::Debug for Hosted<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hosted").field(&self.0).finish()
    }
}

/// Returns the typed move of a text, if the text is a move.
pub(super) fn typed<P: Program>(mv: MoveText) -> Option<MoveOf<P>> {
    mv.as_str().parse().ok()
}

/// The engine of one typed game.
pub(super) struct TypedEngine<P: Program> {
    pub(super) game: Hosted<P>,
    pub(super) perfect: Perfect<P::Evaluator, P::Tactics>,
    pub(super) without_prepared: bool,
}

impl<P: Program> TypedEngine<P> {
    pub(super) fn new(game: Hosted<P>, options: EngineOptions) -> TypedEngine<P> {
        let EngineOptions { search, book, without_prepared } = options;
        let table_mib = search.table_mib;
        let perfect = Perfect::new(game.0.evaluator(), search, book)
            .with_tactics(game.0.tactics(!without_prepared), table_mib);
        TypedEngine { game, perfect, without_prepared }
    }

    pub(super) fn search_mut(&mut self) -> &mut AlphaBeta<P::Evaluator> {
        self.perfect.search_mut()
    }
}
