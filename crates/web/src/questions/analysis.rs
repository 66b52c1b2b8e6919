//! The value of every move of a position, reported while the search goes on; searches step by step; and the review of
//! a game: its mistakes, from the last to the first, reported while they are found.

use std::collections::BTreeMap;
use std::time::Duration;

use plyground::Game;
use plyground::perfect::plies_to_end;
use plyground::search::{Limits, SearchContext};
use plyground_explain::ExplainQuestion;
use plyground_explain::html::Block;
use plyground_explain::review::{
    GameReview, GameToReview, MoveToReview, ReviewEffort, ReviewedMove, Reviewer,
};
use plyground_host::{
    Analysis, AnalysisRequest, AnalyzedLine, HostedPosition, MOST_PLIES_TO_SOLVE, MoveText, Stage,
    Text,
};
use serde::{Deserialize, Serialize};

use crate::questions::choice::LeasedEngine;
use crate::questions::games::{GameLine, Games, Refused, ReplayedGame};
use crate::questions::view::{MoveView, ScoreView};

/// The number of positions visited by iterative deepening before a proof is tried: under a second.
const FIRST_NODES: u64 = 2_000_000;

/// The number of positions visited for the value of an earlier position: a few milliseconds.
const NODES_OF_EARLIER: u64 = 20_000;

/// The search for forced wins of a user who has the computer alone.
const FORCED_WIN_ALONE: Stage =
    Stage::ForcedWin { time: Duration::from_secs(20), nodes: None, table_mib: 64 };

/// The search for forced wins on a server with several users, which share its memory and processors.
const FORCED_WIN_AMONG_OTHERS: Stage =
    Stage::ForcedWin { time: Duration::from_millis(100), nodes: Some(4_000), table_mib: 1 };

/// The page's request for an analysis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisQuery {
    /// The name that the server has given to the client; empty without a server. A client has one search at a
    /// time.
    #[serde(default)]
    pub client: String,
    /// The game.
    pub game: GameLine,
    /// The number of moves before the position to analyze.
    pub ply: usize,
    /// The plies of earlier positions to judge, each by a short search.
    #[serde(default)]
    pub earlier: Vec<usize>,
}

/// The results of an analysis so far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AnalysisView {
    /// The last depth that was finished.
    depth: u32,
    /// The number of positions visited.
    nodes: u64,
    /// The moves with their values, the best first.
    lines: Vec<LineView>,
    /// If true, the value of every move is exact.
    complete: bool,
    /// The result of best play or a forced win, as a sentence.
    verdict: Option<String>,
    /// The values of earlier positions.
    earlier: Vec<EarlierPosition>,
    /// If true, this is the last view.
    done: bool,
}

/// The findings of a long search so far.
pub trait SearchView: Clone + Default + Serialize + Send + Sync + 'static {
    /// Returns true if this is the last view.
    fn is_done(&self) -> bool;

    /// Marks this as the last view.
    fn end(&mut self);
}

impl SearchView for AnalysisView {
    fn is_done(&self) -> bool {
        self.done
    }

    fn end(&mut self) {
        self.done = true;
    }
}

#[derive(Clone, Debug, Serialize)]
struct EarlierPosition {
    ply: usize,
    #[serde(flatten)]
    score: ScoreView,
}

/// The threads and memory that an analysis may use.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    threads: usize,
    forced_win: Stage,
}

impl Effort {
    /// Returns the effort for the only user of a computer: this number of threads, and much memory.
    pub fn alone(threads: usize) -> Effort {
        Effort { threads, forced_win: FORCED_WIN_ALONE }
    }

    /// Returns the effort for one of several users: one thread, and little memory.
    pub fn among_others() -> Effort {
        Effort { threads: 1, forced_win: FORCED_WIN_AMONG_OTHERS }
    }
}

