//! Forced wins on the clock, against minimax. The clocks are ample: nothing depends on them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use maxconnect4::Size;
use plyground::perfect::{ForcedPlay, Perfect, PlayTime, Source, Ties};
use plyground::proof::{Allowance, AtLeast, Finder, Goal, NoTactics, Numbers, Prepared, Tactics};
use plyground::search::{Options, Report, Scope, SearchContext};
use plyground::testing::{Digraph, TicTacToe, random_position};
use plyground::{AlphaBeta, Flat, Game, Limits, Minimax, Score, Search, SearchHints, Side, Value};

/// The size of the tables in MiB.
const TABLE: usize = 1;

/// The tactics of a game about which nothing is known: wins within this many plies are worth looking for.
#[derive(Clone, Copy)]
pub struct Within(pub u32);

impl<G: SearchHints> Tactics<G> for Within {
    type Goal = AtLeast;

    fn goal(&self, _: &G, attacker: Side) -> AtLeast {
        AtLeast { attacker, margin: 1 }
    }

    fn horizon(&self, _: &G, _: Side) -> u32 {
        self.0
    }
}

pub fn no_limit() -> Allowance {
    Allowance { deadline: None, nodes: None, stop: None }
}

fn sought() -> PlayTime {
    let time = Duration::from_secs(600);
    PlayTime { started: Instant::now(), time, likely: time, context: SearchContext::default() }
}

/// The value of an open position within so many plies, in plies to the end: positive for a win of
/// the side to move, negative for a loss, 0 for neither.
fn plies_to_end<G: SearchHints>(position: &G, plies: u32) -> i32 {
    let report = Minimax::new(Flat).best(position, &Limits::depth(plies)).expect("a game");
    report.score().plies_to_end().unwrap_or_default()
}

/// Asserts that the finder finds in `position` what minimax finds within `plies`.
fn agree<G: SearchHints>(position: &G, plies: u32) {
    if position.outcome().is_some() {
        return;
    }
    let value = plies_to_end(position, plies);
    let mut finder = Finder::new(Within(plies), TABLE);
    let mover = position.side_to_move();
    for winner in Side::BOTH {
        let expected = if winner == mover { value } else { -value };
        let forced = finder.find(position, winner, &no_limit());
        let found = forced.as_ref().map_or(0, |forced| forced.plies as i32);
        // Wins by the loser's own last move may be found as longer by a ply, or not within reach.
        let is_by_loser = expected > 0 && (expected % 2 == 1) != (winner == mover);
        let longer = expected.max(0) + i32::from(is_by_loser);
        let is_beyond = longer > plies as i32 && found == 0;
        assert!(found == longer || is_beyond, "{winner:?} {found} {expected}\n{position}");
        let Some(forced) = forced else { continue };
        let mut end = position.clone();
        forced.line.iter().for_each(|&mv| end.play(mv).expect("a legal line"));
        assert_eq!(end.outcome().and_then(|outcome| outcome.winner()), Some(winner));
    }
    if value < 0 && value % 2 == 0 {
        let found = finder.longest_defenses(position, value.unsigned_abs(), &no_limit());
        let lasts = |&mv: &G::Move| plies_to_end_after(position, mv, plies) == -value - 1;
        let longest: Vec<G::Move> = position.legal_moves().filter(lasts).collect();
        assert_eq!(found.iter().map(|defense| defense.mv).collect::<Vec<_>>(), longest);
        assert!(found.iter().all(|defense| defense.plies as i32 == -value - 1), "{position}");
    }
}

/// Returns `true` if this move still wins within so many plies, itself included.
fn wins_by<G: SearchHints>(position: &G, mv: G::Move, plies: u32) -> bool {
    let next = position.after(mv);
    match next.outcome() {
        Some(outcome) => outcome.winner() == Some(position.side_to_move()),
        None => plies_to_end(&next, plies - 1) < 0,
    }
}

