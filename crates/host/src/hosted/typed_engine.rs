//! The searches of one typed game, with its book and its tactics.

use plyground::AlphaBeta;
use plyground::perfect::Perfect;

use super::Hosted;
use crate::engine::EngineOptions;
use crate::program::Program;

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
