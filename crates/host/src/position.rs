//! A position of any game as a [`Game`], and the nodes of an explanation.

use std::fmt;

use plyground::{Game, Outcome, SearchHints, Side, Value};
use plyground_durable::excerpt;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::adapter::MoveText;
use crate::game::{Explanation, HostedPosition, Illegal};

/// The number of random games that tell the usual length of a game, and the greatest length of each.
const GAMES_PLAYED: u64 = 15;
const LONGEST_GAME: usize = 10_000;

impl HostedPosition {
    /// Returns the position as its typed game, if that is `G`.
    #[must_use]
    pub fn typed<G: 'static>(&self) -> Option<&G> {
        self.0.typed().downcast_ref()
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

    /// Returns the usual number of plies from here to the end of a game, the median of some games of random moves, or
    /// `None` if the rules set no limit. [`plies_left`](Game::plies_left) is a limit for all games, and may be far
    /// greater than the length of any game.
    #[must_use]
    pub fn usual_plies(&self) -> Option<u32> {
        let limit = self.plies_left()?;
        let length = |seed| {
            let most = usize::try_from(limit).unwrap_or(usize::MAX).min(LONGEST_GAME);
            let (moves, _) = self.after_random_moves(&mut StdRng::seed_from_u64(seed), most);
            u32::try_from(moves.len()).unwrap_or(limit)
        };
        let mut lengths: Vec<u32> = (0..GAMES_PLAYED).map(length).collect();
        lengths.sort_unstable();
        Some(lengths[lengths.len() / 2])
    }

    /// Returns `true` if the game is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    /// Returns the state file as one word, its lines joined by `/`, and the words of a line by `,`.
    #[must_use]
    pub fn state_word(&self) -> String {
        self.state().replace('\n', "/").replace(' ', ",")
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

    /// A placeholder; [`AdaptedGame::name`](crate::AdaptedGame::name) returns the name of the game itself.
    const NAME: &'static str = "hosted";

    /// False, because the game behind the text may be one without alternating sides.
    const ALTERNATES: bool = false;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn legal_moves(&self) -> impl Iterator<Item = MoveText> {
        of_inexact_size(self.0.legal_moves())
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
        f.write_str(&self.0.display())
    }
}

impl fmt::Debug for HostedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HostedPosition").field(&self.state_word()).finish()
    }
}

/// Returns the same items by an iterator whose `size_hint` is not exact, like those of most typed games.
///
/// [`IteratorRandom::choose`](rand::seq::IteratorRandom::choose) draws differently from an iterator whose length it
/// knows. With this one, a seed leads to the same moves behind the boundary as with the rules themselves.
fn of_inexact_size<T>(items: Vec<T>) -> impl Iterator<Item = T> {
    items.into_iter().filter(|_| true)
}

impl Explanation {
    /// Returns the move with this index in the tree.
    #[must_use]
    pub fn move_text(&self, mv: u16) -> MoveText {
        self.moves[usize::from(mv)]
    }

    /// Returns the moves from the root to a node.
    #[must_use]
    pub fn way(&self, node: usize) -> Vec<MoveText> {
        let nodes = self.tree.path(node).into_iter();
        nodes.filter_map(|node| self.tree.nodes()[node].mv).map(|mv| self.move_text(mv)).collect()
    }

    /// Returns the number of positions that the search entered and the tree leaves out.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        let shown = self.tree.nodes().iter().filter(|node| node.found.is_some()).count();
        self.counts.nodes() - shown as u64
    }
}
