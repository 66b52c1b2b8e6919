//! Reviews: the values against plain minimax, the sum of the losses, and the patterns of programs with known
//! bugs.

use std::collections::HashSet;

use plyground::search::Options;
use plyground::testing::random_position;
use plyground::{Game, Side, Turn};
use plyground_explain::practice::{self, Practice};
use plyground_explain::review::{
    GameReview, GameToReview, MistakeKind, MoveToReview, PatternKind, ProgramSummary, ReviewEffort,
    Reviewer, game_text, moves_csv, review_page, summaries, summary_text,
};
use plyground_host::record::PlayerRecord;
use plyground_host::state::StateText;
use plyground_host::toy::toy;
use plyground_host::{Bound, EngineOptions, HostedEngine, HostedPosition, MoveText, SharedGame};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};

fn engine(game: &SharedGame) -> Box<dyn HostedEngine> {
    let search = Options { table_mib: 16, ..Options::default() };
    let book = game.book().expect("a whole book");
    game.engine(EngineOptions { search, book, ..EngineOptions::default() })
}

fn board(size: &str) -> SharedGame {
    maxconnect4::game().with_rules(size).expect("a size")
}

/// Returns the game from `start` in which these choose the moves.
fn played(
    start: &HostedPosition,
    names: [&str; 2],
    choose: &mut dyn FnMut(&HostedPosition, &str) -> MoveText,
) -> GameToReview {
    let (mut position, mut moves) = (start.clone(), Vec::new());
    while !position.is_over() && moves.len() < 200 {
        let mv = choose(&position, names[position.side_to_move().index()]);
        moves.push(MoveToReview { mv, given: false, depth: None });
        position = position.after(mv);
    }
    let player = |name: &str| PlayerRecord { name: name.to_owned(), player: "test".to_owned() };
    GameToReview {
        start: start.clone(),
        moves,
        players: Some(names.map(player)),
        ending: None,
        fault_of: None,
    }
}

fn at_random(position: &HostedPosition, rng: &mut StdRng) -> MoveText {
    position.legal_moves().choose(rng).expect("a move")
}

fn random_game(start: &HostedPosition, seed: u64) -> GameToReview {
    let mut rng = StdRng::seed_from_u64(seed);
    played(start, ["ann", "bob"], &mut |position, _| at_random(position, &mut rng))
}

fn review(reviewer: &mut Reviewer<'_>, game: &GameToReview) -> GameReview {
    reviewer.review(game, &mut |_, _| ()).expect("a game of the engine").expect("a whole review")
}

/// Returns the losses of a side.
fn lost(review: &GameReview, side: Side) -> i32 {
    let own = review.moves.iter().filter(|made| made.side == side);
    own.map(|made| made.loss.expect("a loss that is known")).sum()
}

/// The names of players are strangers' texts, as is that of a file.
#[test]
fn names_steer_neither_terminal_nor_page() {
    let game = board("5x4");
    let mut game_played = random_game(&game.start(), 1);
    let name = "\u{1b}[2J\u{202e}ann\n";
    if let Some(players) = &mut game_played.players {
        players[0].name = name.to_owned();
    }
    let mut engine = engine(&game);
    let mut review = review(&mut Reviewer::new(&mut *engine), &game_played);
    review.file = Some("\u{7}file".to_owned());
    let reviews = [review];
    let summaries = summaries(&reviews, None);
    let text = game_text(&reviews[0], Some(name)) + &summary_text(&summaries[0]);
    let page = review_page(&*game, &reviews, &summaries, Some(name));
    let practice = Practice::from_reviews(&*game, &reviews, None, (1, 3));
    let questions = practice::text(&practice, true) + &practice::sheet(&practice, true);
    for shown in [text, page, questions] {
        assert!(shown.contains("\\u{1b}[2J\\u{202e}ann"), "{shown}");
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown}");
    }
}

