//! An independent check of the strategies that the program `research` writes, with its own implementation of
//! the rules.

mod board;
#[cfg(test)]
#[path = "../../../../tests/network/samples.rs"]
mod samples;

use std::collections::HashSet;

use thiserror::Error;

use self::board::{Board, CHIPS, Move, Squares, bit, each};
use crate::naive::{self, other};

/// The first word of a strategy file.
pub const MAGIC: &str = "network-strategy";

/// The counts of a check that found no gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckedStrategy {
    /// Positions in which the answer of the strategy was played, mirror images counted once.
    pub answers: u64,
    /// Replies of the opponent after these answers.
    pub replies: u64,
    /// Replies after which the color won at once.
    pub wins: u64,
}

/// The first error in a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Gap {
    /// The first line does not name rules, a color, a number of chips and a position.
    #[error("line 1 is not the heading of a strategy")]
    Heading,
    /// No game goes on from the position of the first line.
    #[error(
        "line 1 has a position in which the game is over, or three chips of a color are in a group"
    )]
    Start,
    /// A letter does not stand for a square.
    #[error("letter {0} of the answers names no square")]
    Letter(usize),
    /// There are more answers than positions that need one.
    #[error("{0} answers too many")]
    Surplus(usize),
    /// There is no answer in a position where no move wins at once.
    #[error("no answer in {0}")]
    NoAnswer(String),
    /// The answer cannot be played, or does not win with the last chip.
    #[error("answer {answer} is no good in {position}")]
    BadAnswer {
        /// The answer.
        answer: String,
        /// The position.
        position: String,
    },
    /// The opponent wins by a reply.
    #[error("the opponent wins by {reply} in {position}")]
    Lost {
        /// The reply.
        reply: String,
        /// The position before it.
        position: String,
    },
}

