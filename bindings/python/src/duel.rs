//! Games and matches between the players of this package and Python callables, and reviews of recorded games.

use std::error::Error;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use plyground::search::Options;
use plyground_arena::matches::{
    Entrant, MatchConditions, MatchTally, draw_openings, play as play_match,
};
use plyground_arena::seat::{PlayerSetup, check_unattended, make_player};
use plyground_explain::review::{GameReview, GameToReview, ReviewEffort, Reviewer, summaries};
use plyground_host::player::{Answer, Player, PlayerSpec, Turn};
use plyground_host::record::{GameRecord, PlayerRecord};
use plyground_host::referee::{Conduct, PLY_CAP, PlayedGame, Silent, play};
use plyground_host::{EngineOptions, Fault, FaultCounts, HostedPosition, MoveText, SharedGame};
use plyground_sandbox::SandboxPolicy;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

use crate::engine::interruptible;
use crate::game::{Game, Position, expect_game, expect_start, game as game_of};
use crate::{is_whole, kind_of, seed as seed_of, threads, whole, wrong};

/// The greatest number of pairs of a match.
const MOST_PAIRS: u64 = 1_000_000;
/// The greatest length of an opening.
const MOST_OPENING_PLIES: u64 = 1_000;

/// A player: a player of this package by its name, or a Python callable.
struct Contestant {
    name: String,
    what: What,
}

enum What {
    Spec(PlayerSpec),
    Object(Py<PyAny>),
}

/// The reason why a match ended early.
type Halt = Box<dyn Error + Send + Sync>;

impl Contestant {
    fn new(game: &SharedGame, player: &Bound<'_, PyAny>) -> PyResult<Contestant> {
        if let Ok(text) = player.extract::<String>() {
            let spec: PlayerSpec = text.parse().map_err(wrong)?;
            check_unattended(&**game, &spec).map_err(wrong)?;
            if spec.is_external() {
                let why = "expected random, machine... or a callable: other people's programs play \
                           in the program `plyground`, which holds them in sandboxes";
                return Err(wrong(why));
            }
            return Ok(Contestant { name: text, what: What::Spec(spec) });
        }
        if !player.is_callable() {
            let why = format!("expected a player's name or a callable, found {player}");
            return Err(wrong(why));
        }
        let named = |attribute| player.getattr(attribute).ok()?.extract::<String>().ok();
        let name = match named("name").or_else(|| named("__name__")) {
            Some(name) => name,
            None => player.get_type().name()?.to_string(),
        };
        Ok(Contestant { name, what: What::Object(player.clone().unbind()) })
    }

    fn seat(&self, game: &Game, seed: u64, halt: &Arc<Exception>) -> Box<dyn Player> {
        match &self.what {
            What::Spec(spec) => {
                let game = game.shared();
                let book = game.book().ok().flatten();
                let engine = EngineOptions { book, ..EngineOptions::default() };
                let stop = Some(Arc::clone(&halt.stop));
                let policy = SandboxPolicy { stop, ..SandboxPolicy::default() };
                make_player(game, spec, PlayerSetup { engine, policy, seed, ..Default::default() })
            }
            What::Object(object) => {
                let object = Python::attach(|py| object.clone_ref(py));
                let (name, game, halt) = (self.name.clone(), game.clone(), Arc::clone(halt));
                Box::new(Callable { object, name, game, halt, plies: 0 })
            }
        }
    }

    fn record(&self) -> PlayerRecord {
        let player = match &self.what {
            What::Spec(_) => self.name.clone(),
            What::Object(_) => "python".to_owned(),
        };
        PlayerRecord { name: self.name.clone(), player }
    }
}

/// Returns a `RuntimeError`.
fn failed(why: impl Display) -> PyErr {
    PyRuntimeError::new_err(why.to_string())
}

fn record_text(played: &PlayedGame, players: [&Contestant; 2]) -> PyResult<String> {
    GameRecord::of(played, players.map(Contestant::record)).to_text().map_err(failed)
}

