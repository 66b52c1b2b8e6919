//! Alpha-beta against minimax on positions of Network.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::thread;

use network::naive::Board;
use network::{
    ChipEval, Color, Move, Position, Rules, Square, SquareSet, Weighted, Weights, Win, parse_state,
    terms,
};
use plyground::proof::Prover;
use plyground::search::{Options, Scope};
use plyground::{AlphaBeta, Evaluator, Game, Limits, Minimax, Score, Search};
use plyground_host::state::StateText;
use rand::prelude::*;

use crate::samples::{self, by_play, by_setup, naive_move, random_rules};

fn assert_agree(position: &Position, depth: u32, scope: Scope) {
    let limits = Limits::depth(depth);
    let options = Options { table_mib: 8, ..Options::default() };
    let fast = AlphaBeta::new(ChipEval, options).search(position, &limits, scope, &mut |_| ());
    let plain = Minimax::new(ChipEval).search(position, &limits, scope, &mut |_| ());
    let (Some(fast), Some(plain)) = (fast, plain) else {
        panic!("a game that goes on\n{position}");
    };
    assert_eq!(fast.score(), plain.score(), "depth {depth}\n{position}");
    let mut scores = [fast.lines, plain.lines].map(|lines| {
        lines.into_iter().map(|line| (line.first_move(), line.score())).collect::<Vec<_>>()
    });
    if scope == Scope::EveryMove {
        scores.iter_mut().for_each(|scores| scores.sort());
        assert_eq!(scores[0], scores[1], "depth {depth}\n{position}");
    }
}

fn unfinished(plies: usize, rng: &mut StdRng) -> Position {
    loop {
        let rules = samples::random_rules(rng);
        let position = samples::by_play(rules, plies, rng);
        if position.outcome().is_none() {
            return position;
        }
    }
}

#[test]
fn alpha_beta_agrees_in_add_phase() {
    let mut rng = StdRng::seed_from_u64(1);
    assert_agree(&Position::new(Rules::Berkeley), 3, Scope::BestMove);
    for index in 0..45 {
        let position = unfinished(index % 19, &mut rng);
        assert_agree(&position, 1 + index as u32 % 3, Scope::EveryMove);
    }
}

#[test]
fn alpha_beta_agrees_from_last_adds_into_steps() {
    let mut rng = StdRng::seed_from_u64(2);
    for index in 0..12 {
        assert_agree(&unfinished(17 + index % 3, &mut rng), 3, Scope::BestMove);
    }
}

#[test]
fn alpha_beta_agrees_in_step_phase() {
    let mut rng = StdRng::seed_from_u64(3);
    for index in 0..30 {
        let position = unfinished(20 + index, &mut rng);
        assert_agree(&position, 1 + index as u32 % 2, Scope::EveryMove);
    }
}

fn value(position: &Position) -> i32 {
    ChipEval.evaluate(position).get()
}

/// The chips of `position` moved by `map`, `color` to move.
fn rebuilt(
    position: &Position,
    colors: [Color; 2],
    to_move: Color,
    map: impl Fn(Square) -> (u8, u8),
) -> Position {
    let moved = |color| -> SquareSet {
        let places = position.chips(color).iter().map(&map);
        places.filter_map(|(x, y)| Square::new(x, y)).collect()
    };
    let [white, black] = colors.map(moved);
    Position::from_chips(position.rules(), white, black, to_move).unwrap()
}

#[test]
fn only_the_tempo_is_not_antisymmetric() {
    let mut rng = StdRng::seed_from_u64(1);
    let tempo = value(&Position::new(Rules::Berkeley));
    for _ in 0..5_000 {
        let position = samples::any_phase(&mut rng);
        let color = position.to_move();
        let same = |square: Square| (square.x(), square.y());
        let passed = rebuilt(&position, Color::BOTH, color.other(), same);
        assert_eq!(value(&position) - tempo, tempo - value(&passed), "{position}");
    }
}

