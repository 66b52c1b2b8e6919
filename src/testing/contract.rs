//! Tests of the whole contract, and the rules that concern one position and its moves.

use std::collections::HashSet;

use super::keys::{Collisions, Results, Seen, equal};
use super::reference::Solver;
use super::sample::{Playout, Sample, forcing};
use super::{Breach, Rule, describe, require};
use crate::game::{Outcome, Side};
use crate::hints::{Evaluator, SearchHints};
use crate::score::{Bounds, Score};

/// The coverage of a check. Small numbers mean that the check has shown little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Positions looked at closely, with repetitions.
    pub positions: usize,
    /// Different moves tried in each position.
    pub moves: usize,
    /// Positions, among those looked at closely, in which [`SearchHints::forcing`] named a win or a threat.
    pub forced: usize,
    /// Positions whose exact result was compared with the bounds and the end-of-game key.
    pub solved: usize,
    /// Different keys compared.
    pub keys: usize,
}

/// The greatest number of moves that play-outs add to the moves of the [`Sample`].
const MOST_MOVES: usize = 10_000;
/// The greatest number of positions at the end of a play-out that are solved.
const SOLVED_PLIES: usize = 12;
/// The number of nodes for each of these positions.
const SOLVER_NODES: u64 = 2_000;
/// The depth of the solver in a game without [`Game::plies_left`].
const OPEN_PLIES: u32 = 3;
/// The number of positions of which at least one must be new, or else the comparison of keys ends.
const RARE: usize = 100;
/// The number of play-outs between two counts of new positions.
const BATCH: usize = 1_000;

/// Tests that a game and an evaluator for it keep the contract of [`Game`](crate::Game) and [`Evaluator`]:
/// every [`Rule`], on the positions of `sample`.
///
/// `bounds` and end-of-game keys are tested only where plain minimax finds the result, near the end of a
/// game: give starts near the end if games are long.
///
/// # Errors
///
/// Returns the first breach found, which names the rule, the position and the move.
///
/// ```
/// use plyground::Flat;
/// use plyground::testing::{Sample, TicTacToe, check_contract};
///
/// let sample = Sample::new([TicTacToe::default()], 1);
/// let coverage = check_contract(&sample, &Flat)?;
/// assert!(coverage.keys > 5_000);
/// # Ok::<(), plyground::testing::Breach>(())
/// ```
pub fn check_contract<G: SearchHints, E: Evaluator<G>>(
    sample: &Sample<G>,
    evaluator: &E,
) -> Result<Checked, Breach> {
    let Some(mut walks) = sample.walks() else { return Ok(Checked::default()) };
    let mut playouts = Vec::with_capacity(sample.playouts);
    for _ in 0..sample.playouts {
        playouts.push(walks.next()?);
    }
    let moves = candidates(sample, &playouts);
    let mut seen = Seen::new(evaluator);
    let mut results = Results::default();
    let mut coverage = Checked { moves: moves.len(), ..Checked::default() };
    for start in &sample.starts {
        check_constants(start)?;
        seen.add(start)?;
    }
    for playout in &playouts {
        for position in &playout.positions {
            coverage.forced += usize::from(check_position(position, &moves, evaluator)?);
            seen.add(position)?;
        }
        replay(playout)?;
        coverage.positions += playout.positions.len();
        coverage.solved += solve_end(playout, &mut results)?;
    }
    coverage.keys = compare_keys(sample, evaluator)?.max(seen.len());
    Ok(coverage)
}

/// Returns the moves to try: the moves of the sample, then the moves of the play-outs.
fn candidates<G: SearchHints>(sample: &Sample<G>, playouts: &[Playout<G>]) -> Vec<G::Move> {
    let mut texts = HashSet::new();
    let occurring = playouts.iter().flat_map(|playout| playout.moves.iter()).take(MOST_MOVES);
    sample
        .moves
        .iter()
        .chain(occurring)
        .filter(|mv| texts.insert(mv.to_string()))
        .copied()
        .collect()
}

