//! The goal of the proof search: a win within a number of plies, and the gaps that it needs; and the moves
//! that complete a network.

use plyground::proof::{Goal, Numbers};
use plyground::{Evaluator, Game, SearchHints, Side};

use crate::color::Color;
use crate::eval::ChipEval;
use crate::links::{AXES, has_network, is_between, lacking, nearest, sight, view};
use crate::moves::{Move, Square, SquareSet, Squares};
use crate::position::Position;

/// The goal that a color wins by a network. A win over an opponent who has no legal move counts where the
/// search meets it, but a disproof may overlook it.
#[derive(Clone, Copy, Debug)]
pub struct Win {
    attacker: Color,
    side: Side,
}

/// The proof number of an even position, and the evaluation that halves it.
const EVEN_PROOF: f32 = 16.0;
const HALVING: f32 = 100.0;
/// The greatest proof number to start with.
const MOST_PROOF: f32 = 20_000.0;
/// The disproof number of an even position, and the evaluation that doubles it: with a constant disproof
/// number the solution takes 1.5 times the nodes.
const EVEN_DISPROOF: f32 = 4.0;
const DOUBLING: f32 = 28.0;
/// The greatest disproof number to start with.
const MOST_DISPROOF: f32 = 5_000.0;
/// The number of replies with which a threat is worth no more than a quiet move.
const MANY_REPLIES: f32 = 8.0;

impl Win {
    /// Makes the goal of `attacker` in `position` and all that follow from it.
    #[must_use]
    pub fn new(position: &Position, attacker: Color) -> Win {
        Win { attacker, side: position.rules().side(attacker) }
    }

    /// Returns true if the attacker is to move.
    fn is_to_move(&self, position: &Position) -> bool {
        position.to_move() == self.attacker
    }

    /// Returns true if both colors have chips in hand.
    fn both_add(&self, position: &Position) -> bool {
        Color::BOTH.iter().all(|&color| position.in_hand(color) > 0)
    }

    /// Removes the attacker's adds, from `start` on, after which too few moves are left for a network.
    fn keep_helpful(&self, start: usize, position: &Position, plies: u32, moves: &mut Vec<Move>) {
        let own = position.chips(self.attacker);
        let left = plies.div_ceil(2) - 1;
        if lacking(own.0, self.attacker) <= left {
            return;
        }
        let mut kept = start;
        for index in start..moves.len() {
            let mv = moves[index];
            if lacking(own.with(mv.to()).0, self.attacker) <= left {
                moves[kept] = mv;
                kept += 1;
            }
        }
        // A position without moves would have no numbers.
        if kept > start {
            moves.truncate(kept);
        }
    }

    /// Returns the numbers, if they are clear without a search for winning moves.
    fn at_sight(&self, position: &Position, plies: u32) -> Option<Numbers> {
        if let Some(outcome) = position.outcome() {
            let won = outcome.winner() == Some(self.side);
            return Some(if won { Numbers::PROVEN } else { Numbers::DISPROVEN });
        }
        let moves = if self.is_to_move(position) { plies.div_ceil(2) } else { plies / 2 };
        let is_hopeless =
            plies == 0 || lacking(position.chips(self.attacker).0, self.attacker) > moves;
        is_hopeless.then_some(Numbers::DISPROVEN)
    }

    /// Returns true if the attacker may win within the last two plies. Mostly the attacker cannot: there is
    /// no threat, and either both colors add chips, which makes no threat, or the defender is to move and
    /// the first legal move makes no threat.
    fn needs_care(&self, position: &Position) -> bool {
        let is_safe = |position: &Position| position.wins(self.attacker).next().is_none();
        let stays_safe = |mv| {
            let next = position.after(mv);
            next.outcome().is_none() && is_safe(&next)
        };
        let has_quiet_move =
            || !self.is_to_move(position) && position.open_moves().next().is_some_and(stays_safe);
        !(is_safe(position) && (self.both_add(position) || has_quiet_move()))
    }

    /// Returns the evaluation of an open position, as the attacker sees it.
    fn value(&self, position: &Position) -> f32 {
        let value = ChipEval.evaluate(position).get() as f32;
        if self.is_to_move(position) { value } else { -value }
    }

    /// Estimates the numbers of an open position with the attacker to move.
    fn attack(&self, position: &Position, plies: u32) -> Numbers {
        let value = self.value(position);
        let moves = 1 + plies.div_ceil(2) / 2;
        Numbers::open(proof(value) as u32, (disproof(value) * moves as f32) as u32)
    }