#[test]
fn losses_add_up_to_the_final_margin() {
    for (game, count) in [(maxconnect4::game(), 2), (board("5x4"), 10)] {
        let mut engine = engine(&game);
        let mut reviewer = Reviewer::new(&mut *engine);
        for seed in 0..count {
            let review = review(&mut reviewer, &random_game(&game.start(), seed));
            assert!(review.exact);
            let start = review.start_value.expect("a value");
            let [first, second] = Side::BOTH.map(|side| lost(&review, side));
            assert_eq!(Some(start - first + second), review.final_margin);
            if game.rules() == "standard" {
                assert_eq!(start, 0, "the empty board is a tie");
            }
        }
    }
}

/// Returns the margin of the side to move with best play of both sides, `plies` plies from here at the latest.
fn margin(position: &HostedPosition, plies: u32) -> i32 {
    if plies == 0 || position.is_over() {
        let points = position.points().expect("points");
        let side = position.side_to_move();
        return points[side.index()] - points[side.other().index()];
    }
    position.legal_moves().map(|mv| margin_of(position, mv, plies)).max().expect("a move")
}

fn margin_of(position: &HostedPosition, mv: MoveText, plies: u32) -> i32 {
    let next = position.after(mv);
    Turn::between(position, &next).across(margin(&next, plies - 1))
}

/// The number of plies before the end from which a game is reviewed.
const LATE: u32 = 7;

#[test]
fn late_values_of_max_connect4_are_those_of_plain_minimax() {
    let game = maxconnect4::game();
    let mut engine = engine(&game);
    let mut reviewer = Reviewer::new(&mut *engine);
    let mut compared = 0;
    for seed in 0..43 {
        let start = random_position(&game.start(), 42 - LATE, seed);
        let played = random_game(&start, seed);
        let review = review(&mut reviewer, &played);
        let mut position = start.clone();
        for made in &review.moves {
            let left = position.plies_left().expect("a limit");
            let value =
                |mv: &str| margin_of(&position, position.parse_move(mv).expect("a move"), left);
            let best = position.legal_moves().map(|mv| value(mv.as_str())).max().expect("a move");
            let number = |value: Option<f64>| value.map(|value| value as i32);
            assert_eq!((made.played.bound, made.best_worth.bound), (Bound::Exact, Bound::Exact));
            assert_eq!(number(made.played.value), Some(value(&made.mv)));
            assert_eq!(number(made.best_worth.value), Some(best));
            assert_eq!(value(&made.best), best);
            assert_eq!(made.loss, Some(best - value(&made.mv)));
            assert_eq!(made.kind, (made.loss > Some(0)).then_some(MistakeKind::Mistake));
            let sees = |depth: u32| {
                let [better, worse] = [&made.best, &made.mv].map(|mv| {
                    margin_of(&position, position.parse_move(mv).expect("a move"), depth)
                });
                better > worse
            };
            let first = (1..=left).find(|&depth| made.kind.is_some() && sees(depth));
            assert_eq!(made.seen_at_depth, first);
            let from = first.and_then(|first| (first..=left).find(|&from| (from..=left).all(sees)));
            assert_eq!(made.seen_from_depth, from);
            if made.kind.is_some() {
                let after = position.after(position.parse_move(&made.mv).expect("a move"));
                let end = made.refutation.iter().fold(after, |position, &mv| position.after(mv));
                let points = end.points().expect("points");
                let own = points[made.side.index()] - points[made.side.other().index()];
                assert!(end.is_over() && Some(own) == number(made.played.value), "{made:?}");
            }
            compared += 1;
            position = position.after(position.parse_move(&made.mv).expect("a move"));
        }
    }
    assert!(compared >= 300, "{compared} positions");
}

