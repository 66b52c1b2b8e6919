//! The review of a game: its mistakes, from the last to the first, told while they are found.

use std::collections::BTreeMap;

use plyground::search::SearchContext;
use plyground_explain::review::{
    GameReview, GameToReview, MoveToReview, ReviewEffort, ReviewedMove, Reviewer,
};
use serde::{Deserialize, Serialize};

use crate::questions::analysis::{SearchView, variation};
use crate::questions::choice::LeasedEngine;
use crate::questions::games::{GameLine, ReplayedGame};
use crate::questions::view::MoveView;

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
    /// The review, with the moves that are judged.
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

/// The means of a review.
pub struct Reviewing {
    /// The engine of the review.
    pub leased: LeasedEngine,
    /// The context of the searches, whose flag ends the review when raised.
    pub context: SearchContext,
}

/// Reviews a game from its last move to its first, until it is done or stopped. Calls `on_view` after every
/// move.
pub fn review(
    replayed: &ReplayedGame,
    mut reviewing: Reviewing,
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
    let mut reviewer = Reviewer {
        engine: &mut *reviewing.leased.engine,
        effort: ReviewEffort::of(&*start.game()),
        context: reviewing.context,
    };
    let whole = reviewer.review(&game, &mut |review, left| {
        view.learn(replayed, review, left);
        on_view(&view);
    });
    // The engine is one for this game; a review that is stopped has no end.
    if let Ok(Some(whole)) = whole {
        view.review = Some(whole);
        on_view(&view);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::choice::Engines;
    use crate::questions::testing::games;

    #[test]
    fn review_tells_of_every_move_from_the_last_to_the_first() {
        let moves = ["0", "2", "1", "-", "3"].map(str::to_owned).to_vec();
        let start = "..../X".to_owned();
        let line = GameLine { game: None, rules: "standard".to_owned(), start, moves };
        let replayed = line.replay(&games()).expect("a game");
        let leased = Engines::new(1, 1).lease(&replayed.served, &replayed.position.game());
        let reviewing = Reviewing { leased, context: SearchContext::default() };
        let mut views = Vec::new();
        review(&replayed, reviewing, &mut |view| views.push(view.clone()));
        let left: Vec<_> = views.iter().map(|view| view.left).collect();
        assert_eq!(left, [4, 3, 2, 1, 0, 0]);
        let last = views.last().and_then(|view| view.review.clone()).expect("a review");
        assert!(last.exact && last.moves.iter().all(|made| made.loss == Some(0)));
        assert_eq!((last.start_value, last.final_margin), (Some(2), Some(2)));
    }
}
