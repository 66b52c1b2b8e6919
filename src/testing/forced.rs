//! The rule of the contract about forcing positions.

use super::breach::{Breach, Rule, require};
use crate::forcing::Forcing;
use crate::game::Side;
use crate::hints::SearchHints;

/// Checks the game's answer about forcing in `position`, which is open and has these legal moves. Returns
/// true if the answer is a win or a threat.
pub(super) fn forcing<G: SearchHints>(position: &G, legal: &[G::Move]) -> Result<bool, Breach> {
    let mut replies = Vec::new();
    let found = position.forcing(&mut replies);
    adds_to_what_there_is(position, legal, (found, &replies))?;
    let side = position.side_to_move();
    let win = legal.iter().find(|&&mv| wins_with(position, mv, side));
    match found {
        Forcing::Unknown => {}
        Forcing::Win(mv) => {
            let holds = legal.contains(&mv) && wins_with(position, mv, side);
            require(holds, Rule::Forcing, position, || {
                format!("move {mv} is said to win at once, and does not")
            })?;
        }
        Forcing::Quiet | Forcing::Threatened => {
            require(win.is_none(), Rule::Forcing, position, || {
                let win = win.map(G::Move::to_string).unwrap_or_default();
                format!("forcing is {found:?}, but move {win} wins at once")
            })?;
        }
    }
    if found == Forcing::Threatened {
        threatened(position, legal, &replies)?;
    } else {
        require(replies.is_empty(), Rule::Forcing, position, || {
            format!("forcing is {found:?}, but has replies: {replies:?}")
        })?;
    }
    Ok(matches!(found, Forcing::Win(_) | Forcing::Threatened))
}

/// Checks that the game answers the same when asked again, and leaves the earlier entries in the list of
/// replies alone.
fn adds_to_what_there_is<G: SearchHints>(
    position: &G,
    legal: &[G::Move],
    (found, replies): (Forcing<G::Move>, &[G::Move]),
) -> Result<(), Breach> {
    let earlier: Vec<G::Move> = legal.iter().rev().copied().collect();
    let mut all = earlier.clone();
    let again = position.clone().forcing(&mut all);
    let expected = [&earlier, replies].concat();
    require(again == found && all == expected, Rule::Forcing, position, || {
        format!(
            "forcing is {found:?} with replies {replies:?}, and then {again:?}, after which \
             {earlier:?} have become {all:?}"
        )
    })
}

/// Checks that every move that may help is among the replies, and that some move does not end the game.
fn threatened<G: SearchHints>(
    position: &G,
    legal: &[G::Move],
    replies: &[G::Move],
) -> Result<(), Breach> {
    let mut rest = legal.iter();
    let is_in_order = replies.iter().all(|reply| rest.any(|mv| mv == reply));
    require(is_in_order, Rule::Forcing, position, || {
        format!("the replies are not legal moves in their order: {replies:?}")
    })?;
    let goes_on = legal.iter().any(|&mv| position.after(mv).outcome().is_none());
    require(goes_on, Rule::Forcing, position, || {
        "threatened, but every move ends the game".to_owned()
    })?;
    legal.iter().filter(|mv| !replies.contains(mv)).try_for_each(|&mv| {
        require(loses_soon(position, mv), Rule::Forcing, position, || {
            format!("move {mv} is not among the replies {replies:?}, and does not lose at once")
        })
    })
}

/// Returns true if the opponent has won after `mv`, or wins with the next move.
fn loses_soon<G: SearchHints>(position: &G, mv: G::Move) -> bool {
    let (next, opponent) = (position.after(mv), position.side_to_move().other());
    match next.outcome() {
        Some(outcome) => outcome.winner() == Some(opponent),
        None => next.legal_moves().any(|reply| wins_with(&next, reply, opponent)),
    }
}

fn wins_with<G: SearchHints>(position: &G, mv: G::Move, side: Side) -> bool {
    position.after(mv).outcome().and_then(|outcome| outcome.winner()) == Some(side)
}
