//! A second implementation of the rules, only for the check of strategies, with squares as bits.
//!
//! It shares no code with the prover and the players. Tests compare it with the naive rules, which are
//! slower.

use crate::naive::{self, DIRECTIONS, SHORTEST, other};

/// A set of squares: bit 8y + x, the number of the square, stands for square xy.
pub(super) type Squares = u64;

const SIDE: usize = 8;
const SQUARES: usize = SIDE * SIDE;
/// The number of chips of a color.
pub(super) const CHIPS: usize = 10;

/// The first and the second goal of White, then of Black.
const GOALS: [[Squares; 2]; 2] =
    [[0x0001_0101_0101_0100, 0x0080_8080_8080_8000], [0x7e, 0x7e00_0000_0000_0000]];
/// The squares that are not on the border.
const INSIDE: Squares = 0x007e_7e7e_7e7e_7e00;

/// The squares beyond a square in each of the directions, as far as the border.
static RAYS: [[Squares; DIRECTIONS.len()]; SQUARES] = rays();
/// The squares beside a square, side by side or corner to corner.
static NEIGHBORS: [Squares; SQUARES] = neighbors();
/// The number of directions that lead to squares of higher numbers; they come first.
const UPWARD: usize = 4;

/// A move: an add if there is no `from`, otherwise a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    /// The number of the square that a step leaves.
    pub(super) from: Option<usize>,
    /// The number of the square where a chip stands after the move.
    pub(super) to: usize,
}

impl Move {
    /// Returns the canonical notation: `34`, or `34-56`.
    pub(super) fn text(self) -> String {
        let name = |number| format!("{}{}", number % SIDE, number / SIDE);
        match self.from {
            None => name(self.to),
            Some(from) => format!("{}-{}", name(from), name(self.to)),
        }
    }
}

/// The chips on the board and the color to move: a color is `W` or `B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Board {
    white: Squares,
    black: Squares,
    /// The color to move.
    pub(super) to_move: char,
    /// If true, the rules are USF's; otherwise they are Berkeley's.
    usf: bool,
}

impl Board {
    /// Makes a board with the same chips; `None` if a chip stands where its color may not put it.
    pub(super) fn new(naive: &naive::Board) -> Option<Board> {
        let [white, black] = ['W', 'B'].map(|color| {
            let numbers =
                naive.chips(color).into_iter().map(|(x, y)| SIDE * y as usize + x as usize);
            numbers.map(bit).sum::<Squares>()
        });
        let is_placed = white & !territory('W') == 0 && black & !territory('B') == 0;
        is_placed.then_some(Board { white, black, to_move: naive.to_move, usf: naive.usf })
    }

    /// Returns eight lines of chips and one of the color to move.
    pub(super) fn text(&self) -> String {
        let symbol = |number| match bit(number) {
            square if self.white & square != 0 => 'W',
            square if self.black & square != 0 => 'B',
            _ => '.',
        };
        let row = |y| (0..SIDE).map(|x| symbol(SIDE * y + x)).chain(['\n']).collect::<String>();
        (0..SIDE).map(row).collect::<String>() + &self.to_move.to_string()
    }

    /// Returns the state file on one line.
    pub(super) fn line(&self) -> String {
        self.text().replace('\n', "/")
    }

    /// Returns the squares with chips of `color`.
    pub(super) fn chips(&self, color: char) -> Squares {
        if color == 'W' { self.white } else { self.black }
    }

    /// Returns the position after `mv`, of a chip that is there to an empty square.
    pub(super) fn play(&self, mv: Move) -> Board {
        let changed = bit(mv.to) | mv.from.map_or(0, bit);
        let (white, black) = if self.to_move == 'W' { (changed, 0) } else { (0, changed) };
        Board {
            white: self.white ^ white,
            black: self.black ^ black,
            to_move: other(self.to_move),
            usf: self.usf,
        }
    }

    /// Returns the same position with the other color to move.
    pub(super) fn passed(&self) -> Board {
        Board { to_move: other(self.to_move), ..*self }
    }

    /// Returns the squares where the color to move may put a chip that comes from the hand, or from square
    /// `from`.
    pub(super) fn targets(&self, from: Option<usize>) -> Squares {
        let own = self.chips(self.to_move) & !from.map_or(0, bit);
        territory(self.to_move) & !(self.white | self.black) & !crowded(own)
    }

    /// Returns the legal moves: adds in the order of their squares, or steps in the order of their origins
    /// and then of their targets.
    pub(super) fn legal_moves(&self) -> Vec<Move> {
        let own = self.chips(self.to_move);
        if own.count_ones() < CHIPS as u32 {
            return each(self.targets(None)).map(|to| Move { from: None, to }).collect();
        }
        let steps = each(own).flat_map(|from| {
            each(self.targets(Some(from))).map(move |to| Move { from: Some(from), to })
        });
        steps.filter(|&mv| !(self.usf && self.play(mv).has_both_networks())).collect()
    }

    fn has_both_networks(&self) -> bool {
        self.network('W').is_some() && self.network('B').is_some()
    }

