//! The search of Network: alpha-beta against minimax, and winning moves and parries against the naive rules.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::thread;

use network::naive::{Board, NaiveMove};
use network::{
    ChipEval, Color, Move, Position, Rules, Square, SquareSet, Weighted, Weights, Win, parse_state,
    terms,
};
use plyground::proof::Prover;
use plyground::search::{Options, Scope};
use plyground::{
    AlphaBeta, Evaluator, Forcing, Game, Limits, Minimax, Score, Search, SearchHints, Successors,
};
use plyground_host::state::StateText;
use rand::prelude::*;

use crate::samples::{
    self, any_phase, board_of, by_play, by_setup, naive_move, place, random_rules,
};

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

/// The number of positions in which threats are compared with the naive rules.
const POSITIONS: usize = 100_000;

/// Adds, and as many steps as can be afforded: a hundred times as slow.
fn threat_sample(index: usize, rng: &mut StdRng) -> Position {
    match index % 20 {
        0 => any_phase(rng),
        1 => by_setup(random_rules(rng), 10, 10, rng),
        n if n % 2 == 0 => by_play(random_rules(rng), rng.random_range(8..20), rng),
        _ => {
            let chips = rng.random_range(5..10);
            by_setup(random_rules(rng), chips, rng.random_range(chips - 1..10), rng)
        }
    }
}

/// The moves by which `color` wins at once if it is its turn, by trying all.
fn naive_wins(board: &Board, color: char) -> Vec<String> {
    let mut board = board.clone();
    board.to_move = color;
    let wins = |mv: &NaiveMove| {
        let next = board.play(*mv);
        next.has_network(color) && next.winner() == Some(color)
    };
    board.legal_moves().into_iter().filter(wins).map(NaiveMove::text).collect()
}

#[test]
#[ignore = "long"]
fn winning_moves_are_those_of_the_naive_rules() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut adds, mut steps) = (0, 0);
    for index in 0..POSITIONS {
        let position = threat_sample(index, &mut rng);
        if position.outcome().is_some() {
            continue;
        }
        let board = board_of(&position);
        for color in Color::BOTH {
            let mut found: Vec<String> = position.wins(color).map(|mv| mv.to_string()).collect();
            let mut expected = naive_wins(&board, color.letter());
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{color}\n{position}");
            if position.in_hand(color) > 0 { adds += found.len() } else { steps += found.len() }
        }
    }
    println!("{adds} winning adds, {steps} winning steps");
    assert!(adds > 20_000 && steps > 20_000);
}

/// Returns `true` if the opponent wins by `win` after `mv`, by the naive rules.
fn still_wins(board: &Board, mv: Move, win: Move) -> bool {
    let next = board.play(naive_move(mv));
    next.why_illegal(naive_move(win)).is_none() && {
        let end = next.play(naive_move(win));
        end.winner() == Some(next.to_move)
    }
}

/// Asserts that some threat is carried out after a move that is no parry and does not end the game.
/// If both sides add, no threat can be carried out after a parry.
fn assert_parries(position: &Position) -> usize {
    let board = board_of(position);
    let threats = position.threats();
    let wins: Vec<Move> = position.wins(position.to_move().other()).collect();
    assert_eq!(threats.exist(), !wins.is_empty());
    if wins.is_empty() {
        return 0;
    }
    let both_add = Color::BOTH.iter().all(|&color| position.in_hand(color) > 0);
    let parries: Vec<Move> = position.parries(&threats).collect();
    for mv in position.legal_moves() {
        let is_parry = parries.contains(&mv);
        let is_over = || position.after(mv).outcome().is_some();
        if is_parry && !both_add || !is_parry && is_over() {
            continue;
        }
        let lost = wins.iter().any(|&win| still_wins(&board, mv, win));
        assert_eq!(lost, !is_parry, "{mv}\n{position}");
    }
    1
}

/// Returns the position without what it knows of how it came about.
fn afresh(position: &Position) -> Position {
    let [white, black] = Color::BOTH.map(|color| position.chips(color));
    Position::from_chips(position.rules(), white, black, position.to_move()).unwrap()
}

