//! Games with one fault each, which the contract check must find.

use std::fmt;

use super::tic_tac_toe::IllegalMark;
use super::{
    Breach, CannotTake, Coins, HashNoise, Rule, Sample, Square, Take, TicTacToe, check_contract,
};
use crate::game::{Game, Outcome, Side};
use crate::hints::{Evaluator, Flat, Forcing, SearchHints};
use crate::score::{Bounds, Score};

/// Tic-tac-toe with a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marred<const FAULT: u8>(TicTacToe);

const FORGETS_TO_ALTERNATE: u8 = 0;
const PLAYS_ON: u8 = 1;
const HIDES_A_MOVE: u8 = 2;
const REPEATS_A_MOVE: u8 = 3;
const FORGETS_WHY: u8 = 4;
const SHARES_A_CODE: u8 = 5;
const SHIFTS_CODES: u8 = 6;
const HASHES_TO_A_BYTE: u8 = 7;
const ENDS_EARLY: u8 = 8;
const FRACTIONAL_BOUNDS: u8 = 9;
const BOUNDS_TOO_TIGHT: u8 = 10;
const CAREFUL: u8 = 11;
const SHOUTS: u8 = 12;
const ALL_ENDS_ALIKE: u8 = 13;
const MARKS_WHILE_REFUSING: u8 = 14;
const CLOSER_BOUNDS_TOO_TIGHT: u8 = 15;
const BOASTS: u8 = 16;
const MISSES_A_WIN: u8 = 17;
const MISSES_A_THREAT: u8 = 18;
const MISSES_A_REPLY: u8 = 19;
const TURNS_REPLIES: u8 = 20;
const DROPS_REPLIES: u8 = 21;
const SEES_GHOSTS: u8 = 22;
const REPLIES_TO_NOTHING: u8 = 23;
const MOVES_ON: u8 = 24;
const STANDS_STILL: u8 = 25;
const PASSES_AT_WILL: u8 = 26;
const SHUFFLES_OPEN_MOVES: u8 = 27;

#[derive(Debug)]
struct Why(Option<IllegalMark>);

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |why| why.fmt(f))
    }
}

impl std::error::Error for Why {}

impl<const FAULT: u8> fmt::Display for Marred<FAULT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const FAULT: u8> Game for Marred<FAULT> {
    type Move = Square;
    type IllegalMove = Why;

    const NAME: &'static str = if FAULT == SHOUTS { "TicTacToe" } else { "tictactoe" };

    fn side_to_move(&self) -> Side {
        if FAULT == FORGETS_TO_ALTERNATE { Side::First } else { self.0.side_to_move() }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.0.outcome() {
            Some(Outcome::Draw) if FAULT == PLAYS_ON => None,
            outcome => outcome,
        }
    }

    fn legal_moves(&self) -> impl Iterator<Item = Square> {
        let mut all: Vec<Square> = self.0.legal_moves().collect();
        if FAULT == MOVES_ON && self.0.outcome().is_some() {
            all.extend("1".parse::<Square>().ok());
        }
        let skip = usize::from(FAULT == HIDES_A_MOVE && all.len() > 1);
        let again = all.first().copied().filter(|_| FAULT == REPEATS_A_MOVE);
        all.into_iter().skip(skip).chain(again)
    }

    fn check_legal(&self, square: Square) -> Result<(), Why> {
        if FAULT == CAREFUL && self.0.legal_moves().count() > 1 && square.to_string() == "5" {
            return Err(Why(Some(IllegalMark::Taken(square))));
        }
        self.0.check_legal(square).map_err(|why| Why((FAULT != FORGETS_WHY).then_some(why)))
    }

    fn play_unchecked(&mut self, square: Square) {
        self.0.play_unchecked(square);
    }

    fn is_pass(&self, square: Square) -> bool {
        FAULT == PASSES_AT_WILL && square.to_string() == "5"
    }

    fn play(&mut self, square: Square) -> Result<(), Why> {
        let verdict = self.check_legal(square);
        if verdict.is_ok() || FAULT == MARKS_WHILE_REFUSING {
            self.play_unchecked(square);
        }
        verdict
    }