/// Positions after one move in graphs with cycles, of so many those that are not over.
fn open_graphs(count: u64) -> impl Iterator<Item = Digraph> {
    let positions = (0..count).map(|seed| random_position(&Digraph::new(seed, 40, 4), 1, seed));
    positions.filter(|position| position.outcome().is_none())
}

fn plies_to_end_after<G: SearchHints>(position: &G, mv: G::Move, plies: u32) -> i32 {
    let next = position.after(mv);
    if next.outcome().is_some() { 0 } else { plies_to_end(&next, plies - 1) }
}

#[test]
fn tic_tac_toe() {
    for seed in 0..200 {
        let plies = seed as u32 % 7 + 2;
        agree(&random_position(&TicTacToe::default(), plies, seed), 9 - plies);
    }
}

#[test]
fn digraphs() {
    for seed in 0..100 {
        agree(&random_position(&Digraph::new(seed, 40, 4), 1, seed), 7);
    }
}

fn choose<G: SearchHints>(position: &G, tactics: impl Tactics<G>) -> Report<G::Move> {
    let mut search = AlphaBeta::new(Flat, Options { table_mib: TABLE, ..Options::default() });
    ForcedPlay::new(tactics, TABLE)
        .choose(&mut search, position, &sought(), Ties::default())
        .expect("a game")
}

/// A side that wins keeps the win, a side that is even does not lose, and a side that loses does so
/// late.
#[test]
fn nothing_is_lost_by_looking_for_forced_wins() {
    for seed in 0..60 {
        let plies = seed as u32 % 5 + 3;
        let position = random_position(&TicTacToe::default(), plies, seed);
        if position.outcome().is_some() {
            continue;
        }
        let left = 9 - plies;
        for horizon in [0, 3, left] {
            let report = choose(&position, Within(horizon));
            let after = position.after(report.best_move());
            let value = plies_to_end(&position, left).signum();
            let kept = match after.outcome() {
                Some(outcome) => outcome
                    .winner()
                    .map_or(0, |winner| if winner == position.side_to_move() { 1 } else { -1 }),
                None => -plies_to_end(&after, left - 1).signum(),
            };
            assert_eq!(kept, value, "{}\n{position}", report.best_move());
        }
    }
}

/// The positions that a finder visits are told once, and no question takes more than it is allowed.
#[test]
fn visited_positions_are_told_and_limited() {
    let (mut allowed, mut unlimited) = (0, 0);
    for position in open_graphs(60) {
        for winner in Side::BOTH {
            let mut finder = Finder::new(Within(8), TABLE);
            // The second time the table knows.
            let finds = [(); 2].map(|()| finder.find(&position, winner, &no_limit()));
            let visited = finder.take_nodes();
            if let [Some(first), Some(second)] = finds {
                assert!(first.nodes > 0 && second.nodes > 0, "{first:?} {second:?}");
                assert_eq!(first.nodes + second.nodes, visited, "{winner:?}\n{position}");
            }
            assert_eq!(finder.take_nodes(), 0);
            unlimited += visited;
            let mut hurried = Finder::new(Within(8), TABLE);
            hurried.find(&position, winner, &Allowance { nodes: Some(1), ..no_limit() });
            // Of each of four distances the position itself, and perhaps one more.
            let visited = hurried.take_nodes();
            assert!(visited <= 8, "{visited}: {winner:?}\n{position}");
            allowed += visited;
        }
    }
    assert!(unlimited > 2 * allowed, "{unlimited} {allowed}");
}

/// An ample number of positions for each question finds what no limit finds, in wins that take many.
#[test]
fn what_is_allowed_is_made_use_of() {
    let mut hard = 0;
    for seed in 0..40 {
        let empty = maxconnect4::Position::empty(Size::STANDARD);
        let position = random_position(&empty, empty.empty_cells() - 16, seed);
        let winner = position.side_to_move();
        let find = |nodes| {
            let allowance = Allowance { nodes, ..no_limit() };
            Finder::new(Within(17), TABLE).find(&position, winner, &allowance)
        };
        let found = find(None);
        assert_eq!(find(Some(1 << 40)), found, "{position}");
        hard += usize::from(found.is_some_and(|forced| forced.nodes > 1_000));
    }
    assert!(hard > 5, "{hard}");
}