    /// Returns the squares between the chips of a network of `color`, if there is one.
    pub(super) fn network(&self, color: char) -> Option<Squares> {
        let own = self.chips(color);
        let [first, second] = goals(color);
        // A network has one chip in either goal, because it begins and ends there.
        let inside = (own & INSIDE).count_ones() as usize;
        if own & second == 0 || inside + 2 < SHORTEST {
            return None;
        }
        let chips = Chips { own, all: self.white | self.black, first, second };
        each(own & first).find_map(|start| chips.lines(start, None, bit(start), 1))
    }

    /// Returns the color that has won, if one has. The color that is not to move made the last move.
    pub(super) fn winner(&self) -> Option<char> {
        let (me, mover) = (self.to_move, other(self.to_move));
        match (self.network(mover).is_some(), self.network(me).is_some()) {
            (_, true) => Some(me),
            (true, false) => Some(mover),
            (false, false) => self.legal_moves().is_empty().then_some(mover),
        }
    }

    /// Returns the chips of the least mirror image, which all mirror images have in common.
    pub(super) fn name(&self) -> [Squares; 2] {
        let rows: fn(u64) -> u64 = u64::swap_bytes;
        let turned = |turn: fn(u64) -> u64| [turn(self.white), turn(self.black)];
        let names = [
            [self.white, self.black],
            turned(rows),
            turned(u64::reverse_bits),
            turned(|squares| squares.reverse_bits().swap_bytes()),
        ];
        names.into_iter().min().unwrap_or_default()
    }
}

/// The chips of a color among which a network is looked for.
struct Chips {
    own: Squares,
    /// The chips of both colors.
    all: Squares,
    /// The first goal of the color.
    first: Squares,
    second: Squares,
}

impl Chips {
    /// Returns the squares between the chips of a network from `at` on, depth-first. The network has come to
    /// `at` in the direction `came`, with the `count` chips of `used`.
    fn lines(
        &self,
        at: usize,
        came: Option<usize>,
        used: Squares,
        count: usize,
    ) -> Option<Squares> {
        (0..DIRECTIONS.len()).filter(|&direction| Some(direction) != came).find_map(|direction| {
            let next = first_on(self.all & RAYS[at][direction], direction);
            // There is no chip, or it is the opponent's, or the network cannot go on to it.
            if next & self.own & !used & !self.first == 0 {
                return None;
            }
            let to = next.trailing_zeros() as usize;
            let between = RAYS[at][direction] & !RAYS[to][direction] & !next;
            if next & self.second != 0 {
                return (count + 1 >= SHORTEST).then_some(between);
            }
            let rest = self.lines(to, Some(direction), used | next, count + 1)?;
            Some(between | rest)
        })
    }
}

/// Returns the first of the squares of `line` in a direction; the empty set for an empty line.
fn first_on(line: Squares, direction: usize) -> Squares {
    match line {
        0 => 0,
        _ if direction < UPWARD => bit(line.trailing_zeros() as usize),
        _ => bit(line.ilog2() as usize),
    }
}

/// Returns the squares where a chip would stand in a group of three or more with chips of `own`: beside two
/// of them, or beside one that has a neighbor.
fn crowded(own: Squares) -> Squares {
    let (mut beside, mut crowded) = (0, 0);
    for near in each(own).map(|chip| NEIGHBORS[chip]) {
        crowded |= if near & own == 0 { near & beside } else { near };
        beside |= near;
    }
    crowded
}

fn goals(color: char) -> [Squares; 2] {
    GOALS[usize::from(color != 'W')]
}

/// Returns the squares where a color may put chips: all except the corners and the goals of the other
/// color.
fn territory(color: char) -> Squares {
    let [first, second] = goals(color);
    INSIDE | first | second
}

pub(super) const fn bit(number: usize) -> Squares {
    1 << (number % SQUARES)
}

/// Returns the numbers of some squares, from the lowest on.
pub(super) fn each(mut squares: Squares) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (squares != 0).then(|| squares.trailing_zeros() as usize)?;
        squares &= squares - 1;
        Some(next)
    })
}

const fn rays() -> [[Squares; DIRECTIONS.len()]; SQUARES] {
    let mut rays = [[0; DIRECTIONS.len()]; SQUARES];
    let mut at = 0;
    while at < SQUARES {
        let mut direction = 0;
        while direction < DIRECTIONS.len() {
            let (dx, dy) = DIRECTIONS[direction];
            let (mut x, mut y) = ((at % SIDE) as i8 + dx, (at / SIDE) as i8 + dy);
            while 0 <= x && x < SIDE as i8 && 0 <= y && y < SIDE as i8 {
                rays[at][direction] |= bit(SIDE * y as usize + x as usize);
                x += dx;
                y += dy;
            }
            direction += 1;
        }
        at += 1;
    }
    rays
}

const fn neighbors() -> [Squares; SQUARES] {
    let mut neighbors = [0; SQUARES];
    let mut at = 0;
    while at < SQUARES {
        let mut next = 0;
        while next < SQUARES {
            let columns = (at % SIDE).abs_diff(next % SIDE);
            let rows = (at / SIDE).abs_diff(next / SIDE);
            if at != next && columns <= 1 && rows <= 1 {
                neighbors[at] |= bit(next);
            }
            next += 1;
        }
        at += 1;
    }
    neighbors
}
