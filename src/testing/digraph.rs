//! A walk on a random graph: cycles, and wins, losses and draws at every distance; and toy games in which some
//! moves leave the turn to the side that made them.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::{Coins, NotAMove};
use crate::game::{Game, Outcome, Side};
use crate::hints::SearchHints;
use crate::score::Bounds;
use crate::table::mix;

/// A piece on a node of a random directed graph. The sides take turns to move it along an edge; some nodes
/// win, lose or draw the game for the side to move.
///
/// The graph has cycles of every length, so that positions repeat, and are reached by ways of
/// different lengths. Some moves lose at once. The graph is not stored: it is a function of the
/// seed.
///
/// ```
/// use plyground::testing::{Digraph, exact_result};
///
/// let start = Digraph::new(3, 50, 3);
/// // Without a limit on the length of a game, only near results are known.
/// let near = exact_result(&start, 4, 10_000);
/// assert_eq!(near, exact_result(&Digraph::new(3, 50, 3), 4, 10_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digraph {
    seed: u64,
    nodes: u16,
    degree: u8,
    node: Node,
    side_to_move: Side,
}

/// The number of nodes, out of this many, that end the game, for each side to move.
const OUT_OF: u64 = 64;
const WON: u64 = 4;
const LOST: u64 = 4;
const DRAWN: u64 = 2;

impl Digraph {
    /// The greatest number of nodes.
    pub const MOST_NODES: u16 = 1_024;

    /// Makes the first position of the graph with this seed, on the first node where the game is not over
    /// (if there is any). The graph has `nodes` nodes (held within 1 to
    /// [`MOST_NODES`](Digraph::MOST_NODES)), and from each 1 to `degree` edges (0 counts as 1).
    #[must_use]
    pub fn new(seed: u64, nodes: u16, degree: u8) -> Digraph {
        let nodes = nodes.clamp(1, Digraph::MOST_NODES);
        let at = |node| Digraph {
            seed,
            nodes,
            degree: degree.max(1),
            node: Node(node),
            side_to_move: Side::First,
        };
        (0..nodes).map(at).find(|start| start.outcome().is_none()).unwrap_or_else(|| at(0))
    }

    /// Returns a hash of the graph, the node and the number `what`.
    fn hash(&self, what: u64) -> u64 {
        mix(mix(self.seed, self.node.0.into()), what)
    }

    /// Returns true at a pseudo-random share of the nodes, one of `out_of`.
    fn has_lot(&self, out_of: u64) -> bool {
        self.hash(LOT).is_multiple_of(out_of)
    }

    /// Leaves the turn to the other side.
    fn turn_over(&mut self) {
        self.side_to_move = self.side_to_move.other();
    }

    fn edge(&self, index: u64) -> Node {
        Node((self.hash(index) % u64::from(self.nodes)) as u16)
    }
}

/// The arguments of [`Digraph::hash`] besides the edges, which are numbered from 0.
const DEGREE: u64 = 1 << 32;
const OUTCOME: u64 = 2 << 32;
const KEY: u64 = 3 << 32;
const LOT: u64 = 4 << 32;

/// A move: the node to go to, written as a number from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(u16);

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Node {
    type Err = NotAMove;

    fn from_str(text: &str) -> Result<Node, NotAMove> {
        match text.parse() {
            Ok(number) if number < Digraph::MOST_NODES => Ok(Node(number)),
            _ => Err(NotAMove::new(text, "node: expected a number less than 1024")),
        }
    }
}

/// The reason that the piece may not go to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSuchEdge {
    /// No edge leads there.
    NotConnected {
        /// The node of the piece.
        from: Node,
        /// The node that it may not go to.
        to: Node,
    },
    /// The game has ended.
    GameOver(Node),
}

impl fmt::Display for NoSuchEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSuchEdge::NotConnected { from, to } => {
                write!(f, "no edge leads from node {from} to node {to}")
            }
            NoSuchEdge::GameOver(to) => {
                write!(f, "the piece cannot go to node {to}: the game is over")
            }
        }
    }
}

impl Error for NoSuchEdge {}

impl Game for Digraph {
    type Move = Node;
    type IllegalMove = NoSuchEdge;

    const NAME: &'static str = "digraph";