#[test]
fn symmetries_of_the_board_do_not_matter() {
    let mut rng = StdRng::seed_from_u64(2);
    for _ in 0..5_000 {
        let position = samples::any_phase(&mut rng);
        let color = position.to_move();
        let swapped = [Color::Black, Color::White];
        for other in [
            rebuilt(&position, Color::BOTH, color, |square| (7 - square.x(), square.y())),
            rebuilt(&position, Color::BOTH, color, |square| (square.x(), 7 - square.y())),
            rebuilt(&position, swapped, color.other(), |square| (square.y(), square.x())),
        ] {
            assert_eq!(value(&position), value(&other), "{position}");
        }
    }
}

#[test]
fn estimates_stay_far_below_forced_wins() {
    const LIMIT: i32 = 5_000;
    let mut rng = StdRng::seed_from_u64(3);
    for _ in 0..20_000 {
        let position = samples::any_phase(&mut rng);
        assert!(value(&position).abs() <= LIMIT, "{position}");
        for mv in position.legal_moves().take(5) {
            let order = ChipEval.order(&position, mv, &position.after(mv));
            assert!(order.abs() <= LIMIT, "{mv}\n{position}");
        }
    }
    const { assert!(LIMIT < Score::MAX_ESTIMATE.get()) }
}

#[test]
fn default_weights_are_those_of_the_machine() {
    let weighted = Weighted(Weights::DEFAULT);
    let mut rng = StdRng::seed_from_u64(4);
    for _ in 0..5_000 {
        let position = samples::any_phase(&mut rng);
        assert_eq!(weighted.evaluate(&position), ChipEval.evaluate(&position), "{position}");
        for mv in position.legal_moves().take(5) {
            let next = position.after(mv);
            let orders =
                [ChipEval.order(&position, mv, &next), weighted.order(&position, mv, &next)];
            assert_eq!(orders[0], orders[1], "{mv}\n{position}");
        }
    }
    assert_eq!(weighted.order_depth(), Evaluator::<Position>::order_depth(&ChipEval));
}

#[test]
fn evaluation_is_the_sum_of_its_terms() {
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..2_000 {
        let position = samples::any_phase(&mut rng);
        let weights = std::array::from_fn(|_| rng.random_range(-1_000..=1_000));
        let weighted = Weighted(Weights::DEFAULT.with_terms(weights));
        assert_eq!(weighted.0.of_terms(), weights);
        let sum = weights.iter().zip(terms(&position)).map(|(weight, term)| weight * term).sum();
        assert_eq!(weighted.evaluate(&position), Score::estimate(sum), "{position}");
    }
}

#[test]
fn forced_wins_are_those_of_the_exact_search() {
    let mut rng = StdRng::seed_from_u64(1);
    let prover = Prover::new(4);
    let mut search = AlphaBeta::new(ChipEval, Options { table_mib: 4, ..Options::default() });
    let mut proven = 0;
    for index in 0..400 {
        let rules = random_rules(&mut rng);
        let (position, plies) = if index % 8 == 0 {
            (by_setup(rules, 10, 10, &mut rng), 2 + index as u32 / 8 % 2)
        } else {
            (by_play(rules, rng.random_range(9..18), &mut rng), 1 + index as u32 % 5)
        };
        let Some(report) = search.best(&position, &Limits::depth(plies)) else { continue };
        for color in Color::BOTH {
            let goal = Win::new(&position, color);
            let proof = prover.prove(&goal, &position, plies, &Limits::default());
            let score = report.score();
            let won = if color == position.to_move() { score.is_win() } else { score.is_loss() };
            assert_eq!(proof.reached, Some(won), "{color} within {plies}\n{position}");
            proven += usize::from(won);
        }
    }
    println!("{proven} proven");
    assert!(proven > 100);
}

/// One of the replies to the opening 03, 73.
#[test]
fn white_wins_by_eighth_chip_after_a_reply() {
    let mut position = Position::new(network::Rules::Berkeley);
    for mv in ["03", "34", "73", "44"] {
        position.play(mv.parse().unwrap()).unwrap();
    }
    let goal = Win::new(&position, Color::White);
    let proof = Prover::new(64).prove(&goal, &position, 11, &Limits::default());
    println!("{} nodes", proof.nodes);
    assert_eq!(proof.reached, Some(true));
    assert!(proof.best.is_some());
}

