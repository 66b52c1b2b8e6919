//! Perfect play: by searches to the end in games of limited length, by forced wins in others.

mod forced_play;
mod solution;

use std::fmt;
use std::time::Duration;

use crate::book::Book;
use crate::clock::Instant;
use crate::game::Turn;
use crate::hints::{Evaluator, SearchHints};
use crate::proof::{NoTactics, Tactics};
use crate::search::{
    AlphaBeta, Clock, Limits, Line, Options, Report, Scope, Search, SearchContext,
};
use crate::value::Value;

pub use self::forced_play::{
    ForcedPlay, PlayTime, Prospect, Ties, TooManyPositions, plain_value, prospect,
};
pub use self::solution::{
    Aids, Refutation, Solution, Step, Task, Unlimited, plies_to_end, solve, verify,
};

/// The share of the time that the exact search may take before a shallower search gets the rest. A shallower
/// search needs little time, since every further ply takes a multiple of it.
pub const EXACT_SHARE: f64 = 0.75;

/// The default time for a move where no search looks to the end of the game. Tournaments allow
/// five seconds.
const UNLIMITED_TIME: Duration = Duration::from_secs(4);

/// The number of positions that may be visited, once the value is known, to find the other moves with this
/// value: a fraction of a second.
pub const TIE_NODES: u64 = 300_000;

/// The number of positions that may be visited to choose among the best moves.
const TEMPTATION_NODES: u64 = 600_000;

/// The source of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The book: the move is best.
    Book,
    /// A search to the end of the game: the move is best.
    Exact,
    /// A proof that one side wins, though perhaps sooner: the move wins, or all moves lose.
    Proof,
    /// A search that had finished this depth in plies when the time ran out.
    Depth(u32),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Book => f.write_str("book"),
            Source::Exact => f.write_str("exact search"),
            Source::Proof => f.write_str("proof"),
            Source::Depth(depth) => write!(f, "depth {depth}"),
        }
    }
}

/// A move and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestMove<M> {
    /// The move.
    pub mv: M,
    /// The value of the move, as the side that makes it sees it: exact from a book or an exact search,
    /// mostly a bound from a proof, and mostly an estimate from a depth.
    pub value: Value,
    /// The source of the move.
    pub source: Source,
    /// Positions visited to find it.
    pub nodes: u64,
}

/// A player that makes the best move: from the book, otherwise by a search to the end, otherwise, if its
/// time runs out, by the deepest search that was finished. Where no search looks to the end of the game, it
/// looks for forced wins, if it knows the game's tactics.
///
/// Among moves with the same exact value it prefers the one after which a fallible opponent is
/// likeliest to go wrong, unless [`Ties`] say otherwise.
///
/// ```
/// use plyground::perfect::{Perfect, Source};
/// use plyground::search::{Options, SearchContext};
/// use plyground::testing::TicTacToe;
/// use plyground::{Flat, Game, Score, Value};
///
/// let mut player = Perfect::new(Flat, Options { table_mib: 1, ..Options::default() }, None);
/// let mut position = TicTacToe::default();
/// for text in ["5", "2"] {
///     position.play(text.parse()?)?;
/// }
/// let best = player.choose(&position, None, &SearchContext::default())?.ok_or("over")?;
/// assert_eq!(best.value, Value::Exact(Score::win_in(5)));
/// assert_eq!(best.source, Source::Exact);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Perfect<E, T = NoTactics> {
    search: AlphaBeta<E>,
    forcing: ForcedPlay<T>,
    book: Option<Book>,
    ties: Ties,
}

impl<E> Perfect<E> {
    /// Makes a player that searches with `options`, with a book or without.
    pub fn new(evaluator: E, options: Options, book: Option<Book>) -> Perfect<E> {
        Perfect {
            forcing: ForcedPlay::new(NoTactics, options.table_mib),
            search: AlphaBeta::new(evaluator, options),
            book,
            ties: Ties::default(),
        }
    }
}

