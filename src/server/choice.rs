//! The machine's move.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use serde::{Deserialize, Serialize};

use super::App;
use super::analysis::FORCE_TABLE_MIB;
use super::game_line::{Course, GameLine};
use super::on_page::OnPage;
use super::refusal::Refusal;
use super::searches::Stop;
use super::view::MoveView;
use super::worth::Worth;
use crate::cli::any_seed;
use crate::game::Game;
use crate::perfect::{EXACT_SHARE, Forcing, Perfect, Sought, TIE_NODES, Ties, plies_to_end};
use crate::player::{DEFAULT_TIME, PlayerSpec, Strength, UnknownPlayer};
use crate::score::Score;
use crate::search::{Clock, Limits, Search, Turn, Urgency};

/// What the page asks for a move.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// Who asks: a client has one search at a time.
    pub(super) client: String,
    pub(super) game: GameLine,
    /// Who is to move, as in [`PlayerSpec`].
    pub(super) player: String,
}

/// The move of a machine.
#[derive(Debug, Serialize)]
pub(super) struct Choice {
    #[serde(flatten)]
    mv: MoveView,
    /// What the machine thinks that the move is worth, if it thinks.
    worth: Option<Worth>,
    /// Where the move is from: `book`, `depth 7`.
    source: String,
}

type Found<M> = (M, Option<(Score, bool)>, String);

/// The kinds of players that the page may name.
const KINDS: [&str; 3] = ["human", "random", "machine"];

/// Who is to move, and how long he may think at most.
#[derive(Clone, Debug)]
pub(super) struct Thinker {
    spec: PlayerSpec,
    time: Duration,
}

impl Thinker {
    /// A player by its name, who thinks for `limit` at most.
    pub(super) fn new<P: OnPage>(
        name: &str,
        course: &Course<P>,
        limit: Duration,
    ) -> Result<Thinker, Refusal> {
        // Others are programs that a page must not start, nor even learn whether they are there.
        if !name.split(':').next().is_some_and(|kind| KINDS.contains(&kind)) {
            return Err(Refusal::input("only this program's own machines play here"));
        }
        let spec: PlayerSpec =
            name.parse().map_err(|unknown: UnknownPlayer| Refusal::input(unknown.to_string()))?;
        let time = match spec {
            PlayerSpec::Machine(Strength::Depth(depth)) if depth > P::MAX_DEPTH => {
                let why = format!("expected a depth from 1 to {}, found {depth}", P::MAX_DEPTH);
                return Err(Refusal::input(why));
            }
            PlayerSpec::Perfect { time, .. } => {
                plies_to_end(&course.position)
                    .map_err(|unlimited| Refusal::input(unlimited.to_string()))?;
                time
            }
            PlayerSpec::Machine(Strength::Time(time)) => Some(time),
            PlayerSpec::Machine(Strength::Default) => Some(DEFAULT_TIME),
            PlayerSpec::Machine(Strength::Depth(_)) | PlayerSpec::Random => None,
            // The check above leaves nobody else.
            _ => return Err(Refusal::input("a person chooses for himself")),
        };
        Ok(Thinker { spec, time: time.unwrap_or(limit).min(limit) })
    }

    /// After so long the machine is to do without what it can not prove by then.
    pub(super) fn patience(&self) -> Duration {
        self.time.mul_f64(EXACT_SHARE)
    }

    /// After so long it is to move in any case.
    pub(super) fn time(&self) -> Duration {
        self.time
    }
}