    fn key(&self) -> u64 {
        if FAULT == HASHES_TO_A_BYTE { self.0.key() % 256 } else { self.0.key() }
    }

    fn plies_left(&self) -> Option<u32> {
        let left = self.0.plies_left();
        match FAULT {
            ENDS_EARLY => left.map(|left| left.saturating_sub(1)),
            STANDS_STILL => Some(9),
            _ => left,
        }
    }
}

impl<const FAULT: u8> SearchHints for Marred<FAULT> {
    const MOVE_CODES: usize = 9;

    fn end_of_game_key(&self) -> u64 {
        if FAULT == ALL_ENDS_ALIKE { 0 } else { self.key() }
    }

    fn move_code(&self, square: Square) -> usize {
        let code = self.0.move_code(square);
        if FAULT == SHARES_A_CODE { code / 2 } else { code }
    }

    fn open_moves(&self) -> impl Iterator<Item = Square> {
        let mut all: Vec<Square> = self.legal_moves().collect();
        if FAULT == SHUFFLES_OPEN_MOVES {
            all.reverse();
        }
        all.into_iter()
    }

    fn canonical_code(&self, code: usize) -> usize {
        if FAULT == SHIFTS_CODES { (code + 1) % 9 } else { code }
    }

    fn bounds(&self) -> Bounds {
        match FAULT {
            FRACTIONAL_BOUNDS => Bounds { lower: Score::estimate(-50), upper: Score::MAX },
            BOUNDS_TOO_TIGHT => Bounds::points(0, 0),
            _ => Bounds::NONE,
        }
    }

    fn closer_bounds(&self, alpha: Score, _: Score) -> Option<Bounds> {
        (FAULT == CLOSER_BOUNDS_TOO_TIGHT).then_some(Bounds { upper: alpha, ..Bounds::NONE })
    }

    fn forcing(&self, replies: &mut Vec<Square>) -> Forcing<Square> {
        let own = wins(&self.0);
        let boast = self.0.legal_moves().next().filter(|_| FAULT == BOASTS);
        if let Some(&win) = boast.as_ref().or(own.first()).filter(|_| FAULT != MISSES_A_WIN) {
            return Forcing::Win(win);
        }
        if FAULT == DROPS_REPLIES {
            replies.clear();
        }
        let mut parries = threats(&self.0);
        if FAULT == REPLIES_TO_NOTHING && parries.is_empty() {
            replies.extend(self.0.legal_moves());
        }
        if parries.is_empty() && FAULT != SEES_GHOSTS || FAULT == MISSES_A_THREAT {
            return Forcing::Quiet;
        }
        if parries.len() > 1 {
            // No move parries two threats at once: the game may say so, or name both.
            parries.truncate(if FAULT == TURNS_REPLIES { 2 } else { 0 });
            parries.reverse();
        } else if FAULT == MISSES_A_REPLY {
            parries.clear();
        }
        replies.extend(parries);
        Forcing::Threatened
    }
}

/// Returns the squares with which the side to move wins, in the order of its moves.
fn wins(position: &TicTacToe) -> Vec<Square> {
    let side = position.side_to_move();
    let is_win = |mv: &Square| position.after(*mv).outcome() == Some(Outcome::Win(side));
    position.legal_moves().filter(is_win).collect()
}

/// Returns the squares with which the opponent wins if the side to move plays elsewhere, in the order of
/// the moves.
fn threats(position: &TicTacToe) -> Vec<Square> {
    let later = position.legal_moves().map(|mv| position.after(mv));
    let open: Vec<TicTacToe> = later.filter(|next| next.outcome().is_none()).collect();
    let is_threat = |mv: &Square| open.iter().any(|next| wins(next).contains(mv));
    position.legal_moves().filter(is_threat).collect()
}

fn breach<const FAULT: u8>() -> Option<Rule> {
    let sample = Sample::new([Marred::<FAULT>(TicTacToe::default())], 7);
    check_contract(&sample, &Flat).err().map(|breach: Breach| breach.rule)
}