    /// Estimates the numbers of an open position with the defender to move and this many replies that may
    /// help. A threat with few replies promises more, for any evaluation of the position: all replies must
    /// be refuted one by one.
    fn defense(&self, position: &Position, replies: usize) -> Numbers {
        let value = self.value(position);
        let share = (replies as f32 / MANY_REPLIES).min(1.0);
        Numbers::open((proof(value) * share) as u32 + replies as u32, disproof(value) as u32)
    }

    /// Judges a position in which the attacker is to move and does not win at once.
    fn judge_attack(&self, position: &Position, plies: u32) -> Numbers {
        let threats = position.threats();
        let is_lost = threats.exist() && position.parries(&threats).next().is_none();
        if is_lost { Numbers::DISPROVEN } else { self.attack(position, plies) }
    }

    /// Judges a position in which the defender is to move and does not win at once.
    fn judge_defense(&self, position: &Position, plies: u32) -> Numbers {
        // Within one ply the defender can only hand over a win, by a step.
        let threats = position.threats();
        if plies == 1 || !threats.exist() {
            return self.defense(position, count_moves(position));
        }
        match position.parries(&threats).count() {
            0 => Numbers::PROVEN,
            // Adds of either color open no line, so a parry leaves no threat.
            _ if plies == 2 && self.both_add(position) => Numbers::DISPROVEN,
            parries => self.defense(position, parries),
        }
    }
}

/// Estimates the proof number of an open position that is worth `value` to the attacker.
fn proof(value: f32) -> f32 {
    (EVEN_PROOF * (-value / HALVING).exp2()).min(MOST_PROOF)
}

/// Estimates the disproof number of an open position that is worth `value` to the attacker.
fn disproof(value: f32) -> f32 {
    (EVEN_DISPROOF * (value / DOUBLING).exp2()).min(MOST_DISPROOF)
}

/// Returns the approximate number of moves.
fn count_moves(position: &Position) -> usize {
    let color = position.to_move();
    let targets = position.add_targets(color).len();
    // A chip can step to about as many squares as one could be added to.
    if position.in_hand(color) > 0 { targets } else { targets * position.chips(color).len() }
}

impl Goal<Position> for Win {
    fn attacker(&self) -> Side {
        self.side
    }

    fn judge(&self, position: &Position, plies: u32) -> Numbers {
        if let Some(numbers) = self.at_sight(position, plies) {
            return numbers;
        }
        if plies == 2 && !self.needs_care(position) {
            return Numbers::DISPROVEN;
        }
        let wins_at_once = position.wins(position.to_move()).next().is_some();
        match (wins_at_once, self.is_to_move(position)) {
            (true, true) => Numbers::PROVEN,
            (true, false) => Numbers::DISPROVEN,
            (false, true) => self.judge_attack(position, plies),
            (false, false) => self.judge_defense(position, plies),
        }
    }

    fn guess(&self, position: &Position, plies: u32) -> Option<Numbers> {
        let guess =
            || self.at_sight(position, plies).unwrap_or_else(|| self.attack(position, plies));
        self.is_to_move(position).then(guess)
    }

    fn moves(&self, position: &Position, plies: u32, moves: &mut Vec<Move>) {
        let start = moves.len();
        let threats = position.threats();
        // Within one ply the opponent has no time to win, so that threats do not count.
        if threats.exist() && plies > 1 {
            moves.extend(position.parries(&threats));
        } else {
            moves.extend(position.open_moves());
        }
        if self.is_to_move(position) && position.in_hand(self.attacker) > 0 {
            self.keep_helpful(start, position, plies, moves);
        }
    }

    /// Returns a number for the attacker alone: the keys of positions tell whose turn it is.
    fn salt(&self, _: &Position) -> u64 {
        match self.attacker {
            Color::White => 0,
            Color::Black => 0x6a09_e667_f3bc_c909,
        }
    }
}

const INTERIOR: u64 = SquareSet::INTERIOR.0;

/// The squares where one chip more may complete the network of a color, judged by the chips that either goal
/// is linked with. On most of these squares a chip does not complete the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gaps {
    own: u64,
    occupied: u64,
    color: Color,
    reach: Reach,
    /// The chip without which no add completes the network, if one is known.
    key_chip: Option<Square>,
}

