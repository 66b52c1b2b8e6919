//! The background work of the server of a league, each kind in a thread of its own until the league stops:
//!
//! * A [`Builder`] prepares and builds uploads in a sandbox, and makes the visible checks.
//! * `play_here` plays games on this machine.
//! * `review_games` makes one review after the other: first the requested reviews; then, while there is nothing to
//!   build and nothing to play, reviews of the last losses of all players, so that the page of a player shows the cost
//!   of each loss.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use plyground::search::Options;
use plyground_arena::programs::{ProgramOptions, settle_level};
use plyground_arena::second_try::Gate;
use plyground_durable::lock::LockError;
use plyground_durable::one_line;
use plyground_explain::review::{GameReview, GameToReview, ReviewEffort, Reviewer};
use plyground_grading::grade::{
    CheckStatus, Examinee, GradeResults, Grader, OUT_OF_TIME, Reader, Visibility, draw_checks,
    parse_checks, read_checks, results_text, select_checks,
};
use plyground_grading::submissions::{
    AttemptChoice, BuildLimits, BuildOptions, PrepareError, PrepareOptions, UnpackLimits,
    prepare_submission,
};
use plyground_host::external::{Lack, PreparedStatus, PreparedSubmission};
use plyground_host::record::GameRecord;
use plyground_host::{EngineOptions, MoveText};
use plyground_sandbox::ByteSize;

use crate::care::size_of;
use crate::league::{CODE, HERE, LARGEST, League, prepared, uploads};
use crate::playing::{Failures, Table, rest, submission};
use crate::store::people::Person;
use crate::store::{
    GameRow, LONGEST_WAIT, Played, Recent, Review, Role, StoreError, Version, VersionState,
};

/// The time of a build.
const BUILD_TIME: Duration = Duration::from_secs(60);

/// The pause of a builder that has nothing to build.
const BUILD_PAUSE: Duration = Duration::from_millis(200);

/// A builder, which builds and checks the uploads to a league, in several threads if necessary.
pub struct Builder<'a> {
    league: &'a League,
    gate: Arc<Gate>,
    /// The grader, or the reason why the checks cannot be made.
    grader: OnceLock<Result<Grader, String>>,
}

/// The result of a build.
struct Built {
    state: VersionState,
    why: String,
    language: String,
    results: Option<GradeResults>,
}

