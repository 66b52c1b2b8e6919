//! The program's choice of a move, as one-move and interactive make it.

use std::io::Write;
use std::time::Duration;

use super::args::{DepthOrTime, Effort, SearchArgs};
use super::book;
use super::failure::Failure;
use super::program::Program;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::perfect::{Choice, Perfect, Source, Unlimited, plies_to_end};
use crate::search::{AlphaBeta, Clock, Limits, Search};

/// Chooses moves in the way that the arguments ask for.
pub(super) struct Chooser<'a, P: Program> {
    program: &'a P,
    kind: Kind<P::Evaluator>,
}

enum Kind<E> {
    /// The best move that a search within limits finds.
    Limited(AlphaBeta<E>, Limits),
    /// The best move there is, or what can be found in this time.
    Perfect(Perfect<E>, Option<Duration>),
}

impl<'a, P: Program> Chooser<'a, P> {
    pub(super) fn new(
        program: &'a P,
        effort: &DepthOrTime,
        search: &SearchArgs,
    ) -> Result<Chooser<'a, P>, Failure> {
        let kind = match (effort.effort, effort.time) {
            (Some(Effort::Perfect), time) => {
                plies_to_end(&program.start())?;
                let book = match &effort.book {
                    _ if effort.no_book => None,
                    // Where it starts does not matter: what it has, it has by key.
                    Some(path) => Some(book::read(path)?),
                    None => program.book()?,
                };
                Kind::Perfect(Perfect::new(program.evaluator(), search.options(), book), time)
            }
            (Some(Effort::Depth(depth)), Some(_)) => {
                let message =
                    format!("the depth {depth} cannot be used with '--time <TIME>'; `perfect` can");
                return Err(Failure::Usage(message));
            }
            (Some(Effort::Depth(depth)), None) => {
                Kind::Limited(search.search(program), Limits::depth(depth))
            }
            (None, time) => {
                let time = time.map(|time| (Clock::Wall, time));
                Kind::Limited(search.search(program), Limits { time, ..Limits::default() })
            }
        };
        Ok(Chooser { program, kind })
    }

    /// The move, or `None` when the game is over. Perfect play says on standard error where the
    /// move is from.
    pub(super) fn choose(
        &mut self,
        position: &P::Game,
    ) -> Result<Option<<P::Game as Game>::Move>, Failure>
    where
        P::Evaluator: Evaluator<P::Game>,
    {
        match &mut self.kind {
            Kind::Limited(search, limits) => {
                Ok(search.best(position, limits).map(|report| report.best_move()))
            }
            Kind::Perfect(perfect, time) => {
                let choice = perfect.choose(position, *time)?;
                if let Some(choice) = choice {
                    // If standard error is closed, nobody wants to know.
                    let _ = writeln!(std::io::stderr(), "{}", said(self.program, &choice));
                }
                Ok(choice.map(|choice| choice.mv))
            }
        }
    }
}

/// Where a move is from and what it is worth.
fn said<P: Program>(program: &P, choice: &Choice<<P::Game as Game>::Move>) -> String {
    let Choice { score, source, .. } = choice;
    match source {
        Source::Book | Source::Exact => {
            format!("perfect: {source}, final value {}", program.value(*score))
        }
        Source::Depth(_) => format!("perfect: {source}, score {score}"),
    }
}

impl From<Unlimited> for Failure {
    fn from(unlimited: Unlimited) -> Failure {
        Failure::Usage(unlimited.to_string())
    }
}