/// Returns what plain minimax knows of the winner within `plies`: 1 for the side to move, -1 for the other.
fn outcome(position: &HostedPosition, plies: u32) -> i32 {
    if let Some(outcome) = position.outcome() {
        let won = |winner: Side| if winner == position.side_to_move() { 1 } else { -1 };
        return outcome.winner().map_or(0, won);
    }
    if plies == 0 {
        return 0;
    }
    let mut best = -1;
    for mv in position.legal_moves() {
        best = best.max(outcome_of(position, mv, plies));
        if best == 1 {
            break;
        }
    }
    best
}

fn outcome_of(position: &HostedPosition, mv: MoveText, plies: u32) -> i32 {
    let next = position.after(mv);
    Turn::between(position, &next).across(outcome(&next, plies - 1))
}

/// The depth to which plain minimax searches Network.
const NEAR: u32 = 2;

#[test]
fn late_values_of_network_do_not_contradict_plain_minimax() {
    let game = network::game(network::Rules::Berkeley);
    let mut engine = engine(&game);
    let mut reviewer = Reviewer::new(&mut *engine);
    reviewer.effort =
        ReviewEffort { proof: 300, estimate: 500, sight: 10_000, line: 0, ..reviewer.effort };
    let (mut compared, mut known) = (0, 0);
    for seed in 0.. {
        if compared >= 300 {
            break;
        }
        let mut whole = random_game(&game.start(), seed);
        // The last plies, where games are won.
        let skipped = whole.moves.len().saturating_sub(4);
        for made in whole.moves.drain(..skipped) {
            whole.start = whole.start.after(made.mv);
        }
        let review = review(&mut reviewer, &whole);
        let mut position = whole.start.clone();
        for made in &review.moves {
            let [own, best] =
                [&made.mv, &made.best].map(|mv| position.parse_move(mv).expect("a move"));
            for (mv, worth) in [(own, &made.played), (best, &made.best_worth)] {
                let seen = outcome_of(&position, mv, NEAR);
                let said = worth.value.map(|value| value as i32);
                // What minimax sees is not contradicted, and nothing is said to be near that it does not see.
                if seen != 0 && worth.bound != Bound::Estimate {
                    assert_eq!(said, Some(seen), "seed {seed}, {made:?}");
                    known += 1;
                }
                let value = worth.value();
                let plies = value.score().plies_to_end().map(i32::unsigned_abs);
                if said.is_some() && plies.is_some_and(|plies| plies <= NEAR) {
                    assert_eq!(Some(seen), said, "seed {seed}, {made:?}");
                }
            }
            if made.kind.is_some() {
                let sees =
                    |depth| outcome_of(&position, best, depth) > outcome_of(&position, own, depth);
                let first = (1..=NEAR).find(|&depth| sees(depth));
                let said = made.seen_at_depth.filter(|&depth| depth <= NEAR);
                assert_eq!(said, first, "seed {seed}, {made:?}");
            }
            compared += 1;
            position = position.after(own);
        }
    }
    assert!(known > 100, "{known} of {compared}");
}

/// Compares the depths at which plain minimax sees a difference of two moves with plain minimax, up to `most`.
/// Returns true if it sees one.
fn compare_sight(
    position: &HostedPosition,
    [better, worse]: [MoveText; 2],
    most: u32,
    worth: fn(&HostedPosition, MoveText, u32) -> i32,
) -> bool {
    let sight = position.sight(better, worse, 5_000);
    assert!(sight.within > 0);
    let sees = |depth: u32| worth(position, better, depth) > worth(position, worse, depth);
    let first = (1..=most.min(sight.within)).find(|&depth| sees(depth));
    let said = sight.at.filter(|&at| at <= most);
    assert_eq!(said, first, "{better} and {worse} in {}", position.state_word());
    first.is_some()
}

/// Returns pairs of moves.
fn pairs(position: &HostedPosition, count: usize, rng: &mut StdRng) -> Vec<[MoveText; 2]> {
    (0..count).map(|_| [at_random(position, rng), at_random(position, rng)]).collect()
}