impl<'a> Builder<'a> {
    /// Creates a builder, whose checks pass the same `gate` as the games.
    #[must_use]
    pub fn new(league: &'a League, gate: Arc<Gate>) -> Builder<'a> {
        Builder { league, gate, grader: OnceLock::new() }
    }

    /// Checks the settings of the checks.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of the checks is invalid, or if there is no check of a given name.
    pub fn check_settings(&self) -> Result<(), String> {
        self.grader.get_or_init(|| self.new_grader()).as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Builds uploads until the league stops.
    pub fn run(&self) {
        while !self.league.is_stopped() {
            if !matches!(self.build_next(), Ok(true)) {
                thread::sleep(BUILD_PAUSE);
            }
        }
    }

    /// Builds the next version that waits. Returns false if no version waits.
    ///
    /// # Errors
    ///
    /// Returns an error of the database; the version then waits again after a restart.
    pub fn build_next(&self) -> Result<bool, StoreError> {
        let store = &self.league.store;
        let Some(version) = store.write(|db| Version::take_waiting(db))? else { return Ok(false) };
        // If the computer fails at a build, the build is tried once more.
        let built = self.build(&version).or_else(|_| self.build(&version));
        let Built { state, why, language, results } = match built {
            Ok(built) => built,
            Err(_) if self.league.is_stopped() => return Ok(false),
            Err(why) => Built {
                state: VersionState::Refused,
                why: format!("the server could not build it, which is not your fault: {why}"),
                language: String::new(),
                results: None,
            },
        };
        // Serializing strings and numbers never fails.
        let results = results.and_then(|results| serde_json::to_string(&results).ok());
        store.write(|db| {
            let now = self.league.clock.now();
            version.set_built(db, state, (&why, &language), results.as_deref(), now)
        })?;
        Ok(true)
    }

    fn build(&self, version: &Version) -> Result<Built, String> {
        let content = version.content.as_deref().ok_or("it has no files")?;
        let league = self.league;
        let source = source(&uploads(league.folder()).join(content))?;
        let out = prepared(league.folder(), content);
        let options = PrepareOptions {
            out: out.clone(),
            overrides: None,
            program: league.config.program.clone(),
            given: league.config.game.java_given(),
            unpack: UnpackLimits::default(),
            build: BuildOptions {
                limits: BuildLimits {
                    time: BUILD_TIME,
                    memory: ByteSize::gib(2),
                    ..BuildLimits::default()
                },
                level: settle_level(league.config.sandbox).map_err(|why| why.to_string())?,
                stop: Some(Arc::clone(&league.stop)),
            },
            attempt: AttemptChoice::default(),
            keep: true,
            again: false,
            jobs: NonZeroUsize::MIN,
        };
        let found = loop {
            match prepare_submission(CODE, &source, &options) {
                // Another thread builds the same files, which were uploaded twice.
                Err(PrepareError::Lock(LockError::Busy { .. })) if !league.is_stopped() => {
                    thread::sleep(BUILD_PAUSE);
                }
                prepared => break prepared.map_err(|why| why.to_string())?,
            }
        };
        let PreparedSubmission { status, why, language, lacks, .. } = found;
        if status != PreparedStatus::Ready {
            let is_elsewhere =
                status == PreparedStatus::Lacking && !lacks.iter().any(Lack::is_beside);
            // The remedies of the preparation are those of an instructor.
            let why = match is_elsewhere {
                true => format!(
                    "this server lacks {}: hand in the file if you forgot it, or ask your instructor to install it",
                    Lack::all(&lacks)
                ),
                false => why,
            };
            let why = one_line(&format!("{}: {why}", status.words()));
            return Ok(Built { state: VersionState::Refused, why, language, results: None });
        }
        let size = size_of(&out.join(CODE)).map_err(|why| why.to_string())?;
        if size > LARGEST.0 {
            let why = format!(
                "it has {} with its packages and its build: expected at most {LARGEST}, since other \
                 machines fetch it",
                ByteSize(size)
            );
            return Ok(Built { state: VersionState::Refused, why, language, results: None });
        }
        let results = self.check(&out.join(CODE))?;
        // A program without a move would replace a version that plays, and lose every game.
        let refused = results.as_ref().and_then(|results| {
            let stuck = results.never_moved.as_ref().map(|why| format!("it never moved: {why}"));
            results.not_started.clone().or(stuck)
        });
        let state = match refused {
            Some(_) => VersionState::Refused,
            None => VersionState::Ready,
        };
        let why = refused.map_or_else(|| results.as_ref().map(summary), Some);
        Ok(Built { state, why: why.unwrap_or_default(), language, results })
    }

    fn check(&self, path: &Path) -> Result<Option<GradeResults>, String> {
        let grader = self.grader.get_or_init(|| self.new_grader());
        let grader = grader.as_ref().map_err(Clone::clone)?;
        let folder = submission(path, CODE)?;
        let player = self.league.config.player.of_submission(&folder);
        let examinee = Examinee { player, log: "log".to_owned() };
        let results = grader.grade(&examinee).map_err(|why| why.to_string())?;
        let build_log = folder.build_log();
        Ok(Some(GradeResults { build_log, ..results }))
    }

    fn new_grader(&self) -> Result<Grader, String> {
        let config = &self.league.config;
        let mut checks = match &config.checks {
            Some(path) => read_checks(&*config.game, path).map_err(|why| why.to_string())?,
            None => parse_checks(config.game.checks()).map_err(|why| why.to_string())?,
        };
        checks.retain(|check| check.visibility == Visibility::Visible);
        if let Some(names) = &config.check_only {
            select_checks(&mut checks, names).map_err(|why| why.to_string())?;
        }
        let programs = ProgramOptions {
            limits: config.limits.clone(),
            sandbox: config.sandbox,
            ..ProgramOptions::default()
        };
        // The same positions for all, because a new seed at each upload would reveal more and more of the positions.
        let seed = 1;
        let checks = draw_checks(&*config.game, &checks, seed).map_err(|why| why.to_string())?;
        Ok(Grader {
            game: config.game.clone(),
            checks,
            programs,
            seed,
            total: config.check_time,
            gate: Arc::clone(&self.gate),
            reviewed: 0,
        })
    }
}

/// Returns the submission of an upload: its only file, or its folder.
fn source(upload: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(upload).map_err(|error| format!("the upload: {error}"))?;
    let entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    match &entries[..] {
        [one] if one.is_file() => Ok(one.clone()),
        _ => Ok(upload.to_owned()),
    }
}

/// Returns a line about the results of the checks, with the name of the first failed check.
fn summary(results: &GradeResults) -> String {
    let failed: Vec<&str> = results
        .checks
        .iter()
        .filter(|check| check.max_score > 0.0 && check.status() == CheckStatus::Failed)
        .map(|check| check.name.as_str())
        .collect();
    let (score, most) = (results.score(), results.max_score());
    if results.marks.iter().any(|mark| mark == OUT_OF_TIME) {
        return format!("{score} of {most}; the time was over before all checks were made");
    }
    match &failed[..] {
        [] if results.checks.is_empty() => "built; there are no checks".to_owned(),
        [] => format!("all points: {score} of {most}"),
        [one] => format!("{score} of {most}; not all points for `{one}`"),
        [first, more @ ..] => {
            format!("{score} of {most}; not all points for `{first}` and {} more", more.len())
        }
    }
}

/// Returns the state of a version and its results as text for the owner.
#[must_use]
pub fn answer(version: &Version) -> String {
    let number = version.number;
    let head = match version.state {
        VersionState::Waiting => format!("Version {number} waits for its build.\n"),
        VersionState::Building => format!("Version {number} is being built and checked.\n"),
        VersionState::PassedOver => format!("Version {number} was passed over: {}.\n", version.why),
        VersionState::Refused => format!("Version {number} cannot play: {}\n", version.why),
        VersionState::Ready => match &version.benched {
            Some(why) => format!("Version {number} is benched: {why}\n"),
            None => format!("Version {number} plays. {}\n", version.why),
        },
    };
    let results = version.results.as_deref();
    let results = results.and_then(|text| serde_json::from_str::<GradeResults>(text).ok());
    match results {
        None => head,
        Some(results) => {
            let name = format!("Version {number}");
            format!("{head}\n{}", results_text(&name, &results, Reader::Student))
        }
    }
}

/// The pause of a thread that has nothing to play or to review.
const PAUSE: Duration = Duration::from_millis(500);

/// Plays games of the league on this machine until it stops. Builds come first because a person waits for the answer:
/// while an upload holds the games, the next game waits for [`LONGEST_WAIT`] after the last, and no longer, so that no
/// number of uploads can stop the games. The `failures` are those of all threads that play.
pub(crate) fn play_here(league: &League, gate: &Arc<Gate>, failures: &Failures) {
    let table = Table {
        game: league.config.game.clone(),
        gate: Arc::clone(gate),
        stop: Arc::clone(&league.stop),
    };
    let mut free_since = Instant::now();
    while !league.is_stopped() {
        // An error of the database may pass, for example when a full disk has room again.
        let taken = match league.holds_games() {
            Ok(true) if free_since.elapsed() < LONGEST_WAIT => Ok(None),
            _ => league.take_here(),
        };
        let Ok(Some(order)) = taken else {
            thread::sleep(PAUSE);
            continue;
        };
        let place = |content: &str| prepared(league.folder(), content).join(CODE);
        let mut show = |moves: &[MoveText]| {
            league.show_moves(order.game, moves.iter().map(ToString::to_string).collect());
        };
        let given = match table.play(&order, &place, &mut show) {
            Ok(outcome) => {
                failures.forget();
                league.give(HERE, &outcome)
            }
            Err(_) if league.is_stopped() => return league.abandon(order.game),
            Err(why) => {
                let (text, seat) = (why.to_string(), why.seat());
                let given = league.give_up(HERE, order.game, &order.lease, Some(&text), seat);
                if seat.is_none() {
                    rest(&league.stop, failures.add().1);
                }
                given
            }
        };
        if given.is_err() {
            league.abandon(order.game);
            thread::sleep(PAUSE);
        }
        free_since = Instant::now();
    }
}

/// The effort of a review: a few seconds at most, because there are many reviews.
const EFFORT: ReviewEffort =
    ReviewEffort { solve: 10_000_000, proof: 500, estimate: 2_000, sight: 50_000, line: 20_000 };

/// The memory for the transposition table of a review, in MiB.
const REVIEW_TABLE: usize = 32;

/// The number of pauses after which a reviewer without work looks for losses.
const LOOK: u32 = 20;

/// The number of the last losses of a player that are reviewed.
const LOSSES: usize = 10;

/// Returns the last games that a person lost without a fault, each with its review.
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

/// Asks for the reviews of the last losses of a person. The reviews count as requests of the person `asks`, if there
/// is one.
///
/// # Errors
///
/// Returns an error if too many reviews for `asks` wait already, or an error of the database.
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

/// Asks for the review of a loss without a review, if there is nothing to build and nothing to play.
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
    let made = reviewed(league, game);
    if league.is_stopped() {
        return;
    }
    let text = made.and_then(|review| serde_json::to_string(&review).ok()).unwrap_or_default();
    if league.store.write(|db| Review::keep(db, game, &text)).is_err() {
        thread::sleep(PAUSE);
    }
}

fn reviewed(league: &League, game: i64) -> Option<GameReview> {
    let row = league.store.read(|db| GameRow::find(db, game)).ok()??;
    let record = league.store.read(|db| row.record(db)).ok()??;
    let record = GameRecord::parse(&record).ok()?;
    let played = record.check(&*league.config.game).ok()?;
    let search = Options { table_mib: REVIEW_TABLE, ..Options::default() };
    let book = league.config.game.book().ok().flatten();
    let options = EngineOptions { search, book, ..EngineOptions::default() };
    let mut engine = league.config.game.engine(options);
    let context = Arc::clone(&league.stop).into();
    let mut reviewer = Reviewer { effort: EFFORT, context, ..Reviewer::new(&mut *engine) };
    reviewer.review(&GameToReview::new(&record, &played), &mut |_, _| ()).ok()?
}