/// The means of an analysis.
pub struct Searching<'a> {
    /// The engine of the analysis.
    pub leased: LeasedEngine,
    /// The context of the searches. Setting its flag ends the analysis.
    pub context: SearchContext,
    /// A function that returns the allowed effort, called after the first, short search.
    pub effort: &'a dyn Fn() -> Effort,
}

/// An analysis under way.
struct Analyst<'a, 'b> {
    replayed: &'a ReplayedGame,
    searching: Searching<'a>,
    view: AnalysisView,
    on_view: &'b mut dyn FnMut(&AnalysisView),
}

/// Analyzes the position after `ply` moves of a game until every value is exact or the search is stopped, and judges
/// the positions after the numbers of moves in `earlier`. Calls `on_view` with every result. Does nothing if the game
/// has fewer than `ply` moves.
pub fn analyze(
    replayed: &ReplayedGame,
    (ply, earlier): (usize, &[usize]),
    searching: Searching<'_>,
    on_view: &mut dyn FnMut(&AnalysisView),
) {
    let Some(position) = replayed.position_at(ply) else { return };
    let view = AnalysisView::default();
    let mut analyst = Analyst { replayed, searching, view, on_view };
    if replayed.is_over_at(ply) {
        analyst.judge_earlier(earlier);
    } else {
        analyst.analyze(position, earlier);
    }
}

impl Analyst<'_, '_> {
    fn analyze(&mut self, position: &HostedPosition, earlier: &[usize]) {
        let first = [Stage::Deepen { depth: None, nodes: Some(FIRST_NODES) }];
        let known = self.run(position, &first, None);
        self.judge_earlier(earlier);
        let Effort { threads, forced_win } = (self.searching.effort)();
        let can_solve = plies_to_end(position).is_ok_and(|plies| plies <= MOST_PLIES_TO_SOLVE);
        if can_solve {
            self.run(position, &[Stage::Solve { threads }], known);
        } else {
            let deepen = Stage::Deepen { depth: None, nodes: None };
            self.run(position, &[forced_win, deepen], known);
        }
    }

    /// Runs `stages`, which start from the results in `known`, and returns the new results, or `None` if the engine is
    /// for another game.
    fn run(
        &mut self,
        position: &HostedPosition,
        stages: &[Stage],
        known: Option<Analysis>,
    ) -> Option<Analysis> {
        let request = AnalysisRequest {
            stages: stages.to_vec(),
            known,
            context: self.searching.context.clone(),
            ..AnalysisRequest::default()
        };
        let Analyst { searching, view, on_view, .. } = self;
        let analysis = searching.leased.engine.analyze(position, &request, &mut |analysis| {
            view.learn(position, analysis);
            on_view(view);
        });
        analysis.ok()
    }

    /// Judges earlier positions of the game, each by a short search.
    fn judge_earlier(&mut self, plies: &[usize]) {
        for &ply in plies.iter().take(self.replayed.past.len() + 1) {
            let Some(position) = self.replayed.position_at(ply) else { continue };
            let limits = Limits {
                nodes: Some(NODES_OF_EARLIER),
                context: self.searching.context.clone(),
                ..Limits::default()
            };
            let value = self.searching.leased.engine.glance(position, &limits);
            let Ok(Some(value)) = value else {
                continue;
            };
            if self.searching.context.is_stopped() {
                return;
            }
            let score = ScoreView::new(&*position.game(), position.side_to_move(), value);
            self.view.earlier.push(EarlierPosition { ply, score });
        }
        (self.on_view)(&self.view);
    }
}

impl AnalysisView {
    fn learn(&mut self, position: &HostedPosition, analysis: &Analysis) {
        self.depth = analysis.depth;
        self.nodes = analysis.nodes;
        self.lines = analysis.lines.iter().map(|line| LineView::new(position, line)).collect();
        self.complete = analysis.is_complete;
        let forced = analysis.forced.as_ref().map(|forced| {
            format!(
                "Forced: {}.",
                position.text(Text::ForcedWin { winner: forced.winner, plies: forced.plies })
            )
        });
        let verdict = || {
            let value = position.game().value(analysis.bounds.exact()?);
            Some(position.text(Text::Verdict(value)))
        };
        self.verdict = verdict().or(forced);
    }
}