/// Plays a game from a position between two players, and returns its record.
#[pyfunction]
pub fn play_game(
    py: Python<'_>,
    start: &Bound<'_, PyAny>,
    first: &Bound<'_, PyAny>,
    second: &Bound<'_, PyAny>,
    seed: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let Position { position: start, game } = &expect_start(start)?;
    let seed = seed_of(seed)?;
    let players = [Contestant::new(game.shared(), first)?, Contestant::new(game.shared(), second)?];
    let halt = Arc::new(Exception::default());
    let played = interruptible(py, &halt.stop, || {
        let mut sides = [0, 1];
        let mut seats = sides
            .each_mut()
            .map(|side| players[*side].seat(game, seed.wrapping_add(*side as u64), &halt));
        let [one, other] = &mut seats;
        play(start, [&mut **one, &mut **other], &Conduct::default(), &mut Silent)
    })?;
    halt.check()?;
    let played = played.map_err(failed)?;
    record_text(&played, players.each_ref())
}

/// Plays pairs of games with the sides swapped, each pair from an opening of its own. Returns the records, pair by
/// pair; the numbers of games that A won, drew and lost; the numbers of games that A and B lost by a fault; and A's
/// Elo with its 95 % interval, if there is one.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the wrapper in Python names them")]
#[allow(clippy::type_complexity, reason = "the wrapper in Python names the parts")]
pub fn play_pairs(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pairs: &Bound<'_, PyAny>,
    opening_plies: &Bound<'_, PyAny>,
    seed: &Bound<'_, PyAny>,
    jobs: &Bound<'_, PyAny>,
) -> PyResult<(Vec<String>, (u64, u64, u64), (u64, u64), Option<(f64, f64, f64)>)> {
    let game = &expect_game(game)?;
    let players = [Contestant::new(game.shared(), a)?, Contestant::new(game.shared(), b)?];
    let pairs = whole("pairs", pairs, 0..=MOST_PAIRS)? as usize;
    let opening_plies = whole("opening_plies", opening_plies, 0..=MOST_OPENING_PLIES)? as u32;
    let seed = seed_of(seed)?;
    let jobs = NonZeroUsize::new(threads("jobs", jobs)?).unwrap_or(NonZeroUsize::MIN);
    let start = game.shared().start();
    let openings = draw_openings(&start, opening_plies, pairs, seed).map_err(|error| {
        let remedy = match error.found {
            0 => "fewer opening_plies",
            _ => "more opening_plies, or fewer pairs",
        };
        wrong(format_args!("{error}: ask for {remedy}"))
    })?;
    let conditions =
        MatchConditions { start, openings, seed, jobs, wall_limit: None, ply_cap: PLY_CAP };
    let halt = Arc::new(Exception::default());
    let seat = |entrant: Entrant, seed| players[entrant.index()].seat(game, seed, &halt);
    let result = interruptible(py, &halt.stop, || {
        let (mut tally, mut records) = (MatchTally::default(), Vec::new());
        play_match(&conditions, seat, &halt.stop, |pair| {
            tally.add(&pair);
            let seats = Entrant::SEATS.map(|seats| seats.map(|entrant| &players[entrant.index()]));
            records.extend(pair.games.into_iter().zip(seats));
            Ok::<_, Halt>(ControlFlow::Continue(()))
        })?;
        Ok::<_, Halt>((tally, records))
    })?;
    halt.check()?;
    let (tally, games) = result.map_err(failed)?;
    let records = games.iter().map(|(played, seats)| record_text(played, *seats));
    let counts = tally.games();
    let elo = tally.pairs.elo().map(|elo| (elo.mean, elo.lower, elo.upper));
    let faults = tally.faults.each_ref().map(FaultCounts::total).into();
    let counts = (counts.won, counts.drawn, counts.lost);
    Ok((records.collect::<PyResult<_>>()?, counts, faults, elo))
}

/// Reads the record of a game and replays it. Returns the record in the form of this package.
///
/// Raises `ValueError` with the line if the record is damaged, if a move is illegal, or if the ending does
/// not follow from the moves.
#[pyfunction]
pub fn read_record(text: &str) -> PyResult<String> {
    let record = GameRecord::parse(text).map_err(wrong)?;
    let game = game_of(&record.header.game, None)?;
    record.check(&**game.shared()).map_err(wrong)?;
    record.to_text().map_err(wrong)
}

/// The first exception of a player, which ends the game or match.
#[derive(Default)]
struct Exception {
    /// The flag that ends all games.
    stop: Arc<AtomicBool>,
    /// The first exception.
    first: Mutex<Option<PyErr>>,
}

