//! A typed position behind text, and the methods of an engine.

use std::any::Any;
use std::fmt::Display;
use std::time::Duration;

use plyground::clock::Instant;
use plyground::game::perft;
use plyground::perfect::{
    BestMove, PlayTime, Refutation, Source, Ties, Unlimited, plies_to_end, verify,
};
use plyground::search::{Clock, Limits, Line, Minimax, Report, Scope, Search, SearchContext};
use plyground::trace::{Counts, TraceOptions};
use plyground::{Evaluator, Game, Outcome, SearchHints, Side, Term, Value};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::{
    TypedEngine, TypedPosition, analyst, has_horizon, host_position, judge, typed, write_mask,
};
use crate::adapter::{GameAdapter, MoveOf, MoveText, Text};
use crate::analysis::{self, Analysis, AnalysisRequest, Promise};
use crate::engine::{
    ChosenMove, Constraints, EngineError, ExplainRequest, JudgeEffort, Judgment, Label,
    LabelRequest, OtherGame, Sight, Strength,
};
use crate::game::{
    ErasedPosition, Explanation, HostedEngine, HostedGame, HostedPosition, Illegal, PositionInfo,
    SharedGame,
};
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

    fn best_by_points(&self, plies: u32, gap: u32) -> Option<Vec<MoveText>> {
        Some(texts(analysis::best_by_points(&self.position, plies, gap)?))
    }

    fn shows_late(&self, plies: u32, gap: u32) -> bool {
        analysis::shows_late(&self.position, plies, gap)
    }

    fn sight(&self, better: MoveText, worse: MoveText, most: u64) -> Sight {
        match [better, worse].map(typed::<A>) {
            [Some(better), Some(worse)] => {
                judge::sight(&self.game, &self.position, [better, worse], most)
            }
            _ => Sight::default(),
        }
    }

    fn explain(&self, request: &ExplainRequest) -> Option<Explanation> {
        analyst::explain(&self.game, &self.position, request)
    }

    fn trace_counts(
        &self,
        options: &TraceOptions,
        context: &SearchContext,
        most: u64,
    ) -> Option<Counts> {
        Counts::search(&self.position, &self.game.evaluator(), options, context, most)
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

    fn action(&self, mv: MoveText) -> Option<usize> {
        self.game.action(&self.position, typed::<A>(mv)?)
    }

    fn legal_actions(&self) -> Vec<usize> {
        let moves = self.position.legal_moves();
        moves.filter_map(|mv| self.game.action(&self.position, mv)).collect()
    }

    fn move_of_action(&self, action: usize) -> Option<MoveText> {
        self.game.move_of_action(&self.position, action).map(|mv| MoveText::of(&mv))
    }

    fn after_action(&self, action: usize) -> Option<HostedPosition> {
        let mv = self.game.move_of_action(&self.position, action)?;
        Some(host_position(&self.game, self.position.after(mv)))
    }

    fn write_planes(&self, planes: &mut [u8]) {
        planes.fill(0);
        let (own, others) = planes.split_at_mut(planes.len() / 2);
        self.game.write_planes(&self.position, own, others);
    }

    fn write_mask(&self, mask: &mut [i8]) {
        write_mask(&self.game, &self.position, mask);
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

/// The time that an engine takes for a move by default. It is far below the five seconds that the assignments
/// allow, so that a busy computer does not make the engine late.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The most time that an engine of default strength takes where it probably has a forced win, which is also
/// within the five seconds that the assignments allow.
const LIKELY_WIN_TIME: Duration = Duration::from_secs(4);

/// The share of its limit after which an engine stops: the rest is for the work before and after the search.
const SHARE_OF_LIMIT: f64 = 0.8;

impl<A: GameAdapter + HostedGame> TypedEngine<A> {
    /// Returns the move of the book, if a search of this depth would reach the last move of the game, and so find the
    /// same move.
    fn book_move(
        &mut self,
        position: &A::Game,
        depth: u32,
        constraints: &Constraints,
    ) -> Option<ChosenMove> {
        let depth = position.plies_left().filter(|&left| left <= depth)?;
        let time = constraints.limit.map(|limit| limit.mul_f64(SHARE_OF_LIMIT));
        let give_up_at = time.and_then(|time| Instant::now().checked_add(time));
        let found = self.perfect.by_book(position, give_up_at, &constraints.context);
        let BestMove { mv, value, nodes, .. } = found?;
        let (mv, source) = (MoveText::of(&mv), Source::Book);
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
        let context = constraints.context.clone();
        let time = PlayTime { started: Instant::now(), time, likely, context };
        self.perfect.play_on_the_clock(position, &time).map(|report| chosen(&report))
    }

    fn perfectly(
        &mut self,
        position: &A::Game,
        (time, ties): (Option<Duration>, Ties),
        constraints: &Constraints,
    ) -> Result<Option<ChosenMove>, Unlimited> {
        self.perfect.set_ties(ties);
        let found = self.perfect.choose(position, time, &constraints.context)?;
        Ok(found.map(|BestMove { mv, value, source, nodes }| {
            let depth = if let Source::Depth(depth) = source { Some(depth) } else { None };
            ChosenMove { mv: MoveText::of(&mv), value, depth, source, nodes }
        }))
    }
}

/// Returns the limits of a search under these constraints, without a time.
fn limits_of(constraints: &Constraints) -> Limits {
    Limits { context: constraints.context.clone(), ..Limits::default() }
}

fn chosen<M: Copy + std::fmt::Display>(report: &Report<M>) -> ChosenMove {
    ChosenMove {
        mv: MoveText::of(&report.best_move()),
        value: report.best().value,
        depth: Some(report.depth),
        source: Source::Depth(report.depth),
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

    fn judge(
        &mut self,
        position: &HostedPosition,
        effort: &JudgeEffort,
    ) -> Result<Option<Judgment>, OtherGame> {
        let position = self.own(position)?;
        let is_over = position.outcome().is_some();
        Ok((!is_over).then(|| judge::judge(self, position, effort)))
    }

    fn label(
        &mut self,
        position: &HostedPosition,
        request: &LabelRequest,
    ) -> Result<Option<Label>, EngineError> {
        let position = self.own(position)?;
        if position.outcome().is_some() {
            return Ok(None);
        }
        judge::label(self, position, request).map_err(EngineError::from)
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
        Box::new(TypedEngine { game, perfect, without_prepared, finder: None })
    }

    fn clear(&mut self) {
        self.search_mut().clear();
        self.finder = None;
    }

    fn check_perfect(&self, position: &HostedPosition) -> Result<(), EngineError> {
        let position = self.own(position)?;
        if !has_horizon(&self.game.tactics(false), position) {
            plies_to_end(position)?;
        }
        Ok(())
    }
}
