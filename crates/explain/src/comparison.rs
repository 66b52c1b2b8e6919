//! A comparison of the ways to search a position, and the reasons of cuts from the viewpoint of one side.

use plyground::search::SearchContext;
use plyground::trace::{Counts, Node, Order, Statement, TraceOptions, Window};
use plyground::{Game, Score, Side, Turn, Value};
use plyground_durable::grouped;
use plyground_host::{Explanation, HostedPosition, MoveText, SharedGame};
use serde::Serialize;

/// A way to search, with and without a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Way {
    /// The name: `alpha-beta, good order`.
    pub name: &'static str,
    /// The number of positions entered without a table; `None` if the number exceeds the limit.
    pub nodes: Option<u64>,
    /// The number of positions entered with a table; `None` if the number exceeds the limit.
    pub with_table: Option<u64>,
}

/// A comparison of the ways to search a position to a depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The depth in plies.
    pub depth: u32,
    /// The ways, the simplest first.
    pub ways: Vec<Way>,
    /// The limit on the number of positions entered by each way.
    pub most: u64,
}

const WAYS: [(&str, bool, Order); 4] = [
    ("minimax", false, Order::Natural),
    ("alpha-beta, bad order", true, Order::Bad),
    ("alpha-beta, the game's order", true, Order::Natural),
    ("alpha-beta, good order", true, Order::Good),
];

impl Comparison {
    /// Searches `position` in every way, each with at most `most` positions. A way that the stop flag of `context`
    /// ended has no numbers.
    #[must_use]
    pub fn new(
        position: &HostedPosition,
        depth: u32,
        context: &SearchContext,
        most: u64,
    ) -> Comparison {
        let nodes = |prunes, order, table| {
            let options = TraceOptions { depth, prunes, order, table };
            position.trace_counts(&options, context, most).as_ref().map(Counts::nodes)
        };
        let ways = WAYS.map(|(name, prunes, order)| Way {
            name,
            nodes: nodes(prunes, order, false),
            with_table: nodes(prunes, order, true),
        });
        Comparison { depth, ways: ways.to_vec(), most }
    }

    /// Returns a number of positions as text; `> ` and the limit for `None`.
    #[must_use]
    pub fn show(&self, nodes: Option<u64>) -> String {
        match nodes {
            Some(nodes) => grouped(nodes),
            None => format!("> {}", grouped(self.most)),
        }
    }

    /// Returns the share of the positions of minimax without a table, in percent; empty if either number is
    /// not known.
    #[must_use]
    pub fn share(&self, nodes: Option<u64>) -> String {
        let whole = self.ways.first().and_then(|way| way.nodes);
        nodes.zip(whole).map_or_else(String::new, |(nodes, whole)| {
            format!("{:.1} %", 100.0 * nodes as f64 / whole as f64)
        })
    }
}

/// Returns the reason why the remaining moves of a node were cut off, as one sentence; `None` if no move was
/// cut off, or if the tree does not reach far enough to tell.
///
/// `page/tree.js` has the same words for the page; a test in `tests/plyground/explain` compares the two.
#[must_use]
pub fn why(explanation: &Explanation, node: usize) -> Option<String> {
    let reason = explanation.tree.why_cut(node)?;
    let viewpoint = Viewpoint::of(&explanation.position);
    let nodes = explanation.tree.nodes();
    let mv = |node: usize| nodes[node].mv.map(|mv| explanation.move_text(mv));
    let found = |node: usize| viewpoint.see(&nodes[node]).found;
    let (_, gets) = found(reason.refutation)?;
    let (_, has) = found(reason.rival)?;
    let (refutation, rival) = (mv(reason.refutation)?, mv(reason.rival)?);
    let branch = mv(reason.branch)?;
    let count = nodes[node].found.as_ref()?.cut;
    let mover = viewpoint.name(nodes[node].side);
    let other = viewpoint.name(nodes[node].side.other());
    // The score of the refutation is a bound, because the side to move can only improve on the refutation.
    let is_own = viewpoint.is_own(&nodes[node]);
    let relation = if is_own { Statement::AtLeast } else { Statement::AtMost };
    let limit = if is_own { "beta" } else { "alpha" };
    let place = place(&explanation.way(reason.ancestor));
    let moves = if count == 1 { "move changes" } else { "moves change" };
    let has =
        if has == gets { "as much".to_owned() } else { viewpoint.words(Statement::Exact, has) };
    let gets = viewpoint.words(relation, gets);
    Some(format!(
        "With {refutation}, {mover} makes it {gets}; but {other} already has {has} ({limit}) by \
         {rival} in place of {branch} {place}, so {other} never lets it come to this, and the other \
         {count} {moves} nothing.",
    ))
}