#[test]
fn every_fault_is_found() {
    assert_eq!(breach::<{ u8::MAX }>(), None);
    assert_eq!(breach::<FORGETS_TO_ALTERNATE>(), Some(Rule::Play));
    assert_eq!(breach::<PLAYS_ON>(), Some(Rule::Moves));
    assert_eq!(breach::<HIDES_A_MOVE>(), Some(Rule::Generator));
    assert_eq!(breach::<REPEATS_A_MOVE>(), Some(Rule::Generator));
    assert_eq!(breach::<FORGETS_WHY>(), Some(Rule::Refusal));
    assert_eq!(breach::<SHARES_A_CODE>(), Some(Rule::MoveCode));
    assert_eq!(breach::<SHIFTS_CODES>(), Some(Rule::CanonicalCode));
    assert_eq!(breach::<HASHES_TO_A_BYTE>(), Some(Rule::Key));
    assert_eq!(breach::<ENDS_EARLY>(), Some(Rule::PliesLeft));
    assert_eq!(breach::<STANDS_STILL>(), Some(Rule::PliesLeft));
    assert_eq!(breach::<MOVES_ON>(), Some(Rule::Moves));
    assert_eq!(breach::<PASSES_AT_WILL>(), Some(Rule::Pass));
    assert_eq!(breach::<SHUFFLES_OPEN_MOVES>(), Some(Rule::Generator));
    assert_eq!(breach::<FRACTIONAL_BOUNDS>(), Some(Rule::Bounds));
    assert_eq!(breach::<BOUNDS_TOO_TIGHT>(), Some(Rule::BoundsHold));
    assert_eq!(breach::<CLOSER_BOUNDS_TOO_TIGHT>(), Some(Rule::BoundsHold));
    assert_eq!(breach::<CAREFUL>(), Some(Rule::Generator));
    assert_eq!(breach::<SHOUTS>(), Some(Rule::Constants));
    assert_eq!(breach::<ALL_ENDS_ALIKE>(), Some(Rule::EndOfGameKey));
    assert_eq!(breach::<MARKS_WHILE_REFUSING>(), Some(Rule::Refusal));
    for breach in [
        breach::<BOASTS>(),
        breach::<MISSES_A_WIN>(),
        breach::<MISSES_A_REPLY>(),
        breach::<TURNS_REPLIES>(),
        breach::<DROPS_REPLIES>(),
        breach::<SEES_GHOSTS>(),
        breach::<REPLIES_TO_NOTHING>(),
    ] {
        assert_eq!(breach, Some(Rule::Forcing));
    }
    // The moves that the opponent would have if it were their turn cannot be tried.
    assert_eq!(breach::<MISSES_A_THREAT>(), None);
}

/// Coins in a row with a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Debased<const FAULT: u8>(Coins);

const COUNTS_ON_THE_MIRROR: u8 = 0;
const PAYS_MILLIONS: u8 = 1;
const FORGETS_A_SIDE: u8 = 2;

impl<const FAULT: u8> fmt::Display for Debased<FAULT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const FAULT: u8> Game for Debased<FAULT> {
    type Move = Take;
    type IllegalMove = CannotTake;

    const NAME: &'static str = "coins";

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        let [first, second] = self.points().unwrap_or_default();
        self.0.outcome().map(|_| Outcome::Points { first, second })
    }

    fn legal_moves(&self) -> impl Iterator<Item = Take> {
        self.0.legal_moves()
    }

    fn check_legal(&self, take: Take) -> Result<(), CannotTake> {
        self.0.check_legal(take)
    }

    fn play_unchecked(&mut self, take: Take) {
        self.0.play_unchecked(take);
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn points(&self) -> Option<[i32; 2]> {
        let factor = if FAULT == PAYS_MILLIONS { 1_000_000 } else { 1 };
        self.0.points().map(|points| points.map(|points| factor * points))
    }

    fn margin(&self) -> i32 {
        match (FAULT, self.points()) {
            (FORGETS_A_SIDE, Some([first, _])) => first,
            (PAYS_MILLIONS, _) => 1_000_000 * self.0.margin(),
            _ => self.0.margin(),
        }
    }

    /// With the fault, rows of one key that are mirror images have different limits.
    fn plies_left(&self) -> Option<u32> {
        let is_turned = self.0.canonical_code(0) != 0;
        let extra = u32::from(FAULT == COUNTS_ON_THE_MIRROR && is_turned);
        self.0.plies_left().map(|left| 2 * left + extra)
    }
}