impl Gaps {
    /// Finds the gaps in the network of `color`, which is not complete; `None` if there are no gaps.
    #[inline]
    pub(crate) fn new(position: &Position, color: Color) -> Option<Gaps> {
        let (own, occupied) = (position.chips(color).0, position.occupied().0);
        let (hints, may_move) = (position.hints, color == position.to_move());
        if lacking(own, color) > 1 || (may_move && hints.is_harmless) {
            return None;
        }
        let key_chip = if may_move { None } else { hints.key_chip };
        Some(Gaps { own, occupied, color, reach: Reach::new(own, occupied, color), key_chip })
    }

    /// Returns the gaps for a chip from the hand.
    #[inline]
    pub(crate) fn for_add(&self) -> u64 {
        let gaps = self.reach.gaps(!self.occupied, self.color);
        match self.key_chip {
            Some(chip) if gaps != 0 => gaps & partners(chip, self.own, self.occupied),
            _ => gaps,
        }
    }

    /// Returns the gaps for a step of the chip on `from`.
    #[inline]
    pub(crate) fn for_step(&self, from: Square) -> u64 {
        let (own, occupied) = (self.own & !from.bit(), self.occupied & !from.bit());
        if !is_between(from, own, occupied) {
            return self.reach.without(from).gaps(!occupied, self.color);
        }
        if has_network(own, occupied, self.color) {
            // The chip stood in the way of a network: it may go anywhere.
            return u64::MAX;
        }
        Reach::new(own, occupied, self.color).gaps(!occupied, self.color)
    }
}

/// The chips that either goal is linked with.
///
/// Without the chip that completes it, a network consists of two parts, each of which begins in one of the
/// goals. Between the goals, all chips of a part have links on two axes in it, except those that are linked
/// with the new chip.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// The chips linked with either goal.
    chips: u64,
    /// The chips, by axis, at which the part from the first goal may end, to go on along the axis.
    near: [u64; AXES],
    /// The same for the part from the other goal.
    far: [u64; AXES],
}

impl Reach {
    #[inline]
    fn new(own: u64, occupied: u64, color: Color) -> Reach {
        let [a, b, c, d] = sight(own, !occupied);
        let turning = (a & b) | (c & d) | ((a | b) & (c | d));
        let parts = color.goals().map(|goal| part(own, goal.0, turning, occupied));
        let others = [b | c | d, a | c | d, a | b | d, a | b | c];
        let [near, far] = parts.map(|part| others.map(|linked| part & (linked | !INTERIOR)));
        Reach { chips: parts[0] | parts[1], near, far }
    }

    /// Returns the rest of the reach without a chip that is not between two others of its color.
    #[inline]
    fn without(self, square: Square) -> Reach {
        let without = |chips: u64| chips & !square.bit();
        let Reach { chips, near, far } = self;
        Reach { chips: without(chips), near: near.map(without), far: far.map(without) }
    }

    /// Returns the squares of `empty` where another chip may join the parts.
    #[inline]
    fn gaps(&self, empty: u64, color: Color) -> u64 {
        let wanted = wanted(self.chips, color);
        if wanted == 0 {
            return 0;
        }
        let (near, far) = (view(self.near, empty), view(self.far, empty));
        let [a, b, c, d] = far;
        let turning = (near[0] & (b | c | d))
            | (near[1] & (a | c | d))
            | (near[2] & (a | b | d))
            | (near[3] & (a | b | c));
        // Chips in one goal see each other along it, which is not a link of a network.
        let into_goal = |[a, b, c, d]: [u64; AXES]| match color {
            Color::White => a | b | d,
            Color::Black => b | c | d,
        };
        let [SquareSet(near_goal), SquareSet(far_goal)] = color.goals();
        wanted
            & ((turning & INTERIOR) | (into_goal(far) & near_goal) | (into_goal(near) & far_goal))
    }
}

/// Returns the chips of `own` that are linked with a chip in `goal`, by chips of `turning` between them.
#[inline]
fn part(own: u64, goal: u64, turning: u64, occupied: u64) -> u64 {
    let mut part = own & goal;
    let mut last = part;
    while last != 0 {
        let [a, b, c, d] = sight(last, !occupied);
        let next = (a | b | c | d) & own & INTERIOR & !part;
        part |= next;
        last = next & turning;
    }
    part
}

/// Returns the squares where a single chip can give `chips` the counts of a network.
#[inline]
fn wanted(chips: u64, color: Color) -> u64 {
    match lacking(chips, color) {
        0 => color.territory().0,
        1 => {
            let empty_goal = color.goals().into_iter().find(|goal| goal.0 & chips == 0);
            empty_goal.unwrap_or(SquareSet::INTERIOR).0
        }
        _ => 0,
    }
}

