//! The positions of checks, drawn from a seed, and the rules by which they are drawn.

use plyground::search::{Limits, Options};
use plyground::{Game, Side, Turn};
use plyground_durable::excerpt;
use plyground_host::{
    Constraints, EngineOptions, HostedEngine, HostedGame, HostedPosition, MoveText, Promise,
    Strength,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::check::{Check, CheckKind, DrawRule, LAST_PLIES};

/// The effort after which the search for fitting positions gives up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// The number of random games.
    pub(super) games: u32,
    /// The number of random games if none of them has a position that fits, apart from its right moves.
    pub(super) without_any: u32,
    /// The number of positions whose right moves do not fit the rule.
    pub(super) searched: u32,
}

/// The effort for the checks of an assignment.
const FULL: Effort = Effort { games: 1_000_000, without_any: 20_000, searched: u32::MAX };

/// The memory for the engine's transposition table, in MiB.
const TABLE: usize = 16;

/// The greatest share of the positions of a check in which one move is right, times the number of legal moves: three
/// halves of the share that chance gives.
const MOST_FREQUENT: [usize; 2] = [3, 2];

/// The same for the first move of a fixed order. Each order leaves fewer positions, which take long to find.
const MOST_IN_ORDER: usize = 2;

/// A check, with all its positions.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnCheck {
    /// The check.
    pub check: Check,
    /// The positions.
    pub tasks: Vec<Task>,
}

/// A position in which a check is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The moves that lead to the position.
    pub moves: Vec<MoveText>,
    /// The position.
    pub position: HostedPosition,
    /// The right moves, in a check that has right moves.
    pub right: Vec<MoveText>,
    /// The number of plies that it takes to see the right moves; 0 in all other checks.
    pub plies: u32,
}

impl Task {
    /// Returns the chance that a random legal move is right.
    pub fn chance(&self) -> f64 {
        self.right.len() as f64 / self.position.legal_moves().count().max(1) as f64
    }
}

/// The error for a check without positions, as one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the check `{check}`: {why}")]
pub struct NotDrawn {
    /// The name of the check.
    pub check: String,
    /// The reason.
    pub why: String,
}

/// Draws the positions of every check, with each side to move in half of them. The positions of a
/// check depend only on the seed, not on the other checks, so they are the same for all players.
///
/// # Errors
///
/// Returns an error if the moves of a fixed position are illegal, or if too few positions fit a
/// rule.
pub fn draw_checks(
    game: &dyn HostedGame,
    checks: &[Check],
    seed: u64,
) -> Result<Vec<DrawnCheck>, NotDrawn> {
    draw_with(game, checks, seed, FULL)
}

/// Draws the positions of every check, and gives up after this effort for one of them.
pub(super) fn draw_with(
    game: &dyn HostedGame,
    checks: &[Check],
    seed: u64,
    effort: Effort,
) -> Result<Vec<DrawnCheck>, NotDrawn> {
    let search = Options { table_mib: TABLE, ..Options::default() };
    let engine = game.engine(EngineOptions { search, book: None, without_prepared: true });
    let mut drawing = Drawing { game, engine, effort, orders: fixed_orders(game) };
    let drawn = checks.iter().map(|check| {
        let mut tasks = fixed(game, check)?;
        let mut rng = chance_of(seed, game, &check.name);
        for rule in &check.draw {
            drawing.draw(check, rule, &mut rng, &mut tasks)?;
        }
        Ok(DrawnCheck { check: check.clone(), tasks })
    });
    drawn.collect()
}

