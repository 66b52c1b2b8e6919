//! A reviewed game as data: every move, with its value and the value of the best move.

use plyground::{Score, Side, Value};
use plyground_host::record::PlayerRecord;
use plyground_host::{Bound, HostedGame, MoveText};
use serde::{Deserialize, Serialize, Serializer};

/// The review of a game. Its JSON is a line of `review --json`, which `line` tells from other lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename = "game")]
pub struct GameReview {
    /// The file of the record, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The name of the game.
    pub game: String,
    /// The name of the rules.
    pub rules: String,
    /// The state file of the first position, its lines joined by `/`.
    pub start: String,
    /// The players in the order of the sides, if they are known.
    pub players: Option<[PlayerRecord; 2]>,
    /// The result, such as `1-0`, if the game has an end.
    pub result: Option<String>,
    /// The reason why the game ended, in a few words.
    pub reason: Option<String>,
    /// The side that lost by a fault, such as an illegal move.
    pub fault_of: Option<Side>,
    /// The value of the first position, as the first player sees it: in points, or 1, 0 and -1 for a win, a draw and a
    /// loss. `None` if the value is not known exactly.
    pub start_value: Option<i32>,
    /// The value of the last position, as the first player sees it, if the game ended by its rules.
    pub final_margin: Option<i32>,
    /// If true, the loss of every move is known exactly.
    pub exact: bool,
    /// If true, values are in points; otherwise, 1, 0 and -1 stand for a win, a draw and a loss.
    pub in_points: bool,
    /// The moves in order.
    pub moves: Vec<ReviewedMove>,
}

/// A move of a reviewed game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewedMove {
    /// The number of the move, from 1.
    pub ply: usize,
    /// The side that made the move.
    pub side: Side,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// If true, the move was given, for example by an opening, and not chosen by a player.
    pub given: bool,
    /// The number of legal moves.
    pub choices: usize,
    /// The index of the move among the legal moves, in the order of the rules.
    pub index: usize,
    /// The worth of the move to the side that made it.
    #[serde(flatten)]
    pub played: Worth,
    /// The best move.
    pub best: String,
    /// The worth of the best move.
    #[serde(flatten, with = "best_worth")]
    pub best_worth: Worth,
    /// The lost points or the lost outcome, 0 for a best move; `None` if the loss is not known exactly.
    pub loss: Option<i32>,
    /// The kind of mistake.
    pub kind: Option<MistakeKind>,
    /// If true, the move gave away a win, or turned a draw into a loss.
    pub outcome_lost: bool,
    /// The least depth at which plain minimax prefers the best move, for a mistake.
    pub seen_at_depth: Option<u32>,
    /// The least depth from which on plain minimax prefers the best move at all tried depths, for a mistake.
    pub seen_from_depth: Option<u32>,
    /// The greatest depth that was tried, for a mistake.
    pub looked_at_depth: Option<u32>,
    /// Best play after the move, for a mistake.
    pub refutation: Vec<MoveText>,
    /// Best play from the best move on, for a mistake.
    pub best_line: Vec<MoveText>,
    /// The depth that the program reported.
    pub said_depth: Option<u32>,
    /// The near question within one ply.
    pub near_one: NearQuestion,
    /// The near question within two plies.
    pub near_two: NearQuestion,
}

/// The kind of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MistakeKind {
    /// A better move is known, and the loss is known exactly.
    Mistake,
    /// The move is proven to lose and the best move is not, or the best move is proven to win and the move is not.
    Doubtful,
}

/// The best moves of a position within a few plies, by the rules alone, as a question to the player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearQuestion {
    /// The number of moves that are best within these plies; the number of all moves if the rules tell no difference.
    pub best: usize,
    /// If true, the player's move is among the best moves.
    pub hit: bool,
}

/// The worth of a move to the side that makes the move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    /// The value: in a game of points, the points, which are a bound or an estimate according to `bound`; in other
    /// games, 1, 0 or -1 for a win, a draw or a loss, if the outcome is known.
    #[serde(serialize_with = "whole_if_possible")]
    pub value: Option<f64>,
    /// The score, as in [`Score::get`].
    pub score: i32,
    /// The relation of the score to the result of best play.
    pub bound: Bound,
    /// The value as text.
    pub text: String,
}