impl<const FAULT: u8> SearchHints for Debased<FAULT> {
    const MOVE_CODES: usize = Coins::MOVE_CODES;

    fn move_code(&self, take: Take) -> usize {
        self.0.move_code(take)
    }

    fn canonical_code(&self, code: usize) -> usize {
        self.0.canonical_code(code)
    }
}

#[test]
fn every_fault_of_a_game_of_points_is_found() {
    fn breach<const FAULT: u8>() -> Option<Rule> {
        // Nearly all values are small, so that rows and their mirror images occur.
        let starts = (0..40).map(|seed| Debased::<FAULT>(Coins::new(seed, 9)));
        let evaluator = HashNoise { seed: 1, amplitude: 50 };
        check_contract(&Sample::new(starts, 7), &evaluator).err().map(|breach| breach.rule)
    }
    assert_eq!(breach::<{ u8::MAX }>(), None);
    assert_eq!(breach::<COUNTS_ON_THE_MIRROR>(), Some(Rule::Key));
    assert_eq!(breach::<PAYS_MILLIONS>(), Some(Rule::Points));
    assert_eq!(breach::<FORGETS_A_SIDE>(), Some(Rule::Points));
}

/// An evaluator that reads the side to move, which the key does not say.
struct Snoop;

impl Evaluator<Coins> for Snoop {
    fn evaluate(&self, position: &Coins) -> Score {
        Score::points(position.margin()) + position.side_to_move().index() as i32
    }
}

/// An evaluator that forgets the margin so far.
struct Forgetful;

impl Evaluator<Coins> for Forgetful {
    fn evaluate(&self, _: &Coins) -> Score {
        Score::ZERO
    }
}

/// An evaluator whose numbers are so large that points no longer matter.
struct Overconfident;

impl Evaluator<Coins> for Overconfident {
    fn evaluate(&self, position: &Coins) -> Score {
        Score::points(position.margin()) + (Score::MAX_ESTIMATE.get() - Score::POINT)
    }
}

#[test]
fn estimates_leave_room_for_points() {
    // Few coins, so that no estimate is beyond a win.
    let sample = Sample::new((0..4).map(|seed| Coins::new(seed, 2)), 1);
    let breach = check_contract(&sample, &Overconfident).err();
    assert_eq!(breach.map(|breach| breach.rule), Some(Rule::Evaluation));
}

#[test]
fn evaluators_read_no_more_than_the_key() {
    let sample = Sample::new((0..4).map(|seed| Coins::new(seed, 9)), 1);
    let rule = |breach: Breach| breach.rule;
    assert_eq!(check_contract(&sample, &Flat).err(), None);
    assert_eq!(check_contract(&sample, &Snoop).err().map(rule), Some(Rule::Key));
    assert_eq!(check_contract(&sample, &Forgetful).err().map(rule), Some(Rule::Key));
}

#[test]
fn a_breach_says_where_and_what() {
    let sample = Sample::new([Marred::<HIDES_A_MOVE>(TicTacToe::default())], 7);
    let text = check_contract(&sample, &Flat).err().map(|breach| breach.to_string());
    let text = text.unwrap_or_default();
    assert!(text.starts_with("tictactoe breaks the contract, rule Generator: move 1 is legal"));
    let end = "...\n...\n...\n(first side to move)\nMarred(TicTacToe { marks: [0, 0] })";
    assert!(text.ends_with(end), "{text}");
}
