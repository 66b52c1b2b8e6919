//! The reviewer, which judges the positions of a game from the last to the first, so that the results for a position
//! help with the position before.

use plyground::search::SearchContext;
use plyground::{Game, Score, Side, Turn, Value};
use plyground_host::record::{GameRecord, PlayerRecord};
use plyground_host::referee::PlayedGame;
use plyground_host::{
    HostedEngine, HostedGame, HostedPosition, JudgeEffort, Judgment, MoveText, OtherGame, Reason,
    SharedGame, Sight,
};

use super::game::{GameReview, MistakeKind, NearQuestion, ReviewedMove, Worth, outcome};

/// The effort of a review, as numbers of positions to visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewEffort {
    /// For the search of a position to the end of the game.
    pub solve: u64,
    /// For each distance of a forced win.
    pub proof: u64,
    /// For an estimate, if nothing is proven.
    pub estimate: u64,
    /// For the depth at which minimax sees a mistake.
    pub sight: u64,
    /// For each further position when a known line is continued.
    pub line: u64,
}

impl Default for ReviewEffort {
    fn default() -> ReviewEffort {
        ReviewEffort {
            solve: 50_000_000,
            proof: 4_000,
            estimate: 20_000,
            sight: 200_000,
            line: 100_000,
        }
    }
}

impl ReviewEffort {
    /// The effort for a game whose rules are a program: some seconds for a game.
    pub const SLOW: ReviewEffort =
        ReviewEffort { solve: 20_000, proof: 200, estimate: 500, sight: 5_000, line: 2_000 };

    /// Returns the usual effort for a game.
    #[must_use]
    pub fn of(game: &dyn HostedGame) -> ReviewEffort {
        if game.is_slow() { ReviewEffort::SLOW } else { ReviewEffort::default() }
    }
}

/// The number of given-up positions after which the positions further from the end are not searched to the end.
const GIVEN_UP: u32 = 2;

/// The greatest length of a line in plies.
const LONGEST_LINE: usize = 200;

/// A game to be reviewed.
#[derive(Clone, Debug)]
pub struct GameToReview {
    /// The first position.
    pub start: HostedPosition,
    /// The moves, all of them legal.
    pub moves: Vec<MoveToReview>,
    /// The players in the order of the sides, if they are known.
    pub players: Option<[PlayerRecord; 2]>,
    /// The result and the reason for it, if the game has an end.
    pub ending: Option<(String, String)>,
    /// The side that lost by a fault.
    pub fault_of: Option<Side>,
}

/// Returns the records in a text, which follow each other, each after the number of lines before it.
#[must_use]
pub fn records(text: &str) -> Vec<(usize, String)> {
    let mut records: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let begins =
            serde_json::from_str(line).is_ok_and(|line: serde_json::Value| line["line"] == "game");
        match records.last_mut() {
            Some((_, record)) if !begins => *record += &format!("{line}\n"),
            _ => records.push((number, format!("{line}\n"))),
        }
    }
    records
}

/// A move of a game to be reviewed.
#[derive(Clone, Copy, Debug)]
pub struct MoveToReview {
    /// The move.
    pub mv: MoveText,
    /// If true, the move was given and not chosen by a player.
    pub given: bool,
    /// The depth that the player reported.
    pub depth: Option<u32>,
}

impl GameToReview {
    /// Returns the game of a checked record.
    #[must_use]
    pub fn new(record: &GameRecord, played: &PlayedGame) -> GameToReview {
        GameToReview::of(played, [record.header.first.clone(), record.header.second.clone()])
    }

    /// Returns a game of these players, in the order of the sides.
    #[must_use]
    pub fn of(played: &PlayedGame, players: [PlayerRecord; 2]) -> GameToReview {
        let moves = played.moves.iter().map(|played| MoveToReview {
            mv: played.mv,
            given: played.forced,
            depth: played.depth,
        });
        let ending = &played.ending;
        let fault_of = match &ending.reason {
            Reason::Forfeit { by, .. } => Some(*by),
            Reason::Rules | Reason::PlyCap { .. } => None,
        };
        GameToReview {
            start: played.start.clone(),
            moves: moves.collect(),
            players: Some(players),
            ending: Some((ending.result().to_owned(), ending.words(&played.position))),
            fault_of,
        }
    }
}

