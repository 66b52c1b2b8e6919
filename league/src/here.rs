//! The games that the server plays on its own machine.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use plyground_arena::alone::Gate;
use plyground_host::MoveText;

use crate::league::{CODE, HERE, League, prepared};
use crate::playing::Table;

/// The pause of a thread that has nothing to play.
const PAUSE: Duration = Duration::from_millis(500);

/// The time after which a game begins although uploads wait for their builds.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Plays games of the league on this machine until it stops. While uploads wait for their builds, it begins a
/// game a minute: somebody waits for the answer, but no uploads can stop the games.
pub(crate) fn play_here(league: &League, gate: &Arc<Gate>) {
    let table = Table {
        game: league.config.game.clone(),
        gate: Arc::clone(gate),
        stop: Arc::clone(&league.stop),
    };
    let mut begun = Instant::now();
    while !league.is_stopped() {
        // A database that refuses now may grant it later: a disk that was full has room again.
        let taken = match league.has_builds() {
            Ok(true) if begun.elapsed() < LONGEST_WAIT => Ok(None),
            _ => league.take_here(),
        };
        let Ok(Some(order)) = taken else {
            thread::sleep(PAUSE);
            continue;
        };
        begun = Instant::now();
        let place = |content: &str| prepared(league.folder(), content).join(CODE);
        let mut show = |moves: &[MoveText]| {
            league.show_moves(order.game, moves.iter().map(ToString::to_string).collect());
        };
        let given = match table.play(&order, &place, &mut show) {
            Ok(outcome) => league.give(HERE, &outcome),
            Err(_) if league.is_stopped() => return league.abandon(order.game),
            Err(why) => league.give_up(HERE, order.game, &order.lease, Some(&why.to_string())),
        };
        if given.is_err() {
            league.abandon(order.game);
            thread::sleep(PAUSE);
        }
    }
}