impl<E, T> Perfect<E, T> {
    /// Returns a player like this one, without a book and without tactics, that shares its transposition
    /// table.
    #[must_use]
    pub fn sharing(&self, evaluator: E) -> Perfect<E> {
        let forcing = ForcedPlay::new(NoTactics, 0);
        Perfect { search: self.search.sharing(evaluator), forcing, book: None, ties: self.ties }
    }

    /// Returns the same player, changed to look for forced wins with these tactics where no search looks to
    /// the end of the game, with a table of `table_mib` MiB.
    #[must_use]
    pub fn with_tactics<U>(self, tactics: U, table_mib: usize) -> Perfect<E, U> {
        let Perfect { search, book, ties, .. } = self;
        Perfect { search, forcing: ForcedPlay::new(tactics, table_mib), book, ties }
    }

    /// Returns the same player with this book, or without a book.
    #[must_use]
    pub fn with_book(self, book: Option<Book>) -> Perfect<E, T> {
        Perfect { book, ..self }
    }

    /// Sets the choice among equally good moves. It does not affect the moves in the entries of a book,
    /// which were chosen when the book was built.
    pub fn set_ties(&mut self, ties: Ties) {
        self.ties = ties;
    }

    /// Returns the book of the player.
    #[must_use]
    pub fn book(&self) -> Option<&Book> {
        self.book.as_ref()
    }

    /// Returns the options of the player's search.
    #[must_use]
    pub fn options(&self) -> &Options {
        self.search.options()
    }

    /// Returns the player's search.
    pub fn search_mut(&mut self) -> &mut AlphaBeta<E> {
        &mut self.search
    }

    /// Returns a move within this time: a forced win if one is found, otherwise the move that the search
    /// finds; see [`ForcedPlay::choose`].
    pub fn play_on_the_clock<G: SearchHints>(
        &mut self,
        position: &G,
        time: &PlayTime,
    ) -> Option<Report<G::Move>>
    where
        E: Evaluator<G>,
        T: Tactics<G>,
    {
        self.forcing.choose(&mut self.search, position, time, self.ties)
    }

    /// Returns a move in `position`, within `time` of wall-clock time if there is a limit; `None` if the
    /// game is over.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing limits the length of the game and the player knows no tactics for it.
    pub fn choose<G: SearchHints>(
        &mut self,
        position: &G,
        time: Option<Duration>,
        context: &SearchContext,
    ) -> Result<Option<BestMove<G::Move>>, Unlimited>
    where
        E: Evaluator<G>,
        T: Tactics<G>,
    {
        let plies = match plies_to_end(position) {
            Ok(plies) => plies,
            Err(_) if self.forcing.is_of_use(position) => {
                return Ok(self.choose_by_force(position, time, context));
            }
            Err(unlimited) => return Err(unlimited),
        };
        if position.outcome().is_some() {
            return Ok(None);
        }
        let start = Instant::now();
        let give_up_at = time.and_then(|time| start.checked_add(time.mul_f64(EXACT_SHARE)));
        if let Some(choice) = self.by_book(position, give_up_at, context) {
            return Ok(Some(choice));
        }
        let guess = self.book.as_ref().and_then(|book| book.value(position));
        let limits = Limits { context: context.clone(), ..Limits::default() };
        let exact = Limits { give_up_at, guess, tie_nodes: Some(TIE_NODES), ..limits.clone() };
        if let Some(choice) = self.solve(position, exact)? {
            return Ok(Some(choice));
        }
        let rest = time.map(|time| (Clock::Wall, time.saturating_sub(start.elapsed())));
        let limits = Limits { time: rest, depth: Some(plies), ..limits };
        Ok(self.search.best(position, &limits).map(|report| BestMove {
            mv: report.best_move(),
            value: report.best().value,
            source: if report.proven() { Source::Exact } else { Source::Depth(report.depth) },
            nodes: report.nodes,
        }))
    }

