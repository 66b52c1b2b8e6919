//! 200 positions from the middle of games with a forced win of nine plies or fewer, drawn by
//! `research/examples/forced_wins.rs`.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::thread;

use network::naive::{Board, NaiveMove};
use network::{ChipEval, Move, Position, Rules, Square, Win, parse_state};
use plyground::proof::Prover;
use plyground::search::Options;
use plyground::{AlphaBeta, Limits, Search};
use plyground_host::state::StateText;

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
        let place = |square: Square| (square.x() as i8, square.y() as i8);
        let naive = NaiveMove { from: mv.from().map(place), to: place(mv.to()) };
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
