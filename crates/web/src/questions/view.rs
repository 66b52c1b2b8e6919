//! The views of a game, of a position and of a score on the page.

use std::collections::BTreeMap;
use std::sync::Arc;

use plyground::perfect::plies_to_end;
use plyground::{Game, Score, Side, Value};
use plyground_host::page::{Edges, Ground, Layout, Look, Path, Picture};
use plyground_host::state::StateText;
use plyground_host::{Bound, Ending, HostedGame, HostedPosition, Lesson, Mark, MoveText, Text};
use serde::{Deserialize, Serialize};

use crate::questions::games::{GameLine, Games, Refused, ReplayedGame, ServedGame, with_rules};

/// A game, apart from any position.
#[derive(Debug, Serialize)]
pub struct About {
    name: &'static str,
    title: String,
    rules: String,
    rule_sets: Vec<String>,
    sides: [String; 2],
    /// The form in which a person types a move.
    move_hint: String,
    max_depth: u32,
    /// If true, perfect play is offered.
    perfect: bool,
    /// If true, the page shows the values of moves.
    analysis: bool,
    /// The programs of other people that can play.
    programs: Vec<ProgramName>,
    /// The number in a score that stands for one point.
    point: i32,
    layout: Layout,
    /// The rules, part by part.
    lessons: Vec<LessonView>,
    /// The first position, without moves.
    start: GameLine,
    /// The names of all games on the page.
    games: Vec<GameName>,
}

/// The page's request for the description of a game.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct AboutQuery {
    /// The name of the game; if absent, the first game of the page.
    pub game: Option<String>,
    /// The name of the rules; if absent, the usual rules of the game.
    pub rules: Option<String>,
}

/// A program in the list of players.
#[derive(Debug, Serialize)]
pub struct ProgramName {
    /// The name of the program.
    pub name: String,
    /// If true, the program must be told a depth in plies.
    pub needs_depth: bool,
}

#[derive(Debug, Serialize)]
struct GameName {
    name: &'static str,
    title: String,
    /// The usual rules.
    rules: String,
}

/// A part of the rules, with its picture.
#[derive(Debug, Serialize)]
struct LessonView {
    title: String,
    text: String,
    figure: Option<FigureView>,
}

/// The picture of a position that explains a rule.
#[derive(Debug, Serialize)]
struct FigureView {
    #[serde(flatten)]
    picture: Picture,
    marks: Vec<Mark>,
    caption: String,
}

impl LessonView {
    /// Returns the view of `lesson`. The figure is left out if its state file cannot be read; the tests of the games
    /// read all state files.
    fn new(game: &dyn HostedGame, lesson: Lesson) -> LessonView {
        let figure = lesson.figure.and_then(|figure| {
            let picture = figure.picture(game).ok()?;
            Some(FigureView { picture, marks: figure.marks, caption: figure.caption })
        });
        LessonView { title: lesson.title, text: lesson.text, figure }
    }
}

impl About {
    /// Returns the description of a game, with the programs that can play it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such game or rule set.
    pub fn new(
        games: &Games,
        asked: &AboutQuery,
        programs: impl FnOnce(&dyn HostedGame) -> Vec<ProgramName>,
    ) -> Result<About, Refused> {
        let served = games.get(asked.game.as_deref())?;
        let game = match &asked.rules {
            Some(rules) => with_rules(served, rules)?,
            None => served.game.clone(),
        };
        let start = game.start();
        let no_page = || Refused::new(format!("{} has no page", game.name()));
        let names = games.iter().map(|served| &served.game).map(|game| GameName {
            name: game.name(),
            title: game.title(),
            rules: game.rules(),
        });
        Ok(About {
            name: game.name(),
            title: game.title(),
            rules: game.rules(),
            rule_sets: game.rule_sets(),
            sides: Side::BOTH.map(|side| game.side_name(side)),
            move_hint: game.move_hint(),
            max_depth: game.max_depth(),
            perfect: games.has_values() && plies_to_end(&start).is_ok(),
            analysis: games.has_values(),
            programs: programs(&*game),
            point: game.point(),
            layout: game.layout().ok_or_else(no_page)?,
            lessons: game.lessons().into_iter().map(|one| LessonView::new(&*game, one)).collect(),
            start: GameLine::of_start(&start),
            games: names.collect(),
        })
    }
}

