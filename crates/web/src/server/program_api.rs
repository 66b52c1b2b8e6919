//! The requests of the page about programs, and the comparison of each move of a program with a search of our engine
//! to the same depth.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Extension, Json, Router};
use plyground::Game;
use plyground::search::{Limits, Line, Options, Scope, SearchContext};
use plyground_host::{Ending, EngineOptions, Fault, HostedPosition, MoveText};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::questions::{GameLine, MoveView, ReplayedGame, ScoreView};
use crate::server::connections::Caller;
use crate::server::programs::{Seat, SeatView, TurnView, WantedProgram};
use crate::server::searches::{Urgency, by_rules, off_thread};
use crate::server::site::Refusal;
use crate::server::{App, ValidJson};

/// The time between two checks for clients that are gone.
const SWEEP: Duration = Duration::from_millis(500);

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/programs", post(programs)).route("/api/beside", post(beside))
}

/// The message that a client sends while it plays with programs, and when it stops.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PresenceQuery {
    client: String,
    game: GameLine,
    /// The players of the two sides, as the page names them.
    players: [String; 2],
}

#[derive(Serialize)]
struct Seats {
    /// The programs of the two sides; `null` if there is no process and has been none in this game.
    seats: [Option<SeatView>; 2],
}

async fn programs(
    State(app): State<Arc<App>>,
    ValidJson(asked, _busy): ValidJson<PresenceQuery>,
) -> Result<Json<Seats>, Refusal> {
    app.check_name(&asked.client)?;
    let [first, second] = asked.players.map(|player| WantedProgram::read(&player));
    let wanted = [first?, second?];
    let shared = Arc::clone(&app);
    off_thread(move || {
        let replayed = asked.game.replay(&shared.games)?;
        let mut left = Vec::new();
        let seats = shared.programs.hear(&asked.client, &wanted, &replayed, &mut left);
        end_soon(left);
        if let Some(ending) = ending(&replayed) {
            finish_soon(&seats, replayed, ending);
        }
        Ok(Json(Seats { seats: seats.map(|seat| seat.map(|seat| seat.view())) }))
    })
    .await
}

/// Returns the end of a game, if the game is over.
fn ending(replayed: &ReplayedGame) -> Option<Ending> {
    let plies = u32::try_from(replayed.past.len()).unwrap_or(u32::MAX);
    let outcome = replayed.position.outcome().map(Ending::by_rules);
    outcome.or_else(|| replayed.is_at_cap().then(|| Ending::ply_cap(plies)))
}

/// Ends processes, without waiting for their exit.
fn end_soon(seats: Vec<Arc<Seat>>) {
    seats.iter().for_each(|seat| seat.stop());
    if !seats.is_empty() {
        spawn_blocking(move || seats.iter().for_each(|seat| seat.end()));
    }
}

/// Tells programs that their game is over and ends the programs, without waiting for their exit.
fn finish_soon(seats: &[Option<Arc<Seat>>; 2], replayed: ReplayedGame, ending: Ending) {
    let alive = seats.iter().flatten().filter(|seat| seat.is_alive()).cloned();
    let alive: Vec<_> = alive.collect();
    if alive.is_empty() {
        return;
    }
    tokio::spawn(async move {
        let (replayed, ending) = (Arc::new(replayed), Arc::new(ending));
        for seat in alive {
            let mut held = seat.hold().await;
            let (replayed, ending) = (Arc::clone(&replayed), Arc::clone(&ending));
            spawn_blocking(move || seat.finish(&mut held, &replayed, &ending));
        }
    });
}

/// A guard that stops a program if the client no longer waits for the move.
struct Waiting(Option<Arc<Seat>>);

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(seat) = self.0.take() {
            end_soon(vec![seat]);
        }
    }
}

