//! Questions about the mistakes in reviewed games: the position before each mistake, and the right moves.

use plyground::search::Options;
use plyground::{Game, Score, Value};
use plyground_durable::shown;
use plyground_host::state::StateText;
use plyground_host::{EngineOptions, HostedEngine, HostedGame, HostedPosition, JudgeEffort};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::question::{Aim, BestMoveQuestion, Practice, Question};
use crate::review::{GameReview, ReviewedMove};

/// The greatest number of positions to visit for the value of a move.
const SOLVE_NODES: u64 = 5_000_000;

/// The greatest number of plies to look ahead by the rules alone, in a game without points.
const MOST_PLIES: u32 = 3;

impl Practice {
    /// Draws up to `count` questions about the mistakes in these games, or about the mistakes of `player` only. A
    /// mistake makes no question if no right answer can be proven quickly, or if all moves are right.
    #[must_use]
    pub fn from_reviews(
        game: &dyn HostedGame,
        reviews: &[GameReview],
        player: Option<&str>,
        (seed, count): (u64, u32),
    ) -> Practice {
        let is_asked = |review: &GameReview, made: &ReviewedMove| {
            let is_own = player.is_none_or(|player| review.name(made.side) == player);
            made.kind.is_some() && !made.given && is_own
        };
        let mistakes = reviews.iter().filter(|review| review.game == game.name());
        let mistakes = mistakes.flat_map(|review| {
            let own = review.moves.iter().filter(move |made| is_asked(review, made));
            own.map(move |made| (review, made))
        });
        let mut mistakes: Vec<_> = mistakes.collect();
        mistakes.shuffle(&mut StdRng::seed_from_u64(seed));
        let drills = mistakes.into_iter().filter_map(|(review, made)| drill(game, review, made));
        let questions = drills.map(Question::BestMove).take(count as usize).collect();
        Practice { title: game.title(), seed, questions }
    }
}

fn drill(
    game: &dyn HostedGame,
    review: &GameReview,
    made: &ReviewedMove,
) -> Option<BestMoveQuestion> {
    let game = game.with_rules(&review.rules)?;
    let mut position = game.parse_state(&StateText::new(review.start.clone())).ok()?;
    // The moves are checked, because a review may be an untrusted file.
    for earlier in review.moves.iter().take(made.ply.checked_sub(1)?) {
        position.play_text(&earlier.mv).ok()?;
    }
    let question = match position.points() {
        Some(_) => to_the_end(position, made)?,
        None => nearby(position, made)?,
    };
    let file = review.file.as_ref().map(|file| format!("{file}, ")).unwrap_or_default();
    let name = review.name(made.side);
    let from = format!("{file}ply {}: {name} played {}.", made.ply, made.mv);
    let from = Some(shown(&from).into_owned());
    let is_fair = question.right.len() < question.position.legal_moves().count();
    is_fair.then_some(BestMoveQuestion { from, ..question })
}

/// Returns the question about the best move to the end of the game, in a game of points.
fn to_the_end(position: HostedPosition, made: &ReviewedMove) -> Option<BestMoveQuestion> {
    let Value::Exact(value) = made.best_worth.value() else { return None };
    let search = Options { table_mib: 16, ..Options::default() };
    let book = position.game().book().ok()?;
    let options = EngineOptions { search, book, ..EngineOptions::default() };
    let mut engine = position.game().engine(options);
    let worth = |mv| Some((mv, exact(&mut *engine, &position, &position.after(mv))?));
    let worths: Option<Vec<_>> = position.legal_moves().map(worth).collect();
    let right = worths?.into_iter().filter(|&(_, own)| own == value).map(|(mv, _)| mv).collect();
    let (aim, line, from) = (Aim::ToTheEnd, made.best_line.clone(), None);
    Some(BestMoveQuestion { position, right, value, line, aim, from })
}

/// Returns the exact value of the move from one position to the next.
fn exact(
    engine: &mut dyn HostedEngine,
    before: &HostedPosition,
    after: &HostedPosition,
) -> Option<Score> {
    let effort = JudgeEffort { solve: SOLVE_NODES, ..JudgeEffort::default() };
    let value = match after.final_value() {
        Some(value) => value,
        None => engine.judge(after, &effort).ok()??.value,
    };
    let turn = plyground::Turn::between(before, after);
    value.is_exact().then(|| value.before_move(turn).score())
}

/// Returns the question about a win or a loss within a few plies, in a game without points.
fn nearby(position: HostedPosition, made: &ReviewedMove) -> Option<BestMoveQuestion> {
    let plies = made.seen_at_depth.filter(|&depth| depth <= MOST_PLIES)?;
    let (right, promise) = position.best_moves(plies);
    let (aim, value) = match promise {
        plyground_host::Promise::Won => (Aim::WinWithin(plies), Score::win_in(plies)),
        plyground_host::Promise::Open => (Aim::HoldFor(plies), Score::ZERO),
        plyground_host::Promise::Lost => return None,
    };
    let line = made.best_line.clone();
    let is_line = line.first().is_some_and(|first| right.contains(first));
    let line = if is_line { line } else { vec![*right.first()?] };
    Some(BestMoveQuestion { position, right, value, line, aim, from: None })
}