impl Exception {
    fn raise(&self, error: PyErr) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns the exception as an error, if there is one.
    fn check(&self) -> PyResult<()> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.map_or(Ok(()), Err)
    }
}

/// A player that calls a Python object with the position and plays the returned move.
struct Callable {
    object: Py<PyAny>,
    name: String,
    game: Game,
    halt: Arc<Exception>,
    /// The number of moves so far.
    plies: usize,
}

impl Callable {
    /// Returns the move that the object chooses. Adds a note with the position to an exception, if Python has notes.
    fn call(&self, py: Python<'_>, position: &HostedPosition) -> PyResult<String> {
        let answer = self.object.bind(py).call1((self.game.at(position.clone()),));
        answer.and_then(|answer| self.text(&answer)).inspect_err(|error| {
            let (name, ply, state) = (&self.name, self.plies + 1, position.state_word());
            let note = format!("The player is {name}, at ply {ply}, in the position {state}");
            // Python 3.10 has no notes.
            let _ = error.value(py).call_method1("add_note", (note,));
        })
    }

    fn text(&self, answer: &Bound<'_, PyAny>) -> PyResult<String> {
        if let Ok(text) = answer.extract::<String>() {
            return Ok(text);
        }
        let (name, found) = (&self.name, kind_of(answer)?);
        let mut why = format!("expected a move as text from {name}, found {found}");
        if is_whole(answer) {
            why += &format!(
                ": position.text_of({answer}) is the move of the action {answer}, and \"{answer}\" \
                 the move `{answer}`"
            );
        }
        Err(PyTypeError::new_err(why))
    }
}

impl Player for Callable {
    /// Calls the object. An exception ends the game or the match, and is raised again in Python.
    fn choose_move(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let answer = Python::attach(|py| self.call(py, turn.position));
        self.plies += 1;
        match answer {
            Ok(text) => match turn.position.clone().play_text(&text) {
                Ok(mv) => Ok(Answer::Move(mv.into())),
                Err(illegal) => Err(Fault::IllegalMove { why: illegal.to_string() }),
            },
            Err(error) => {
                self.halt.raise(error);
                // The fault is `Quit`, because the game would be played again after a fault of the system.
                Err(Fault::Quit)
            }
        }
    }

    fn opponent_move(&mut self, _: &HostedPosition, _: MoveText) -> bool {
        self.plies += 1;
        true
    }

    fn force_move(&mut self, _: &HostedPosition, _: MoveText) -> bool {
        self.plies += 1;
        true
    }
}

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
    let record = GameRecord::parse_unfinished(text).map_err(wrong)?;
    let game = game_of(&record.header.game, None)?;
    let played = record.check(&**game.shared()).map_err(wrong)?;
    let game = played.start.game();
    let book = game.book().map_err(failed)?;
    let search = Options::default();
    let mut engine = game.engine(EngineOptions { search, book, ..EngineOptions::default() });
    let usual = ReviewEffort::of(&*game);
    let effort = ReviewEffort { solve: nodes.unwrap_or(usual.solve), ..usual };
    let mut reviewer = Reviewer { effort, ..Reviewer::new(&mut *engine) };
    let stop = Arc::clone(&reviewer.context.stop);
    let game = GameToReview::new(&record, &played);
    let review = interruptible(py, &stop, || reviewer.review(&game, &mut |_, _| ()))?;
    let review = review.map_err(wrong)?.ok_or_else(|| failed("the review was stopped"))?;
    Ok(review.to_json())
}

/// Returns the summaries of the players of these reviews, all as JSON.
///
/// Raises `ValueError` if a text is no review.
#[pyfunction]
pub fn summarize_reviews(reviews: Vec<String>) -> PyResult<String> {
    let read = |(index, text): (usize, &String)| {
        serde_json::from_str::<GameReview>(text).map_err(|error| {
            let why = format!("expected a review at index {index}, as review(record) makes it");
            wrong(format_args!("{why}: {error}"))
        })
    };
    let reviews = reviews.iter().enumerate().map(read).collect::<PyResult<Vec<_>>>()?;
    serde_json::to_string(&summaries(&reviews, None)).map_err(wrong)
}
