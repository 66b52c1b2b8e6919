//! The review of a player's games against random moves: what it lost, and the mistakes to learn from.

use plyground::Side;
use plyground::search::Options;
use plyground_explain::review::{
    GameReview, GameToReview, ReviewEffort, ReviewedMove, Reviewer, mistake_lines, summaries,
};
use plyground_host::record::PlayerRecord;
use plyground_host::state::StateText;
use plyground_host::{EngineOptions, HostedPosition, SharedGame, Text};

use super::results::{Finding, PlayReview};
use super::session::ExaminedGame;

/// The most mistakes that are kept.
const MOST_MISTAKES: usize = 5;

/// The memory for the transposition table, in MiB.
const TABLE: usize = 16;

/// The effort, less than that of `review`: a class has many games.
const EFFORT: ReviewEffort =
    ReviewEffort { solve: 10_000_000, proof: 500, estimate: 2_000, sight: 50_000, line: 20_000 };

/// The effort for a game whose rules are a program.
const SLOW: ReviewEffort = ReviewEffort { solve: 5_000, ..ReviewEffort::SLOW };

/// The names of the players in these games.
const OWN: &str = "the program";
const OTHER: &str = "random";

/// Reviews games of a player. Returns `None` without any game.
pub(super) fn review(game: &SharedGame, games: &[&ExaminedGame]) -> Option<PlayReview> {
    if games.is_empty() {
        return None;
    }
    let search = Options { table_mib: TABLE, ..Options::default() };
    let book = game.book().ok().flatten();
    let mut engine = game.engine(EngineOptions { search, book, ..EngineOptions::default() });
    let effort = if game.is_slow() { SLOW } else { EFFORT };
    let mut reviewer = Reviewer { effort, ..Reviewer::new(&mut *engine) };
    let mut reviews = Vec::new();
    for played in games {
        let game = GameToReview::of(&played.game, players(played.side));
        reviews.extend(reviewer.review(&game, &mut |_, _| ()).ok().flatten());
    }
    let summary = summaries(&reviews, Some(OWN)).pop()?;
    let mut mistakes: Vec<(&GameReview, &ReviewedMove)> = reviews.iter().flat_map(own).collect();
    // What any search sees teaches most.
    mistakes.sort_by_key(|(_, made)| {
        (made.seen_from_depth.unwrap_or(u32::MAX), std::cmp::Reverse(made.loss))
    });
    let mistakes = mistakes.into_iter().take(MOST_MISTAKES);
    let mistakes = mistakes.filter_map(|(review, made)| finding(game, review, made)).collect();
    Some(PlayReview { summary: summary.lines(), mistakes })
}

fn players(side: Side) -> [PlayerRecord; 2] {
    let player = |name: &str| PlayerRecord { name: name.to_owned(), player: String::new() };
    let mut players = [player(OWN), player(OTHER)];
    if side == Side::Second {
        players.reverse();
    }
    players
}

/// Returns the mistakes of the player in a game.
fn own(review: &GameReview) -> Vec<(&GameReview, &ReviewedMove)> {
    let mistakes = review.moves.iter().filter(|made| made.kind.is_some());
    let own = mistakes.filter(|made| review.name(made.side) == OWN);
    own.map(|made| (review, made)).collect()
}

fn finding(game: &SharedGame, review: &GameReview, made: &ReviewedMove) -> Option<Finding> {
    let position = before(game, review, made)?;
    Some(Finding {
        state: position.state_word(),
        board: position.text(Text::Board),
        said: mistake_lines(review, made).join("\n"),
        ..Finding::default()
    })
}

/// Returns the position before a move.
fn before(game: &SharedGame, review: &GameReview, made: &ReviewedMove) -> Option<HostedPosition> {
    let mut position = game.parse_state(&StateText::new(review.start.clone())).ok()?;
    for earlier in review.moves.iter().take(made.ply - 1) {
        position.play_text(&earlier.mv).ok()?;
    }
    Some(position)
}
