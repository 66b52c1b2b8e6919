//! The searches of the server, which take turns at the processors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plyground_host::Constraints;
use plyground_page::{
    AnalysisView, ChoiceView, Chooser, Effort, ReplayedGame, Searching, Thinking, analyze, choose,
};
use tokio::sync::watch;

use crate::App;
use crate::turns::Urgency;

/// Returns the choice of an engine player or a random player in the last position of a game; `None` if the
/// game is over.
pub(crate) fn choose_move(
    app: &App,
    replayed: &ReplayedGame,
    chooser: Chooser,
    stop: &Arc<AtomicBool>,
) -> Option<ChoiceView> {
    choose(replayed, chooser, app.games.has_values(), |game| {
        let turn = app.turns.begin(Urgency::Urgent);
        Thinking {
            leased: app.engines.lease(&replayed.served, game),
            constraints: Constraints {
                limit: None,
                stop: Some(Arc::clone(stop)),
                checkpoint: Some(Arc::new(turn)),
                // The search for forced wins does not make way for others.
                without_tactics: !game.has_tactics() || !app.searches.is_alone(),
            },
        }
    })
}

/// Analyzes until everything is exact or `stop` is raised, and sends every result to `listener`.
pub(crate) fn analyze_position(
    app: &App,
    replayed: &ReplayedGame,
    (ply, earlier): (usize, &[usize]),
    stop: &Arc<AtomicBool>,
    listener: &watch::Sender<AnalysisView>,
) {
    if let Some(position) = replayed.position_at(ply).filter(|_| !stop.load(Ordering::Relaxed)) {
        let turn = app.turns.begin(Urgency::Patient);
        let searching = Searching {
            leased: app.engines.lease(&replayed.served, &position.game()),
            stop: Arc::clone(stop),
            checkpoint: Some(Arc::new(turn)),
            // A client that is alone has all the processors and much memory.
            effort: &|| match app.searches.is_alone() {
                true => Effort::alone(app.turns.most().get()),
                false => Effort::among_others(),
            },
        };
        analyze(replayed, (ply, earlier), searching, &mut |view| {
            // Sending fails only if the client has left.
            let _ = listener.send(view.clone());
        });
    }
    listener.send_modify(AnalysisView::end);
}

#[cfg(test)]
mod tests {
    use plyground_page::GameLine;
    use serde_json::json;

    use super::*;
    use crate::testing::{ENDGAME, app};

    #[test]
    fn analysis_says_when_it_has_ended() {
        let start = ENDGAME.to_owned();
        let line = GameLine { game: None, rules: "standard".to_owned(), start, moves: Vec::new() };
        let app = app();
        let replayed = line.replay(&app.games).expect("a game");
        for (is_stopped, ply, is_known) in [(false, 0, true), (true, 0, false), (false, 9, false)] {
            let (sender, view) = watch::channel(AnalysisView::default());
            let stop = Arc::new(AtomicBool::new(is_stopped));
            analyze_position(&app, &replayed, (ply, &[]), &stop, &sender);
            let view = serde_json::to_value(&*view.borrow()).expect("JSON");
            assert_eq!((&view["done"], &view["complete"]), (&json!(true), &json!(is_known)));
        }
    }
}