/// The value of one move.
#[derive(Clone, Debug, Serialize)]
struct LineView {
    /// The depth of an estimate in plies.
    depth: Option<u32>,
    #[serde(flatten)]
    score: ScoreView,
    /// The principal variation, the move itself first.
    pv: Vec<MoveView>,
}

impl LineView {
    pub(crate) fn new(position: &HostedPosition, line: &AnalyzedLine) -> LineView {
        let game = position.game();
        LineView {
            depth: line.value.is_estimate().then_some(line.depth),
            score: ScoreView::new(&*game, position.side_to_move(), line.value),
            pv: variation(position, &line.pv),
        }
    }
}

/// Returns the moves of a line of play up to the first illegal move.
pub fn variation(position: &HostedPosition, line: &[MoveText]) -> Vec<MoveView> {
    let mut position = position.clone();
    let mut views = Vec::with_capacity(line.len());
    for &mv in line {
        let view = MoveView::new(&position, mv);
        if position.play(mv).is_err() {
            break;
        }
        views.push(view);
    }
    views
}

/// The page's request for a search to show.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainQuery {
    /// The name of the client; empty without a server.
    #[serde(default)]
    pub client: String,
    /// The game.
    pub game: GameLine,
    /// The number of moves of the game before the position.
    pub ply: usize,
    /// The options of the search.
    pub search: ExplainQuestion,
}

impl ExplainQuery {
    /// Returns the tree of the search, which the limits keep small enough to be made and sent in a moment.
    ///
    /// # Errors
    ///
    /// Returns the reason as one line for a person: the game has a fault, it has no such position, or the
    /// search is refused.
    pub fn explain(&self, games: &Games, context: &SearchContext) -> Result<Block, Refused> {
        let replayed = self.game.replay(games)?;
        let no_move = || Refused::new(format!("the game has no move {}", self.ply));
        let position = replayed.position_at(self.ply).ok_or_else(no_move)?;
        self.search.answer(position, context).map_err(Refused::new)
    }
}

/// The page's request for a review.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewQuery {
    /// The name of the client; empty without a server. A client has one search at a time.
    #[serde(default)]
    pub client: String,
    /// The game.
    pub game: GameLine,
}

/// A review so far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReviewView {
    /// If true, this is the last view.
    done: bool,
    /// The number of moves that are not judged yet.
    left: usize,
    /// The review, with the moves judged so far.
    review: Option<GameReview>,
    /// The lines of the mistakes, by their plies.
    lines: BTreeMap<usize, LinesView>,
}

/// The lines of a mistake.
#[derive(Clone, Debug, Serialize)]
struct LinesView {
    /// Best play from the best move on, that move first.
    best: Vec<MoveView>,
    /// Best play after the move that was made.
    refutation: Vec<MoveView>,
}

impl SearchView for ReviewView {
    fn is_done(&self) -> bool {
        self.done
    }

    fn end(&mut self) {
        self.done = true;
    }
}

impl ReviewView {
    fn learn(&mut self, replayed: &ReplayedGame, review: &GameReview, left: usize) {
        self.left = left;
        let new = review.moves.first().filter(|made| made.kind.is_some());
        self.lines.extend(new.and_then(|made| Some((made.ply, lines(replayed, made)?))));
        self.review = Some(review.clone());
    }
}

fn lines(replayed: &ReplayedGame, made: &ReviewedMove) -> Option<LinesView> {
    let (before, after) = (replayed.position_at(made.ply - 1)?, replayed.position_at(made.ply)?);
    Some(LinesView {
        best: variation(before, &made.best_line),
        refutation: variation(after, &made.refutation),
    })
}