/// The empty board of a game, which the page shows before the first answer.
#[derive(Debug, Serialize)]
struct EmptyBoard {
    name: &'static str,
    columns: usize,
    rows: usize,
    look: Look,
    /// A digit for every cell: 0 open, 1 dead, 2 of the first side, 3 of the second.
    grounds: String,
    /// The labels around the board in the first notation.
    edges: Edges,
    fills: [&'static str; 2],
}

/// Returns the empty boards of all games as JSON, which is part of the page's file.
pub fn empty_boards(games: &Games) -> String {
    let board = |served: &Arc<ServedGame>| {
        let Layout { columns, rows, look, grounds, pieces, mut edges, notations, .. } =
            served.game.layout()?;
        let digit = |ground: &Ground| match ground {
            Ground::Open => '0',
            Ground::Dead => '1',
            Ground::First => '2',
            Ground::Second => '3',
        };
        if notations.len() > 1 {
            (edges.right, edges.bottom) = (Vec::new(), Vec::new());
        }
        let grounds = grounds.iter().map(digit).collect();
        let (name, fills) = (served.game.name(), pieces.map(|piece| piece.fill));
        Some(EmptyBoard { name, columns, rows, look, grounds, edges, fills })
    };
    let boards: Vec<EmptyBoard> = games.iter().filter_map(board).collect();
    // The `<` is escaped, because no text in a script element may look like the end of the element.
    serde_json::to_string(&boards).unwrap_or_default().replace('<', "\\u003c")
}

/// The page's request for a position.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionQuery {
    /// The game, whose last position is to be shown.
    pub game: GameLine,
    /// The cell of the piece that the person is about to move.
    pub from: Option<usize>,
}

/// A position, its legal moves, and the game that led to it.
#[derive(Debug, Serialize)]
pub struct View {
    /// The state file.
    state: String,
    /// The side to move, as [`Side::index`].
    side: usize,
    /// The side to move as a sentence.
    turn: String,
    #[serde(flatten)]
    picture: Picture,
    moves: Vec<MoveView>,
    /// The reasons why cells cannot be chosen, if the rules give a reason.
    reasons: BTreeMap<usize, String>,
    /// The moves so far.
    played: Vec<MadeMove>,
    over: Option<Over>,
    /// The reason to doubt that the position comes from a game, if there is one.
    doubt: Option<String>,
}

/// A move and its cells.
#[derive(Clone, Debug, Serialize)]
pub struct MoveView {
    #[serde(rename = "move")]
    mv: MoveText,
    /// The move in each notation.
    names: Vec<String>,
    #[serde(flatten)]
    path: Path,
    /// If true, the move is a pass, which has no cells.
    pass: bool,
    /// The side that makes the move, as [`Side::index`].
    side: usize,
}

impl MoveView {
    /// Returns the view of a legal move in `position`.
    pub fn new(position: &HostedPosition, mv: MoveText) -> MoveView {
        MoveView {
            mv,
            names: position.game().move_names(mv),
            path: position.path(mv),
            pass: position.is_pass(mv),
            side: position.side_to_move().index(),
        }
    }
}

/// A move of the game.
#[derive(Debug, Serialize)]
struct MadeMove {
    #[serde(flatten)]
    mv: MoveView,
    /// The move as a sentence, without the period.
    text: String,
}

impl MadeMove {
    /// Returns the view of the move `mv`, which was made in the position `before`.
    fn new(before: &HostedPosition, mv: MoveText) -> MadeMove {
        let is_forced_pass = before.is_pass(mv) && before.legal_moves().count() == 1;
        let why = if is_forced_pass { ", having no other move" } else { "" };
        MadeMove { mv: MoveView::new(before, mv), text: before.text(Text::Announcement(mv)) + why }
    }
}

/// The end of a game.
#[derive(Debug, Serialize)]
struct Over {
    winner: Option<usize>,
    result: String,
    reason: String,
    score: ScoreView,
}

impl View {
    /// Returns the view of the last position of a game, in which a person is about to move the piece on the
    /// cell `from`.
    pub fn new(replayed: &ReplayedGame, from: Option<usize>) -> View {
        let ReplayedGame { past, position, .. } = replayed;
        let over = over(replayed);
        let (moves, reasons) = match over {
            Some(_) => (Vec::new(), BTreeMap::new()),
            None => {
                let moves = position.legal_moves().map(|mv| MoveView::new(position, mv));
                (moves.collect(), reasons(position, from))
            }
        };
        View {
            state: StateText::from_lines(&position.state()).as_str().to_owned(),
            side: position.side_to_move().index(),
            turn: position.text(Text::Turn),
            picture: position.picture(),
            moves,
            reasons,
            played: past.iter().map(|(before, mv)| MadeMove::new(before, *mv)).collect(),
            over,
            doubt: Some(position.text(Text::Doubt))
                .filter(|doubt| past.is_empty() && !doubt.is_empty()),
        }
    }
}

