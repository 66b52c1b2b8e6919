//! The positions of checks, drawn afresh from a seed.

use plyground::Game;
use plyground::search::Options;
use plyground_host::{
    Constraints, EngineOptions, HostedEngine, HostedGame, HostedPosition, MoveText, Promise,
    Strength,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::check::{Check, CheckKind};
use super::draw_rule::DrawRule;

/// A rule that no position fits is given up after so many games.
const MOST_GAMES: u32 = 1_000_000;

/// Memory for the transposition table of the engine in MiB.
const TABLE: usize = 16;

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
    /// The moves that lead to it.
    pub moves: Vec<MoveText>,
    /// The position.
    pub position: HostedPosition,
    /// The right moves, in a check about what is to be seen.
    pub right: Vec<MoveText>,
}

impl Task {
    /// The chance of a random legal move to be right.
    #[must_use]
    pub fn chance(&self) -> f64 {
        self.right.len() as f64 / self.position.legal_moves().count().max(1) as f64
    }
}

/// Why a check has no positions, as one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the check `{check}`: {why}")]
pub struct NotDrawn {
    /// The name of the check.
    pub check: String,
    /// What is wrong.
    pub why: String,
}

/// Gives every check its positions. Those of one check depend on the seed and on nothing else, so
/// they are the same for all who are graded, whatever other checks there are.
///
/// # Errors
///
/// When the moves of a fixed position are illegal, or no positions fit a rule.
pub fn draw_checks(
    game: &dyn HostedGame,
    checks: &[Check],
    seed: u64,
) -> Result<Vec<DrawnCheck>, NotDrawn> {
    let search = Options { table_mib: TABLE, ..Options::default() };
    let engine = game.engine(EngineOptions { search, book: None, without_prepared: true });
    let mut drawing = Drawing { game, engine };
    let drawn = checks.iter().map(|check| {
        let mut tasks = fixed(game, check)?;
        if let Some(rule) = &check.draw {
            drawing.draw(check, rule, seed, &mut tasks)?;
        }
        Ok(DrawnCheck { check: check.clone(), tasks })
    });
    drawn.collect()
}

/// The positions that a check always has.
fn fixed(game: &dyn HostedGame, check: &Check) -> Result<Vec<Task>, NotDrawn> {
    let tasks = check.positions.iter().map(|text| {
        let mut position = game.start();
        let moves = text.split_whitespace().map(|word| position.play_text(word));
        let moves = moves
            .collect::<Result<_, _>>()
            .map_err(|illegal| NotDrawn { check: check.name.clone(), why: illegal.to_string() })?;
        let plies = check.kind.plies();
        let right = plies.map_or_else(Vec::new, |plies| position.best_moves(plies).0);
        Ok(Task { moves, position, right })
    });
    tasks.collect()
}

/// What drawing needs.
struct Drawing<'a> {
    game: &'a dyn HostedGame,
    engine: Box<dyn HostedEngine>,
}

impl Drawing<'_> {
    fn draw(
        &mut self,
        check: &Check,
        rule: &DrawRule,
        seed: u64,
        tasks: &mut Vec<Task>,
    ) -> Result<(), NotDrawn> {
        let wanted = tasks.len() + rule.count;
        let mut rng = chance_of(seed, self.game, &check.name);
        for _ in 0..MOST_GAMES {
            if tasks.len() == wanted {
                return Ok(());
            }
            let Some((moves, position)) = self.random_game(check, rule, &mut rng) else { continue };
            if tasks.iter().any(|task| task.position == position) || !fits(&position, rule) {
                continue;
            }
            let right = match check.kind.plies() {
                None => Some(Vec::new()),
                Some(plies) => self.right_moves(&position, rule, &check.kind, plies),
            };
            tasks.extend(right.map(|right| Task { moves, position, right }));
        }
        let why = format!("{} of {wanted} positions were found that fit its rule", tasks.len());
        Err(NotDrawn { check: check.name.clone(), why })
    }

    /// A game of random moves, unless it ended when it should not.
    fn random_game(
        &self,
        check: &Check,
        rule: &DrawRule,
        rng: &mut StdRng,
    ) -> Option<(Vec<MoveText>, HostedPosition)> {
        let [least, most] = rule.after;
        let plies = rng.random_range(least..=most.max(least)) as usize;
        let is_about_ends = check.kind.is_about_ends();
        let most = if is_about_ends { usize::MAX } else { plies };
        let (moves, position) = self.game.start().after_random_moves(rng, most);
        (position.is_over() == is_about_ends).then_some((moves, position))
    }

    /// The right moves, if there are as many as the rule wants.
    fn right_moves(
        &mut self,
        position: &HostedPosition,
        rule: &DrawRule,
        kind: &CheckKind,
        plies: u32,
    ) -> Option<Vec<MoveText>> {
        let found = if rule.needed { self.found_late(position, plies)? } else { None };
        let (right, promise) = position.best_moves(plies);
        let most = rule.right.unwrap_or(usize::MAX).min(position.legal_moves().count() - 1);
        if promise == Promise::Lost || right.len() > most {
            return None;
        }
        // Somebody whose evaluation is as good as ours is not to be taken for one who looks too far
        // ahead: such a player sees the same with two plies fewer, and one who just counts does not.
        let by_evaluation = matches!(kind, CheckKind::CountsDepth { .. }) && plies > 2;
        if by_evaluation && self.choose(position, plies - 2).is_none_or(|mv| !right.contains(&mv)) {
            return None;
        }
        let is_late = found.is_none_or(|sooner| sooner.iter().all(|mv| !right.contains(mv)));
        is_late.then_some(right)
    }

    /// What a search with one ply fewer finds, if it is not what our own finds with all: that is
    /// cheap to see, and rules most positions out. `Some(None)` where there are no fewer plies.
    fn found_late(
        &mut self,
        position: &HostedPosition,
        plies: u32,
    ) -> Option<Option<Vec<MoveText>>> {
        let Some(fewer) = plies.checked_sub(1).filter(|&fewer| fewer > 0) else {
            return Some(None);
        };
        let found = self.choose(position, plies)?;
        let sooner = match position.best_by_points(fewer) {
            Some(moves) => moves,
            None => self.choose(position, fewer).into_iter().collect(),
        };
        (!sooner.contains(&found)).then_some(Some(sooner))
    }

    /// What our own search chooses.
    fn choose(&mut self, position: &HostedPosition, plies: u32) -> Option<MoveText> {
        self.engine.clear();
        let strength = Strength::Depth(plies);
        let chosen = self.engine.choose(position, strength, &Constraints::default());
        chosen.ok().flatten().map(|chosen| chosen.mv)
    }
}

/// Whether a position is as the rule wants it, whatever there is to see.
fn fits(position: &HostedPosition, rule: &DrawRule) -> bool {
    let scored = match position.points() {
        None => rule.points.is_none() && rule.lead.is_none(),
        Some([first, second]) => {
            rule.points.is_none_or(|least| first >= least && second >= least && first != second)
                && rule.lead.is_none_or(|most| first.abs_diff(second) <= most)
        }
    };
    scored && position.legal_moves().count() >= rule.moves
}

/// The chance of one check: nobody who knows the positions of some can tell those of others.
fn chance_of(seed: u64, game: &dyn HostedGame, check: &str) -> StdRng {
    let mut hash = Sha256::new();
    for part in [game.name(), &game.rules(), check] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.update(seed.to_le_bytes());
    StdRng::from_seed(hash.finalize().into())
}
