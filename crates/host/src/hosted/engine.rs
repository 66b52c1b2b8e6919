//! The methods of an engine, behind text.

use std::time::Duration;

use plyground::clock::Instant;
use plyground::perfect::{
    BestMove, PlayTime, Refutation, Source, Ties, Unlimited, plies_to_end, verify,
};
use plyground::proof::Tactics;
use plyground::search::{Clock, Limits, Line, Minimax, Report, Scope, Search};
use plyground::{Game, Side, Value};

use super::typed::{TypedEngine, typed};
use crate::adapter::{GameAdapter, MoveOf};
use crate::analysis::{Analysis, AnalysisRequest};
use crate::engine::{ChosenMove, Constraints, EngineError, MoveSource, OtherGame, Strength};
use crate::game::{HostedEngine, HostedGame, HostedPosition};
use crate::move_text::MoveText;

/// The time that an engine takes for a move by default. It is far below the five seconds that the assignments
/// allow, so that a busy computer does not make the engine late.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The most time that an engine of default strength takes where it probably has a forced win, which is also
/// within the five seconds that the assignments allow.
const LIKELY_WIN_TIME: Duration = Duration::from_secs(4);

/// The share of its limit after which an engine stops: the rest is for the work before and after the search.
const SHARE_OF_LIMIT: f64 = 0.8;

impl<A: GameAdapter + HostedGame> TypedEngine<A> {
    /// Returns the move of the book, if a search of this depth would find the same: one that reaches the last
    /// move of the game.
    fn book_move(
        &mut self,
        position: &A::Game,
        depth: u32,
        constraints: &Constraints,
    ) -> Option<ChosenMove> {
        let depth = position.plies_left().filter(|&left| left <= depth)?;
        let time = constraints.limit.map(|limit| limit.mul_f64(SHARE_OF_LIMIT));
        let give_up_at = time.and_then(|time| Instant::now().checked_add(time));
        let limits = Limits { give_up_at, ..limits_of(constraints) };
        let BestMove { mv, value, nodes, .. } = self.perfect.by_book(position, &limits)?;
        let (mv, source) = (MoveText::of(&mv), MoveSource::Book);
        Some(ChosenMove { mv, value, depth: Some(depth), source, nodes })
    }

    /// Returns the move that a plain search finds.
    fn by_search(&mut self, position: &A::Game, limits: &Limits) -> Option<ChosenMove> {
        self.search_mut().best(position, limits).map(|report| chosen(&report))
    }

    /// Returns the move on the clock: a forced win, if one is found, or else the move of the search.
    fn on_the_clock(
        &mut self,
        position: &A::Game,
        (time, likely): (Duration, Duration),
        constraints: &Constraints,
    ) -> Option<ChosenMove> {
        if constraints.without_tactics {
            let limits = Limits { time: Some((Clock::Wall, time)), ..limits_of(constraints) };
            return self.by_search(position, &limits);
        }
        let stop = constraints.stop.clone();
        let time = PlayTime { started: Instant::now(), time, likely, stop };
        self.perfect.play_on_the_clock(position, &time).map(|report| chosen(&report))
    }

    fn perfectly(
        &mut self,
        position: &A::Game,
        (time, ties): (Option<Duration>, Ties),
        constraints: &Constraints,
    ) -> Result<Option<ChosenMove>, Unlimited> {
        self.perfect.set_ties(ties);
        let found = self.perfect.choose(position, time, &limits_of(constraints))?;
        Ok(found.map(|BestMove { mv, value, source, nodes }| {
            let (depth, source) = match source {
                Source::Book => (None, MoveSource::Book),
                Source::Exact => (None, MoveSource::Exact),
                Source::Proof => (None, MoveSource::Proof),
                Source::Depth(depth) => (Some(depth), MoveSource::Depth(depth)),
            };
            ChosenMove { mv: MoveText::of(&mv), value, depth, source, nodes }
        }))
    }
}

/// Returns the limits of a search under these constraints, without a time.
fn limits_of(constraints: &Constraints) -> Limits {
    Limits {
        stop: constraints.stop.clone(),
        checkpoint: constraints.checkpoint.clone(),
        ..Limits::default()
    }
}

fn chosen<M: Copy + std::fmt::Display>(report: &Report<M>) -> ChosenMove {
    ChosenMove {
        mv: MoveText::of(&report.best_move()),
        value: report.best().value,
        depth: Some(report.depth),
        source: MoveSource::Depth(report.depth),
        nodes: report.nodes,
    }
}

fn line_text<M: std::fmt::Display>(line: &Line<M>) -> Line<MoveText> {
    Line { value: line.value, pv: line.pv.iter().map(MoveText::of).collect() }
}

fn report_text<M: std::fmt::Display>(report: &Report<M>) -> Report<MoveText> {
    let Report { value, depth, nodes, cpu, wall, .. } = *report;
    Report { lines: report.lines.iter().map(line_text).collect(), value, depth, nodes, cpu, wall }
}