/// Returns the reasons why cells cannot be chosen, by cell.
fn reasons(position: &HostedPosition, from: Option<usize>) -> BTreeMap<usize, String> {
    let cells = position.game().layout().map_or(0, |layout| layout.columns * layout.rows);
    let reason = |cell| {
        let mv = position.move_at(from, cell)?;
        let illegal = position.check_legal(mv).err()?.to_string();
        // The move is left out, because the person points at its cell.
        let reason = illegal.strip_prefix(&format!("{mv}: ")).unwrap_or(&illegal);
        Some((cell, reason.to_owned()))
    };
    (0..cells).filter_map(reason).collect()
}

/// Returns the reason for the end of the game, without the points, which are in the result.
fn reason(position: &HostedPosition) -> String {
    let reason = position.text(Text::Reason);
    let points = position.points().map(|[first, second]| format!("{first} to {second}"));
    let without = points.and_then(|points| reason.strip_suffix(&points).map(str::to_owned));
    without.map_or(reason, |rest| rest.trim_end_matches([',', ' ']).to_owned())
}

fn over(replayed: &ReplayedGame) -> Option<Over> {
    let ReplayedGame { position, past, .. } = replayed;
    let score = |value| ScoreView::new(&*position.game(), position.side_to_move(), value);
    if let (Some(outcome), Some(value)) = (position.outcome(), position.final_value()) {
        return Some(Over {
            winner: outcome.winner().map(Side::index),
            result: position.text(Text::Result),
            reason: reason(position),
            score: score(value),
        });
    }
    replayed.is_at_cap().then(|| Over {
        winner: Ending::ply_cap(0).winner.map(Side::index),
        result: "It is a draw.".to_owned(),
        reason: format!("not over after {} moves", past.len()),
        score: score(Value::Exact(Score::ZERO)),
    })
}

/// A value as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreView {
    /// The score as [`Side::First`] sees it, in hundredths of a point unless the game's point is another
    /// number.
    first: i32,
    /// The relation of the score to the value, as `side` sees it.
    bound: Bound,
    /// The side that sees the scores in the texts, as [`Side::index`].
    side: usize,
    /// If true, the score is the score of a forced end.
    forced: bool,
    /// The text for a table: `+1.35`, `win in 5`, `win in ≤ 15`.
    text: String,
    /// The text for a cell of the board: `+1.4`, `W5`, `W≤15`.
    short: String,
}

impl ScoreView {
    /// Returns the view of a value that `side` has in `game`.
    pub fn new(game: &dyn HostedGame, side: Side, value: Value) -> ScoreView {
        let first = if side == Side::First { value } else { -value };
        ScoreView {
            first: first.score().get(),
            bound: Bound::of(value),
            side: side.index(),
            forced: value.score().plies_to_end().is_some(),
            text: text(game, value),
            short: short(game, value),
        }
    }
}

fn text(game: &dyn HostedGame, value: Value) -> String {
    let shown = || game.show(value).replace(">=", "≥").replace("<=", "≤");
    match (whole_points(game, value), value) {
        (None, _) | (_, Value::Estimate(_)) => shown(),
        (Some(points), Value::Exact(_)) => signed(points),
        (Some(points), Value::AtLeast(_)) => format!("≥ {}", signed(points)),
        (Some(points), Value::AtMost(_)) => format!("≤ {}", signed(points)),
    }
}

fn short(game: &dyn HostedGame, value: Value) -> String {
    let sign = match value {
        Value::Exact(_) | Value::Estimate(_) => "",
        Value::AtLeast(_) => "≥",
        Value::AtMost(_) => "≤",
    };
    let score = value.score();
    if let Some(plies) = score.plies_to_end() {
        let (letter, plies) = (if score.is_win() { 'W' } else { 'L' }, plies.abs());
        // A lower bound that is a win, or an upper bound that is a loss, is an upper bound on the plies to the end;
        // any other bound limits the score.
        return match value {
            Value::AtLeast(_) if score.is_win() => format!("{letter}≤{plies}"),
            Value::AtMost(_) if score.is_loss() => format!("{letter}≤{plies}"),
            _ => format!("{sign}{letter}{plies}"),
        };
    }
    match (whole_points(game, value), value) {
        (None, _) | (_, Value::Estimate(_)) => {
            // A zero has no sign.
            let rounded = (f64::from(score.get()) / f64::from(game.point()) * 10.0).round();
            let text =
                if rounded == 0.0 { "0.0".to_owned() } else { format!("{:+.1}", rounded / 10.0) };
            format!("{sign}{text}")
        }
        (Some(points), _) => format!("{sign}{}", signed(points)),
    }
}

