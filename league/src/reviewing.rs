//! Reviews of games, which a thread of the server makes one after the other.
//!
//! First come those that people ask for. While there is nothing to build and nothing to play, the last
//! losses of all players follow, so that the page of a player says what they cost.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use plyground::search::Options;
use plyground_explain::review::{GameReview, GameToReview, ReviewEffort, Reviewer};
use plyground_host::EngineOptions;
use plyground_host::record::GameRecord;

use crate::league::League;
use crate::store::people::Person;
use crate::store::{GameRow, Played, Recent, Review, Role, StoreError};

/// The effort of a review, a few seconds at most: there are many.
const EFFORT: ReviewEffort =
    ReviewEffort { solve: 10_000_000, proof: 500, estimate: 2_000, sight: 50_000, line: 20_000 };

/// The memory for the transposition table of a review, in MiB.
const TABLE: usize = 32;

/// The pause of a reviewer without work.
const PAUSE: Duration = Duration::from_millis(500);

/// The number of pauses after which a reviewer without work looks for losses.
const LOOK: u32 = 20;

/// The number of the last losses of a player that are reviewed.
pub const LOSSES: usize = 10;

/// Returns the last games that a person has lost without a fault, each with its review.
///
/// # Errors
///
/// Returns an error of the database.
pub fn losses(league: &League, person: i64) -> Result<Vec<(Played, Review)>, StoreError> {
    league.store.read(|db| {
        let games = Played::recent(db, Recent::LostBy(person), LOSSES)?;
        let with_review = |played: Played| {
            let review = Review::of(db, played.game.id)?;
            Ok((played, review))
        };
        games.into_iter().map(with_review).collect()
    })
}

/// Asks for the reviews of the last losses of a person, for this one or for the instructor.
///
/// # Errors
///
/// Returns an error if many reviews are to be made already, or an error of the database.
pub fn want_losses(league: &League, person: i64, asks: Option<i64>) -> Result<(), StoreError> {
    let now = league.clock.now();
    league.store.write(|db| {
        for played in Played::recent(db, Recent::LostBy(person), LOSSES)? {
            Review::want(db, played.game.id, asks, now)?;
        }
        Ok(())
    })
}

/// Makes reviews until the league stops.
pub(crate) fn review_games(league: &League) {
    let mut pauses = 0;
    while !league.is_stopped() {
        match league.store.read(Review::next) {
            Ok(Some(game)) => review_game(league, game),
            _ => {
                thread::sleep(PAUSE);
                pauses += 1;
                if pauses % LOOK == 0 && league.config.analysis {
                    // If the database refuses now, the next look may succeed.
                    let _ = want_a_loss(league);
                }
            }
        }
    }
}

/// Asks for the review of a loss that has none, if there is nothing to build and nothing to play.
fn want_a_loss(league: &League) -> Result<(), StoreError> {
    if league.has_builds()? || !league.under_way().is_empty() {
        return Ok(());
    }
    for person in league.store.read(Person::all)?.iter().filter(|it| it.role == Role::Student) {
        let losses = losses(league, person.id)?;
        let unwanted = losses.iter().find(|(_, review)| *review == Review::Unwanted);
        if let Some((played, _)) = unwanted {
            let now = league.clock.now();
            return league.store.write(|db| Review::want(db, played.game.id, None, now));
        }
    }
    Ok(())
}

fn review_game(league: &League, game: i64) {
    let made = made(league, game);
    if league.is_stopped() {
        return;
    }
    let text = made.and_then(|review| serde_json::to_string(&review).ok()).unwrap_or_default();
    if league.store.write(|db| Review::keep(db, game, &text)).is_err() {
        thread::sleep(PAUSE);
    }
}

fn made(league: &League, game: i64) -> Option<GameReview> {
    let row = league.store.read(|db| GameRow::find(db, game)).ok()??;
    let record = league.store.read(|db| row.record(db)).ok()??;
    let record = GameRecord::parse(&record).ok()?;
    let played = record.check(&*league.config.game).ok()?;
    let search = Options { table_mib: TABLE, ..Options::default() };
    let book = league.config.game.book().ok().flatten();
    let options = EngineOptions { search, book, ..EngineOptions::default() };
    let mut engine = league.config.game.engine(options);
    let context = Arc::clone(&league.stop).into();
    let mut reviewer = Reviewer { effort: EFFORT, context, ..Reviewer::new(&mut *engine) };
    reviewer.review(&GameToReview::new(&record, &played), &mut |_, _| ()).ok()?
}
