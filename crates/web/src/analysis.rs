//! The value of every move of a position, told while it is being found out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plyground::Game;
use plyground::perfect::plies_to_end;
use plyground::search::Limits;
use plyground_host::{
    Analysis, AnalysisRequest, HostedEngine, HostedPosition, MOST_PLIES_TO_SOLVE, Stage,
};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::App;
use crate::line_view::LineView;
use crate::replayed_game::{GameLine, ReplayedGame};
use crate::score_view::ScoreView;
use crate::turns::{SearchTurn, Urgency};

/// The positions that are visited ply by ply before anything is proven: under a second.
const FIRST_NODES: u64 = 2_000_000;

/// The positions that are visited for the value of an earlier position: a few milliseconds.
const NODES_OF_EARLIER: u64 = 20_000;

/// How forced wins are looked for when no other client searches.
const FORCED_WIN_ALONE: Stage =
    Stage::ForcedWin { time: Duration::from_secs(20), nodes: None, table_mib: 64 };

/// And else, when memory and processors are for all.
const FORCED_WIN_AMONG_OTHERS: Stage =
    Stage::ForcedWin { time: Duration::from_millis(100), nodes: Some(4_000), table_mib: 1 };

/// What the page asks for an analysis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisQuery {
    /// The name of the client, which has one search at a time.
    pub(crate) client: String,
    pub(crate) game: GameLine,
    /// The number of moves after which the position is to be analyzed.
    pub(crate) ply: usize,
    /// The plies of the game whose positions are to be judged too, at a glance.
    #[serde(default)]
    pub(crate) earlier: Vec<usize>,
}

/// What is known so far.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct AnalysisView {
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
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }
}

#[derive(Clone, Debug, Serialize)]
struct EarlierPosition {
    ply: usize,
    #[serde(flatten)]
    score: ScoreView,
}

/// An analysis under way.
struct Analyst<'a> {
    app: &'a App,
    replayed: &'a ReplayedGame,
    engine: Box<dyn HostedEngine>,
    stop: &'a Arc<AtomicBool>,
    turn: Arc<SearchTurn>,
    view: AnalysisView,
    listener: &'a watch::Sender<AnalysisView>,
}

/// Analyzes until everything is exact or `stop` is raised, and tells `listener` of every step.
pub(crate) fn analyze(
    app: &App,
    replayed: &ReplayedGame,
    (ply, earlier): (usize, &[usize]),
    stop: &Arc<AtomicBool>,
    listener: &watch::Sender<AnalysisView>,
) {
    if let Some(position) = replayed.position_at(ply).filter(|_| !stop.load(Ordering::Relaxed)) {
        let turn = Arc::new(app.turns.begin(Urgency::Patient));
        let leased = app.engines.lease(&replayed.served, &position.game());
        let view = AnalysisView::default();
        let (engine, _user) = (leased.engine, leased.user);
        let mut analyst = Analyst { app, replayed, engine, stop, turn, view, listener };
        if replayed.is_over_at(ply) {
            analyst.judge_earlier(earlier);
        } else {
            analyst.analyze(position, earlier);
        }
    }
    listener.send_modify(|view| view.done = true);
}

impl Analyst<'_> {
    fn analyze(&mut self, position: &HostedPosition, earlier: &[usize]) {
        let first = [Stage::Deepen { depth: None, nodes: Some(FIRST_NODES) }];
        let known = self.run(position, &first, None);
        self.judge_earlier(earlier);
        // A client that is alone has all the processors, and memory.
        let is_alone = self.app.searches.is_alone();
        let can_solve = plies_to_end(position).is_ok_and(|plies| plies <= MOST_PLIES_TO_SOLVE);
        if can_solve {
            let threads = if is_alone { self.app.turns.most().get() } else { 1 };
            self.run(position, &[Stage::Solve { threads }], Some(known));
        } else {
            let forced = if is_alone { FORCED_WIN_ALONE } else { FORCED_WIN_AMONG_OTHERS };
            let deepen = Stage::Deepen { depth: None, nodes: None };
            self.run(position, &[forced, deepen], Some(known));
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
            stop: Arc::clone(self.stop),
            checkpoint: Some(self.turn.clone()),
            ..AnalysisRequest::default()
        };
        let Analyst { engine, view, listener, .. } = self;
        engine.analyze(position, &request, &mut |analysis| {
            view.learn(position, analysis);
            // A client that has left learns nothing more.
            let _ = listener.send(view.clone());
        })
    }

    /// Judges earlier positions of the game, at a glance.
    fn judge_earlier(&mut self, plies: &[usize]) {
        for &ply in plies.iter().take(self.replayed.past.len() + 1) {
            let Some(position) = self.replayed.position_at(ply) else { continue };
            let limits = Limits {
                nodes: Some(NODES_OF_EARLIER),
                stop: Some(Arc::clone(self.stop)),
                checkpoint: Some(self.turn.clone()),
                ..Limits::default()
            };
            let Some(value) = self.engine.glance(position, &limits) else { continue };
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let score = ScoreView::new(&*position.game(), position.side_to_move(), value);
            self.view.earlier.push(EarlierPosition { ply, score });
        }
        let _ = self.listener.send(self.view.clone());
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
    use crate::testing::app;

    /// What is told last of the position after so many of the moves.
    fn last_view(moves: &[&str], ply: usize, earlier: &[usize]) -> Value {
        let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
        let start = "..../X".to_owned();
        let line = GameLine { game: None, rules: "standard".to_owned(), start, moves };
        let app = app();
        let replayed = line.replay(&app).expect("a game");
        let (sender, view) = watch::channel(AnalysisView::default());
        analyze(&app, &replayed, (ply, earlier), &Arc::default(), &sender);
        serde_json::to_value(&*view.borrow()).expect("JSON")
    }

    #[test]
    fn analysis_ends_with_exact_values_and_a_verdict() {
        let view = last_view(&["0"], 1, &[]);
        assert_eq!((&view["done"], &view["complete"]), (&json!(true), &json!(true)));
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