    /// Returns the move of the book in `position`, which must not be over: the move of its entry, otherwise
    /// the most tempting of the moves that are best by the values of all moves. `None` if the book has
    /// neither.
    pub fn by_book<G: SearchHints>(
        &mut self,
        position: &G,
        give_up_at: Option<Instant>,
        context: &SearchContext,
    ) -> Option<BestMove<G::Move>>
    where
        E: Evaluator<G>,
    {
        let book = self.book.as_ref()?;
        let source = Source::Book;
        if let Some((mv, score)) = book.best_move(position) {
            return Some(BestMove { mv, value: Value::Exact(score), source, nodes: 0 });
        }
        let (moves, score) = book.best_moves(position)?;
        let value = Value::Exact(score);
        let lines: Vec<_> = moves.into_iter().map(|mv| Line { value, pv: vec![mv] }).collect();
        let (mv, nodes) = self.most_tempting(position, &lines, give_up_at, context);
        Some(BestMove { mv, value, source, nodes })
    }

    /// Returns a move in `position` where no search looks to the end of the game.
    fn choose_by_force<G: SearchHints>(
        &mut self,
        position: &G,
        time: Option<Duration>,
        context: &SearchContext,
    ) -> Option<BestMove<G::Move>>
    where
        E: Evaluator<G>,
        T: Tactics<G>,
    {
        let time = time.unwrap_or(UNLIMITED_TIME);
        let context = context.clone();
        let time = PlayTime { started: Instant::now(), time, likely: time, context };
        let report = self.forcing.choose(&mut self.search, position, &time, self.ties)?;
        let value = report.best().value;
        let source = if value.is_estimate() { Source::Depth(report.depth) } else { Source::Proof };
        Some(BestMove { mv: report.best_move(), value, source, nodes: report.nodes })
    }

    /// Returns a best move in `position` by a search to the end, without the book; `None` if the game is
    /// over or if a limit was reached before a move was proven best. The depth of `limits` is ignored. With
    /// a limit for ties, the move is the most tempting of the moves that are found to be best.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing limits the length of the game.
    pub fn solve<G: SearchHints>(
        &mut self,
        position: &G,
        limits: Limits,
    ) -> Result<Option<BestMove<G::Move>>, Unlimited>
    where
        E: Evaluator<G>,
    {
        let limits = Limits { depth: Some(plies_to_end(position)?), ..limits };
        let found = self.search.search(position, &limits, Scope::BestMoves, &mut |_| ());
        Ok(found.filter(Report::proven).map(|report| BestMove {
            mv: self.most_tempting(position, &report.lines, limits.give_up_at, &limits.context).0,
            value: report.value,
            source: Source::Exact,
            nodes: report.nodes,
        }))
    }

    /// Returns the move of `lines` with the best prospect, among the moves whose prospect is found in time,
    /// and the number of positions visited to choose.
    fn most_tempting<G: SearchHints>(
        &mut self,
        position: &G,
        lines: &[Line<G::Move>],
        give_up_at: Option<Instant>,
        context: &SearchContext,
    ) -> (G::Move, u64)
    where
        E: Evaluator<G>,
    {
        let first = lines[0].first_move();
        if lines.len() == 1 || self.ties == Ties::First {
            return (first, 0);
        }
        let (mut best, mut nodes) = ((first, f64::NEG_INFINITY), TEMPTATION_NODES);
        for line in lines {
            let mv = line.first_move();
            let (patience, context) = (Some(nodes), context.clone());
            let limits = Limits { give_up_at, patience, context, ..Limits::default() };
            let next = position.after(mv);
            // A move that keeps the turn does not put the opponent to the test yet.
            if !Turn::between(position, &next).changes() {
                continue;
            }
            let (book, value) = (self.book.as_ref(), -line.score());
            let prospect = prospect(&mut self.search, book, &next, value, &limits);
            let Some(prospect) = prospect else { break };
            // Strictly greater, so that the first among equals is kept.
            if prospect.sum() > best.1 {
                best = (mv, prospect.sum());
            }
            nodes -= prospect.nodes.min(nodes);
        }
        (best.0, TEMPTATION_NODES - nodes)
    }
}
