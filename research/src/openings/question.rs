//! One question of an opening: does a color win by a chip after its first move and a reply? And the facts
//! about single positions that answer it, with the lines of a journal that keep them.

use std::cmp::Reverse;
use std::collections::HashMap;

use network::solution::{Chips, image_name};
use network::{ChipEval, Move, Position, Win};
use plyground::proof::Goal;
use plyground::{Evaluator, Game};

use crate::opening::{distinct, plies_to_chip};

/// The greatest number of positions visited for a reply to a second move in the first trial of the move,
/// and the factor by which it grows with every further trial.
const FIRST_NODES: u64 = 1_000_000;
const NODES_FACTOR: u64 = 2;

/// The number of positions that a second move may cost before a less promising one is tried too.
const PATIENCE: u64 = 2_000_000;

/// The status of a second move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveStatus {
    /// The move is undecided.
    Open,
    /// The move wins against every reply.
    Wins,
    /// The move does not win, because of this reply; `None` if that is seen without a reply.
    Refuted(Option<Move>),
}

/// A second move of the color.
#[derive(Clone, Debug)]
pub(super) struct Second {
    /// The move.
    pub(super) mv: Move,
    /// The position after it.
    pub(super) position: Position,
    /// The status of the move.
    pub(super) status: MoveStatus,
    /// The evaluation of the position, as the color that moved sees it.
    value: i32,
    /// The number of trials.
    trials: u32,
    /// Positions visited for it so far.
    nodes: u64,
}

/// The limits of a trial of a second move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// The greatest number of positions to visit for each reply.
    pub(super) nodes: u64,
    /// The number of undecided replies at which the trial ends.
    pub(super) undecided: usize,
}

impl Trial {
    /// A trial without any search.
    pub(super) const FREE: Trial = Trial { nodes: 0, undecided: 0 };
}

/// A question: does the color to move win by a chip?
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The moves from the start: the first and the reply.
    pub(super) moves: Vec<Move>,
    /// The position after them.
    pub(super) position: Position,
    /// The number of the chip.
    pub(super) chip: usize,
    /// Positions visited so far, for earlier chips too.
    pub(super) nodes: u64,
    /// If true, a thread is working on the question.
    pub(super) is_busy: bool,
    /// The answer, if it needs no second move.
    judged: Option<bool>,
    /// The second moves, one of each set of mirror images.
    pub(super) seconds: Vec<Second>,
    /// The number of second moves that each reply has refuted.
    refuters: HashMap<Move, u32>,
}

impl Question {
    /// Makes an open question.
    pub(super) fn new(goal: &Win, position: &Position, moves: Vec<Move>, chip: usize) -> Question {
        let mut question = Question {
            moves,
            position: *position,
            chip,
            nodes: 0,
            is_busy: false,
            judged: None,
            seconds: Vec::new(),
            refuters: HashMap::new(),
        };
        question.ask(goal, chip);
        question
    }

    /// Asks the question for this chip.
    pub(super) fn ask(&mut self, goal: &Win, chip: usize) {
        self.chip = chip;
        let plies = plies_to_chip(&self.position, chip);
        self.judged = goal.judge(&self.position, plies).verdict();
        self.seconds.clear();
        if self.judged.is_some() {
            return;
        }
        let mut moves = Vec::new();
        goal.moves(&self.position, plies, &mut moves);
        let seconds = distinct(&self.position, moves)
            .map(|(mv, position)| Second::new(goal, mv, position, plies - 1));
        self.seconds.extend(seconds);
    }

    /// Returns the answer, if it is known.
    pub(super) fn verdict(&self) -> Option<bool> {
        if self.judged.is_some() {
            return self.judged;
        }
        if self.winner().is_some() {
            return Some(true);
        }
        self.open().next().is_none().then_some(false)
    }

    /// Returns the second move that is known to win.
    pub(super) fn winner(&self) -> Option<Move> {
        let wins = |second: &&Second| second.status == MoveStatus::Wins;
        self.seconds.iter().find(wins).map(|second| second.mv)
    }