/// Plays the strategy in `text` against every legal reply, and so proves that its color wins by the number
/// of chips that it names; or finds the first gap. The check shares no code with the prover and the players.
pub fn check(text: &str) -> Result<CheckedStrategy, Gap> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (naive, start, chips) = heading(first.trim_end()).ok_or(Gap::Heading)?;
    // If the opponent had won already, a strategy without answers would be right.
    if naive.winner().is_some() || has_large_group(&naive) {
        return Err(Gap::Start);
    }
    let mut answers = Vec::new();
    for letter in rest.bytes().filter(|letter| !letter.is_ascii_whitespace()) {
        answers.push(square_of(letter).ok_or(Gap::Letter(answers.len() + 1))?);
    }
    let color = start.to_move;
    let mut checker = Checker {
        answers: answers.into_iter(),
        color,
        chips: chips.min(CHIPS),
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

/// Returns true if three chips of a color are in a group.
fn has_large_group(board: &naive::Board) -> bool {
    let chips = ['W', 'B'].into_iter().flat_map(|color| board.chips(color));
    chips.into_iter().any(|chip| board.group_size(chip) > 2)
}

/// Reads the heading `network-strategy RULES COLOR CHIPS BOARD`. Returns the position by the naive rules and by those
/// of the check, and the number of chips.
fn heading(line: &str) -> Option<(naive::Board, Board, usize)> {
    let words: Vec<&str> = line.split(' ').collect();
    let &[MAGIC, rules, color, chips, board] = words.as_slice() else { return None };
    let usf = match rules {
        "berkeley" => false,
        "usf" => true,
        _ => return None,
    };
    let naive = naive::Board::from_text(&board.replace('/', "\n"), usf)?;
    let start = Board::new(&naive)?;
    color.starts_with(start.to_move).then_some(())?;
    Some((naive, start, chips.parse().ok()?))
}

/// Returns the number of the square that a letter stands for: the code of the letter is 48 + number.
fn square_of(letter: u8) -> Option<usize> {
    const CORNERS: [u8; 4] = [0, 7, 56, 63];
    let number = letter.checked_sub(b'0').filter(|number| *number < 64)?;
    (!CORNERS.contains(&number)).then_some(number.into())
}

/// An add that wins, unless the opponent's reply parries it.
struct Threat {
    /// The square of the chip.
    to: Squares,
    /// The squares where a chip of the opponent takes the square of the add or stands between two chips of
    /// the network. Elsewhere, an added chip leaves the network as it is.
    parries: Squares,
}

struct Checker {
    /// The squares of the answers that have not been played yet, in the order of the walk.
    answers: std::vec::IntoIter<usize>,
    /// The color of the strategy.
    color: char,
    /// The number of the last chip by which it must win.
    chips: usize,
    /// The names of the positions that have had their answer; mirror images share a name.
    seen: HashSet<[Squares; 2]>,
    checked: CheckedStrategy,
}

impl Checker {
    /// Checks everything that follows from a position with the color to move, in which no move wins at
    /// once.
    fn position(&mut self, board: &Board) -> Result<(), Gap> {
        if !self.seen.insert(board.name()) {
            return Ok(());
        }
        let Some(to) = self.answers.next() else { return Err(Gap::NoAnswer(board.line())) };
        let answer = Move { from: None, to };
        let bad = || Gap::BadAnswer { answer: answer.text(), position: board.line() };
        if self.adds(board) & bit(to) == 0 {
            return Err(bad());
        }
        let next = board.play(answer);
        self.checked.answers += 1;
        match next.winner() {
            None => self.replies(&next),
            Some(winner) if winner == self.color => Ok(()),
            Some(_) => Err(bad()),
        }
    }

    /// Checks every reply of the opponent.
    fn replies(&mut self, board: &Board) -> Result<(), Gap> {
        let threats = self.threats(&board.passed());
        for reply in board.legal_moves() {
            self.checked.replies += 1;
            let next = board.play(reply);
            if next.network(other(self.color)).is_some() {
                return Err(Gap::Lost { reply: reply.text(), position: board.line() });
            }
            if self.wins_after(reply, &next, &threats) {
                self.checked.wins += 1;
            } else {
                self.position(&next)?;
            }
        }
        Ok(())
    }

    /// Returns true if the color has won after a reply that led to `board`, or wins by its next chip.
    fn wins_after(&self, reply: Move, board: &Board, threats: &[Threat]) -> bool {
        if reply.from.is_some() {
            // A chip that leaves may open a line.
            return board.network(self.color).is_some() || !self.threats(board).is_empty();
        }
        // A chip that is added opens no line: no add wins now that did not before.
        let squares = threats.iter().fold(0, |squares, threat| squares | threat.to);
        threats.iter().any(|threat| threat.parries & bit(reply.to) == 0)
            || self.threats_on(board, squares).next().is_some()
    }

    /// Returns the squares where the color may add a chip, if it is to move.
    fn adds(&self, board: &Board) -> Squares {
        let count = board.chips(self.color).count_ones() as usize;
        if count < self.chips { board.targets(None) } else { 0 }
    }

    /// Returns the adds that win if the color is to move.
    fn threats(&self, board: &Board) -> Vec<Threat> {
        self.threats_on(board, Squares::MAX).collect()
    }

    /// Returns the adds on `squares` that win.
    fn threats_on(&self, board: &Board, squares: Squares) -> impl Iterator<Item = Threat> {
        each(self.adds(board) & squares).filter_map(|to| {
            let lines = board.play(Move { from: None, to }).network(self.color)?;
            Some(Threat { to: bit(to), parries: lines | bit(to) })
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::prelude::*;

    use super::samples::{any_phase, by_setup};
    use super::*;
    use crate::Rules;
    use crate::naive::{NaiveMove, Place, places};

    const POSITIONS: usize = 4_000;

    /// Returns a position of any phase, which may be over, with either color to move.
    fn random_board(rng: &mut StdRng) -> naive::Board {
        let position = any_phase(rng);
        let usf = position.rules() == Rules::Usf;
        let mut board = naive::Board::from_text(&position.to_string(), usf).unwrap();
        if rng.random() {
            board.to_move = other(board.to_move);
        }
        board
    }

    fn naive_move(mv: Move) -> NaiveMove {
        let place = |number: usize| ((number % 8) as i8, (number / 8) as i8);
        NaiveMove { from: mv.from.map(place), to: place(mv.to) }
    }

    /// Returns the numbers of origin and target, which sort moves.
    fn numbers(mv: NaiveMove) -> (Option<i8>, i8) {
        let number = |(x, y)| 8 * y + x;
        (mv.from.map(number), number(mv.to))
    }

    /// Returns the legal moves, and tests that the naive rules give the same moves, in the order of the
    /// walk.
    fn same_moves(naive: &naive::Board) -> Vec<Move> {
        let moves = Board::new(naive).unwrap().legal_moves();
        let mut expected = naive.legal_moves();
        expected.sort_by_key(|&mv| numbers(mv));
        let found: Vec<NaiveMove> = moves.iter().copied().map(naive_move).collect();
        assert_eq!(found, expected, "{}", naive.text());
        moves
    }

    /// Returns true if there is a network, and tests that the naive rules agree. A chip of the other color
    /// that is not on the lines of the network must leave a network.
    fn same_network(naive: &naive::Board, color: char) -> bool {
        let Some(lines) = Board::new(naive).unwrap().network(color) else {
            assert!(!naive.has_network(color), "{color}\n{}", naive.text());
            return false;
        };
        assert!(naive.has_network(color), "{color}\n{}", naive.text());
        for place in places().filter(|&place| naive.at(place) == '.') {
            let mut with = naive.clone();
            with.set(place, other(color));
            let is_on_line = lines & bit(8 * place.1 as usize + place.0 as usize) != 0;
            assert!(is_on_line || with.has_network(color), "{color} {place:?}\n{}", naive.text());
        }
        true
    }

    #[test]
    fn moves_networks_and_winners_are_those_of_naive_rules() {
        let mut rng = StdRng::seed_from_u64(1);
        let (mut networks, mut steps, mut won) = (0, 0, 0);
        for _ in 0..POSITIONS {
            let naive = random_board(&mut rng);
            let board = Board::new(&naive).unwrap();
            assert_eq!(board.text(), naive.text());
            assert_eq!(board.winner(), naive.winner(), "{}", naive.text());
            networks += ['W', 'B'].into_iter().filter(|&color| same_network(&naive, color)).count();
            won += usize::from(board.winner().is_some());
            let moves = same_moves(&naive);
            steps += moves.iter().filter(|mv| mv.from.is_some()).count();
            for mv in moves.sample(&mut rng, 3) {
                let next = naive.play(naive_move(*mv));
                assert_eq!(Some(board.play(*mv)), Board::new(&next), "{}", next.text());
                assert_eq!(mv.text(), naive_move(*mv).text());
            }
        }
        println!("{networks} networks, {steps} steps, {won} games won");
        assert!(networks > 100 && steps > 10_000 && won > 100);
    }

    /// Tests that a step may not complete the networks of both colors under USF's rules.
    #[test]
    fn steps_that_complete_both_networks_are_told_apart() {
        let mut rng = StdRng::seed_from_u64(2);
        let mut forbidden = 0;
        while forbidden < 3 {
            let position = by_setup(Rules::Usf, 10, 10, &mut rng);
            let usf = naive::Board::from_text(&position.to_string(), true).unwrap();
            let mut berkeley = usf.clone();
            berkeley.usf = false;
            let all = Board::new(&berkeley).unwrap().legal_moves();
            let allowed = Board::new(&usf).unwrap().legal_moves();
            if all != allowed {
                same_moves(&usf);
                same_moves(&berkeley);
                forbidden += 1;
            }
        }
    }

    /// Tests that mirror images share a name, and other positions do not.
    #[test]
    fn mirror_images_share_a_name() {
        let mut rng = StdRng::seed_from_u64(3);
        let turns: [fn(Place) -> Place; 3] =
            [|(x, y)| (7 - x, y), |(x, y)| (x, 7 - y), |(x, y)| (7 - x, 7 - y)];
        for _ in 0..200 {
            let naive = random_board(&mut rng);
            let name = |board: &naive::Board| Board::new(board).unwrap().name();
            for turn in turns {
                let mut image = naive.clone();
                places().for_each(|place| image.set(turn(place), naive.at(place)));
                assert_eq!(name(&image), name(&naive), "{}", naive.text());
            }
            let chips = Board::new(&naive).unwrap().chips('W');
            for number in each(chips) {
                let mut fewer = naive.clone();
                fewer.set(((number % 8) as i8, (number / 8) as i8), '.');
                assert_ne!(name(&fewer), name(&naive), "{}", naive.text());
            }
        }
    }

    #[test]
    fn chips_where_their_color_may_not_put_them_are_refused() {
        let rows = |first: &str| format!("{first}\n{}W", "........\n".repeat(7));
        let board = |first| Board::new(&naive::Board::from_text(&rows(first), false).unwrap());
        assert!(board(".BB.....").is_some());
        for first in ["W.......", ".......B", "...W...."] {
            assert_eq!(board(first), None, "{first}");
        }
    }
}
