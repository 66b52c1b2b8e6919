//! Reviews of recorded games.

use std::sync::Arc;

use plyground::search::Options;
use plyground_explain::review::{GameReview, GameToReview, ReviewEffort, Reviewer, summaries};
use plyground_host::EngineOptions;
use plyground_host::record::GameRecord;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::arguments::whole;
use crate::engine::interruptible;
use crate::game::game as game_of;

/// Reviews the game of a record. Returns the review as JSON.
///
/// Raises `ValueError` with the line if the record is damaged, if a move is illegal, or if the ending does
/// not follow from the moves.
#[pyfunction]
pub fn review_record(
    py: Python<'_>,
    text: &str,
    nodes: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let nodes = nodes.map(|nodes| whole("nodes", nodes, 0..=u64::MAX)).transpose()?;
    let wrong = |error: String| PyValueError::new_err(error);
    let record = GameRecord::parse_unfinished(text).map_err(|error| wrong(error.to_string()))?;
    let game = game_of(&record.header.game, None)?;
    let played = record.check(&**game.shared()).map_err(|error| wrong(error.to_string()))?;
    let game = played.start.game();
    let book = game.book().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let search = Options::default();
    let mut engine = game.engine(EngineOptions { search, book, ..EngineOptions::default() });
    let usual = ReviewEffort::of(&*game);
    let effort = ReviewEffort { solve: nodes.unwrap_or(usual.solve), ..usual };
    let mut reviewer = Reviewer { effort, ..Reviewer::new(&mut *engine) };
    let stop = Arc::clone(&reviewer.context.stop);
    let game = GameToReview::new(&record, &played);
    let review = interruptible(py, &stop, || reviewer.review(&game, &mut |_, _| ()))?;
    let review = review.map_err(|error| wrong(error.to_string()))?;
    let review = review.ok_or_else(|| PyRuntimeError::new_err("the review was stopped"))?;
    Ok(review.to_json())
}

/// Returns the summaries of the players of these reviews, all as JSON.
///
/// Raises `ValueError` if one of the texts is no review.
#[pyfunction]
pub fn summarize_reviews(reviews: Vec<String>) -> PyResult<String> {
    let read = |text: &String| serde_json::from_str::<GameReview>(text);
    let reviews: Result<Vec<_>, _> = reviews.iter().map(read).collect();
    let reviews = reviews.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let text = serde_json::to_string(&summaries(&reviews, None));
    text.map_err(|error| PyValueError::new_err(error.to_string()))
}