/// Knows an answer to every position of tic-tac-toe whose first corner is taken: the first move, which
/// wins sooner or later depending on what it is.
struct Answers;

impl Tactics<TicTacToe> for Answers {
    type Goal = AtLeast;

    fn goal(&self, _: &TicTacToe, attacker: Side) -> AtLeast {
        AtLeast { attacker, margin: 1 }
    }

    fn horizon(&self, _: &TicTacToe, _: Side) -> u32 {
        0
    }

    fn prepared(&self, position: &TicTacToe) -> Option<Prepared<<TicTacToe as Game>::Move>> {
        let corner = "1".parse().expect("a square");
        let mv = position.legal_moves().next().filter(|&mv| mv != corner)?;
        Some(Prepared { mv, plies: 3 + 2 * (position.move_code(mv) as u32 % 3) })
    }
}

/// If the answers to all moves win and are known beforehand, the loss that comes last is reported;
/// of several, the first.
#[test]
fn a_loss_that_is_known_beforehand_holds_out_longest() {
    let finder = Finder::new(Answers, TABLE);
    let (mut lost, mut not_known) = (0, 0);
    for seed in 0..200 {
        let position = random_position(&TicTacToe::default(), seed as u32 % 6, seed);
        if position.outcome().is_some() {
            continue;
        }
        let answers: Option<Vec<_>> = position
            .legal_moves()
            .map(|mv| {
                let next = position.after(mv);
                let answer = Answers.prepared(&next).filter(|_| next.outcome().is_none())?;
                Some((mv, answer))
            })
            .collect();
        let known = finder.prepared_loss(&position);
        let Some(answers) = answers else {
            assert_eq!(known, None, "{position}");
            not_known += 1;
            continue;
        };
        let most = answers.iter().map(|(_, answer)| answer.plies).max().expect("a move");
        let (mv, answer) =
            answers.iter().find(|(_, answer)| answer.plies == most).expect("the longest");
        let known = known.expect("a loss");
        assert_eq!((known.line, known.plies), (vec![*mv, answer.mv], most + 1), "{position}");
        assert_eq!((known.winner, known.nodes), (position.side_to_move().other(), 0));
        assert!(known.prepared);
        lost += 1;
    }
    assert!(lost > 20 && not_known > 20, "{lost} {not_known}");
}

/// Expects a win within so many plies where nothing else says that one is worth looking for.
struct Expecting(u32);

impl<G: SearchHints> Tactics<G> for Expecting {
    type Goal = AtLeast;

    fn goal(&self, _: &G, attacker: Side) -> AtLeast {
        AtLeast { attacker, margin: 1 }
    }

    fn horizon(&self, _: &G, _: Side) -> u32 {
        0
    }

    fn expected(&self, _: &G) -> Option<u32> {
        Some(self.0)
    }
}

#[test]
fn a_win_of_the_side_to_move_is_looked_for_where_it_is_expected() {
    let mut wins = [0, 0];
    for position in open_graphs(100) {
        for plies in [3, 7] {
            let mut finder = Finder::new(Expecting(plies), TABLE);
            assert_eq!(finder.expects(&position), Some(plies));
            let value = plies_to_end(&position, plies);
            let found = finder.find(&position, position.side_to_move(), &no_limit());
            let found = found.map_or(0, |forced| forced.plies as i32);
            // A win by the loser's own last move is found as one that comes a ply later.
            let expected = if value > 0 { value / 2 * 2 + 1 } else { 0 };
            assert_eq!(found, expected, "{plies}\n{position}");
            wins[usize::from(found > 3)] += i32::from(found > 0);
            let other = position.side_to_move().other();
            assert_eq!(finder.find(&position, other, &no_limit()), None);
            assert!(!finder.is_of_use(&position));
        }
    }
    assert!(wins.iter().all(|&wins| wins > 5), "{wins:?}");
}