/// A reviewer of games under one set of rules.
pub struct Reviewer<'e> {
    /// The engine, which keeps its results in its table.
    pub engine: &'e mut dyn HostedEngine,
    /// The effort.
    pub effort: ReviewEffort,
    /// The context of the searches. Setting its flag ends the review.
    pub context: SearchContext,
}

/// The knowledge of a position.
struct Known {
    value: Value,
    /// Best play from here on.
    line: Vec<MoveText>,
}

/// A review under way.
struct Review<'a, 'e> {
    reviewer: &'a mut Reviewer<'e>,
    game: SharedGame,
    in_points: bool,
    given_up: u32,
}

impl<'e> Reviewer<'e> {
    /// Returns a reviewer with the usual effort.
    #[must_use]
    pub fn new(engine: &'e mut dyn HostedEngine) -> Reviewer<'e> {
        Reviewer { engine, effort: ReviewEffort::default(), context: SearchContext::default() }
    }

    /// Reviews a game. Calls `on_move` after each move, the last move first, with the review so far and the number of
    /// remaining moves. Returns `None` if the review is stopped.
    ///
    /// # Errors
    ///
    /// Returns an error if the engine is for another game.
    pub fn review(
        &mut self,
        game: &GameToReview,
        on_move: &mut dyn FnMut(&GameReview, usize),
    ) -> Result<Option<GameReview>, OtherGame> {
        let mut positions = vec![game.start.clone()];
        for played in &game.moves {
            let next = positions.last().unwrap_or(&game.start).after(played.mv);
            positions.push(next);
        }
        let in_points = game.start.points().is_some();
        let mut found = begun(game, &positions, in_points);
        let shared = game.start.game();
        let mut review = Review { reviewer: self, game: shared, in_points, given_up: 0 };
        let Some(last) = positions.last() else { return Ok(Some(found)) };
        let mut known = review.last(last)?;
        for (index, played) in game.moves.iter().enumerate().rev() {
            if review.is_stopped() {
                return Ok(None);
            }
            let (before, after) = (&positions[index], &positions[index + 1]);
            let (reviewed, value) = review.judge(before, after, played, known)?;
            known = value;
            found.moves.insert(0, ReviewedMove { ply: index + 1, ..reviewed });
            on_move(&found, index);
        }
        if review.is_stopped() {
            return Ok(None);
        }
        found.start_value =
            review.number(known.value).map(|value| seen_by_first(&game.start, value));
        found.exact = found.moves.iter().all(|played| played.loss.is_some());
        Ok(Some(found))
    }
}

/// Returns the review without moves.
fn begun(game: &GameToReview, positions: &[HostedPosition], in_points: bool) -> GameReview {
    let shared = game.start.game();
    let last = positions.last().unwrap_or(&game.start);
    let final_value = last.final_value().and_then(|value| number(&shared, in_points, value));
    let ending = game.ending.clone();
    GameReview {
        file: None,
        game: shared.name().to_owned(),
        rules: shared.rules(),
        start: game.start.state_word(),
        players: game.players.clone(),
        result: ending.as_ref().map(|(result, _)| result.clone()),
        reason: ending.map(|(_, reason)| reason),
        fault_of: game.fault_of,
        start_value: None,
        final_margin: final_value.map(|value| seen_by_first(last, value)),
        exact: false,
        in_points,
        moves: Vec::new(),
    }
}

/// Returns a number from the viewpoint of the side to move as the first player sees it.
fn seen_by_first(position: &HostedPosition, value: i32) -> i32 {
    if position.side_to_move() == Side::First { value } else { -value }
}

/// Returns the points or the outcome of a value, if they are certain.
fn number(game: &SharedGame, in_points: bool, value: Value) -> Option<i32> {
    if in_points {
        return value.is_exact().then(|| value.score().get() / game.point());
    }
    outcome(value)
}

impl Review<'_, '_> {
    fn is_stopped(&self) -> bool {
        self.reviewer.context.is_stopped()
    }