/// Returns the move of a program in the last position of a game.
pub(crate) async fn choose(
    app: Arc<App>,
    (client, caller): (String, Caller),
    wanted: WantedProgram,
    replayed: ReplayedGame,
) -> Result<TurnView, Refusal> {
    if replayed.is_over_at(replayed.past.len()) {
        return Err(Refusal::input("the game is over"));
    }
    app.check_name(&client)?;
    let mut left = Vec::new();
    let who = (client.as_str(), caller.address);
    let seat = app.programs.seat(who, &wanted, &replayed, &mut left);
    end_soon(left);
    let seat = seat?;
    let mut waiting = Waiting(Some(Arc::clone(&seat)));
    let mut held = seat.hold().await;
    let choice = move || by_rules(|| seat.choose(&mut held, &replayed, app.programs.held()));
    let turn = spawn_blocking(choice).await;
    waiting.0 = None;
    let unavailable = |why: String| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why);
    match turn {
        Ok(Ok(Ok(turn))) => Ok(turn),
        Ok(Ok(Err(Fault::Quit))) => Err(unavailable("this game was left".to_owned())),
        Ok(Ok(Err(fault))) => Err(unavailable(fault.to_string())),
        Ok(Err(refusal)) => Err(refusal),
        Err(_) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has failed")),
    }
}

/// Ends the programs of clients that are gone, at intervals of [`SWEEP`], and never returns.
pub(crate) async fn sweep(app: Arc<App>) {
    loop {
        sleep(SWEEP).await;
        end_soon(app.programs.take_idle());
    }
}

/// The greatest number of positions in one request.
const MOST_PLIES: usize = 8;

/// The greatest number of positions that each search visits: a fraction of a second.
const MOST_NODES: u64 = 400_000;

/// The size of the table of the search, in MiB.
const TABLE_MIB: usize = 4;

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
    /// The number of moves before the move.
    ply: usize,
    /// The depth of the search in plies.
    depth: u32,
}

#[derive(Serialize)]
struct BesideView {
    moves: Vec<OurView>,
}

/// The results of our search in a position, compared with the move that was made there.
#[derive(Debug, Serialize)]
pub(crate) struct OurView {
    ply: usize,
    /// The depth in plies: less than requested if the search would take too long.
    depth: u32,
    nodes: u64,
    /// The best move that the search finds; `score` is its value.
    best: MoveView,
    score: ScoreView,
    /// The value of the move that was made.
    played: ScoreView,
    /// The loss of the made move against the best, in points; 0 for an equally good move, `null` if the two values
    /// differ and at least one is a forced end.
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
    let replayed = app.replay(game).await?;
    // This search runs beside the client's other search, and counts as the search of another client.
    let mut permit = app.searches.begin(&format!("{client} compares"), caller.address)?;
    permit.limit(app.search_time, async {});
    let ticket = permit.ticket.clone();
    let work = move || {
        let context = app.turns.begin(Urgency::Urgent, &ticket);
        let past = |ply: usize| replayed.past.get(ply);
        let known = asked.iter().filter_map(|asked| past(asked.ply).map(|past| (asked, past)));
        let views = known.filter_map(|(&AskedMove { ply, depth }, (position, mv))| {
            look(position, *mv, (ply, depth), context.clone())
        });
        BesideView { moves: views.collect() }
    };
    // If the client leaves, this future is dropped, and with it the permit, which ends the search.
    let failed = |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the search has failed");
    spawn_blocking(work).await.map(Json).map_err(failed)
}

/// Returns the results of our search in `position`, in which `mv` was made after `ply` moves; `None` if the game is
/// over, or if the search was stopped without a result.
pub(crate) fn look(
    position: &HostedPosition,
    mv: MoveText,
    (ply, depth): (usize, u32),
    context: SearchContext,
) -> Option<OurView> {
    let game = position.game();
    let search = Options { table_mib: TABLE_MIB, ..Options::default() };
    let mut engine = game.engine(EngineOptions { search, ..EngineOptions::default() });
    let limits = Limits {
        depth: Some(depth.clamp(1, game.max_depth())),
        nodes: Some(MOST_NODES),
        context,
        ..Limits::default()
    };
    let report = engine.search(position, &limits, Scope::EveryMove, &mut |_| ()).ok()??;
    let best = report.lines.first()?;
    let played = report.lines.iter().find(|line| line.first_move() == mv)?;
    let view = |value| ScoreView::new(&*game, position.side_to_move(), value);
    let [most, got] = [best, played].map(Line::score);
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
    use crate::server::tests::{ENDGAME, served};

    #[test]
    fn move_is_compared_with_the_best() {
        let text = StateText::new(ENDGAME.to_owned());
        let start = served().game.parse_state(&text).expect("a position");
        let moves: Vec<_> = start.legal_moves().collect();
        let views: Vec<_> = moves
            .iter()
            .filter_map(|&mv| look(&start, mv, (0, 4), SearchContext::default()))
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
