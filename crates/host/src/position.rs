//! The answers of a position of any game.

use std::fmt;
use std::sync::Arc;

use plyground::trace::{Counts, TraceOptions};
use plyground::{Game, Outcome, SearchHints, Side, Term, Value};
use plyground_durable::excerpt;
use rand::rngs::StdRng;

use crate::analysis::Promise;
use crate::engine::ExplainRequest;
use crate::game::{ErasedPosition, Explanation, HostedPosition, Illegal, SharedGame, Text};
use crate::move_text::MoveText;
use crate::page::{Path, Picture};

impl HostedPosition {
    pub(crate) fn new(position: impl ErasedPosition) -> HostedPosition {
        HostedPosition(Arc::new(position))
    }

    /// Returns the position as its typed game, if that is `G`.
    #[must_use]
    pub fn typed<G: 'static>(&self) -> Option<&G> {
        self.0.typed().downcast_ref()
    }

    /// Returns the game, with the rules by which the position is played.
    #[must_use]
    pub fn game(&self) -> SharedGame {
        self.0.game()
    }

    /// Returns the move of `text` in its canonical notation, whether it is legal or not, or `None` if the
    /// text is not a move.
    #[must_use]
    pub fn parse_move(&self, text: &str) -> Option<MoveText> {
        self.0.parse_move(text)
    }

    /// Plays the move of a text, if it is legal.
    ///
    /// # Errors
    ///
    /// Returns the reason as one line: `` `x` is no move ``, or why the move is illegal.
    pub fn play_text(&mut self, text: &str) -> Result<MoveText, Illegal> {
        let not_a_move = || Illegal::new(format!("`{}` is no move", excerpt(text)));
        let mv = self.parse_move(text).ok_or_else(not_a_move)?;
        self.play(mv)?;
        Ok(mv)
    }

    /// If true, the game is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    /// Returns the lines of the state file, separated by LF, with no LF after the last: the side to move.
    #[must_use]
    pub fn state(&self) -> String {
        self.0.state()
    }

    /// Returns the state file as one word, its lines joined by `/`.
    #[must_use]
    pub fn state_word(&self) -> String {
        self.state().replace('\n', "/")
    }

    /// Returns the reason why a playable position can hardly come from a game, if there is one.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        self.0.doubt()
    }

    /// Returns the number of sequences of exactly `depth` legal moves, as [`perft`](plyground::perft::perft)
    /// counts them, but faster.
    #[must_use]
    pub fn perft(&self, depth: u32) -> u64 {
        self.0.perft(depth)
    }

    /// Plays legal moves, each with the same probability, until `most` are played or the game is over.
    #[must_use]
    pub fn after_random_moves(
        &self,
        rng: &mut StdRng,
        most: usize,
    ) -> (Vec<MoveText>, HostedPosition) {
        self.0.after_random_moves(rng, most)
    }

    /// Returns the legal moves that promise the most within this many plies, and their promise, by the rules
    /// alone: any correct search of that depth sees it. One ply is the side's own move alone.
    #[must_use]
    pub fn best_moves(&self, plies: u32) -> (Vec<MoveText>, Promise) {
        self.0.best_moves(plies)
    }

    /// Returns the legal moves, each with the margin in points of the side to move after this many plies of
    /// best play, or `None` in a game without points. One ply is the side's own move alone.
    #[must_use]
    pub fn margins(&self, plies: u32) -> Option<Vec<(MoveText, i32)>> {
        self.0.margins(plies)
    }

    /// Searches the position by plain alpha-beta or minimax and returns every step, or `None` if the search
    /// would enter more positions than it may.
    #[must_use]
    pub fn explain(&self, request: &ExplainRequest) -> Option<Explanation> {
        self.0.explain(request)
    }

    /// Returns the size of such a search, or `None` if it would enter more than `most` positions.
    #[must_use]
    pub fn trace_counts(&self, options: &TraceOptions, most: u64) -> Option<Counts> {
        self.0.trace_counts(options, most)
    }

    /// Returns the terms of the evaluation of the position, which must not be over.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        self.0.terms()
    }

    /// Returns the position as people look at it, with the score if the game has one. Ends with a line end.
    #[must_use]
    pub fn board(&self) -> String {
        self.0.text(Text::Board)
    }

    /// Returns the position as a game between two players shows it, after the move `last` if there is one.
    /// The drawing may contain escape sequences of a terminal, and says the same without them. Ends with a
    /// line end.
    #[must_use]
    pub fn drawing(&self, last: Option<MoveText>) -> String {
        self.0.drawing(last)
    }

    /// Returns the prompt for a move, without the colon: `White, choose a square`.
    #[must_use]
    pub fn prompt(&self) -> String {
        self.0.text(Text::Prompt)
    }

    /// Returns the announcement of `mv`, for before the move: `move 13: Player 1, column 4`.
    #[must_use]
    pub fn announce(&self, mv: MoveText) -> String {
        self.0.announce(mv)
    }

    /// Returns the sentence that names the side to move: `White is to move.`
    #[must_use]
    pub fn turn(&self) -> String {
        self.0.text(Text::Turn)
    }

    /// Returns the reason why the finished game has ended, as a line of its own: `BOARD FULL`.
    #[must_use]
    pub fn ending(&self) -> String {
        self.0.text(Text::Ending)
    }

    /// Returns the result of the finished game, as a sentence.
    #[must_use]
    pub fn result(&self) -> String {
        self.0.text(Text::Result)
    }

    /// Returns the reason why the finished game has ended, in a few words: `board full, 3 to 3`.
    #[must_use]
    pub fn reason(&self) -> String {
        self.0.text(Text::Reason)
    }

    /// Returns the exact values of the legal moves as people look at them. Ends with a line end.
    #[must_use]
    pub fn values(&self, values: &[(MoveText, i32)]) -> String {
        self.0.values(values)
    }

    /// Returns the result of best play as a sentence, where `value` is the position's to the side to move.
    #[must_use]
    pub fn verdict(&self, value: i32) -> String {
        self.0.verdict(value)
    }

    /// Returns the statement that `winner` wins within this many plies, whatever the opponent plays.
    #[must_use]
    pub fn forced_win(&self, winner: Side, plies: u32) -> String {
        self.0.forced_win(winner, plies)
    }

    /// Returns the picture of the position on the page.
    #[must_use]
    pub fn picture(&self) -> Picture {
        self.0.picture()
    }

    /// Returns the cells of a legal move on the page.
    #[must_use]
    pub fn path(&self, mv: MoveText) -> Path {
        self.0.path(mv)
    }

    /// Returns the move that people make by choosing a cell of the page, after another cell `from` if a piece
    /// is moved. The move may be illegal. Returns `None` if the cells are not a move.
    #[must_use]
    pub fn move_at(&self, from: Option<usize>, to: usize) -> Option<MoveText> {
        self.0.move_at(from, to)
    }

    /// Returns the value of the position if the game is over.
    #[must_use]
    pub fn final_value(&self) -> Option<Value> {
        let outcome = self.outcome()?;
        Some(Value::Exact(self.game().score(outcome, self.side_to_move(), 0)))
    }
}

impl Game for HostedPosition {
    type Move = MoveText;
    type IllegalMove = Illegal;

    /// A placeholder; [`HostedGame::name`](crate::HostedGame::name) returns the name of the game itself.
    const NAME: &'static str = "hosted";

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn legal_moves(&self) -> impl Iterator<Item = MoveText> {
        of_unknown_length(self.0.legal_moves())
    }

    fn check_legal(&self, mv: MoveText) -> Result<(), Illegal> {
        self.0.check_legal(mv)
    }

    /// Plays a move; an illegal one leaves the position unchanged.
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

/// Writes the board, a line for every row, as the rules show it.
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

/// Returns the same items by an iterator that does not tell their number. With the same seed, `rand` then
/// draws the same move as from a game's own iterator, which does not know the number either.
fn of_unknown_length<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    items.into_iter().filter(|_| true)
}