/// Plays the moves again from their texts.
fn replay<G: SearchHints>(playout: &Playout<G>) -> Result<(), Breach> {
    let Some(mut position) = playout.positions.first().cloned() else { return Ok(()) };
    for (mv, expected) in playout.moves.iter().zip(&playout.positions[1..]) {
        let read = mv.to_string().parse::<G::Move>().ok();
        let played = read.is_some_and(|mv| position.play(mv).is_ok());
        require(played, Rule::Notation, &position, || {
            format!("move {mv:?}, played in this position, cannot be played again as {mv}")
        })?;
        require(position == *expected, Rule::Play, expected, || {
            format!("move {mv} led here, and when played again to {position:?}")
        })?;
        equal(expected, &position)?;
    }
    Ok(())
}

/// Solves the last positions of a play-out, as far back as possible, and all positions that follow from
/// them. Returns the number of positions solved.
fn solve_end<G: SearchHints>(playout: &Playout<G>, results: &mut Results) -> Result<usize, Breach> {
    let mut solved = 0;
    for position in playout.positions.iter().rev().take(SOLVED_PLIES) {
        let plies = position.plies_left().unwrap_or(OPEN_PLIES);
        let mut solver = Solver::new(SOLVER_NODES, |position: &G, score| {
            solved += 1;
            results.add(position, score)
        });
        let result = solver.solve(position, plies)?;
        if result.is_none() && position.plies_left().is_some() {
            break;
        }
    }
    Ok(solved)
}

/// Compares keys until there are as many as wanted, or new ones become rare.
fn compare_keys<G: SearchHints>(
    sample: &Sample<G>,
    evaluator: &impl Evaluator<G>,
) -> Result<usize, Breach> {
    let mut collisions = Collisions::default();
    let Some(mut walks) = sample.walks() else { return Ok(0) };
    while collisions.len() < sample.keys {
        let (before, mut visited) = (collisions.len(), 0);
        for _ in 0..BATCH {
            let playout = walks.next()?;
            visited += playout.positions.len();
            for position in &playout.positions {
                collisions.add(position, evaluator)?;
            }
            if collisions.len() >= sample.keys {
                break;
            }
        }
        if (collisions.len() - before) * RARE < visited {
            break;
        }
    }
    Ok(collisions.len())
}

/// The greatest magnitude of [`Evaluator::order`].
const MOST_ORDER: u32 = 100_000_000;

/// Checks the constants of the game; `position` may be any position.
fn check_constants<G: SearchHints>(position: &G) -> Result<(), Breach> {
    let is_name = |c: char| !c.is_whitespace() && !c.is_uppercase() && !c.is_control();
    let name = G::NAME;
    require(!name.is_empty() && name.chars().all(is_name), Rule::Constants, position, || {
        format!("the name is {name:?}")
    })?;
    require(
        (1..=Score::MAX_ESTIMATE.get()).contains(&G::POINT),
        Rule::Constants,
        position,
        || format!("POINT is {}", G::POINT),
    )?;
    let codes = G::MOVE_CODES;
    require((1..1 << 16).contains(&codes), Rule::Constants, position, || {
        format!("MOVE_CODES is {codes}")
    })
}

/// Checks all rules about `position` alone; `candidates` are the moves to try. Returns true if the game's
/// answer about forcing is a win or a threat.
fn check_position<G: SearchHints>(
    position: &G,
    candidates: &[G::Move],
    evaluator: &impl Evaluator<G>,
) -> Result<bool, Breach> {
    margins(position)?;
    bounds_are_points(position)?;
    closer_bounds_agree(position)?;
    if position.outcome().is_some() {
        let generated: Vec<G::Move> = position.legal_moves().collect();
        require(generated.is_empty(), Rule::Moves, position, || {
            format!("the game is over, but there are legal moves: {generated:?}")
        })?;
        candidates.iter().try_for_each(|&mv| refused(position, mv))?;
        return Ok(false);
    }
    evaluation(position, evaluator)?;
    let legal: Vec<G::Move> = position.legal_moves().collect();
    require(!legal.is_empty(), Rule::Moves, position, || "no move, but no outcome".to_owned())?;
    require(position.plies_left() != Some(0), Rule::PliesLeft, position, || {
        "plies_left is 0, but the game is not over".to_owned()
    })?;
    generator(position, &legal, candidates)?;
    require(position.open_moves().eq(legal.iter().copied()), Rule::Generator, position, || {
        format!("open_moves differ from legal_moves: {legal:?}")
    })?;
    let pass = legal.iter().find(|&&mv| position.is_pass(mv));
    require(pass.is_none() || legal.len() == 1, Rule::Pass, position, || {
        format!("there are other moves than a pass: {legal:?}")
    })?;
    for (index, &mv) in legal.iter().enumerate() {
        legal_move(position, mv)?;
        order(position, mv, evaluator)?;
        legal[..index].iter().try_for_each(|&other| different(position, mv, other))?;
    }
    forcing(position, &legal)
}