impl<A: GameAdapter + HostedGame> HostedEngine for TypedEngine<A> {
    fn choose(
        &mut self,
        position: &HostedPosition,
        strength: Strength,
        constraints: &Constraints,
    ) -> Result<Option<ChosenMove>, EngineError> {
        let position = self.own(position)?;
        if position.outcome().is_some() {
            return Ok(None);
        }
        let share = constraints.limit.map(|limit| limit.mul_f64(SHARE_OF_LIMIT));
        let at_most = |time: Duration| share.map_or(time, |share| share.min(time));
        match strength {
            Strength::Depth(depth) => {
                if let Some(book_move) = self.book_move(position, depth, constraints) {
                    return Ok(Some(book_move));
                }
                let time = constraints.limit.map(|limit| (Clock::Wall, limit));
                let limits = Limits { depth: Some(depth), time, ..limits_of(constraints) };
                Ok(self.by_search(position, &limits))
            }
            Strength::Default => {
                let times = (at_most(DEFAULT_TIME), at_most(LIKELY_WIN_TIME));
                Ok(self.on_the_clock(position, times, constraints))
            }
            Strength::Time(time) => {
                Ok(self.on_the_clock(position, (at_most(time), at_most(time)), constraints))
            }
            Strength::Perfect { time, ties } => {
                let time = time.into_iter().chain(share).min();
                Ok(self.perfectly(position, (time, ties), constraints)?)
            }
        }
    }

    fn analyze(
        &mut self,
        position: &HostedPosition,
        request: &AnalysisRequest,
        on_info: &mut dyn FnMut(&Analysis),
    ) -> Result<Analysis, OtherGame> {
        let position = self.own(position)?;
        Ok(super::analyst::analyze(self, position, request, on_info))
    }

    fn search(
        &mut self,
        position: &HostedPosition,
        limits: &Limits,
        scope: Scope,
        on_info: &mut dyn FnMut(&Report<MoveText>),
    ) -> Result<Option<Report<MoveText>>, OtherGame> {
        let position = self.own(position)?;
        let mut info = |report: &Report<MoveOf<A>>| on_info(&report_text(report));
        let report = self.search_mut().search(position, limits, scope, &mut info);
        Ok(report.as_ref().map(report_text))
    }

    fn minimax(
        &self,
        position: &HostedPosition,
        limits: &Limits,
    ) -> Result<Option<Report<MoveText>>, OtherGame> {
        let position = self.own(position)?;
        let report = Minimax::new(self.game.evaluator()).best(position, limits);
        Ok(report.as_ref().map(report_text))
    }

    fn glance(
        &mut self,
        position: &HostedPosition,
        limits: &Limits,
    ) -> Result<Option<Value>, OtherGame> {
        let typed = self.own(position)?;
        if let Some(value) = position.final_value() {
            return Ok(Some(value));
        }
        let known = self.perfect.book().and_then(|book| book.value(typed));
        if let Some(score) = known {
            return Ok(Some(Value::Exact(score)));
        }
        let report = self.search_mut().best(typed, limits);
        Ok(report.filter(|report| report.depth > 0).map(|report| report.value()))
    }

    fn solve_best(
        &mut self,
        position: &HostedPosition,
        limits: Limits,
    ) -> Result<Option<BestMove<MoveText>>, EngineError> {
        let position = self.own(position)?;
        let found = self.perfect.solve(position, limits)?;
        Ok(found.map(|BestMove { mv, value, source, nodes }| BestMove {
            mv: MoveText::of(&mv),
            value,
            source,
            nodes,
        }))
    }

    fn verify(
        &mut self,
        position: &HostedPosition,
        line: &Line<MoveText>,
    ) -> Result<Result<usize, Refutation>, OtherGame> {
        let position = self.own(position)?;
        let pv = line.pv.iter().map_while(|&mv| typed::<A>(mv)).collect();
        Ok(verify(self.search_mut(), position, &Line { value: line.value, pv }))
    }

    fn sharing(&self) -> Box<dyn HostedEngine> {
        let table_mib = self.perfect.options().table_mib;
        let perfect = self
            .perfect
            .sharing(self.game.evaluator())
            .with_book(self.perfect.book().cloned())
            .with_tactics(self.game.tactics(!self.without_prepared), table_mib);
        let (game, without_prepared) = (self.game.clone(), self.without_prepared);
        Box::new(TypedEngine { game, perfect, without_prepared })
    }

    fn clear(&mut self) {
        self.search_mut().clear();
    }

    fn check_perfect(&self, position: &HostedPosition) -> Result<(), EngineError> {
        let position = self.own(position)?;
        let tactics = self.game.tactics(false);
        let has_tactics = Side::BOTH.iter().any(|&side| tactics.horizon(position, side) > 0);
        if !has_tactics {
            plies_to_end(position)?;
        }
        Ok(())
    }
}