/// Wins of both colors, and what the game tells of it, which must be the same for a position that
/// knows how it came about.
fn assert_as_afresh(position: &Position) -> (Forcing<Move>, Vec<Move>) {
    let fresh = afresh(position);
    for color in Color::BOTH {
        assert!(position.wins(color).eq(fresh.wins(color)), "{color}\n{position}");
    }
    let (mut replies, mut expected) = (Vec::new(), Vec::new());
    let told = position.forcing(&mut replies);
    assert_eq!(told, fresh.forcing(&mut expected), "{position}");
    assert_eq!(replies, expected, "{position}");
    (told, replies)
}

#[test]
fn successors_are_what_they_are_afresh() {
    let mut rng = StdRng::seed_from_u64(7);
    let (mut quiet, mut threatened, mut over) = (0, 0, 0);
    for index in 0..POSITIONS / 10 {
        let mut position = threat_sample(index, &mut rng);
        for _ in 0..6 {
            if position.outcome().is_some() {
                break;
            }
            let (told, replies) = assert_as_afresh(&position);
            // A search that is near its end does not ask.
            let told = if rng.random_ratio(1, 4) { Forcing::Unknown } else { told };
            let moves = match told {
                Forcing::Threatened => replies,
                _ => position.legal_moves().collect(),
            };
            quiet += usize::from(told == Forcing::Quiet);
            threatened += usize::from(told == Forcing::Threatened);
            let mut successors = position.successors(told);
            let mut next = None;
            for &mv in &moves {
                let successor = successors.after(mv);
                let expected = afresh(&position.after(mv));
                assert_eq!(successor, expected, "{mv}\n{position}");
                assert_eq!(successor.key(), expected.key(), "{mv}\n{position}");
                assert_eq!(successor.outcome(), expected.outcome(), "{mv}\n{position}");
                over += usize::from(successor.outcome().is_some());
                next =
                    if rng.random_ratio(1, 8) { Some(successor) } else { next.or(Some(successor)) };
            }
            drop(successors);
            let Some(next) = next else { break };
            position = next;
        }
    }
    println!("{quiet} quiet, {threatened} threatened, {over} successors over");
    assert!(quiet > 5_000 && threatened > 1_000 && over > 1_000);
}

#[test]
#[ignore = "long"]
fn moves_that_are_no_parries_lose_at_once() {
    let mut rng = StdRng::seed_from_u64(2);
    let (mut adds, mut steps) = (0, 0);
    for index in 0..POSITIONS {
        let position = threat_sample(index, &mut rng);
        if position.outcome().is_some() {
            continue;
        }
        let count = assert_parries(&position);
        if position.in_hand(position.to_move()) > 0 { adds += count } else { steps += count }
    }
    println!("{adds} threats against adds, {steps} against steps");
    assert!(adds > 5_000 && steps > 1_000);
}

/// Returns `true` if some threat is carried out after `mv` if networks of the mover's own, which
/// the opponent's step completes, are not looked at: a mask without the rule goes by this.
fn seems_lost(board: &Board, mv: Move, wins: &[Move]) -> bool {
    let next = board.play(naive_move(mv));
    wins.iter().any(|&win| {
        let end = next.play(naive_move(win));
        next.at(place(win.to())) == '.' && end.has_network(next.to_move)
    })
}

/// Positions of the step phase in which every move seems to lose to a threat, and the best wins.
const STEP_PHASE_TRAPS: [(Rules, &str); 2] = [
    (Rules::Berkeley, "..B.B.B./..WW..../W......./.W...W../..B.B.../...WBWB./WBBW..W./.....B../B"),
    (Rules::Usf, "..B...B./..B..B.W/W...W.../..B.WBW./W.B..BW./..W...../.B..B.WW/......../W"),
];

/// A step of the opponent that opens a line of mine completes both networks, and does not win:
/// a parry that is on none of the opponent's lines.
#[test]
fn step_phase_traps_are_seen() {
    let mut search = AlphaBeta::new(ChipEval, Options { table_mib: 1, ..Options::default() });
    for (rules, rows) in STEP_PHASE_TRAPS {
        let text = StateText::new(rows.replace('/', "\n"));
        let position = parse_state(&text, rules).unwrap();
        let board = board_of(&position);
        let wins: Vec<Move> = position.wins(position.to_move().other()).collect();
        assert!(position.legal_moves().all(|mv| seems_lost(&board, mv, &wins)));
        let report = search.best(&position, &Limits::depth(3)).unwrap();
        assert_eq!(report.score(), Score::win_in(3), "{position}");
        let threats = position.threats();
        let mut parries = position.parries(&threats);
        assert!(parries.any(|mv| mv == report.best_move()), "{position}");
    }
}
