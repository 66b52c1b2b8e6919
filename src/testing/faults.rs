//! Games with one fault each, which the contract check must find.

use std::fmt;

use super::{
    Breach, CannotTake, Coins, HashNoise, IllegalMark, Rule, Sample, Square, Take, TicTacToe,
    check_contract,
};
use crate::game::{Game, Outcome, Side};
use crate::hints::{Evaluator, Flat, Forcing, SearchHints};
use crate::score::{Bounds, Score};

/// Tic-tac-toe with a fault. Only the name is part of the type, so that the contract is compiled for few
/// types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marred<const SHOUTS: bool>(TicTacToe, Fault);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    ForgetsToAlternate,
    PlaysOn,
    HidesAMove,
    RepeatsAMove,
    ForgetsWhy,
    SharesACode,
    ShiftsCodes,
    HashesToAByte,
    EndsEarly,
    FractionalBounds,
    BoundsTooTight,
    Careful,
    AllEndsAlike,
    MarksWhileRefusing,
    CloserBoundsTooTight,
    Boasts,
    MissesAWin,
    MissesAThreat,
    MissesAReply,
    TurnsReplies,
    DropsReplies,
    SeesGhosts,
    RepliesToNothing,
    MovesOn,
    StandsStill,
    PassesAtWill,
    ShufflesOpenMoves,
}

#[derive(Debug)]
struct Why(Option<IllegalMark>);

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |why| why.fmt(f))
    }
}

impl std::error::Error for Why {}

impl<const SHOUTS: bool> fmt::Display for Marred<SHOUTS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const SHOUTS: bool> Game for Marred<SHOUTS> {
    type Move = Square;
    type IllegalMove = Why;

    const NAME: &'static str = if SHOUTS { "TicTacToe" } else { "tictactoe" };

    fn side_to_move(&self) -> Side {
        if self.1 == Fault::ForgetsToAlternate { Side::First } else { self.0.side_to_move() }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.0.outcome() {
            Some(Outcome::Draw) if self.1 == Fault::PlaysOn => None,
            outcome => outcome,
        }
    }

    fn legal_moves(&self) -> impl Iterator<Item = Square> {
        let mut all: Vec<Square> = self.0.legal_moves().collect();
        if self.1 == Fault::MovesOn && self.0.outcome().is_some() {
            all.extend("1".parse::<Square>().ok());
        }
        let skip = usize::from(self.1 == Fault::HidesAMove && all.len() > 1);
        let again = all.first().copied().filter(|_| self.1 == Fault::RepeatsAMove);
        all.into_iter().skip(skip).chain(again)
    }

    fn check_legal(&self, square: Square) -> Result<(), Why> {
        if self.1 == Fault::Careful && self.0.legal_moves().count() > 1 && square.to_string() == "5"
        {
            return Err(Why(Some(IllegalMark::Taken(square))));
        }
        self.0.check_legal(square).map_err(|why| Why((self.1 != Fault::ForgetsWhy).then_some(why)))
    }

    fn play_unchecked(&mut self, square: Square) {
        self.0.play_unchecked(square);
    }

    fn is_pass(&self, square: Square) -> bool {
        self.1 == Fault::PassesAtWill && square.to_string() == "5"
    }

    fn play(&mut self, square: Square) -> Result<(), Why> {
        let verdict = self.check_legal(square);
        if verdict.is_ok() || self.1 == Fault::MarksWhileRefusing {
            self.play_unchecked(square);
        }
        verdict
    }

    fn key(&self) -> u64 {
        if self.1 == Fault::HashesToAByte { self.0.key() % 256 } else { self.0.key() }
    }

    fn plies_left(&self) -> Option<u32> {
        let left = self.0.plies_left();
        match self.1 {
            Fault::EndsEarly => left.map(|left| left.saturating_sub(1)),
            Fault::StandsStill => Some(9),
            _ => left,
        }
    }
}

impl<const SHOUTS: bool> SearchHints for Marred<SHOUTS> {
    const MOVE_CODES: usize = 9;

    fn end_of_game_key(&self) -> u64 {
        if self.1 == Fault::AllEndsAlike { 0 } else { self.key() }
    }

    fn move_code(&self, square: Square) -> usize {
        let code = self.0.move_code(square);
        if self.1 == Fault::SharesACode { code / 2 } else { code }
    }

    fn open_moves(&self) -> impl Iterator<Item = Square> {
        let mut all: Vec<Square> = self.legal_moves().collect();
        if self.1 == Fault::ShufflesOpenMoves {
            all.reverse();
        }
        all.into_iter()
    }

    fn canonical_code(&self, code: usize) -> usize {
        if self.1 == Fault::ShiftsCodes { (code + 1) % 9 } else { code }
    }

    fn bounds(&self) -> Bounds {
        match self.1 {
            Fault::FractionalBounds => Bounds { lower: Score::estimate(-50), upper: Score::MAX },
            Fault::BoundsTooTight => Bounds::points(0, 0),
            _ => Bounds::NONE,
        }
    }

    fn closer_bounds(&self, alpha: Score, _: Score) -> Option<Bounds> {
        (self.1 == Fault::CloserBoundsTooTight).then_some(Bounds { upper: alpha, ..Bounds::NONE })
    }

