//! The program's choice of a move, as one-move and interactive make it.

use std::time::Duration;

use super::args::{DepthOrTime, Effort, SearchArgs};
use super::book_choice::{check_perfect, say};
use super::failure::Failure;
use super::program::Program;
use super::seats::machine;
use crate::book::Book;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::perfect::{Choice, Perfect, Source};
use crate::player::{Machine, Strength};
use crate::search::{AlphaBeta, Limits, Search};

/// Chooses moves in the way that the arguments ask for.
pub(super) struct Chooser<'a, P: Program> {
    program: &'a P,
    kind: Kind<P::Evaluator, P::Tactics>,
    quiet: bool,
}

enum Kind<E, T> {
    /// The best move that a search of so many plies finds, or a book in its place.
    Depth(AlphaBeta<E>, u32, Option<Book>),
    /// The best move that can be found in this time, by the clock on the wall.
    Time(Machine<E, T>),
    /// The best move there is, or what can be found in this time.
    Perfect(Perfect<E, T>, Option<Duration>),
}

impl<'a, P: Program> Chooser<'a, P> {
    /// For a game from `position`.
    pub(super) fn new(
        program: &'a P,
        position: &P::Game,
        effort: &DepthOrTime,
        search: &SearchArgs,
    ) -> Result<Chooser<'a, P>, Failure> {
        let book = || effort.book.open(program, position);
        let own_book = !effort.book.no_book;
        let kind = match (effort.effort, effort.time) {
            (Some(Effort::Perfect), time) => {
                check_perfect(program, position)?;
                let options = search.options();
                let table_mib = options.table_mib;
                let perfect = Perfect::new(program.evaluator(), options, book()?);
                Kind::Perfect(perfect.with_tactics(program.tactics(own_book), table_mib), time)
            }
            (Some(Effort::Depth(depth)), Some(_)) => {
                let message =
                    format!("the depth {depth} cannot be used with '--time <TIME>'; `perfect` can");
                return Err(Failure::Usage(message));
            }
            (Some(Effort::Depth(depth)), None) => {
                Kind::Depth(search.search(program), depth, book()?)
            }
            // The command line has one of them or is refused.
            (None, time) => {
                let strength = Strength::Time(time.unwrap_or_default());
                Kind::Time(machine(program, strength, search.options(), own_book))
            }
        };
        Ok(Chooser { program, kind, quiet: effort.quiet })
    }

    /// The move, or `None` when the game is over. What comes from a book or from perfect play is
    /// said on standard error.
    pub(super) fn choose(
        &mut self,
        position: &P::Game,
    ) -> Result<Option<<P::Game as Game>::Move>, Failure>
    where
        P::Evaluator: Evaluator<P::Game>,
    {
        if position.outcome().is_some() {
            return Ok(None);
        }
        match &mut self.kind {
            Kind::Depth(search, depth, book) => {
                let depth = *depth;
                match book.as_ref().and_then(|book| book.at_depth(position, depth)) {
                    Some((mv, score)) => {
                        let choice = Choice { mv, score, source: Source::Book };
                        self.say(&format!("depth {depth}"), &choice);
                        Ok(Some(mv))
                    }
                    None => Ok(best_move(search, position, &Limits::depth(depth))),
                }
            }
            Kind::Time(machine) => {
                Ok(machine.think(position, None).map(|report| report.best_move()))
            }
            Kind::Perfect(perfect, time) => {
                let choice = perfect.choose(position, *time)?;
                if let Some(choice) = &choice {
                    self.say("perfect", choice);
                }
                Ok(choice.map(|choice| choice.mv))
            }
        }
    }

    fn say(&self, player: &str, choice: &Choice<<P::Game as Game>::Move>) {
        if !self.quiet {
            say(self.program, player, choice);
        }
    }
}

fn best_move<G: Game, E: Evaluator<G>>(
    search: &mut AlphaBeta<E>,
    position: &G,
    limits: &Limits,
) -> Option<G::Move> {
    search.best(position, limits).map(|report| report.best_move())
}