fn whole_if_possible<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(number) if number.fract() == 0.0 => (*number as i64).serialize(to),
        other => other.serialize(to),
    }
}

impl Worth {
    pub(super) fn new(game: &dyn HostedGame, in_points: bool, value: Value) -> Worth {
        let score = value.score();
        let points = || f64::from(score.get()) / f64::from(game.point());
        let number = match outcome(value) {
            Some(outcome) if !in_points => Some(f64::from(outcome)),
            None if !in_points => None,
            _ => Some(points()),
        };
        Worth { value: number, score: score.get(), bound: Bound::of(value), text: game.show(value) }
    }

    /// Returns the value with this score and this bound.
    #[must_use]
    pub fn value(&self) -> Value {
        self.bound.with(Score::new(self.score))
    }
}

/// Returns the outcome of a value, if the outcome is certain: 1 for a win, 0 for a draw, -1 for a loss.
pub(super) fn outcome(value: Value) -> Option<i32> {
    let bounds = value.bounds();
    if bounds.lower > Score::ZERO {
        return Some(1);
    }
    if bounds.upper < Score::ZERO {
        return Some(-1);
    }
    (bounds.exact() == Some(Score::ZERO)).then_some(0)
}

impl ReviewedMove {
    /// Returns true if the move is a mistake beyond doubt.
    #[must_use]
    pub fn is_mistake(&self) -> bool {
        self.kind == Some(MistakeKind::Mistake)
    }

    /// Returns true if the player had a choice and made the choice.
    #[must_use]
    pub fn is_choice(&self) -> bool {
        !self.given && self.choices > 1
    }

    /// Returns the phase of the move in a game of this many plies.
    #[must_use]
    pub fn phase(&self, plies: usize) -> Phase {
        match 3 * (self.ply - 1) / plies.max(1) {
            0 => Phase::Opening,
            1 => Phase::Middle,
            _ => Phase::End,
        }
    }
}

/// A third of a game, by the number of its plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The first third.
    Opening,
    /// The second third.
    Middle,
    /// The last third.
    End,
}

impl Phase {
    /// The phases in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middle, Phase::End];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middle => "middle",
            Phase::End => "end",
        }
    }
}

impl GameReview {
    /// Returns the name of the player of a side, or `Player 1` or `Player 2` if the players are not known.
    #[must_use]
    pub fn name(&self, side: Side) -> String {
        match &self.players {
            Some(players) => players[side.index()].name.clone(),
            None => format!("Player {}", side.index() + 1),
        }
    }

    /// Returns the review as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Serializing strings, numbers and lists never fails.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The serialization of the worth of the best move, with `best_` in front of the names.
mod best_worth {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Named {
        #[serde(serialize_with = "whole_if_possible")]
        best_value: Option<f64>,
        best_score: i32,
        best_bound: Bound,
        best_text: String,
    }

    pub(super) fn serialize<S: Serializer>(worth: &Worth, to: S) -> Result<S::Ok, S::Error> {
        let Worth { value, score, bound, text } = worth.clone();
        let (best_value, best_score, best_bound, best_text) = (value, score, bound, text);
        Named { best_value, best_score, best_bound, best_text }.serialize(to)
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        from: D,
    ) -> Result<Worth, D::Error> {
        let Named { best_value: value, best_score: score, best_bound: bound, best_text: text } =
            Named::deserialize(from)?;
        Ok(Worth { value, score, bound, text })
    }
}

/// A move that a program chose, and its game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<'a> {
    /// The index of the game among the reviewed games.
    pub(super) index: usize,
    pub(super) game: &'a GameReview,
    pub(super) made: &'a ReviewedMove,
}

/// Returns an amount in words: points, or steps between a win, a draw and a loss.
pub(super) fn amount(in_points: bool, amount: i32) -> String {
    match (in_points, amount) {
        (true, 1) => "1 point".to_owned(),
        (true, amount) => format!("{amount} points"),
        (false, 0) => "nothing".to_owned(),
        (false, 1) => "half a game".to_owned(),
        (false, 2) => "the game".to_owned(),
        (false, amount) => format!("{} games", f64::from(amount) / 2.0),
    }
}
