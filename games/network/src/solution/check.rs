//! An independent check of a strategy, by the naive rules alone.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use super::MAGIC;
use crate::naive::{Board, NaiveMove, Place, is_corner, on_board, other, places};

/// What a check found to be in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Positions in which the answer of the strategy was played, mirror images counted once.
    pub answers: u64,
    /// Replies of the opponent after these answers.
    pub replies: u64,
    /// Replies after which the color won at once.
    pub wins: u64,
}

/// The first thing that is wrong with a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Gap {
    /// The first line does not name rules, a color, a number of chips and a position.
    #[error("line 1 is not the heading of a strategy")]
    Heading,
    /// A line is not a position with a move.
    #[error("line {0} is not a position and an answer")]
    Line(usize),
    /// There is no answer in a position where no move wins at once.
    #[error("no answer in\n{0}")]
    NoAnswer(String),
    /// The answer cannot be played, or does not win with the last chip.
    #[error("answer {answer} is no good in\n{position}")]
    BadAnswer {
        /// The answer.
        answer: String,
        /// The position.
        position: String,
    },
    /// The opponent wins by his reply.
    #[error("the opponent wins by {reply} in\n{position}")]
    Lost {
        /// His reply.
        reply: String,
        /// The position before it.
        position: String,
    },
}

/// Plays the strategy in `text` against every legal reply, and so proves that its color wins by
/// the number of chips that it names; or finds the first gap. Nothing but the naive rules is used.
///
/// # Errors
///
/// The first gap.
pub fn check(text: &str) -> Result<Checked, Gap> {
    let mut lines = text.lines();
    let (start, chips) = heading(lines.next().unwrap_or_default()).ok_or(Gap::Heading)?;
    let mut answers = HashMap::new();
    for (index, line) in lines.enumerate() {
        // The heading was line 1.
        let (position, answer) = answer(line, &start).ok_or(Gap::Line(index + 2))?;
        let (name, turn) = canonical(&position);
        answers.insert(name, TURNS[turn](answer));
    }
    let color = start.to_move;
    let mut checker =
        Checker { answers, color, chips, seen: HashSet::new(), checked: Checked::default() };
    checker.position(&start)?;
    Ok(checker.checked)
}

/// `network-strategy RULES COLOR CHIPS BOARD`.
fn heading(line: &str) -> Option<(Board, usize)> {
    let words: Vec<&str> = line.split(' ').collect();
    let &[MAGIC, rules, color, chips, board] = words.as_slice() else { return None };
    let usf = match rules {
        "berkeley" => false,
        "usf" => true,
        _ => return None,
    };
    let start = Board::from_text(&board.replace('/', "\n"), usf)?;
    color.starts_with(start.to_move).then_some(())?;
    Some((start, chips.parse().ok()?))
}

/// The squares of the color's chips, those of the opponent's, and the square of the answer.
fn answer(line: &str, start: &Board) -> Option<(Board, Place)> {
    let words: Vec<&str> = line.split(' ').collect();
    let &[own, others, answer] = words.as_slice() else { return None };
    let mut board = start.clone();
    places().for_each(|place| board.set(place, '.'));
    for (squares, color) in [(own, start.to_move), (others, other(start.to_move))] {
        for place in squares_of(squares)? {
            board.set(place, color);
        }
    }
    let &[answer] = squares_of(answer)?.as_slice() else { return None };
    Some((board, answer))
}

/// The squares of a text that is nothing but squares.
fn squares_of(text: &str) -> Option<Vec<Place>> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| (byte - b'0') as i8);
    let square = |pair: &[u8]| {
        let &[x, y] = pair else { return None };
        let place = (digit(x)?, digit(y)?);
        (on_board(place) && !is_corner(place)).then_some(place)
    };
    text.as_bytes().chunks(2).map(square).collect()
}

/// The four ways to mirror the board; each undoes itself.
const TURNS: [fn(Place) -> Place; 4] =
    [|place| place, |(x, y)| (7 - x, y), |(x, y)| (x, 7 - y), |(x, y)| (7 - x, 7 - y)];

/// Chips of White and of Black as squares in a row, a bit each.
type Name = [u64; 2];

/// A name that mirror images share, and which way the board is mirrored to have it.
fn canonical(board: &Board) -> (Name, usize) {
    let name = |turn: fn(Place) -> Place| {
        ['W', 'B'].map(|color| {
            let bit = |place| {
                let (x, y) = turn(place);
                1_u64 << (8 * y + x)
            };
            places().filter(|&place| board.at(place) == color).map(bit).sum::<u64>()
        })
    };
    let names = (0..TURNS.len()).map(|turn| (name(TURNS[turn]), turn));
    names.min().unwrap_or_default()
}

struct Checker {
    /// The answers, in the orientation of the names.
    answers: HashMap<Name, Place>,
    /// Whose strategy it is.
    color: char,
    /// With which chip it wins at the latest.
    chips: usize,
    /// The positions that are in order.
    seen: HashSet<Name>,
    checked: Checked,
}

impl Checker {
    /// Checks all that follows from a position with the color to move, in which it does not win
    /// at once by a move that is known already.
    fn position(&mut self, board: &Board) -> Result<(), Gap> {
        let (name, turn) = canonical(board);
        if self.seen.contains(&name) {
            return Ok(());
        }
        let Some(&answer) = self.answers.get(&name) else {
            let wins = self.may_add(board) && !self.winning_adds(board).is_empty();
            return if wins { Ok(()) } else { Err(Gap::NoAnswer(board.text())) };
        };
        let mv = NaiveMove { from: None, to: TURNS[turn](answer) };
        let next = board.play(mv);
        let bad = || Gap::BadAnswer { answer: mv.text(), position: board.text() };
        if !self.may_add(board) || board.why_illegal(mv).is_some() {
            return Err(bad());
        }
        self.checked.answers += 1;
        if next.winner().is_none() {
            self.replies(&next)?;
        } else if next.winner() != Some(self.color) {
            return Err(bad());
        }
        self.seen.insert(name);
        Ok(())
    }

    /// Checks every reply of the opponent.
    fn replies(&mut self, board: &Board) -> Result<(), Gap> {
        // A threat that a reply does not parry is carried out.
        let mut passed = board.clone();
        passed.to_move = self.color;
        let threats = if self.may_add(&passed) { self.winning_adds(&passed) } else { Vec::new() };
        for reply in board.legal_moves() {
            self.checked.replies += 1;
            let next = board.play(reply);
            if next.has_network(other(self.color)) {
                return Err(Gap::Lost { reply: reply.text(), position: board.text() });
            }
            if next.has_network(self.color) || threats.iter().any(|&mv| self.wins(&next, mv)) {
                self.checked.wins += 1;
            } else {
                self.position(&next)?;
            }
        }
        Ok(())
    }

    /// Whether the color has a chip left with which it may win.
    fn may_add(&self, board: &Board) -> bool {
        board.chips(self.color).len() < self.chips
    }

    fn winning_adds(&self, board: &Board) -> Vec<NaiveMove> {
        let adds = places().map(|to| NaiveMove { from: None, to });
        adds.filter(|&mv| self.wins(board, mv)).collect()
    }

    fn wins(&self, board: &Board, mv: NaiveMove) -> bool {
        let is_legal = board.why_illegal(mv).is_none();
        is_legal && board.play(mv).has_network(self.color)
    }
}