/// Returns the place of a position in the tree, in words.
fn place(way: &[MoveText]) -> String {
    if way.is_empty() {
        return "at the root".to_owned();
    }
    format!("after {}", way.iter().map(MoveText::as_str).collect::<Vec<_>>().join(", "))
}

/// The viewpoint of the side to move at the root, from which all scores are seen. This side maximizes; the other side
/// minimizes.
#[derive(Clone, Debug)]
pub struct Viewpoint {
    game: SharedGame,
    side: Side,
}

/// A node as the viewpoint sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The lower end of the window: the score that the side of the viewpoint already has.
    pub alpha: Score,
    /// The upper end of the window: the score to which the other side can already limit the side of the viewpoint.
    pub beta: Score,
    /// The score that was found, with its relation to the value; `None` if the node was cut off.
    pub found: Option<(Statement, Score)>,
}

impl Viewpoint {
    /// Returns the viewpoint of a tree with this root.
    #[must_use]
    pub fn of(root: &HostedPosition) -> Viewpoint {
        Viewpoint { game: root.game(), side: root.side_to_move() }
    }

    /// Returns the name of a side.
    #[must_use]
    pub fn name(&self, side: Side) -> String {
        self.game.side_name(side)
    }

    /// Returns the name of the side to move at the root.
    #[must_use]
    pub fn own_name(&self) -> String {
        self.name(self.side)
    }

    /// Returns the name of the other side.
    #[must_use]
    pub fn other_name(&self) -> String {
        self.name(self.side.other())
    }

    /// Returns true if the side at the root is to move at this node.
    #[must_use]
    pub fn is_own<M>(&self, node: &Node<M>) -> bool {
        node.side == self.side
    }

    /// Returns a node as the side at the root sees it.
    #[must_use]
    pub fn see<M>(&self, node: &Node<M>) -> Seen {
        let turn = Turn::of_sides(self.side, node.side);
        let Window { alpha, beta } = turn.across(node.window);
        let found = node.found.as_ref();
        let found = found.map(|found| (turn.across(found.statement), turn.across(found.score)));
        Seen { alpha, beta, found }
    }

    /// Returns a score as text: `+0.40`, `win in 3`; `-inf` and `+inf` for the ends of the full window.
    #[must_use]
    pub fn score(&self, score: Score) -> String {
        match score {
            Score::MIN => "-inf".to_owned(),
            Score::MAX => "+inf".to_owned(),
            score => self.game.show(Value::Exact(score)),
        }
    }

    /// Returns a statement about a value, with signs: `= +0.40`, `<= 0.00`, `loss in <= 4`.
    #[must_use]
    pub fn value(&self, relation: Statement, score: Score) -> String {
        match relation {
            Statement::Exact => format!("= {}", self.score(score)),
            Statement::AtLeast => self.game.show(Value::AtLeast(score)),
            Statement::AtMost => self.game.show(Value::AtMost(score)),
        }
    }

    /// Returns a statement about a value, in words: `+0.40`, `at most 0.00`, `a loss for White within 4
    /// plies`.
    ///
    /// `page/tree.js` has the same words for the page; a test in `tests/plyground/explain` compares the two.
    #[must_use]
    pub fn words(&self, relation: Statement, score: Score) -> String {
        let Some(plies) = score.plies_to_end() else {
            let words = match relation {
                Statement::Exact => "",
                Statement::AtLeast => "at least ",
                Statement::AtMost => "at most ",
            };
            return format!("{words}{}", self.score(score));
        };
        // A win is better the sooner it comes, and a loss is worse the sooner it comes.
        let (what, sooner) = match score.is_win() {
            true => ("win", Statement::AtLeast),
            false => ("loss", Statement::AtMost),
        };
        let (limit, within) = match relation {
            Statement::Exact => ("", "in"),
            relation if relation == sooner => ("", "within"),
            Statement::AtLeast => ("at worst ", "in"),
            Statement::AtMost => ("at best ", "in"),
        };
        let plies = plies.unsigned_abs();
        let unit = if plies == 1 { "ply" } else { "plies" };
        format!("{limit}a {what} for {} {within} {plies} {unit}", self.own_name())
    }
}