fn fixed(game: &dyn HostedGame, check: &Check) -> Result<Vec<Task>, NotDrawn> {
    let tasks = check.positions.iter().map(|text| {
        let mut position = game.start();
        let moves = text.split_whitespace().map(|word| position.play_text(word));
        let moves = moves
            .collect::<Result<_, _>>()
            .map_err(|illegal| NotDrawn { check: check.name.clone(), why: illegal.to_string() })?;
        let left = position.plies_left().unwrap_or_default();
        if check.is_about_last_plies() && !(LAST_PLIES[0]..=LAST_PLIES[1]).contains(&left) {
            let [least, most] = LAST_PLIES;
            let why = format!("expected {least} to {most} plies left, found {left}");
            return Err(NotDrawn { check: check.name.clone(), why });
        }
        if position.is_over() != check.is_about_ends() {
            let not = if position.is_over() { "" } else { "not " };
            let why = format!("the game is {not}over after the moves `{}`", excerpt(text));
            return Err(NotDrawn { check: check.name.clone(), why });
        }
        let plies = check.keys.plies.map_or(0, |plies| plies_in(&position, plies));
        let right = if plies == 0 { Vec::new() } else { position.best_moves(plies).0 };
        Ok(Task { moves, position, right, plies })
    });
    tasks.collect()
}

struct Drawing<'a> {
    game: &'a dyn HostedGame,
    engine: Box<dyn HostedEngine>,
    effort: Effort,
    orders: [Vec<MoveText>; 4],
}

/// The random games whose positions do not fit, by the reason.
#[derive(Clone, Copy, Debug, Default)]
struct Misses {
    games: u32,
    too_short: u32,
    points: u32,
    moves: u32,
    right: u32,
    frequent: u32,
}

impl Misses {
    /// Returns true if the effort is spent. `found` is the number of positions that were found.
    fn are_enough(&self, found: usize, effort: Effort) -> bool {
        let without_any = found == 0 && self.right == 0;
        let most = if without_any { effort.without_any } else { effort.games };
        self.games >= most || self.right >= effort.searched
    }

    /// Describes why positions do not fit, with the keys that are to blame.
    fn in_words(&self, is_about_ends: bool) -> String {
        let after = if is_about_ends { "did not end" } else { "ended before `after`" };
        let fit_not = self.too_short + self.points + self.moves + self.right + self.frequent;
        let reasons = [
            (self.games - fit_not, "have the other side to move, or were found before"),
            (self.too_short, after),
            (self.points, "do not fit `points` or `lead`"),
            (self.moves, "have fewer than `moves` legal moves"),
            (self.right, "have other numbers of right moves, or do not show them so late"),
            (self.frequent, "have a right move that needs no search, as others before"),
        ];
        let reasons = reasons.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<_> = reasons.map(|(count, why)| format!("{count} {why}")).collect();
        format!("of {} random games, {}", self.games, reasons.join(", "))
    }
}