/// Begins in the corner, whatever that is worth.
struct Corner;

impl Tactics<TicTacToe> for Corner {
    type Goal = AtLeast;

    fn goal(&self, _: &TicTacToe, attacker: Side) -> AtLeast {
        AtLeast { attacker, margin: 1 }
    }

    fn horizon(&self, _: &TicTacToe, _: Side) -> u32 {
        3
    }

    fn prepared(&self, position: &TicTacToe) -> Option<Prepared<<TicTacToe as Game>::Move>> {
        let mv = "1".parse().ok()?;
        (*position == TicTacToe::default()).then_some(Prepared { mv, plies: 7 })
    }
}

#[test]
fn what_is_known_is_played_at_once() {
    let report = choose(&TicTacToe::default(), Corner);
    assert_eq!((report.best_move().to_string(), report.nodes), ("1".to_owned(), 0));
    assert_eq!((report.depth, report.value), (7, Value::AtLeast(Score::win_in(7))));
    assert!(!report.proven(), "it may win sooner");
}

#[test]
fn games_without_end_can_be_played_by_tactics_alone() {
    let options = || Options { table_mib: TABLE, ..Options::default() };
    let position =
        &open_graphs(100).find(|graph| plies_to_end(graph, 5) > 0).expect("a won position");
    let plain =
        Perfect::new(Flat, options(), None).choose(position, None, &SearchContext::default());
    assert!(plain.is_err(), "nothing limits the length of the game");
    let none = Perfect::new(Flat, options(), None).with_tactics(NoTactics, TABLE);
    assert!({ none }.choose(position, None, &SearchContext::default()).is_err());
    let mut perfect = Perfect::new(Flat, options(), None).with_tactics(Within(5), TABLE);
    let choice = perfect
        .choose(position, None, &SearchContext::default())
        .expect("tactics")
        .expect("a move");
    assert_eq!(choice.source, Source::Proof);
    assert!(choice.value.score().is_win());
}

/// Tactics that raise a flag after so many judgements.
#[derive(Clone)]
struct Tripwire {
    goal: AtLeast,
    judgements_left: Arc<AtomicI64>,
    stop: Arc<AtomicBool>,
}

impl Tripwire {
    fn after(judgements: i64) -> Tripwire {
        let goal = AtLeast { attacker: Side::First, margin: 1 };
        let judgements_left = Arc::new(AtomicI64::new(judgements));
        Tripwire { goal, judgements_left, stop: Arc::default() }
    }
}

impl<G: SearchHints> Goal<G> for Tripwire {
    fn attacker(&self) -> Side {
        self.goal.attacker
    }

    fn judge(&self, position: &G, plies: u32) -> Numbers {
        if self.judgements_left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.goal.judge(position, plies)
    }

    fn salt(&self, position: &G) -> u64 {
        self.goal.salt(position)
    }
}

impl<G: SearchHints> Tactics<G> for Tripwire {
    type Goal = Tripwire;

    fn goal(&self, _: &G, attacker: Side) -> Tripwire {
        Tripwire { goal: AtLeast { attacker, ..self.goal }, ..self.clone() }
    }

    fn horizon(&self, _: &G, _: Side) -> u32 {
        9
    }
}

