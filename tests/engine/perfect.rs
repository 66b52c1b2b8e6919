//! Perfect play and books, on a game whose positions can all be searched plainly.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use plyground::book::{
    Book, BookError, Coverage, Entry, Inconsistency, Plan, Shard, check_relatives, positions,
};
use plyground::perfect::{Perfect, Source, Ties, Unlimited, plain_value, prospect};
use plyground::search::{Limits, Monitor, Options, Scope, SearchContext};
use plyground::testing::{Coins, HashNoise};
use plyground::{AlphaBeta, Game, Score, Search, SearchHints};

const NOISE: HashNoise = HashNoise { seed: 3, amplitude: 300 };
/// More nodes than a plain search of any of the games here takes.
const NODES: u64 = 50_000_000;
const COINS: u8 = 12;

fn options() -> Options {
    Options { table_mib: 1, head_start: Duration::ZERO, ..Options::default() }
}

fn perfect(book: Option<Book>) -> Perfect<HashNoise> {
    Perfect::new(NOISE, options(), book)
}

fn plain(position: &Coins) -> Score {
    plain_value(position, NODES).expect("few enough nodes")
}

/// The book of all that a plan asks for.
pub fn build<G: SearchHints + 'static>(start: &G, plies: u32, coverage: Coverage) -> Book {
    let mut solver = perfect(None);
    let mut known: HashMap<u64, Entry> = HashMap::new();
    let mut plan = Plan::new(start, plies, coverage, Shard::WHOLE);
    while let Some(job) = plan.next(&known) {
        let limits = Limits { guess: job.guess, ..Limits::default() };
        let solved = solver.solve(&job.position, limits).expect("the game is limited");
        let choice = solved.expect("the game is not over");
        let value = choice.value.score();
        let entry = match coverage {
            Coverage::Values => Entry::of_value(&job.position, value),
            Coverage::Every | Coverage::Repertoire => Entry::new(&job.position, choice.mv, value),
        };
        known.insert(job.position.key(), entry);
        plan.solved(&job, &entry);
    }
    assert_eq!(plan.elsewhere(), 0);
    assert!((plan.done() - 1.0).abs() < 1e-9, "{}", plan.done());
    Book::new(start.key(), known.into_values()).packed(start).expect("of the same start")
}

/// The positions up to `plies` after `start` in which the game goes on.
fn up_to(start: &Coins, plies: u32) -> Vec<Coins> {
    let mut all = vec![*start];
    if plies > 0 {
        let next = start.legal_moves().map(|mv| start.after(mv));
        all.extend(next.filter(|it| it.outcome().is_none()).flat_map(|it| up_to(&it, plies - 1)));
    }
    all
}

#[test]
fn every_move_keeps_the_value() {
    for seed in 0..20 {
        let mut position = Coins::new(seed, COINS);
        let mut player = perfect(None);
        let value = plain(&position);
        let first = position.side_to_move();
        while position.outcome().is_none() {
            let choice = player
                .choose(&position, None, &SearchContext::default())
                .expect("limited")
                .expect("not over");
            assert_eq!(choice.source, Source::Exact);
            let seen = if position.side_to_move() == first { value } else { -value };
            assert_eq!(choice.value.score(), seen, "{position}");
            position.play_unchecked(choice.mv);
        }
        let outcome = position.outcome().expect("the game is over");
        assert_eq!(outcome.score::<Coins>(first, 0), value);
    }
}

#[test]
fn the_best_moves_are_all_that_have_the_value() {
    for seed in 0..40 {
        let position = Coins::new(seed, COINS);
        let value = plain(&position);
        let mut search = AlphaBeta::new(NOISE, options());
        let limits = Limits::depth(u32::from(COINS));
        let report = search.search(&position, &limits, Scope::BestMoves, &mut |_| ());
        let lines = report.expect("the game is not over").lines;
        for mv in position.legal_moves() {
            let keeps = -plain(&position.after(mv)) == value;
            assert_eq!(lines.iter().any(|line| line.first_move() == mv), keeps, "{mv} {position}");
        }
    }
}

#[test]
fn books_hold_exact_values() {
    for seed in 0..5 {
        let start = Coins::new(seed, COINS);
        for coverage in [Coverage::Every, Coverage::Repertoire] {
            let book = build(&start, 4, coverage);
            assert_eq!(check_relatives(&book, &start), Ok(()));
            let found = positions(&book, &start);
            assert_eq!(found.len(), book.len());
            for position in found {
                let (mv, score) = book.best_move(&position).expect("it is in the book");
                assert_eq!(score, plain(&position), "{position}");
                let after = position.after(mv);
                assert_eq!(-plain(&after), score, "{mv} in {position}");
            }
        }
    }
}

