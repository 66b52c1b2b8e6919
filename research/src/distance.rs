//! The chip, and so the ply, by which a color wins, from tables of openings.

use std::collections::{BTreeMap, HashMap, HashSet};

use network::naive::SHORTEST;
use network::solution::{Chips, image_name};
use network::{Color, IllegalMove, Move, Position, Win};
use plyground::Game;
use plyground::proof::Goal;
use plyground_durable::text::csv_text;

use crate::opening::{OpeningResult, OpeningRow, distinct, plies_to_chip};

/// The chips by which a color can force a win, as far as they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipRange {
    /// The number of a chip by which the color cannot force a win.
    pub not_by: usize,
    /// The number of a chip by which it can; `None` if no such chip is known.
    pub by: Option<usize>,
}

impl ChipRange {
    /// The range of every position before the first chip of `to_move` that can win.
    pub const UNKNOWN: ChipRange = ChipRange { not_by: SHORTEST - 1, by: None };

    /// Returns the range of a position after which the opponent chooses one of the `others`.
    fn of_worst(others: impl Iterator<Item = ChipRange> + Clone) -> ChipRange {
        let by = others.clone().map(|other| other.by).collect::<Option<Vec<usize>>>();
        let not_by = others.map(|other| other.not_by).max();
        ChipRange {
            not_by: not_by.unwrap_or(ChipRange::UNKNOWN.not_by),
            by: by.and_then(|by| by.into_iter().max()),
        }
    }

    /// Returns the range of a position after which the color chooses one of the `others`.
    pub fn of_best(others: impl Iterator<Item = ChipRange> + Clone) -> ChipRange {
        ChipRange {
            not_by: others.clone().map(|other| other.not_by).min().unwrap_or_default(),
            by: others.filter_map(|other| other.by).min(),
        }
    }
}

/// The results for a first move of a color.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMove {
    /// The move.
    pub mv: Move,
    /// The chips by which it wins.
    pub chips: ChipRange,
    /// The chips by which it wins after each reply; one reply of each set of mirror images.
    pub replies: Vec<(Move, ChipRange)>,
}

/// The length of a game in which the winner takes the shortest way and the loser the longest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The moves that the game begins with: none, a first move, or a first move and a reply.
    pub moves: Vec<Move>,
    /// The winner; `None` if the winner is unknown.
    pub winner: Option<Color>,
    /// The earliest possible ply of a forced win, counted from the empty board: by the winner, or by either
    /// color if no winner is known.
    pub earliest: u32,
    /// The ply by which the winner is known to win.
    pub latest: Option<u32>,
}

/// The columns of the table of distances.
const COLUMNS: [&str; 5] = ["first", "reply", "winner", "earliest", "latest"];

/// Returns the table of these distances, as CSV.
pub fn distance_table(distances: &[Distance]) -> String {
    let rows = distances.iter().map(|distance| {
        let mv = |index: usize| distance.moves.get(index).map_or_else(String::new, Move::to_string);
        let winner = distance.winner.map_or_else(String::new, |winner| winner.to_string());
        let latest = distance.latest.map_or_else(String::new, |latest| latest.to_string());
        vec![mv(0), mv(1), winner, distance.earliest.to_string(), latest]
    });
    csv_text(COLUMNS, rows)
}

/// Returns the distances that tables settle for `start`, every first move, and every reply to it; one move
/// of each set of mirror images.
///
/// `own` are rows about `start`, in which the color that is to win is to move. `others` are rows about the
/// position after a first move, in which the other color is to move.
pub fn distances(
    start: &Position,
    own: &[OpeningRow],
    others: &[(Move, Vec<OpeningRow>)],
) -> Result<Vec<Distance>, IllegalMove> {
    let mut answers: HashMap<Chips, Vec<FirstMove>> = HashMap::new();
    for (mv, rows) in others {
        let after = played(start, *mv)?;
        answers.insert(image_name(&after), first_moves(&after, rows)?);
    }
    let firsts = first_moves(start, own)?;
    let all = ChipRange::of_best(firsts.iter().map(|first| first.chips));
    let mut distances = vec![distance(start, vec![], all, ChipRange::UNKNOWN)];
    for first in &firsts {
        let after = start.after(first.mv);
        let answers = answers.get(&image_name(&after)).map_or(&[][..], Vec::as_slice);
        let best = match answers {
            [] => ChipRange::UNKNOWN,
            answers => ChipRange::of_best(answers.iter().map(|answer| answer.chips)),
        };
        distances.push(distance(start, vec![first.mv], first.chips, best));
        for &(reply, chips) in &first.replies {
            let is_it = |answer: &&FirstMove| {
                image_name(&after.after(answer.mv)) == image_name(&after.after(reply))
            };
            let other = answers.iter().find(is_it).map_or(ChipRange::UNKNOWN, |it| it.chips);
            distances.push(distance(start, vec![first.mv, reply], chips, other));
        }
    }
    Ok(distances)
}

