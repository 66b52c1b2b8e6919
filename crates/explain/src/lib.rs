//! Searches explained step by step, and practice questions about them.
//!
//! [`plyground::trace`] searches, and [`plyground_host::Explanation`] holds the result with moves as text. This crate
//! formats an explanation as [text](text::text), as a graph for Graphviz ([`html::dot`]), as [JSON](text::json), and
//! as a [page](html::page) in one file; it prints nothing. The server's page uses the same [modules](html::MODULES),
//! and fetches the [data](html::Block) by a request.
//!
//! All scores are as the side to move at the root sees them.

pub mod comparison;
pub mod html;
pub mod text;

pub mod practice {
    //! Questions about searches, drawn from a seed, with their answers.

    mod html;
    mod question;

    pub use html::{page, sheet, text};
    pub use question::{
        Aim, BestMoveQuestion, Practice, Question, Sketch, SketchNode, TreeQuestion,
    };
}

pub mod review {
    //! Reviews of games: the values of every move and of the best move, as exact as possible, with the refutations of
    //! mistakes; and summaries of programs over their games.

    mod game;
    mod html;
    mod pattern;
    mod reviewer;
    mod summary;

    pub use game::{GameReview, MistakeKind, NearQuestion, Phase, ReviewedMove, Worth};
    pub use html::{game_text, mistake_lines, moves_csv, sight_text, summary_text};
    pub use html::{review_page, summary_section};
    pub use pattern::{Pattern, PatternKind};
    pub use reviewer::{GameToReview, MoveToReview, ReviewEffort, Reviewer, records};
    pub use summary::{Accuracy, Example, PhaseLoss, ProgramSummary, summaries};
}

use plyground::Game;
use plyground::search::SearchContext;
use plyground::trace::{Order, TraceOptions};
use plyground_durable::grouped;
use plyground_host::{ExplainRequest, HostedPosition};
use serde::{Deserialize, Serialize};

use crate::html::Block;

pub use comparison::{Comparison, Seen, Viewpoint, why};

/// The greatest depth that a page may ask for.
const MOST_DEPTH: u32 = 8;

/// The greatest number of positions visited by a search for a page: a fraction of a second.
const MOST_VISITED: u64 = 150_000;

/// The greatest number of nodes in the data for a page.
const MOST_NODES: u64 = 100_000;

/// The question of a page about a search.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainQuestion {
    /// The depth of the search in plies.
    depth: u32,
    /// The order of moves.
    #[serde(with = "OrderName")]
    order: Order,
    /// If true, the search has a transposition table.
    table: bool,
    /// If true, the search is plain minimax instead of alpha-beta.
    minimax: bool,
}

/// The names of the orders of moves on a page and in JSON.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Order", rename_all = "lowercase")]
enum OrderName {
    Natural,
    Good,
    Bad,
}

impl ExplainQuestion {
    /// Returns the tree of the search, which the limits keep small enough to be made and sent in a moment.
    ///
    /// # Errors
    ///
    /// Returns the reason as one line for a person: the depth is out of range, the game is over, the
    /// search looks at too many positions, or the stop flag of `context` is raised.
    pub fn answer(
        &self,
        position: &HostedPosition,
        context: &SearchContext,
    ) -> Result<Block, String> {
        let depth = self.depth;
        if !(1..=MOST_DEPTH).contains(&depth) {
            return Err(format!("expected a depth from 1 to {MOST_DEPTH}, found {depth}"));
        }
        if position.outcome().is_some() {
            return Err("the game is over: there is nothing to search".to_owned());
        }
        let ExplainQuestion { order, table, minimax, .. } = *self;
        let options = TraceOptions { depth, prunes: !minimax, order, table };
        let request = ExplainRequest {
            options,
            most_nodes: MOST_NODES,
            most_visited: MOST_VISITED,
            context: context.clone(),
        };
        let stopped = || "this search was stopped".to_owned();
        let Some(explanation) = position.explain(&request) else {
            let most = grouped(MOST_VISITED);
            let why = format!("this search looks at more than {most} positions: choose less depth");
            return Err(if context.is_stopped() { stopped() } else { why });
        };
        let comparison = Comparison::new(position, depth, context, MOST_VISITED);
        if context.is_stopped() {
            return Err(stopped());
        }
        Block::new(&explanation, Some(comparison)).map_err(|error| error.to_string())
    }
}
