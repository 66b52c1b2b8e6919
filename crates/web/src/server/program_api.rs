//! The requests of the page about programs.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use plyground::Game;
use plyground_host::{Ending, Fault};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::questions::{GameLine, ReplayedGame};
use crate::server::app::App;
use crate::server::connections::Caller;
use crate::server::programs::{Seat, SeatView, TurnView, WantedProgram};
use crate::server::searches::off_thread;
use crate::server::site::Refusal;
use crate::server::valid_json::ValidJson;

/// The time between two looks for clients that are gone.
const SWEEP: Duration = Duration::from_millis(500);

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/api/programs", post(programs))
}

/// The message of a client that plays with programs: sent while it plays, and when it stops.
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

/// Ends processes, without waiting for them to be gone.
fn end_soon(seats: Vec<Arc<Seat>>) {
    seats.iter().for_each(|seat| seat.stop());
    if !seats.is_empty() {
        spawn_blocking(move || seats.iter().for_each(|seat| seat.end()));
    }
}

/// Tells programs that their game is over and ends them, without waiting for them to be gone.
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

/// Stops a program if the client no longer waits for its move.
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
    let turn = spawn_blocking(move || seat.choose(&mut held, &replayed, app.programs.held())).await;
    waiting.0 = None;
    let unavailable = |why: String| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why);
    match turn {
        Ok(Ok(turn)) => Ok(turn),
        Ok(Err(Fault::Quit)) => Err(unavailable("this game was left".to_owned())),
        Ok(Err(fault)) => Err(unavailable(fault.to_string())),
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
