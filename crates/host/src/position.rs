//! A position of any game.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use plyground::trace::{Counts, TraceOptions};
use plyground::{Game, Outcome, SearchHints, Side, Term, Value};
use rand::rngs::StdRng;
use thiserror::Error;

use crate::explanation::{ExplainRequest, Explanation};
use crate::foresight::Promise;
use crate::game::SharedGame;
use crate::move_text::MoveText;
use crate::page::{Path, Picture};
use plyground_durable::excerpt;

/// A position of any game, with everything that people and programs are told about it. Cheap to
/// clone.
///
/// It has the methods of [`Game`], so that generic code such as [`perft`](plyground::perft::perft)
/// runs on it; moves are [`MoveText`].
#[derive(Clone)]
pub struct HostedPosition(Arc<dyn ErasedPosition>);

/// Why a move is illegal, with the move in it, as one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Illegal(String);

impl Illegal {
    pub(crate) fn new(why: impl fmt::Display) -> Illegal {
        Illegal(why.to_string())
    }
}

/// What a typed position supplies behind the boundary; [`Hosted`](crate::Hosted) implements it.
///
/// Every `mv` is a legal move unless said otherwise.
pub(crate) trait ErasedPosition: Any + Send + Sync {
    fn game(&self) -> SharedGame;
    /// The typed position.
    fn typed(&self) -> &dyn Any;
    fn equals(&self, other: &dyn Any) -> bool;
    fn side_to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
    fn legal_moves(&self) -> Vec<MoveText>;
    fn parse_move(&self, text: &str) -> Option<MoveText>;
    /// The position after any move, if it is legal.
    fn after(&self, mv: MoveText) -> Result<HostedPosition, Illegal>;
    fn check_legal(&self, mv: MoveText) -> Result<(), Illegal>;
    fn key(&self) -> u64;
    fn plies_left(&self) -> Option<u32>;
    fn points(&self) -> Option<[i32; 2]>;
    fn perft(&self, depth: u32) -> u64;
    fn after_random_moves(&self, rng: &mut StdRng, most: usize) -> (Vec<MoveText>, HostedPosition);
    fn best_moves(&self, plies: u32) -> (Vec<MoveText>, Promise);
    fn margins(&self, plies: u32) -> Option<Vec<(MoveText, i32)>>;
    fn explain(&self, request: &ExplainRequest) -> Option<Explanation>;
    fn trace_counts(&self, options: &TraceOptions, most: u64) -> Option<Counts>;
    fn terms(&self) -> Vec<Term>;
    fn is_pass(&self, mv: MoveText) -> bool;
    fn move_code(&self, mv: MoveText) -> usize;
    fn canonical_code(&self, code: usize) -> usize;
    fn state(&self) -> String;
    fn text(&self, kind: Text) -> String;
    fn doubt(&self) -> Option<String>;
    fn announce(&self, mv: MoveText) -> String;
    fn drawing(&self, last: Option<MoveText>) -> String;
    fn values(&self, values: &[(MoveText, i32)]) -> String;
    fn verdict(&self, value: i32) -> String;
    fn forced_win(&self, winner: Side, plies: u32) -> String;
    fn picture(&self) -> Picture;
    fn path(&self, mv: MoveText) -> Path;
    fn move_at(&self, from: Option<usize>, to: usize) -> Option<MoveText>;
}

/// The texts that depend on the position alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    Display,
    Board,
    Prompt,
    Turn,
    Ending,
    Result,
    Reason,
}

impl HostedPosition {
    pub(crate) fn new(position: impl ErasedPosition) -> HostedPosition {
        HostedPosition(Arc::new(position))
    }