/// Reviews a game with this engine from its last move to its first, until the review is done or the flag of `context`
/// is set. Calls `on_view` after every move.
pub fn review(
    replayed: &ReplayedGame,
    mut leased: LeasedEngine,
    context: SearchContext,
    on_view: &mut dyn FnMut(&ReviewView),
) {
    let start = replayed.past.first().map_or(&replayed.position, |(start, _)| start);
    let moves = replayed.past.iter().map(|&(_, mv)| MoveToReview { mv, given: false, depth: None });
    let game = GameToReview {
        start: start.clone(),
        moves: moves.collect(),
        players: None,
        ending: None,
        fault_of: None,
    };
    let mut view = ReviewView { left: game.moves.len(), ..ReviewView::default() };
    let mut reviewer =
        Reviewer { engine: &mut *leased.engine, effort: ReviewEffort::of(&*start.game()), context };
    let whole = reviewer.review(&game, &mut |review, left| {
        view.learn(replayed, review, left);
        on_view(&view);
    });
    // There is no error, because the engine is for this game; a stopped review returns `None`.
    if let Ok(Some(whole)) = whole {
        view.review = Some(whole);
        on_view(&view);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::questions::choice::Engines;
    use crate::questions::testing::replayed;

    /// Returns the last view of the position after `ply` moves.
    fn last_view(moves: &[&str], ply: usize, earlier: &[usize]) -> serde_json::Value {
        let replayed = replayed(moves);
        let game = replayed.position.game();
        let searching = Searching {
            leased: Engines::new(1, 1).lease(&replayed.served, &game),
            context: SearchContext::default(),
            effort: &|| Effort::alone(1),
        };
        let mut last = AnalysisView::default();
        analyze(&replayed, (ply, earlier), searching, &mut |view| last = view.clone());
        serde_json::to_value(&last).expect("JSON")
    }

    #[test]
    fn analysis_ends_with_exact_values_and_a_verdict() {
        let view = last_view(&["0"], 1, &[]);
        assert_eq!(view["complete"], true);
        let lines = view["lines"].as_array().expect("lines");
        let known =
            lines.iter().map(|line| (&line["pv"][0]["move"], &line["bound"], &line["text"]));
        assert_eq!(known.collect::<Vec<_>>(), [(&json!("2"), &json!("exact"), &json!("-2"))]);
        assert_eq!(view["verdict"], "With best play Player 1 wins by 2 points.");
    }

    #[test]
    fn earlier_positions_are_judged_even_when_the_game_is_over() {
        let moves = ["0", "2", "1", "-", "3"];
        let view = last_view(&moves, 5, &[0, 5, 99]);
        assert_eq!(view["lines"], json!([]));
        let earlier = view["earlier"].as_array().expect("values");
        let known = earlier.iter().map(|one| (&one["ply"], &one["first"], &one["bound"]));
        let exact = json!("exact");
        assert_eq!(
            known.collect::<Vec<_>>(),
            [(&json!(0), &json!(200), &exact), (&json!(5), &json!(200), &exact)]
        );
    }

    #[test]
    fn review_tells_of_every_move_from_the_last_to_the_first() {
        let replayed = replayed(&["0", "2", "1", "-", "3"]);
        let leased = Engines::new(1, 1).lease(&replayed.served, &replayed.position.game());
        let mut views = Vec::new();
        review(&replayed, leased, SearchContext::default(), &mut |view| views.push(view.clone()));
        let left: Vec<_> = views.iter().map(|view| view.left).collect();
        assert_eq!(left, [4, 3, 2, 1, 0, 0]);
        let last = views.last().and_then(|view| view.review.clone()).expect("a review");
        assert!(last.exact && last.moves.iter().all(|made| made.loss == Some(0)));
        assert_eq!((last.start_value, last.final_margin), (Some(2), Some(2)));
    }
}