fn generator<G: SearchHints>(
    position: &G,
    legal: &[G::Move],
    candidates: &[G::Move],
) -> Result<(), Breach> {
    let again: Vec<G::Move> = position.clone().legal_moves().collect();
    require(again == legal, Rule::Generator, position, || {
        format!("legal_moves of a clone differ: {again:?} after {legal:?}")
    })?;
    for &mv in legal {
        let verdict = position.check_legal(mv);
        require(verdict.is_ok(), Rule::Generator, position, || {
            format!("move {mv} is generated, but check_legal says: {}", error_text(&verdict))
        })?;
    }
    for &mv in candidates {
        if legal.contains(&mv) {
            continue;
        }
        require(position.check_legal(mv).is_err(), Rule::Generator, position, || {
            format!("move {mv} is legal by check_legal, but not generated")
        })?;
        refused(position, mv)?;
    }
    Ok(())
}

fn error_text<E: std::fmt::Display>(verdict: &Result<(), E>) -> String {
    verdict.as_ref().err().map(E::to_string).unwrap_or_default()
}

/// Checks that an illegal move is refused and changes nothing.
fn refused<G: SearchHints>(position: &G, mv: G::Move) -> Result<(), Breach> {
    let mut after = position.clone();
    let verdict = after.play(mv);
    if verdict.is_ok() {
        let rule = if position.outcome().is_some() { Rule::Moves } else { Rule::Refusal };
        return Err(Breach::new(rule, position, format!("play accepts the illegal move {mv}")));
    }
    require(after == *position, Rule::Refusal, position, || {
        format!(
            "the illegal move {mv} was refused, but changed the position to\n{}",
            describe(&after)
        )
    })?;
    let text = error_text(&verdict);
    let is_fine = text.contains(&mv.to_string()) && text.lines().count() == 1;
    require(is_fine, Rule::Refusal, position, || {
        format!("the reason why {mv} is refused should be one line with the move in it: {text:?}")
    })
}

/// Checks the rules about one legal move.
fn legal_move<G: SearchHints>(position: &G, mv: G::Move) -> Result<(), Breach> {
    let after = position.after(mv);
    let mut played = position.clone();
    let verdict = played.play(mv);
    require(verdict.is_ok() && played == after, Rule::Play, position, || {
        format!("after and play differ for move {mv}: {after:?} and {played:?}")
    })?;
    let may_stay = !G::ALTERNATES && !position.is_pass(mv);
    let changes = after.side_to_move() != position.side_to_move();
    require(may_stay || changes, Rule::Play, position, || match G::ALTERNATES {
        true => format!(
            "the same side is to move after move {mv}: a game with extra turns sets ALTERNATES to false"
        ),
        false => format!("the same side is to move after the pass {mv}"),
    })?;
    let (left, next_left) = (position.plies_left(), after.plies_left());
    let shrinks = match (left, next_left) {
        (Some(left), Some(next)) => next < left,
        (Some(_), None) => false,
        (None, _) => true,
    };
    require(shrinks, Rule::PliesLeft, position, || {
        format!("plies_left goes from {left:?} to {next_left:?} with move {mv}")
    })?;
    let text = mv.to_string();
    let is_one_word = !text.is_empty() && text.trim() == text && text.lines().count() == 1;
    require(is_one_word, Rule::Notation, position, || format!("the text of {mv:?} is {text:?}"))?;
    let read = text.parse::<G::Move>().ok();
    require(read == Some(mv), Rule::Notation, position, || {
        format!("{mv:?} is written {text:?}, which reads as {read:?}")
    })?;
    codes(position, mv)
}

fn codes<G: SearchHints>(position: &G, mv: G::Move) -> Result<(), Breach> {
    let code = position.move_code(mv);
    require(code < G::MOVE_CODES, Rule::MoveCode, position, || {
        format!("the code of move {mv} is {code}, not below {}", G::MOVE_CODES)
    })?;
    let canonical = position.canonical_code(code);
    require(canonical < G::MOVE_CODES, Rule::CanonicalCode, position, || {
        format!("the canonical code of {code} (move {mv}) is {canonical}")
    })?;
    let back = position.canonical_code(canonical);
    require(back == code, Rule::CanonicalCode, position, || {
        format!("the canonical code of {code} (move {mv}) is {canonical}, and of that {back}")
    })
}