    /// Returns the indexes of the undecided second moves.
    pub(super) fn open(&self) -> impl Iterator<Item = usize> {
        (0..self.seconds.len()).filter(|&index| self.seconds[index].status == MoveStatus::Open)
    }

    /// Returns the index of the open second move to try next, if there is one, and the limits of the trial:
    /// the most promising move, until it has cost too much. `wins` has the number of wins of each move
    /// elsewhere.
    pub(super) fn next(&self, wins: &HashMap<Move, u32>) -> Option<(usize, Trial)> {
        let mut open: Vec<usize> = self.open().collect();
        let promise = |&index: &usize| {
            let second = &self.seconds[index];
            (wins.get(&second.mv).copied().unwrap_or_default(), second.value)
        };
        open.sort_by_key(|index| Reverse(promise(index)));
        let cost =
            |&(rank, index): &(usize, usize)| price(rank, self.seconds[index].nodes, PATIENCE);
        let (_, index) = open.into_iter().enumerate().min_by_key(cost)?;
        let trials = self.seconds[index].trials;
        let nodes = FIRST_NODES.saturating_mul(NODES_FACTOR.saturating_pow(trials));
        Some((index, Trial { nodes, undecided: 1 + trials as usize }))
    }

    /// Returns the replies to a second move, sorted by the number of moves that they have refuted: here,
    /// then elsewhere.
    pub(super) fn replies(
        &self,
        goal: &Win,
        index: usize,
        refuters: &HashMap<Move, u32>,
    ) -> Vec<Move> {
        let position = &self.seconds[index].position;
        let mut replies = Vec::new();
        goal.moves(position, plies_to_chip(&self.position, self.chip) - 1, &mut replies);
        let mut replies: Vec<Move> = distinct(position, replies).map(|(mv, _)| mv).collect();
        let count =
            |counts: &HashMap<Move, u32>, mv: &Move| counts.get(mv).copied().unwrap_or_default();
        replies.sort_by_cached_key(|reply| {
            let value = ChipEval.evaluate(&position.after(*reply)).get();
            (Reverse(count(&self.refuters, reply)), Reverse(count(refuters, reply)), value)
        });
        replies
    }

    /// Records the result of a trial of a second move, and the number of positions visited.
    pub(super) fn set(&mut self, index: usize, status: MoveStatus, nodes: u64) {
        self.nodes += nodes;
        let second = &mut self.seconds[index];
        second.nodes += nodes;
        second.trials += 1;
        second.status = status;
        if let MoveStatus::Refuted(Some(reply)) = status {
            *self.refuters.entry(reply).or_default() += 1;
        }
    }
}

impl Second {
    fn new(goal: &Win, mv: Move, position: Position, plies: u32) -> Second {
        let status = match goal.judge(&position, plies).verdict() {
            None => MoveStatus::Open,
            Some(true) => MoveStatus::Wins,
            Some(false) => MoveStatus::Refuted(None),
        };
        // The other color is to move.
        let value = -ChipEval.evaluate(&position).get();
        Second { mv, position, status, value, trials: 0, nodes: 0 }
    }
}

/// Returns the price of going on with one of several tasks, the most promising of them first: the number of
/// positions that the task has cost, and `patience` more for every task before it.
pub(super) fn price(rank: usize, nodes: u64, patience: u64) -> u64 {
    patience.saturating_mul(rank as u64).saturating_add(nodes)
}

/// The words of a journal for a position that is won by a chip, and for a position that is not.
const WON: &str = "won";
const NOT_WON: &str = "not";

/// The fact that the color to move wins by a chip from a position, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// The position, by the moves from the start.
    pub(super) moves: Vec<Move>,
    /// The number of the chip.
    pub(super) chip: usize,
    /// If true, the color wins.
    pub(super) won: bool,
    /// The number of positions visited to find the fact.
    pub(super) nodes: u64,
}