impl Drawing<'_> {
    fn draw(
        &mut self,
        check: &Check,
        rule: &DrawRule,
        rng: &mut StdRng,
        tasks: &mut Vec<Task>,
    ) -> Result<(), NotDrawn> {
        let wanted = tasks.len() + rule.count;
        let (mut misses, before) = (Misses::default(), tasks.len());
        while tasks.len() < wanted && !misses.are_enough(tasks.len() - before, self.effort) {
            misses.games += 1;
            // Each side moves in half of the positions, since a program may play either.
            let side = Side::BOTH[tasks.len() % Side::BOTH.len()];
            let Some((moves, position)) = self.random_game(check, rule, side, rng) else {
                misses.too_short += 1;
                continue;
            };
            let has_turn = position.is_over() || position.side_to_move() == side;
            if !has_turn || tasks.iter().any(|task| task.position == position) {
                continue;
            }
            if !fits_points(&position, rule) {
                misses.points += 1;
                continue;
            }
            if position.legal_moves().count() < rule.moves {
                misses.moves += 1;
                continue;
            }
            let more = u32::from(rule.further && tasks.len() / Side::BOTH.len() % 2 == 1);
            let plies = check.keys.plies.map_or(0, |plies| plies_in(&position, plies + more));
            let right = match plies {
                0 => Some(Vec::new()),
                _ => self.right_moves(&position, rule, check.kind, plies),
            };
            let Some(right) = right else {
                misses.right += 1;
                continue;
            };
            let task = Task { moves, position, right, plies };
            // The search to the end of the game takes longest.
            if self.is_frequent(&task, tasks, wanted) {
                misses.frequent += 1;
            } else if plies > 0 && rule.gap.is_some() && !self.is_worth_points(&task, rule) {
                misses.right += 1;
            } else {
                tasks.push(task);
            }
        }
        if tasks.len() == wanted {
            return Ok(());
        }
        let found = tasks.len() - before;
        let misses = misses.in_words(check.is_about_ends());
        let why =
            format!("{found} of {} positions were found that fit `draw`: {misses}", rule.count);
        Err(NotDrawn { check: check.name.clone(), why })
    }

    /// Plays a game of random moves, as many as give `side` the move in a game whose sides take turns. Returns `None`
    /// if it ended too early, or did not end in a check about ends.
    fn random_game(
        &self,
        check: &Check,
        rule: &DrawRule,
        side: Side,
        rng: &mut StdRng,
    ) -> Option<(Vec<MoveText>, HostedPosition)> {
        let start = self.game.start();
        let [least, most] = match start.plies_left().filter(|_| check.is_about_last_plies()) {
            Some(length) => [LAST_PLIES[1], LAST_PLIES[0]].map(|left| length.saturating_sub(left)),
            None => rule.after,
        };
        let has_turn = least.is_multiple_of(2) == (start.side_to_move() == side);
        let first = least.saturating_add(u32::from(!has_turn));
        let pairs = most.checked_sub(first).map(|more| more / 2);
        let plies = pairs.map_or(least, |pairs| first + 2 * rng.random_range(0..=pairs)) as usize;
        let is_about_ends = check.is_about_ends();
        let most = if is_about_ends { usize::MAX } else { plies };
        let (moves, position) = start.after_random_moves(rng, most);
        (position.is_over() == is_about_ends).then_some((moves, position))
    }

    /// Returns the right moves, if their number fits the rule.
    fn right_moves(
        &mut self,
        position: &HostedPosition,
        rule: &DrawRule,
        kind: CheckKind,
        plies: u32,
    ) -> Option<Vec<MoveText>> {
        let most = rule.right.unwrap_or(usize::MAX).min(position.legal_moves().count() - 1);
        if let Some(gap) = rule.gap {
            // A player that only counts points, without a search, chooses among the moves that are best sooner.
            if rule.needed && !position.shows_late(plies, gap) {
                return None;
            }
            let right = position.best_by_points(plies, gap)?;
            return (right.len() <= most).then_some(right);
        }
        let found = if rule.needed { self.found_late(position, plies)? } else { None };
        let (right, promise) = position.best_moves(plies);
        if promise == Promise::Lost || right.len() > most {
            return None;
        }
        // The position must distinguish a player with an evaluation as good as the engine's from a
        // player that looks a ply too far: with two plies less, only the former finds a right move.
        let by_evaluation = kind == CheckKind::CountsDepth && plies > 2;
        if by_evaluation && self.choose(position, plies - 2).is_none_or(|mv| !right.contains(&mv)) {
            return None;
        }
        let is_late = found.is_none_or(|sooner| sooner.iter().all(|mv| !right.contains(mv)));
        is_late.then_some(right)
    }

    /// Returns true if the right moves, which are better by points than all others within the plies,
    /// are better by as much as the rule wants at the end of the game.
    fn is_worth_points(&mut self, Task { position, right, .. }: &Task, rule: &DrawRule) -> bool {
        let Some(left) = position.plies_left() else { return false };
        self.engine.clear();
        let mut score_after = |mv| {
            let after = position.after(mv);
            let value = self.engine.glance(&after, &Limits::depth(left)).ok().flatten()?;
            Some(i64::from(value.before_move(Turn::between(position, &after)).score().get()))
        };
        let least = right.iter().map(|&mv| score_after(mv)).min().flatten();
        let Some(least) = least else { return false };
        let gap = i64::from(rule.final_gap) * i64::from(self.game.point());
        // Most positions have a move that is as good in the end, and then the others need no search.
        let mut others = position.legal_moves().filter(|mv| !right.contains(mv));
        others.all(|mv| score_after(mv).is_some_and(|score| least - score >= gap))
    }

    /// Returns the moves that a search with one ply less finds, unless they include the move of the
    /// engine's own search with all plies. This cheap test rules most positions out. Returns
    /// `Some(None)` if `plies` is 1.
    fn found_late(
        &mut self,
        position: &HostedPosition,
        plies: u32,
    ) -> Option<Option<Vec<MoveText>>> {
        let Some(fewer) = plies.checked_sub(1).filter(|&fewer| fewer > 0) else {
            return Some(None);
        };
        let found = self.choose(position, plies)?;
        let by_points = position.best_by_points(fewer, 1);
        let sooner =
            by_points.unwrap_or_else(|| self.choose(position, fewer).into_iter().collect());
        (!sooner.contains(&found)).then_some(Some(sooner))
    }

    /// Returns true if one of the right moves, or the first of a fixed order, is already right in more positions than
    /// chance explains, or if the move that was made most often is right in half of them, as it is in most of the last
    /// positions of Max-Connect4. A player that always makes the same move, or the most central one, must not see
    /// anything by that.
    fn is_frequent(&self, new: &Task, tasks: &[Task], wanted: usize) -> bool {
        let legal = new.position.legal_moves().count().max(1);
        let most = (wanted * MOST_FREQUENT[0]).div_ceil(legal * MOST_FREQUENT[1]);
        let most_in_order = (wanted * new.right.len() * MOST_IN_ORDER).div_ceil(legal);
        let count = |mv: &MoveText| tasks.iter().filter(|task| task.right.contains(mv)).count();
        let is_often_right = |most: usize, choice: &dyn Fn(&Task) -> Option<MoveText>| {
            let is_right = |task: &&Task| choice(task).is_some_and(|mv| task.right.contains(&mv));
            is_right(&new) && tasks.iter().filter(is_right).count() >= most
        };
        let [.., outward] = &self.orders;
        let mut orders = self.orders.iter();
        new.right.iter().any(|mv| count(mv) >= most)
            || orders.any(|order| is_often_right(most_in_order, &|task| first_of(order, task)))
            || is_often_right(wanted.div_ceil(2), &|task| most_made(outward, task))
    }

    /// Returns the move that the engine's own search chooses.
    fn choose(&mut self, position: &HostedPosition, plies: u32) -> Option<MoveText> {
        self.engine.clear();
        let strength = Strength::Depth(plies);
        let chosen = self.engine.choose(position, strength, &Constraints::default());
        chosen.ok().flatten().map(|chosen| chosen.mv)
    }
}