/// Returns the distance in plies for the ranges of chips of the color to move in `start` and of the other
/// color.
///
/// Until a color has all its chips on the board it wins with a chip of its own: an add of the opponent does
/// not complete its network, and a player who cannot add has lost already, by the move before.
fn distance(start: &Position, moves: Vec<Move>, own: ChipRange, other: ChipRange) -> Distance {
    let color = start.to_move();
    let begun = start.occupied().len() as u32;
    let ply_own = |chip| begun + start.plies_to_chip(color, chip);
    // A ply of the first color precedes each ply of the other color.
    let ply_other = |chip| begun + start.plies_to_chip(color.other(), chip) + 1;
    let (winner, earliest, latest) = match (own.by, other.by) {
        (Some(by), _) => (Some(color), ply_own(own.not_by + 1), Some(ply_own(by))),
        (None, Some(by)) => (Some(color.other()), ply_other(other.not_by + 1), Some(ply_other(by))),
        (None, None) => (None, ply_own(own.not_by + 1).min(ply_other(other.not_by + 1)), None),
    };
    Distance { moves, winner, earliest, latest }
}

/// Returns the results that rows of tables settle for every first move of the color to move in `start`; one
/// move of each set of mirror images.
///
/// A reply is won by a chip if a row says so, and is not won if the rows refute every second move. A first
/// move is won if all replies are won, and is not won if one reply is not.
pub fn first_moves(start: &Position, rows: &[OpeningRow]) -> Result<Vec<FirstMove>, IllegalMove> {
    let mut known: HashMap<Chips, Replied> = HashMap::new();
    for row in rows {
        let position = played(&played(start, row.first)?, row.reply)?;
        let replied = known.entry(image_name(&position)).or_default();
        match row.result {
            OpeningResult::Won(_) => replied.won.extend([row.chip]),
            OpeningResult::Refuted { second, .. } => {
                let after = played(&position, second)?;
                replied.refuted.entry(row.chip).or_default().insert(image_name(&after));
            }
        }
    }
    let chips = |position: &Position| {
        let replied = known.get(&image_name(position));
        replied.map_or(ChipRange::UNKNOWN, |replied| replied.chips(position))
    };
    let first = |(mv, after): (Move, Position)| {
        let replies: Vec<_> = distinct(&after, after.legal_moves())
            .map(|(reply, position)| (reply, chips(&position)))
            .collect();
        FirstMove { mv, chips: ChipRange::of_worst(replies.iter().map(|reply| reply.1)), replies }
    };
    Ok(distinct(start, start.legal_moves()).map(first).collect())
}

/// The facts of rows about a position after a reply.
#[derive(Clone, Debug, Default)]
struct Replied {
    /// The chips that suffice.
    won: Vec<usize>,
    /// The positions after second moves with which a chip does not suffice, by chip.
    refuted: BTreeMap<usize, HashSet<Chips>>,
}

impl Replied {
    fn chips(&self, position: &Position) -> ChipRange {
        let seconds: Vec<_> = distinct(position, position.legal_moves()).collect();
        let is_refuted =
            |chip| seconds.iter().all(|(_, after)| self.refutes(position, after, chip));
        let not_by = self.refuted.keys().rev().copied().find(|&chip| is_refuted(chip));
        ChipRange {
            not_by: not_by.unwrap_or(ChipRange::UNKNOWN.not_by),
            by: self.won.iter().copied().min(),
        }
    }

    /// Returns true if a chip does not suffice after a second move, which leads to `after`. A table leaves
    /// out refutations that are seen at once, because too few chips are left for a network.
    fn refutes(&self, position: &Position, after: &Position, chip: usize) -> bool {
        let is_listed =
            self.refuted.get(&chip).is_some_and(|seconds| seconds.contains(&image_name(after)));
        let goal = Win::new(position, position.to_move());
        let plies = plies_to_chip(position, chip).saturating_sub(1);
        is_listed || goal.judge(after, plies).verdict() == Some(false)
    }
}

fn played(position: &Position, mv: Move) -> Result<Position, IllegalMove> {
    position.check_legal(mv)?;
    Ok(position.after(mv))
}