impl Fact {
    /// Reads the fact of a line of a journal.
    pub(super) fn parse(line: &str) -> Option<Fact> {
        let mut fields = line.split(' ');
        let chip =
            fields.next()?.parse().ok().filter(|chip| (1..=Position::CHIPS).contains(chip))?;
        let won = match fields.next()? {
            WON => true,
            NOT_WON => false,
            _ => return None,
        };
        let nodes = fields.next()?.parse().ok()?;
        let moves = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
        Some(Fact { moves, chip, won, nodes })
    }

    /// Returns the line of a journal for the fact.
    pub(super) fn line(&self) -> String {
        let Fact { chip, nodes, .. } = self;
        let won = if self.won { WON } else { NOT_WON };
        let moves = self.moves.iter().map(|mv| format!(" {mv}"));
        format!("{chip} {won} {nodes}{}", moves.collect::<String>())
    }

    /// Returns the position of the fact; `None` if the moves cannot be played from `start`.
    pub(super) fn position(&self, start: &Position) -> Option<Position> {
        let mut position = *start;
        self.moves.iter().try_for_each(|&mv| position.play(mv)).ok()?;
        Some(position)
    }
}

/// The least chip that is known to suffice, and the greatest chip that is known not to suffice.
#[derive(Clone, Copy, Debug, Default)]
struct KnownChips {
    won: Option<usize>,
    not_won: Option<usize>,
}

/// All facts, by the chips of the position; mirror images count as one position. The color to move is the
/// same in all.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts(HashMap<Chips, KnownChips>);

impl Facts {
    /// Returns true if `position` is won by this chip, false if it is not; `None` if that is unknown.
    pub(super) fn verdict(&self, position: &Position, chip: usize) -> Option<bool> {
        let bounds = self.0.get(&image_name(position))?;
        if bounds.won.is_some_and(|won| won <= chip) {
            return Some(true);
        }
        bounds.not_won.is_some_and(|most| chip <= most).then_some(false)
    }

    /// Adds the fact that `position` is won by this chip, or is not.
    pub(super) fn add(&mut self, position: &Position, chip: usize, won: bool) {
        let bounds = self.0.entry(image_name(position)).or_default();
        if won {
            bounds.won = Some(bounds.won.map_or(chip, |least| least.min(chip)));
        } else {
            bounds.not_won = bounds.not_won.max(Some(chip));
        }
    }
}

/// Reads the fact of a line of a journal about `start`, with its position.
pub(super) fn parse_fact(start: &Position, line: &str) -> Option<(Position, Fact)> {
    let fact = Fact::parse(line)?;
    let position = fact.position(start).filter(|at| at.to_move() == start.to_move())?;
    Some((position, fact))
}

#[cfg(test)]
mod tests {
    use network::Rules;

    use super::*;

    fn fact(moves: &[&str], chip: usize, won: bool) -> Fact {
        let moves = moves.iter().map(|mv| mv.parse().expect("a move")).collect();
        Fact { moves, chip, won, nodes: 17 }
    }

    #[test]
    fn facts_are_read_back() {
        for fact in [fact(&["03", "34"], 8, true), fact(&[], 10, false)] {
            assert_eq!(Fact::parse(&fact.line()), Some(fact));
        }
        for line in [
            "",
            "8",
            "8 won",
            "8 lost 17 03",
            "8 won x 03",
            "8 won 17 03 ",
            "8 won 17 99",
            "0 won 17",
            "11 won 17",
        ] {
            assert_eq!(Fact::parse(line), None, "{line}");
        }
    }

    #[test]
    fn win_holds_for_later_chips_and_a_mirror_image() {
        let start = Position::new(Rules::Berkeley);
        let position = |moves: &[&str]| fact(moves, 8, true).position(&start).expect("moves");
        let mut facts = Facts::default();
        let (at, image) = (position(&["03", "34"]), position(&["74", "43"]));
        facts.add(&at, 8, true);
        facts.add(&at, 6, false);
        let known: Vec<_> = (5..10).map(|chip| facts.verdict(&image, chip)).collect();
        assert_eq!(known, [Some(false), Some(false), None, Some(true), Some(true)]);
        assert_eq!(facts.verdict(&position(&["03", "35"]), 8), None);
        assert!(fact(&["03", "03"], 8, true).position(&start).is_none());
    }
}