#[test]
fn depth_that_sees_a_difference_is_that_of_plain_minimax() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut seen = [0; 3];
    for seed in 0..60 {
        let position = random_position(&maxconnect4::game().start(), 10 + seed as u32 / 2, seed);
        for pair in pairs(&position, 2, &mut rng) {
            seen[0] += usize::from(compare_sight(&position, pair, 4, margin_of));
        }
        let position = random_position(&toy().start(), 3, seed);
        for pair in pairs(&position, 4, &mut rng) {
            seen[1] += usize::from(compare_sight(&position, pair, 9, outcome_of));
        }
    }
    let game = network::game(network::Rules::Berkeley);
    let wins = include_str!("../network/data/forced-wins.tsv").lines();
    let wins = wins.filter_map(|line| line.strip_suffix("\t3")).take(3);
    for state in wins {
        let state = StateText::new(state.replace('\t', "/"));
        let position = game.parse_state(&state).expect("a position");
        let winning = position.best_moves(3).0[0];
        let other = at_random(&position, &mut rng);
        seen[2] += usize::from(compare_sight(&position, [winning, other], 3, outcome_of));
    }
    let [points, whole, forced] = seen;
    assert!(points > 20 && whole > 40 && forced == 3, "{seen:?}");
}

/// A program with a known bug: its name, the kinds of patterns that name the bug, and how it chooses.
type StandIn = (&'static str, &'static [PatternKind], fn(&HostedPosition, &mut StdRng) -> MoveText);

/// Returns a move that gets most points within `plies`, at random among equals.
fn looking(position: &HostedPosition, plies: u32, rng: &mut StdRng) -> MoveText {
    let margins = position.margins(plies).expect("points");
    let most = margins.iter().map(|&(_, margin)| margin).max();
    let best: Vec<_> = margins.into_iter().filter(|&(_, own)| Some(own) == most).collect();
    best.choose(rng).expect("a move").0
}

/// Returns a move that gets fewest points within `plies`.
fn helping(position: &HostedPosition, plies: u32, rng: &mut StdRng) -> MoveText {
    let margins = position.margins(plies).expect("points");
    let least = margins.iter().map(|&(_, margin)| margin).min();
    let worst: Vec<_> = margins.into_iter().filter(|&(_, own)| Some(own) == least).collect();
    worst.choose(rng).expect("a move").0
}

fn is_second(position: &HostedPosition) -> bool {
    position.side_to_move() == Side::Second
}

/// The depth of the programs' searches where they have no bug.
const PLIES: u32 = 4;

const STAND_INS: [StandIn; 12] = [
    ("random as player 2", &[PatternKind::OneSide], |position, rng| {
        if is_second(position) { at_random(position, rng) } else { looking(position, PLIES, rng) }
    }),
    ("helps as player 2", &[PatternKind::OneSide], |position, rng| {
        if is_second(position) { helping(position, 2, rng) } else { looking(position, PLIES, rng) }
    }),
    ("first column in quiet positions", &[PatternKind::AlwaysTheSame], |position, _| {
        let margins = position.margins(PLIES).expect("points");
        let most = margins.iter().map(|&(_, margin)| margin).max();
        margins.into_iter().find(|&(_, own)| Some(own) == most).expect("a move").0
    }),
    ("sees no reply", &[PatternKind::ReplyUnseen], |position, rng| looking(position, 1, rng)),
    ("takes no points", &[PatternKind::OwnMoveUnseen], |position, rng| {
        // It looks at the replies of the opponent only.
        let replies = |mv: MoveText| {
            let next = position.after(mv);
            let points = |position: &HostedPosition| position.points().expect("points");
            let side = next.side_to_move();
            let gains = next.legal_moves().map(|reply| points(&next.after(reply))[side.index()]);
            gains.max().unwrap_or_default()
        };
        let least = position.legal_moves().map(replies).min();
        let best = position.legal_moves().filter(|&mv| Some(replies(mv)) == least);
        best.choose(rng).expect("a move")
    }),
    ("random in the last eight plies", &[PatternKind::NearTheEnd], |position, rng| {
        let left = position.plies_left().unwrap_or_default();
        if left <= 8 { at_random(position, rng) } else { looking(position, PLIES, rng) }
    }),
    ("random until the last eight plies", &[PatternKind::BeforeTheEnd], |position, rng| {
        let left = position.plies_left().unwrap_or_default();
        if left > 8 { at_random(position, rng) } else { looking(position, PLIES, rng) }
    }),
    ("never the last column", &[PatternKind::NeverPlayed], |position, rng| {
        let margins = position.margins(PLIES).expect("points");
        let others: Vec<_> = margins.iter().filter(|(mv, _)| mv.as_str() != "6").collect();
        let most = others.iter().map(|&&(_, margin)| margin).max();
        let best: Vec<_> = others.into_iter().filter(|&&(_, own)| Some(own) == most).collect();
        best.choose(rng).map_or_else(|| at_random(position, rng), |best| best.0)
    }),
    ("random", &[PatternKind::Random], at_random),
    ("the wrong sign", &[PatternKind::ForTheOpponent], |position, rng| helping(position, 2, rng)),
    ("always the first column", &[PatternKind::AlwaysTheSame], |position, _| {
        position.legal_moves().next().expect("a move")
    }),
    ("looks three plies", &[PatternKind::Horizon], |position, rng| looking(position, 3, rng)),
];