    fn number(&self, value: Value) -> Option<i32> {
        number(&self.game, self.in_points, value)
    }

    fn effort(&self, guess: Option<Score>) -> JudgeEffort {
        let ReviewEffort { solve, proof, estimate, .. } = self.reviewer.effort;
        JudgeEffort {
            solve: if self.given_up < GIVEN_UP { solve } else { 0 },
            proof,
            estimate,
            guess,
            context: self.reviewer.context.clone(),
        }
    }

    fn ask(
        &mut self,
        position: &HostedPosition,
        effort: &JudgeEffort,
    ) -> Result<Option<Judgment>, OtherGame> {
        let judgment = self.reviewer.engine.judge(position, effort)?;
        if let Some(judgment) = &judgment {
            self.given_up = if judgment.gave_up { self.given_up + 1 } else { self.given_up };
        }
        Ok(judgment)
    }

    /// Returns the knowledge of the last position.
    fn last(&mut self, position: &HostedPosition) -> Result<Known, OtherGame> {
        if let Some(value) = position.final_value() {
            return Ok(Known { value, line: Vec::new() });
        }
        let judgment = self.ask(position, &self.effort(None))?;
        let unknown = Known { value: Value::Estimate(Score::ZERO), line: Vec::new() };
        Ok(judgment.map_or(unknown, |Judgment { value, line, .. }| Known { value, line }))
    }

    /// Judges a move and the position `before` the move. `next` is the knowledge of the position `after` the move.
    fn judge(
        &mut self,
        before: &HostedPosition,
        after: &HostedPosition,
        move_made: &MoveToReview,
        next: Known,
    ) -> Result<(ReviewedMove, Known), OtherGame> {
        let mv = move_made.mv;
        let turn = Turn::of_sides(before.side_to_move(), after.side_to_move());
        let worth = next.value.before_move(turn);
        let guess = worth.is_exact().then(|| worth.score());
        let judgment = self.ask(before, &self.effort(guess))?;
        let own_line: Vec<_> = [mv].into_iter().chain(next.line.iter().copied()).collect();
        let (worth, known) = match judgment {
            Some(judgment) => settled(judgment, (mv, worth), own_line),
            None => (worth, Known { value: worth, line: own_line }),
        };
        let best = known.line.first().copied().unwrap_or(mv);
        let loss = self.number(known.value).zip(self.number(worth)).map(|(best, own)| best - own);
        let kind = kind(loss, known.value, worth);
        let sight = || before.sight(best, mv, self.reviewer.effort.sight);
        let sight = (kind.is_some() && best != mv).then(sight);
        let is_wrong = sight.is_some_and(|sight| !is_as_bad(worth, sight) || loss.is_some());
        let outcomes = outcome(known.value).zip(outcome(worth));
        let (refutation, best_line) = if is_wrong {
            (self.played_on(after, &next.line)?, self.played_on(before, &known.line)?)
        } else {
            Default::default()
        };
        let legal: Vec<_> = before.legal_moves().collect();
        let reviewed = ReviewedMove {
            ply: 0,
            side: before.side_to_move(),
            mv: mv.to_string(),
            given: move_made.given,
            choices: legal.len(),
            index: legal.iter().position(|&other| other == mv).unwrap_or_default(),
            played: Worth::new(&*self.game, self.in_points, worth),
            best: best.to_string(),
            best_worth: Worth::new(&*self.game, self.in_points, known.value),
            loss,
            kind: kind.filter(|_| is_wrong),
            outcome_lost: outcomes.is_some_and(|(best, own)| own < best),
            seen_at_depth: sight.filter(|_| is_wrong).and_then(|sight| sight.at),
            seen_from_depth: sight.filter(|_| is_wrong).and_then(|sight| sight.from),
            looked_at_depth: sight.filter(|_| is_wrong).map(|sight| sight.within),
            refutation,
            best_line,
            said_depth: move_made.depth,
            near_one: near(before, mv, 1),
            near_two: near(before, mv, 2),
        };
        Ok((reviewed, known))
    }

