//! A typed position behind text.

use std::any::Any;
use std::fmt::Display;
use std::sync::Arc;

use plyground::perft::perft;
use plyground::trace::{Counts, TraceOptions};
use plyground::{Evaluator, Game, Outcome, SearchHints, Side, Term};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::analyst;
use super::typed::{Hosted, typed};
use crate::analysis::{self, Promise};
use crate::engine::ExplainRequest;
use crate::game::{ErasedPosition, Explanation, HostedPosition, Illegal, SharedGame, Text};
use crate::move_text::MoveText;
use crate::page::{Path, Picture};
use crate::program::Program;

pub(super) struct TypedPosition<P: Program> {
    pub(super) game: Hosted<P>,
    pub(super) position: P::Game,
}

impl<P: Program> TypedPosition<P> {
    /// Returns the typed move, or the error that the text is not a move.
    fn read(&self, mv: MoveText) -> Result<<P::Game as Game>::Move, Illegal> {
        typed::<P>(mv).ok_or_else(|| Illegal::new(format_args!("`{mv}` is no move")))
    }
}

fn texts<M: Display>(moves: impl IntoIterator<Item = M>) -> Vec<MoveText> {
    moves.into_iter().map(|mv| MoveText::of(&mv)).collect()
}

impl<P: Program> ErasedPosition for TypedPosition<P> {
    fn game(&self) -> SharedGame {
        Arc::new(self.game.clone())
    }

    fn typed(&self) -> &dyn Any {
        &self.position
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(&self.position)
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

    fn parse_move(&self, text: &str) -> Option<MoveText> {
        text.parse::<<P::Game as Game>::Move>().ok().map(|mv| MoveText::of(&mv))
    }

    fn after(&self, mv: MoveText) -> Result<HostedPosition, Illegal> {
        let mut next = self.position.clone();
        next.play(self.read(mv)?).map_err(Illegal::new)?;
        Ok(self.game.position(next))
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
        (texts(moves), self.game.position(position))
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
        Counts::search(&self.position, &self.game.0.evaluator(), options, most)
    }

    fn terms(&self) -> Vec<Term> {
        self.game.0.evaluator().terms(&self.position)
    }

    fn is_pass(&self, mv: MoveText) -> bool {
        typed::<P>(mv).is_some_and(|mv| self.position.is_pass(mv))
    }

    fn move_code(&self, mv: MoveText) -> usize {
        typed::<P>(mv).map_or(0, |mv| self.position.move_code(mv))
    }

    fn canonical_code(&self, code: usize) -> usize {
        self.position.canonical_code(code)
    }

    fn state(&self) -> String {
        self.game.0.format_state(&self.position)
    }

    fn text(&self, kind: Text) -> String {
        let (program, position) = (&*self.game.0, &self.position);
        match kind {
            Text::Display => position.to_string(),
            Text::Board => program.board(position),
            Text::Prompt => program.prompt(position),
            Text::Turn => program.turn(position),
            Text::Ending => program.ending(position),
            Text::Result => program.result(position),
            Text::Reason => program.reason(position),
        }
    }

    fn doubt(&self) -> Option<String> {
        self.game.0.doubt(&self.position)
    }

    fn announce(&self, mv: MoveText) -> String {
        typed::<P>(mv).map_or_else(String::new, |mv| self.game.0.announce(&self.position, mv))
    }

    fn drawing(&self, last: Option<MoveText>) -> String {
        self.game.0.drawing(&self.position, last.and_then(typed::<P>))
    }

    fn values(&self, values: &[(MoveText, i32)]) -> String {
        let typed = values.iter().filter_map(|&(mv, value)| Some((typed::<P>(mv)?, value)));
        self.game.0.values(&self.position, &typed.collect::<Vec<_>>())
    }

    fn verdict(&self, value: i32) -> String {
        self.game.0.verdict(&self.position, value)
    }

    fn forced_win(&self, winner: Side, plies: u32) -> String {
        self.game.0.forced_win(&self.position, winner, plies)
    }

    fn picture(&self) -> Picture {
        self.game.0.picture(&self.position)
    }

    fn path(&self, mv: MoveText) -> Path {
        typed::<P>(mv).map_or_else(Path::default, |mv| self.game.0.path(&self.position, mv))
    }

    fn move_at(&self, from: Option<usize>, to: usize) -> Option<MoveText> {
        self.game.0.move_at(&self.position, from, to).map(|mv| MoveText::of(&mv))
    }
}

impl<P: Program> Hosted<P> {
    pub(super) fn position(&self, position: P::Game) -> HostedPosition {
        HostedPosition::new(TypedPosition { game: self.clone(), position })
    }
}