/// Returns the squares where another chip may stand in a network of `own` together with the chip on
/// `square`, judged by the lines of sight from there.
#[inline]
fn partners(square: Square, own: u64, occupied: u64) -> u64 {
    let links = nearest(square, occupied).map(|ends| ends & own != 0);
    let wanted = if SquareSet::INTERIOR.contains(square) { 2 } else { 1 };
    let linked = links.into_iter().filter(|&linked| linked).count();
    if linked >= wanted {
        return u64::MAX;
    }
    if linked + 1 < wanted {
        return 0;
    }
    // The other chip has to be the missing link.
    let views = view([square.bit(); AXES], !occupied);
    views
        .into_iter()
        .zip(links)
        .fold(0, |all, (view, linked)| if linked { all } else { all | view })
}

/// An iterator over the moves by which a color, if it is its turn, completes its network and not the
/// opponent's.
///
/// The iterator does not try all moves: such a chip goes where it sees own chips that the goals are linked
/// with, or its step opens a line. It allocates nothing.
#[derive(Clone, Debug)]
pub struct Wins<'a> {
    position: &'a Position,
    color: Color,
    /// The gaps for steps.
    gaps: Option<Gaps>,
    /// The chips whose steps are still to come.
    origins: Squares,
    /// The chip that now steps, or `None` when chips are added.
    from: Option<Square>,
    /// The color's chips without the chip that steps.
    own: u64,
    /// The opponent's chips.
    others: u64,
    /// The targets that have yet to be tested.
    targets: Squares,
    /// If true, the chip that steps opens a line of the opponent.
    doubtful: bool,
}

impl<'a> Wins<'a> {
    /// Makes the iterator over the wins of `color` in `position`, for either side to move.
    #[inline]
    pub(crate) fn new(position: &'a Position, color: Color) -> Wins<'a> {
        let own = position.chips(color);
        let all = Gaps::new(position, color);
        let (origins, targets, gaps) = if position.in_hand(color) > 0 {
            let gaps = all.map_or(0, |gaps| gaps.for_add());
            let legal = if gaps == 0 { SquareSet::EMPTY } else { position.add_targets(color) };
            (SquareSet::EMPTY, SquareSet(gaps) & legal, None)
        } else {
            (if all.is_some() { own } else { SquareSet::EMPTY }, SquareSet::EMPTY, all)
        };
        Wins {
            position,
            color,
            gaps,
            origins: origins.iter(),
            from: None,
            own: own.0,
            others: position.chips(color.other()).0,
            targets: targets.iter(),
            doubtful: false,
        }
    }

    /// Goes on to the steps of the next chip, if there is one.
    fn next_origin(&mut self) -> Option<()> {
        let from = self.origins.next()?;
        let all = self.position.chips(self.color);
        self.from = Some(from);
        self.own = all.without(from).0;
        let occupied = self.position.occupied();
        let gaps = self.gaps.map_or(0, |gaps| gaps.for_step(from));
        self.targets = if gaps == 0 {
            SquareSet::EMPTY.iter()
        } else {
            (SquareSet(gaps) & self.position.step_targets(self.color, from)).iter()
        };
        self.doubtful = is_between(from, self.others, occupied.0);
        Some(())
    }

    /// Leaves out the other moves of the chip that stepped last.
    #[inline]
    pub(crate) fn skip_steps(&mut self) {
        self.targets = SquareSet::EMPTY.iter();
    }

    /// Returns true if a chip on `to` completes the network, and not the opponent's too.
    #[inline]
    fn wins(&self, to: Square) -> bool {
        let own = self.own | to.bit();
        let occupied = own | self.others;
        has_network(own, occupied, self.color)
            && !(self.doubtful && has_network(self.others, occupied, self.color.other()))
    }
}

impl Iterator for Wins<'_> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        loop {
            let Some(to) = self.targets.next() else {
                self.next_origin()?;
                continue;
            };
            if self.wins(to) {
                return Some(Move::new(self.from, to));
            }
        }
    }
}

impl Position {
    /// Returns the moves by which `color` would complete its network, if it were its turn, without
    /// completing the opponent's as well. The position must not be over.
    #[inline]
    #[must_use]
    pub fn wins(&self, color: Color) -> Wins<'_> {
        Wins::new(self, color)
    }
}
