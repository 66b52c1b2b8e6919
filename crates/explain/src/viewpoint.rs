//! The scores of a whole tree as one side sees them.

use plyground::trace::{Node, Statement, Window};
use plyground::{Game, Score, Side, Value};
use plyground_host::{Explanation, HostedPosition, SharedGame};

/// The side to move at the root, which sees all the scores. It moves at even distances from the root and
/// maximizes; the other side minimizes.
#[derive(Clone, Debug)]
pub struct Viewpoint {
    game: SharedGame,
    side: Side,
}

/// The relation of a score to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The value is this.
    Equal,
    /// The value is this or greater.
    AtLeast,
    /// The value is this or less.
    AtMost,
}

impl Relation {
    /// Returns the relation as a word in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Relation::Equal => "exact",
            Relation::AtLeast => "at-least",
            Relation::AtMost => "at-most",
        }
    }
}

/// A node as the viewpoint sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The lower end of the window: the score that the side of the viewpoint already has.
    pub alpha: Score,
    /// The upper end of the window: the score to which the other side can already limit it.
    pub beta: Score,
    /// The score that was found, with its relation to the value; `None` if the node was cut off.
    pub found: Option<(Relation, Score)>,
}

impl Viewpoint {
    /// Returns the viewpoint of a tree with this root.
    #[must_use]
    pub fn of(root: &HostedPosition) -> Viewpoint {
        Viewpoint { game: root.game(), side: root.side_to_move() }
    }

    /// Returns the viewpoint of an explanation.
    #[must_use]
    pub fn new(explanation: &Explanation) -> Viewpoint {
        Viewpoint::of(&explanation.position)
    }

    /// Returns the name of the side that moves at this distance from the root.
    #[must_use]
    pub fn mover(&self, ply: u32) -> String {
        self.game.side_name(if ply.is_multiple_of(2) { self.side } else { self.side.other() })
    }

    /// Returns a node as the side at the root sees it.
    #[must_use]
    pub fn see<M>(&self, node: &Node<M>) -> Seen {
        let is_own = node.ply.is_multiple_of(2);
        let Window { alpha, beta } = if is_own { node.window } else { node.window.flip() };
        let found = node.found.as_ref().map(|found| {
            let (score, statement) = if is_own {
                (found.score, found.statement)
            } else {
                (-found.score, found.statement.flip())
            };
            let relation = match statement {
                Statement::Exact => Relation::Equal,
                Statement::AtLeast => Relation::AtLeast,
                Statement::AtMost => Relation::AtMost,
            };
            (relation, score)
        });
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
    pub fn value(&self, relation: Relation, score: Score) -> String {
        match relation {
            Relation::Equal => format!("= {}", self.score(score)),
            Relation::AtLeast => self.game.show(Value::AtLeast(score)),
            Relation::AtMost => self.game.show(Value::AtMost(score)),
        }
    }

    /// Returns a statement about a value, in words: `+0.40`, `at most 0.00`, `a loss for White within 4
    /// plies`.
    ///
    /// `page/tree.js` says the same on the page; a test there compares the two.
    #[must_use]
    pub fn words(&self, relation: Relation, score: Score) -> String {
        let Some(plies) = score.plies_to_end() else {
            let words = match relation {
                Relation::Equal => "",
                Relation::AtLeast => "at least ",
                Relation::AtMost => "at most ",
            };
            return format!("{words}{}", self.score(score));
        };
        // A better win comes sooner, and so does a worse loss.
        let (what, sooner) = match score.is_win() {
            true => ("win", Relation::AtLeast),
            false => ("loss", Relation::AtMost),
        };
        let (limit, within) = match relation {
            Relation::Equal => ("", "in"),
            relation if relation == sooner => ("", "within"),
            Relation::AtLeast => ("at worst ", "in"),
            Relation::AtMost => ("at best ", "in"),
        };
        let plies = plies.unsigned_abs();
        let unit = if plies == 1 { "ply" } else { "plies" };
        format!("{limit}a {what} for {} {within} {plies} {unit}", self.mover(0))
    }
}
