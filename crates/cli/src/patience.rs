//! Players that may think for hours.

use plyground::Game;
use plyground::book::Book;
use plyground::perfect::plies_to_end;
use plyground_host::player::PlayerSpec;
use plyground_host::{HostedPosition, MOST_PLIES_TO_SOLVE, Strength};

use super::warning::warn;

/// Warns of a perfect machine that has all the time it wants, where that is hours: far from the end
/// of the game, in a position that the book does not have. `remedy` says how to give it a time.
pub(super) fn warn_of_hours(
    position: &HostedPosition,
    strength: Strength,
    book: Option<&Book>,
    remedy: &str,
) {
    let is_far = plies_to_end(position).is_ok_and(|plies| plies > MOST_PLIES_TO_SOLVE);
    let is_known = book.is_some_and(|book| book.get(position).is_some());
    if matches!(strength, Strength::Perfect { time: None, .. }) && is_far && !is_known {
        let plies = position.plies_left().unwrap_or_default();
        warn(&format_args!(
            "perfect play may take hours for a move when {plies} moves are left: {remedy} ends in time"
        ));
    }
}

/// The same for players of a game from its start.
pub(super) fn warn_of_patient<'a>(
    position: &HostedPosition,
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    book: Option<&Book>,
) {
    let strengths = players.into_iter().filter_map(|player| match player {
        PlayerSpec::Machine(strength) if player.is_perfect() => Some(*strength),
        _ => None,
    });
    let endless = |strength: &Strength| matches!(strength, Strength::Perfect { time: None, .. });
    if let Some(strength) = strengths.into_iter().find(endless) {
        warn_of_hours(position, strength, book, "machine:perfect,time=10s");
    }
}
