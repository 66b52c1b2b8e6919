//! A position of a rules program as a [`Game`].

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use plyground::hints::Term;
use plyground::{Evaluator, Game, Outcome, Score, SearchHints, Side};

use super::memory::{Expansion, PASS};
use super::message::{Facts, read_move};
use super::program::{MOST_CODES, RulesProgram};
use crate::game::Illegal;
use crate::move_text::{MoveText, MoveTooLong};

/// A position of a rules program.
#[derive(Clone)]
pub struct RulesPosition {
    program: RulesProgram,
    facts: Arc<Facts>,
    /// The moves among which the position was reached.
    origin: Option<Arc<Expansion>>,
    expansion: OnceLock<Arc<Expansion>>,
}

/// A move of a rules program: a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulesMove(MoveText);

impl RulesPosition {
    pub(super) fn new(program: RulesProgram, facts: Arc<Facts>) -> RulesPosition {
        RulesPosition { program, facts, origin: None, expansion: OnceLock::new() }
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns the moves of the position, which must not be over.
    fn expansion(&self) -> &Arc<Expansion> {
        self.expansion.get_or_init(|| self.program.expansion(&self.facts, self.origin.as_ref()))
    }

    /// Returns the end of the sentence that refuses `mv`: a legal move, and the form of a move if `mv` has
    /// another.
    fn instead(&self, mv: RulesMove) -> String {
        let steps = self.expansion().steps();
        let Some(legal) = steps.first().map(|step| step.mv) else { return String::new() };
        if form(legal.as_str()) == form(mv.0.as_str()) {
            return format!("; {legal} is");
        }
        match &self.program.description().hint {
            Some(hint) => format!(": expected {hint}; {legal} is legal"),
            None => format!(": expected a move such as {legal}"),
        }
    }

    /// Returns the position after `mv`, or `None` if that is not legal.
    fn next(&self, mv: RulesMove) -> Option<RulesPosition> {
        if self.facts.outcome.is_some() {
            return None;
        }
        let expansion = self.expansion();
        let (step, _) = expansion.find(mv.0)?;
        Some(RulesPosition {
            program: self.program.clone(),
            facts: Arc::clone(&step.after),
            origin: Some(Arc::clone(expansion)),
            expansion: OnceLock::new(),
        })
    }
}

/// Returns the form of a move: `a` for a run of letters and `1` for one of digits.
fn form(mv: &str) -> String {
    let kind = |c: char| {
        if c.is_alphabetic() {
            'a'
        } else if c.is_ascii_digit() {
            '1'
        } else {
            c
        }
    };
    let mut form: Vec<char> = mv.chars().map(kind).collect();
    form.dedup();
    form.into_iter().collect()
}

impl Game for RulesPosition {
    type Move = RulesMove;
    type IllegalMove = Illegal;

    /// A placeholder; [`GameAdapter::game_name`](crate::GameAdapter::game_name) returns the name of the game.
    const NAME: &'static str = "rules";

    /// The program says whose turn it is.
    const ALTERNATES: bool = false;

    fn side_to_move(&self) -> Side {
        self.facts.side
    }

    fn outcome(&self) -> Option<Outcome> {
        self.facts.outcome
    }

    fn legal_moves(&self) -> impl Iterator<Item = RulesMove> {
        let expansion = self.facts.outcome.is_none().then(|| Arc::clone(self.expansion()));
        let steps = expansion.as_ref().map_or(0, |expansion| expansion.steps().len());
        (0..steps).filter_map(move |index| {
            let step = expansion.as_ref()?.steps().get(index)?;
            Some(RulesMove(step.mv))
        })
    }

    fn check_legal(&self, mv: RulesMove) -> Result<(), Illegal> {
        if self.facts.outcome.is_some() {
            return Err(Illegal::new(format_args!("{mv} is not legal: the game is over")));
        }
        match self.expansion().find(mv.0) {
            Some(_) => Ok(()),
            None => Err(Illegal::new(format_args!("{mv} is not legal{}", self.instead(mv)))),
        }
    }

    fn play_unchecked(&mut self, mv: RulesMove) {
        if let Some(next) = self.next(mv) {
            *self = next;
        }
    }

    fn key(&self) -> u64 {
        self.facts.key
    }

    fn is_pass(&self, mv: RulesMove) -> bool {
        mv.0.as_str() == PASS
    }

    fn plies_left(&self) -> Option<u32> {
        self.facts.plies_left
    }

    fn points(&self) -> Option<[i32; 2]> {
        self.facts.points
    }

    fn margin(&self) -> i32 {
        self.facts.margin()
    }

    fn after(&self, mv: RulesMove) -> RulesPosition {
        self.next(mv).unwrap_or_else(|| self.clone())
    }
}

impl SearchHints for RulesPosition {
    const MOVE_CODES: usize = MOST_CODES;

    fn move_code(&self, mv: RulesMove) -> usize {
        if self.facts.outcome.is_some() {
            return 0;
        }
        self.expansion().find(mv.0).map_or(0, |(_, code)| code.into())
    }
}

impl PartialEq for RulesPosition {
    fn eq(&self, other: &RulesPosition) -> bool {
        self.facts.text == other.facts.text
    }
}

impl Eq for RulesPosition {}

/// Writes the lines of the state file except the last, which names the side to move.
impl fmt::Display for RulesPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &*self.facts.text;
        let rows = text.rsplit_once('/').map_or(text, |(rows, _)| rows);
        f.write_str(&rows.replace('/', "\n"))
    }
}

impl fmt::Debug for RulesPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.facts.text, self.facts.words())
    }
}

impl FromStr for RulesMove {
    type Err = MoveTooLong;

    fn from_str(text: &str) -> Result<RulesMove, MoveTooLong> {
        read_move(text).map(RulesMove).ok_or(MoveTooLong)
    }
}

impl fmt::Display for RulesMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The evaluation that the program gives: the margin, and its judgment.
#[derive(Clone, Copy, Debug)]
pub struct RulesScore;

/// The weight of the judgment of a position in the order of moves, beside the statistics of the search.
const ORDER_WEIGHT: i32 = 16;

impl Evaluator<RulesPosition> for RulesScore {
    fn evaluate(&self, position: &RulesPosition) -> Score {
        let facts = position.facts();
        Score::estimate(facts.margin() * RulesPosition::POINT + facts.score)
    }

    fn terms(&self, position: &RulesPosition) -> Vec<Term> {
        let facts = position.facts();
        let points = facts.points.map(|points| Term::of_points(position, points));
        let judgment = Term { name: "the program's score", counts: [facts.score, 0], weight: 1 };
        points.into_iter().chain([judgment]).collect()
    }

    /// A move that wins comes first. The others come by the score that their positions were given with.
    fn order(&self, position: &RulesPosition, _: RulesMove, next: &RulesPosition) -> i32 {
        match next.facts.outcome.and_then(Outcome::winner) {
            Some(winner) if winner == position.facts.side => 1_000_000,
            _ if next.facts.side == position.facts.side => self.evaluate(next).get() * ORDER_WEIGHT,
            _ => -self.evaluate(next).get() * ORDER_WEIGHT,
        }
    }
}
