//! A typed position behind text.

use std::any::Any;
use std::fmt::Display;

use plyground::perft::perft;
use plyground::trace::{Counts, TraceOptions};
use plyground::{Evaluator, Game, Outcome, SearchHints, Side, Term};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::analyst;
use super::typed::{TypedPosition, host_position, typed};
use crate::adapter::{GameAdapter, Text};
use crate::analysis::{self, Promise};
use crate::engine::ExplainRequest;
use crate::game::{
    ErasedPosition, Explanation, HostedGame, HostedPosition, Illegal, PositionInfo, SharedGame,
};
use crate::move_text::MoveText;
use crate::page::{Path, Picture};

impl<A: GameAdapter + HostedGame> TypedPosition<A> {
    /// Returns the typed move, or the error that the text is not a move.
    fn read(&self, mv: MoveText) -> Result<<A::Game as Game>::Move, Illegal> {
        typed::<A>(mv).ok_or_else(|| Illegal::new(format_args!("`{mv}` is no move")))
    }
}

fn texts<M: Display>(moves: impl IntoIterator<Item = M>) -> Vec<MoveText> {
    moves.into_iter().map(|mv| MoveText::of(&mv)).collect()
}

impl<A: GameAdapter + HostedGame> PositionInfo for TypedPosition<A> {
    fn game(&self) -> SharedGame {
        self.game.shared()
    }

    fn parse_move(&self, text: &str) -> Option<MoveText> {
        text.parse::<<A::Game as Game>::Move>().ok().map(|mv| MoveText::of(&mv))
    }

    fn state(&self) -> String {
        self.game.format_state(&self.position)
    }

    fn text(&self, text: Text) -> String {
        let text = text.with_moves(typed::<A>);
        text.map_or_else(String::new, |text| self.game.text(&self.position, text))
    }

    fn perft(&self, depth: u32) -> u64 {
        perft(&self.position, depth)
    }

    fn after_random_moves(&self, rng: &mut StdRng, most: usize) -> (Vec<MoveText>, HostedPosition) {
        let (mut moves, mut position) = (Vec::new(), self.position.clone());
        while moves.len() < most
            && let Some(mv) = position.legal_moves().choose(rng)
        {
            position.play_unchecked(mv);
            moves.push(mv);
        }
        (texts(moves), host_position(&self.game, position))
    }

    fn best_moves(&self, plies: u32) -> (Vec<MoveText>, Promise) {
        let (moves, promise) = analysis::best_moves(&self.position, plies);
        (texts(moves), promise)
    }

    fn margins(&self, plies: u32) -> Option<Vec<(MoveText, i32)>> {
        let margins = analysis::margins(&self.position, plies)?;
        Some(margins.into_iter().map(|(mv, margin)| (MoveText::of(&mv), margin)).collect())
    }

    fn explain(&self, request: &ExplainRequest) -> Option<Explanation> {
        analyst::explain(&self.game, &self.position, request)
    }

    fn trace_counts(&self, options: &TraceOptions, most: u64) -> Option<Counts> {
        Counts::search(&self.position, &self.game.evaluator(), options, most)
    }

    fn terms(&self) -> Vec<Term> {
        self.game.evaluator().terms(&self.position)
    }

    fn picture(&self) -> Picture {
        self.game.picture(&self.position)
    }

    fn path(&self, mv: MoveText) -> Path {
        typed::<A>(mv).map_or_else(Path::default, |mv| self.game.path(&self.position, mv))
    }

    fn move_at(&self, from: Option<usize>, to: usize) -> Option<MoveText> {
        self.game.move_at(&self.position, from, to).map(|mv| MoveText::of(&mv))
    }
}

impl<A: GameAdapter + HostedGame> ErasedPosition for TypedPosition<A> {
    fn typed(&self) -> &dyn Any {
        &self.position
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(&self.position)
    }

    fn display(&self) -> String {
        self.position.to_string()
    }

    fn side_to_move(&self) -> Side {
        self.position.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn legal_moves(&self) -> Vec<MoveText> {
        texts(self.position.legal_moves())
    }

    fn after(&self, mv: MoveText) -> Result<HostedPosition, Illegal> {
        let mut next = self.position.clone();
        next.play(self.read(mv)?).map_err(Illegal::new)?;
        Ok(host_position(&self.game, next))
    }

    fn check_legal(&self, mv: MoveText) -> Result<(), Illegal> {
        self.position.check_legal(self.read(mv)?).map_err(Illegal::new)
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn plies_left(&self) -> Option<u32> {
        self.position.plies_left()
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.position.points()
    }

    fn is_pass(&self, mv: MoveText) -> bool {
        typed::<A>(mv).is_some_and(|mv| self.position.is_pass(mv))
    }

    fn move_code(&self, mv: MoveText) -> usize {
        typed::<A>(mv).map_or(0, |mv| self.position.move_code(mv))
    }

    fn canonical_code(&self, code: usize) -> usize {
        self.position.canonical_code(code)
    }
}