/// Returns the number of plies of a check that are left in a position.
fn plies_in(position: &HostedPosition, plies: u32) -> u32 {
    position.plies_left().map_or(plies, |left| left.min(plies))
}

/// Returns the orders in which a player without a search may try moves: that of the moves of the start, its reverse,
/// and from its middle outward with either move of a pair first.
fn fixed_orders(game: &dyn HostedGame) -> [Vec<MoveText>; 4] {
    let first: Vec<MoveText> = game.start().legal_moves().collect();
    let last: Vec<MoveText> = first.iter().rev().copied().collect();
    let outward = |moves: &[MoveText]| {
        let mut places: Vec<usize> = (0..moves.len()).collect();
        places.sort_by_key(|place| (2 * place + 1).abs_diff(moves.len()));
        places.into_iter().map(|place| moves[place]).collect()
    };
    let [left, right] = [outward(&first), outward(&last)];
    [first, last, left, right]
}

fn first_of(order: &[MoveText], task: &Task) -> Option<MoveText> {
    let legal: Vec<MoveText> = task.position.legal_moves().collect();
    order.iter().find(|mv| legal.contains(mv)).copied()
}

/// Returns the legal move that was made most often before, in Max-Connect4 the fullest column; of several, the first in
/// an order.
fn most_made(order: &[MoveText], task: &Task) -> Option<MoveText> {
    let legal: Vec<MoveText> = task.position.legal_moves().collect();
    let count = |mv: &&MoveText| task.moves.iter().filter(|other| other == mv).count();
    // The iterator returns the last of several.
    order.iter().rev().filter(|mv| legal.contains(mv)).max_by_key(count).copied()
}

