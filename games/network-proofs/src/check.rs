//! An independent check of a strategy, by the naive rules alone.

use std::collections::HashSet;

use network::naive::{Board, NaiveMove, Place, SHORTEST, is_corner, on_board, other, places};
use thiserror::Error;

use crate::strategy::MAGIC;

/// What a check found to be in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckedStrategy {
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
    /// A letter stands for no square.
    #[error("letter {0} of the answers stands for no square")]
    Letter(usize),
    /// There are more answers than positions that need one.
    #[error("{0} answers too many")]
    Surplus(usize),
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
    /// The opponent wins by a reply.
    #[error("the opponent wins by {reply} in\n{position}")]
    Lost {
        /// The reply.
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
pub fn check(text: &str) -> Result<CheckedStrategy, Gap> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (start, chips) = heading(first.trim_end()).ok_or(Gap::Heading)?;
    let mut answers = Vec::new();
    for letter in rest.bytes().filter(|letter| !letter.is_ascii_whitespace()) {
        answers.push(place_of(letter).ok_or(Gap::Letter(answers.len() + 1))?);
    }
    let color = start.to_move;
    let mut checker = Checker {
        answers: answers.into_iter(),
        color,
        chips,
        seen: HashSet::new(),
        checked: CheckedStrategy::default(),
    };
    if checker.threats(&start).is_empty() {
        checker.position(&start)?;
    }
    match checker.answers.len() {
        0 => Ok(checker.checked),
        surplus => Err(Gap::Surplus(surplus)),
    }
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

/// The square that a letter stands for: that of code 48 + 8y + x for square xy.
fn place_of(letter: u8) -> Option<Place> {
    let number = letter.checked_sub(b'0').filter(|&number| number < 64)? as i8;
    let place = (number % 8, number / 8);
    (on_board(place) && !is_corner(place)).then_some(place)
}

/// Chips of White and of Black as squares in a row, a bit each.
type Name = [u64; 2];

/// A name that mirror images share.
fn name(board: &Board) -> Name {
    let turns: [fn(Place) -> Place; 4] =
        [|place| place, |(x, y)| (7 - x, y), |(x, y)| (x, 7 - y), |(x, y)| (7 - x, 7 - y)];
    let names = turns.map(|turn| {
        ['W', 'B'].map(|color| board.chips(color).into_iter().map(|place| bit(turn(place))).sum())
    });
    names.into_iter().min().unwrap_or_default()
}

/// An add that wins, unless the opponent's reply parries it.
struct Threat {
    mv: NaiveMove,
    /// Where a chip of the opponent takes the square or stands between two chips of the network, a bit
    /// each. Elsewhere, an added chip leaves the network as it is.
    parries: u64,
}

impl Threat {
    /// The threat of an add that makes the network of these chips.
    fn new(mv: NaiveMove, network: &[Place]) -> Threat {
        let lines = network.iter().zip(network.iter().skip(1));
        let between = lines.flat_map(|(&from, &to)| between(from, to));
        Threat { mv, parries: between.map(bit).fold(bit(mv.to), |all, square| all | square) }
    }

    fn is_parried_by_add(&self, to: Place) -> bool {
        self.parries & bit(to) != 0
    }
}

/// The squares between two on a straight line.
fn between((x, y): Place, to: Place) -> impl Iterator<Item = Place> {
    let (dx, dy) = ((to.0 - x).signum(), (to.1 - y).signum());
    (1..8).map(move |i| (x + i * dx, y + i * dy)).take_while(move |&place| place != to)
}

fn bit((x, y): Place) -> u64 {
    1 << (8 * y + x)
}

struct Checker {
    /// The answers that have not been played yet, in the order of the walk.
    answers: std::vec::IntoIter<Place>,
    /// Whose strategy it is.
    color: char,
    /// With which chip it wins at the latest.
    chips: usize,
    /// The positions that have had their answer.
    seen: HashSet<Name>,
    checked: CheckedStrategy,
}

impl Checker {
    /// Checks all that follows from a position with the color to move, in which no move wins at once.
    fn position(&mut self, board: &Board) -> Result<(), Gap> {
        if !self.seen.insert(name(board)) {
            return Ok(());
        }
        let Some(answer) = self.answers.next() else { return Err(Gap::NoAnswer(board.text())) };
        let mv = NaiveMove { from: None, to: answer };
        let bad = || Gap::BadAnswer { answer: mv.text(), position: board.text() };
        if !self.may_add(board) || board.why_illegal(mv).is_some() {
            return Err(bad());
        }
        let next = board.play(mv);
        self.checked.answers += 1;
        match next.winner() {
            None => self.replies(&next),
            Some(winner) if winner == self.color => Ok(()),
            Some(_) => Err(bad()),
        }
    }

    /// Checks every reply of the opponent.
    fn replies(&mut self, board: &Board) -> Result<(), Gap> {
        let mut passed = board.clone();
        passed.to_move = self.color;
        let threats = self.threats(&passed);
        let mut replies = board.legal_moves();
        let number = |(x, y): Place| 8 * y + x;
        replies.sort_by_key(|reply| (reply.from.map(number), number(reply.to)));
        for reply in replies {
            self.checked.replies += 1;
            let next = board.play(reply);
            if next.has_network(other(self.color)) {
                return Err(Gap::Lost { reply: reply.text(), position: board.text() });
            }
            if self.wins_after(reply, &next, &threats) {
                self.checked.wins += 1;
            } else {
                self.position(&next)?;
            }
        }
        Ok(())
    }

    /// Whether the color has won after a reply that led to `board`, or wins by its next chip.
    fn wins_after(&self, reply: NaiveMove, board: &Board, threats: &[Threat]) -> bool {
        if reply.from.is_some() {
            // A chip that leaves may open a line.
            return board.has_network(self.color) || !self.threats(board).is_empty();
        }
        // A chip that is added opens no line: no add wins now that did not before.
        let stands = |threat: &Threat| !threat.is_parried_by_add(reply.to);
        threats.iter().any(stands)
            || threats.iter().any(|threat| self.network_by(board, threat.mv).is_some())
    }

    /// Whether the color has a chip left with which it may win.
    fn may_add(&self, board: &Board) -> bool {
        board.chips(self.color).len() < self.chips
    }

    /// The adds that win, with the color to move.
    fn threats(&self, board: &Board) -> Vec<Threat> {
        if !self.may_add(board) || board.chips(self.color).len() + 1 < SHORTEST {
            return Vec::new();
        }
        let adds = places().map(|to| NaiveMove { from: None, to });
        let threat = |mv| self.network_by(board, mv).map(|network| Threat::new(mv, &network));
        adds.filter_map(threat).collect()
    }

    /// The network that the color makes by a move, if that is legal.
    fn network_by(&self, board: &Board, mv: NaiveMove) -> Option<Vec<Place>> {
        let is_legal = board.why_illegal(mv).is_none();
        is_legal.then(|| board.play(mv).some_network(self.color)).flatten()
    }
}
