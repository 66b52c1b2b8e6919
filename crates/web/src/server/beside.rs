//! A search of our engine for each position in which a program moved, to the same depth, as a comparison.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Extension, Json, Router};
use plyground::search::{Checkpoint, Limits, Options, Scope};
use plyground_host::{EngineOptions, HostedPosition, MoveText};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use crate::questions::{GameLine, MoveView, ScoreView};
use crate::server::app::App;
use crate::server::connections::Caller;
use crate::server::searches::off_thread;
use crate::server::site::Refusal;
use crate::server::turns::Urgency;
use crate::server::valid_json::ValidJson;

/// The greatest number of positions in one request.
const MOST_PLIES: usize = 8;

/// The greatest number of positions that each search visits: a fraction of a second.
const MOST_NODES: u64 = 400_000;

/// The size of the table of the search, in MiB.
const TABLE_MIB: usize = 4;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/beside", post(beside))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BesideQuery {
    client: String,
    game: GameLine,
    asked: Vec<AskedMove>,
}

/// A move of the game.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedMove {
    /// The number of moves before it.
    ply: usize,
    /// The depth of the search in plies.
    depth: u32,
}

#[derive(Serialize)]
struct BesideView {
    moves: Vec<OurView>,
}

/// The results of our search in a position, beside the move that was made in it.
#[derive(Debug, Serialize)]
pub(crate) struct OurView {
    ply: usize,
    /// The depth in plies: less than requested if that takes too long.
    depth: u32,
    nodes: u64,
    /// The best move that the search finds; `score` is its value.
    best: MoveView,
    score: ScoreView,
    /// The value of the move that was made.
    played: ScoreView,
    /// The loss of that move against the best, in points; 0 for an equally good move, `null` if the two
    /// values differ and one of them is a forced end.
    loss: Option<f64>,
    /// If true, the move that was made is as good as the best.
    agrees: bool,
}

async fn beside(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    ValidJson(query, _busy): ValidJson<BesideQuery>,
) -> Result<Json<BesideView>, Refusal> {
    app.check_values()?;
    app.check_name(&query.client)?;
    let BesideQuery { client, game, asked } = query;
    if asked.len() > MOST_PLIES {
        let why = format!("expected at most {MOST_PLIES} moves, found {}", asked.len());
        return Err(Refusal::new(StatusCode::BAD_REQUEST, why));
    }
    let shared = Arc::clone(&app);
    let replayed = off_thread(move || Ok(game.replay(&shared.games)?)).await?;
    // This search runs beside the client's other search, and is counted as that of another client.
    let mut permit = app.searches.begin(&format!("{client} compares"), caller.address)?;
    permit.limit(app.search_time, async {});
    let stop = Arc::clone(&permit.stop);
    let work = move || {
        let turn: Arc<dyn Checkpoint> = Arc::new(app.turns.begin(Urgency::Urgent));
        let past = |ply: usize| replayed.past.get(ply);
        let known = asked.iter().filter_map(|asked| past(asked.ply).map(|past| (asked, past)));
        let views = known.filter_map(|(&AskedMove { ply, depth }, (position, mv))| {
            let (stop, turn) = (Arc::clone(&stop), Arc::clone(&turn));
            look(position, *mv, (ply, depth), stop, Some(turn))
        });
        BesideView { moves: views.collect() }
    };
    // If the client leaves, this future is dropped, and with it the permit, which ends the search.
    let failed = |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the search has failed");
    spawn_blocking(work).await.map(Json).map_err(failed)
}

/// Returns the results of our search in `position`, in which `mv` was made after `ply` moves; `None` if the
/// game is over, or if `stop` was raised before the search found anything.
pub(crate) fn look(
    position: &HostedPosition,
    mv: MoveText,
    (ply, depth): (usize, u32),
    stop: Arc<AtomicBool>,
    checkpoint: Option<Arc<dyn Checkpoint>>,
) -> Option<OurView> {
    let game = position.game();
    let search = Options { table_mib: TABLE_MIB, ..Options::default() };
    let mut engine = game.engine(EngineOptions { search, ..EngineOptions::default() });
    let limits = Limits {
        depth: Some(depth.clamp(1, game.max_depth())),
        nodes: Some(MOST_NODES),
        stop: Some(stop),
        checkpoint,
        ..Limits::default()
    };
    let report = engine.search(position, &limits, Scope::EveryMove, &mut |_| ()).ok()??;
    let best = report.lines.first()?;
    let played = report.lines.iter().find(|line| line.first_move() == mv)?;
    let side = plyground::Game::side_to_move(position);
    let view = |value| ScoreView::new(&*game, side, value);
    let [most, got] = [best, played].map(plyground::search::Line::score);
    let is_forced = [most, got].iter().any(|score| score.plies_to_end().is_some());
    let agrees = got == most;
    let points = f64::from(most.get() - got.get()) / f64::from(game.point());
    Some(OurView {
        ply,
        depth: report.depth,
        nodes: report.nodes,
        best: MoveView::new(position, best.first_move()),
        score: view(best.value),
        played: view(played.value),
        loss: (agrees || !is_forced).then_some(points),
        agrees,
    })
}

#[cfg(test)]
mod tests {
    use plyground::Game;
    use plyground_host::state::StateText;

    use super::*;
    use crate::server::testing::{ENDGAME, served};

    #[test]
    fn move_is_compared_with_the_best() {
        let text = StateText::new(ENDGAME.to_owned());
        let start = served().game.parse_state(&text).expect("a position");
        let moves: Vec<_> = start.legal_moves().collect();
        let views: Vec<_> = moves
            .iter()
            .filter_map(|&mv| look(&start, mv, (0, 4), Arc::default(), None))
            .map(|view| serde_json::to_value(view).expect("JSON"))
            .collect();
        assert_eq!(views.len(), moves.len());
        for (mv, view) in moves.iter().zip(&views) {
            let is_best = view["best"]["move"] == mv.as_str();
            assert!(!is_best || view["agrees"] == true, "{view}");
            assert_eq!(view["agrees"], view["loss"] == 0.0, "{view}");
            assert_eq!(view["best"], views[0]["best"]);
            assert!(view["nodes"].as_u64().is_some_and(|nodes| nodes > 0));
        }
        let mut losses: Vec<_> = views.iter().filter_map(|view| view["loss"].as_f64()).collect();
        losses.sort_by(f64::total_cmp);
        assert_eq!(losses, [0.0, 1.0, 2.0]);
    }
}