    fn forcing(&self, replies: &mut Vec<Square>) -> Forcing<Square> {
        let own = wins(&self.0);
        let boast = self.0.legal_moves().next().filter(|_| self.1 == Fault::Boasts);
        if let Some(&win) = boast.as_ref().or(own.first()).filter(|_| self.1 != Fault::MissesAWin) {
            return Forcing::Win(win);
        }
        if self.1 == Fault::DropsReplies {
            replies.clear();
        }
        let mut parries = threats(&self.0);
        if self.1 == Fault::RepliesToNothing && parries.is_empty() {
            replies.extend(self.0.legal_moves());
        }
        if parries.is_empty() && self.1 != Fault::SeesGhosts || self.1 == Fault::MissesAThreat {
            return Forcing::Quiet;
        }
        if parries.len() > 1 {
            // No move parries two threats at once: the game may say so, or name both.
            parries.truncate(if self.1 == Fault::TurnsReplies { 2 } else { 0 });
            parries.reverse();
        } else if self.1 == Fault::MissesAReply {
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

fn breach(fault: Fault) -> Option<Rule> {
    let sample = Sample::new([Marred::<false>(TicTacToe::default(), fault)], 7);
    check_contract(&sample, &Flat).err().map(|breach: Breach| breach.rule)
}

#[test]
fn every_fault_is_found() {
    assert_eq!(breach(Fault::None), None);
    assert_eq!(breach(Fault::ForgetsToAlternate), Some(Rule::Play));
    assert_eq!(breach(Fault::PlaysOn), Some(Rule::Moves));
    assert_eq!(breach(Fault::HidesAMove), Some(Rule::Generator));
    assert_eq!(breach(Fault::RepeatsAMove), Some(Rule::Generator));
    assert_eq!(breach(Fault::ForgetsWhy), Some(Rule::Refusal));
    assert_eq!(breach(Fault::SharesACode), Some(Rule::MoveCode));
    assert_eq!(breach(Fault::ShiftsCodes), Some(Rule::CanonicalCode));
    assert_eq!(breach(Fault::HashesToAByte), Some(Rule::Key));
    assert_eq!(breach(Fault::EndsEarly), Some(Rule::PliesLeft));
    assert_eq!(breach(Fault::StandsStill), Some(Rule::PliesLeft));
    assert_eq!(breach(Fault::MovesOn), Some(Rule::Moves));
    assert_eq!(breach(Fault::PassesAtWill), Some(Rule::Pass));
    assert_eq!(breach(Fault::ShufflesOpenMoves), Some(Rule::Generator));
    assert_eq!(breach(Fault::FractionalBounds), Some(Rule::Bounds));
    assert_eq!(breach(Fault::BoundsTooTight), Some(Rule::BoundsHold));
    assert_eq!(breach(Fault::CloserBoundsTooTight), Some(Rule::BoundsHold));
    assert_eq!(breach(Fault::Careful), Some(Rule::Generator));
    let shouting = Sample::new([Marred::<true>(TicTacToe::default(), Fault::None)], 7);
    let shout = check_contract(&shouting, &Flat).err();
    assert_eq!(shout.map(|breach| breach.rule), Some(Rule::Constants));
    assert_eq!(breach(Fault::AllEndsAlike), Some(Rule::EndOfGameKey));
    assert_eq!(breach(Fault::MarksWhileRefusing), Some(Rule::Refusal));
    for breach in [
        breach(Fault::Boasts),
        breach(Fault::MissesAWin),
        breach(Fault::MissesAReply),
        breach(Fault::TurnsReplies),
        breach(Fault::DropsReplies),
        breach(Fault::SeesGhosts),
        breach(Fault::RepliesToNothing),
    ] {
        assert_eq!(breach, Some(Rule::Forcing));
    }
    // The moves that the opponent would have if it were their turn cannot be tried.
    assert_eq!(breach(Fault::MissesAThreat), None);
}

/// Coins in a row with a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Debased(Coins, CoinFault);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoinFault {
    None,
    CountsOnTheMirror,
    PaysMillions,
    ForgetsASide,
}

impl fmt::Display for Debased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Game for Debased {
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
        let factor = if self.1 == CoinFault::PaysMillions { 1_000_000 } else { 1 };
        self.0.points().map(|points| points.map(|points| factor * points))
    }

    fn margin(&self) -> i32 {
        match (self.1, self.points()) {
            (CoinFault::ForgetsASide, Some([first, _])) => first,
            (CoinFault::PaysMillions, _) => 1_000_000 * self.0.margin(),
            _ => self.0.margin(),
        }
    }

    /// With the fault, rows of one key that are mirror images have different limits.
    fn plies_left(&self) -> Option<u32> {
        let is_turned = self.0.canonical_code(0) != 0;
        let extra = u32::from(self.1 == CoinFault::CountsOnTheMirror && is_turned);
        self.0.plies_left().map(|left| 2 * left + extra)
    }
}

impl SearchHints for Debased {
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
    fn breach(fault: CoinFault) -> Option<Rule> {
        // Nearly all values are small, so that rows and their mirror images occur.
        let starts = (0..40).map(|seed| Debased(Coins::new(seed, 9), fault));
        let evaluator = HashNoise { seed: 1, amplitude: 50 };
        check_contract(&Sample::new(starts, 7), &evaluator).err().map(|breach| breach.rule)
    }
    assert_eq!(breach(CoinFault::None), None);
    assert_eq!(breach(CoinFault::CountsOnTheMirror), Some(Rule::Key));
    assert_eq!(breach(CoinFault::PaysMillions), Some(Rule::Points));
    assert_eq!(breach(CoinFault::ForgetsASide), Some(Rule::Points));
}

/// An evaluator that reads the side to move, which the key does not contain.
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
    let sample = Sample::new([Marred::<false>(TicTacToe::default(), Fault::HidesAMove)], 7);
    let text = check_contract(&sample, &Flat).err().map(|breach| breach.to_string());
    let text = text.unwrap_or_default();
    assert!(text.starts_with("tictactoe breaks the contract, rule Generator: move 1 is legal"));
    let end =
        "...\n...\n...\n(first side to move)\nMarred(TicTacToe { marks: [0, 0] }, HidesAMove)";
    assert!(text.ends_with(end), "{text}");
}