#[test]
fn values_at_one_ply_say_what_all_before_are_worth() {
    for seed in 0..5 {
        let start = Coins::new(seed, COINS);
        let book = build(&start, 4, Coverage::Values);
        assert_eq!((book.len(), book.every()), (0, Some(4)));
        assert_eq!(check_relatives(&book, &start), Ok(()));
        assert_eq!(Ok(positions(&book, &start).len()), book.count());
        let read = Book::from_bytes(book.as_bytes().to_vec()).expect("a book");
        assert_eq!((&read, read.value(&start)), (&book, None), "the start is not known yet");
        let mut player = perfect(Some(read.for_start(&start).expect("the same start")));
        let early: HashSet<u64> = up_to(&start, 4).iter().map(Game::key).collect();
        assert_eq!(book.count(), Ok(early.len()));
        for position in up_to(&start, 5) {
            let value = plain(&position);
            let is_early = early.contains(&position.key());
            let mut next = position.legal_moves().map(|mv| position.after(mv));
            let has_moves = is_early
                && next.all(|next| next.outcome().is_some() || early.contains(&next.key()));
            assert_eq!(book.value(&position), is_early.then_some(value), "{position}");
            let keeps = |mv: &_| -plain(&position.after(*mv)) == value;
            let best = position.legal_moves().filter(keeps).collect::<Vec<_>>();
            let choice = player.choose(&position, None, &SearchContext::default());
            let choice = choice.expect("limited").expect("not over");
            assert_eq!((choice.value.score(), best.contains(&choice.mv)), (value, true));
            assert_eq!(choice.source == Source::Book, has_moves, "{position}");
            assert_eq!(book.best_moves(&position), has_moves.then_some((best, value)));
        }
    }
}

#[test]
fn a_repertoire_and_all_values_are_one_book() {
    for seed in 0..5 {
        let start = Coins::new(seed, COINS);
        let repertoire = build(&start, 6, Coverage::Repertoire);
        let book = build(&start, 4, Coverage::Values).merge(&repertoire).expect("they agree");
        assert_eq!(check_relatives(&book, &start), Ok(()));
        assert_eq!((book.len(), book.every()), (repertoire.len(), Some(4)));
        for position in positions(&book, &start) {
            assert_eq!(book.value(&position), Some(plain(&position)), "{position}");
            let in_repertoire = repertoire.best_move(&position);
            assert_eq!(book.best_move(&position), in_repertoire, "{position}");
        }
        // A wrong value in an entry contradicts those without keys.
        let (mv, value) = book.best_move(&start).expect("it is in the repertoire");
        let wrong = Entry::new(&start, mv, value + Score::POINT);
        let wrong = Book::new(start.key(), repertoire.entries().chain([wrong]));
        let wrong = build(&start, 4, Coverage::Values).merge(&wrong).expect("no entry twice");
        let found = check_relatives(&wrong, &start);
        assert_eq!(found, Err(Inconsistency::TwoValues { key: start.key() }));
    }
}

#[test]
fn values_of_other_positions_are_not_believed() {
    let start = Coins::new(1, COINS);
    let book = build(&start, 4, Coverage::Values);
    // The same values for another number of moves.
    let mut bytes = book.as_bytes().to_vec();
    bytes[32] = 3;
    let checksum = plyground::book::fnv1a(&bytes[16..]);
    bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
    let other = Book::from_bytes(bytes).and_then(|book| book.for_start(&start)).expect("whole");
    let error = BookError::OtherCount { plies: 3, found: usize::from(book.as_bytes()[28]) };
    assert_eq!((other.count(), other.value(&start)), (Err(error), None));
    assert_eq!(check_relatives(&other, &start), Err(Inconsistency::Unusable(error)));
    assert_eq!(other.merge(&other), Ok(other.clone()));
    // Other values for the same positions.
    let mut entries: Vec<Entry> =
        up_to(&start, 4).iter().map(|it| Entry::of_value(it, plain(it))).collect();
    let last = entries.last_mut().expect("the start at least");
    let wrong = up_to(&start, 4).pop().expect("the start at least");
    *last = Entry::of_value(&wrong, plain(&wrong) + Score::POINT);
    let other = Book::new(start.key(), entries).packed(&start).expect("the same start");
    assert_eq!(book.merge(&other), Err(BookError::OtherValues { plies: 4 }));
}

#[test]
fn a_repertoire_answers_every_reply() {
    let start = Coins::new(9, COINS);
    let mut player = perfect(Some(build(&start, 4, Coverage::Repertoire)));
    let mut from_book = |position: &Coins| {
        let choice = player
            .choose(position, None, &SearchContext::default())
            .expect("limited")
            .expect("not over");
        assert_eq!(choice.source, Source::Book, "{position}");
        position.after(choice.mv)
    };
    let replies = |position: &Coins| -> Vec<Coins> {
        let next = position.legal_moves().map(|mv| position.after(mv));
        next.filter(|next| next.outcome().is_none()).collect()
    };
    let after_first = from_book(&start);
    for second in replies(&after_first) {
        let third = from_book(&second);
        for fourth in replies(&third) {
            from_book(&fourth);
        }
    }
    for second in replies(&start) {
        let third = from_book(&second);
        for fourth in replies(&third) {
            from_book(&fourth);
        }
    }
}