/// The machine's choice in the last position of a game; `None` when that is over.
pub(super) fn choose<P: OnPage>(
    app: &App<P>,
    course: &Course<P>,
    thinker: &Thinker,
    stop: &Stop,
) -> Option<Choice> {
    let Course { program, position, .. } = course;
    if position.outcome().is_some() || course.is_at_cap() {
        return None;
    }
    let turn = Arc::new(app.turns.begin(Urgency::Urgent));
    let (mv, score, source) = match thinker.spec {
        PlayerSpec::Machine(Strength::Depth(depth)) => {
            match app.book.as_ref().and_then(|book| book.at_depth(position, depth)) {
                Some((mv, score)) => (mv, Some((score, true)), "book".to_owned()),
                None => by_search(app, course, Limits::depth(depth), stop, turn)?,
            }
        }
        PlayerSpec::Machine(_) if plies_to_end(position).is_err() && app.searches.is_alone() => {
            by_force(app, course, thinker, stop)?
        }
        PlayerSpec::Machine(_) => {
            by_search(app, course, Limits::time(Clock::Wall, thinker.time), stop, turn)?
        }
        PlayerSpec::Perfect { ties, .. } => {
            if let Some((mv, score)) = app.book.as_ref().and_then(|book| book.best_move(position)) {
                (mv, Some((score, true)), "book".to_owned())
            } else {
                perfectly(app, course, ties, thinker, stop, turn)?
            }
        }
        PlayerSpec::Random => (
            position.legal_moves().choose(&mut StdRng::seed_from_u64(any_seed()))?,
            None,
            "chance".to_owned(),
        ),
        _ => return None,
    };
    let side = position.side_to_move();
    Some(Choice {
        mv: MoveView::new(program, position, mv),
        worth: score.map(|(score, proven)| Worth::new(program, side, score, proven)),
        source,
    })
}

fn by_search<P: OnPage>(
    app: &App<P>,
    course: &Course<P>,
    limits: Limits,
    stop: &Stop,
    turn: Arc<Turn>,
) -> Option<Found<<P::Game as Game>::Move>> {
    let mut search = app.search.sharing(course.program.evaluator());
    let limits = Limits { stop: Some(Arc::clone(&stop.now)), turn: Some(turn), ..limits };
    let report = search.best(&course.position, &limits)?;
    let source = format!("depth {}", report.depth);
    Some((report.best_move(), Some((report.score(), report.proven())), source))
}

/// As a machine plays on the clock that knows forced wins. It does not make way for others.
fn by_force<P: OnPage>(
    app: &App<P>,
    course: &Course<P>,
    thinker: &Thinker,
    stop: &Stop,
) -> Option<Found<<P::Game as Game>::Move>> {
    let mut search = app.search.sharing(course.program.evaluator());
    let sought = Sought {
        started: Instant::now(),
        time: thinker.time,
        likely: thinker.time,
        stop: Some(Arc::clone(&stop.now)),
    };
    let mut forcing = Forcing::new(course.program.tactics(true), FORCE_TABLE_MIB);
    let report = forcing.choose(&mut search, &course.position, &sought)?;
    let source = format!("depth {}", report.depth);
    Some((report.best_move(), Some((report.score(), report.proven())), source))
}

/// The best move there is, or what can be found in the time.
fn perfectly<P: OnPage>(
    app: &App<P>,
    course: &Course<P>,
    ties: Ties,
    thinker: &Thinker,
    stop: &Stop,
    turn: Arc<Turn>,
) -> Option<Found<<P::Game as Game>::Move>> {
    let start = Instant::now();
    let search = app.search.sharing(course.program.evaluator());
    let mut perfect = Perfect::from_search(search).with_ties(ties);
    let limits = Limits {
        stop: Some(Arc::clone(&stop.exact)),
        turn: Some(Arc::clone(&turn)),
        tie_nodes: Some(TIE_NODES),
        ..Limits::default()
    };
    // That the game has an end was asked before.
    let found = perfect.solve(&course.position, limits).ok().flatten();
    if let Some(choice) = found {
        return Some((choice.mv, Some((choice.score, true)), choice.source.to_string()));
    }
    let rest = thinker.time.saturating_sub(start.elapsed());
    by_search(app, course, Limits::time(Clock::Wall, rest), stop, turn)
}