fn fits_points(position: &HostedPosition, rule: &DrawRule) -> bool {
    match position.points() {
        None => rule.points.is_none() && rule.lead.is_none(),
        Some([first, second]) => {
            rule.points.is_none_or(|least| first >= least && second >= least && first != second)
                && rule.lead.is_none_or(|most| first.abs_diff(second) <= most)
        }
    }
}

/// Returns a random number generator for one purpose, such as the positions of a check. Its numbers
/// reveal nothing about the numbers of another purpose.
pub(super) fn chance_of(seed: u64, game: &dyn HostedGame, purpose: &str) -> StdRng {
    let mut hash = Sha256::new();
    for part in [game.name(), &game.rules(), purpose] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.update(seed.to_le_bytes());
    StdRng::from_seed(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::parse_checks;

    /// A player that always makes the same move, or the first legal one of an order, sees nothing by that.
    #[test]
    fn no_move_and_no_order_is_right_again_and_again() {
        let text = "[[check]]\nname = 'a'\npoints = 1\nkind = 'sees'\ndepth = 2\nplies = 2\nasks = ''\nwhy = ''\n\
            sentence = ''\ndraw = { count = 12, after = [20, 24], moves = 6, right = 1, gap = 2 }\n";
        let checks = parse_checks(text).expect("a check");
        let game = maxconnect4::game();
        let orders = ["1234567", "7654321", "4352617", "4536271"]
            .map(|order| order.chars().map(|mv| mv.to_string()).collect::<Vec<_>>());
        let found: [Vec<String>; 4] =
            fixed_orders(&*game).map(|order| order.iter().map(MoveText::to_string).collect());
        assert_eq!(found, orders);
        for seed in 1..=3 {
            let drawn = draw_checks(&*game, &checks, seed).expect("positions");
            let tasks = &drawn[0].tasks;
            let right: Vec<MoveText> = tasks.iter().flat_map(|task| task.right.clone()).collect();
            let most =
                right.iter().map(|mv| right.iter().filter(|other| *other == mv).count()).max();
            assert!(most <= Some(3), "{right:?}");
            let count = |choice: &dyn Fn(&Task) -> Option<MoveText>| {
                let is_right =
                    |task: &&Task| choice(task).is_some_and(|mv| task.right.contains(&mv));
                tasks.iter().filter(is_right).count()
            };
            let orders = fixed_orders(&*game);
            for order in &orders {
                let most = count(&|task| first_of(order, task));
                assert!(most <= 4, "{order:?}: {right:?}");
            }
            let most = count(&|task| most_made(&orders[3], task));
            assert!(most <= 6, "{right:?}");
        }
    }

    /// Legal moves that never change could be learned by heart.
    #[test]
    fn positions_of_legal_moves_are_drawn_and_have_adds_and_steps() {
        let game = network::game(network::Rules::Berkeley);
        let checks = parse_checks(game.checks()).expect("the checks");
        let checks: Vec<Check> =
            checks.into_iter().filter(|check| check.kind == CheckKind::AcceptsLegal).collect();
        let moves = |seed| {
            let drawn = draw_checks(&*game, &checks, seed).expect("positions");
            drawn[0].tasks.iter().map(|task| task.moves.clone()).collect::<Vec<_>>()
        };
        let [one, other] = [1, 2].map(moves);
        assert!(one.iter().all(|line| !other.contains(line)));
        let is_of_adds = |line: &&Vec<MoveText>| line.len() <= 18;
        assert_eq!(one.iter().filter(is_of_adds).count(), 3);
        assert_eq!(one.len(), 6);
    }
}