#[test]
fn games_without_a_limit_are_refused() {
    let start = network::Position::new(network::Rules::Berkeley);
    let choice = Perfect::new(network::ChipEval, options(), None).choose(
        &start,
        None,
        &SearchContext::default(),
    );
    assert_eq!(choice, Err(Unlimited));
}

#[test]
fn a_guess_changes_no_value_and_a_monitor_sees_the_proof() {
    for seed in 0..20 {
        let position = Coins::new(seed, COINS);
        let value = plain(&position);
        let guesses = [-500, 0, 37, 500].into_iter();
        for (guess, threads) in guesses.flat_map(|guess| [(guess, 1), (guess, 3)]) {
            let monitor = Arc::new(Monitor::default());
            let limits = Limits {
                guess: Some(Score::estimate(guess)),
                context: SearchContext {
                    monitor: Arc::clone(&monitor),
                    ..SearchContext::default()
                },
                ..Limits::depth(u32::from(COINS))
            };
            let mut search = AlphaBeta::new(NOISE, options()).with_threads(threads);
            let report = search.best(&position, &limits).expect("the game is not over");
            assert_eq!(report.score(), value, "{position}");
            let root = monitor.root().expect("the search has reached the end of the game");
            assert!((root.proven.lower..=root.proven.upper).contains(&value), "{root:?}");
            assert!((0.0..=1.0).contains(&monitor.table_fill()));
        }
    }
}

#[test]
fn without_nodes_for_ties_the_best_move_is_known_all_the_same() {
    for seed in 0..20 {
        let position = Coins::new(seed, COINS);
        let limits = Limits { tie_nodes: Some(0), ..Limits::depth(u32::from(COINS)) };
        let mut search = AlphaBeta::new(NOISE, options());
        let report = search.search(&position, &limits, Scope::BestMoves, &mut |_| ());
        let report = report.expect("the game is not over");
        assert!(report.proven());
        assert_eq!(report.score(), plain(&position));
        assert_eq!(-plain(&position.after(report.best_move())), report.score());
    }
}

#[test]
fn searches_that_share_a_table_agree() {
    let mut one = AlphaBeta::new(NOISE, options());
    let mut other = one.sharing(NOISE);
    for seed in 0..20 {
        let position = Coins::new(seed, COINS);
        let limits = Limits::depth(u32::from(COINS));
        let scores = [&mut one, &mut other]
            .map(|search| search.best(&position, &limits).map(|report| report.score()));
        assert_eq!(scores, [Some(plain(&position)); 2]);
    }
}

#[test]
fn the_first_of_equal_moves_keeps_the_value_too() {
    for seed in 0..10 {
        let position = Coins::new(seed, COINS);
        let mut player = perfect(None);
        player.set_ties(Ties::First);
        let choice = player
            .choose(&position, None, &SearchContext::default())
            .expect("limited")
            .expect("not over");
        assert_eq!(choice.value.score(), plain(&position), "{position}");
        assert_eq!(-plain(&position.after(choice.mv)), choice.value.score(), "{position}");
    }
}

#[test]
fn a_prospect_is_a_loss_that_can_happen() {
    let mut search = AlphaBeta::new(NOISE, options());
    let mut hopeful = 0;
    for seed in 0..20 {
        let position = Coins::new(seed, COINS);
        let value = plain(&position);
        let prospect = prospect(&mut search, None, &position, value, &Limits::default())
            .expect("nobody stops it");
        let values = position.legal_moves().map(|mv| -plain(&position.after(mv)));
        let worst = values.min().expect("a move");
        let most = f64::from((value.get() - worst.get()).min(300));
        assert!((0.0..=most).contains(&prospect.loss), "{position}: {prospect:?}");
        hopeful += u32::from(prospect.loss > 0.0);
    }
    assert!(hopeful > 0, "somebody goes wrong");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let position = Coins::new(1, COINS);
    assert_eq!(
        prospect(
            &mut search,
            None,
            &position,
            plain(&position),
            &Limits::default().with_stop(stop)
        ),
        None
    );
}

#[test]
fn a_wrong_value_in_a_repertoire_contradicts_the_replies() {
    for seed in 0..5 {
        let start = Coins::new(seed, COINS);
        let book = build(&start, 4, Coverage::Repertoire);
        let (mv, value) = book.best_move(&start).expect("it is in the book");
        for wrong in [value + Score::POINT, value - Score::POINT] {
            let entry = Entry::new(&start, mv, wrong);
            let entries = book.entries().chain([entry]);
            let found = check_relatives(&Book::new(start.key(), entries), &start);
            assert!(found.is_err(), "{wrong} in place of {value}");
        }
    }
}