/// The number of games of each stand-in.
const GAMES: u64 = 16;

/// Returns the summary of a stand-in that has played against a program without a bug, half of the games as
/// the second side.
fn summary_of(
    stand_in: &StandIn,
    reviewer: &mut Reviewer<'_>,
    game: &SharedGame,
) -> ProgramSummary {
    let (name, _, choose) = stand_in;
    let reviews = (0..GAMES).map(|seed| {
        let mut rng = StdRng::seed_from_u64(seed);
        let names = if seed % 2 == 0 { [*name, "sound"] } else { ["sound", *name] };
        let game = played(&game.start(), names, &mut |position, mover| match mover {
            "sound" if rng.random_bool(0.2) => at_random(position, &mut rng),
            "sound" => looking(position, 3, &mut rng),
            _ => choose(position, &mut rng),
        });
        review(reviewer, &game)
    });
    let reviews: Vec<_> = reviews.collect();
    summaries(&reviews, Some(name)).remove(0)
}

#[test]
fn patterns_name_the_bugs_of_stand_ins() {
    let game = board("6x5");
    let mut engine = engine(&game);
    let mut reviewer = Reviewer::new(&mut *engine);
    reviewer.effort.sight = 30_000;
    let mut named = 0;
    for stand_in in &STAND_INS {
        let summary = summary_of(stand_in, &mut reviewer, &game);
        let kinds: Vec<_> = summary.patterns.iter().map(|pattern| pattern.kind).collect();
        let is_named = stand_in.1.iter().all(|kind| kinds.contains(kind));
        if !is_named {
            println!("{}: {:#?}", stand_in.0, summary.lines());
        }
        named += usize::from(is_named);
    }
    assert!(named >= 11, "{named} of {}", STAND_INS.len());
}