    /// The position as the type that its game has for it, if that is `G`.
    #[must_use]
    pub fn typed<G: 'static>(&self) -> Option<&G> {
        self.0.typed().downcast_ref()
    }

    /// The game, with the rules by which the position is played.
    #[must_use]
    pub fn game(&self) -> SharedGame {
        self.0.game()
    }

    /// The move that `text` stands for, in its canonical notation, whether legal or not; `None` if
    /// it stands for none.
    #[must_use]
    pub fn parse_move(&self, text: &str) -> Option<MoveText> {
        self.0.parse_move(text)
    }

    /// Plays a text, if it is a legal move.
    ///
    /// # Errors
    ///
    /// Why it is not, as one line: `` `x` is no move ``, or why the move is illegal.
    pub fn play_text(&mut self, text: &str) -> Result<MoveText, Illegal> {
        let not_a_move = || Illegal(format!("`{}` is no move", excerpt(text)));
        let mv = self.parse_move(text).ok_or_else(not_a_move)?;
        self.play(mv)?;
        Ok(mv)
    }

    /// Whether the game is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    /// The lines of the state file, separated by LF, with none after the last: the side to move.
    #[must_use]
    pub fn state(&self) -> String {
        self.0.state()
    }

    /// The state file as one word, its lines joined by `/`.
    #[must_use]
    pub fn state_word(&self) -> String {
        self.state().replace('\n', "/")
    }

    /// Why a position that can be played on can hardly come from a game, if so.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        self.0.doubt()
    }

    /// The number of sequences of exactly `depth` legal moves, as
    /// [`perft`](plyground::perft::perft) counts them, but faster.
    #[must_use]
    pub fn perft(&self, depth: u32) -> u64 {
        self.0.perft(depth)
    }

    /// Plays legal moves, each as likely as any other, until there are `most` or the game is over.
    #[must_use]
    pub fn after_random_moves(
        &self,
        rng: &mut StdRng,
        most: usize,
    ) -> (Vec<MoveText>, HostedPosition) {
        self.0.after_random_moves(rng, most)
    }

    /// The legal moves that promise most within so many plies, 1 for the own move alone, and what
    /// they promise, by the rules alone: what any correct search of that depth sees.
    #[must_use]
    pub fn best_moves(&self, plies: u32) -> (Vec<MoveText>, Promise) {
        self.0.best_moves(plies)
    }

    /// The legal moves, each with the number of points by which the side to move is ahead after so
    /// many plies, 1 for the own move alone, played as well as that allows; `None` in a game without
    /// points.
    #[must_use]
    pub fn margins(&self, plies: u32) -> Option<Vec<(MoveText, i32)>> {
        self.0.margins(plies)
    }

    /// A search of the position by plain alpha-beta or minimax, step by step; `None` if it would enter
    /// more positions than it may.
    #[must_use]
    pub fn explain(&self, request: &ExplainRequest) -> Option<Explanation> {
        self.0.explain(request)
    }

    /// How large such a search is; `None` if it would enter more than `most` positions.
    #[must_use]
    pub fn trace_counts(&self, options: &TraceOptions, most: u64) -> Option<Counts> {
        self.0.trace_counts(options, most)
    }

    /// What the evaluation of the position, which is not over, is made of.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        self.0.terms()
    }

    /// The position as people look at it, with the score if the game has one. Ends with a line end.
    #[must_use]
    pub fn board(&self) -> String {
        self.0.text(Text::Board)
    }

    /// The position as a game between two players shows it, after `last` if a move was made. May
    /// hold escape sequences of a terminal, without which it says no less. Ends with a line end.
    #[must_use]
    pub fn drawing(&self, last: Option<MoveText>) -> String {
        self.0.drawing(last)
    }

    /// Asks the side to move for a move, without the colon: `White, choose a square`.
    #[must_use]
    pub fn prompt(&self) -> String {
        self.0.text(Text::Prompt)
    }

    /// Says that `mv` is made, before it is: `move 13: Player 1, column 4`.
    #[must_use]
    pub fn announce(&self, mv: MoveText) -> String {
        self.0.announce(mv)
    }

    /// Says whose turn it is: `White is to move.`
    #[must_use]
    pub fn turn(&self) -> String {
        self.0.text(Text::Turn)
    }

    /// Why the game, which is over, has ended, as a line of its own: `BOARD FULL`.
    #[must_use]
    pub fn ending(&self) -> String {
        self.0.text(Text::Ending)
    }

    /// The result of the game, which is over, as a sentence.
    #[must_use]
    pub fn result(&self) -> String {
        self.0.text(Text::Result)
    }

    /// Why the game, which is over, has ended, in a few words: `board full, 3 to 3`.
    #[must_use]
    pub fn reason(&self) -> String {
        self.0.text(Text::Reason)
    }

    /// The exact values of the legal moves as people look at them. Ends with a line end.
    #[must_use]
    pub fn values(&self, values: &[(MoveText, i32)]) -> String {
        self.0.values(values)
    }

    /// What best play comes to, where `value` is the position's to the side to move.
    #[must_use]
    pub fn verdict(&self, value: i32) -> String {
        self.0.verdict(value)
    }

    /// Says that `winner` wins within this many plies, whatever the opponent does.
    #[must_use]
    pub fn forced_win(&self, winner: Side, plies: u32) -> String {
        self.0.forced_win(winner, plies)
    }

    /// What the page shows of the position.
    #[must_use]
    pub fn picture(&self) -> Picture {
        self.0.picture()
    }

    /// The cells of a legal move on the page.
    #[must_use]
    pub fn path(&self, mv: MoveText) -> Path {
        self.0.path(mv)
    }

    /// The move that people make by choosing a cell of the page, after another cell `from` where a
    /// piece is moved. It may be illegal. `None` where there is nothing to say.
    #[must_use]
    pub fn move_at(&self, from: Option<usize>, to: usize) -> Option<MoveText> {
        self.0.move_at(from, to)
    }

    /// The value of the position if the game is over.
    #[must_use]
    pub fn final_value(&self) -> Option<Value> {
        let outcome = self.outcome()?;
        Some(Value::Exact(self.game().score(outcome, self.side_to_move(), 0)))
    }
}

impl Game for HostedPosition {
    type Move = MoveText;
    type IllegalMove = Illegal;

    /// The name of the game itself is [`HostedGame::name`](crate::HostedGame::name).
    const NAME: &'static str = "hosted";

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn legal_moves(&self) -> impl Iterator<Item = MoveText> {
        // The filter hides how many there are: by the same seed, `rand` draws the same move as from
        // the game's own iterator, which does not know either.
        self.0.legal_moves().into_iter().filter(|_| true)
    }

    fn check_legal(&self, mv: MoveText) -> Result<(), Illegal> {
        self.0.check_legal(mv)
    }

    /// An illegal move leaves the position as it is.
    fn play_unchecked(&mut self, mv: MoveText) {
        if let Ok(next) = self.0.after(mv) {
            *self = next;
        }
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn plies_left(&self) -> Option<u32> {
        self.0.plies_left()
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.0.points()
    }

    fn is_pass(&self, mv: MoveText) -> bool {
        self.0.is_pass(mv)
    }
}

impl SearchHints for HostedPosition {
    const MOVE_CODES: usize = u16::MAX as usize;

    fn move_code(&self, mv: MoveText) -> usize {
        self.0.move_code(mv)
    }

    fn canonical_code(&self, code: usize) -> usize {
        self.0.canonical_code(code)
    }
}

impl PartialEq for HostedPosition {
    fn eq(&self, other: &HostedPosition) -> bool {
        self.0.equals(other.0.typed())
    }
}

impl Eq for HostedPosition {}

/// The board, a line for every row, as the rules show it.
impl fmt::Display for HostedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text(Text::Display))
    }
}

impl fmt::Debug for HostedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HostedPosition").field(&self.state_word()).finish()
    }
}