    /// Continues `line` from `position` toward the end of the game, as far as this takes little effort, and returns
    /// the whole line.
    fn played_on(
        &mut self,
        position: &HostedPosition,
        line: &[MoveText],
    ) -> Result<Vec<MoveText>, OtherGame> {
        let (mut line, mut position) = (line.to_vec(), position.clone());
        line.iter().for_each(|&mv| position.play_unchecked(mv));
        let effort = JudgeEffort {
            solve: self.reviewer.effort.line,
            proof: self.reviewer.effort.proof,
            estimate: 0,
            ..self.effort(None)
        };
        while line.len() < LONGEST_LINE && !position.is_over() && !self.is_stopped() {
            let judgment = self.reviewer.engine.judge(&position, &effort)?;
            let Some(more) = judgment.filter(|it| !it.value.is_estimate()) else { break };
            for mv in more.line {
                position.play_unchecked(mv);
                line.push(mv);
            }
        }
        Ok(line)
    }
}

/// Returns the kind of mistake of a move with the worth `own`, if the worth of the best move is `best`.
fn kind(loss: Option<i32>, best: Value, own: Value) -> Option<MistakeKind> {
    match loss {
        Some(0) => None,
        Some(_) => Some(MistakeKind::Mistake),
        None => {
            let (best, own) = (best.bounds(), own.bounds());
            let loses = own.upper.is_loss() && !best.upper.is_loss();
            let wins = best.lower.is_win() && !own.lower.is_win();
            (loses || wins).then_some(MistakeKind::Doubtful)
        }
    }
}

/// Returns true if a move with this worth loses, and minimax finds that the other move loses as well.
fn is_as_bad(worth: Value, sight: Sight) -> bool {
    let lost_in = worth.score().plies_to_end().filter(|_| worth.bounds().upper.is_loss());
    sight.from.is_none() && lost_in.is_some_and(|plies| plies.unsigned_abs() <= sight.within)
}

/// Reconciles the judgment of a position with the worth of the made move, which comes from the position after the
/// move. Returns the worth of the move, and the knowledge of the position.
fn settled(
    judgment: Judgment,
    (mv, worth): (MoveText, Value),
    own_line: Vec<MoveText>,
) -> (Value, Known) {
    let Judgment { value, line, estimates, .. } = judgment;
    // All moves of a lost position lose.
    if value.bounds().upper.is_loss() && !worth.bounds().upper.is_loss() {
        return (value, Known { value, line });
    }
    // The made move proves more than the search of the position has found.
    let least = worth.bounds().lower;
    if !worth.is_estimate() && !least.is_loss() && least > value.bounds().lower {
        let proven = if worth.is_exact() && !value.is_exact() {
            Value::at_least(worth.score())
        } else {
            worth
        };
        return (worth, Known { value: proven, line: own_line });
    }
    if !value.is_estimate() {
        return (worth, Known { value, line });
    }
    let of = |wanted: MoveText| estimates.iter().find(|(other, _)| *other == wanted);
    if worth.is_estimate() {
        // Estimates of one search can be compared with each other.
        let own = of(mv).map_or(worth, |&(_, estimate)| estimate);
        return (own, Known { value, line });
    }
    // The made move is proven, so its estimate must not make it the best move.
    let other = estimates.iter().find(|(other, _)| *other != mv);
    match other.filter(|_| line.first() == Some(&mv)) {
        Some(&(other, value)) => (worth, Known { value, line: vec![other] }),
        None => (worth, Known { value, line }),
    }
}

/// Returns the near question within a number of plies, with `mv` as the answer.
fn near(position: &HostedPosition, mv: MoveText, plies: u32) -> NearQuestion {
    let best = position.best_by_points(plies, 1).unwrap_or_else(|| position.best_moves(plies).0);
    NearQuestion { best: best.len(), hit: best.contains(&mv) }
}