/// Checks that two legal moves, the second generated before the first, can be told apart.
fn different<G: SearchHints>(position: &G, mv: G::Move, other: G::Move) -> Result<(), Breach> {
    require(mv != other, Rule::Generator, position, || format!("move {mv} is generated twice"))?;
    require(mv.to_string() != other.to_string(), Rule::Notation, position, || {
        format!("{mv:?} and {other:?} are both written {mv}")
    })?;
    let code = position.move_code(mv);
    require(code != position.move_code(other), Rule::MoveCode, position, || {
        format!("moves {mv} and {other} share the code {code}")
    })
}

/// Checks that points and margins agree, and fit between the scores of forced ends.
fn margins<G: SearchHints>(position: &G) -> Result<(), Breach> {
    let by_points = position.points().map(|[first, second]| match position.side_to_move() {
        Side::First => first - second,
        Side::Second => second - first,
    });
    let margin = position.margin();
    require(by_points.is_none_or(|by_points| by_points == margin), Rule::Points, position, || {
        format!("the margin is {margin}, but the points are {:?}", position.points())
    })?;
    let last = match position.outcome() {
        Some(Outcome::Points { first, second }) => first - second,
        _ => 0,
    };
    let greatest = Score::MAX_ESTIMATE.get() / G::POINT;
    let fits = |margin: i32| margin.abs() <= greatest;
    require(fits(margin) && fits(last), Rule::Points, position, || {
        format!("a margin of {margin} and then {last} points, but at most {greatest} fit")
    })
}

fn bounds_are_points<G: SearchHints>(position: &G) -> Result<(), Breach> {
    let Bounds { lower, upper } = position.closest_bounds();
    let is_point = |score: Score| {
        score == Score::MIN
            || score == Score::MAX
            || score.plies_to_end().is_none() && score.get() % G::POINT == 0
    };
    require(is_point(lower) && is_point(upper) && lower <= upper, Rule::Bounds, position, || {
        format!("the bounds are {lower} to {upper} ({} to {})", lower.get(), upper.get())
    })
}

/// Checks that the closer bounds of every window agree with the full ones within the window.
fn closer_bounds_agree<G: SearchHints>(position: &G) -> Result<(), Breach> {
    let Some(full) = position.closer_bounds(Score::MIN, Score::MAX) else { return Ok(()) };
    for limit in [full.lower, full.upper].into_iter().filter(|limit| limit.plies_to_end().is_none())
    {
        for (alpha, beta) in [(limit - 1, limit), (limit, limit + 1), (limit - 1, limit + 1)] {
            let given = position.closer_bounds(alpha, beta).unwrap_or(Bounds::NONE);
            // The end of the window beyond which the limit lies, or the limit itself if it is inside.
            let seen = |limit: Score| limit.clamp(alpha, beta);
            let agree =
                seen(given.lower) == seen(full.lower) && seen(given.upper) == seen(full.upper);
            require(agree, Rule::Bounds, position, || {
                format!("the closer bounds are {full:?}, but {given:?} between {alpha} and {beta}")
            })?;
        }
    }
    Ok(())
}

fn evaluation<G: SearchHints>(position: &G, evaluator: &impl Evaluator<G>) -> Result<(), Breach> {
    let value = evaluator.evaluate(position);
    let points = position.margin() * G::POINT;
    let in_range = match points {
        0 => (Score::MIN..=Score::MAX).contains(&value),
        _ => [value, value - points].iter().all(|score| score.plies_to_end().is_none()),
    };
    require(in_range && evaluator.evaluate(position) == value, Rule::Evaluation, position, || {
        format!("the evaluation is {}, then {}", value.get(), evaluator.evaluate(position).get())
    })
}

fn order<G: SearchHints>(
    position: &G,
    mv: G::Move,
    evaluator: &impl Evaluator<G>,
) -> Result<(), Breach> {
    let order = evaluator.order(position, mv, &position.after(mv));
    require(order.unsigned_abs() <= MOST_ORDER, Rule::Evaluation, position, || {
        format!("the order of move {mv} is {order}")
    })
}