/// A move that was being looked at when the time ran out is not taken for one that lasts long.
#[test]
fn defenses_found_so_far_stand_when_the_time_runs_out() {
    const AMPLE: i64 = 10_000;
    const PLIES: u32 = 6;
    let mut cut_off = 0;
    for seed in 0..2_000 {
        let position = Digraph::new(seed, 40, 4);
        if position.outcome().is_some() || plies_to_end(&position, PLIES) != -(PLIES as i32) {
            continue;
        }
        let defend = |judgements| {
            let tripwire = Tripwire::after(judgements);
            let allowance = Allowance { stop: Some(Arc::clone(&tripwire.stop)), ..no_limit() };
            let mut finder = Finder::new(tripwire.clone(), TABLE);
            let found = finder.longest_defenses(&position, PLIES, &allowance);
            (found, AMPLE - tripwire.judgements_left.load(Ordering::Relaxed))
        };
        let (longest, judgements) = defend(AMPLE);
        if position.legal_moves().next() != longest.first().map(|defense| defense.mv) {
            continue;
        }
        for limit in 0..judgements {
            let found = defend(limit).0;
            assert!(longest.starts_with(&found), "after {limit} judgements\n{position}");
            assert!(!found.is_empty(), "after {limit} judgements\n{position}");
            cut_off += 1;
        }
    }
    assert!(cut_off > 100, "only {cut_off} times");
}

/// Moves that win within some plies are counted, no further than asked and not after the end of the time.
#[test]
fn refutations_are_the_moves_that_win() {
    const PLIES: u32 = 5;
    let mut several = 0;
    for position in open_graphs(200) {
        let wins = |mv: &_| wins_by(&position, *mv, PLIES);
        let mut finder = Finder::new(Within(PLIES), TABLE);
        let winning = position.legal_moves().filter(wins).count() as u32;
        for mv in position.legal_moves() {
            let seen = finder.still_wins(&position, mv, PLIES, &no_limit());
            assert_eq!(seen, wins(&mv), "{mv}\n{position}");
        }
        for enough in 0..=4 {
            let count = finder.refutations(&position, PLIES, enough, &no_limit());
            assert_eq!(count, winning.min(enough), "{enough}\n{position}");
        }
        let over = Allowance { stop: Some(Arc::new(AtomicBool::new(true))), ..no_limit() };
        assert_eq!(finder.refutations(&position, PLIES, 4, &over), 0);
        several += u32::from(winning > 1);
    }
    assert!(several > 5, "{several}");
}

/// The share of an opponent's moves that let its win slip, by minimax alone, over those that look best
/// 1, 2, 3 and 4 plies ahead.
fn slips<G: SearchHints>(position: &G, wins_within: u32) -> f64 {
    let share = |depth| {
        let seen = Minimax::new(Flat)
            .search(position, &Limits::depth(depth), Scope::BestMoves, &mut |_| ())
            .expect("a game");
        let kept = seen
            .lines
            .iter()
            .filter(|line| wins_by(position, line.first_move(), wins_within))
            .count();
        1.0 - kept as f64 / seen.lines.len() as f64
    };
    (1..=4).map(share).sum()
}

/// A lost position is defended by a move after which the opponent is likeliest to go wrong.
#[test]
fn lost_positions_are_defended_where_most_goes_wrong() {
    let mut choices = 0;
    for seed in 0..4_000 {
        let position = Digraph::new(seed, 40, 4);
        let value = if position.outcome().is_some() { 0 } else { plies_to_end(&position, 7) };
        if value >= 0 || value % 2 != 0 {
            continue;
        }
        // A win by the loser's own last move counts as one that comes a ply later.
        let lasts = |&mv: &_| {
            let left = plies_to_end_after(&position, mv, 7);
            left > 0 && left / 2 == (-value - 1) / 2
        };
        let worth = |mv| slips(&position.after(mv), (-value - 1) as u32);
        let longest: Vec<_> = position.legal_moves().filter(lasts).collect();
        let most = longest.iter().map(|&mv| worth(mv)).fold(f64::NEG_INFINITY, f64::max);
        let least = longest.iter().map(|&mv| worth(mv)).fold(f64::INFINITY, f64::min);
        let mv = choose(&position, Within(7)).best_move();
        assert!(longest.contains(&mv), "{mv}\n{position}");
        assert_eq!(worth(mv), most, "{mv}\n{position}");
        choices += usize::from(least < most);
    }
    assert!(choices > 10, "only {choices} choices");
}