#[test]
fn fault_is_a_pattern_with_its_reason_and_side() {
    let game = board("4x4");
    let mut engine = engine(&game);
    let mut reviewer = Reviewer::new(&mut *engine);
    let reviews = (0..6).map(|seed| {
        let names = if seed % 2 == 0 { ["slow", "sound"] } else { ["sound", "slow"] };
        let mut rng = StdRng::seed_from_u64(seed);
        let whole = played(&game.start(), names, &mut |position, _| at_random(position, &mut rng));
        // As the second player, it gives no third move.
        let moves = if seed % 2 == 0 { whole.moves } else { whole.moves[..5].to_vec() };
        let (fault_of, why) = match seed % 2 {
            0 => (None, "board full"),
            _ => (Some(Side::Second), "slow: wall limit of 2s exceeded"),
        };
        let ending = Some(("1-0".to_owned(), why.to_owned()));
        review(&mut reviewer, &GameToReview { moves, ending, fault_of, ..whole })
    });
    let reviews: Vec<_> = reviews.collect();
    let summary = summaries(&reviews, Some("slow")).remove(0);
    assert_eq!((summary.faults, summary.games), (3, [3, 3]));
    let pattern = &summary.patterns[0];
    assert_eq!(pattern.kind, PatternKind::Faults);
    let said =
        "loses 3 games by a fault, as player 2 only; the first: slow: wall limit of 2s exceeded";
    assert_eq!(pattern.text, said);
    assert_eq!(summaries(&reviews, Some("sound"))[0].faults, 0);
}

#[test]
fn summary_knows_the_game_of_a_mistake() {
    let game = board("4x4");
    let mut engine = engine(&game);
    let mut reviewer = Reviewer::new(&mut *engine);
    let reviews: Vec<_> =
        (0..4).map(|seed| review(&mut reviewer, &random_game(&game.start(), seed))).collect();
    let mut games = HashSet::new();
    for summary in summaries(&reviews, None) {
        for example in summary.worst.iter().chain(&summary.first_mistake) {
            games.insert(example.game);
            let review = &reviews[example.game];
            let made = &review.moves[example.ply - 1];
            assert_eq!((&made.mv, made.loss), (&example.mv, example.loss));
            assert_eq!(review.name(made.side), summary.name);
        }
    }
    assert!(games.len() > 1, "{games:?}");
}

#[test]
fn sound_program_has_no_pattern_of_a_bug() {
    let game = board("6x5");
    let mut engine = engine(&game);
    let mut reviewer = Reviewer::new(&mut *engine);
    reviewer.effort.sight = 30_000;
    let sound: StandIn = ("sound enough", &[], |position, rng| looking(position, 5, rng));
    let summary = summary_of(&sound, &mut reviewer, &game);
    let bug = summary.patterns.iter().find(|pattern| pattern.kind != PatternKind::Horizon);
    assert_eq!(bug, None, "{:#?}", summary.lines());
}

#[test]
fn review_is_data_text_a_table_and_a_page() {
    let game = board("4x4");
    let review = review(&mut Reviewer::new(&mut *engine(&game)), &random_game(&game.start(), 3));
    let again: GameReview = serde_json::from_str(&review.to_json()).expect("JSON");
    assert_eq!(again, review);
    let json: serde_json::Value = serde_json::from_str(&review.to_json()).expect("JSON");
    for key in ["ply", "side", "move", "value", "best", "best_value", "loss", "seen_at_depth"] {
        assert!(json["moves"][0].get(key).is_some(), "{key}");
    }
    assert!(json["final_margin"].is_i64() && json["moves"][0]["value"].is_i64());
    let mistakes = review.moves.iter().filter(|made| made.is_mistake()).count();
    assert_eq!(game_text(&review, None).matches("\nPly ").count(), mistakes);
    let table = moves_csv([&review].into_iter(), Some("ann"));
    assert_eq!(table.lines().count(), 1 + review.moves.len() / 2);
    let reviews = [review];
    let page = review_page(&*game, &reviews, &summaries(&reviews, None), None);
    assert_eq!(page.matches("<article").count(), mistakes);
    assert!(!page.contains("http:") && page.contains("ann"));
    // Cells without a rule for their color are black.
    assert!(page.contains("class=\"board\"") && page.contains(".board rect {"), "{page}");
}

#[test]
fn stopped_review_is_none() {
    let game = board("4x4");
    let mut engine = engine(&game);
    let mut reviewer = Reviewer::new(&mut *engine);
    reviewer.context.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let stopped = reviewer.review(&random_game(&game.start(), 1), &mut |_, _| ());
    assert_eq!(stopped, Ok(None));
}