    fn side_to_move(&self) -> Side {
        self.side_to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        let lot = self.hash(OUTCOME + self.side_to_move.index() as u64) % OUT_OF;
        if lot < WON {
            Some(Outcome::Win(self.side_to_move))
        } else if lot < WON + LOST {
            Some(Outcome::Win(self.side_to_move.other()))
        } else {
            (lot < WON + LOST + DRAWN).then_some(Outcome::Draw)
        }
    }

    fn legal_moves(&self) -> impl Iterator<Item = Node> {
        let is_over = self.outcome().is_some();
        let degree = if is_over { 0 } else { 1 + self.hash(DEGREE) % u64::from(self.degree) };
        let position = *self;
        let is_new = move |&index: &u64| {
            (0..index).all(|earlier| position.edge(earlier) != position.edge(index))
        };
        (0..degree).filter(is_new).map(move |index| position.edge(index))
    }

    fn check_legal(&self, to: Node) -> Result<(), NoSuchEdge> {
        if self.outcome().is_some() {
            Err(NoSuchEdge::GameOver(to))
        } else if self.legal_moves().any(|mv| mv == to) {
            Ok(())
        } else {
            Err(NoSuchEdge::NotConnected { from: self.node, to })
        }
    }

    fn play_unchecked(&mut self, to: Node) {
        self.node = to;
        self.turn_over();
    }

    fn key(&self) -> u64 {
        self.hash(KEY + self.side_to_move.index() as u64)
    }
}

impl SearchHints for Digraph {
    const MOVE_CODES: usize = Digraph::MOST_NODES as usize;

    fn move_code(&self, to: Node) -> usize {
        to.0.into()
    }
}

impl fmt::Display for Digraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} of graph {} ({} nodes)", self.node, self.seed, self.nodes)
    }
}

/// A game with alternating sides that can be changed into one with extra turns.
pub trait ExtraTurns: SearchHints {
    /// Returns true if the side that makes `mv`, a legal move, is to move again.
    fn keeps_turn(&self, mv: Self::Move) -> bool;

    /// Leaves the turn to the other side.
    fn turn_over(&mut self);
}

/// The side that takes coins with an even sum takes again.
impl ExtraTurns for Coins {
    fn keeps_turn(&self, take: Self::Move) -> bool {
        self.worth(take) % 2 == 0
    }

    fn turn_over(&mut self) {
        Coins::turn_over(self);
    }
}

/// The side that moves the piece to one of every three nodes moves it again.
impl ExtraTurns for Digraph {
    fn keeps_turn(&self, to: Self::Move) -> bool {
        self.after(to).has_lot(3)
    }

    fn turn_over(&mut self) {
        Digraph::turn_over(self);
    }
}

/// A game with extra turns: [`Coins`] or [`Digraph`], in which some moves keep the turn.
///
/// ```
/// use plyground::testing::{Again, Coins, Sample, check_contract};
/// use plyground::{Flat, Game};
///
/// let sample = Sample::new((0..20).map(|seed| Again(Coins::new(seed, 8))), 1).with_playouts(20);
/// assert!(check_contract(&sample, &Flat)?.positions > 100);
/// assert!(!Again::<Coins>::ALTERNATES);
/// # Ok::<(), plyground::testing::Breach>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again<G>(pub G);

impl<G: ExtraTurns> Game for Again<G> {
    type Move = G::Move;
    type IllegalMove = G::IllegalMove;

    const NAME: &'static str = "again";
    const ALTERNATES: bool = false;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn legal_moves(&self) -> impl Iterator<Item = Self::Move> {
        self.0.legal_moves()
    }

    fn check_legal(&self, mv: Self::Move) -> Result<(), Self::IllegalMove> {
        self.0.check_legal(mv)
    }

    fn play_unchecked(&mut self, mv: Self::Move) {
        let keeps_turn = self.0.keeps_turn(mv);
        self.0.play_unchecked(mv);
        if keeps_turn {
            self.0.turn_over();
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

    fn margin(&self) -> i32 {
        self.0.margin()
    }
}

/// Forwards the bounds: those of [`Coins`] hold whichever side takes the remaining coins.
impl<G: ExtraTurns> SearchHints for Again<G> {
    const MOVE_CODES: usize = G::MOVE_CODES;

    fn move_code(&self, mv: Self::Move) -> usize {
        self.0.move_code(mv)
    }

    fn canonical_code(&self, code: usize) -> usize {
        self.0.canonical_code(code)
    }

    fn bounds(&self) -> Bounds {
        self.0.bounds()
    }
}

impl<G: fmt::Display> fmt::Display for Again<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
