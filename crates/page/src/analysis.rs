//! The value of every move of a position, told while it is being found out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plyground::Game;
use plyground::perfect::plies_to_end;
use plyground::search::{Checkpoint, Limits};
use plyground_host::{Analysis, AnalysisRequest, HostedPosition, MOST_PLIES_TO_SOLVE, Stage};
use serde::{Deserialize, Serialize};

use crate::engines::LeasedEngine;
use crate::line_view::LineView;
use crate::replayed_game::{GameLine, ReplayedGame};
use crate::score_view::ScoreView;

/// The positions that are visited ply by ply before anything is proven: under a second.
const FIRST_NODES: u64 = 2_000_000;

/// The positions that are visited for the value of an earlier position: a few milliseconds.
const NODES_OF_EARLIER: u64 = 20_000;

/// How forced wins are looked for by who has the computer for themselves.
const FORCED_WIN_ALONE: Stage =
    Stage::ForcedWin { time: Duration::from_secs(20), nodes: None, table_mib: 64 };

/// And else, when memory and processors are for all.
const FORCED_WIN_AMONG_OTHERS: Stage =
    Stage::ForcedWin { time: Duration::from_millis(100), nodes: Some(4_000), table_mib: 1 };

/// What the page asks for an analysis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisQuery {
    /// The name of the client with a server that gives such names; a client has one search at a time.
    #[serde(default)]
    pub client: String,
    /// The game.
    pub game: GameLine,
    /// The number of moves after which the position is to be analyzed.
    pub ply: usize,
    /// The plies of the game whose positions are to be judged too, at a glance.
    #[serde(default)]
    pub earlier: Vec<usize>,
}

/// What is known so far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AnalysisView {
    /// The depth that was finished.
    depth: u32,
    /// Positions visited.
    nodes: u64,
    /// Best first.
    lines: Vec<LineView>,
    /// Whether the value of every move is exact.
    complete: bool,
    /// The result of best play or a forced win, as a sentence.
    verdict: Option<String>,
    /// The values of earlier positions.
    earlier: Vec<EarlierPosition>,
    /// Whether nothing will follow.
    done: bool,
}

impl AnalysisView {
    /// Whether nothing will follow.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Says that nothing will follow.
    pub fn end(&mut self) {
        self.done = true;
    }
}

#[derive(Clone, Debug, Serialize)]
struct EarlierPosition {
    ply: usize,
    #[serde(flatten)]
    score: ScoreView,
}

/// How much an analysis may use.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    threads: usize,
    forced_win: Stage,
}

impl Effort {
    /// So many processors, and memory: there is nobody else.
    #[must_use]
    pub fn alone(threads: usize) -> Effort {
        Effort { threads, forced_win: FORCED_WIN_ALONE }
    }

    /// As little as leaves enough for others.
    #[must_use]
    pub fn among_others() -> Effort {
        Effort { threads: 1, forced_win: FORCED_WIN_AMONG_OTHERS }
    }
}

/// What an analysis searches with.
pub struct Searching<'a> {
    /// Its engine.
    pub leased: LeasedEngine,
    /// Ends it when raised.
    pub stop: Arc<AtomicBool>,
    /// Called now and then by every thread of it.
    pub checkpoint: Option<Arc<dyn Checkpoint>>,
    /// How much it may use. Asked when it has told what is seen at a glance.
    pub effort: &'a dyn Fn() -> Effort,
}

/// An analysis under way.
struct Analyst<'a, 'b> {
    replayed: &'a ReplayedGame,
    searching: Searching<'a>,
    view: AnalysisView,
    on_view: &'b mut dyn FnMut(&AnalysisView),
}

/// Analyzes the position after `ply` moves of a game, if there is one, until everything is exact or
/// the search is stopped, and judges the positions after as many moves as `earlier` says. Tells
/// `on_view` of every step.
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
            self.run(position, &[Stage::Solve { threads }], Some(known));
        } else {
            let deepen = Stage::Deepen { depth: None, nodes: None };
            self.run(position, &[forced_win, deepen], Some(known));
        }
    }

    /// Finds out more than what is `known`.
    fn run(
        &mut self,
        position: &HostedPosition,
        stages: &[Stage],
        known: Option<Analysis>,
    ) -> Analysis {
        let request = AnalysisRequest {
            stages: stages.to_vec(),
            known,
            stop: Arc::clone(&self.searching.stop),
            checkpoint: self.searching.checkpoint.clone(),
            ..AnalysisRequest::default()
        };
        let Analyst { searching, view, on_view, .. } = self;
        searching.leased.engine.analyze(position, &request, &mut |analysis| {
            view.learn(position, analysis);
            on_view(view);
        })
    }

    /// Judges earlier positions of the game, at a glance.
    fn judge_earlier(&mut self, plies: &[usize]) {
        for &ply in plies.iter().take(self.replayed.past.len() + 1) {
            let Some(position) = self.replayed.position_at(ply) else { continue };
            let limits = Limits {
                nodes: Some(NODES_OF_EARLIER),
                stop: Some(Arc::clone(&self.searching.stop)),
                checkpoint: self.searching.checkpoint.clone(),
                ..Limits::default()
            };
            let Some(value) = self.searching.leased.engine.glance(position, &limits) else {
                continue;
            };
            if self.searching.stop.load(Ordering::Relaxed) {
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
        let forced = analysis
            .forced
            .as_ref()
            .map(|forced| format!("Forced: {}.", position.forced_win(forced.winner, forced.plies)));
        let verdict = || {
            let value = position.game().value(analysis.bounds.exact()?);
            Some(position.verdict(value))
        };
        self.verdict = verdict().or(forced);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::engines::Engines;
    use crate::testing::games;

    /// What is told last of the position after so many of the moves.
    fn last_view(moves: &[&str], ply: usize, earlier: &[usize]) -> Value {
        let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
        let start = "..../X".to_owned();
        let line = GameLine { game: None, rules: "standard".to_owned(), start, moves };
        let replayed = line.replay(&games()).expect("a game");
        let game = replayed.position.game();
        let searching = Searching {
            leased: Engines::new(1, 1).lease(&replayed.served, &game),
            stop: Arc::default(),
            checkpoint: None,
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
}