/// Returns the score in points, if it is a whole number of points.
fn whole_points(game: &dyn HostedGame, value: Value) -> Option<i32> {
    let score = value.score();
    let is_whole = score.plies_to_end().is_none() && score.get() % game.point() == 0;
    is_whole.then(|| score.get() / game.point())
}

fn signed(points: i32) -> String {
    if points == 0 { "0".to_owned() } else { format!("{points:+}") }
}

#[cfg(test)]
mod tests {
    use plyground::Score;

    use super::*;
    use crate::questions::testing::{games, replayed, served};

    fn view(moves: &[&str]) -> serde_json::Value {
        serde_json::to_value(View::new(&replayed(moves), None)).expect("JSON")
    }

    #[test]
    fn pass_is_a_move_without_cells() {
        let view = view(&["0", "2", "1"]);
        let pass = &view["moves"][0];
        assert_eq!(view["moves"].as_array().map(Vec::len), Some(1));
        assert_eq!((&pass["move"], &pass["pass"]), (&"-".into(), &true.into()));
        assert!(pass["from"].is_null() && pass["to"].is_null(), "{pass}");
    }

    #[test]
    fn played_pass_says_why() {
        let view = view(&["0", "2", "1", "-"]);
        assert_eq!(view["played"][3]["text"], "Player 2 passes, having no other move");
        assert_eq!(view["played"][3]["pass"], true);
        assert_eq!(view["cells"], serde_json::json!(["first", "first", "second", null]));
    }

    #[test]
    fn end_of_a_game_has_an_exact_score() {
        let over = &view(&["0", "2", "1", "-", "3"])["over"];
        assert_eq!((&over["winner"], &over["score"]["bound"]), (&0.into(), &"exact".into()));
        assert_eq!(over["score"]["first"], 200);
    }

    #[test]
    fn games_are_named() {
        let about = |game: Option<&str>, rules: Option<&str>| {
            let [game, rules] = [game, rules].map(|name| name.map(str::to_owned));
            About::new(&games(), &AboutQuery { game, rules }, |_| Vec::new())
        };
        let described = about(None, Some("short")).expect("a game");
        let described = serde_json::to_value(described).expect("JSON");
        assert_eq!(described["games"][1]["name"], "tictactoe");
        assert_eq!(
            (&described["name"], &described["layout"]["columns"]),
            (&"row".into(), &3.into())
        );
        assert_eq!(described["start"]["start"], ".../X");
        for (game, rules) in [("chess", None), ("row", Some("long"))] {
            assert!(about(Some(game), rules).is_err());
        }
    }

    fn texts(value: Value) -> [String; 2] {
        let view = ScoreView::new(&*served().game, Side::First, value);
        [view.text, view.short]
    }

    #[test]
    fn bound_is_shown_as_a_bound() {
        for (value, expected) in [
            (Value::Exact(Score::win_in(5)), ["win in 5", "W5"]),
            (Value::Exact(Score::loss_in(4)), ["loss in 4", "L4"]),
            (Value::AtLeast(Score::win_in(15)), ["win in ≤ 15", "W≤15"]),
            (Value::AtMost(Score::loss_in(14)), ["loss in ≤ 14", "L≤14"]),
            (Value::AtMost(Score::win_in(3)), ["≤ win in 3", "≤W3"]),
            (Value::AtLeast(Score::loss_in(2)), ["≥ loss in 2", "≥L2"]),
            (Value::Exact(Score::points(3)), ["+3", "+3"]),
            (Value::Exact(Score::ZERO), ["0", "0"]),
            (Value::AtLeast(Score::points(3)), ["≥ +3", "≥+3"]),
            (Value::AtMost(Score::points(-1)), ["≤ -1", "≤-1"]),
            (Value::AtLeast(Score::estimate(50)), ["≥ +0.50", "≥+0.5"]),
            (Value::Estimate(Score::estimate(135)), ["+1.35", "+1.4"]),
            (Value::Estimate(Score::estimate(-4)), ["-0.04", "0.0"]),
            (Value::Estimate(Score::points(2)), ["+2.00", "+2.0"]),
        ] {
            assert_eq!(texts(value), expected, "{value:?}");
        }
    }

    #[test]
    fn score_of_the_second_side_is_turned_for_the_first() {
        let value = Value::AtLeast(Score::points(2));
        let view = ScoreView::new(&*served().game, Side::Second, value);
        assert_eq!((view.first, view.bound, view.side), (-200, Bound::AtLeast, 1));
    }
}