const DATA: &str = include_str!("data/forced-wins.tsv");

/// More than the machine visits in any of the positions, by far.
const NODES: u64 = 20_000_000;

/// The positions, as state files, and the plies to the win.
fn positions() -> impl Iterator<Item = (String, u32)> {
    DATA.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [board, side, plies] = fields[..] else { panic!("three fields in {line}") };
        (format!("{}\n{side}\n", board.replace('/', "\n")), plies.parse().expect("a number"))
    })
}

fn fast(text: &str) -> Position {
    parse_state(&StateText::from_lines(text), Rules::Berkeley).expect("a position")
}

#[test]
fn positions_are_as_described() {
    let all: Vec<_> = positions().collect();
    assert_eq!(all.len(), 200);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 200);
    let with_steps = all.iter().filter(|(text, _)| fast(text).in_hand(fast(text).to_move()) == 0);
    assert!(with_steps.count() >= 60);
    assert!(all.iter().filter(|(_, plies)| *plies >= 7).count() >= 80);
    assert!(all.iter().all(|(_, plies)| (3..=9).contains(plies)));
}

#[test]
#[ignore = "long"]
fn machine_finds_every_win() {
    let mut most = 0;
    for (text, plies) in positions() {
        let options = Options { table_mib: 16, ..Options::default() };
        let mut search = AlphaBeta::new(ChipEval, options);
        let report = search.best(&fast(&text), &Limits::nodes(NODES)).expect("a move");
        assert!(report.score().is_win(), "{} in place of a win in {plies}\n{text}", report.score());
        most = most.max(report.nodes);
    }
    println!("at most {most} nodes");
}

#[test]
#[ignore = "long"]
fn wins_are_forced_by_the_naive_rules() {
    let all: Vec<_> = positions().collect();
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        for share in all.chunks(all.len().div_ceil(threads)) {
            scope.spawn(|| {
                share.iter().for_each(|(text, plies)| check_by_naive_rules(text, *plies))
            });
        }
    });
}

fn check_by_naive_rules(text: &str, plies: u32) {
    let prover = &Prover::new(16);
    let board = Board::from_text(text, false).expect("a board");
    Walk { attacker: board.to_move, prover, seen: HashSet::new() }.attack(&board, plies);
}

/// Plays the moves of a proof against every reply. Nothing but the naive rules decides what is
/// legal and who has won.
struct Walk<'a> {
    attacker: char,
    prover: &'a Prover,
    seen: HashSet<String>,
}

impl Walk<'_> {
    /// Fails unless the attacker, who is to move, wins within so many plies.
    fn attack(&mut self, board: &Board, plies: u32) {
        let text = board.text();
        if !self.seen.insert(format!("{text}{plies}")) {
            return;
        }
        let text = format!("{text}\n");
        let mv = self.best(&fast(&text), plies).unwrap_or_else(|| panic!("no proof of\n{text}"));
        let naive = naive_move(mv);
        assert_eq!(board.why_illegal(naive), None, "{mv} in\n{text}");
        let next = board.play(naive);
        match next.winner() {
            Some(winner) => assert_eq!(winner, self.attacker, "{mv} in\n{text}"),
            None => self.defend(&next, plies - 1),
        }
    }

    /// Tries every reply.
    fn defend(&mut self, board: &Board, plies: u32) {
        assert!(plies > 0, "the win does not come in time\n{}", board.text());
        for reply in board.legal_moves() {
            let next = board.play(reply);
            match next.winner() {
                Some(winner) => {
                    assert_eq!(winner, self.attacker, "{}\n{}", reply.text(), board.text())
                }
                None => self.attack(&next, plies - 1),
            }
        }
    }

    fn best(&self, position: &Position, plies: u32) -> Option<Move> {
        let win = position.wins(position.to_move()).next();
        win.or_else(|| {
            let goal = Win::new(position, position.to_move());
            self.prover.prove(&goal, position, plies, &Limits::default()).best
        })
    }
}
